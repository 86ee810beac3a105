"""Write a flow as a test of Playwright, as its code generator would write it.

The test is for pytest-playwright or Playwright Test. Each step is translated to what waits and checks in the
same way, or is refused by name. Identity notes have no counterpart.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest

from gstack_browse.flows.calls import (
    Call,
    Selector,
    Untranslatable,
    complete_address,
    glob_to_regex,
    mark_variables,
    parse_marked_variables,
    read_call,
    read_selector,
)
from gstack_browse.flows.dialects import Argument, Code, Dialect, Python, TypeScript
from gstack_browse.flows.file import Flow, Step
from gstack_browse.flows.identity import Identity
from gstack_browse.flows.scripts import Exported
from gstack_browse.flows.words import Word, join_words
from gstack_browse.text.pattern import fold_blanks, fold_label
from gstack_browse.text.sanitise import one_line

_STATES = ("visible", "hidden", "enabled", "disabled", "checked", "focused", "editable")
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


def export_pytest(flow: Flow, name: str) -> Exported:
    """Return the flow as a test for pytest-playwright. `name`: the flow's, for the docstring."""
    python = Python()
    writer = _TestWriter(flow, python)
    body = list(writer.write_lines())
    head = [python.write_docstring(f"Made from the flow {name} by gbrowse flow-export."), ""]
    head += ["import os"] if flow.variables else []
    head += ["import re"] if any("re.compile(" in line for line in body) else []
    head += ["from typing import Any"] if writer.has_dialogs else []
    dialog = "Dialog, " if writer.has_dialogs else ""
    head += ["", f"from playwright.sync_api import {dialog}Page, expect", ""]
    head += map(python.write_declaration, flow.variables)
    function = [
        f"def test_{_make_identifier(name)}(page: Page) -> None:",
        *(f"    {line}".rstrip() for line in body),
    ]
    text = "\n".join([*head, "", *function]) + "\n"
    return Exported(re.sub(r"\n{4,}", "\n\n\n", text), writer.losses)


def export_playwright_test(flow: Flow, name: str) -> Exported:
    """Return the flow as a test for Playwright Test (TypeScript). `name`: the flow's, for the title."""
    typescript = TypeScript()
    writer = _TestWriter(flow, typescript)
    body = list(writer.write_lines())
    head = [
        f"// Made from the flow {one_line(name)} by gbrowse flow-export.",
        "import { expect, test } from '@playwright/test';",
        "",
    ]
    for variable in flow.variables:
        getter = f"process.env.FLOW_{variable.name.upper()}"
        default = "''" if variable.default is None else typescript.write_literal(variable.default)
        head.append(f"const {typescript.write_variable(variable.name)} = {getter} ?? {default};")
    test = [
        f"test({typescript.write_literal(name)}, async ({{ page }}) => {{",
        *(f"  {line}" for line in body),
        "});",
    ]
    return Exported("\n".join([*head, "", *test]) + "\n", writer.losses)


def _make_identifier(name: str) -> str:
    """Return a flow's name as the end of a Python identifier; "flow" if nothing of it is left."""
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").lower() or "flow"


