"""Test PDF documents in a tab: text, outline, links, pictures, and failures to read one."""

import re
from typing import Any, BinaryIO

import pytest
from PIL import Image

from gstack_browse.browser.network import loaded_documents
from gstack_browse.errors import FileFailed, NoMatch, Refused, UsageError
from tests.commands.conftest import Fails, Run, Shell
from tests.commands.web import TYPES, Web
from tests.each import each
from tests.pdf_files import Sheet, Words, lines, pdf

pytestmark = pytest.mark.same_session


@pytest.fixture(autouse=True)
def served_as_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TYPES, ".pdf", "application/pdf")


HEAVY = pdf(
    Sheet(
        [Words(x, y, "x") for y in range(0, 792, 12) for x in range(10, 610, 10)],
        [(f"http://a.test/{'a' * 3900}{x}", (x, 0, x + 9, 792)) for x in range(10, 610, 10)],
    )
)
"""A page of few words, each with a long link."""


def serve(web: Web, name: str, content: bytes) -> str:
    path = f"/{name}.pdf"
    web.pages[path] = content, {}  # type: ignore[assignment]
    return web.url + path


TABLE = [
    Words(x, y, text)
    for y, row in ((600, ("Fruit", "Price")), (580, ("Apple", "2")), (560, ("Pear", "13")))
    for x, text in zip((72, 300), row, strict=True)
]


async def test_a_pdf_is_read_like_a_page(run: Run, fails: Fails, web: Web) -> None:
    first = Sheet(lines("Annual report", "See the site"), links=[(f"{web.url}/plain.html", (70, 680, 150, 698))])  # fmt: skip
    sheets = first, Sheet([*lines("The second <b>page</b>"), *TABLE]), Sheet(lines("The end"))
    address = serve(web, "report", pdf(*sheets, outline=[("Beginning", 1), ("Fruits & prices", 2)]))
    assert await run(f"goto {address}") == f"Navigated to {address} (200)\n→ a PDF, 3 pages, with an outline"
    assert (await run("url"), await run("title")) == (address, "report.pdf")
    text = await run("text main")
    assert text.split("\n\n")[:3] == ["Page 1", "Annual report\nSee the site", "Page 2"]
    assert "The second <b>page</b>" in text
    assert "Fruit\tPrice\nApple\t2\nPear\t13" in text
    assert await run("text --pages 3") == "Page 3\n\nThe end"
    assert await run("text --pages 2-9") == text[text.index("Page 2") :]
    assert "There is no page 4: the PDF has 3 pages" in (await fails("text --pages 4", NoMatch)).message
    assert '[link] "Fruits & prices"' in await run("snapshot -i")
    assert '[region] "Page 2"' in await run("snapshot --find Pear")
    await run("click text=Fruits")
    assert await run("url") == f"{address}#page=2"
    assert (await run("click 'text=See the site'")).endswith(f"→ now at {web.url}/plain.html")
    assert await run("back") == f"Back → {address}#page=2"
    serve(web, "report", pdf(Sheet(lines("Another report"))))
    await run("reload")
    assert (await run("text"), await run("url")) == ("Another report", f"{address}#page=2")
    await run(f"goto {web.url}/plain.html")
    assert "for PDF documents" in (await fails("text --pages 1", UsageError)).message


async def test_a_page_is_pictured_as_it_is_printed(run: Run, fails: Fails, web: Web, shell: Shell) -> None:
    await run(f"goto {serve(web, 'drawn', pdf(Sheet(lines('Drawn')), Sheet()))}")
    path, pictures = shell.workspace / "page.png", []
    for number in (1, 2):
        said = await run(f"screenshot --page {number} --max-side 792 page.png")
        assert said == f"Screenshot saved: {path} (page {number})"
        with Image.open(path) as picture:
            assert picture.size == (612, 792)
            pictures.append(picture.convert("L"))
    assert pictures[0].crop((70, 80, 110, 95)).getextrema()[0] < 100
    assert pictures[1].getextrema() == (255, 255)
    assert "The PDF has 2 pages" in (await fails("screenshot --page 3", NoMatch)).message


