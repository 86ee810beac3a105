"""Replace secrets in output: passwords in URLs, cookies, and values that were typed into pages. Pure.

This prevents accidental repetition. It is no security boundary: a script can take a value apart.
"""

import re
import time
from collections.abc import Iterable
from urllib.parse import quote, quote_plus, unquote

REDACTED = "[redacted]"
SHORTEST_SECRET = 4
"""Shorter values also occur in ordinary words."""
_URL_PASSWORD = re.compile(r"(?<=://)([^\s/:@?#]*):[^\s/@?#]+@")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` with passwords in URLs and all `secrets` replaced."""
    text = hide_values(text, secrets)
    if "@" in text and "://" in text:
        text = _URL_PASSWORD.sub(rf"\1:{REDACTED}@", text)
    return text


def hide_values(text: str, secrets: Iterable[str]) -> str:
    """Return `text` with all `secrets` replaced that are long enough to be no ordinary words."""
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, REDACTED)
    return text


MOST_SECRETS = 100
SHORTEST_COOKIE = 8
"""Shorter values of cookies are words such as `dark` and `en-US`."""
MOST_COOKIES = 20_000
_MAY_BEGIN = re.compile(r"(?:(?<![0-9A-Za-z])|(?<=%[0-9A-Fa-f]{2}))(?=(.{8}))", re.DOTALL)
"""Where a cookie's value may begin in a line, and its first characters. A line is read once, however many cookies there are."""


class CookieValues:
    """The values of cookies to hide in log files: as they are, decoded, and encoded for addresses.

    A value is found where neither a letter nor a digit stands beside it.
    """

    def __init__(self) -> None:
        self._forms: dict[str, None] = {}
        """The values in all their forms, the oldest first."""
        self._by_beginning: dict[str, list[str]] = {}
        """First characters of a form → the forms that begin so, the longest first."""

    def add(self, values: Iterable[str]) -> None:
        """Add cookie values for `hide` to replace from now on. Beyond MOST_COOKIES the oldest are forgotten."""
        for value in values:
            for form in (value, unquote(value), quote(value, safe="")):
                if len(form) >= SHORTEST_COOKIE and form not in self._forms:
                    self._forms[form] = None
                    alike = self._by_beginning.setdefault(form[:SHORTEST_COOKIE], [])
                    alike.append(form)
                    alike.sort(key=len, reverse=True)
        for oldest in list(self._forms)[: max(0, len(self._forms) - MOST_COOKIES)]:
            del self._forms[oldest]
            self._by_beginning[oldest[:SHORTEST_COOKIE]].remove(oldest)

    def hide(self, text: str) -> str:
        """Return the text with all cookie values replaced that were added."""
        if not self._forms:
            return text
        pieces, end = [], 0
        for match in _MAY_BEGIN.finditer(text):
            at = match.start()
            if at >= end and (form := self._form_at(text, at, match[1])):
                pieces += [text[end:at], REDACTED]
                end = at + len(form)
        return "".join([*pieces, text[end:]])

    def _form_at(self, text: str, at: int, beginning: str) -> str | None:
        """Return the cookie value to hide that stands in `text` at index `at`, or None.

        `beginning`: the text's next characters from there, as many as SHORTEST_COOKIE.
        """
        for form in self._by_beginning.get(beginning, ()):
            behind = text[at + len(form) : at + len(form) + 1]
            if text.startswith(form, at) and not (behind.isascii() and behind.isalnum()):
                return form
        return None


class RevealedSecrets:
    """Secrets that were typed into pages, to hide in output; one-time codes only for some minutes."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._forms: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._until)

    @property
    def values(self) -> list[str]:
        """Return the secrets without an expiry: all but one-time codes."""
        return [value for value, until in self._until.items() if until == float("inf")]

    def add(self, value: str, *, seconds: float = float("inf")) -> None:
        """Add a secret that `hide` replaces from now on, or for `seconds`."""
        if len(value) < SHORTEST_SECRET:
            return
        self._until.pop(value, None)
        self._until[value] = time.monotonic() + seconds
        while len(self._until) > MOST_SECRETS:
            del self._until[next(iter(self._until))]
        self._update_forms()

    def hide(self, text: str) -> str:
        """Return the text with all secrets replaced that were added and have not expired."""
        if not self._until:
            return text
        now = time.monotonic()
        if any(until < now for until in self._until.values()):
            self._until = {value: until for value, until in self._until.items() if until >= now}
            self._update_forms()
        for form in self._forms:
            text = text.replace(form, REDACTED)
        return text

    def _update_forms(self) -> None:
        """Compute all encoded forms of the secrets, which `hide` replaces, longest first.

        One form may be a part of another.
        """
        self._forms = sorted(
            {form for each in self._until for form in _encoded_forms(each)}, key=len, reverse=True
        )


def _encoded_forms(value: str) -> set[str]:
    """Return the texts as which a secret may appear: itself, or encoded for HTML, URLs, JSON, Base64."""
    import html  # rarely needed: keep it out of the start
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
    return {form for form in written if len(form) >= SHORTEST_SECRET}
