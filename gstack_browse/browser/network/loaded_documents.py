"""Serve documents that no server sends: files, text from standard input, and pages made of PDFs.

Files and text have a file: URL, so that relative addresses in them name the files beside them. A page made of a PDF has the URL of the
PDF. `guard` serves them when the browser requests them. A file is read again each time; text is kept here.

A PDF is converted to a page with its text, tables, links and outline, in a separate process. Chromium without a window would download
it, and no script can read the text in the viewer of a Chromium with windows.
"""

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import unquote, unquote_to_bytes, urlsplit

import orjson

from gstack_browse.browser.cdp.interception import FulfilledResponse
from gstack_browse.browser.tab.urls import without_fragment
from gstack_browse.errors import ActionFailed, FileFailed, NoMatch, UsageError
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count
from gstack_browse.workspace import files
from gstack_browse.workspace.own_process import command_line

MOST_BYTES = 20_000_000
"""Limit for a file, which goes to the browser in one message."""
MOST_DOCUMENTS = 100
MOST_CHARACTERS = 10_000_000
"""Limit for all piped text together: it is kept with the context's state."""
PDF_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Nothing in a page made of a PDF document runs or loads anything, whatever the document has."""
_KINDS = {".svg": "image/svg+xml", ".xhtml": "application/xhtml+xml", ".xht": "application/xhtml+xml"}
_WIDE = (b"\xff\xfe", b"\xfe\xff")
"""Byte order marks of UTF-16."""
_PIPED = re.compile(r"/\.stdin-([0-9]{1,9})\.html\Z")


class LoadedHtml:
    """A context's documents that no server sends, by URL: HTML from standard input or a PDF, or files.

    They outlast a change of browser.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str | None] = {}
        self._last = 0

    def register_file(self, path: Path) -> str:
        """Register a file as an HTML page, whatever its name. Return its URL."""
        return self._register(path.as_uri(), None)

    def register_text(self, directory: Path, text: str) -> str:
        """Register HTML from standard input as a page in `directory`. Return its URL, which names no file."""
        self._last += 1
        return self._register(f"{directory.as_uri().rstrip('/')}/.stdin-{self._last}.html", text)

    def register_pdf(self, url: str, markup: str) -> None:
        """Register the HTML made of the PDF document at `url`, to be shown instead."""
        self._register(_strip_url(url), markup)

    def unregister_pdf(self, url: str) -> None:
        """Forget the HTML made of the PDF document at `url`, so that its server is asked for it again."""
        if self.is_pdf(url):
            del self._texts[_strip_url(url)]

    def is_pdf(self, url: str) -> bool:
        """Return whether the page registered at `url` was made from a PDF document."""
        plain = _strip_url(url)
        return self._texts.get(plain) is not None and not _PIPED.search(plain)

    def web_urls(self) -> list[str]:
        """Return the registered URLs that are no `file:` URLs: those of PDF documents on servers."""
        return [url for url in self._texts if not url.startswith("file:")]

    def _register(self, url: str, text: str | None) -> str:
        """Register `text` (None: the file itself) at `url`; drop the oldest above the limits. Return `url`."""
        self._texts.pop(url, None)
        self._texts[url] = text
        while len(self._texts) > 1 and (
            len(self._texts) > MOST_DOCUMENTS or self._count_characters() > MOST_CHARACTERS
        ):
            del self._texts[next(iter(self._texts))]
        return url

    def _count_characters(self) -> int:
        """Return the number of characters in the texts of all registered documents."""
        return sum(len(text) for text in self._texts.values() if text)

    def has_document(self, url: str) -> bool:
        """Return whether a document is registered for this URL."""
        return _strip_url(url) in self._texts

    def is_from_stdin(self, url: str) -> bool:
        """Return whether the page at `url` came from standard input: only this context has its text."""
        plain = _strip_url(url)
        return self._texts.get(plain) is not None and _PIPED.search(plain) is not None

    def read(self, url: str) -> FulfilledResponse:
        """Return the response that answers the request for a registered URL.

        Blocks. Raises FileFailed, and Refused if a link is in the file's path by now.
        """
        text = self._texts[_strip_url(url)]
        if text is not None:
            rules = [("Content-Security-Policy", PDF_POLICY)] if self.is_pdf(url) else []
            content = text.encode("utf-8", "surrogatepass")
            return FulfilledResponse(content, "text/html; charset=utf-8", headers=rules)
        return read_as_response(Path(os.fsdecode(unquote_to_bytes(urlsplit(url).path))))

    def state(self, urls: list[str]) -> list[list[str | None]]:
        """Return the registered documents among `urls` as [URL, text (None: a file)], for `restore`."""
        shown = {_strip_url(url) for url in urls}
        return [[url, text] for url, text in self._texts.items() if url in shown]

    def restore(self, state: list[list[str | None]]) -> None:
        """Register the documents that `state` returned, in the context's next browser."""
        self._texts = {url: text for url, text in state if url}
        numbers = [int(found[1]) for url in self._texts if (found := _PIPED.search(url))]
        self._last = max(numbers, default=0)