ROWS = "Year\tFloods\tDamage\n2023\t9\t1.2 million\n2024\t12\t1.9 million\n2025\t17\t3.4 million\n"
DOCUMENTS = {
    "chromium-rtl": ("1 page", ["הנמל של העיר\n", "הוצף שבע עשרה פעמים", "المياه ميناء المدينة", "In English: 17 floods."]),
    "groff-ghostscript": ("1 page", ["The harbour\n\nAnn Lee\n", "flooded seventeen\n", "2. Designs\n", "and two"]),
    "img2pdf-scan": ("1 page, without text, as of a scanner: 'screenshot --page 1' shows it", []),
    "libreoffice-minutes": ("1 page, with an outline", ["Minutes\n", ROWS, "• First point\n• Second point\n"]),
    "pdf-lib-form": ("1 page", ["Name", "applicant.name: Ann Lee\nberth: South\nagreed: Yes"]),
    "pymupdf-turned": ("6 pages", [part for page in range(1, 7) for part in (f"Page {page}\n", "in spring.", ROWS)]),
    "qpdf-restricted": ("1 page, with an outline", ["Numbers of floods\n", "delivered in spring.", ROWS, "The town"]),
    "reportlab-columns": ("2 pages, with an outline", [f"{at}. " for at in range(1, 22)]),
    "typst-paper": ("2 pages, with an outline", ["1.1. Method\n", "expected in\nNovember.", ROWS, "Table 1"]),
}  # fmt: skip
"""By name of a file of tests/site/pdf: how it is announced, and parts of its text in order."""


@each(DOCUMENTS)
async def test_documents_of_other_programs_are_read(name: str, run: Run, web: Web) -> None:
    announced, parts = DOCUMENTS[name]
    assert (await run(f"goto {web.url}/pdf/{name}.pdf")).endswith(f"→ a PDF, {announced}")
    text = await run("text main")
    for part in parts:
        before, found, text = text.partition(part)
        assert found, f"{part!r} is not in {before}"


async def test_links_and_tables_of_other_programs_are_read(run: Run, web: Web) -> None:
    await run(f"goto {web.url}/pdf/fpdf-table.pdf")
    assert await run("links main") == "The town → https://town.example/harbour"
    assert "| Year | Floods | Damage |" in await run("text --markdown")
    await run(f"goto {web.url}/pdf/pdfkit-guide.pdf")
    await run("click text=Map")
    assert (await run("url")).endswith("#page=2")


async def test_pdf_that_cannot_be_read_says_why(run: Run, fails: Fails, web: Web) -> None:
    for name, content, problem in (
        ("locked", pdf(Sheet(lines("Secret")), is_locked=True), "is a PDF that needs a password"),
        ("broken", b"%PDF-1.4\nnothing else", "is a PDF that is broken"),
        ("heavy", HEAVY, "is a PDF that has a page too large to be read"),
    ):
        reply = await fails(f"goto {serve(web, name, content)}", FileFailed)
        assert reply.message.endswith(problem)
        assert reply.hint.startswith((f"The file: {name}", "The tab shows it"))
    many = pdf(*(Sheet(lines(f"Sheet {number}")) for number in range(1, 301)))
    assert (await run(f"goto {serve(web, 'many', many)}")).endswith("→ a PDF, 300 pages")
    assert (await run("text --pages 300")).endswith("Sheet 300")


