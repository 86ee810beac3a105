"""Make the `Input.dispatchKeyEvent` events of key presses on a US keyboard.

Nothing is sent here: see `command/page.py`. A key is named by its code ("KeyA"), its name ("Enter") or the character it types ("a"); a chord is "Control+Shift+A".
"""

import re
import sys
import unicodedata
from typing import Any, NamedTuple

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
    """Return a table of the keys: name, code or character → the Key without Shift, and with Shift held."""
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


Event = dict[str, Any]
"""Parameters of `Input.dispatchKeyEvent`."""

_SHIFT = MODIFIERS["Shift"]
_CONTROL_OR_META = "ControlOrMeta"
"""Playwright's name for Meta on macOS and Control elsewhere."""
_MOST_PRESSED = 40
"""Longest text that `make_key_presses` presses key by key, in characters."""
_INPUT_METHOD = 229
"""Key code (VK_PROCESSKEY) that pages hear while an input method handles the keys and inserts the text."""
_PROCESS = {"key": "Process", "windowsVirtualKeyCode": _INPUT_METHOD}
_DELETE = {"key": "Delete", "code": "Delete", "windowsVirtualKeyCode": 46}


def make_press(chord: str, held: int = 0, *, is_repeated: bool = False) -> list[Event]:
    """Make the events that press and release a key ("a") or a chord ("Control+Shift+A"), like Playwright.

    `held`: bit mask of the modifiers that are down already. `is_repeated`: whether the key itself is down already.
    A character alone may be of another keyboard ("ü"). Returns [] for any other key that a US keyboard does not have.
    """
    *modifiers, name = re.split(r"\+(?!$)", chord)
    if not has_key(name):
        return [] if modifiers or not can_type(name) else _make_foreign_press(name)
    # modifiers that are down already are neither pressed nor released
    down, up = [], []
    for modifier in modifiers:
        bit = find_modifier(modifier)
        if not held & bit:
            down.append(make_down(modifier, held))
            up.append(make_up(modifier, held | bit))
            held |= bit
    return [*down, make_down(name, held, is_repeated=is_repeated), make_up(name, held), *reversed(up)]


def make_down(name: str, held: int = 0, *, is_repeated: bool = False) -> Event:
    """Make the event that presses a key while the modifiers `held` (bit mask) are down. Raises KeyError.

    `is_repeated`: whether the key is down already, so that this is an automatic repetition.
    """
    key = _find_key(name, held)
    held |= find_modifier(name)
    text = "" if held & ~_SHIFT else key.text  # Control+A and the like are shortcuts and type nothing
    unmodified = (
        key.text if held & ~_SHIFT == MODIFIERS["Alt"] else text
    )  # by which Chromium finds an `accesskey`
    event: Event = {"type": "keyDown" if unmodified else "rawKeyDown", **_key_fields(key, held)}
    if text:
        event["text"] = text
    if unmodified:
        event["unmodifiedText"] = unmodified
    if is_repeated:
        event["autoRepeat"] = True
    if sys.platform == "darwin" and (command := _find_mac_command(key.code, held)):
        event["commands"] = [command]
    return event


def make_up(name: str, held: int = 0) -> Event:
    """Make the event that releases a key while the modifiers `held` (bit mask) are down. Raises KeyError."""
    key = _find_key(name, held)
    return {"type": "keyUp", **_key_fields(key, held & ~find_modifier(name))}


def find_modifier(name: str) -> int:
    """Return a modifier key's bit in the bit masks of the protocol; 0 for any other key."""
    return MODIFIERS.get(_find_key(name).key, 0) if len(name) > 1 else 0


def find_code(name: str) -> str:
    """Return the `KeyboardEvent.code` of a key: "KeyA" for both "a" and "A". Raises KeyError."""
    return _find_key(name).code


def has_key(name: str) -> bool:
    """Return whether a US keyboard has a key of that name or character."""
    return name in KEYS or name == _CONTROL_OR_META


def _find_key(name: str, held: int = 0) -> Key:
    """Return the key with that name, code or character. Raises KeyError.

    `held`: bit mask of the modifiers that are down. Shift changes the character of a key.
    """
    if name == _CONTROL_OR_META:
        name = "Meta" if sys.platform == "darwin" else "Control"
    return KEYS[name][bool(held & _SHIFT)]


def _key_fields(key: Key, held: int) -> Event:
    """Return a key's fields in `Input.dispatchKeyEvent`. `held`: bits of the modifiers that are down."""
    described: Event = {"key": key.key, "code": key.code, "windowsVirtualKeyCode": key.number}
    if held:
        described["modifiers"] = held
    if key.location:
        described |= {"location": key.location, "isKeypad": key.location == NUMPAD}
    return described


def _find_mac_command(code: str, held: int) -> str:
    """Return the editing command, such as "selectAll", that macOS has for a chord; "" for none.

    `code`: the key's `KeyboardEvent.code`. `held`: bit mask of the modifiers that are down.
    """
    parts = [name for name in ("Shift", "Control", "Alt", "Meta") if held & MODIFIERS[name]]
    return MAC_COMMANDS.get("+".join([*parts, code]), "")


def split_for_typing(text: str) -> tuple[str, list[Event]]:
    """Return the text to insert into an empty field, and the events of the key press that ends the typing.

    So pages with key listeners get at least one key event. The key is that of the last character; Delete for an empty text. If the last
    character is an emoji, a combining accent or a line break (which might submit a form), all text is inserted. The key is then
    "Process", as with an input method.
    """
    if not text:
        return "", _make_down_and_up("keyDown", _DELETE)
    if not can_type(text[-1]):
        return text, _make_down_and_up("rawKeyDown", _PROCESS)
    return text[:-1], make_press(text[-1])


def can_press_each_key(text: str) -> bool:
    """Return whether a text can be typed key by key: 1 to _MOST_PRESSED characters, each with a key."""
    return 0 < len(text) <= _MOST_PRESSED and all(map(can_type, text))


def make_key_presses(text: str) -> list[Event]:
    """Make the events that type a text key by key; [] unless `can_press_each_key`."""
    return [event for character in text for event in make_press(character)] if can_press_each_key(text) else []


def can_type(character: str) -> bool:
    """Return whether a key press can type a character: a letter, number, sign or space of one UTF-16 unit."""
    if len(character) != 1 or ord(character) >= 0x10000:
        return False
    return unicodedata.category(character)[0] in "LNPS" or character == " "


def _make_foreign_press(character: str) -> list[Event]:
    """Make the events that type a character without a key on a US keyboard ("ü"): they have no code."""
    key: Event = {"key": character, "code": "", "windowsVirtualKeyCode": 0}
    down: Event = {"type": "keyDown", **key, "text": character, "unmodifiedText": character}
    return [down, {"type": "keyUp", **key}]


def _make_down_and_up(down_type: str, key: Event) -> list[Event]:
    """Make the two events that press and release a key.

    `down_type`: `keyDown`, or `rawKeyDown` for a key without text. `key`: the fields that describe the key.
    """
    return [{"type": down_type, **key}, {"type": "keyUp", **key}]
