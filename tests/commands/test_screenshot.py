"""Test pictures and printed pages: what is on them, how large they are, where they are saved, and how two differ."""

import base64
import os
import re
import zlib
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import pytest
import pytest_asyncio
from PIL import Image

from gstack_browse.browser.engine.world import World
from gstack_browse.errors import (
    FileFailed,
    ManyMatches,
    NoMatch,
    NotInteractable,
    PicturesDiffer,
    Refused,
    UsageError,
)
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web
from tests.faults import fault

pytestmark = pytest.mark.same_session

PAGE = """<style>* { margin: 0 }</style><div style='height:900px;background:#f00'></div>
    <h1 id=title style='width:300px;height:50px;background:#00f'>T</h1><div style='height:1050px;background:#0f0'><canvas width=40 height=30></canvas></div>"""


def saved(said: str) -> Image.Image:
    path = said.removeprefix("Screenshot saved: ").split(" (")[0]
    return Image.open(path)


PICTURED = {
    "--viewport v.png": ("v.png (viewport)", (1280, 720)), "'#title' e.png": ("e.png (element)", (300, 50)),
    "--clip 10,880,100,40 c.png": ("c.png (clip 10,880,100,40)", (100, 40)),
    "--clip 0,1990,10,50 edge.png": ("edge.png (clip 0,1990,10,50)", (10, 10)), "page.png --max-side 0": ("page.png", (1280, 2000)),
    "r.png @e1": ("r.png (element)", (300, 50)), "@e1 r.jpg": ("r.jpg (element)", (300, 50)), "'text=T' r.webp": ("r.webp (element)", (300, 50)),
    "h1.x,h1 r.jpeg": ("r.jpeg (element)", (300, 50)), "canvas x.png": ("x.png (element)", (40, 30)),
}  # fmt: skip
"""Words → how the reply ends, and the size of the picture."""
FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}


async def test_page_viewport_element_or_rectangle_is_pictured(run: Run, show: Show, shell: Shell) -> None:
    """Take the arguments in any order. Without a path, make a file in the state directory."""
    await show(PAGE)
    await run("snapshot")
    for words, (told, size) in PICTURED.items():
        said = await run(f"screenshot {words}")
        assert said == f"Screenshot saved: {shell.workspace}/{told}"
        picture = saved(said)
        assert (picture.size, picture.format) == (size, FORMATS[Path(told.split(" ")[0]).suffix]), words
    element, clip = (Image.open(shell.workspace / name).convert("RGB") for name in ("e.png", "c.png"))
    assert element.getpixel((299, 49)) == (0, 0, 255)
    assert [clip.getpixel(at) for at in ((5, 5), (90, 30))] == [(255, 0, 0), (0, 0, 255)]
    first, second = await run("screenshot"), await run("screenshot '#title'")
    assert Path(first.removeprefix("Screenshot saved: ")).parent.name == ".gstack"
    assert first != second
    assert saved(second).size == (300, 50)


async def test_element_of_a_page_written_from_the_right_is_pictured(run: Run, show: Show, fails: Fails) -> None:
    """Show no other part of the page for one that is wholly or partly outside of it, either."""
    markup = (
        "<style>* { margin: 0 } div { position: absolute; top: 30px; height: 40px; width: 50px }</style><p style='width:3000px;height:200px'>"
        "<div id=far style='background:#0f0;left:-1500px'></div><div id=near style='background:#00f;right:5px'></div>"
        "<div id=cut style='background:#f00;left:200px;top:-10px'></div><div id=out style='top:-500px;left:0'>Out</div>"
    )
    for direction in ("<html dir=rtl>", "<html style='writing-mode:vertical-rl'>", "<body dir=rtl>", "<body>"):
        await show(direction + markup)
        parts = {"near": (0, 0, 255), "cut": (255, 0, 0)} | (
            {"far": (0, 255, 0)} if direction != "<body>" else {}
        )
        for name, colour in parts.items():
            picture = saved(await run(f"screenshot '#{name}' part.png")).convert("RGB")
            height = 30 if name == "cut" else 40
            assert picture.getcolors() == [(50 * height, colour)], (direction, name)
    for target in ("#far", "#out"):
        assert (
            "is outside of the page"
            in (await fails(f"screenshot '{target}' part.png", NotInteractable)).message
        )


