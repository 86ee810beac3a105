"""Format sizes, durations and counts for people."""


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
    """Format a count with noun: `1 request`, `1,200 requests`. `many`: the plural, if not `one` with s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
