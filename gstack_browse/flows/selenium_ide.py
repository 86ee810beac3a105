"""Read a project of the Selenium IDE (`.side`) as a flow: one test of it.

About half of the IDE's commands have a counterpart. Loops, conditions and scripts whose results are kept are refused by name: a flow is
one path.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urljoin

from gstack_browse.errors import UsageError
from gstack_browse.flows.calls import Untranslatable, parse_marked_variables
from gstack_browse.flows.file import Variable
from gstack_browse.flows.flow_builder import FlowBuilder, Imported
from gstack_browse.flows.words import NAME, Word

MOST_COMMANDS = 5000
HIDDEN_VALUE_COMMENT = "secret"
"""The comment of a `store` for a secret: a person puts its value in before a run; our file does not contain it."""
_CONTROL = frozenset(
    {
        "if", "else", "elseIf", "end", "while", "times", "forEach", "do", "repeatIf", "run",
        "executeScript", "executeAsyncScript",
    }
)  # fmt: skip
_KEY = re.compile(r"\$\{KEY_([A-Z0-9_]+)\}")
_REFERENCE = re.compile(rf"\$\{{({NAME})\}}")
KEYS = {
    "ENTER": "Enter", "RETURN": "Enter", "TAB": "Tab", "ESC": "Escape", "ESCAPE": "Escape", "BKSP": "Backspace", "BACKSPACE": "Backspace",
    "DEL": "Delete", "DELETE": "Delete", "UP": "ArrowUp", "DOWN": "ArrowDown", "LEFT": "ArrowLeft", "RIGHT": "ArrowRight", "HOME": "Home",
    "END": "End", "PGUP": "PageUp", "PAGE_UP": "PageUp", "PGDN": "PageDown", "PAGE_DOWN": "PageDown", "SPACE": "Space",
}  # fmt: skip


def import_selenium_ide(text: str, test: str = "") -> Imported:
    """Read a test of a Selenium IDE project (`text`: its JSON) as a flow.

    `test`: the test's name, required if the project has several. Raises UsageError.
    """
    try:
        project = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The project is not JSON: {str(error)[:100]}") from None
    tests = project.get("tests") if isinstance(project, dict) else None
    listed = tests if isinstance(tests, list) else []
    by_name = {str(each.get("name", "")): each for each in listed if isinstance(each, dict)}
    if not by_name:
        raise UsageError('A project of the Selenium IDE is an object with "tests"')
    if test not in by_name and (test or len(by_name) > 1):
        names = ", ".join(name[:40] for name in list(by_name)[:20])
        raise UsageError(
            f"The project has no test {test[:60]!a}" if test else "The project has several tests",
            f"Name one by --test: {names}",
        )
    chosen = by_name[test] if test else next(iter(by_name.values()))
    commands = chosen.get("commands")
    if not isinstance(commands, list) or len(commands) > MOST_COMMANDS:
        raise UsageError(f'The test has no list of "commands", or more than {MOST_COMMANDS}')
    reader = _IdeProjectReader(str(project.get("url") or ""))
    for number, command in enumerate(commands, 1):
        reader.read_command(number, command)
    return reader.builder.finish()


class _IdeProjectReader:
    """Collects the steps of a flow from commands of the IDE. `base`: the project's URL."""

    def __init__(self, base: str) -> None:
        self.builder = FlowBuilder()
        self.base = base

    def read_command(self, number: int, command: Any) -> None:
        """Add the flow's steps for a command of the IDE, or note why there are none. `number`: from 1."""
        fields = command if isinstance(command, dict) else {}
        name, target, value = (str(fields.get(key) or "") for key in ("command", "target", "value"))
        if not name or name.startswith("//"):
            return
        where = f"command {number} ({name[:40]})"
        if name == "store" and fields.get("comment") == HIDDEN_VALUE_COMMENT and re.fullmatch(NAME, value):
            self.builder.variables[value] = Variable(value, is_secret=True)
            return
        handler = _HANDLERS.get(name)
        if name in _CONTROL:
            self.builder.add_loss(where, "a flow has no loops, conditions, calls or results of scripts")
        elif handler is None:
            self.builder.add_loss(where, "gbrowse has no such command")
        elif _has_invalid_character(target + value):
            self.builder.add_loss(where, "it has a character that no text has")
        else:
            try:
                handler(self, target, value)
            except (Untranslatable, ValueError) as error:
                self.builder.add_loss(where, str(error.args[0])[:200])

    def resolve_references(self, text: str) -> Word:
        """Convert a text of the IDE to a word, with `${name}` as variables.

        Raises Untranslatable for a variable that no `store` command has set before.
        """
        for match in _REFERENCE.finditer(text):
            if match[1] not in self.builder.variables:
                raise Untranslatable(f"the variable {match[1]} was never stored")
        return parse_marked_variables(text, _REFERENCE)