class _TestWriter:
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
        self._notes = _index_field_notes(flow)
        self.has_dialogs = any(
            step.command.startswith("dialog-") or [word.text for word in step.words[:2]] == ["expect", "dialog"]
            for step in flow.steps
        )

    def write_lines(self) -> Iterator[str]:
        """Yield the lines of the test's body; add steps without a counterpart to `losses`."""
        yield from self._write_dialog_listener() if self.has_dialogs else ()
        steps = enumerate(zip_longest(self._flow.steps, self._flow.steps[1:]), 1)
        for number, (step, after) in steps:
            download = after if after and _is_download_expectation(after) else None
            try:
                written = list(self._write_step(step, download))
                if download:
                    next(steps)
            except Untranslatable as error:
                loss = f"step {number}, {step.command}: {error.args[0]}"
                self.losses.append(loss)
                written = [f"{self.dialect.comment} left out {' '.join(loss.split())}"]
            yield from written

    def _write_dialog_listener(self) -> Iterator[str]:
        """Yield code that answers dialogs as gbrowse does: accepted, unless a step says otherwise."""
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

    def _write_step(self, step: Step, download: Step | None) -> Iterator[str]:
        """Yield the code of a step. `download`: the next step if it expects this one's download."""
        call = read_call(step)
        if call.command not in _HANDLERS:
            raise Untranslatable("no test of Playwright does this")
        written = list(_HANDLERS[call.command](self, call))
        if step.opens_tab and call.command != "newtab":
            self.count += 1
            name = f"page{self.count}"
            self.pages[str(step.opens_tab)] = name
            written = self.dialect.write_event_wait(self.page, "popup", name, written)
        if download or call.command == "download":
            written = self._wrap_in_download_wait(written, download.words[2].text if download else "")
        yield from written

    def _wrap_in_download_wait(self, action: list[str], pattern: str) -> list[str]:
        """Wrap an action's lines in lines that await its download and check its file name against `pattern`."""
        self.count += 1
        name = f"download{self.count}"
        written = self.dialect.write_event_wait(self.page, "download", name, action)
        regex = self.dialect.write_regex(glob_to_regex(pattern)).text
        if pattern and isinstance(self.dialect, Python):
            check = f"{regex}.search({name}.suggested_filename)"
            written.append(self.dialect.write_requirement(check, f"no download of {pattern}"))
        elif pattern:
            written.append(f"expect({name}.suggestedFilename()).toMatch({regex});")
        return written

    # What steps are about.

    @property
    def scope(self) -> str:
        """Return code for the page, or for the frame in it that a `frame` step has chosen."""
        scope = self.page
        frame = "content_frame" if isinstance(self.dialect, Python) else "contentFrame()"
        for selector in self.frame:
            scope = f"{self._locate_by_selector(scope, selector)}.{frame}"
        return scope

    def locate_argument(self, call: Call, index: int = 0) -> str:
        """Return code that locates the element which the argument number `index` (from 0) of a step names."""
        note = next(iter(call.step.identities[index:]), None)
        return self.locate_target(self.scope, call.target(index), note)

    def locate_target(self, scope: str, target: str, note: Identity | None = None) -> str:
        """Return code that locates an element within `scope` (code of a page or frame).

        `target`: a selector with marked variables. `note`: the element's identity in the flow; by default that of
        another step with this target.
        """
        selector = read_selector(target)
        note = note or self._notes.get(target)
        whole = self._find_whole_name(selector, note) if note else None
        if note and whole:
            return self._locate_by_name(scope, selector, note, whole)
        return self._locate_by_selector(scope, selector)

    def _find_whole_name(self, selector: Selector, note: Identity) -> Word | None:
        """Return the name of a step's element if it equals the selector's words; None if they may be a part.

        Of several matches gbrowse prefers the one with these words alone, and Playwright does not. A name in capitals
        counts as a part: CSS may have made the capitals, which Playwright ignores.
        """
        if selector.kind not in ("label", "text", "alt", "placeholder", "title"):
            return None
        name_or_hint = note.hint if selector.kind in ("placeholder", "title") else note.name
        text = parse_marked_variables(selector.text)
        if any(name not in self._defaults for name in text.variables) or (
            name_or_hint.upper() == name_or_hint != name_or_hint.lower()
        ):
            return None
        if text.variables:
            return text if text.fill(self._defaults) == name_or_hint else None
        fold = fold_label if selector.kind == "label" else str.casefold
        return (
            Word((name_or_hint,))
            if name_or_hint and fold(fold_blanks(text.text)) == fold(fold_blanks(name_or_hint))
            else None
        )

    def _locate_by_name(self, scope: str, selector: Selector, note: Identity, words: Word) -> str:
        """Return code that locates an element by its whole name, `words`.

        A label may have more text than the name (options, a hidden star), so a role with a name is better.
        """
        write = self.dialect.write_call
        is_name = selector.kind in ("label", "text")
        if is_name and note.role in _NAMED_ROLES and note.type not in _TYPES_WITHOUT_ROLE:
            return write(scope, "get_by_role", note.role, name=words, exact=True)
        method = _name_method(selector)
        if selector.kind == "label" and not words.variables:
            pattern = rf"^\s*{_escape_for_regex(words.text)}[\s*:]*$"
            return write(scope, method, self.dialect.write_regex(pattern))
        return write(scope, method, words, exact=True)

    def _locate_by_selector(self, scope: str, selector: Selector) -> str:
        """Return code that locates a selector within `scope`, the code of a page or a frame."""
        write = self.dialect.write_call
        text = parse_marked_variables(selector.text)
        exact: dict[str, Argument] = {"exact": True} if selector.is_exact else {}
        if selector.kind == "testid":
            return write(scope, "get_by_test_id", text)
        if selector.kind == "role":
            named: dict[str, Argument] = {"name": text, "exact": True} if text.parts else {}
            return write(scope, "get_by_role", selector.role, **named)
        if selector.kind in ("label", "placeholder", "title", "text", "alt"):
            return write(scope, _name_method(selector), text, **exact)
        prefix = "xpath=" if selector.kind == "xpath" else ""
        return write(scope, "locator", parse_marked_variables(prefix + selector.text))

    def write_call(self, on: str, method: str, *arguments: Argument, **options: Argument) -> str:
        """Return a statement that calls a method of `on` (code) and waits until it has finished."""
        return self.dialect.write_statement(self.dialect.write_call(on, method, *arguments, **options))

    def write_action(self, call: Call, method: str, *arguments: Argument, **options: Argument) -> str:
        """Return a statement that calls a method of the element which a step names, and waits for its end."""
        return self.write_call(self.locate_argument(call), method, *arguments, **options)

    def write_expectation(self, subject: str, method: str, *arguments: Argument, negated: bool) -> str:
        """Return a statement that waits until an assertion about `subject` (code) holds."""
        return self.dialect.write_statement(
            self.dialect.write_expectation(subject, method, *arguments, negated=negated)
        )


