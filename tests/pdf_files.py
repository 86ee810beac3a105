"""Make small PDF documents: words at places, links, an outline, fields, a lock."""

from collections.abc import Sequence
from typing import NamedTuple


class Words(NamedTuple):
    """Words drawn at a place, in points from the lower left corner."""

    x: int
    y: int
    text: str


class Sheet(NamedTuple):
    """A page. `links`: address and box."""

    words: Sequence[Words] = ()
    links: Sequence[tuple[str, tuple[int, int, int, int]]] = ()


def lines(*texts: str, x: int = 72, top: int = 700) -> list[Words]:
    """Words below each other."""
    return [Words(x, top - 14 * number, text) for number, text in enumerate(texts)]


def pdf(*sheets: Sheet, outline: Sequence[tuple[str, int]] = (), is_locked: bool = False) -> bytes:
    """Return a document. `outline`: titles and numbers of pages."""
    objects: list[bytes] = [b"", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    pages = []
    for sheet in sheets:
        drawn = "".join(f"BT /F1 12 Tf {x} {y} Td ({text}) Tj ET\n" for x, y, text in sheet.words).encode()
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn))
        content, links = len(objects), []
        for address, box in sheet.links:
            sides = " ".join(map(str, box))
            objects.append(
                f"<< /Type /Annot /Subtype /Link /Rect [{sides}] /A << /S /URI /URI ({address}) >> >>".encode()
            )
            links.append(f"{len(objects)} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R "
            f"/Annots [{' '.join(links)}] /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        pages.append(len(objects))
    root = "/Type /Catalog /Pages 2 0 R"
    if outline:
        first = len(objects) + 1
        parent = first + len(outline)
        for number, (title, page) in enumerate(outline):
            following = f"/Next {first + number + 1} 0 R" if number + 1 < len(outline) else ""
            objects.append(
                f"<< /Title ({title}) /Parent {parent} 0 R /Dest [{pages[page - 1]} 0 R /Fit] {following} >>".encode()
            )
        objects.append(f"<< /First {first} 0 R /Last {parent - 1} 0 R /Count {len(outline)} >>".encode())
        root += f" /Outlines {parent} 0 R"
    objects[0] = f"<< {root} >>".encode()
    kids = " ".join(f"{page} 0 R" for page in pages)
    objects[1] = f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()
    lock = b""
    if is_locked:  # by a password that is not empty: the keys fit to none
        lock = b"/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (
            b"41" * 32,
            b"42" * 32,
        )
    return _joined(objects, lock)


def _joined(objects: Sequence[bytes], lock: bytes) -> bytes:
    written, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (
        written
        + b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n"
        % (
            len(objects) + 1,
            table,
            len(objects) + 1,
            lock,
            len(written),
        )
    )
