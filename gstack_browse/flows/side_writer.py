"""Write a flow as a project of the Selenium IDE (`.side`), which `side` reads again.

The IDE has no selectors by role or label. An element that a step names so is located by what its note says: test id, id, name of the
field, text of a link or a button. Steps without a counterpart are refused by name.
"""

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
    mark,
    read_call,
    read_selector,
    whole_address,
)
from gstack_browse.flows.exporting import Exported, joined
from gstack_browse.flows.file import Flow, Step
from gstack_browse.flows.identity import Identity
from gstack_browse.flows.side import KEYS, WITHOUT_VALUE
from gstack_browse.flows.words import Variable, Word

WAIT = "5000"
"""Milliseconds for which the IDE waits, as `expect` does."""
_TEXT_ON_PAGE = "xpath=//body[contains(normalize-space(.), {})]"
_KEY_NAMES = {key: name for name, key in reversed(KEYS.items())}

SideCommand = tuple[str, str, str]
"""Name, target and value of a command."""


def export_side(flow: Flow, name: str) -> Exported:
    """Return the flow as a project with one test, and the steps that the IDE has no command for."""
    losses: list[str] = []
    commands = list(_declare(flow))
    for place, step in enumerate(flow.steps):
        before = flow.steps[place - 1] if place else None
        try:
            written = list(_write_step(step, before))
            if any("${" in part.text for word in step.words for part in _texts(word)):
                raise Untranslatable("a text that the IDE takes for a variable")
            commands += [_command(*each) for each in written]
        except Untranslatable as error:
            losses.append(f"step {place + 1}, {step.command}: {error.args[0]}")
            commands.append(_command(f"//left out {step.command}", "", ""))
    return Exported(json.dumps(_project(flow, name, commands), ensure_ascii=False, indent=2) + "\n", losses)


def _texts(word: Word) -> Iterator[Word]:
    return (Word((part,)) for part in word.parts if isinstance(part, str))


def _declare(flow: Flow) -> Iterator[dict[str, Any]]:
    for variable in flow.variables:
        comment = WITHOUT_VALUE if variable.is_secret else ""
        yield _command("store", variable.default or "", variable.name, comment)


def _command(command: str, target: str, value: str, comment: str = "") -> dict[str, Any]:
    fields = {"comment": comment, "command": command, "target": target, "targets": [], "value": value}
    return {"id": str(uuid.uuid4()), **fields}


def _project(flow: Flow, name: str, commands: list[dict[str, Any]]) -> dict[str, Any]:
    base = next((_origin(step) for step in flow.steps if step.command == "goto"), "")
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


def _origin(step: Step) -> str:
    try:
        address = urlsplit(whole_address(step.words[1]).text)
    except (Untranslatable, ValueError, IndexError):
        return ""
    return f"{address.scheme}://{address.netloc}" if address.scheme in ("http", "https") else ""


def _write_step(step: Step, before: Step | None) -> Iterator[SideCommand]:
    if step.opens_tab:
        raise Untranslatable("it opens a tab")
    call = read_call(step)
    if call.command == "press":
        yield _press(call, before)
        return
    handler = _WRITERS.get(call.command)
    if handler is None:
        raise Untranslatable("the IDE has no such command")
    yield from handler(call)


def _reference(word: Word) -> str:
    """Return a word as the IDE writes it, with `${name}` for a variable."""
    return "".join(f"${{{part.name}}}" if isinstance(part, Variable) else part for part in word.parts)


def _locate(call: Call, place: int = 0, note: int = 0) -> str:
    """Return the locator of a step's target. `note`: which of its notes is that target's."""
    target = mark(call.argument(place))
    return _write_locator(target, call.step.identities[note] if len(call.step.identities) > note else None)


def _write_locator(target: str, noted: Identity | None) -> str:
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
        return f"css=[data-testid={_in_quotes(selector.text)}]"
    if selector.kind == "role" and selector.role == "link" and selector.text:
        return f"linkText={selector.text}"
    return _locate_by_note(selector, noted)


def _locate_by_mark(noted: Identity) -> str:
    """Return a locator by a mark that only this element had; "" without one.

    Of several elements the IDE takes the first.
    """
    marks = {name: getattr(noted, name) for name in ("testid", "id", "field") if name not in noted.shared}
    if testid := marks.get("testid"):
        return f"css=[data-testid={_in_quotes(testid)}]"
    if (own := marks.get("id")) and not re.search(r"\s", own):
        return f"id={own}"
    if (field := marks.get("field")) and noted.type not in ("radio", "checkbox"):
        return f"name={field}"
    return ""


def _locate_by_note(selector: Selector, noted: Identity | None) -> str:
    if noted and (locator := _locate_by_mark(noted)):
        return locator
    if noted and noted.name and noted.order == (1, 1):
        if noted.tag == "button":
            return f"xpath=//button[normalize-space(.)={_in_xpath(noted.name)}]"
        if noted.tag == "a":
            return f"linkText={noted.name}"
    raise Untranslatable(f"a selector by {selector.kind}, and its note has no id or name of a field")