def _has_invalid_character(text: str) -> bool:
    """Return whether a text contains a NUL or a lone surrogate, which JSON can express."""
    return any(each == "\0" or "\ud800" <= each <= "\udfff" for each in text)


# The functions below are handlers (see `Handler`) for commands of the IDE: `target` and `value` are the command's fields.


def _read_open(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a flow step `goto`. `target`: a URL, relative to the project's."""
    url = target if "${" in target else urljoin(reader.base, target)
    if not re.match(r"(?i)https?://|\$\{", url):
        raise Untranslatable(f"the address {url[:60]}")
    reader.builder.add("goto", reader.resolve_references(url) if "${" in url else url)


def _read_double_click(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a flow step `click --double` on the element `target`."""
    reader.builder.add("click", _read_locator(target), "--double")


def _read_type(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a flow step `fill` of the field `target` with `value`. A value for a secret becomes a variable."""
    where = _read_locator(target)
    if re.search(r"(?i)passw|secret|\botp\b|cvc", target) and not _REFERENCE.fullmatch(value):
        reader.builder.add("fill", where, reader.builder.value_for("password", value))
    else:
        reader.builder.add("fill", where, reader.resolve_references(value))


def _read_send_keys(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add steps for the field `target`: `type` for texts in `value`, `press` for keys like `${KEY_ENTER}`."""
    where = _read_locator(target)
    pieces = _KEY.split(value)  # text, name of a key, text, …; the first text may be empty
    if unknown := next((key for key in pieces[1::2] if key not in KEYS), ""):
        raise Untranslatable(f"the key {unknown}")
    if not pieces[0]:
        reader.builder.add("focus", where)
    for index, piece in enumerate(pieces):
        if index % 2:
            reader.builder.add("press", KEYS[piece])
        elif piece and not index:
            typed = reader.builder.value_for(target, piece)
            text = typed if isinstance(typed, Word) else reader.resolve_references(piece)
            reader.builder.add("type", "--into", where, "--", text)
        elif piece:
            reader.builder.add("type", "--", reader.resolve_references(piece))


def _read_select(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a flow step `select` in the list `target`. `value`: `label=…`, `value=…`, or a bare label."""
    kind, equals, option = value.partition("=")
    if not equals:
        kind, option = "label", value
    if kind not in ("label", "value") or not option:
        raise Untranslatable(f"an option by {kind[:20]}")
    reader.builder.add("select", _read_locator(target), reader.resolve_references(option))


def _read_drag(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a flow step `drag` from the element `target` to the element `value`."""
    reader.builder.add("drag", _read_locator(target), _read_locator(value))


def _refuse_submit(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Raise Untranslatable: the command `submit` sends a form without pressing a button."""
    raise Untranslatable("it submits a form without a button: click that")


def _read_window_size(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a flow step `viewport`. Raises Untranslatable unless `target` is like `1280x720`."""
    if not re.fullmatch(r"[1-9][0-9]{1,3}x[1-9][0-9]{1,3}", target):
        raise Untranslatable("no size")
    reader.builder.add("viewport", target)


def _read_pause(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a flow step `wait`. `target`, or `value` if it is empty: milliseconds, at most 300,000."""
    milliseconds = (target or value).strip()
    if not re.fullmatch(r"[0-9]{1,6}", milliseconds) or int(milliseconds) > 300_000:
        raise Untranslatable("no time in milliseconds, up to 300000")
    reader.builder.add("wait", milliseconds)


def _read_run_script(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a flow step `js` that runs the script `target`."""
    if not target.strip():
        raise Untranslatable("no script")
    reader.builder.add("js", "--", reader.resolve_references(target))


def _read_store(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Declare a variable for the IDE's command `store` (`target`: its value, `value`: its name)."""
    if not re.fullmatch(NAME, value):
        raise Untranslatable("no name of a variable")
    if not target.isprintable() or target != target.strip() or "${" in target:
        raise Untranslatable("a value that is no plain text")
    reader.builder.variables[value] = Variable(value, target)


def _read_select_frame(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a step `frame`. `target`: a locator, `index=N`, `relative=parent` or `relative=top`."""
    if target in ("relative=parent", "relative=top"):
        reader.builder.add("frame", "main")
    elif target.startswith("index="):
        number = int(target.removeprefix("index="))
        reader.builder.add("frame", f"iframe >> nth={number}")
    else:
        reader.builder.add("frame", _read_locator(target))


def _read_prompt_answer(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a flow step `dialog-accept` with the answer to a prompt: `target`, or `value` if it is empty."""
    reader.builder.add("dialog-accept", reader.resolve_references(target or value))


def _read_text_check(reader: _IdeProjectReader, target: str, value: str, *, negated: bool = False) -> None:
    """Add a step `expect text` (`--not` if `negated`) for the element `target`. `value`: its whole text."""
    if not value:
        raise Untranslatable("no text")
    reader.builder.add(
        "expect",
        *(["--not"] * negated),
        "text",
        reader.resolve_references(f"={value}"),
        "--in",
        _read_locator(target),
    )


def _read_title_check(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a flow step `expect title`. `target`: the whole title."""
    reader.builder.add("expect", "title", reader.resolve_references(f"={target}"))


def _read_value_check(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a flow step `expect value`: the field `target` has exactly the value `value`."""
    reader.builder.add("expect", "value", _read_locator(target), reader.resolve_references(f"={value}"))


def _read_dialog_check(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a flow step `expect dialog` with the whole message: `target`, or `value` if it is empty."""
    reader.builder.add("expect", "dialog", reader.resolve_references(f"={target or value}"))


def _read_selection_check(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Add a flow step `expect value` for a check of a list, such as `assertSelectedLabel`.

    `target`: the list. `value`: `label=…`, `value=…`, or a bare label.
    """
    option = value.removeprefix("label=").removeprefix("value=")
    reader.builder.add("expect", "value", _read_locator(target), reader.resolve_references(option))


def _ignore_command(reader: _IdeProjectReader, target: str, value: str) -> None:
    """Do nothing: the IDE's command has no effect on the page."""


def _read_locator(target: str) -> str:
    """Return a locator of the IDE (`css=…`, `id=…`) as a selector. Raises Untranslatable."""
    if "${" in target:
        raise Untranslatable("a variable in a locator")
    if target.startswith("//"):
        return f"xpath={target}"
    kind, equals, text = target.partition("=")
    text = text.strip()
    if not equals or not text:
        raise Untranslatable(f"the locator {target[:60]!a}")
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    if kind == "id":
        return f"#{text}" if re.fullmatch(r"[A-Za-z_][\w-]*", text) else f'[id="{quoted}"]'
    if kind == "name":
        return f'[name="{quoted}"]'
    if kind in ("css", "xpath"):
        return f"{kind}={text}"
    if kind in ("linkText", "link"):
        return f'role=link[name="{quoted}"]'
    if kind == "partialLinkText":
        return f'a:has-text("{quoted}")'
    raise Untranslatable(f"a locator by {kind[:30]}")


Handler = Callable[[_IdeProjectReader, str, str], None]
"""Adds steps for a command to the reader's flow, by `target` and `value`. May raise Untranslatable or ValueError."""


def _make_element_handler(*words: str) -> Handler:
    """Return a handler that adds a step with `words` and the element."""
    return lambda reader, target, value: reader.builder.add(*words, _read_locator(target))


def _make_fixed_handler(command: str) -> Handler:
    """Return a handler that adds a step of the command without arguments."""
    return lambda reader, target, value: reader.builder.add(command)


_TEXT_ON_PAGE = re.compile(r"""(?:xpath=)?//body\[contains\(normalize-space\(\.\), (["'])(.+)\1\)\]""")


def _make_state_handler(state: str) -> Handler:
    """Return a handler that adds a step `expect STATE` for an element: "visible", "hidden".

    It adds `expect text` if the target is our XPath for a text on the page, with `--not` if `state` is "hidden".
    """

    def expect(reader: _IdeProjectReader, target: str, value: str) -> None:
        if text := _TEXT_ON_PAGE.fullmatch(target):  # as `selenium_ide_writer` says it
            negation = ["--not"] if state == "hidden" else []
            reader.builder.add("expect", *negation, "text", reader.resolve_references(text[2]))
        else:
            reader.builder.add("expect", state, _read_locator(target))

    return expect


def _register_check(name: str, handler: Handler) -> Mapping[str, Handler]:
    """Return a handler under both names that a check has in the IDE: `assert…` and `verify…`."""
    return {f"assert{name}": handler, f"verify{name}": handler}


_HANDLERS: Mapping[str, Handler] = {
    "open": _read_open,
    **dict.fromkeys(("click", "clickAt"), _make_element_handler("click")),
    **dict.fromkeys(("doubleClick", "doubleClickAt"), _read_double_click),
    **dict.fromkeys(("type", "editContent"), _read_type),
    "sendKeys": _read_send_keys,
    **dict.fromkeys(("select", "addSelection"), _read_select),
    "check": _make_element_handler("check"),
    "uncheck": _make_element_handler("uncheck"),
    **dict.fromkeys(("mouseOver", "mouseMoveAt"), _make_element_handler("hover")),
    "dragAndDropToObject": _read_drag,
    "submit": _refuse_submit,
    "setWindowSize": _read_window_size,
    "pause": _read_pause,
    "close": _make_fixed_handler("closetab"),
    "runScript": _read_run_script,
    "store": _read_store,
    "selectFrame": _read_select_frame,
    **dict.fromkeys(("echo", "setSpeed", "debugger", "mouseOut"), _ignore_command),
    "chooseOkOnNextConfirmation": _make_fixed_handler("dialog-accept"),
    "chooseCancelOnNextConfirmation": _make_fixed_handler("dialog-dismiss"),
    "chooseCancelOnNextPrompt": _make_fixed_handler("dialog-dismiss"),
    "answerOnNextPrompt": _read_prompt_answer,
    **dict.fromkeys(
        ("webdriverChooseOkOnVisibleConfirmation", "webdriverChooseCancelOnVisibleConfirmation"),
        _ignore_command,
    ),
    **dict.fromkeys(("waitForElementVisible", "waitForElementPresent"), _make_state_handler("visible")),
    **dict.fromkeys(("waitForElementNotVisible", "waitForElementNotPresent"), _make_state_handler("hidden")),
    "waitForElementEditable": _make_state_handler("editable"),
    "waitForElementNotEditable": _make_element_handler("expect", "--not", "editable"),
    "waitForText": _read_text_check,
    **_register_check("Text", _read_text_check),
    **_register_check("NotText", partial(_read_text_check, negated=True)),
    **_register_check("Title", _read_title_check),
    **_register_check("Value", _read_value_check),
    **_register_check("ElementPresent", _make_state_handler("visible")),
    **_register_check("ElementNotPresent", _make_state_handler("hidden")),
    **_register_check("Checked", _make_state_handler("checked")),
    **_register_check("NotChecked", _make_element_handler("expect", "--not", "checked")),
    **_register_check("Editable", _make_state_handler("editable")),
    **_register_check("NotEditable", _make_element_handler("expect", "--not", "editable")),
    **_register_check("SelectedLabel", _read_selection_check),
    **_register_check("SelectedValue", _read_selection_check),
    **dict.fromkeys(("assertAlert", "assertConfirmation", "assertPrompt"), _read_dialog_check),
}
