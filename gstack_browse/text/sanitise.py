"""Makes text from pages safe for a terminal. The only place that does.

Control and escape characters become visible pictures; bidirectional controls, tag characters and other
invisible carriers are removed (Unicode TR 36 and TR 39 name the threats: hidden or reordered text).
"""

import re

_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)}
_C1 = {code: f"\\x{code:02x}" for code in range(0x80, 0xA0)}
_INVISIBLE = [
    0x061C, 0x180E, 0x200E, 0x200F, 0xFEFF,
    *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFFF9, 0xFFFC),
    *range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0),
]  # fmt: skip
_REPLACEMENTS: dict[int, str | None] = {
    **_CONTROLS,
    **_C1,
    0x7F: "\u2421",
    0x2028: "\n",
    0x2029: "\n",
    **dict.fromkeys(_INVISIBLE),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
}
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)


def sanitise(text: str) -> str:
    """`text` with nothing in it that could act on a terminal or hide from a reader. Keeps tabs and newlines."""
    if text.isascii() and text.isprintable():  # nearly every reply ends here
        return text
    if not _SUSPECT.search(text):
        return text
    return text.replace("\r\n", "\n").translate(_REPLACEMENTS)


def one_line(text: str, limit: int = 200) -> str:
    """`text` folded to one sanitised line of at most `limit` characters."""
    folded = " ".join(sanitise(text[: limit * 4]).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"
