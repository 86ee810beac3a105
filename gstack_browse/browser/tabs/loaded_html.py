"""Documents that a command has given to be pages, where no server has them: files as HTML, and what was piped in.

A page shows such a document under a file: URL, so that addresses in it mean the files beside it. The document is given where the browser
asks before it reads anything (`guard`), each time: a file is read anew, and what was piped in is kept here.
"""

import os
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from gstack_browse import files
from gstack_browse.browser.cdp.interception import FulfilledResponse
from gstack_browse.errors import FileFailed
from gstack_browse.text.sanitise import one_line

MOST_BYTES = 20_000_000
"""Of a file. It goes to the browser in one message."""
MOST_DOCUMENTS = 100
MOST_CHARACTERS = 10_000_000
"""Of all that was piped in together: it is kept with the session's state."""
_KINDS = {".svg": "image/svg+xml", ".xhtml": "application/xhtml+xml", ".xht": "application/xhtml+xml"}
_WIDE = (b"\xff\xfe", b"\xfe\xff")
"""How UTF-16 begins."""
_PIPED = re.compile(r"/\.stdin-([0-9]{1,9})\.html\Z")


class LoadedHtml:
    """Of one session, whichever browser it is in: by address, the text that was piped in, or None for a file."""

    def __init__(self) -> None:
        self._texts: dict[str, str | None] = {}
        self._last = 0

    def take_file(self, path: Path) -> str:
        """Have a file shown as a page, whatever its name says that it is. Returns its address."""
        return self._take(path.as_uri(), None)

    def take_text(self, directory: Path, text: str) -> str:
        """Have a text shown as a page of a directory. Returns its address: no file has it that a page could be shown."""
        self._last += 1
        return self._take(f"{directory.as_uri().rstrip('/')}/.stdin-{self._last}.html", text)

    def _take(self, url: str, text: str | None) -> str:
        self._texts.pop(url, None)
        self._texts[url] = text
        while len(self._texts) > 1 and (len(self._texts) > MOST_DOCUMENTS or self._size() > MOST_CHARACTERS):
            del self._texts[next(iter(self._texts))]
        return url

    def _size(self) -> int:
        return sum(len(text) for text in self._texts.values() if text)

    def has(self, url: str) -> bool:
        """Whether a page may show that address by what a command has given."""
        return _plain(url) in self._texts

    def is_text(self, url: str) -> bool:
        """Whether the page's text was piped in: then only this session has the text."""
        return self._texts.get(_plain(url)) is not None

    def read(self, url: str) -> FulfilledResponse:
        """The document of an address. Blocks; raises FileFailed, and Refused where a link is in a file's way by now."""
        text = self._texts[_plain(url)]
        if text is not None:
            return FulfilledResponse(text.encode("utf-8", "surrogatepass"), "text/html; charset=utf-8")
        return read(Path(os.fsdecode(unquote_to_bytes(urlsplit(url).path))))

    def state(self, urls: list[str]) -> list[list[str | None]]:
        """Address and text of those that pages show, for the next browser."""
        shown = {_plain(url) for url in urls}
        return [[url, text] for url, text in self._texts.items() if url in shown]

    def restore(self, state: list[list[str | None]]) -> None:
        """Have what `state` told."""
        self._texts = {url: text for url, text in state if url}
        numbers = [int(found[1]) for url in self._texts if (found := _PIPED.search(url))]
        self._last = max(numbers, default=0)


def read(path: Path) -> FulfilledResponse:
    """A file as a document. Blocks; raises FileFailed, and Refused where a link is in its way."""
    name = one_line(path.name, 100)
    with files.open_to_read(str(path)) as opened:
        body = opened.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise FileFailed(f"{name} is larger than {MOST_BYTES // 1_000_000} MB", f"Open it with 'goto ./{name}'")
    if b"\0" in body[:1000] and not body.startswith(_WIDE):
        raise FileFailed(f"{name} is no text", f"To look at a picture or a PDF: 'goto ./{name}'")
    return FulfilledResponse(body, _content_type(path, body))


def _content_type(path: Path, body: bytes) -> str:
    """UTF-8 is said where it is that; else Chromium finds out by what the document says of itself."""
    kind = _KINDS.get(path.suffix.lower(), "text/html")
    try:
        body.decode()
    except UnicodeDecodeError:
        return kind
    return f"{kind}; charset=utf-8"


def _plain(url: str) -> str:
    """An address without what a form or a link puts behind the path."""
    return url.partition("#")[0].partition("?")[0]
