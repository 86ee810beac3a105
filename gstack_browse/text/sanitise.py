"""Make text of pages safe for terminals and readers, and quote it in our own lines.

Only this module does that. Control and escape characters become visible. What hides or reorders text is removed:
bidirectional controls, tag characters and the like. Long runs of marks and joiners are cut and counted. Unicode TR 36
and TR 39 name the threats. The only character left that ends a line is "\\n".
"""

import os
import re
import unicodedata
from functools import cache
from itertools import pairwise

_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)}
_C1 = {code: f"\\u{code:04x}" for code in range(0x80, 0xA0)}  # stays JSON where it stands in a JSON string
_INVISIBLE = [
    0x061C, 0x180E, 0x200E, 0x200F, 0xFEFF,
    *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFFF9, 0xFFFC),
    *range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0),
]  # fmt: skip
_REPLACEMENTS: dict[int, str | None] = {
    **_CONTROLS,
    **_C1,
    0x7F: "\u2421",
    0x2028: " ",
    0x2029: " ",
    **dict.fromkeys(_INVISIBLE),
    **dict.fromkeys([*range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "\ufffd"),
}
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)

MOST_UNSEEN = 3
"""Characters in a row that draw nothing. Emoji need two (a selector and a joiner), Arabic at most three (ZWJ, ZWNJ, ZWJ)."""
MOST_MARKS = 10
"""Marks in a row on one letter, with what draws nothing between them. Hebrew has up to six, a stack of Tibetan nine."""
_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0"
"""Letters and marks that draw nothing: what Unicode calls Default_Ignorable_Code_Point beside the format characters."""
_SHORT_NAME = re.compile(r"""[^\s"'`\\,:;()<>@→[\]]+(?: [^\s"'`\\,:;()<>@→[\]]+){0,2}""")
_BEYOND_BMP = "\U00010000-\U0001ffff"
"""Unicode has no marks or format characters behind these, except for those that are removed."""


def sanitise(text: str) -> str:
    """Make text of a page safe to print: make control characters visible, remove invisible ones.

    Long runs of combining marks are cut. Tabs and newlines stay.
    """
    if text.isascii() and text.isprintable():  # nearly every reply ends here
        return text
    if _SUSPECT.search(text):
        text = text.replace("\r\n", "\n").translate(_REPLACEMENTS)
    if text.isascii():
        return text

    def cut_runs(found: re.Match[str]) -> str:
        return _compile_run_pattern(is_exact=True).sub(_cut_run, found[0])

    return _compile_run_pattern(is_exact=False).sub(cut_runs, text)


def split_lines(text: str) -> list[str]:
    r"""Sanitise `text` and split it into lines at "\n" only. An empty text has no line.

    `str.splitlines` splits at U+0085, U+2028 and six others too, which a page may have put there.
    """
    return sanitise(text).split("\n") if text else []


def one_line(text: str, limit: int = 200) -> str:
    """Return `text` of a page as one line, safe to print, of at most `limit` characters."""
    most = limit * 4
    folded = " ".join(sanitise(text[:most]).split())
    is_whole = len(text) <= most or text[most:].isspace()  # blanks may have pushed words out
    return folded if is_whole and len(folded) <= limit else folded[: limit - 1] + "…"


def quote_text(text: str, limit: int = 200) -> str:
    """Put `text` in double quotes as one line of at most `limit` characters; quotes in it are escaped."""
    return f'"{escape_quotes(one_line(text, limit))}"'


def quote_unless_short(text: str, limit: int = 200) -> str:
    """Return `text` as one line, in quotes unless it is a short name: Save → Save, a: b → "a: b".

    A short name has one to three words and none of the characters that replies use themselves, as quotes, colons, @ and →.
    """
    name = one_line(text, limit)
    return name if _SHORT_NAME.fullmatch(name) else quote_text(name, limit)


def element_name(name: str, limit: int = 120) -> str:
    """Return an element's description, as `<button#go> "Go"`, in one line of at most `limit` characters.

    A name that is too long is cut inside its quotation marks.
    """
    name = one_line(name, 4 * limit)
    if len(name) <= limit:
        return name
    kept = name[: limit - 2].rstrip("\\")
    return kept + ('…"' if '"' in kept else "…")


def escape_quotes(text: str) -> str:
    """Escape backslashes and quotation marks, for text between quotation marks."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _cut_run(run: re.Match[str]) -> str:
    """Return a run of combining or invisible characters cut to MOST_MARKS, with the number of those cut."""
    kept = _compile_unseen_pattern().sub(lambda unseen: unseen[0][:MOST_UNSEEN], run[0][:MOST_MARKS])
    cut = len(run[0]) - len(kept)
    return f"{kept}[{cut} marks cut]" if cut else kept


@cache
def _compile_run_pattern(*, is_exact: bool) -> re.Pattern[str]:
    """Compile a pattern that finds runs of combining or invisible characters that may be too long.

    `is_exact`: no other runs, which is slow. Else also any run of characters beyond the BMP: `re` has a table for the BMP only.
    """
    beyond = _list_ranges(0x10000, 0x20000, "Cf", "Mn", "Me") if is_exact else _BEYOND_BMP
    characters = _list_bmp_ranges("Cf", "Mn", "Me") + beyond
    # Written as one character and more: `re` searches faster for a pattern that begins with a single one.
    return re.compile(f"[{characters}][{characters}]{{{MOST_UNSEEN},}}")


@cache
def _compile_unseen_pattern() -> re.Pattern[str]:
    """Compile a pattern that matches a run of characters that draw nothing (Unicode category Cf)."""
    return re.compile(f"[{_list_bmp_ranges('Cf')}{_list_ranges(0x10000, 0x20000, 'Cf')}]+")


def _list_bmp_ranges(*categories: str) -> str:
    """Return the BMP characters of Unicode categories, and _FILLERS, as ranges for `[…]` of a pattern."""
    return _FILLERS + _list_ranges(0xAD, 0x10000, *categories)


def _list_ranges(start: int, stop: int, *categories: str) -> str:
    """Return the characters of Unicode categories, as ranges for `[…]` of a pattern.

    Only code points from `start` up to `stop`. It takes some milliseconds, so callers are cached and run for the first text that
    needs them.
    """
    codes = [code for code in range(start, stop) if unicodedata.category(chr(code)) in categories]
    firsts = [code for before, code in pairwise([0, *codes]) if code != before + 1]
    lasts = [code for code, after in pairwise([*codes, stop]) if code + 1 != after]
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in zip(firsts, lasts, strict=True))


def fence(text: str) -> str:
    """Put text of a page between two marker lines, with a random label that the page cannot guess."""
    while (label := os.urandom(3).hex()) in text:
        pass
    return f"{begin_fence(label)}\n{text}\n{end_fence(label)}"


def begin_fence(label: str) -> str:
    """Return the marker line above a page's text."""
    return f"--- page {label} ---"


def end_fence(label: str) -> str:
    """Return the marker line below a page's text."""
    return f"--- end {label} ---"
