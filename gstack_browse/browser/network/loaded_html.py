"""Serve documents that a command gave: files as HTML, text from standard input, pages made of PDFs.

The first two have a file: URL, so that relative addresses in them name the files beside them; a page made of a PDF document has
that one's URL. `guard` serves them when the browser requests them. A file is read again each time; text is kept here.
"""

import os
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from gstack_browse.browser.cdp.interception import FulfilledResponse
from gstack_browse.errors import FileFailed
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace import files

MOST_BYTES = 20_000_000
"""Limit for a file, which goes to the browser in one message."""
MOST_DOCUMENTS = 100
MOST_CHARACTERS = 10_000_000
"""Limit for all piped text together: it is kept with the session's state."""
PDF_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Nothing in a page made of a PDF document runs or loads anything, whatever the document has."""
_KINDS = {".svg": "image/svg+xml", ".xhtml": "application/xhtml+xml", ".xht": "application/xhtml+xml"}
_WIDE = (b"\xff\xfe", b"\xfe\xff")
"""Byte order marks of UTF-16."""
_PIPED = re.compile(r"/\.stdin-([0-9]{1,9})\.html\Z")


class LoadedHtml:
    """A session's documents that no server sends, by URL: HTML from standard input or a PDF, or files.

    They outlast a change of browser.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str | None] = {}
        self._last = 0

    def take_file(self, path: Path) -> str:
        """Register a file as an HTML page, whatever its name. Return its URL."""
        return self._keep_document(path.as_uri(), None)

    def take_text(self, directory: Path, text: str) -> str:
        """Register `text` as a page in `directory`. Return its URL, which names no existing file."""
        self._last += 1
        return self._keep_document(f"{directory.as_uri().rstrip('/')}/.stdin-{self._last}.html", text)

    def take_pdf(self, url: str, markup: str) -> None:
        """Register the page that is made of the PDF document at `url`."""
        self._keep_document(_strip_url(url), markup)

    def drop_pdf(self, url: str) -> None:
        """Forget the page made of a PDF document, which is then requested from its server again."""
        if self.is_pdf(url):
            del self._texts[_strip_url(url)]

    def is_pdf(self, url: str) -> bool:
        """Return whether the page at `url` was made by us from a PDF document."""
        plain = _strip_url(url)
        return self._texts.get(plain) is not None and not _PIPED.search(plain)

    def web_urls(self) -> list[str]:
        """Return the URLs of registered documents that are on servers."""
        return [url for url in self._texts if not url.startswith("file:")]

    def _keep_document(self, url: str, text: str | None) -> str:
        """Keep a document for a URL as the newest, drop the oldest above the limits, and return the URL."""
        self._texts.pop(url, None)
        self._texts[url] = text
        while len(self._texts) > 1 and (
            len(self._texts) > MOST_DOCUMENTS or self._count_characters() > MOST_CHARACTERS
        ):
            del self._texts[next(iter(self._texts))]
        return url

    def _count_characters(self) -> int:
        """Return the number of characters in all kept texts."""
        return sum(len(text) for text in self._texts.values() if text)

    def has_document(self, url: str) -> bool:
        """Return whether a document is registered for this URL."""
        return _strip_url(url) in self._texts

    def is_text(self, url: str) -> bool:
        """Return whether the page at `url` came from standard input: only this session has its text."""
        plain = _strip_url(url)
        return self._texts.get(plain) is not None and _PIPED.search(plain) is not None

    def read(self, url: str) -> FulfilledResponse:
        """Return the response for a registered URL.

        Blocks. Raises FileFailed, and Refused if a link is in the file's path by now.
        """
        text = self._texts[_strip_url(url)]
        if text is not None:
            rules = [("Content-Security-Policy", PDF_POLICY)] if self.is_pdf(url) else []
            content = text.encode("utf-8", "surrogatepass")
            return FulfilledResponse(content, "text/html; charset=utf-8", headers=rules)
        return read_as_response(Path(os.fsdecode(unquote_to_bytes(urlsplit(url).path))))

    def state(self, urls: list[str]) -> list[list[str | None]]:
        """Return URL and text of the documents that pages show, for the next browser."""
        shown = {_strip_url(url) for url in urls}
        return [[url, text] for url, text in self._texts.items() if url in shown]

    def restore(self, state: list[list[str | None]]) -> None:
        """Restore what `state` returned."""
        self._texts = {url: text for url, text in state if url}
        numbers = [int(found[1]) for url in self._texts if (found := _PIPED.search(url))]
        self._last = max(numbers, default=0)


def read_as_response(path: Path) -> FulfilledResponse:
    """Return a file as a response. Blocks. Raises FileFailed, and Refused if a link is in its path."""
    name = one_line(path.name, 100)
    with files.open_to_read(str(path)) as opened:
        body = opened.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise FileFailed(f"{name} is larger than {MOST_BYTES // 1_000_000} MB", f"Open it with 'goto ./{name}'")
    if b"\0" in body[:1000] and not body.startswith(_WIDE):
        raise FileFailed(f"{name} is no text", f"To look at a picture or a PDF: 'goto ./{name}'")
    return FulfilledResponse(body, _content_type(path, body))


def _content_type(path: Path, body: bytes) -> str:
    """Return the content type, with UTF-8 if the body is that. Else Chromium detects the encoding."""
    kind = _KINDS.get(path.suffix.lower(), "text/html")
    try:
        body.decode()
    except UnicodeDecodeError:
        return kind
    return f"{kind}; charset=utf-8"


def _strip_url(url: str) -> str:
    """Return a URL without its fragment; of a file: URL without its query, too."""
    plain = url.partition("#")[0]
    return plain.partition("?")[0] if plain.startswith("file:") else plain
