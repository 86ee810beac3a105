"""Secrets that pages were given: hidden in everything that is printed or logged, also as pages may write them. Pure.

This keeps them from being repeated by accident. It is no wall: a script can take a value apart.
"""

import time
from urllib.parse import quote, quote_plus

from gstack_browse.text.redact import REDACTED

SHORTEST = 4
"""A shorter value would be found in innocent words."""
MOST = 100


class Revealed:
    """What to hide. A one-time code is hidden as long as somebody could use it, and some minutes more."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._forms: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._until)

    @property
    def values(self) -> list[str]:
        """The secrets that hold for as long as the browser does."""
        return [value for value, until in self._until.items() if until == float("inf")]

    def add(self, value: str, *, seconds: float = float("inf")) -> None:
        """Hide a value from now on, or for so long."""
        if len(value) < SHORTEST:
            return
        self._until.pop(value, None)
        self._until[value] = seconds if seconds == float("inf") else time.monotonic() + seconds
        while len(self._until) > MOST:
            del self._until[next(iter(self._until))]
        self._forms = sorted({form for each in self._until for form in _forms(each)}, key=len, reverse=True)

    def hide(self, text: str) -> str:
        """`text` without any of them."""
        if not self._until:
            return text
        self._forget_old()
        for form in self._forms:
            if form in text:
                text = text.replace(form, REDACTED)
        return text

    def _forget_old(self) -> None:
        now = time.monotonic()
        if old := [value for value, until in self._until.items() if until < now]:
            for value in old:
                del self._until[value]
            self._forms = sorted({form for each in self._until for form in _forms(each)}, key=len, reverse=True)


def _forms(value: str) -> set[str]:
    """A value as it is, and as pages, requests and JSON write it."""
    import html  # no part of a start: nothing is revealed there
    import json
    from base64 import b64encode

    encoded = b64encode(value.encode("utf-8", "surrogatepass")).decode()
    written = {
        value,
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        html.escape(value),
        html.escape(value, quote=False),
        quote(value, safe="", errors="replace"),
        quote(value, errors="replace"),
        quote_plus(value, errors="replace"),
        encoded,
        encoded.rstrip("="),
        " ".join(value.split()),
    }
    return {form for form in written if len(form) >= SHORTEST}
