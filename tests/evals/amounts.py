"""Numbers in words: characters, dollars, seconds, how long ago. Pure."""

from collections.abc import Callable

Shown = Callable[[float], str]


def thousands(number: float) -> str:
    """4,100 is 4.1k."""
    if abs(number) < 1000:
        return f"{number:.0f}"
    return f"{number / 1000:.1f}k" if abs(number) < 999_950 else f"{number / 1_000_000:.1f}M"


def dollars(number: float) -> str:
    return f"${number:.2f}" if abs(number) >= 0.005 or number == 0 else f"${number:.4f}"


def seconds(milliseconds: float) -> str:
    """1,500 is 1.5s; 90,000 is 1m30s."""
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.1f}s"
    minutes, rest = divmod(round(milliseconds / 1000), 60)
    return f"{minutes}m{rest:02}s" if minutes < 60 else f"{minutes // 60}h{minutes % 60:02}m"
