"""Choose requests as a user types it: `POST **/save`, answered `2xx`. Pure."""

import re
from typing import NamedTuple

from gstack_browse.text.pattern import Glob

_METHOD = r"([A-Z]{3,10})\s+(?=\S)"
_STATUS = r"[1-5](?:xx|[0-9]{2})\Z"


class RequestGlob:
    """A method, or any, and a glob for the address as `network` prints it."""

    def __init__(self, words: str) -> None:
        found = re.match(_METHOD, words)
        self._method = found[1] if found else ""
        self._glob = Glob(words[found.end() :].strip() if found else words.strip())

    def __str__(self) -> str:
        return f"{self._method} {self._glob}".strip()

    @property
    def wider(self) -> str:
        """A wider pattern of Chromium's for the address: see `Glob.wider`."""
        return self._glob.wider

    def matches(self, method: str, url: str) -> bool:
        """Return whether the pattern matches a request."""
        return self._method in ("", method) and self._glob.matches(url)


class StatusPattern(NamedTuple):
    """`404`, `2xx`, or `failed`: without a response."""

    words: str

    def __str__(self) -> str:
        return self.words

    @staticmethod
    def is_valid(words: str) -> bool:
        """Return whether the text is a status pattern."""
        return words == "failed" or bool(re.match(_STATUS, words))

    def matches(self, status: int, error: str) -> bool:
        """Return whether a request with that status (0: none) or error matches."""
        if self.words == "failed":
            return bool(error)
        return str(status).startswith(self.words.removesuffix("xx")) and bool(status)