def _name_method(selector: Selector) -> str:
    """Return the name of the method that locates elements by the selector's kind of text."""
    return f"get_by_{'alt_text' if selector.kind == 'alt' else selector.kind}"


def _index_field_notes(flow: Flow) -> dict[str, Identity]:
    """Map fields' selectors to a step's identity, for steps without one: an `expect` of a field's value.

    Not by texts: where "Checkout" was a link, the next page may have it as a heading.
    """
    found: dict[str, Identity] = {}
    for step in flow.steps:
        with suppress(Untranslatable):
            call = read_call(step)
            target = mark_variables(call.options["--into"]) if "--into" in call.options else call.target(0)
            if step.identities and read_selector(target).kind in ("label", "placeholder"):
                found.setdefault(target, step.identities[0])
    return found


def _is_download_expectation(step: Step) -> bool:
    """Return whether a step is `expect downloads PATTERN`."""
    return len(step.words) == 3 and [word.text for word in step.words[:2]] == ["expect", "downloads"]


def _write_goto(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that opens an address. The steps after it are in the main frame again."""
    writer.frame = ()
    yield writer.write_call(writer.page, "goto", complete_address(call.argument(0)))


def _write_history_step(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code for `back`, `forward` or `reload`."""
    method = call.command if call.command == "reload" else f"go_{call.command}"
    yield writer.write_call(writer.page, method)


def _write_click(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code for a click or a double click, with its button and modifiers."""
    call.require_options_among("--double", "--button", "--modifiers")
    options: dict[str, Argument] = {}
    if "--button" in call.options:
        options["button"] = call.options["--button"].text
    if "--modifiers" in call.options:
        options["modifiers"] = call.options["--modifiers"].text.split(",")
    yield writer.write_action(call, "dblclick" if "--double" in call.options else "click", **options)


def _write_fill(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that fills a field, and presses Enter for `--submit`."""
    call.require_options_among("--submit")
    located = writer.locate_argument(call)
    yield writer.write_call(located, "fill", join_words(call.arguments[1:]))
    if "--submit" in call.options:
        yield writer.write_call(located, "press", "Enter")


def _write_typing(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that types key by key: into a field, or where the focus is."""
    call.require_options_among("--into", "--clear", "--delay")
    text = join_words(call.arguments)
    if "--into" not in call.options:
        yield writer.write_call(f"{writer.page}.keyboard", "type", text)
        return
    note = next(iter(call.step.identities), None)
    located = writer.locate_target(writer.scope, mark_variables(call.options["--into"]), note)
    if "--clear" in call.options:
        yield writer.write_call(located, "clear")
    yield writer.write_call(located, "press_sequentially", text)


def _write_key_press(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that presses a key or a combination of keys."""
    yield writer.write_call(f"{writer.page}.keyboard", "press", call.text(0))


def _write_element_call(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code for a command that takes only an element: `hover`, `check`, `focus`."""
    method = "scroll_into_view_if_needed" if call.command == "scroll" else call.command
    yield writer.write_action(call, method)


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


def _write_text_selection(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that selects all text of an element, or from one word to another."""
    call.require_options_among("--from", "--to")
    if not call.options:
        yield writer.write_action(call, "select_text")
        return
    if len(call.options) != 2:
        raise Untranslatable("a selection to the end or from the start")
    words = [call.options["--from"], call.options["--to"]]
    yield writer.write_action(call, "evaluate", _write_page_function(writer, _SELECT_WORDS), words)


def _write_page_function(writer: _TestWriter, script: str) -> Argument:
    """Return code for a script that runs in the page: Python takes a text, TypeScript a function."""
    return script if isinstance(writer.dialect, Python) else Code(script)


_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
MOST_OF_A_SCREEN = 600
"""Pixels for a scroll without a number."""


def _write_scroll(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that scrolls the page, a pane, or an element into view."""
    words = [word.text for word in call.arguments] or ["down"]
    is_of_page = words[0] in ("up", "down", "top", "bottom", "left", "right")
    if not is_of_page and len(words) == 1:
        yield from _write_element_call(writer, call)
        return
    how, *pixels = words if is_of_page else words[1:]
    if how in ("top", "bottom") and is_of_page:
        if how == "bottom":
            # no element is waited for, and Playwright's goto ends before the page has its content
            yield writer.write_call(writer.page, "evaluate", _write_page_function(writer, _UNTIL_QUIET))
        where = "0" if how == "top" else "document.scrollingElement.scrollHeight"
        yield writer.write_call(writer.page, "evaluate", f"window.scrollTo(0, {where})")
        return
    amount = pixels[0] if pixels else how if how.isdigit() else str(MOST_OF_A_SCREEN)
    if how not in _DIRECTIONS or not amount.isdigit():
        raise Untranslatable("a pane is scrolled to its end")
    if not is_of_page:
        yield writer.write_action(call, "hover")
    x, y = _DIRECTIONS[how]
    yield writer.write_call(f"{writer.page}.mouse", "wheel", x * int(amount), y * int(amount))


def _write_option_choice(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that chooses options of a `<select>`. Raises Untranslatable for other lists."""
    if not any(identity.tag == "select" for identity in call.step.identities):
        raise Untranslatable("a list that is no <select>")
    values = list(call.arguments[1:])
    yield writer.write_action(call, "select_option", values[0] if len(values) == 1 else values)


def _write_upload(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that sets a field's files, or answers the file chooser that a click opens."""
    files = list(call.arguments[1:])
    given: Argument = files[0] if len(files) == 1 else files
    if any(identity.type == "file" for identity in call.step.identities):
        yield writer.write_action(call, "set_input_files", given)
        return
    writer.count += 1
    name = f"chooser{writer.count}"
    click = writer.write_action(call, "click")
    yield from writer.dialect.write_event_wait(writer.page, "file_chooser", name, [click])
    yield writer.write_call(name, "set_files", given)


def _write_download_click(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code for the click that starts a download; `_wrap_in_download_wait` adds the wait."""
    call.require_options_among()
    yield writer.write_action(call, "click")


def _write_drag(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that drags an element to another one."""
    if re.match(r"-?[0-9]", call.argument(1).text):
        raise Untranslatable("a drag by a distance")
    yield writer.write_call(writer.locate_argument(call), "drag_to", Code(writer.locate_argument(call, 1)))


def _write_viewport(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that sets the width and height of the viewport."""
    width, _, height = call.text(0).partition("x")
    if not (width.isdigit() and height.isdigit()) or call.options:
        raise Untranslatable("a viewport with a scale")
    if isinstance(writer.dialect, Python):
        yield f'{writer.page}.set_viewport_size({{"width": {width}, "height": {height}}})'
    else:
        yield writer.write_call(writer.page, "set_viewport_size", width=int(width), height=int(height))


def _write_script(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that runs a script in the page or the chosen frame."""
    where = f"{writer.scope}.locator(':root')" if writer.frame else writer.page
    yield writer.write_call(where, "evaluate", join_words(call.arguments))


def _write_tab_switch(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that goes to a tab which an earlier step has opened."""
    name = writer.pages.get(call.text(0))
    if name is None:
        raise Untranslatable("a tab that no step has opened")
    writer.page, writer.frame = name, ()
    yield writer.write_call(writer.page, "bring_to_front")


def _write_tab_opening(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that opens a tab, and its address if there is one."""
    call.require_options_among("--name")
    writer.count += 1
    name = f"page{writer.count}"
    writer.pages[str(call.step.opens_tab)] = name
    if isinstance(writer.dialect, Python):
        yield f"{name} = {writer.page}.context.new_page()"
    else:
        yield f"const {name} = await {writer.page}.context().newPage();"
    writer.page, writer.frame = name, ()
    if call.arguments:
        yield writer.write_call(name, "goto", complete_address(call.argument(0)))


def _write_tab_closing(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that closes a tab. If it was current, the steps after it are in the first tab."""
    name = writer.pages.get(call.text(0)) if call.arguments else writer.page
    if name is None:
        raise Untranslatable("a tab that no step has opened")
    yield writer.write_call(name, "close")
    if name == writer.page:
        writer.page = "page"


def _choose_frame(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Remember the frame for the next steps. Yields no code: Playwright has no such step."""
    call.require_options_among()
    target = call.target(0)
    selector = read_selector(target)
    if selector.role == "iframe":
        raise Untranslatable("a frame by its role, which Playwright does not know: name it by CSS")
    writer.frame = () if target == "main" else (*writer.frame, selector)
    yield from ()


def _write_dialog_answer(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that changes how the test's listener answers dialogs from now on."""
    if call.command == "dialog-hold":
        raise Untranslatable("a dialog that stays open")
    is_python = isinstance(writer.dialect, Python)
    value = writer.dialect.write_literal(call.command == "dialog-accept")
    yield f'answer["accept"] = {value}' if is_python else f"answer.accept = {value};"
    if call.arguments:
        text = writer.dialect.write_literal(join_words(call.arguments))
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


def _write_wait(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code that waits for a load state, an address, a time or an element."""
    call.require_options_among("--networkidle", "--load", "--url")
    if "--load" in call.options:
        yield writer.write_call(writer.page, "wait_for_load_state", "load")
    elif "--networkidle" in call.options:
        yield writer.write_call(writer.page, "wait_for_load_state", "networkidle")
        yield writer.write_call(writer.page, "evaluate", _write_page_function(writer, _UNTIL_QUIET))
    elif "--url" in call.options:
        pattern = writer.dialect.write_regex(glob_to_regex(call.options["--url"].text))
        yield writer.write_call(writer.page, "wait_for_url", pattern)
    elif call.text(0).isdigit():
        yield writer.write_call(writer.page, "wait_for_timeout", int(call.text(0)))
    else:
        yield writer.write_action(call, "wait_for")


def _write_expectation(writer: _TestWriter, call: Call) -> Iterator[str]:
    """Yield code for `expect`. Raises Untranslatable for what Playwright cannot check."""
    call.require_options_among("--not", "--in", "--timeout")
    what = call.text(0)
    negated = "--not" in call.options
    wanted: list[Argument] = []
    if what == "text":
        yield _write_text_expectation(writer, call, negated=negated)
        return
    if what == "dialog":
        yield from _write_dialog_expectation(writer, join_words(call.arguments[1:]), negated=negated)
        return
    if what in _STATES:
        subject, method = writer.locate_argument(call, 1), f"to_be_{what}"
    elif what == "title":
        subject, method = writer.page, "to_have_title"
        wanted = [_write_text_pattern(writer, call.arguments[1:])]
    elif what == "url":
        subject, method = writer.page, "to_have_url"
        wanted = [_write_url_pattern(writer, call.arguments[1:])]
    elif what == "value":
        wanted = [_write_text_pattern(writer, call.arguments[2:])]
        subject, method = writer.locate_argument(call, 1), "to_have_value"
    elif what == "count":
        subject, method, wanted = writer.locate_argument(call, 1), "to_have_count", [int(call.text(2))]
    elif what == "attr" and len(call.arguments) > 3:
        pattern = _write_text_pattern(writer, call.arguments[3:])
        subject, method = writer.locate_argument(call, 1), "to_have_attribute"
        wanted = [call.text(2), pattern]
    else:
        raise Untranslatable(f"expect {what}")
    yield writer.write_expectation(subject, method, *wanted, negated=negated)


def _write_text_expectation(writer: _TestWriter, call: Call, *, negated: bool) -> str:
    """Return code that expects a text on the page, or in the element of `--in`."""
    word = join_words(call.arguments[1:])
    inside = call.options.get("--in")
    body = writer.locate_target(writer.scope, mark_variables(inside) if inside else "body")
    text = word.text
    if regex := re.fullmatch(r"/(.+)/([a-z]*)", text, re.DOTALL):
        return writer.write_expectation(
            body, "to_contain_text", writer.dialect.write_regex(regex[1], flags=regex[2]), negated=negated
        )
    if text.startswith("=") and inside:
        return writer.write_expectation(body, "to_have_text", _drop_first_character(word), negated=negated)
    if text.startswith("="):
        line = _drop_first_character(word)
        located = writer.dialect.write_call(writer.scope, "get_by_text", line, exact=True)
        first = "first" if isinstance(writer.dialect, Python) else "first()"
        return writer.write_expectation(f"{located}.{first}", "to_be_visible", negated=negated)
    return writer.write_expectation(body, "to_contain_text", word, negated=negated)


def _write_dialog_expectation(writer: _TestWriter, word: Word, *, negated: bool) -> Iterator[str]:
    """Yield code that waits for a dialog with a text, or checks that there was none."""
    if re.fullmatch(r"/.+/[a-z]*", word.text):
        raise Untranslatable("expect dialog with a regular expression")
    is_exact = word.text.startswith("=")
    wanted = writer.dialect.write_literal(_drop_first_character(word) if is_exact else word)
    if isinstance(writer.dialect, Python):
        part_missing = f"not any({wanted} in message for message in dialogs)"
        missing = f"{wanted} not in dialogs" if is_exact else part_missing
        if negated:
            yield writer.dialect.write_requirement(missing, f"dialog {word.text}")
        else:  # the page may open it later
            yield f"while {missing}:"
            yield f'    {writer.page}.wait_for_event("dialog")'
    else:
        part_found = f"dialogs.some((message) => message.includes({wanted}))"
        condition = f"dialogs.includes({wanted})" if is_exact else part_found
        yield f"await expect.poll(() => {condition}).toBe({writer.dialect.write_literal(not negated)});"


def _write_text_pattern(writer: _TestWriter, words: Sequence[Word]) -> Argument:
    """Return code for what a text must match, of the words of an `expect` step.

    `=Paid`: all of it. `/pa.d/i`: a regular expression. `Paid`: a part of it.
    """
    word = join_words(words)
    text = word.text
    if regex := re.fullmatch(r"/(.+)/([a-z]*)", text, re.DOTALL):
        return writer.dialect.write_regex(regex[1], flags=regex[2])
    if text.startswith("=") or not text:
        return _drop_first_character(word) if text else ""
    if word.variables:
        raise Untranslatable("a part of a text with a variable")
    return writer.dialect.write_regex(_escape_for_regex(text))


def _escape_for_regex(text: str) -> str:
    """Return a text as a regular expression in which blanks stay readable."""
    return re.escape(text).replace("\\ ", " ")


def _write_url_pattern(writer: _TestWriter, words: Sequence[Word]) -> Argument:
    """Return code for what an address must match, of the words of an `expect` or `wait` step.

    `=http://a/`: all of it. `/a.c/i`: a regular expression. `**/a`: a glob.
    """
    word = join_words(words)
    if word.variables:
        raise Untranslatable("an address with a variable")
    if word.text.startswith("="):
        return word.text[1:]
    if regex := re.fullmatch(r"/(.+)/([a-z]+)", word.text):
        return writer.dialect.write_regex(regex[1], flags=regex[2])
    return writer.dialect.write_regex(glob_to_regex(word.text))


def _drop_first_character(word: Word) -> Word:
    """Return a word without its first character, such as the `=` of an exact text."""
    first, *rest = word.parts
    return Word(tuple(part for part in (first[1:] if isinstance(first, str) else first, *rest) if part != ""))


_HANDLERS: dict[str, Callable[[_TestWriter, Call], Iterator[str]]] = {
    **dict.fromkeys(("back", "forward", "reload"), _write_history_step),
    **dict.fromkeys(("hover", "check", "uncheck", "focus", "blur"), _write_element_call),
    **dict.fromkeys(("dialog-accept", "dialog-dismiss", "dialog-hold"), _write_dialog_answer),
    "goto": _write_goto,
    "click": _write_click,
    "fill": _write_fill,
    "type": _write_typing,
    "press": _write_key_press,
    "scroll": _write_scroll,
    "select": _write_option_choice,
    "select-text": _write_text_selection,
    "upload": _write_upload,
    "download": _write_download_click,
    "drag": _write_drag,
    "viewport": _write_viewport,
    "js": _write_script,
    "tab": _write_tab_switch,
    "newtab": _write_tab_opening,
    "closetab": _write_tab_closing,
    "frame": _choose_frame,
    "wait": _write_wait,
    "expect": _write_expectation,
}
