"""Chrome DevTools Recorder's JSON: write a flow as a recording, and read a recording as a flow.

A recording is `{title, steps: [{type, …}]}`; its parser drops what it does not know. What has no counterpart goes into a
`customStep` of ours, which the Recorder skips and an import reads again.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gstack_browse.errors import UsageError
from gstack_browse.flows import file as flow_file
from gstack_browse.flows.calls import Call, Selector, Untranslatable, complete_address, read_call, read_selector
from gstack_browse.flows.file import Flow, Step, Variable
from gstack_browse.flows.flow_builder import FlowBuilder, Imported
from gstack_browse.flows.identity import parse_note, render_note
from gstack_browse.flows.scripts import Exported
from gstack_browse.flows.words import join_words, split_line

OURS = "gbrowse"
MOST_STEPS = 5000
_ARIA = re.compile(r'aria/(.*?)(?:\[role="([a-z]+)"\])?\Z', re.DOTALL)
_TESTID = re.compile(r'\[data-test(?:id|-id)?=["\'](.*)["\']\]\Z')
_MODIFIERS = frozenset({"Control", "Shift", "Alt", "Meta"})


def export_recorder(flow: Flow, name: str) -> Exported:
    """Return the flow as a DevTools Recorder recording (JSON) called `name`, and the steps it will skip."""
    losses: list[str] = []
    steps: list[dict[str, Any]] = []
    if flow.variables:
        declared = [[each.name, each.default, each.is_secret] for each in flow.variables]
        steps.append({"type": "customStep", "name": OURS, "parameters": {"variables": declared}})
    for index, step in enumerate(flow.steps, 1):
        try:
            steps += _export_step(step)
        except Untranslatable as error:
            losses.append(f"step {index}, {step.command}: {error.args[0]}")
            steps.append(_make_custom_step(step))
    text = json.dumps({"title": name, "steps": steps}, ensure_ascii=False, indent=2) + "\n"
    return Exported(text, losses)


def _make_custom_step(step: Step) -> dict[str, Any]:
    """Return a custom step that holds a flow's step: the Recorder skips it, an import reads it again."""
    parameters: dict[str, Any] = {"line": step.text, "notes": list(map(render_note, step.identities))}
    if step.opens_tab:
        parameters["tab"] = step.opens_tab
    return {"type": "customStep", "name": OURS, "parameters": parameters}


def _export_step(step: Step) -> list[dict[str, Any]]:
    """Return the recording's steps for one step of a flow. Raises Untranslatable if it has none."""
    if any(word.variables for word in step.words):
        raise Untranslatable("it has a variable, which recordings do not know")
    if step.opens_tab:
        raise Untranslatable("it opens a tab")
    call = read_call(step)
    if call.command == "goto":
        return [{"type": "navigate", "url": complete_address(call.argument(0)).text}]
    if call.command == "click":
        call.require_options_among("--double")
        kind = "doubleClick" if "--double" in call.options else "click"
        return [_make_element_step(kind, call, offsetX=1, offsetY=1)]
    if call.command == "fill":
        call.require_options_among()
        return [_make_element_step("change", call, value=join_words(call.arguments[1:]).text)]
    if call.command == "hover":
        call.require_options_among()
        return [_make_element_step("hover", call)]
    if call.command == "press" and "+" not in call.text(0):
        return [{"type": kind, "target": "main", "key": call.text(0)} for kind in ("keyDown", "keyUp")]
    if call.command == "viewport" and (size := re.fullmatch(r"([0-9]+)x([0-9]+)", call.text(0))):
        call.require_options_among()
        flags = {"deviceScaleFactor": 1, "isMobile": False, "hasTouch": False, "isLandscape": False}
        return [{"type": "setViewport", "width": int(size[1]), "height": int(size[2]), **flags}]
    if call.command == "expect" and call.text(0) in ("visible", "hidden"):
        call.require_options_among()
        return [_make_element_step("waitForElement", call, 1, visible=call.text(0) == "visible")]
    raise Untranslatable("recordings have no such step")


