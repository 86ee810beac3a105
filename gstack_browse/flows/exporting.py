"""Write a flow as a test of Playwright: for pytest-playwright or Playwright Test, as its code generator would write it.

Each step is translated to what waits and checks in the same way, or is refused by name. Identity notes have no counterpart.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gstack_browse.flows.calls import (
    Call,
    Selector,
    Untranslatable,
    glob_to_regex,
    mark,
    read_call,
    read_selector,
    unmark,
)
from gstack_browse.flows.dialects import Argument, Code, Dialect, Python, TypeScript
from gstack_browse.flows.file import Flow, Step
from gstack_browse.flows.words import Word

_STATES = ("visible", "hidden", "enabled", "disabled", "checked", "focused", "editable")
_ENVIRONMENT = "FLOW_"


@dataclass(frozen=True)
class Exported:
    """A file in another tool's format, and the steps that have no counterpart there, each with the reason."""

    text: str
    losses: list[str]


def export_pytest(flow: Flow, name: str) -> Exported:
    """Return the flow as a test for pytest-playwright."""
    writer = _Writer(flow, Python())
    body = list(writer.lines())
    uses_re = any("re.compile(" in line for line in body)
    head = [f'"""Made from the flow {name} by gbrowse flow-export."""', ""]
    head += ["import os"] if flow.variables else []
    head += ["import re"] if uses_re else []
    head += (
        ["", "from playwright.sync_api import Dialog, Page, expect"]
        if writer.has_dialogs
        else ["", "from playwright.sync_api import Page, expect"]
    )
    head += [""]
    for variable in flow.variables:
        key = f"{_ENVIRONMENT}{variable.name.upper()}"
        default = "" if variable.default is None else f", {Python().literal(variable.default)}"
        getter = f'os.environ.get("{key}"{default})' if default else f'os.environ["{key}"]'
        head.append(f"{Python().variable(variable.name)} = {getter}")
    function = [
        f"def test_{_identifier(name)}(page: Page) -> None:",
        *(f"    {line}".rstrip() for line in body),
    ]
    text = "\n".join([*head, "", *function]) + "\n"
    return Exported(re.sub(r"\n{4,}", "\n\n\n", text), writer.losses)


def export_playwright_test(flow: Flow, name: str) -> Exported:
    """Return the flow as a test for Playwright Test."""
    writer = _Writer(flow, TypeScript())
    body = list(writer.lines())
    head = [
        f"// Made from the flow {name.replace(chr(10), ' ')} by gbrowse flow-export.",
        "import { expect, test } from '@playwright/test';",
        "",
    ]
    for variable in flow.variables:
        key = f"{_ENVIRONMENT}{variable.name.upper()}"
        default = "''" if variable.default is None else TypeScript().literal(variable.default)
        head.append(f"const {TypeScript().variable(variable.name)} = process.env.{key} ?? {default};")
    test = [
        f"test({TypeScript().literal(name)}, async ({{ page }}) => {{",
        *(f"  {line}" for line in body),
        "});",
    ]
    return Exported("\n".join([*head, "", *test]) + "\n", writer.losses)


