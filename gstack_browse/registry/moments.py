"""Moments as they are typed: seconds since 1970, a date, or how long from now. Pure."""

import re
from datetime import UTC, datetime

from gstack_browse.errors import UsageError

_SPAN = r"([0-9]{1,6})([smhd])\Z"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def moment(word: str, now: float) -> float:
    """Seconds since 1970. A date without a zone is meant in UTC, as cookies' dates are. Raises UsageError."""
    if re.fullmatch(r"[0-9]{1,11}", word):
        return float(word)
    if match := re.match(_SPAN, word):
        return now + int(match[1]) * _SECONDS[match[2]]
    try:
        found = datetime.fromisoformat(word)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(
            f'"{word[:60]}" is no time', "Write 30d, 12h, 2027-01-31, or seconds since 1970"
        ) from None