def _in_quotes(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _in_xpath(text: str) -> str:
    quote = '"' if '"' not in text else "'"
    if quote in text:
        raise Untranslatable("a text with both kinds of quotes")
    return f"{quote}{text}{quote}"


def _goto(call: Call) -> Iterator[SideCommand]:
    yield "open", _reference(whole_address(call.argument(0))), ""


def _click(call: Call) -> Iterator[SideCommand]:
    call.allow("--double")
    yield "doubleClick" if "--double" in call.options else "click", _locate(call), ""


def _fill(call: Call) -> Iterator[SideCommand]:
    call.allow("--submit")
    target = _locate(call)
    yield "type", target, _reference(joined(call.arguments[1:]))
    if "--submit" in call.options:
        yield "sendKeys", target, "${KEY_ENTER}"


def _type_text(call: Call) -> Iterator[SideCommand]:
    call.allow("--into")
    if "--into" not in call.options:
        raise Untranslatable("typing without a field")
    noted = call.step.identities[0] if call.step.identities else None
    target = _write_locator(mark(call.options["--into"]), noted)
    yield "sendKeys", target, _reference(joined(call.arguments))


def _press(call: Call, before: Step | None) -> SideCommand:
    """Return a key in the field of the step before: the IDE has none without a field."""
    key = _KEY_NAMES.get(call.text(0))
    if key is None or before is None or before.command not in ("fill", "focus"):
        raise Untranslatable("a key of this kind, or without a field")
    return "sendKeys", _locate(read_call(before)), f"${{KEY_{key}}}"


def _focus(call: Call) -> Iterator[SideCommand]:
    _locate(call)  # the key that follows names the field
    return iter(())


def _select(call: Call) -> Iterator[SideCommand]:
    noted = call.step.identities
    if len(call.arguments) != 2 or (noted and noted[0].tag != "select"):
        raise Untranslatable("several options, or a list that is no <select>")
    yield "select", _locate(call), f"label={_reference(call.arguments[1])}"


def _drag(call: Call) -> Iterator[SideCommand]:
    yield "dragAndDropToObject", _locate(call), _locate(call, 1, 1)


def _viewport(call: Call) -> Iterator[SideCommand]:
    if call.options or not re.fullmatch(r"[1-9][0-9]{1,3}x[1-9][0-9]{1,3}", call.text(0)):
        raise Untranslatable("a viewport with a scale")
    yield "setWindowSize", call.text(0), ""


def _wait(call: Call) -> Iterator[SideCommand]:
    call.allow()
    if not call.text(0).isdigit():
        raise Untranslatable("it waits for more than time")
    yield "pause", call.text(0), ""


def _frame(call: Call) -> Iterator[SideCommand]:
    target = call.text(0)
    numbered = re.fullmatch(r"iframe >> nth=([0-9]+)", target)
    if target == "main":
        yield "selectFrame", "relative=top", ""
    else:
        yield "selectFrame", f"index={numbered[1]}" if numbered else _locate(call), ""


def _js(call: Call) -> Iterator[SideCommand]:
    yield "runScript", _reference(joined(call.arguments)), ""


def _closetab(call: Call) -> Iterator[SideCommand]:
    if call.arguments:
        raise Untranslatable("another tab than the present one")
    yield "close", "", ""


def _dialog(call: Call) -> Iterator[SideCommand]:
    if call.arguments:
        yield "answerOnNextPrompt", _reference(joined(call.arguments)), ""
    else:
        is_accepted = call.command == "dialog-accept"
        yield f"choose{'Ok' if is_accepted else 'Cancel'}OnNextConfirmation", "", ""


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


def _expect(call: Call) -> Iterator[SideCommand]:
    call.allow("--not", "--in", "--timeout")
    negated = "--not" in call.options
    what = call.text(0)
    if command := _STATES.get((what, negated)):
        yield command, _locate(call, 1), WAIT if command.startswith("wait") else ""
    elif what == "text":
        yield _expect_text(call, negated=negated)
    elif what == "title" and not negated:
        yield "assertTitle", _whole_pattern(joined(call.arguments[1:])), ""
    elif what == "value" and not negated:
        yield "assertValue", _locate(call, 1), _whole_pattern(call.argument(2))
    elif what == "dialog" and not negated:
        yield "assertConfirmation", _whole_pattern(joined(call.arguments[1:])), ""
        yield "webdriverChooseOkOnVisibleConfirmation", "", ""
    else:
        raise Untranslatable(f"the IDE has no check of {what}")


def _expect_text(call: Call, *, negated: bool) -> SideCommand:
    said = joined(call.arguments[1:])
    if "--in" in call.options:
        target = _write_locator(mark(call.options["--in"]), None)
        return f"assert{'Not' * negated}Text", target, _whole_pattern(said)
    text = _reference(said)
    if text.startswith(("=", "/")) or not text:
        raise Untranslatable("all of a page's text, or a regular expression")
    target = _TEXT_ON_PAGE.format(_in_xpath(text))
    return f"waitForElement{'Not' * negated}Present", target, WAIT


def _whole_pattern(word: Word) -> str:
    """Return the text of a pattern for all of it: the IDE compares whole texts."""
    text = _reference(word)
    if not text.startswith("="):
        raise Untranslatable("a part of a text, or a regular expression: the IDE compares whole texts")
    return text[1:]


def _on_element(command: str) -> Callable[[Call], Iterator[SideCommand]]:
    return lambda call: iter([(command, _locate(call), "")])


_WRITERS: Mapping[str, Callable[[Call], Iterator[SideCommand]]] = {
    "goto": _goto,
    "click": _click,
    "fill": _fill,
    "type": _type_text,
    "focus": _focus,
    "select": _select,
    "check": _on_element("check"),
    "uncheck": _on_element("uncheck"),
    "hover": _on_element("mouseOver"),
    "drag": _drag,
    "viewport": _viewport,
    "wait": _wait,
    "frame": _frame,
    "js": _js,
    "closetab": _closetab,
    "dialog-accept": _dialog,
    "dialog-dismiss": _dialog,
    "expect": _expect,
}