async def test_pages_that_were_not_read_are_said(
    run: Run, fails: Fails, web: Web, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    convert = loaded_documents._convert_to_html

    async def convert_until_page_2(url: str, file: BinaryIO) -> dict[str, Any]:
        """Read as of a document that is too long."""
        told = await convert(url, file)
        return told | {"read": 2, "html": told["html"].partition("<section id='page=3'")[0]}

    monkeypatch.setattr(loaded_documents, "_convert_to_html", convert_until_page_2)
    address = serve(web, "long", pdf(*(Sheet(lines(f"Sheet {number}")) for number in range(1, 5))))
    assert (await run(f"goto {address}")).endswith("→ a PDF, 4 pages, of which the first 2 were read")
    reply = await shell.send("text --pages 2-9")
    assert (reply.text, reply.notes) == ("Page 2\n\nSheet 2", ["Of 4 pages only the first 2 were read"])
    missing = await fails("text --pages 3", NoMatch)
    assert missing.message == "Page 3 was not read: of 4 pages only the first 2 were"
    assert missing.hint == "'screenshot --page 3' shows it"
    await fails("text --pages 5", NoMatch)
    await run("screenshot --page 3 third.png")


@pytest.mark.both_browsers
async def test_pdf_of_the_workspace_and_behind_a_link(run: Run, fails: Fails, shell: Shell, web: Web) -> None:
    """List no copy among the downloads. A full Chromium shows the one of a link in its viewer, and downloads nothing."""
    (shell.workspace / "own.pdf").write_bytes(pdf(Sheet(lines("Own words"))))
    assert (await run("goto ./own.pdf")).endswith("/own.pdf\n→ a PDF, 1 page")
    assert await run("text") == "Own words"
    for name, content, error, told in (
        (".hidden.pdf", pdf(Sheet()), Refused, ""), ("bad.pdf", b"%PDF-1.4", FileFailed, ""),
        ("words.pdf", b"only words", FileFailed, "/words.pdf is called a PDF, and has no PDF header"),
    ):  # fmt: skip
        (shell.workspace / name).write_bytes(content)
        assert (await fails(f"goto ./{name}", error)).message.endswith(told)
    assert await run("downloads") == "(no downloads)"
    address = serve(web, "linked", pdf(Sheet(lines("Linked"))))
    await run(f"goto {web.show(f'<a href={address}>Report</a>')}")
    reply = await run("click a")
    is_in_viewer = "'reload' makes it a page" in reply
    assert ("; to read it: goto ./" in reply) != is_in_viewer
    if is_in_viewer:
        assert "it is a PDF in Chromium's viewer" in (await shell.send("text")).notes[0]
    await run("reload" if is_in_viewer else reply[reply.index("goto ./") :])
    assert await run("text") == "Linked"


@pytest.mark.both_browsers
async def test_a_pdf_is_opened_at_the_address_that_the_browser_asks_for(run: Run, web: Web) -> None:
    """Chromium writes addresses in its own way, and a redirection leads to another one."""
    content = pdf(Sheet(lines("The report")))
    serve(web, "an%20%C3%BC%20report", content)
    for typed in ("/an%20ü report.pdf?of=ü", "/folder/../an%20%C3%BC%20report.pdf#page=1"):
        assert (await run("goto", web.url + typed)).endswith("→ a PDF, 1 page"), typed
        assert await run("text") == "The report"
    report = serve(web, "latest-7", content)
    for words in ("The report", "A later report"):
        serve(web, "latest-7", pdf(Sheet(lines(words))))
        assert (await run(f"goto {web.url}/redirect?to=/latest-7.pdf")).endswith("→ a PDF, 1 page")
        assert await run("url") == report
        assert (await run("title"), await run("text")) == ("latest-7.pdf", words)


@pytest.mark.both_browsers
async def test_a_pdf_that_is_shown_is_downloaded_as_it_is(run: Run, web: Web, shell: Shell) -> None:
    content = pdf(Sheet(lines("To keep")))
    address = serve(web, "kept", content)
    await run(f"goto {address}")
    await run(f"download {address} saved.pdf")
    links = f"<a id=plain href={address}>Read</a> <a id=kept download href={address}>Keep</a>"
    await run(f"goto {web.show(links)}")
    await run("download '#plain' linked.pdf")
    clicked = re.search(r"\.gstack/downloads/\S+?\.pdf", await run("click '#kept'"))
    assert clicked
    for name in ("saved.pdf", "linked.pdf", clicked[0]):
        assert (shell.workspace / name).read_bytes() == content


async def test_script_in_a_pdf_does_not_run(run: Run, web: Web) -> None:
    hostile = "<script>document.title = 1</script><img src=x onerror=alert\\(1\\)>"
    link = [("javascript:alert(1)", (70, 680, 400, 715))]
    await run(f"goto {serve(web, 'hostile', pdf(Sheet(lines(hostile), links=link), outline=[(hostile, 1)]))}")
    assert "<script>" in await run("text")
    assert await run("count 'script,img,main a'") == "0"
