"""Read a PDF document in a separate process.

The file comes on standard input, the result goes to standard output. PDFs are hostile input to a large library
of C++. So it never runs in the daemon, which holds people's logins: it runs in a process that has limits on
memory and time, an empty environment, and no file but the document.
"""

import contextlib
import ctypes
import math
import os
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from typing import Any

import orjson
import pypdfium2.raw as pdfium

from gstack_browse.documents.pdf.layout import (
    OutlineEntry,
    PageContent,
    Word,
    normalise_word,
    order_page,
    render_document,
    render_page,
)

MOST_BYTES = 200_000_000
MOST_MEMORY = 3_000_000_000
MOST_SECONDS = 25
READING_SECONDS = 15.0
"""Time after which no further page is read."""
MOST_CHARACTERS = 8_000_000
"""Limit of the page that is made of a document."""
MOST_PAGE_CHARACTERS = 1_000_000
MOST_SAMPLED = 64
"""Letters of a page by which the direction of its text is told."""
MOST_OUTLINE = 1_000
MOST_LEVELS = 8
MOST_LINKS = 2_000
MOST_FIELDS = 500
MOST_PIXELS = 16_000
_WORD = re.compile(r"[^\s\0]+|\n")
HYPHEN = "\ufffe"
"""What the library writes for a hyphen at the end of a line. The rest of the word follows it at once."""
Box = tuple[float, float, float, float]
"""Left, bottom, right and top."""
_FORM_SETTINGS = pdfium.FPDF_FORMFILLINFO(version=2)
"""The library keeps its address."""
_PROBLEMS = {pdfium.FPDF_ERR_PASSWORD: "needs a password", pdfium.FPDF_ERR_FORMAT: "is broken"}


class InvalidPdf(Exception):
    """The document cannot be read, for the reason that the message says."""


def main() -> None:
    """Read a PDF from standard input, and print what the arguments ask for.

    `read NAME`: its text as HTML, in JSON. `picture PAGE SIDE FORMAT`: the picture of a page. A problem is printed as JSON,
    `{"problem": …}`.
    """
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    content = sys.stdin.buffer.read(MOST_BYTES + 1)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    try:
        if len(content) > MOST_BYTES:
            raise InvalidPdf(f"is larger than {MOST_BYTES // 1_000_000} MB")
        document = _open_document(content)
        result = (
            _draw_page(document, *sys.argv[2:])
            if sys.argv[1] == "picture"
            else orjson.dumps(_read_document(document, sys.argv[2]))
        )
    except InvalidPdf as error:
        result = orjson.dumps({"problem": str(error)})
    except (MemoryError, RecursionError):
        result = orjson.dumps({"problem": "is too large to be read"})
    sys.stdout.buffer.write(result)
    sys.stdout.buffer.flush()
    os._exit(0)


def _open_document(content: bytes) -> Any:
    """Open a PDF with PDFium, and return its handle. `content` must live as long. Raises InvalidPdf."""
    pdfium.FPDF_InitLibrary()
    document = pdfium.FPDF_LoadMemDocument64(content, len(content), None)
    if not document:
        raise InvalidPdf(_PROBLEMS.get(pdfium.FPDF_GetLastError(), "cannot be read"))
    if pdfium.FPDF_GetPageCount(document) < 1:
        raise InvalidPdf("is broken: it has no pages")
    return document


def _read_document(document: Any, name: str) -> dict[str, Any]:
    """Read a PDFium document. Return its HTML and counts of what was read, for JSON.

    `name`: the title if the document has none.
    """
    count = pdfium.FPDF_GetPageCount(document)
    until, size, textless = time.monotonic() + READING_SECONDS, 0, 0
    pages: list[str] = []
    form = _open_form(document)
    for number in range(count):
        content = _read_page(document, form, number)
        textless += not content.blocks
        pages.append(render_page(number + 1, content, has_heading=count > 1))
        if len(pages[-1]) > MOST_CHARACTERS:  # its few words may have long links, each of which is written out
            raise InvalidPdf("has a page too large to be read")
        size += len(pages[-1])
        if size > MOST_CHARACTERS or time.monotonic() > until:
            break
    outline = list(_read_outline(document))
    title = _read_utf16(partial(pdfium.FPDF_GetMetaText, document, b"Title")) or name
    return {
        "html": render_document(title, outline, pages),
        "pages": count,
        "read": len(pages),
        "textless": textless,
        "headings": len(outline),
    }


def _read_page(document: Any, form: Any, number: int) -> PageContent:
    """Read a page of a PDFium document: text blocks, link addresses, form fields; empty if it is broken.

    `number`: from 0. `form`: see `_open_form`.
    """
    page = pdfium.FPDF_LoadPage(document, number)
    if not page:
        return PageContent((), (), ())
    text_page, turns = _load_text(page)
    try:
        boxes, addresses = _read_links(document, page)
        boxes = [rotate_box(box, turns) for box in boxes]
        blocks = order_page(list(_read_lines(text_page, boxes, turns))) if text_page else []
        return PageContent(blocks, addresses, list(_read_fields(form, page)))
    finally:
        if text_page:
            pdfium.FPDFText_ClosePage(text_page)
        pdfium.FPDF_ClosePage(page)


