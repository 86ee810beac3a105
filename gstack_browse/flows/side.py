"""Read a project of the Selenium IDE (`.side`) as a flow: one test of it.

About half of the IDE's commands have a counterpart. Loops, conditions and scripts whose results are kept are refused by name: a flow is
one path.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urljoin

from gstack_browse.errors import UsageError
from gstack_browse.flows.calls import Untranslatable
from gstack_browse.flows.file import Variable
from gstack_browse.flows.losses import FlowBuilder, Imported
from gstack_browse.flows.words import NAME, Part, Word
from gstack_browse.flows.words import Variable as InWord

MOST_COMMANDS = 5000
WITHOUT_VALUE = "secret"
"""The comment of a `store` for a secret: its value is put in before a run, and stands in no file of ours."""
_CONTROL = frozenset(
    (
        "if",
        "else",
        "elseIf",
        "end",
        "while",
        "times",
        "forEach",
        "do",
        "repeatIf",
        "run",
        "executeScript",
        "executeAsyncScript",
    )
)
_KEY = re.compile(r"\$\{KEY_([A-Z0-9_]+)\}")
_REFERENCE = re.compile(rf"\$\{{({NAME})\}}")
KEYS = {
    "ENTER": "Enter", "RETURN": "Enter", "TAB": "Tab", "ESC": "Escape", "ESCAPE": "Escape", "BKSP": "Backspace", "BACKSPACE": "Backspace",
    "DEL": "Delete", "DELETE": "Delete", "UP": "ArrowUp", "DOWN": "ArrowDown", "LEFT": "ArrowLeft", "RIGHT": "ArrowRight", "HOME": "Home",
    "END": "End", "PGUP": "PageUp", "PAGE_UP": "PageUp", "PGDN": "PageDown", "PAGE_DOWN": "PageDown", "SPACE": "Space",
}  # fmt: skip


def import_side(text: str, test: str = "") -> Imported:
    """Read a test of a project as a flow.

    `test`: its name, where the project has several. Raises UsageError.
    """
    try:
        project = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The project is not JSON: {str(error)[:100]}") from None
    tests = project.get("tests") if isinstance(project, dict) else None
    named = (
        {str(each.get("name", "")): each for each in tests if isinstance(each, dict)}
        if isinstance(tests, list)
        else {}
    )
    if not named:
        raise UsageError('A project of the Selenium IDE is an object with "tests"')
    if test not in named and (test or len(named) > 1):
        names = ", ".join(name[:40] for name in list(named)[:20])
        raise UsageError(
            f"The project has no test {test[:60]!a}" if test else "The project has several tests",
            f"Name one by --test: {names}",
        )
    chosen = named[test] if test else next(iter(named.values()))
    commands = chosen.get("commands")
    if not isinstance(commands, list) or len(commands) > MOST_COMMANDS:
        raise UsageError(f'The test has no list of "commands", or more than {MOST_COMMANDS}')
    reader = _Reader(str(project.get("url") or ""))
    for place, command in enumerate(commands, 1):
        reader.take(place, command)
    return reader.builder.finish()


class _Reader:
    def __init__(self, base: str) -> None:
        self.builder = FlowBuilder()
        self.base = base

    def take(self, place: int, command: Any) -> None:
        """Add what a command does."""
        fields = command if isinstance(command, dict) else {}
        name, target, value = (str(fields.get(key) or "") for key in ("command", "target", "value"))
        if not name or name.startswith("//"):
            return
        where = f"command {place} ({name[:40]})"
        if name == "store" and fields.get("comment") == WITHOUT_VALUE and re.fullmatch(NAME, value):
            self.builder.variables[value] = Variable(value, is_secret=True)
            return
        handler = _HANDLERS.get(name)
        if name in _CONTROL:
            self.builder.lose(where, "a flow has no loops, conditions, calls or results of scripts")
        elif handler is None:
            self.builder.lose(where, "gbrowse has no such command")
        elif any(0xD800 <= ord(each) < 0xE000 or ord(each) == 0 for each in target + value):
            self.builder.lose(where, "it has a character that no text has")
        else:
            try:
                handler(self, target, value)
            except (Untranslatable, ValueError) as error:
                self.builder.lose(where, str(error.args[0])[:200])

    def add(self, *words: str | Word) -> None:
        self.builder.add(*words)

    def word(self, text: str) -> Word:
        """Return a text with its references to variables that were stored before."""
        parts: list[Part] = []
        end = 0
        for match in _REFERENCE.finditer(text):
            if match[1] not in self.builder.variables:
                raise Untranslatable(f"the variable {match[1]} was never stored")
            parts += [text[end : match.start()]] * (match.start() > end)
            parts.append(InWord(match[1]))
            end = match.end()
        return Word((*parts, *([text[end:]] if text[end:] else [])))

    def exactly(self, text: str) -> Word:
        word = self.word(text)
        return (
            Word((f"={word.parts[0]}", *word.parts[1:]))
            if word.parts and isinstance(word.parts[0], str)
            else Word(("=", *word.parts))
        )


def _open(reader: _Reader, target: str, value: str) -> None:
    url = target if "${" in target else urljoin(reader.base, target)
    if not re.match(r"(?i)https?://|\$\{", url):
        raise Untranslatable(f"the address {url[:60]}")
    reader.add("goto", reader.word(url) if "${" in url else url)


def _click(reader: _Reader, target: str, value: str) -> None:
    reader.add("click", _locate(target))


def _double_click(reader: _Reader, target: str, value: str) -> None:
    reader.add("click", _locate(target), "--double")


def _type_text(reader: _Reader, target: str, value: str) -> None:
    where = _locate(target)
    if re.search(r"(?i)passw|secret|\botp\b|cvc", target) and not _REFERENCE.fullmatch(value):
        reader.add("fill", where, reader.builder.value_for("password", value))
    else:
        reader.add("fill", where, reader.word(value))


def _send_keys(reader: _Reader, target: str, value: str) -> None:
    where = _locate(target)
    pieces = _KEY.split(value)
    if unknown := next((key for key in pieces[1::2] if key not in KEYS), ""):
        raise Untranslatable(f"the key {unknown}")
    if not pieces[0]:
        reader.add("focus", where)
    for place, piece in enumerate(pieces):
        if place % 2:
            reader.add("press", KEYS[piece])
        elif piece and not place:
            typed = reader.builder.value_for(target, piece)
            reader.add("type", "--into", where, "--", typed if isinstance(typed, Word) else reader.word(piece))
        elif piece:
            reader.add("type", "--", reader.word(piece))


def _select(reader: _Reader, target: str, value: str) -> None:
    kind, equals, option = value.partition("=")
    if not equals:
        kind, option = "label", value
    if kind not in ("label", "value") or not option:
        raise Untranslatable(f"an option by {kind[:20]}")
    reader.add("select", _locate(target), reader.word(option))


def _drag(reader: _Reader, target: str, value: str) -> None:
    reader.add("drag", _locate(target), _locate(value))


def _submit(reader: _Reader, target: str, value: str) -> None:
    raise Untranslatable("it submits a form without a button: click that")


def _size(reader: _Reader, target: str, value: str) -> None:
    if not re.fullmatch(r"[1-9][0-9]{1,3}x[1-9][0-9]{1,3}", target):
        raise Untranslatable("no size")
    reader.add("viewport", target)


def _pause(reader: _Reader, target: str, value: str) -> None:
    milliseconds = (target or value).strip()
    if not re.fullmatch(r"[0-9]{1,6}", milliseconds) or int(milliseconds) > 300_000:
        raise Untranslatable("no time in milliseconds, up to 300000")
    reader.add("wait", milliseconds)


def _close(reader: _Reader, target: str, value: str) -> None:
    reader.add("closetab")


def _run_script(reader: _Reader, target: str, value: str) -> None:
    if not target.strip():
        raise Untranslatable("no script")
    reader.add("js", "--", reader.word(target))


def _store(reader: _Reader, target: str, value: str) -> None:
    if not re.fullmatch(NAME, value):
        raise Untranslatable("no name of a variable")
    is_plain = target.isprintable() and target == target.strip() and "${" not in target
    if not is_plain:
        raise Untranslatable("a value that is no plain text")
    reader.builder.variables[value] = Variable(value, target)


def _select_frame(reader: _Reader, target: str, value: str) -> None:
    if target in ("relative=parent", "relative=top"):
        reader.add("frame", "main")
    elif target.startswith("index="):
        number = int(target.removeprefix("index="))
        reader.add("frame", f"iframe >> nth={number}")
    else:
        reader.add("frame", _locate(target))


def _answer_prompt(reader: _Reader, target: str, value: str) -> None:
    reader.add("dialog-accept", reader.word(target or value))


def _expect_text(reader: _Reader, target: str, value: str, *, negated: bool = False) -> None:
    if not value:
        raise Untranslatable("no text")
    reader.add("expect", *(["--not"] * negated), "text", reader.exactly(value), "--in", _locate(target))


def _expect_not_text(reader: _Reader, target: str, value: str) -> None:
    _expect_text(reader, target, value, negated=True)


def _expect_title(reader: _Reader, target: str, value: str) -> None:
    reader.add("expect", "title", reader.exactly(target))


def _expect_value(reader: _Reader, target: str, value: str) -> None:
    reader.add("expect", "value", _locate(target), reader.exactly(value))


def _expect_dialog(reader: _Reader, target: str, value: str) -> None:
    reader.add("expect", "dialog", reader.exactly(target or value))


def _expect_selected(reader: _Reader, target: str, value: str) -> None:
    reader.add(
        "expect", "value", _locate(target), reader.word(value.removeprefix("label=").removeprefix("value="))
    )


def _ignore(reader: _Reader, target: str, value: str) -> None:
    """Do nothing: the command has no effect on the page."""


def _locate(target: str) -> str:
    """Return a locator of the IDE as a selector. Raises Untranslatable."""
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
    if kind in ("linkText", "link", "partialLinkText"):
        return (
            f'role=link[name="{quoted}"]' if kind != "partialLinkText" else f"a:has-text({literal_css(text)})"
        )
    raise Untranslatable(f"a locator by {kind[:30]}")


def literal_css(text: str) -> str:
    """Return a text as a string of CSS."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