@pytest.mark.both_browsers
@pytest.mark.fresh_session
async def test_the_viewport_of_another_tab_leaves_its_own_to_a_tab(run: Run, show: Show, web: Web) -> None:
    """A full Chromium shows all tabs in one window, which gets the size of the tab that was resized last."""
    await show(PAGE)
    await run("newtab", web.show(PAGE))
    await run("viewport 375x812", tab=1)
    for tab, width in ((2, 1280), (1, 375)):
        assert saved(await run("screenshot page.png --max-side 0", tab=tab)).size == (width, 2000)
        assert await run("js innerWidth", tab=tab) == str(width)
        assert saved(await run("screenshot --viewport seen.png", tab=tab)).size[0] == width
        await run("reload", tab=2)


async def test_a_page_that_is_pictured_stays_where_it_was_scrolled_to(run: Run, show: Show) -> None:
    """Have something on it that is as high as the viewport, which Chromium enlarges for the picture."""
    await show("<style>*{margin:0} p{height:100vh}</style><p>1</p><p>2</p><p>3</p><p id=p>4</p>")
    await run("js scrollTo(0,1600)")
    for command in ("screenshot a.png", "screenshot --clip 0,0,300,900 a.png", "screenshot --tiles a.png"):
        await run(command)
        await run("wait 50")
        assert await run("js scrollY") == "1600", command