def read_as_response(path: Path) -> FulfilledResponse:
    """Return an HTML or SVG file as the response to a request for it. Blocks.

    Raises FileFailed, and Refused if a link is in its path.
    """
    name = one_line(path.name, 100)
    with files.open_to_read(str(path)) as opened:
        body = opened.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise FileFailed(f"{name} is larger than {MOST_BYTES // 1_000_000} MB", f"Open it with 'goto ./{name}'")
    if b"\0" in body[:1000] and not body.startswith(_WIDE):
        raise FileFailed(f"{name} is no text", f"To look at a picture or a PDF: 'goto ./{name}'")
    return FulfilledResponse(body, _content_type(path, body))


def _content_type(path: Path, body: bytes) -> str:
    """Return a file's content type, with the charset if it is UTF-8. Else Chromium detects the encoding."""
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


PDF = "application/pdf"
SECONDS = 30.0
MOST_KEPT = 20
"""Limit for documents whose file stays open, so that their pages can be pictured."""
SIGNATURE = b"%PDF-"
MOST_BEFORE_SIGNATURE = 1024
"""Bytes of a file in which the signature may begin."""


class PdfFacts(NamedTuple):
    """Facts of a document. `read`: number of pages read; `textless`: how many of those have no text."""

    pages: int
    read: int
    textless: int
    headings: int

    def summary(self) -> str:
        """Describe the document for a reply: `a PDF, 3 pages, with an outline`."""
        parts = [f"a PDF, {format_count(self.pages, 'page')}"]
        if self.read < self.pages:
            parts.append(f"of which the first {self.read:,} were read")
        if self.textless == self.read:
            parts.append("without text, as of a scanner: 'screenshot --page 1' shows it")
        elif self.textless:
            parts.append(f"{self.textless:,} of them without text: 'screenshot --page <n>'")
        if self.headings:
            parts.append("with an outline")
        return ", ".join(parts)


class _CachedDocument(NamedTuple):
    """A document's open file and facts."""

    file: BinaryIO
    facts: PdfFacts


