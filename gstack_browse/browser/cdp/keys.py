"""Makes the events of key presses on a US keyboard, for Chromium's protocol. Pure."""

import re
import sys
import unicodedata
from typing import Any

from gstack_browse.browser.cdp.us_keyboard import KEYS, MAC_COMMANDS, MODIFIERS, NUMPAD, Key

Event = dict[str, Any]
"""Parameters of `Input.dispatchKeyEvent`."""

_SHIFT = MODIFIERS["Shift"]
_CONTROL_OR_META = "ControlOrMeta"
"""The key of commands: Meta on macOS, Control elsewhere."""
_MOST_PRESSED = 40
"""Characters of a text that is pressed key by key."""
_INPUT_METHOD = 229
"""The number of a key that an input method has taken for itself, which then commits text."""
_PROCESS = {"key": "Process", "windowsVirtualKeyCode": _INPUT_METHOD}
_DELETE = {"key": "Delete", "code": "Delete", "windowsVirtualKeyCode": 46}


def make_press(chord: str, held: int = 0, *, is_repeated: bool = False) -> list[Event]:
    """Make the events that press a key or chord and release it, as Playwright sends them.

    [] for a key that a US keyboard does not have. `held`: bits of the modifiers that are down. `is_repeated`:
    whether the key itself is down already.
    """
    *modifiers, name = re.split(r"\+(?!$)", chord)
    if not has_key(name):
        return []
    down, up = [], []
    for modifier in modifiers:
        bit = find_modifier(modifier)
        if not held & bit:
            down.append(make_down(modifier, held))
            up.append(make_up(modifier, held | bit))
            held |= bit
    return [*down, make_down(name, held, is_repeated=is_repeated), make_up(name, held), *reversed(up)]


def make_down(name: str, held: int = 0, *, is_repeated: bool = False) -> Event:
    """Make the event that presses a key while the modifiers `held` (bits) are down. Raises KeyError."""
    key = _find_key(name, held)
    held |= find_modifier(name)
    text = "" if held & ~_SHIFT else key.text  # with another modifier it is a command
    event: Event = {"type": "keyDown" if text else "rawKeyDown", **_describe(key, held)}
    if text:
        event |= {"text": text, "unmodifiedText": text}
    if is_repeated:
        event["autoRepeat"] = True
    if sys.platform == "darwin" and (command := _find_mac_command(key.code, held)):
        event["commands"] = [command]
    return event


def make_up(name: str, held: int = 0) -> Event:
    """Make the event that releases a key while the modifiers `held` (bits) are down. Raises KeyError."""
    key = _find_key(name, held)
    return {"type": "keyUp", **_describe(key, held & ~find_modifier(name))}


def find_modifier(name: str) -> int:
    """Return the bit of a modifier key; 0 for any other key."""
    return MODIFIERS.get(_find_key(name).key, 0) if len(name) > 1 else 0


def find_code(name: str) -> str:
    """Return the code of a key: keys of one code are the same. Raises KeyError for none."""
    return _find_key(name).code


def has_key(name: str) -> bool:
    """Return whether a US keyboard has a key of that name or character."""
    return name in KEYS or name == _CONTROL_OR_META


def _find_key(name: str, held: int = 0) -> Key:
    if name == _CONTROL_OR_META:
        name = "Meta" if sys.platform == "darwin" else "Control"
    return KEYS[name][bool(held & _SHIFT)]


def _describe(key: Key, held: int) -> Event:
    described: Event = {"key": key.key, "code": key.code, "windowsVirtualKeyCode": key.number}
    if held:
        described["modifiers"] = held
    if key.location:
        described |= {"location": key.location, "isKeypad": key.location == NUMPAD}
    return described


def _find_mac_command(code: str, held: int) -> str:
    parts = [name for name in ("Shift", "Control", "Alt", "Meta") if held & MODIFIERS[name]]
    return MAC_COMMANDS.get("+".join([*parts, code]), "")


def split_for_typing(text: str) -> tuple[str, list[Event]]:
    """Split a text for an empty field into the part to insert and the key press that ends the text.

    The key is that of the last character. A character without a key is inserted with the rest, as by an input method; then the key is
    "Process". That goes for half of an emoji, a combining accent, and a line break, which may submit. An empty text presses Delete.
    """
    if not text:
        return "", _events("keyDown", _DELETE)
    if not _is_typed(text[-1]):
        return text, _events("rawKeyDown", _PROCESS)
    return text[:-1], _press(text[-1])


def is_short(text: str) -> bool:
    """Return whether a text can be pressed key by key: at most _MOST_PRESSED characters, each with a key."""
    return 0 < len(text) <= _MOST_PRESSED and all(map(_is_typed, text))


def press_each_key(text: str) -> list[Event]:
    """Make the presses of all keys of a short text; [] for any other."""
    return [event for character in text for event in _press(character)] if is_short(text) else []


def _is_typed(character: str) -> bool:
    return (ord(character) < 0x10000 and unicodedata.category(character)[0] in "LNPS") or character == " "


def _press(character: str) -> list[Event]:
    """Make the press of a character; of one without a key on a US keyboard, of a key without a code."""
    if character in KEYS:
        return make_press(character)
    key: Event = {"key": character, "code": "", "windowsVirtualKeyCode": 0}
    down: Event = {"type": "keyDown", **key, "text": character, "unmodifiedText": character}
    return [down, {"type": "keyUp", **key}]


def _events(down: str, key: Event) -> list[Event]:
    return [{"type": down, **key}, {"type": "keyUp", **key}]
