"""Format sizes, durations, counts and columns for people."""

import re
from collections.abc import Sequence


def format_bytes(count: float) -> str:
    """Format a number of bytes: `512 B`, `1.5 MB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError


def format_progress(count: int, whole: int) -> str:
    """Format a part of a size: `3 of 400 MB`; `3.0 MB so far` if the whole is unknown (0)."""
    if whole <= 0:
        return f"{format_bytes(count)} so far"
    number, unit = format_bytes(whole).split()
    scale = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit]
    digits = 1 if "." in number else 0
    return f"{count / scale:.{digits}f} of {number} {unit}"


def format_duration(seconds: float) -> str:
    """Format seconds as `42s`, `3m 5s`, `2h 10m`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60}s"
    return f"{whole // 3600}h {whole % 3600 // 60}m"


def format_seconds(seconds: float) -> str:
    """Format a time limit as it was set: `0.3s`, `30s`, `2m 30s`."""
    return (
        format_duration(round(seconds))
        if seconds >= 1 and abs(seconds - round(seconds)) < 0.01
        else f"{seconds:.3g}s"
    )


def format_count(count: int, one: str, many: str = "") -> str:
    """Format a count with its noun: `1 request`, `1,200 requests`. `many`: a plural without a plain s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def align_columns(rows: Sequence[Sequence[str]]) -> str:
    """Align rows with equally many cells in columns two spaces apart, as one text."""
    return "\n".join(align_rows(rows))


def align_rows(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align rows with equally many cells in columns two spaces apart; return one line for each."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


_DECIMAL = re.compile(r"\d+[.,]\d+")
_WRITTEN = re.compile(r"\d[\d.,]*")
_BETWEEN = re.compile(r"(?<=\d)[\s\u00a0\u202f'’](?=\d{3})")
"""Separators of thousands other than point and comma."""


def is_different_number(held: str, wanted: str) -> bool:
    """Return whether `wanted` is a decimal number and `held` a different one: True for "123 €" and "12.3".

    AutoNumeric with a decimal comma takes the point of a text for a separator of thousands.
    """
    if not _DECIMAL.fullmatch(wanted.strip()):
        return False
    meant, said = _possible_values(wanted), _possible_values(held)
    return bool(said) and not meant & said


def is_same_number(held: str, wanted: str) -> bool:
    """Return whether two texts have one number each, and the same one.

    Numbers are read as people usually write them: "1,234.50 €" is "1234.5".
    """
    values = _usual_value(held), _usual_value(wanted)
    return values[0] is not None and values[0] == values[1]


def _usual_value(text: str) -> float | None:
    """Return the only number in a text as people usually mean it; None for none or several.

    Three digits after the last point or comma are thousands: "1.234" → 1234, "1.5" → 1.5.
    """
    found = _WRITTEN.findall(_BETWEEN.sub("", text))
    if len(found) != 1:
        return None
    *whole, last = re.split(r"[.,]", found[0].rstrip(".,"))
    is_fraction = bool(whole) and len(last) != 3
    value = float(f"{''.join(whole)}.{last}" if is_fraction else "".join([*whole, last]))
    return -value if re.search(r"[-\u2212]\s*\D?\d", text) else value


def _possible_values(text: str) -> set[float]:
    """Return all readings of the only number in a text: "1,234" → {1234, 1.234}; else an empty set."""
    found = _WRITTEN.findall(_BETWEEN.sub("", text))
    if len(found) != 1:
        return set()
    number = found[0].rstrip(".,")
    parts = re.split(r"[.,]", number)
    signs = re.findall(r"[.,]", number)
    may_be = set()
    if not signs or all(len(part) == 3 for part in parts[1:]):
        may_be.add(float("".join(parts)))
    if signs and signs.count(signs[-1]) == 1:
        may_be.add(float("".join(parts[:-1]) + "." + parts[-1]))
    return may_be


_REF = re.compile(r"^(\s*(?:[+-] )?)(@[ec][0-9]+)", re.MULTILINE)
_ROLE = re.compile(r"(\[[a-z][^\[\]\n]{0,60}\])")
_CYAN, _DIM, _PLAIN = "\x1b[36m", "\x1b[2m", "\x1b[0m"


def colour_snapshot(text: str) -> str:
    """Colour the refs of a sanitised snapshot, and dim what is in brackets."""
    return _REF.sub(rf"\1{_CYAN}\2{_PLAIN}", _ROLE.sub(rf"{_DIM}\1{_PLAIN}", text))
