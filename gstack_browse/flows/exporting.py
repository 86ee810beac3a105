"""Write a flow as a test of Playwright, as its code generator would write it.

The test is for pytest-playwright or Playwright Test. Each step is translated to what waits and checks in the
same way, or is refused by name. Identity notes have no counterpart.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
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
    whole_address,
)
from gstack_browse.flows.dialects import Argument, Code, Dialect, Python, TypeScript
from gstack_browse.flows.file import Flow, Step
from gstack_browse.flows.identity import Identity
from gstack_browse.flows.words import Word
from gstack_browse.text.pattern import fold_blanks, fold_label

_STATES = ("visible", "hidden", "enabled", "disabled", "checked", "focused", "editable")
_ENVIRONMENT = "FLOW_"
_NAMED_ROLES = frozenset(
    (
        *("textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "checkbox", "radio", "switch"),
        *("button", "link", "tab", "option", "menuitem", "menuitemcheckbox", "menuitemradio"),
    )
)
"""Roles that have a name in every version of Playwright."""
_TYPES_WITHOUT_ROLE = frozenset(
    ("password", "file", "color", "date", "datetime-local", "month", "time", "week")
)
"""Types of `<input>` to which versions of Playwright give no role, or another one."""


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
    head += ["from typing import Any"] if writer.has_dialogs else []
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
        self.dialect = dialect
        self.page = "page"
        self.frame: Sequence[Selector] = ()
        self.pages = {"1": "page"}
        self.count = 1
        self.losses: list[str] = []
        self._defaults = {each.name: each.default for each in flow.variables if each.default is not None}
        self._notes = _notes_of(flow)
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
                is_download = after is not None and _expects_download(after)
                written = list(self._step(step, after if is_download else None))
                place += 1 + is_download
            except Untranslatable as error:
                loss = f"step {place + 1}, {step.command}: {error.args[0]}"
                self.losses.append(loss)
                written = [f"{self.dialect.comment} left out {' '.join(loss.split())}"]
                place += 1
            yield from written

    def _listen(self) -> Iterator[str]:
        """Answer dialogs as gbrowse does: they are accepted, unless a step says otherwise."""
        if isinstance(self.dialect, Python):
            yield "dialogs: list[str] = []"
            yield 'answer: dict[str, Any] = {"accept": True, "text": None}'
            yield ""
            yield "def on_dialog(dialog: Dialog) -> None:"
            yield "    dialogs.append(dialog.message)"
            yield '    dialog.accept(answer["text"]) if answer["accept"] else dialog.dismiss()'
            yield ""
            yield 'page.on("dialog", on_dialog)'
        else:
            yield "const dialogs: string[] = [];"
            yield "const answer: { accept: boolean; text?: string } = { accept: true };"
            yield "page.on('dialog', async (dialog) => {"
            yield "  dialogs.push(dialog.message());"
            yield "  await (answer.accept ? dialog.accept(answer.text) : dialog.dismiss());"
            yield "});"

    def _step(self, step: Step, download: Step | None) -> Iterator[str]:
        call = read_call(step)
        handler = _HANDLERS.get(call.command)
        if handler is None:
            raise Untranslatable("no test of Playwright does this")
        written = list(handler(self, call))
        if step.opens_tab and call.command != "newtab":
            self.count += 1
            name = f"page{self.count}"
            self.pages[str(step.opens_tab)] = name
            written = self.dialect.waiting_for(self.page, "popup", name, written)
        if download or call.command == "download":
            written = self._downloading(written, download.words[2].text if download else "")
        yield from written

    def _downloading(self, action: list[str], pattern: str) -> list[str]:
        """Return an action with the lines that wait for its download, and check its name against a pattern."""
        self.count += 1
        name = f"download{self.count}"
        written = self.dialect.waiting_for(self.page, "download", name, action)
        regex = self.dialect.regex(glob_to_regex(pattern)).text
        if pattern and isinstance(self.dialect, Python):
            check = f"{regex}.search({name}.suggested_filename)"
            written.append(self.dialect.require(check, f"no download of {pattern}"))
        elif pattern:
            written.append(f"expect({name}.suggestedFilename()).toMatch({regex});")
        return written

    # What steps are about.

    @property
    def scope(self) -> str:
        """The page, or the frame that was chosen in it."""
        scope = self.page
        for selector in self.frame:
            located = self._by_selector(scope, selector)
            scope = (
                f"{located}.content_frame" if isinstance(self.dialect, Python) else f"{located}.contentFrame()"
            )
        return scope

    def locator(self, call: Call, place: int = 0) -> str:
        identities = call.step.identities
        note = identities[place] if place < len(identities) else None
        return self.located(self.scope, call.target(place), note)

    def located(self, scope: str, target: str, note: Identity | None = None) -> str:
        """Return what locates a target. `note`: its own; without one that of another step with this target."""
        selector = read_selector(target)
        note = note or self._notes.get(target)
        whole = self._whole_words(selector, note) if note else None
        if note and whole:
            return self._by_whole_words(scope, selector, note, whole)
        return self._by_selector(scope, selector)

    def _whole_words(self, selector: Selector, note: Identity) -> Word | None:
        """Return the words that are all that an element is called by; None where they may be a part.

        A selector by words prefers the element that says these and no others, which Playwright does not. A name in capitals may be
        made so by CSS, which Playwright does not look at.
        """
        if selector.kind not in ("label", "text", "alt", "placeholder", "title"):
            return None
        said = note.hint if selector.kind in ("placeholder", "title") else note.name
        text = unmark(selector.text)
        if any(name not in self._defaults for name in text.variables) or (said.upper() == said != said.lower()):
            return None
        if text.variables:
            return text if text.fill(self._defaults) == said else None
        fold = fold_label if selector.kind == "label" else str.casefold
        return Word((said,)) if said and fold(fold_blanks(text.text)) == fold(fold_blanks(said)) else None

    def _by_whole_words(self, scope: str, selector: Selector, note: Identity, words: Word) -> str:
        """Return what locates the element of a note by all the words of its name.

        A label may have more text than the name (options, a hidden star), so a role with a name is better.
        """
        write = self.dialect.call
        is_name = selector.kind in ("label", "text")
        if is_name and note.role in _NAMED_ROLES and note.type not in _TYPES_WITHOUT_ROLE:
            return write(scope, "get_by_role", note.role, name=words, exact=True)
        method = "get_by_alt_text" if selector.kind == "alt" else f"get_by_{selector.kind}"
        if selector.kind == "label" and not words.variables:
            return write(scope, method, self.dialect.regex(rf"^\s*{_escaped(words.text)}[\s*:]*$"))
        return write(scope, method, words, exact=True)

    def _by_selector(self, scope: str, selector: Selector) -> str:
        write = self.dialect.call
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

    def do(self, on: str, method: str, *arguments: Argument, **options: Argument) -> str:
        return self.dialect.do(self.dialect.call(on, method, *arguments, **options))

    def expect(self, subject: str, method: str, *arguments: Argument, negated: bool) -> str:
        return self.dialect.do(self.dialect.expect(subject, method, *arguments, negated=negated))


def _notes_of(flow: Flow) -> dict[str, Identity]:
    """Return the notes of fields by target, for steps without a note: an `expect` of a field's value.

    Not by texts: where "Checkout" was a link, the next page may have it as a heading.
    """
    found: dict[str, Identity] = {}
    for step in flow.steps:
        with suppress(Untranslatable):
            call = read_call(step)
            target = mark(call.options["--into"]) if "--into" in call.options else call.target(0)
            if step.identities and read_selector(target).kind in ("label", "placeholder"):
                found.setdefault(target, step.identities[0])
    return found


def _expects_download(step: Step) -> bool:
    return len(step.words) == 3 and [word.text for word in step.words[:2]] == ["expect", "downloads"]


def _goto(writer: _Writer, call: Call) -> Iterator[str]:
    writer.frame = ()
    yield writer.do(writer.page, "goto", whole_address(call.argument(0)))


def _history(writer: _Writer, call: Call) -> Iterator[str]:
    yield writer.do(writer.page, {"back": "go_back", "forward": "go_forward"}.get(call.command, "reload"))


def _click(writer: _Writer, call: Call) -> Iterator[str]:
    call.allow("--double", "--button", "--modifiers")
    options: dict[str, Argument] = {}
    if "--button" in call.options:
        options["button"] = call.options["--button"].text
    if "--modifiers" in call.options:
        options["modifiers"] = call.options["--modifiers"].text.split(",")
    yield writer.do(writer.locator(call), "dblclick" if "--double" in call.options else "click", **options)


def _fill(writer: _Writer, call: Call) -> Iterator[str]:
    call.allow("--submit")
    located = writer.locator(call)
    value = joined(call.arguments[1:])
    yield writer.do(located, "fill", value)
    if "--submit" in call.options:
        yield writer.do(located, "press", "Enter")


def _type_text(writer: _Writer, call: Call) -> Iterator[str]:
    call.allow("--into", "--clear", "--delay")
    text = joined(call.arguments)
    if "--into" not in call.options:
        yield writer.do(f"{writer.page}.keyboard", "type", text)
        return
    located = writer.located(writer.scope, mark(call.options["--into"]), next(iter(call.step.identities), None))
    if "--clear" in call.options:
        yield writer.do(located, "clear")
    yield writer.do(located, "press_sequentially", text)


def _press(writer: _Writer, call: Call) -> Iterator[str]:
    yield writer.do(f"{writer.page}.keyboard", "press", call.text(0))


def _on_element(writer: _Writer, call: Call) -> Iterator[str]:
    method = {"scroll": "scroll_into_view_if_needed"}.get(call.command, call.command)
    yield writer.do(writer.locator(call), method)


_SELECT_WORDS = """(element, [first, last]) => {
  const text = element.textContent ?? "";
  const start = text.indexOf(first), end = text.indexOf(last, start);
  if (start < 0 || end < 0) throw new Error(`It does not say ${first} … ${last}`);
  const placeOf = (offset) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let node = walker.nextNode();
    for (; node && offset > node.length; node = walker.nextNode()) offset -= node.length;
    return [node, offset];
  };
  element.focus();
  getSelection().setBaseAndExtent(...placeOf(start), ...placeOf(end + last.length));
}"""


def _select_text(writer: _Writer, call: Call) -> Iterator[str]:
    call.allow("--from", "--to")
    if not call.options:
        yield writer.do(writer.locator(call), "select_text")
        return
    if len(call.options) != 2:
        raise Untranslatable("a selection to the end or from the start")
    words = [call.options["--from"], call.options["--to"]]
    yield writer.do(writer.locator(call), "evaluate", _script(writer, _SELECT_WORDS), words)


def _script(writer: _Writer, script: str) -> Argument:
    """Return a function of the page: Python has it as a text, TypeScript as it is."""
    return script if isinstance(writer.dialect, Python) else Code(script)


_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
MOST_OF_A_SCREEN = 600
"""Pixels for a scroll without a number."""


def _scroll(writer: _Writer, call: Call) -> Iterator[str]:
    words = [word.text for word in call.arguments] or ["down"]
    is_of_page = words[0] in ("up", "down", "top", "bottom", "left", "right")
    if not is_of_page and len(words) == 1:
        yield from _on_element(writer, call)
        return
    how, *pixels = words if is_of_page else words[1:]
    if how in ("top", "bottom") and is_of_page:
        if (
            how == "bottom"
        ):  # no element is waited for, and Playwright's goto ends before the page has its content
            yield writer.do(writer.page, "evaluate", _script(writer, _UNTIL_QUIET))
        where = "0" if how == "top" else "document.scrollingElement.scrollHeight"
        yield writer.do(writer.page, "evaluate", f"window.scrollTo(0, {where})")
        return
    amount = pixels[0] if pixels else how if how.isdigit() else str(MOST_OF_A_SCREEN)
    if how not in _DIRECTIONS or not amount.isdigit():
        raise Untranslatable("a pane is scrolled to its end")
    if not is_of_page:
        yield writer.do(writer.locator(call), "hover")
    x, y = _DIRECTIONS[how]
    yield writer.do(f"{writer.page}.mouse", "wheel", x * int(amount), y * int(amount))


def _select(writer: _Writer, call: Call) -> Iterator[str]:
    if not any(identity.tag == "select" for identity in call.step.identities):
        raise Untranslatable("a list that is no <select>")
    values = list(call.arguments[1:])
    yield writer.do(writer.locator(call), "select_option", values[0] if len(values) == 1 else values)


def _upload(writer: _Writer, call: Call) -> Iterator[str]:
    files = list(call.arguments[1:])
    given: Argument = files[0] if len(files) == 1 else files
    if any(identity.type == "file" for identity in call.step.identities):
        yield writer.do(writer.locator(call), "set_input_files", given)
        return
    writer.count += 1
    name = f"chooser{writer.count}"
    click = writer.do(writer.locator(call), "click")
    yield from writer.dialect.waiting_for(writer.page, "file_chooser", name, [click])
    yield writer.do(name, "set_files", given)


def _download(writer: _Writer, call: Call) -> Iterator[str]:
    call.allow()
    yield writer.do(writer.locator(call), "click")


def _drag(writer: _Writer, call: Call) -> Iterator[str]:
    if re.match(r"-?[0-9]", call.argument(1).text):
        raise Untranslatable("a drag by a distance")
    yield writer.do(writer.locator(call), "drag_to", Code(writer.locator(call, 1)))


def _viewport(writer: _Writer, call: Call) -> Iterator[str]:
    width, _, height = call.text(0).partition("x")
    if not (width.isdigit() and height.isdigit()) or call.options:
        raise Untranslatable("a viewport with a scale")
    if isinstance(writer.dialect, Python):
        yield f'{writer.page}.set_viewport_size({{"width": {width}, "height": {height}}})'
    else:
        yield writer.do(writer.page, "set_viewport_size", width=int(width), height=int(height))


def _js(writer: _Writer, call: Call) -> Iterator[str]:
    yield writer.do(
        writer.page if not writer.frame else f"{writer.scope}.locator(':root')",
        "evaluate",
        joined(call.arguments),
    )


def _tab(writer: _Writer, call: Call) -> Iterator[str]:
    name = writer.pages.get(call.text(0))
    if name is None:
        raise Untranslatable("a tab that no step has opened")
    writer.page, writer.frame = name, ()
    yield writer.do(writer.page, "bring_to_front")


def _newtab(writer: _Writer, call: Call) -> Iterator[str]:
    call.allow("--name")
    writer.count += 1
    name = f"page{writer.count}"
    writer.pages[str(call.step.opens_tab)] = name
    opening = writer.dialect.do(
        f"{writer.page}.context.new_page()"
        if isinstance(writer.dialect, Python)
        else f"{writer.page}.context().newPage()"
    )
    yield f"{name} = {opening}" if isinstance(writer.dialect, Python) else f"const {name} = {opening}"
    writer.page, writer.frame = name, ()
    if call.arguments:
        yield writer.do(name, "goto", whole_address(call.argument(0)))


def _closetab(writer: _Writer, call: Call) -> Iterator[str]:
    name = writer.pages.get(call.text(0)) if call.arguments else writer.page
    if name is None:
        raise Untranslatable("a tab that no step has opened")
    yield writer.do(name, "close")
    if name == writer.page:
        writer.page = "page"


def _frame(writer: _Writer, call: Call) -> Iterator[str]:
    call.allow()
    target = call.target(0)
    selector = read_selector(target)
    if selector.role == "iframe":
        raise Untranslatable("a frame by its role, which Playwright does not know: name it by CSS")
    writer.frame = () if target == "main" else (*writer.frame, selector)
    yield from ()


def _dialog(writer: _Writer, call: Call) -> Iterator[str]:
    if call.command == "dialog-hold":
        raise Untranslatable("a dialog that stays open")
    is_python = isinstance(writer.dialect, Python)
    value = writer.dialect.literal(call.command == "dialog-accept")
    yield f'answer["accept"] = {value}' if is_python else f"answer.accept = {value};"
    if call.arguments:
        text = writer.dialect.literal(joined(call.arguments))
        yield f'answer["text"] = {text}' if is_python else f"answer.text = {text};"


_UNTIL_QUIET = """async () => {
  const begun = performance.now();
  const ends = () => performance.getEntriesByType("resource").map((entry) => entry.responseEnd);
  for (let turn = 0; turn < 50 && performance.now() - Math.max(begun, ...ends()) < 500; turn++)
    await new Promise((done) => setTimeout(done, 100));
}"""
"""Waits until no response has ended for 500 ms, for 5 s at most.

