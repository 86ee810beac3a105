"""Which requests are meant, as somebody types that: `POST **/save`, answered `2xx`. Pure."""

import re
from typing import NamedTuple

from gstack_browse.text.glob import Glob

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
        """A pattern of Chromium's for the address: see `Glob.wider`."""
        return self._glob.wider

    def matches(self, method: str, url: str) -> bool:
        """Whether a request is meant."""
        return self._method in ("", method) and self._glob.matches(url)


class Status(NamedTuple):
    """`404`, `2xx`, or `failed`: no answer at all."""

    words: str

    def __str__(self) -> str:
        return self.words

    @staticmethod
    def is_one(words: str) -> bool:
        """Whether the words name a status."""
        return words == "failed" or bool(re.match(_STATUS, words))

    def is_of(self, status: int, error: str) -> bool:
        """Whether a request has it, that was answered so or failed with that error."""
        if self.words == "failed":
            return bool(error)
        return str(status).startswith(self.words.removesuffix("xx")) and bool(status)
