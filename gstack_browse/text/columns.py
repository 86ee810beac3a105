"""Small layouts for people: sizes, durations, how many there are, columns."""

from collections.abc import Sequence


def size(count: float) -> str:
    """Bytes as a person reads them: `512 B`, `1.5 MB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError


def part(count: int, whole: int) -> str:
    """So many bytes of a whole as a person reads them: `3 of 400 MB`; where the whole is not known (0), `3.0 MB so far`."""
    if whole <= 0:
        return f"{size(count)} so far"
    number, unit = size(whole).split()
    scale = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit]
    digits = 1 if "." in number else 0
    return f"{count / scale:.{digits}f} of {number} {unit}"


def duration(seconds: float) -> str:
    """Seconds as `42s`, `3m 5s`, `2h 10m`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60}s"
    return f"{whole // 3600}h {whole % 3600 // 60}m"


def shown_seconds(seconds: float) -> str:
    """A limit as somebody set it: `0.3s`, `30s`, `2m 30s`."""
    return (
        duration(round(seconds)) if seconds >= 1 and abs(seconds - round(seconds)) < 0.01 else f"{seconds:.3g}s"
    )


def counted(count: int, one: str, many: str = "") -> str:
    """`1 request`, `1,200 requests`; `many` where the plural is not `one` with an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Print rows of equally many cells in columns that are two spaces apart."""
    return "\n".join(aligned_lines(rows))


def aligned_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of `aligned`, one for each row."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