Playwright's own state is that of the document: once it was reached, waiting for it ends at once.
"""


def _wait(writer: _Writer, call: Call) -> Iterator[str]:
    call.allow("--networkidle", "--load", "--url")
    if "--load" in call.options:
        yield writer.do(writer.page, "wait_for_load_state", "load")
    elif "--networkidle" in call.options:
        yield writer.do(writer.page, "wait_for_load_state", "networkidle")
        yield writer.do(writer.page, "evaluate", _script(writer, _UNTIL_QUIET))
    elif "--url" in call.options:
        yield writer.do(
            writer.page, "wait_for_url", writer.dialect.regex(glob_to_regex(call.options["--url"].text))
        )
    elif call.text(0).isdigit():
        yield writer.do(writer.page, "wait_for_timeout", int(call.text(0)))
    else:
        yield writer.do(writer.locator(call), "wait_for")


def _expect_what(writer: _Writer, call: Call) -> Iterator[str]:
    call.allow("--not", "--in", "--timeout")
    what = call.text(0)
    negated = "--not" in call.options
    if what in _STATES:
        yield writer.expect(writer.locator(call, 1), f"to_be_{what}", negated=negated)
    elif what == "text":
        yield _expect_text(writer, call, negated=negated)
    elif what == "title":
        yield writer.expect(writer.page, "to_have_title", _pattern(writer, call.arguments[1:]), negated=negated)
    elif what == "url":
        yield writer.expect(
            writer.page, "to_have_url", _url_pattern(writer, call.arguments[1:]), negated=negated
        )
    elif what == "value":
        pattern = _pattern(writer, call.arguments[2:])
        yield writer.expect(writer.locator(call, 1), "to_have_value", pattern, negated=negated)
    elif what == "count":
        yield writer.expect(writer.locator(call, 1), "to_have_count", int(call.text(2)), negated=negated)
    elif what == "attr" and len(call.arguments) > 3:
        pattern = _pattern(writer, call.arguments[3:])
        yield writer.expect(
            writer.locator(call, 1), "to_have_attribute", call.text(2), pattern, negated=negated
        )
    elif what == "dialog":
        yield from _expect_dialog(writer, joined(call.arguments[1:]), negated=negated)
    else:
        raise Untranslatable(f"expect {what}")


def _expect_text(writer: _Writer, call: Call, *, negated: bool) -> str:
    word = joined(call.arguments[1:])
    inside = call.options.get("--in")
    body = writer.located(writer.scope, mark(inside) if inside else "body")
    text = word.text
    if regex := re.fullmatch(r"/(.+)/([a-z]*)", text, re.DOTALL):
        return writer.expect(
            body, "to_contain_text", writer.dialect.regex(regex[1], flags=regex[2]), negated=negated
        )
    if text.startswith("=") and inside:
        return writer.expect(body, "to_have_text", _without_first(word), negated=negated)
    if text.startswith("="):
        line = writer.dialect.call(
            writer.dialect.call(writer.scope, "get_by_text", _without_first(word), exact=True), "first"
        )
        first = line.removesuffix("()") if isinstance(writer.dialect, Python) else line
        return writer.expect(first, "to_be_visible", negated=negated)
    return writer.expect(body, "to_contain_text", word, negated=negated)


def _expect_dialog(writer: _Writer, word: Word, *, negated: bool) -> Iterator[str]:
    if re.fullmatch(r"/.+/[a-z]*", word.text):
        raise Untranslatable("expect dialog with a regular expression")
    is_exact = word.text.startswith("=")
    wanted = writer.dialect.literal(_without_first(word) if is_exact else word)
    if isinstance(writer.dialect, Python):
        missing = (
            f"{wanted} not in dialogs" if is_exact else f"not any({wanted} in message for message in dialogs)"
        )
        if negated:
            yield writer.dialect.require(missing, f"dialog {word.text}")
        else:  # the page may open it later
            yield f"while {missing}:"
            yield f'    {writer.page}.wait_for_event("dialog")'
    else:
        condition = (
            f"dialogs.includes({wanted})"
            if is_exact
            else f"dialogs.some((message) => message.includes({wanted}))"
        )
        yield f"await expect.poll(() => {condition}).toBe({writer.dialect.literal(not negated)});"


def _pattern(writer: _Writer, words: Sequence[Word]) -> Argument:
    """Return a pattern for a text: exact, a regular expression, or a part."""
    word = joined(words)
    text = word.text
    if regex := re.fullmatch(r"/(.+)/([a-z]*)", text, re.DOTALL):
        return writer.dialect.regex(regex[1], flags=regex[2])
    if text.startswith("=") or not text:
        return _without_first(word) if text else ""
    if word.variables:
        raise Untranslatable("a part of a text with a variable")
    return writer.dialect.regex(_escaped(text))


def _escaped(text: str) -> str:
    return re.escape(text).replace("\\ ", " ")


def _url_pattern(writer: _Writer, words: Sequence[Word]) -> Argument:
    word = joined(words)
    if word.variables:
        raise Untranslatable("an address with a variable")
    if word.text.startswith("="):
        return word.text[1:]
    if regex := re.fullmatch(r"/(.+)/([a-z]+)", word.text):
        return writer.dialect.regex(regex[1], flags=regex[2])
    return writer.dialect.regex(glob_to_regex(word.text))


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
    **dict.fromkeys(("back", "forward", "reload"), _history),
    **dict.fromkeys(("hover", "check", "uncheck", "focus", "blur"), _on_element),
    **dict.fromkeys(("dialog-accept", "dialog-dismiss", "dialog-hold"), _dialog),
    "goto": _goto,
    "click": _click,
    "fill": _fill,
    "type": _type_text,
    "press": _press,
    "scroll": _scroll,
    "select": _select,
    "select-text": _select_text,
    "upload": _upload,
    "download": _download,
    "drag": _drag,
    "viewport": _viewport,
    "js": _js,
    "tab": _tab,
    "newtab": _newtab,
    "closetab": _closetab,
    "frame": _frame,
    "wait": _wait,
    "expect": _expect_what,
}
