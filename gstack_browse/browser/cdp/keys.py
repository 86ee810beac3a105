"""Makes the events of key presses on a US keyboard, for Chromium's protocol. Pure."""

import unicodedata
from typing import Any

Event = dict[str, Any]
"""Parameters of `Input.dispatchKeyEvent`."""

_PLAIN = "`-=[]\\;',./1234567890 "
_SHIFTED = '~_+{}|:"<>?!@#$%^&*() '
_CODES = [
    "Backquote",
    "Minus",
    "Equal",
    "BracketLeft",
    "BracketRight",
    "Backslash",
    "Semicolon",
    "Quote",
    "Comma",
    "Period",
    "Slash",
    "Digit1",
    "Digit2",
    "Digit3",
    "Digit4",
    "Digit5",
    "Digit6",
    "Digit7",
    "Digit8",
    "Digit9",
    "Digit0",
    "Space",
]
_NUMBERS = [192, 189, 187, 219, 221, 220, 186, 222, 188, 190, 191, *range(49, 58), 48, 32]
_PLACES = {
    character: (code, number)
    for row in (_PLAIN, _SHIFTED)
    for character, code, number in zip(row, _CODES, _NUMBERS, strict=True)
}
_MOST_PRESSED = 40
"""Characters of a text that is pressed key by key."""
_INPUT_METHOD = 229
"""The number of a key that an input method has taken for itself, which then commits text."""
_PROCESS = {"key": "Process", "windowsVirtualKeyCode": _INPUT_METHOD}
_DELETE = {"key": "Delete", "code": "Delete", "windowsVirtualKeyCode": 46}
_NAMED = {
    "Backspace": 8,
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    "PageUp": 33,
    "PageDown": 34,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Insert": 45,
    "Delete": 46,
}
"""Keys that have no character, and their numbers (`windowsVirtualKeyCode`)."""


def make_press(key: str) -> list[Event]:
    """Make the events that press a key, as Playwright sends them.

    `key`: a named key, or a character of a US keyboard; [] for others and for chords.
    """
    if number := _NAMED.get(key):
        named = {"key": key, "code": key, "windowsVirtualKeyCode": number}
        if key == "Enter":
            return _with_text(named, "\r")
        return _events("rawKeyDown", named)
    if key == "Space":
        key = " "
    return _press(key) if key in _PLACES or (len(key) == 1 and key.isascii() and key.isalpha()) else []


def make_presses(text: str) -> list[list[Event]]:
    """Make the presses that type a text, one list for each character.

    [] for one without a key on a US keyboard.
    """
    return [make_press("Enter" if character in "\r\n" else character) for character in text]


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
    code, number = _place(character)
    return _with_text({"key": character, "code": code, "windowsVirtualKeyCode": number}, character)


def _with_text(key: Event, text: str) -> list[Event]:
    down, up = _events("keyDown", key)
    return [{**down, "text": text, "unmodifiedText": text}, up]


def _events(down: str, key: Event) -> list[Event]:
    return [{"type": down, **key}, {"type": "keyUp", **key}]


def _place(character: str) -> tuple[str, int]:
    """Return code and number of a character's key on a US keyboard; ("", 0) without one."""
    if character.isascii() and character.isalpha():
        return f"Key{character.upper()}", ord(character.upper())
    return _PLACES.get(character, ("", 0))
