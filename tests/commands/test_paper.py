"""Test what is printed or pictured of whole pages, and how two pages differ."""

import re

import pytest
from PIL import Image

from gstack_browse.errors import FileFailed
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session


async def test_pdf_has_the_size_chosen_or_of_the_style(run: Run, visit: Show, show: Show, shell: Shell) -> None:
    """Turn a sheet as the label of the style sheet is turned."""
    path = shell.workspace / "page.pdf"
    await visit("plain.html")
    for page, words, size in (
        ("plain", "", b"59[45]"), ("plain", "--format letter --landscape", b"792 612"),
        ("label", "", b"288 144"), ("label", "--format letter", b"792 612"),
    ):  # fmt: skip
        if page == "label":
            await show("<style>@page { size: 4in 2in }</style><p>Label")
        assert await run(f"pdf page.pdf {words}") == f"PDF saved: {path}"
        assert path.read_bytes().startswith(b"%PDF-")
        assert re.search(rb"/MediaBox \[0 0 " + size, path.read_bytes()), (page, words)
    assert ".gstack/page-" in await run("pdf")


async def test_responsive_saves_sizes_and_restores(run: Run, fails: Fails, visit: Show, shell: Shell) -> None:
    """Restore it after a failure, too."""
    await visit("plain.html")
    await run("viewport 900x500")
    sizes = {"mobile": (375, 812), "tablet": (768, 1024), "desktop": (1280, 720)}
    assert (await run("responsive shots")).splitlines() == [
        f"{name} ({width}x{height}): {shell.workspace}/shots-{name}.png"
        for name, (width, height) in sizes.items()
    ]
    for name, size in sizes.items():
        assert Image.open(shell.workspace / f"shots-{name}.png").size == size
    assert await run("js", "innerWidth + 'x' + innerHeight") == "900x500"
    (shell.workspace / "taken-tablet.png").mkdir(exist_ok=True)
    await fails("responsive taken", FileFailed)
    assert await run("js", "innerWidth + 'x' + innerHeight") == "900x500"


async def test_diff_compares_pages_and_leaves_tabs_alone(run: Run, visit: Show, web: Web, shell: Shell) -> None:
    """Leave no tab where it fails, either."""
    await visit("form.html")
    one = web.show("<h1>Shop</h1><p>Same</p><p>Price 10</p>")
    two = web.show("<h1>Shop</h1><p>Same</p><p>Price 12</p>")
    tabs = await run("tabs")
    assert (await run("diff", one, two)).splitlines() == [
        f"--- {one}", f"+++ {two}", "@@ -2,4 +2,4 @@", " ", " Same", " ", "-Price 10", "+Price 12",
    ]  # fmt: skip
    assert await run("url") == f"{web.url}/form.html"
    assert f"+++ {web.url}/status/500 (500)" in await run("diff", one, f"{web.url}/status/500")
    reply = await shell.send("diff", one, "http://127.0.0.1:1/")
    assert (reply.code, "127.0.0.1:1" in reply.message) == (1, True)
    assert await run("tabs") == tabs


async def test_diff_of_snapshots_sees_what_is_no_text(run: Run, web: Web) -> None:
    page = """<h1>Shop</h1><a href='{}'>Basket</a><a href='https://example.org/{}'>Help</a><a href='/same'>Same</a>
    <label><input type=checkbox {}>Gift</label><label>Amount <input value={}></label>
    <select aria-label=Size><option>S<option>{}</select><iframe srcdoc='<button {}>Inside</button>'></iframe>"""
    one = web.show(page.format("/basket", 1, "", 1, "M", ""))
    two = web.show_elsewhere(page.format("/cart", 2, "checked", 2, "L", "disabled"))
    assert await run("diff", one, two) == "(no differences)"
    told = (await run("diff", one, two, "--snapshot")).splitlines()
    assert told[:2] == [f"--- {one}", f"+++ {two}"]
    assert [line[0] + line[1:].strip() for line in told[2:] if line[0] in "+-"] == [
        '-[link] "Basket": /basket', '-[link] "Help": https://example.org/1',
        '+[link] "Basket": /cart', '+[link] "Help": https://example.org/2',
        '-[checkbox] "Gift"', '+[checkbox] "Gift" [checked]', '-[textbox] "Amount": 1', '+[textbox] "Amount": 2',
        '-[option] "M"', '+[option] "L"', '-[button] "Inside"', '+[button] "Inside" [disabled]',
    ]  # fmt: skip
