"""Which of two versions of gbrowse is newer: their release numbers are compared, nothing else of them. Pure."""

import re


def is_newer(version: str, than: str) -> bool:
    """Whether the release number of `version` is above that of `than`; a version without one is never newer."""
    return _release(version) > _release(than)


def _release(version: str) -> tuple[int, ...]:
    match = re.match(r"v?(\d{1,9}(?:\.\d{1,9}){0,5})", version)
    numbers = [int(part) for part in match[1].split(".")] if match else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
