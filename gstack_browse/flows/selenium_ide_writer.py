"""Write a flow as a project of Selenium IDE, with one test (JSON)."""

import json
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from gstack_browse.flows.calls import (
    Call,
    Selector,
    Untranslatable,
    complete_address,
    mark_variables,
    read_call,
    read_selector,
)
from gstack_browse.flows.file import Flow, Step
from gstack_browse.flows.identity import Identity, quote_text
from gstack_browse.flows.scripts import Exported
from gstack_browse.flows.selenium_ide import HIDDEN_VALUE_COMMENT, KEYS
from gstack_browse.flows.words import Variable, Word, join_words

WAIT = "5000"
"""Milliseconds for which the IDE waits, as `expect` does."""
_TEXT_ON_PAGE = "xpath=//body[contains(normalize-space(.), {})]"
_KEY_NAMES = {key: name for name, key in reversed(KEYS.items())}

IdeCommand = tuple[str, str, str]
"""Name, target and value of a command."""


def export_selenium_ide(flow: Flow, name: str) -> Exported:
    """Return the flow as a project of Selenium IDE, and the steps that have no command there.

    `name`: of the project, its suite and its test.
    """
    losses: list[str] = []
    commands = list(_write_declarations(flow))
    for index, step in enumerate(flow.steps):
        before = flow.steps[index - 1] if index else None
        try:
            written = list(_write_step(step, before))
            if any("${" in part for word in step.words for part in word.parts if isinstance(part, str)):
                raise Untranslatable("a text that the IDE takes for a variable")
            commands += [_make_command(*each) for each in written]
        except Untranslatable as error:
            losses.append(f"step {index + 1}, {step.command}: {error.args[0]}")
            commands.append(_make_command(f"//left out {step.command}", "", ""))
    text = json.dumps(_make_project(flow, name, commands), ensure_ascii=False, indent=2) + "\n"
    return Exported(text, losses)


def _write_declarations(flow: Flow) -> Iterator[dict[str, Any]]:
    """Yield the IDE's command `store` for each variable of the flow, without values of secrets."""
    for variable in flow.variables:
        comment = HIDDEN_VALUE_COMMENT if variable.is_secret else ""
        yield _make_command("store", variable.default or "", variable.name, comment)


def _make_command(command: str, target: str, value: str, comment: str = "") -> dict[str, Any]:
    """Return a command of the IDE, with a new id, in the form of the project's JSON."""
    fields = {"comment": comment, "command": command, "target": target, "targets": [], "value": value}
    return {"id": str(uuid.uuid4()), **fields}