Handler = Callable[[_Reader, str, str], None]


def _element(command: str) -> Handler:
    return lambda reader, target, value: reader.add(command, _locate(target))


_TEXT_ON_PAGE = re.compile(r"""(?:xpath=)?//body\[contains\(normalize-space\(\.\), (["'])(.+)\1\)\]""")


def _state(state: str) -> Handler:
    def expect(reader: _Reader, target: str, value: str) -> None:
        if text := _TEXT_ON_PAGE.fullmatch(target):  # as `side_writer` says it
            reader.add("expect", *(["--not"] * (state == "hidden")), "text", reader.word(text[2]))
        else:
            reader.add("expect", state, _locate(target))

    return expect


def _not(*words: str) -> Handler:
    return lambda reader, target, value: reader.add("expect", "--not", *words, _locate(target))


def _dialogs(*, accept: bool) -> Handler:
    return lambda reader, target, value: reader.add("dialog-accept" if accept else "dialog-dismiss")


def _both(name: str, handler: Handler) -> Mapping[str, Handler]:
    return {f"assert{name}": handler, f"verify{name}": handler}


_HANDLERS: Mapping[str, Handler] = {
    "open": _open,
    **dict.fromkeys(("click", "clickAt"), _click),
    **dict.fromkeys(("doubleClick", "doubleClickAt"), _double_click),
    **dict.fromkeys(("type", "editContent"), _type_text),
    "sendKeys": _send_keys,
    **dict.fromkeys(("select", "addSelection"), _select),
    "check": _element("check"),
    "uncheck": _element("uncheck"),
    **dict.fromkeys(("mouseOver", "mouseMoveAt"), _element("hover")),
    "dragAndDropToObject": _drag,
    "submit": _submit,
    "setWindowSize": _size,
    "pause": _pause,
    "close": _close,
    "runScript": _run_script,
    "store": _store,
    "selectFrame": _select_frame,
    **dict.fromkeys(("echo", "setSpeed", "debugger", "mouseOut"), _ignore),
    "chooseOkOnNextConfirmation": _dialogs(accept=True),
    "chooseCancelOnNextConfirmation": _dialogs(accept=False),
    "chooseCancelOnNextPrompt": _dialogs(accept=False),
    "answerOnNextPrompt": _answer_prompt,
    **dict.fromkeys(
        ("webdriverChooseOkOnVisibleConfirmation", "webdriverChooseCancelOnVisibleConfirmation"), _ignore
    ),
    **dict.fromkeys(("waitForElementVisible", "waitForElementPresent"), _state("visible")),
    **dict.fromkeys(("waitForElementNotVisible", "waitForElementNotPresent"), _state("hidden")),
    "waitForElementEditable": _state("editable"),
    "waitForElementNotEditable": _not("editable"),
    "waitForText": _expect_text,
    **_both("Text", _expect_text),
    **_both("NotText", _expect_not_text),
    **_both("Title", _expect_title),
    **_both("Value", _expect_value),
    **_both("ElementPresent", _state("visible")),
    **_both("ElementNotPresent", _state("hidden")),
    **_both("Checked", _state("checked")),
    **_both("NotChecked", _not("checked")),
    **_both("Editable", _state("editable")),
    **_both("NotEditable", _not("editable")),
    **_both("SelectedLabel", _expect_selected),
    **_both("SelectedValue", _expect_selected),
    **dict.fromkeys(("assertAlert", "assertConfirmation", "assertPrompt"), _expect_dialog),
}