def _make_element_step(kind: str, call: Call, index: int = 0, **fields: Any) -> dict[str, Any]:
    """Return a recording's step for the element that argument number `index` (from 0) names."""
    selector = _write_selector(read_selector(call.text(index)))
    return {"type": kind, "target": "main", "selectors": [[selector]], **fields}


def _write_selector(selector: Selector) -> str:
    """Translate a selector to the recording's syntax. Raises Untranslatable if that has no such selector."""
    quoted = selector.text.replace("\\", "\\\\").replace('"', '\\"')
    if selector.kind == "role":
        if not selector.text or "[role=" in selector.text:
            raise Untranslatable("a role without a name as a selector")
        return f'aria/{selector.text}[role="{selector.role}"]'
    if selector.kind == "label":
        return f"aria/{selector.text}"
    if selector.kind == "text":
        return f"text/{selector.text}"
    if selector.kind == "xpath":
        return f"xpath/{selector.text}"
    if selector.kind in ("testid", "placeholder", "alt", "title"):
        return f'[{"data-testid" if selector.kind == "testid" else selector.kind}="{quoted}"]'
    if selector.kind == "chain" or selector.text.startswith(("aria/", "text/", "xpath/", "pierce/")):
        raise Untranslatable(f"the selector {selector.text}")
    return selector.text


def import_recorder(text: str) -> Imported:
    """Read a DevTools recording (JSON) as a flow. Raises UsageError for any other text."""
    reader = _RecordingReader()
    for number, step in enumerate(_read_steps(text), 1):
        reader.read_step(number, step)
    return reader.builder.finish()


def _read_steps(text: str) -> list[Any]:
    """Return the steps of a recording. Raises UsageError for any other text."""
    try:
        recording = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The recording is not JSON: {str(error)[:100]}") from None
    steps = recording.get("steps") if isinstance(recording, dict) else None
    if not isinstance(steps, list):
        raise UsageError('A recording is an object with "steps"')
    if len(steps) > MOST_STEPS:
        raise UsageError(f"The recording has {len(steps)} steps, more than {MOST_STEPS}")
    return steps