def _make_project(flow: Flow, name: str, commands: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a project with one suite of one test. `name`: of project, suite and test."""
    base = next((_find_origin(step) for step in flow.steps if step.command == "goto"), "")
    test = {"id": str(uuid.uuid4()), "name": name, "commands": commands}
    suite = {"id": str(uuid.uuid4()), "name": name, "persistSession": False, "parallel": False}
    return {
        "id": str(uuid.uuid4()),
        "version": "2.0",
        "name": name,
        "url": base,
        "tests": [test],
        "suites": [{**suite, "timeout": 300, "tests": [test["id"]]}],
        "urls": [base] if base else [],
        "plugins": [],
    }


def _find_origin(step: Step) -> str:
    """Return scheme, host and port of the address that a step `goto` opens; "" if it is not http."""
    try:
        address = urlsplit(complete_address(step.words[1]).text)
    except (Untranslatable, ValueError, IndexError):
        return ""
    return f"{address.scheme}://{address.netloc}" if address.scheme in ("http", "https") else ""


def _write_step(step: Step, before: Step | None) -> Iterator[IdeCommand]:
    """Yield the IDE's commands for a step. `before`: the step before it. Raises Untranslatable."""
    if step.opens_tab:
        raise Untranslatable("it opens a tab")
    call = read_call(step)
    if call.command == "press":
        yield _write_key_press(call, before)
        return
    if call.command not in _WRITERS:
        raise Untranslatable("the IDE has no such command")
    yield from _WRITERS[call.command](call)


def _write_value(word: Word) -> str:
    """Convert a word to a text of the IDE, with `${name}` for a variable."""
    return "".join(f"${{{part.name}}}" if isinstance(part, Variable) else part for part in word.parts)


def _locate_argument(call: Call, index: int = 0, note: int = 0) -> str:
    """Return the IDE's locator for the element that argument number `index` (from 0) names.

    `note`: index of the element's identity among those of the step.
    """
    return _write_locator(call.target(index), next(iter(call.step.identities[note:]), None))


def _write_locator(target: str, noted: Identity | None) -> str:
    """Convert a selector to a locator of the IDE. Raises Untranslatable.

    `target`: with its variables marked. `noted`: the element's identity in the flow; None for none.
    """
    if "\ue000" in target:
        raise Untranslatable("a variable in a selector")
    selector = read_selector(target)
    if selector.kind == "xpath":
        return f"xpath={selector.text}"
    if selector.kind == "css":
        if plain_id := re.fullmatch(r"#([A-Za-z_][\w-]*)", selector.text):
            return f"id={plain_id[1]}"
        plain_name = re.fullmatch(r'\[name="([^"\\]+)"\]', selector.text)
        return f"name={plain_name[1]}" if plain_name else f"css={selector.text}"
    if selector.kind == "testid":
        return f"css=[data-testid={quote_text(selector.text)}]"
    if selector.kind == "role" and selector.role == "link" and selector.text:
        return f"linkText={selector.text}"
    return _locate_by_identity(selector, noted)


def _locate_by_attribute(noted: Identity) -> str:
    """Return a locator by a test id, id or `name` that only this element had; "" without one.

    Of several elements the IDE takes the first.
    """
    marks = {name: getattr(noted, name) for name in ("testid", "id", "field") if name not in noted.shared}
    if testid := marks.get("testid"):
        return f"css=[data-testid={quote_text(testid)}]"
    if (own := marks.get("id")) and not re.search(r"\s", own):
        return f"id={own}"
    if (field := marks.get("field")) and noted.type not in ("radio", "checkbox"):
        return f"name={field}"
    return ""


def _locate_by_identity(selector: Selector, noted: Identity | None) -> str:
    """Return a locator of the IDE made of an element's identity in the flow. Raises Untranslatable."""
    if noted and (locator := _locate_by_attribute(noted)):
        return locator
    if noted and noted.name and noted.order == (1, 1):
        if noted.tag == "button":
            return f"xpath=//button[normalize-space(.)={_quote_for_xpath(noted.name)}]"
        if noted.tag == "a":
            return f"linkText={noted.name}"
    raise Untranslatable(f"a selector by {selector.kind}, and its note has no id or name of a field")


def _quote_for_xpath(text: str) -> str:
    """Return a text as a string in XPath, which has no escapes. Raises Untranslatable for both quotes."""
    quote = '"' if '"' not in text else "'"
    if quote in text:
        raise Untranslatable("a text with both kinds of quotes")
    return f"{quote}{text}{quote}"


def _write_goto(call: Call) -> Iterator[IdeCommand]:
    """Yield the IDE's command `open`."""
    yield "open", _write_value(complete_address(call.argument(0))), ""


def _write_click(call: Call) -> Iterator[IdeCommand]:
    """Yield the IDE's command `click` or `doubleClick`."""
    call.require_options_among("--double")
    yield "doubleClick" if "--double" in call.options else "click", _locate_argument(call), ""


def _write_fill(call: Call) -> Iterator[IdeCommand]:
    """Yield the IDE's command `type`, and `sendKeys` of Enter for `--submit`."""
    call.require_options_among("--submit")
    target = _locate_argument(call)
    yield "type", target, _write_value(join_words(call.arguments[1:]))
    if "--submit" in call.options:
        yield "sendKeys", target, "${KEY_ENTER}"


def _write_typing(call: Call) -> Iterator[IdeCommand]:
    """Yield the IDE's command `sendKeys`. Raises Untranslatable without a field."""
    call.require_options_among("--into")
    if "--into" not in call.options:
        raise Untranslatable("typing without a field")
    noted = next(iter(call.step.identities), None)
    target = _write_locator(mark_variables(call.options["--into"]), noted)
    yield "sendKeys", target, _write_value(join_words(call.arguments))


def _write_key_press(call: Call, before: Step | None) -> IdeCommand:
    """Return the IDE's command `sendKeys` for a key, to the field of the step before.

    Raises Untranslatable without such a field: the IDE presses keys only in fields.
    """
    key = _KEY_NAMES.get(call.text(0))
    if key is None or before is None or before.command not in ("fill", "focus"):
        raise Untranslatable("a key of this kind, or without a field")
    return "sendKeys", _locate_argument(read_call(before)), f"${{KEY_{key}}}"


def _check_focus(call: Call) -> Iterator[IdeCommand]:
    """Yield no command for `focus`, but raise Untranslatable if the field has no locator."""
    _locate_argument(call)  # the key that follows names the field
    return iter(())


def _write_option_choice(call: Call) -> Iterator[IdeCommand]:
    """Yield the IDE's command `select`, which chooses one option by its label.

    Raises Untranslatable for several options, and for a list that is known to be no `<select>`.
    """
    noted = call.step.identities
    if len(call.arguments) != 2 or (noted and noted[0].tag != "select"):
        raise Untranslatable("several options, or a list that is no <select>")
    yield "select", _locate_argument(call), f"label={_write_value(call.arguments[1])}"


def _write_drag(call: Call) -> Iterator[IdeCommand]:
    """Yield the IDE's command `dragAndDropToObject`."""
    yield "dragAndDropToObject", _locate_argument(call), _locate_argument(call, 1, 1)


def _write_window_size(call: Call) -> Iterator[IdeCommand]:
    """Yield the IDE's command `setWindowSize`."""
    if call.options or not re.fullmatch(r"[1-9][0-9]{1,3}x[1-9][0-9]{1,3}", call.text(0)):
        raise Untranslatable("a viewport with a scale")
    yield "setWindowSize", call.text(0), ""


def _write_pause(call: Call) -> Iterator[IdeCommand]:
    """Yield the IDE's command `pause`. Raises Untranslatable for anything but milliseconds."""
    call.require_options_among()
    if not call.text(0).isdigit():
        raise Untranslatable("it waits for more than time")
    yield "pause", call.text(0), ""


def _write_frame_choice(call: Call) -> Iterator[IdeCommand]:
    """Yield the IDE's command `selectFrame` with the top, an index or a locator."""
    target = call.text(0)
    numbered = re.fullmatch(r"iframe >> nth=([0-9]+)", target)
    if target == "main":
        yield "selectFrame", "relative=top", ""
    else:
        yield "selectFrame", f"index={numbered[1]}" if numbered else _locate_argument(call), ""


def _write_script(call: Call) -> Iterator[IdeCommand]:
    """Yield the IDE's command `runScript`."""
    yield "runScript", _write_value(join_words(call.arguments)), ""


def _write_tab_closing(call: Call) -> Iterator[IdeCommand]:
    """Yield the IDE's command `close`. Raises Untranslatable for another tab than the present one."""
    if call.arguments:
        raise Untranslatable("another tab than the present one")
    yield "close", "", ""


def _write_dialog_answer(call: Call) -> Iterator[IdeCommand]:
    """Yield the IDE's command that answers the next prompt or confirmation."""
    if call.arguments:
        yield "answerOnNextPrompt", _write_value(join_words(call.arguments)), ""
    else:
        button = "Ok" if call.command == "dialog-accept" else "Cancel"
        yield f"choose{button}OnNextConfirmation", "", ""


_STATES = {
    ("visible", False): "waitForElementVisible",
    ("hidden", True): "waitForElementVisible",
    ("hidden", False): "waitForElementNotVisible",
    ("visible", True): "waitForElementNotVisible",
    ("editable", False): "waitForElementEditable",
    ("editable", True): "waitForElementNotEditable",
    ("checked", False): "assertChecked",
    ("checked", True): "assertNotChecked",
}


def _write_check(call: Call) -> Iterator[IdeCommand]:
    """Yield the IDE's commands that wait for, or assert, what the step `expect` names."""
    call.require_options_among("--not", "--in", "--timeout")
    negated = "--not" in call.options
    what = call.text(0)
    if command := _STATES.get((what, negated)):
        yield command, _locate_argument(call, 1), WAIT if command.startswith("wait") else ""
    elif what == "text":
        yield _write_text_check(call, negated=negated)
    elif what == "title" and not negated:
        yield "assertTitle", _write_whole_text(join_words(call.arguments[1:])), ""
    elif what == "value" and not negated:
        yield "assertValue", _locate_argument(call, 1), _write_whole_text(call.argument(2))
    elif what == "dialog" and not negated:
        yield "assertConfirmation", _write_whole_text(join_words(call.arguments[1:])), ""
        yield "webdriverChooseOkOnVisibleConfirmation", "", ""
    else:
        raise Untranslatable(f"the IDE has no check of {what}")


def _write_text_check(call: Call, *, negated: bool) -> IdeCommand:
    """Return the IDE's command that asserts an element's text, or waits for a text on the page."""
    expected = join_words(call.arguments[1:])
    if "--in" in call.options:
        target = _write_locator(mark_variables(call.options["--in"]), None)
        return f"assert{'Not' * negated}Text", target, _write_whole_text(expected)
    text = _write_value(expected)
    if text.startswith(("=", "/")) or not text:
        raise Untranslatable("all of a page's text, or a regular expression")
    target = _TEXT_ON_PAGE.format(_quote_for_xpath(text))
    return f"waitForElement{'Not' * negated}Present", target, WAIT


def _write_whole_text(word: Word) -> str:
    """Return the text of an exact pattern (`=Paid`). Raises Untranslatable for other patterns.

    The IDE compares whole texts.
    """
    text = _write_value(word)
    if not text.startswith("="):
        raise Untranslatable("a part of a text, or a regular expression: the IDE compares whole texts")
    return text[1:]


def _make_element_writer(command: str) -> Callable[[Call], Iterator[IdeCommand]]:
    """Return a function that writes a command of the IDE which takes only an element."""
    return lambda call: iter([(command, _locate_argument(call), "")])


_WRITERS: Mapping[str, Callable[[Call], Iterator[IdeCommand]]] = {
    "goto": _write_goto,
    "click": _write_click,
    "fill": _write_fill,
    "type": _write_typing,
    "focus": _check_focus,
    "select": _write_option_choice,
    "check": _make_element_writer("check"),
    "uncheck": _make_element_writer("uncheck"),
    "hover": _make_element_writer("mouseOver"),
    "drag": _write_drag,
    "viewport": _write_window_size,
    "wait": _write_pause,
    "frame": _write_frame_choice,
    "js": _write_script,
    "closetab": _write_tab_closing,
    "dialog-accept": _write_dialog_answer,
    "dialog-dismiss": _write_dialog_answer,
    "expect": _write_check,
}