def _load_text(page: Any) -> tuple[Any, int]:
    """Return (PDFium's text of a page, the quarter turns to the right that make most of it upright).

    Sets the page's rotation to these, as the library orders lines by their position on the page.
    """
    text_page = pdfium.FPDFText_LoadPage(page)
    turns = _count_quarter_turns(text_page) if text_page else 0
    if text_page and turns != pdfium.FPDFPage_GetRotation(page):
        pdfium.FPDFText_ClosePage(text_page)
        pdfium.FPDFPage_SetRotation(page, turns)
        text_page = pdfium.FPDFText_LoadPage(page)
    return text_page, turns


def _count_quarter_turns(text_page: Any) -> int:
    """Return how many quarter turns to the right make most of the text upright, by a sample of letters."""
    count = pdfium.FPDFText_CountChars(text_page)
    letters = range(0, count, max(count // MOST_SAMPLED, 1))
    angles = [pdfium.FPDFText_GetCharAngle(text_page, at) for at in letters]
    turns = Counter(round(-angle / (math.pi / 2)) % 4 for angle in angles if angle >= 0)
    return turns.most_common(1)[0][0] if turns else 0


def rotate_box(box: Box, turns: int) -> Box:
    """Rotate a box (left, bottom, right, top) clockwise around the origin. `turns`: quarters of a circle."""
    for _ in range(turns):
        left, bottom, right, top = box
        box = bottom, -right, top, -left
    return box


def _read_lines(text_page: Any, links: list[Box], turns: int) -> Iterator[list[Word]]:
    """Yield the words of each line of a page, with their boxes and the indices of their links in `links`.

    The boxes are turned by `turns` quarters to the right, as those in `links` already are. A word that is broken by a
    hyphen at the end of a line is put whole at that end.
    """
    sides = left, right, bottom, top = [ctypes.c_double() for _ in range(4)]
    references = [ctypes.byref(side) for side in sides]

    def box(at: int) -> Box:
        pdfium.FPDFText_GetCharBox(text_page, at, *references)
        upright = left.value, bottom.value, right.value, top.value
        return rotate_box(upright, turns) if turns else upright

    line: list[Word] = []
    for found in _WORD.finditer(_read_characters(text_page).replace("\x02", HYPHEN)):
        word, start = found.group(), found.start()
        if word == "\n":
            if line:
                yield line
            line = []
            continue
        is_broken = HYPHEN in word
        size = max(word.find(HYPHEN), 1) if is_broken else len(word)
        first = box(start)
        last = box(start + size - 1) if size > 1 else first
        edges = min(first[0], last[0]), min(first[1], last[1]), max(first[2], last[2]), max(first[3], last[3])
        text = normalise_word(word.replace(HYPHEN, ""), is_left_to_right=first[0] < last[0])
        line.append(Word(text, *edges, _find_link_at(edges, links) if links else -1))
        if is_broken:
            yield line
            line = []
    if line:
        yield line


def _read_characters(text_page: Any) -> str:
    """Return a page's text with one character per index of PDFium's, so that its indices fit the text."""
    count = min(pdfium.FPDFText_CountChars(text_page), MOST_PAGE_CHARACTERS)
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (2 * count + 1))()
    written = pdfium.FPDFText_GetText(text_page, 0, count, buffer)
    text = bytes(memoryview(buffer).cast("B")[: max(written - 1, 0) * 2]).decode("utf-16-le", "replace")
    if len(text) != count:
        codes = (pdfium.FPDFText_GetUnicode(text_page, at) for at in range(count))
        text = "".join(
            chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd" for code in codes
        )
    return text


def _find_link_at(box: Box, links: list[Box]) -> int:
    """Return the index of the link at a box's centre; -1 for none."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return next(
        (
            number
            for number, (left, low, right, high) in enumerate(links)
            if left <= x <= right and low <= y <= high
        ),
        -1,
    )


def _read_links(document: Any, page: Any) -> tuple[list[Box], list[str]]:
    """Return the boxes of a PDF page's links and the addresses they lead to: two lists in the same order.

    Boxes (left, bottom, right, top) are in the page's coordinates. Addresses: URL, or `#page=3`; links to other targets are left
    out. At most MOST_LINKS.
    """
    boxes: list[Box] = []
    addresses: list[str] = []
    at, link, rectangle = ctypes.c_int(0), pdfium.FPDF_LINK(), pdfium.FS_RECTF()
    while len(boxes) < MOST_LINKS and pdfium.FPDFLink_Enumerate(page, ctypes.byref(at), ctypes.byref(link)):
        if not pdfium.FPDFLink_GetAnnotRect(link, ctypes.byref(rectangle)):
            continue
        if address := _get_link_address(document, link):
            low, high = sorted((rectangle.bottom, rectangle.top))
            boxes.append((rectangle.left, low, rectangle.right, high))
            addresses.append(address)
    return boxes, addresses


def _get_link_address(document: Any, link: Any) -> str:
    """Return a link's URL, or `#page=3` for a place in the document; "" for other targets."""
    action = pdfium.FPDFLink_GetAction(link)
    if action and pdfium.FPDFAction_GetType(action) == pdfium.PDFACTION_URI:
        size = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
        buffer = ctypes.create_string_buffer(min(size, 4_000))
        pdfium.FPDFAction_GetURIPath(document, action, buffer, len(buffer))
        return buffer.value.decode("utf-8", "replace")
    target = pdfium.FPDFLink_GetDest(document, link)
    if not target and action:
        target = pdfium.FPDFAction_GetDest(document, action)
    index = pdfium.FPDFDest_GetDestPageIndex(document, target) if target else -1
    return f"#page={index + 1}" if index >= 0 else ""


def _open_form(document: Any) -> Any:
    """Return PDFium's form environment of a document, which reads the values of form fields.

    None in a build of the library without forms.
    """
    with contextlib.suppress(AttributeError):
        return pdfium.FPDFDOC_InitFormFillEnvironment(document, _FORM_SETTINGS)
    return None


def _read_fields(form: Any, page: Any) -> Iterator[tuple[str, str]]:
    """Yield (label or name, value) of the page's form fields that have a value, each field once."""
    seen = set()
    for at in range(min(pdfium.FPDFPage_GetAnnotCount(page), MOST_FIELDS) if form else 0):
        annotation = pdfium.FPDFPage_GetAnnot(page, at)
        if not annotation:
            continue
        if pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_WIDGET:
            # by functions for forms: values and names may be those of a field above this one
            label, name, value = (
                _read_utf16(partial(ask, form, annotation))
                for ask in (
                    pdfium.FPDFAnnot_GetFormFieldAlternateName,
                    pdfium.FPDFAnnot_GetFormFieldName,
                    pdfium.FPDFAnnot_GetFormFieldValue,
                )
            )
            if value and name not in seen:
                seen.add(name)
                yield label or name, value
        pdfium.FPDFPage_CloseAnnot(annotation)


def _read_utf16(ask: Any) -> str:
    """Return the string that a function of PDFium writes into a buffer as UTF-16; "" for none.

    `ask(None, 0)` returns its size in bytes, `ask(buffer, size)` writes it.
    """
    size = min(ask(None, 0), 20_000)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    ask(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    text = bytes(buffer).decode("utf-16-le", "replace")
    return " ".join(text.partition("\0")[0].split())


def _read_outline(document: Any) -> Iterator[OutlineEntry]:
    """Yield the entries of a document's outline in order, each once, as broken documents have loops in it."""
    seen: set[int] = set()
    waiting = [(1, pdfium.FPDFBookmark_GetFirstChild(document, None))]
    while waiting and len(seen) < MOST_OUTLINE:
        level, mark = waiting.pop()
        address = ctypes.cast(mark, ctypes.c_void_p).value if mark else None
        if not address or address in seen:
            continue
        seen.add(address)
        target = pdfium.FPDFBookmark_GetDest(document, mark)
        page = pdfium.FPDFDest_GetDestPageIndex(document, target) + 1 if target else 0
        if title := _read_utf16(partial(pdfium.FPDFBookmark_GetTitle, mark)):
            yield OutlineEntry(level, title, page)
        waiting.append((level, pdfium.FPDFBookmark_GetNextSibling(document, mark)))
        if level < MOST_LEVELS:
            waiting.append((level + 1, pdfium.FPDFBookmark_GetFirstChild(document, mark)))


def _draw_page(document: Any, number: str, side: str, kind: str) -> bytes:
    """Draw a page, and return the content of the picture's file. Raises InvalidPdf.

    `number`: of the page, from 1. `side`: the picture's longest side in pixels; "0": twice that of the page in points.
    `kind`: a format of Pillow's, such as "PNG".
    """
    from PIL import Image

    count = pdfium.FPDF_GetPageCount(document)
    if not 1 <= int(number) <= count:
        raise InvalidPdf(f"has {count} pages")
    page = pdfium.FPDF_LoadPage(document, int(number) - 1)
    if not page:
        raise InvalidPdf("is broken: the page cannot be drawn")
    width, height = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
    most = min(int(side) or 2 * max(width, height), MOST_PIXELS)
    scale = min(most / max(width, height, 1), 4.0)
    size = max(round(width * scale), 1), max(round(height * scale), 1)
    bitmap = pdfium.FPDFBitmap_Create(*size, 0)
    if not bitmap:
        raise InvalidPdf("is too large to be drawn")
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, *size, 0xFFFFFFFF)
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, *size, 0, pdfium.FPDF_ANNOT)
    if form := _open_form(document):  # the values of its fields
        pdfium.FPDF_FFLDraw(form, bitmap, page, 0, 0, *size, 0, pdfium.FPDF_ANNOT)
    stride = pdfium.FPDFBitmap_GetStride(bitmap)
    pixels = ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * size[1])
    picture = Image.frombuffer("RGB", size, pixels, "raw", "BGRX", stride, 1)
    written = BytesIO()
    picture.save(written, kind)
    return written.getvalue()
