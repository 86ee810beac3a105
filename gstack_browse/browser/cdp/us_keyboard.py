"""The keys of a US keyboard: a table, without behaviour.

Codes, keys and locations are those of the W3C's "UI Events KeyboardEvent code Values" and "… key Values". Numbers are
Windows' virtual key codes, which Chromium gives pages as `keyCode` (ui/events/keycodes/keyboard_codes_posix.h). Num Lock
is off: the numeric pad moves the caret, and types digits with Shift.
"""

from typing import NamedTuple

STANDARD, LEFT, RIGHT, NUMPAD = range(4)
"""Values of `KeyboardEvent.location`."""
MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
"""Modifier key → its bit in Chromium's protocol."""


class Key(NamedTuple):
    """The properties of a `KeyboardEvent` (`number` is its `keyCode`), and the text that the key types."""

    code: str
    key: str
    number: int
    location: int = STANDARD
    text: str = ""


_WRITING = (
    ("Backquote", "`~", 192), ("Minus", "-_", 189), ("Equal", "=+", 187), ("BracketLeft", "[{", 219),
    ("BracketRight", "]}", 221), ("Backslash", "\\|", 220), ("Semicolon", ";:", 186), ("Quote", "'\"", 222),
    ("Comma", ",<", 188), ("Period", ".>", 190), ("Slash", "/?", 191), ("Space", "  ", 32),
    *((f"Digit{digit}", f"{digit}{shifted}", 48 + digit) for digit, shifted in enumerate(")!@#$%^&*(")),
    *((f"Key{letter}", letter.lower() + letter, ord(letter)) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
)  # fmt: skip
"""Code, the characters without and with Shift, and number."""
_NAMED = {
    "Backspace": 8, "Tab": 9, "Pause": 19, "CapsLock": 20, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35,
    "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "PrintScreen": 44, "Insert": 45,
    "Delete": 46, "ContextMenu": 93, "NumLock": 144, "ScrollLock": 145,
    **{f"F{number}": 111 + number for number in range(1, 25)},
}  # fmt: skip
"""Keys without a character, whose code is their name."""
_SIDED = {"Shift": (16, 16), "Control": (17, 17), "Alt": (18, 18), "Meta": (91, 92)}
"""Modifier keys, which exist on the left and on the right: the number of each."""
_NUMPAD_MOVES = (
    "Insert",
    "End",
    "ArrowDown",
    "PageDown",
    "ArrowLeft",
    "Clear",
    "ArrowRight",
    "Home",
    "ArrowUp",
    "PageUp",
)
"""What the keys 0 to 9 of the numeric pad do without Num Lock."""
_NUMPAD_SIGNS = {"Multiply": ("*", 106), "Add": ("+", 107), "Subtract": ("-", 109), "Divide": ("/", 111)}
_ENTER = Key("Enter", "Enter", 13, text="\r")


def _keys() -> dict[str, tuple[Key, Key]]:
    """Build KEYS."""
    keys: dict[str, tuple[Key, Key]] = {}

    def add_key(names: tuple[str, ...], key: Key, shifted: Key | None = None) -> None:
        keys.update(dict.fromkeys(names, (key, shifted or key)))

    for code, characters, number in _WRITING:
        plain, shifted = (Key(code, character, number, text=character) for character in characters)
        add_key((code,), plain, shifted)
        add_key((plain.key,), plain)  # "a" types "a" even with Shift down; "KeyA" types "A" then
        add_key((shifted.key,), shifted)
    for name, number in _NAMED.items():
        add_key((name,), Key(name, name, number))
    add_key(("Enter", "\r", "\n"), _ENTER)
    for name, (left, right) in _SIDED.items():
        add_key((name, f"{name}Left"), Key(f"{name}Left", name, left, LEFT))
        add_key((f"{name}Right",), Key(f"{name}Right", name, right, RIGHT))
    add_key(("AltGraph",), Key("", "AltGraph", 225))
    for digit, move in enumerate(_NUMPAD_MOVES):
        number = _NAMED.get(move, 12)
        code = f"Numpad{digit}"
        add_key((code,), Key(code, move, number, NUMPAD), Key(code, str(digit), 96 + digit, NUMPAD, str(digit)))
    code = "NumpadDecimal"
    add_key((code,), Key(code, "Delete", 46, NUMPAD), Key(code, ".", 110, NUMPAD, "."))
    for name, (sign, number) in _NUMPAD_SIGNS.items():
        add_key((f"Numpad{name}",), Key(f"Numpad{name}", sign, number, NUMPAD, sign))
    add_key(("NumpadEnter",), Key("NumpadEnter", "Enter", 13, NUMPAD, "\r"))
    return keys


KEYS = _keys()
"""Code, name or character → the key without and with Shift."""

MAC_COMMANDS = {
    "Meta+KeyA": "selectAll", "Meta+KeyC": "copy", "Meta+KeyX": "cut", "Meta+KeyV": "paste", "Meta+KeyZ": "undo",
    "Shift+Meta+KeyZ": "redo", "Meta+ArrowLeft": "moveToLeftEndOfLine", "Meta+ArrowRight": "moveToRightEndOfLine",
    "Meta+ArrowUp": "moveToBeginningOfDocument", "Meta+ArrowDown": "moveToEndOfDocument",
    "Shift+Meta+ArrowLeft": "moveToLeftEndOfLineAndModifySelection",
    "Shift+Meta+ArrowRight": "moveToRightEndOfLineAndModifySelection",
    "Shift+Meta+ArrowUp": "moveToBeginningOfDocumentAndModifySelection",
    "Shift+Meta+ArrowDown": "moveToEndOfDocumentAndModifySelection",
    "Alt+ArrowLeft": "moveWordLeft", "Alt+ArrowRight": "moveWordRight",
    "Shift+Alt+ArrowLeft": "moveWordLeftAndModifySelection", "Shift+Alt+ArrowRight": "moveWordRightAndModifySelection",
    "Meta+Backspace": "deleteToBeginningOfLine", "Alt+Backspace": "deleteWordBackward", "Alt+Delete": "deleteWordForward",
    "Backspace": "deleteBackward", "Delete": "deleteForward", "ArrowLeft": "moveLeft", "ArrowRight": "moveRight",
    "ArrowUp": "moveUp", "ArrowDown": "moveDown", "Shift+ArrowLeft": "moveLeftAndModifySelection",
    "Shift+ArrowRight": "moveRightAndModifySelection", "Shift+ArrowUp": "moveUpAndModifySelection",
    "Shift+ArrowDown": "moveDownAndModifySelection",
}  # fmt: skip
"""Chord → the editing command that macOS gives an application for it. Elsewhere Chromium finds these itself."""