@fault(
    "Hangs",
    "a page hangs once its picture was taken",
    "the picture is saved, and a note says that the page does not answer",
)
async def test_page_that_hangs_after_its_picture_is_pictured(
    shell: Shell, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = World.call

    async def hang_before_scrolling(world: World, name: str, *arguments: object) -> object:
        if name == "restoreScroll":
            world.session.notify("Runtime.evaluate", {"expression": "for (;;);"})
        return await call(world, name, *arguments)  # type: ignore[arg-type]

    await show("<style>body { margin: 0; height: 3000px }</style>")
    monkeypatch.setattr(World, "call", hang_before_scrolling)
    reply = await shell.send("screenshot a.png --max-side 0", timeout=15000)
    assert saved(reply.text).size == (1280, 3000), reply
    assert reply.notes == ["The page has not answered since the picture: it may be scrolled elsewhere"]


async def test_picture_of_a_page_that_scrolls_in_a_pane_says_so(run: Run, show: Show, shell: Shell) -> None:
    await show("""<style>* { margin: 0 } body { height: 100vh; display: flex } div { overflow: auto; flex: 1 }</style>
        <textarea>a\nb\nc\nd</textarea><div id=app><p style='height:1500px'></div>""")
    told = "<div#app> scrolls, and is not wholly on it: 720 of 1500 pixels (a higher 'viewport' may show all)"
    for words, notes in {"": [told], "--viewport": [], "'#app'": []}.items():
        assert (await shell.send(f"screenshot {words} p.png")).notes == notes, words
    await run("viewport 1280x1500")
    assert (await shell.send("screenshot p.png")).notes == []


async def test_no_picture_is_larger_than_models_accept(run: Run, show: Show, shell: Shell) -> None:
    await show(PAGE)
    said = await run("screenshot page.png")
    assert said == f"Screenshot saved: {shell.workspace / 'page.png'} (1004x1568, shrunk from 1280x2000)"
    picture = saved(said).convert("RGB")
    assert picture.size == (1004, 1568)
    assert picture.getpixel((100, 720)) == (0, 0, 255), "the title, drawn smaller where it is"
    said = await run("screenshot '#title' title.png --max-side 100")
    assert said.endswith("title.png (element, 100x17, shrunk from 300x50)")
    assert "--tiles" in shell.replies[-1].notes[0], "small text cannot be read any more"
    assert (await run("responsive r")).count("shrunk from") == 3
    for scroll in ("scroll top", "scroll down 850"):
        await run(scroll)
    picture = saved(await run("screenshot --viewport s.png --max-side 640")).convert("RGB")
    assert picture.size == (640, 360)
    assert [picture.getpixel((10, y)) for y in (10, 40, 60)] == [(255, 0, 0), (0, 0, 255), (0, 255, 0)]


async def test_size_told_of_a_scaled_or_shrunk_picture_is_true(run: Run, show: Show) -> None:
    """Picture an element that is taller than the screen of a computer, too."""
    tall = "<div style='height:12000px;width:200px;background:linear-gradient(red, blue)'></div>"
    await show(f"<style>* {{ margin: 0 }}</style>{tall}")
    assert saved(await run("screenshot tall.png --max-side 0")).size == (1280, 12000)
    await show("<style>* { margin: 0 }</style><div style='width:997px;height:1003px'></div>")
    await run("viewport 801x613 --scale 1.5")
    assert saved(await run("screenshot --viewport s.png --max-side 0")).size == (1202, 920)
    for side, what in ((7, "--viewport"), (64, "--clip 3,5,71.5,90"), (333, ""), (640, "css=div")):
        said = await run(f"screenshot {what} s.png --max-side {side}")
        width, height = saved(said).size
        assert max(width, height) == side
        assert f"{width}x{height}, shrunk" in said
    await run("viewport 1280x720 --scale 1")


async def test_tiles_show_everything_in_full_size(run: Run, show: Show, shell: Shell, fails: Fails) -> None:
    await show(PAGE)
    told, *lines = (await run("screenshot --tiles --max-side 700 page.png")).splitlines()
    assert told == "Screenshot saved: 6 tiles"
    assert lines[2] == f"{shell.workspace / 'page-3.png'} (640x667 from 0,667)"
    whole = saved(await run("screenshot whole.png --max-side 0")).convert("RGB")
    together = Image.new("RGB", whole.size)
    for number, line in enumerate(lines, 1):
        x, y = line.rpartition("from ")[2].rstrip(")").split(",")
        together.paste(Image.open(shell.workspace / f"page-{number}.png"), (int(x), int(y)))
    assert together.tobytes() == whole.tobytes()
    assert "--clip" in (await fails("screenshot --tiles --max-side 50", UsageError)).hint


async def test_a_picture_that_shows_nothing_new_is_not_saved(run: Run, show: Show, shell: Shell) -> None:
    """Save one of another subject, one after a change, and one where nobody has the earlier one any more."""
    await show(PAGE)
    assert (await run("screenshot --if-changed --viewport one.png")).endswith("one.png (viewport)")
    said = await run("screenshot --if-changed --viewport two.png")
    assert said == f"Unchanged since {shell.workspace / 'one.png'} (0s ago)"
    assert not (shell.workspace / "two.png").exists()
    assert "saved" in await run("screenshot --if-changed whole.png")
    await run("js \"document.querySelector('div').style.background = '#f01'\"")
    assert "saved" in await run("screenshot --if-changed --viewport three.png")
    (shell.workspace / "three.png").unlink()
    assert "saved" in await run("screenshot --if-changed --viewport four.png")


async def test_quality_and_a_picture_in_base64(run: Run, show: Show, shell: Shell, fails: Fails) -> None:
    words = "<p style='background: linear-gradient(red, blue)'>" + "many words " * 500
    await show(PAGE.replace("<div", f"{words}<div", 1))
    sizes = [
        os.stat(saved(await run(f"screenshot --viewport q.{kind} --quality {quality}")).filename).st_size
        for kind in ("jpg", "webp")
        for quality in (10, 90)
    ]
    assert sizes[0] < sizes[1]
    assert sizes[2] < sizes[3]
    assert ".jpg" in (await fails("screenshot q.png --quality 50", UsageError)).hint
    before = set(shell.workspace.rglob("*.png"))
    for words, kind in (("'#title' -", "PNG"), ("- '#title' --quality 60", "JPEG")):
        picture = Image.open(BytesIO(base64.b64decode(await run(f"screenshot {words}"), validate=True)))
        assert (picture.format, picture.size) == (kind, (300, 50))
    assert set(shell.workspace.rglob("*.png")) == before


async def test_picture_of_words_that_contradict_is_refused(fails: Fails, show: Show) -> None:
    """Refuse an element that is not there, not seen, or not the only one, too."""
    await show(PAGE + "<i id=h hidden>h</i>")
    for words in (
        "--clip 0,0,10,10 '#title'", "--clip 0,0,10,10 --viewport", "--viewport '#title'", "a.png b.png", "'#a' '#b'", "--tiles --if-changed",
        "--tiles --max-side 0", "- --tiles", "- --if-changed", "- a.png",
    ):  # fmt: skip
        await fails(f"screenshot {words}", UsageError)
    reply = await fails("screenshot --clip 0,5000,10,10", UsageError)
    assert "outside of the page (1280x2000)" in reply.message
    for target, error in {"'#nope'": NoMatch, "'#h'": NotInteractable, "css=div": ManyMatches}.items():
        await fails(f"screenshot {target} --timeout 50", error)


async def test_a_page_that_paints_for_ever_is_pictured(run: Run, show: Show) -> None:
    """Picture it while it loads a picture that never comes, too."""
    await show(
        "<style>@keyframes s { to { rotate: 1turn } } p { animation: s 1s infinite linear; width: 50px }</style><p>x"
    )
    await run("js", "document.body.append(Object.assign(new Image(), { src: '/hang' })); 1")
    assert saved(await run("screenshot --viewport a.png")).size == (1280, 720)


async def test_style_sheet_that_keeps_a_page_from_being_drawn_is_named(
    shell: Shell, show: Show, web: Web, run: Run
) -> None:
    sheet = f"{web.url}/hang"
    await show(f"<link rel=stylesheet href='{sheet}'><p>Text")
    assert await run("text") == "Text", "and so much later it is no read at once after an action"
    reply = await shell.send("screenshot", timeout=3000)
    assert reply.message.endswith(f": the page waits for a style sheet, {sheet}")
    way = reply.hint.removeprefix("To do without it: ").replace("gbrowse ", "").split("; ")
    for command in way:
        await run(command)
    assert saved(await run("screenshot a.png")).size == (1280, 720)
    await run("unroute")


async def test_a_pdf_that_does_not_come_before_the_deadline_is_a_timeout(shell: Shell, show: Show) -> None:
    await show("<script>addEventListener('beforeprint', () => { for (;;); })</script>")
    reply = await shell.send("pdf", timeout=1000)
    assert (reply.code, reply.message.partition(":")[0]) == (3, "pdf did not finish in 1s")


COMPARED = """<style>* { margin: 0; font: 16px sans-serif }</style><h1>Shop</h1>
    <button id=total style="width:200px;height:40px">Total 5</button><div style="height:500px"></div><button id=end>End</button>"""


@pytest_asyncio.fixture(loop_scope="session")
async def small_viewport(run: Run) -> AsyncIterator[None]:
    """Each picture is decoded and compared pixel by pixel."""
    await run("viewport 500x300")
    yield
    await run("viewport 1280x720 --scale 1")


async def put(run: Run, target: str, words: str) -> None:
    """Change the words of an element."""
    await run("js", f"document.querySelector('{target}').textContent = '{words}'")


@pytest.mark.usefixtures("small_viewport")
async def test_the_page_with_an_earlier_picture_of_it(run: Run, fails: Fails, show: Show, shell: Shell) -> None:
    """Save a picture of what differs."""
    await show(COMPARED)
    for how, scroll in {"": "top", "--viewport --max-side 300": "down 40"}.items():
        await run(f"scroll {scroll}")
        await run(f"screenshot before.png {how}")
        assert (await run("diff-image before.png")).startswith("No difference (")
        await put(run, "#total", "Total 7")
        reply = await fails("diff-image before.png --now", PicturesDiffer)
        assert "in 1 region" in reply.message
        assert reply.text.endswith(' @e1 "Total 7"')
        await put(run, "#total", "Total 5")
    await run("screenshot before.png --max-side 0")
    await put(run, "#end", "Other")
    await run("scroll down 50")
    reply = await fails("diff-image before.png -o changes.png", PicturesDiffer)
    assert reply.text.endswith(f"Saved: {shell.workspace / 'changes.png'}")
    places = [tuple(map(int, line.split(",")[:2])) for line in reply.text.splitlines()[:-1]]
    x, y = max(places, key=lambda place: place[1])
    assert y > 500
    changes = Image.open(shell.workspace / "changes.png").convert("RGB")
    assert changes.size == (500, Image.open(shell.workspace / "before.png").height)
    assert changes.getpixel((x - 1, y - 1)) == (215, 38, 61)


@pytest.mark.usefixtures("small_viewport")
async def test_masked_parts_may_differ(run: Run, fails: Fails, show: Show) -> None:
    await show(COMPARED)
    await run("screenshot before.png --viewport --max-side 400")
    await put(run, "#total", "Total 7")
    await fails("diff-image before.png", PicturesDiffer)
    said = await run("diff-image before.png --mask '#total'")
    assert said.startswith("No difference but in 1 masked part (")
    await fails("diff-image before.png --mask '#end'", PicturesDiffer)
    await put(run, "#total", "Total 5")
    await run("screenshot before.png --max-side 0")
    await put(run, "h1", "Stop")
    await fails("diff-image before.png --mask 0,0,10,10", PicturesDiffer)
    assert "2 masked parts" in await run("diff-image before.png --mask 0,0,500,40 --mask '#total'")
    await run("js", "document.querySelector('#end').style.display = 'none'")
    await fails("diff-image before.png --mask '#end'", PicturesDiffer)
    await fails("diff-image before.png --mask '#nothing'", NoMatch)
    await fails("diff-image before.png before.png --mask '#total'", UsageError)


@pytest.mark.usefixtures("small_viewport")
async def test_diff_image_of_two_files(run: Run, fails: Fails, show: Show, shell: Shell) -> None:
    """How regions are found: tests/unit/snapshot/test_picture_difference.py."""
    await show("<p>nothing of this page matters")
    red = Image.new("RGB", (100, 60), "#ff0000")
    red.save(shell.workspace / "a.png")
    other = red.copy()
    other.paste("#fe0000", (0, 0, 10, 10))
    other.paste("#00ff00", (80, 50, 90, 60))
    other.save(shell.workspace / "b.png")
    reply = await fails("diff-image a.png b.png", PicturesDiffer)
    assert (reply.message, reply.text) == ("1.67 % differs in 1 region", "80,50,10,10")
    assert "2 regions" in (await fails("diff-image a.png b.png --threshold 0", PicturesDiffer)).message
    assert await run("diff-image a.png b.png --threshold 1") == "No difference (100x60)"
    Image.new("RGB", (100, 80), "#ff0000").save(shell.workspace / "taller.png")
    reply = await fails("diff-image a.png taller.png", PicturesDiffer)
    assert reply.message == "25 % differs in 1 region; 100x60 before, 100x80 now"
    content = bytearray((shell.workspace / "a.png").read_bytes())
    content[16:24] = (20_000).to_bytes(4) * 2
    content[29:33] = zlib.crc32(content[12:29]).to_bytes(4)
    (shell.workspace / "huge.png").write_bytes(content)
    (shell.workspace / "text.png").write_text("not a picture")
    for name in ("text.png", "huge.png", "none.png"):
        assert name in (await fails(f"diff-image {name}", FileFailed)).message
        await fails(f"diff-image a.png {name}", FileFailed)
    await fails("diff-image a.png -o /etc/x.png", Refused)
    for words in ("a.png --now", "-o a.jpg"):
        await fails(f"diff-image a.png {words}", UsageError)


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