class _RecordingReader:
    """Collects the steps of a flow from those of a recording."""

    def __init__(self) -> None:
        self.builder = FlowBuilder()
        self._held_modifiers: list[str] = []
        self._where = ""
        """Number and type of the step that is being read, for the list of losses."""

    def read_step(self, number: int, step: Any) -> None:
        """Add the flow's steps for one step of the recording, or note why there are none.

        `number`: of the step, from 1, for messages.
        """
        kind = step.get("type") if isinstance(step, dict) else None
        self._where = where = f"step {number} ({str(kind)[:40]})"
        if not isinstance(kind, str):
            self.builder.add_loss(f"step {number}", "it has no type")
            return
        handler = _READERS.get(kind)
        if handler is None:
            self.builder.add_loss(where, "gbrowse has no such step")
            return
        if step.get("frame") and kind not in ("navigate", "customStep"):
            self.builder.add_loss(where, "it is in a frame, which recordings name by number only")
            return
        if step.get("target") not in (None, "main") and kind not in ("navigate", "setViewport", "customStep"):
            self.builder.add_loss(where, "it is in another window than the main one")
            return
        try:
            handler(self, step)
        except Untranslatable as error:
            self.builder.add_loss(where, str(error.args[0]))
            return
        self._expect_navigation(step)

    def _expect_navigation(self, step: Mapping[str, Any]) -> None:
        """Add a flow step `expect url` for each navigation that the recording expects after a step."""
        events = step.get("assertedEvents")
        for event in events if isinstance(events, list) and step.get("type") != "navigate" else ():
            url = event.get("url") if isinstance(event, dict) and event.get("type") == "navigation" else None
            if (
                isinstance(url, str)
                and (path := re.match(r"https?://[^/?#]+(/[^?#]*)", url))
                and not re.search(r"[*{}\[\]]", path[1])
            ):
                self.builder.add("expect", "url", f"**{path[1]}{'?**' if '?' in url else ''}")

    def read_navigation(self, step: Mapping[str, Any]) -> None:
        """Add a flow step `goto`. Raises Untranslatable unless the address is http, https or about:blank."""
        url = _read_text(step, "url")
        if not re.match(r"(?i)https?://|about:blank\Z", url):
            raise Untranslatable(f"the address {url[:60]}")
        self.builder.add("goto", url)

    def read_click(self, step: Mapping[str, Any]) -> None:
        """Add a flow step `click` for a click or a double click, with its button."""
        words = ["click", _choose_selector(step)]
        if step["type"] == "doubleClick":
            words.append("--double")
        button = {"secondary": "right", "auxiliary": "middle"}.get(str(step.get("button")))
        words += ["--button", button] if button else []
        self.builder.add(*words)

    def read_change(self, step: Mapping[str, Any]) -> None:
        """Add a flow step `fill` for a `change` step. A value for a secret becomes a variable."""
        target = _choose_selector(step)
        selectors = " ".join(_list_selectors(step))
        value = self.builder.value_for(f"{target} {selectors}", _read_text(step, "value"))
        self.builder.add("fill", target, value)

    def read_key_down(self, step: Mapping[str, Any]) -> None:
        """Note that a modifier key is down; for any other key, add a flow step `press` with those down."""
        key = _read_text(step, "key")
        if key in _MODIFIERS:
            self._held_modifiers.append(key)
        elif re.fullmatch(r"[A-Za-z0-9]{1,20}|[^\s+]", key):
            self.builder.add("press", "+".join([*dict.fromkeys(self._held_modifiers), key]))
        else:
            raise Untranslatable(f"the key {key[:20]!a}")

    def read_key_up(self, step: Mapping[str, Any]) -> None:
        """Note that a modifier key is up; ignore other keys. Adds no flow step."""
        key = _read_text(step, "key")
        self._held_modifiers = [each for each in self._held_modifiers if each != key]

    def read_viewport(self, step: Mapping[str, Any]) -> None:
        """Add a flow step `viewport` with width and height."""
        width, height = step.get("width"), step.get("height")
        if not all(isinstance(side, int) and 0 < side < 10_000 for side in (width, height)):
            raise Untranslatable("a size that no viewport has")
        self.builder.add("viewport", f"{width}x{height}")
        if step.get("isMobile") or step.get("hasTouch"):
            self.builder.add_loss(self._where, "touch and mobile: see 'device'")

    def read_scroll(self, step: Mapping[str, Any]) -> None:
        """Add a flow step `scroll` to an element, or a script that scrolls to a position."""
        if step.get("selectors"):
            self.builder.add("scroll", _choose_selector(step))
            return
        x, y = step.get("x", 0), step.get("y", 0)
        if not all(isinstance(number, int | float) for number in (x, y)):
            raise Untranslatable("it scrolls to no place")
        self.builder.add("js", f"window.scrollTo({x:g}, {y:g})")

    def read_wait(self, step: Mapping[str, Any]) -> None:
        """Add a flow step `expect` of an element's count or visibility."""
        if step.get("attributes") or step.get("properties") or step.get("operator", "==") not in ("==", ">="):
            raise Untranslatable("it waits for attributes, properties or fewer elements")
        target, count = _choose_selector(step), step.get("count")
        if type(count) is int and step.get("operator") == "==":
            self.builder.add("expect", "count", target, str(count))
        else:
            self.builder.add("expect", "hidden" if step.get("visible") is False else "visible", target)

    def read_custom_step(self, step: Mapping[str, Any]) -> None:
        """Read a step that `export_recorder` wrote: add the flow's line, or declare its variables."""
        parameters = step.get("parameters")
        if step.get("name") != OURS or not isinstance(parameters, dict):
            raise Untranslatable(f"a step of {str(step.get('name'))[:40]}")
        if "variables" in parameters:
            self._declare_variables(parameters["variables"])
            return
        notes = parameters.get("notes") or []
        try:
            words = split_line(str(parameters.get("line", "")))
            if not words or not isinstance(notes, list) or "\n" in str(parameters.get("line", "")):
                raise Untranslatable("it has no line")
            identities = tuple(parse_note(str(note)) for note in notes)
        except UsageError as error:
            raise Untranslatable(error.message) from None
        unknown = {name for word in words for name in word.variables} - set(self.builder.variables)
        if unknown or words[0].variables or words[0].text == flow_file.INCLUDE:
            raise Untranslatable("its line has unknown variables, or includes another flow")
        tab = parameters.get("tab")
        opens = tab if type(tab) is int and 0 < tab < 10**9 else 0
        self.builder.steps.append(Step(tuple(words), identities, opens))

    def _declare_variables(self, declared: Any) -> None:
        """Declare variables written by `export_recorder`: lists of name, default (or None), whether secret."""
        for each in declared if isinstance(declared, list) else ():
            if not (isinstance(each, list) and len(each) == 3 and isinstance(each[0], str)):
                continue
            name, default, is_secret = each
            is_plain = isinstance(default, str) and default.isprintable() and default == default.strip()
            if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,39}", name):
                self.builder.variables[name] = Variable(
                    name, default if is_plain and not is_secret else None, is_secret=bool(is_secret)
                )


