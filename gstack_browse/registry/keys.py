"""Names of keys and chords, in Playwright's spelling whatever the case they were typed in. Pure."""

import re
from collections.abc import Sequence

from gstack_browse.errors import UsageError
from gstack_browse.registry.paths import CallerPaths
from gstack_browse.registry.suggest import nearest

KEYS = (
    "Enter", "Tab", "Escape", "Backspace", "Delete", "Insert", "Space", "Home", "End", "PageUp", "PageDown",
    "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Shift", "Control", "Alt", "Meta", "ControlOrMeta",
    "CapsLock", "ContextMenu", "Pause", "PrintScreen", "ScrollLock", "NumLock",
    "ShiftLeft", "ShiftRight", "ControlLeft", "ControlRight", "AltLeft", "AltRight", "MetaLeft", "MetaRight",
    *(f"F{number}" for number in range(1, 25)), *(f"Digit{digit}" for digit in range(10)),
    *(f"Key{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), *(f"Numpad{digit}" for digit in range(10)),
    "NumpadAdd", "NumpadSubtract", "NumpadMultiply", "NumpadDivide", "NumpadDecimal", "NumpadEnter",
    "Backquote", "Minus", "Equal", "Backslash", "BracketLeft", "BracketRight", "Semicolon", "Quote", "Comma",
    "Period", "Slash", "AltGraph",
)  # fmt: skip
_SPELLINGS = {
    "return": "Enter", "esc": "Escape", "del": "Delete", "ins": "Insert", "ctrl": "Control", "cmd": "Meta",
    "command": "Meta", "option": "Alt", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
    "right": "ArrowRight", "pgup": "PageUp", "pgdn": "PageDown", "pagedn": "PageDown",
    **{key.lower(): key for key in KEYS},
}  # fmt: skip


def key_or_chord(word: str, paths: CallerPaths) -> str:
    """Parse a key or a chord such as Control+A; return it in Playwright's spelling."""
    if not word:
        raise UsageError("The key is empty")
    *held, last = _key_parts(word)
    modifiers = [_modifier(part) for part in held]
    key = _one_key(last)
    if "Shift" in modifiers and len(key) == 1:
        key = key.upper()
    return "+".join([*modifiers, key])


def _key_parts(word: str) -> list[str]:
    """Split a chord into its keys; the last may be the plus itself, as in Control++."""
    if word == "+":
        return ["+"]
    return [*word[:-2].split("+"), "+"] if word.endswith("++") else word.split("+")


def _modifier(part: str) -> str:
    name = _one_key(part)
    if name not in ("Shift", "Control", "Alt", "Meta", "ControlOrMeta"):
        raise UsageError(f'"{part}" is not a modifier key', "Modifiers: Shift, Control, Alt, Meta")
    return name


def _one_key(part: str) -> str:
    if len(part) == 1:
        return part
    if not part:
        raise UsageError("The chord has no last key", "For example Control+A")
    if key := _SPELLINGS.get(part.lower()):
        return "Space" if key == "Space" else key
    near = nearest(part, KEYS)
    raise UsageError(
        f'Unknown key "{part}"',
        f"Did you mean {near}?" if near else "For example Enter, Tab, Escape, ArrowDown, Control+A",
    )


def modifier_keys(word: str, paths: CallerPaths) -> Sequence[str]:
    """Parse modifier keys, separated by commas or pluses."""
    return [_modifier(part) for part in re.split(r"[\s,+]+", word) if part]