class PdfDocuments:
    """Makes pages of a context's PDF documents, and keeps the last ones open to draw their pages."""

    def __init__(self, loaded: LoadedHtml, prepare_opening: Callable[[str], Awaitable[None]]) -> None:
        self._loaded = loaded
        self._prepare_opening = prepare_opening
        self._kept: dict[str, _CachedDocument] = {}

    def is_shown(self, url: str) -> bool:
        """Return whether the page at `url` is HTML that was made of a PDF document."""
        return self._loaded.is_pdf(url)

    def require_shown(self, url: str, option: str) -> None:
        """Raise UsageError unless the page at `url` is made of a PDF document. `option`: named in the message."""
        if not self.is_shown(url):
            raise UsageError(f"{option} is for PDF documents", "This tab shows another page: 'url'")

    def facts_of(self, url: str) -> PdfFacts | None:
        """Return the facts of the PDF document shown at `url`; None if it is not open any more."""
        kept = self._kept.get(without_fragment(url)) if self.is_shown(url) else None
        return kept.facts if kept else None

    async def open_file(self, url: str, path: str) -> bool:
        """Convert the PDF file at `path` to HTML, and register that as the page at `url`.

        Return False if the file is no PDF document. Raises FileFailed if it cannot be read.
        """
        file = await asyncio.to_thread(_open_pdf, path)
        if file is None:
            return False
        await self._make_page(url, file)
        return True

    async def open_content(self, url: str, content: bytes) -> None:
        """Convert a PDF document in memory to HTML, and register that as the page at `url`.

        Raises FileFailed for a document that cannot be read.
        """
        await self._make_page(url, await asyncio.to_thread(_write_temporary_file, content))

    async def _make_page(self, url: str, file: BinaryIO) -> None:
        """Convert a PDF to HTML, and register that as the page at `url`. Closes `file` on failure."""
        try:
            result = await _convert_to_html(url, file)
        except BaseException:
            file.close()
            raise
        plain = without_fragment(url)
        if before := self._kept.pop(plain, None):
            before.file.close()
        self._kept[plain] = _CachedDocument(
            file, PdfFacts(result["pages"], result["read"], result["textless"], result["headings"])
        )
        if len(self._kept) > MOST_KEPT:
            self._kept.pop(next(iter(self._kept))).file.close()
        self._loaded.register_pdf(url, result["html"])
        await self._prepare_opening(url)

    def close(self) -> None:
        """Close the files of all documents. Their pages can still be read, but not drawn again."""
        while self._kept:
            self._kept.popitem()[1].file.close()

    async def draw_page(self, url: str, number: int, side: int, kind: str) -> bytes:
        """Return a picture of page `number` of the PDF at `url`, `side` pixels a side at most.

        `kind`: "png", "jpeg" or "webp".

        Raises NoMatch for a page that the document does not have, ActionFailed if the file is closed or the page cannot be drawn.
        """
        kept = self._kept.get(without_fragment(url))
        if kept is None:
            raise ActionFailed("The file of the PDF is not there any more", "Open it again: 'reload'")
        if number > kept.facts.pages:
            raise NoMatch(f"The PDF has {format_count(kept.facts.pages, 'page')}")
        picture = await _run_pdf_process(kept.file, ["picture", str(number), str(side), kind])
        if not picture or picture.startswith(b"{"):
            problem = orjson.loads(picture)["problem"] if picture else "cannot be drawn"
            raise ActionFailed(f"The PDF {problem}")
        return picture


async def convert_content_to_html(url: str, content: bytes) -> str:
    """Convert a PDF document in memory to HTML. Raises FileFailed for one that cannot be read.

    `url`: where it comes from, which messages name.
    """
    with await asyncio.to_thread(_write_temporary_file, content) as file:
        return str((await _convert_to_html(url, file))["html"])


async def _convert_to_html(url: str, file: BinaryIO) -> dict[str, Any]:
    """Convert a PDF file to HTML in a process of its own.

    `url`: where it comes from, for messages. Returns "html" and the fields of `PdfFacts`. Raises FileFailed.
    """
    name = one_line(unquote(urlsplit(url).path.rpartition("/")[2]), 200)
    result: dict[str, Any] = orjson.loads(
        await _run_pdf_process(file, ["read", name]) or b'{"problem": "cannot be read"}'
    )
    if problem := result.get("problem"):
        raise FileFailed(f"{one_line(url, 300)} is a PDF that {problem}")
    return result


async def _run_pdf_process(file: BinaryIO, arguments: Sequence[str]) -> bytes:
    """Run the process that reads a PDF from its standard input. Return its output; b"" if it has failed.

    `arguments`: such as `["picture", "3", "800", "png"]`: page 3, at most 800 pixels a side

    Raises FileFailed after SECONDS.
    """
    await asyncio.to_thread(file.seek, 0)
    process = await asyncio.create_subprocess_exec(
        *command_line("gstack_browse.documents.pdf.process", *arguments),
        stdin=file,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
        cwd="/",
    )
    try:
        async with asyncio.timeout(SECONDS):
            output, _ = await process.communicate()
    except TimeoutError:
        raise FileFailed(f"The PDF cannot be read in {SECONDS:.0f}s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output


def _open_pdf(path: str) -> BinaryIO | None:
    """Open a PDF file; return None if it is no PDF document. Raises FileFailed and Refused.

    The file may be deleted while it is open.
    """
    with files.open_to_read(path) as opened:
        if SIGNATURE not in opened.read(MOST_BEFORE_SIGNATURE + len(SIGNATURE)):
            return None
        return os.fdopen(os.dup(opened.fileno()), "rb")


def _write_temporary_file(content: bytes) -> BinaryIO:
    """Write `content` to a temporary file without a name. Return the file, which is still open."""
    import tempfile  # few documents need it

    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the document is dropped
    file.write(content)
    file.flush()
    return file