def _identifier(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").lower() or "flow"


class _Writer:
    """Writes the body of a test."""

    def __init__(self, flow: Flow, dialect: Dialect) -> None:
        self._flow = flow
        self._dialect = dialect
        self._page = "page"
        self._frame: Sequence[Selector] = ()
        self._pages = {"1": "page"}
        self._count = 1
        self.losses: list[str] = []
        self.has_dialogs = any(
            step.command.startswith("dialog-") or [word.text for word in step.words[:2]] == ["expect", "dialog"]
            for step in flow.steps
        )

    def lines(self) -> Iterator[str]:
        yield from self._listen() if self.has_dialogs else ()
        steps = list(self._flow.steps)
        place = 0
        while place < len(steps):
            step = steps[place]
            after = steps[place + 1] if place + 1 < len(steps) else None
            try:
                is_download = after is not None and [word.text for word in after.words[:2]] == [
                    "expect",
                    "downloads",
                ]
                written = list(self._step(step, after if is_download else None))
                place += 1 + is_download
            except Untranslatable as error:
                loss = f"step {place + 1}, {step.command}: {error.args[0]}"
                self.losses.append(loss)
                written = [f"{self._dialect.comment} left out {' '.join(loss.split())}"]
                place += 1
            yield from written

    def _listen(self) -> Iterator[str]:
        """Answer dialogs as gbrowse does: they are accepted, unless a step says otherwise."""
        if isinstance(self._dialect, Python):
            yield "dialogs: list[str] = []"
            yield 'answer = {"accept": True}'
            yield ""
            yield "def on_dialog(dialog: Dialog) -> None:"
            yield "    dialogs.append(dialog.message)"
            yield '    dialog.accept() if answer["accept"] else dialog.dismiss()'
            yield ""
            yield 'page.on("dialog", on_dialog)'
        else:
            yield "const dialogs: string[] = [];"
            yield "const answer = { accept: true };"
            yield "page.on('dialog', async (dialog) => {"
            yield "  dialogs.push(dialog.message());"
            yield "  await (answer.accept ? dialog.accept() : dialog.dismiss());"
            yield "});"

    def _step(self, step: Step, download: Step | None) -> Iterator[str]:
        call = read_call(step)
        handler = _HANDLERS.get(call.command)
        if handler is None:
            raise Untranslatable("no test of Playwright does this")
        written = list(handler(self, call))
        if step.opens_tab and call.command != "newtab":
            self._count += 1
            name = f"page{self._count}"
            self._pages[str(step.opens_tab)] = name
            written = self._dialect.waiting_for(self._page, "popup", name, written)
        if download:
            pattern = download.words[2].text if len(download.words) > 2 else ""
            self._count += 1
            name = f"download{self._count}"
            written = self._dialect.waiting_for(self._page, "download", name, written)
            regex = self._dialect.regex(glob_to_regex(pattern))
            if isinstance(self._dialect, Python):
                written.append(
                    self._dialect.require(
                        f"{regex.text}.search({name}.suggested_filename)", f"no download of {pattern}"
                    )
                )
            else:
                written.append(f"expect({name}.suggestedFilename()).toMatch({regex.text});")
        yield from written

    # What steps are about.

    @property
    def _scope(self) -> str:
        """The page, or the frame that was chosen in it."""
        scope = self._page
        for selector in self._frame:
            located = self._located(scope, selector)
            scope = (
                f"{located}.content_frame" if isinstance(self._dialect, Python) else f"{located}.contentFrame()"
            )
        return scope

    def _locator(self, call: Call, place: int = 0) -> str:
        return self._located(self._scope, read_selector(call.target(place)))

    def _located(self, scope: str, selector: Selector) -> str:
        write = self._dialect.call
        text = unmark(selector.text)
        exact: dict[str, Argument] = {"exact": True} if selector.is_exact else {}
        if selector.kind == "testid":
            return write(scope, "get_by_test_id", text)
        if selector.kind == "role":
            named: dict[str, Argument] = {"name": text, "exact": True} if text.parts else {}
            return write(scope, "get_by_role", selector.role, **named)
        if selector.kind in ("label", "placeholder", "title", "text"):
            return write(scope, f"get_by_{selector.kind}", text, **exact)
        if selector.kind == "alt":
            return write(scope, "get_by_alt_text", text, **exact)
        prefix = "xpath=" if selector.kind == "xpath" else ""
        return write(scope, "locator", unmark(prefix + selector.text))

    def _do(self, on: str, method: str, *arguments: Argument, **options: Argument) -> str:
        return self._dialect.do(self._dialect.call(on, method, *arguments, **options))

    # Commands.

    def goto(self, call: Call) -> Iterator[str]:
        self._frame = ()
        yield self._do(self._page, "goto", call.argument(0))

    def history(self, call: Call) -> Iterator[str]:
        yield self._do(self._page, {"back": "go_back", "forward": "go_forward"}.get(call.command, "reload"))

    def click(self, call: Call) -> Iterator[str]:
        call.allow("--double", "--button", "--modifiers")
        options: dict[str, Argument] = {}
        if "--button" in call.options:
            options["button"] = call.options["--button"].text
        if "--modifiers" in call.options:
            options["modifiers"] = call.options["--modifiers"].text.split(",")
        yield self._do(self._locator(call), "dblclick" if "--double" in call.options else "click", **options)

    def fill(self, call: Call) -> Iterator[str]:
        call.allow("--submit")
        located = self._locator(call)
        value = joined(call.arguments[1:])
        if any(identity.tag == "input" and identity.type == "range" for identity in call.step.identities):
            raise Untranslatable("a slider")
        yield self._do(located, "fill", value)
        if "--submit" in call.options:
            yield self._do(located, "press", "Enter")

    def type(self, call: Call) -> Iterator[str]:
        call.allow("--into", "--clear", "--delay")
        text = joined(call.arguments)
        if "--into" not in call.options:
            yield self._do(f"{self._page}.keyboard", "type", text)
            return
        located = self._located(self._scope, read_selector(mark(call.options["--into"])))
        if "--clear" in call.options:
            yield self._do(located, "clear")
        yield self._do(located, "press_sequentially", text)

    def press(self, call: Call) -> Iterator[str]:
        yield self._do(f"{self._page}.keyboard", "press", call.text(0))

    def on_element(self, call: Call) -> Iterator[str]:
        method = {"scroll": "scroll_into_view_if_needed"}.get(call.command, call.command)
        yield self._do(self._locator(call), method)

    def scroll(self, call: Call) -> Iterator[str]:
        where = call.text(0) if call.arguments else "down"
        if where in ("up", "down", "top", "bottom", "left", "right") or len(call.arguments) > 1:
            raise Untranslatable("the page or a pane is scrolled by a distance")
        yield from self.on_element(call)

    def select(self, call: Call) -> Iterator[str]:
        if not any(identity.tag == "select" for identity in call.step.identities):
            raise Untranslatable("a list that is no <select>")
        values = list(call.arguments[1:])
        yield self._do(self._locator(call), "select_option", values[0] if len(values) == 1 else values)

    def upload(self, call: Call) -> Iterator[str]:
        if not any(identity.type == "file" for identity in call.step.identities):
            raise Untranslatable("files for a button that opens a chooser")
        files = [call.text(place) for place in range(1, len(call.arguments))]
        yield self._do(self._locator(call), "set_input_files", files[0] if len(files) == 1 else files)

    def download(self, call: Call) -> Iterator[str]:
        call.allow()
        self._count += 1
        click = self._do(self._locator(call), "click")
        yield from self._dialect.waiting_for(self._page, "download", f"download{self._count}", [click])

    def drag(self, call: Call) -> Iterator[str]:
        if re.match(r"-?[0-9]", call.argument(1).text):
            raise Untranslatable("a drag by a distance")
        yield self._do(self._locator(call), "drag_to", Code(self._locator(call, 1)))

    def viewport(self, call: Call) -> Iterator[str]:
        width, _, height = call.text(0).partition("x")
        if not (width.isdigit() and height.isdigit()) or call.options:
            raise Untranslatable("a viewport with a scale")
        if isinstance(self._dialect, Python):
            yield f'{self._page}.set_viewport_size({{"width": {width}, "height": {height}}})'
        else:
            yield self._do(self._page, "set_viewport_size", width=int(width), height=int(height))

    def js(self, call: Call) -> Iterator[str]:
        yield self._do(
            self._page if not self._frame else f"{self._scope}.locator(':root')",
            "evaluate",
            joined(call.arguments),
        )

    def tab(self, call: Call) -> Iterator[str]:
        name = self._pages.get(call.text(0))
        if name is None:
            raise Untranslatable("a tab that no step has opened")
        self._page, self._frame = name, ()
        yield self._do(self._page, "bring_to_front")

    def newtab(self, call: Call) -> Iterator[str]:
        call.allow("--name")
        self._count += 1
        name = f"page{self._count}"
        self._pages[str(call.step.opens_tab)] = name
        opening = self._dialect.do(
            f"{self._page}.context.new_page()"
            if isinstance(self._dialect, Python)
            else f"{self._page}.context().newPage()"
        )
        yield f"{name} = {opening}" if isinstance(self._dialect, Python) else f"const {name} = {opening}"
        self._page, self._frame = name, ()
        if call.arguments:
            yield self._do(name, "goto", call.argument(0))

    def closetab(self, call: Call) -> Iterator[str]:
        name = self._pages.get(call.text(0)) if call.arguments else self._page
        if name is None:
            raise Untranslatable("a tab that no step has opened")
        yield self._do(name, "close")
        if name == self._page:
            self._page = "page"

    def frame(self, call: Call) -> Iterator[str]:
        call.allow()
        target = call.text(0)
        self._frame = () if target == "main" else (*self._frame, read_selector(target))
        yield from ()

    def dialog(self, call: Call) -> Iterator[str]:
        if call.command == "dialog-hold" or call.arguments:
            raise Untranslatable("a dialog that stays open, or a text for a prompt")
        value = self._dialect.literal(call.command == "dialog-accept")
        yield (
            f'answer["accept"] = {value}' if isinstance(self._dialect, Python) else f"answer.accept = {value};"
        )

    def wait(self, call: Call) -> Iterator[str]:
        call.allow("--networkidle", "--load", "--url")
        if "--networkidle" in call.options or "--load" in call.options:
            yield self._do(
                self._page, "wait_for_load_state", "networkidle" if "--networkidle" in call.options else "load"
            )
        elif "--url" in call.options:
            yield self._do(
                self._page, "wait_for_url", self._dialect.regex(glob_to_regex(call.options["--url"].text))
            )
        elif call.text(0).isdigit():
            yield self._do(self._page, "wait_for_timeout", int(call.text(0)))
        else:
            yield self._do(self._locator(call), "wait_for")

    # Expectations.

    def expect(self, call: Call) -> Iterator[str]:
        call.allow("--not", "--in", "--timeout")
        what = call.text(0)
        negated = "--not" in call.options
        if what in _STATES:
            yield self._expect(self._locator(call, 1), f"to_be_{what}", negated=negated)
        elif what == "text":
            yield self._expect_text(call, negated=negated)
        elif what == "title":
            yield self._expect(self._page, "to_have_title", self._pattern(call.arguments[1:]), negated=negated)
        elif what == "url":
            yield self._expect(
                self._page, "to_have_url", self._url_pattern(call.arguments[1:]), negated=negated
            )
        elif what == "value":
            pattern = self._pattern(call.arguments[2:])
            yield self._expect(self._locator(call, 1), "to_have_value", pattern, negated=negated)
        elif what == "count":
            yield self._expect(self._locator(call, 1), "to_have_count", int(call.text(2)), negated=negated)
        elif what == "attr" and len(call.arguments) > 3:
            pattern = self._pattern(call.arguments[3:])
            yield self._expect(
                self._locator(call, 1), "to_have_attribute", call.text(2), pattern, negated=negated
            )
        elif what == "dialog":
            yield from self._expect_dialog(joined(call.arguments[1:]), negated=negated)
        else:
            raise Untranslatable(f"expect {what}")

    def _expect(self, subject: str, method: str, *arguments: Argument, negated: bool) -> str:
        return self._dialect.do(self._dialect.expect(subject, method, *arguments, negated=negated))

    def _expect_text(self, call: Call, *, negated: bool) -> str:
        word = joined(call.arguments[1:])
        inside = call.options.get("--in")
        body = self._located(self._scope, read_selector(mark(inside) if inside else "body"))
        text = word.text
        if regex := re.fullmatch(r"/(.+)/([a-z]*)", text, re.DOTALL):
            return self._expect(
                body, "to_contain_text", self._dialect.regex(regex[1], flags=regex[2]), negated=negated
            )
        if text.startswith("=") and inside:
            return self._expect(body, "to_have_text", _without_first(word), negated=negated)
        if text.startswith("="):
            line = self._dialect.call(
                self._dialect.call(self._scope, "get_by_text", _without_first(word), exact=True), "first"
            )
            first = line.removesuffix("()") if isinstance(self._dialect, Python) else line
            return self._expect(first, "to_be_visible", negated=negated)
        return self._expect(body, "to_contain_text", word, negated=negated)

    def _expect_dialog(self, word: Word, *, negated: bool) -> Iterator[str]:
        if re.fullmatch(r"/.+/[a-z]*", word.text):
            raise Untranslatable("expect dialog with a regular expression")
        is_exact = word.text.startswith("=")
        wanted = self._dialect.literal(_without_first(word) if is_exact else word)
        if isinstance(self._dialect, Python):
            condition = (
                f"{wanted} in dialogs" if is_exact else f"any({wanted} in message for message in dialogs)"
            )
            yield self._dialect.require(f"not ({condition})" if negated else condition, f"dialog {word.text}")
        else:
            condition = (
                f"dialogs.includes({wanted})"
                if is_exact
                else f"dialogs.some((message) => message.includes({wanted}))"
            )
            yield f"await expect.poll(() => {condition}).toBe({self._dialect.literal(not negated)});"

    def _pattern(self, words: Sequence[Word]) -> Argument:
        """Return a pattern for a text: exact, a regular expression, or a part."""
        word = joined(words)
        text = word.text
        if regex := re.fullmatch(r"/(.+)/([a-z]*)", text, re.DOTALL):
            return self._dialect.regex(regex[1], flags=regex[2])
        if text.startswith("=") or not text:
            return _without_first(word) if text else ""
        if word.variables:
            raise Untranslatable("a part of a text with a variable")
        return self._dialect.regex(re.escape(text).replace("\\ ", " "))

    def _url_pattern(self, words: Sequence[Word]) -> Argument:
        word = joined(words)
        if word.variables:
            raise Untranslatable("an address with a variable")
        if word.text.startswith("="):
            return word.text[1:]
        if regex := re.fullmatch(r"/(.+)/([a-z]+)", word.text):
            return self._dialect.regex(regex[1], flags=regex[2])
        return self._dialect.regex(glob_to_regex(word.text))


def joined(words: Sequence[Word]) -> Word:
    """Return several words as one, with blanks between them."""
    parts: list[object] = []
    for place, word in enumerate(words):
        parts += [" "] * bool(place) + list(word.parts)
    merged: list[object] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    return Word(tuple(merged))  # type: ignore[arg-type]


def _without_first(word: Word) -> Word:
    first, *rest = word.parts
    return Word(tuple(part for part in (first[1:] if isinstance(first, str) else first, *rest) if part != ""))


_HANDLERS: dict[str, Callable[[_Writer, Call], Iterator[str]]] = {
    **dict.fromkeys(("back", "forward", "reload"), _Writer.history),
    **dict.fromkeys(("hover", "check", "uncheck", "focus", "blur"), _Writer.on_element),
    **dict.fromkeys(("dialog-accept", "dialog-dismiss", "dialog-hold"), _Writer.dialog),
    **{
        name: getattr(_Writer, name)
        for name in (
            *(
                "goto",
                "click",
                "fill",
                "type",
                "press",
                "scroll",
                "select",
                "upload",
                "drag",
                "viewport",
                "js",
                "tab",
            ),
            *("newtab", "closetab", "frame", "wait", "expect", "download"),
        )
    },
}