_READERS: Mapping[str, Callable[[_RecordingReader, Mapping[str, Any]], None]] = {
    "navigate": _RecordingReader.read_navigation,
    "click": _RecordingReader.read_click,
    "doubleClick": _RecordingReader.read_click,
    "change": _RecordingReader.read_change,
    "hover": lambda reader, step: reader.builder.add("hover", _choose_selector(step)),
    "keyDown": _RecordingReader.read_key_down,
    "keyUp": _RecordingReader.read_key_up,
    "setViewport": _RecordingReader.read_viewport,
    "scroll": _RecordingReader.read_scroll,
    "waitForElement": _RecordingReader.read_wait,
    "close": lambda reader, step: reader.builder.add("closetab"),
    "customStep": _RecordingReader.read_custom_step,
}


def _read_text(step: Mapping[str, Any], key: str) -> str:
    """Return the text of a step under `key`. Raises Untranslatable without a valid one."""
    value = step.get(key)
    if not isinstance(value, str):
        raise Untranslatable(f"it has no {key}")
    if "\0" in value or (not value.isascii() and any(0xD800 <= ord(each) < 0xE000 for each in value)):
        raise Untranslatable(f"its {key} has a character that no text has")
    return value


def _list_selectors(step: Mapping[str, Any]) -> Iterator[str]:
    """Yield the selectors of a step, except those that are chains through shadow roots."""
    selectors = step.get("selectors")
    for each in selectors if isinstance(selectors, list) else ():
        pieces = [each] if isinstance(each, str) else each
        if isinstance(pieces, list) and len(pieces) == 1 and isinstance(pieces[0], str) and pieces[0]:
            yield pieces[0]


def _choose_selector(step: Mapping[str, Any]) -> str:
    """Return the best selector of a step. Raises Untranslatable without one."""
    found = [target for selector in _list_selectors(step) if (target := _read_selector(selector))]
    if not found:
        raise Untranslatable("it has no selector that leads to its element in one piece")
    return min(found, key=_rank_selector)


def _rank_selector(target: str) -> int:
    """Return a sort key for selectors: test id, role and name, id, text, label, others, positions."""
    starts = ("testid=", "role=", "#", "text=", "label=")
    index = next((index for index, start in enumerate(starts) if target.startswith(start)), len(starts))
    is_position = "nth-" in target or target.startswith("xpath=")
    return index + 10 * is_position


def _read_selector(selector: str) -> str:
    """Return a recording's selector in gbrowse's syntax; "" for one that cannot be translated."""
    if any(ord(character) < 0x20 or 0xD800 <= ord(character) < 0xE000 for character in selector):
        return ""
    if match := _ARIA.match(selector):
        if match[2] and match[1]:
            quoted = match[1].replace("\\", "\\\\").replace('"', '\\"')
            return f'role={match[2]}[name="{quoted}"]'
        return f"label={match[1]}" if match[1].strip() else ""
    if selector.startswith("text/"):
        return f"text={selector[5:]}" if selector[5:].strip() else ""
    if selector.startswith("xpath/"):
        return f"xpath={selector[6:]}" if selector[6:].strip() else ""
    css = selector.removeprefix("pierce/")
    if testid := _TESTID.match(css):
        return f'testid="{testid[1]}"'
    if css.startswith("@") or re.match(r"[a-z]+=|//|\"", css) or ">>>" in css or not css.strip():
        return ""
    return css.strip()
