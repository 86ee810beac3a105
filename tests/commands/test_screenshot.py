"""Test `screenshot`: what is on a picture, how large it is, and where it is saved."""

import base64
import os
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from gstack_browse.errors import FileFailed, ManyMatches, NoMatch, NotInteractable, Refused, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

PAGE = """<style>* { margin: 0 }</style><div style='height:900px;background:#f00'></div>
    <h1 id=title style='width:300px;height:50px;background:#00f'>T</h1><div style='height:1050px;background:#0f0'></div>"""


def saved(said: str) -> Image.Image:
    path = said.removeprefix("Screenshot saved: ").split(" (")[0]
    return Image.open(path)


async def test_the_viewport_an_element_and_a_rectangle(run: Run, show: Show, shell: Shell) -> None:
    await show(PAGE)
    said = await run("screenshot --viewport v.png")
    assert said.endswith("v.png (viewport)")
    assert saved(said).size == (1280, 720)
    said = await run("screenshot '#title' e.png")
    assert said.endswith("e.png (element)")
    picture = saved(said)
    assert picture.size == (300, 50)
    assert picture.convert("RGB").getpixel((299, 49)) == (0, 0, 255)
    said = await run("screenshot --clip 10,880,100,40 c.png")
    assert said.endswith("c.png (clip 10,880,100,40)")
    picture = saved(said).convert("RGB")
    assert picture.size == (100, 40)
    assert picture.getpixel((5, 5)) == (255, 0, 0)
    assert picture.getpixel((90, 30)) == (0, 0, 255)
    assert saved(await run("screenshot --clip 0,1990,10,50 edge.png")).size == (10, 10)
    said = await run("screenshot page.png --max-side 0")
    assert said == f"Screenshot saved: {shell.workspace / 'page.png'}"
    assert saved(said).size == (1280, 2000)


async def test_arguments_in_any_order_and_refs(run: Run, show: Show) -> None:
    await show("<button style='width:90px;height:30px'>b</button>")
    await run("snapshot -i")
    assert saved(await run("screenshot r.png @e1")).size == (90, 30)
    assert saved(await run("screenshot @e1 r.jpg")).format == "JPEG"
    assert saved(await run("screenshot 'text=b' r.webp")).format == "WEBP"
    assert saved(await run("screenshot button.x,button r.jpeg")).format == "JPEG"


async def test_without_a_path_it_is_made_in_the_state_directory(run: Run, show: Show) -> None:
    await show(PAGE)
    first, second = await run("screenshot"), await run("screenshot '#title'")
    assert Path(first.removeprefix("Screenshot saved: ")).parent.name == ".gstack"
    assert first != second
    assert saved(second).size == (300, 50)


async def test_scale_makes_sharper_pictures(run: Run, show: Show) -> None:
    """Picture a tall element, too."""
    tall = "<div style='height:12000px;width:200px;background:linear-gradient(red, blue)'></div>"
    await show(f"<style>* {{ margin: 0 }}</style>{tall}")
    assert saved(await run("screenshot tall.png --max-side 0")).size == (1280, 12000)
    await show(PAGE)
    await run("viewport 400x300 --scale 2")
    assert saved(await run("screenshot --viewport s.png")).size == (800, 600)
    assert saved(await run("screenshot '#title' s.png")).size == (600, 100)


@pytest.mark.both_browsers
@pytest.mark.fresh_session
async def test_the_viewport_of_another_tab_leaves_its_own_to_a_tab(run: Run, show: Show, web: Web) -> None:
    """A full Chromium shows all tabs in one window, which gets the size of the tab that was resized last."""
    await show(PAGE)
    await run("newtab", web.show(PAGE))
    await run("viewport 375x812", tab=1)
    for _ in range(2):
        assert saved(await run("screenshot page.png --max-side 0", tab=2)).size == (1280, 2000)
        assert await run("js innerWidth", tab=2) == "1280"
        assert saved(await run("screenshot --viewport seen.png", tab=2)).size == (1280, 720)
        await run("reload", tab=2)
    assert saved(await run("screenshot page.png --max-side 0", tab=1)).size == (375, 2000)
    assert await run("js innerWidth", tab=1) == "375"


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
    assert (await run("snapshot -i -a --full -o boxes.png")).endswith(", 1004x1568, shrunk from 1280x2000)")
    assert (await run("responsive r")).count("shrunk from") == 3
    for scroll in ("scroll top", "scroll down 850"):
        await run(scroll)
    picture = saved(await run("screenshot --viewport s.png --max-side 640")).convert("RGB")
    assert picture.size == (640, 360)
    assert [picture.getpixel((10, y)) for y in (10, 40, 60)] == [(255, 0, 0), (0, 0, 255), (0, 255, 0)]


async def test_size_told_of_a_shrunk_picture_is_true(run: Run, show: Show) -> None:
    await show("<style>* { margin: 0 }</style><div style='width:997px;height:1003px'></div>")
    await run("viewport 801x613 --scale 1.5")
    for side in (7, 333, 640):
        for what in ("", "--viewport", "--clip 3,5,71.5,90", "css=div"):
            said = await run(f"screenshot {what} s.png --max-side {side}")
            if "shrunk" in said:
                size = saved(said).size
                assert f"{size[0]}x{size[1]}, shrunk" in said
                assert max(size) == side


async def test_tiles_show_everything_in_full_size(run: Run, show: Show, shell: Shell, fails: Fails) -> None:
    await show(PAGE)
    lines = (await run("screenshot --tiles --max-side 700 page.png")).splitlines()
    assert lines[0] == "Screenshot saved: 6 tiles"
    assert lines[3] == f"{shell.workspace / 'page-3.png'} (640x667 from 0,667)"
    tiles = [Image.open(shell.workspace / f"page-{number}.png") for number in range(1, 7)]
    whole = saved(await run("screenshot whole.png --max-side 0")).convert("RGB")
    together = Image.new("RGB", whole.size)
    for tile, line in zip(tiles, lines[1:], strict=True):
        x, y = line.rpartition("from ")[2].rstrip(")").split(",")
        together.paste(tile, (int(x), int(y)))
    assert together.tobytes() == whole.tobytes()
    assert "--clip" in (await fails("screenshot --tiles --max-side 50", UsageError)).hint


async def test_a_picture_that_shows_nothing_new_is_not_saved(run: Run, show: Show, shell: Shell) -> None:
    await show(PAGE)
    first = await run("screenshot --if-changed --viewport one.png")
    assert first.endswith("one.png (viewport)")
    said = await run("screenshot --if-changed --viewport two.png")
    assert said == f"Unchanged since {shell.workspace / 'one.png'} (0s ago)"
    assert not (shell.workspace / "two.png").exists()
    assert "saved" in await run("screenshot --if-changed whole.png"), "another subject"
    await run("js \"document.querySelector('div').style.background = '#f01'\"")
    assert "saved" in await run("screenshot --if-changed --viewport three.png")
    (shell.workspace / "three.png").unlink()
    said = await run("screenshot --if-changed --viewport four.png")
    assert "saved" in said, "nobody has that picture any more"


async def test_quality_is_that_of_a_file_that_loses_some(run: Run, show: Show, fails: Fails) -> None:
    await show("<body style='background: linear-gradient(red, blue)'>" + "many words " * 500)
    sizes = [
        os.stat(saved(await run(f"screenshot --viewport q.{kind} --quality {quality}")).filename).st_size
        for kind in ("jpg", "webp")
        for quality in (10, 90)
    ]
    assert sizes[0] < sizes[1]
    assert sizes[2] < sizes[3]
    assert ".jpg" in (await fails("screenshot q.png --quality 50", UsageError)).hint


async def test_a_picture_for_standard_output_comes_in_base64(run: Run, show: Show, shell: Shell) -> None:
    await show(PAGE)
    before = set(shell.workspace.rglob("*.png"))
    for words, kind in (("'#title' -", "PNG"), ("- '#title' --quality 60", "JPEG")):
        picture = Image.open(BytesIO(base64.b64decode(await run(f"screenshot {words}"), validate=True)))
        assert (picture.format, picture.size) == (kind, (300, 50))
    assert set(shell.workspace.rglob("*.png")) == before


async def test_words_that_contradict_or_could_mean_two_things_are_a_usage_error(
    fails: Fails, shell: Shell, show: Show
) -> None:
    await show(PAGE)
    for word in ("h1", "page", "button", "dir/page", "png", "page.gif", "shot.pdf", "x.svg", "notes.txt"):
        reply = await fails("screenshot", UsageError, word)
        assert "Usage: gbrowse screenshot" in reply.hint
        assert not (shell.workspace / word).exists()
    assert "css=h1" in (await fails("screenshot h1", UsageError)).hint
    for words in (
        "--clip 0,0,10,10 '#title'", "--clip 0,0,10,10 --viewport", "--viewport '#title'", "a.png b.png", "'#a' '#b'",
        "--clip 0,0,10", "--clip a,b,c,d", "--clip 0,0,0,10", "--clip=-1,0,10,10", "--clip 0,0,nan,5", "--clip", "--tiles --if-changed",
        "--tiles --max-side 0", "--max-side -1", "--max-side x", "--quality 0", "--quality 101 a.jpg",
        "- --tiles", "- --if-changed", "- a.png",
    ):  # fmt: skip
        await fails(f"screenshot {words}", UsageError)
    reply = await fails("screenshot --clip 0,5000,10,10", UsageError)
    assert "outside of the page (1280x2000)" in reply.message


async def test_targets_that_cannot_be_pictured(fails: Fails, show: Show) -> None:
    await show("<p class=x>1<p class=x>2<i id=h hidden>h</i>")
    await fails("screenshot '#nope' --timeout 50", NoMatch)
    await fails("screenshot '#h' --timeout 50", NotInteractable)
    await fails("screenshot .x --timeout 50", ManyMatches)


async def test_paths_that_may_not_be_written(fails: Fails, show: Show, shell: Shell, tmp_path: Path) -> None:
    await show(PAGE)
    outside = tmp_path / "outside.png"
    outside.write_text("untouched")
    (shell.workspace / "link.png").symlink_to(outside)
    (shell.workspace / "out").symlink_to("/usr")
    (shell.workspace / "dir.png").mkdir()
    for path in ("/etc/x.png", "../../../../../../etc/x.png", "link.png", "out/x.png"):
        await fails(f"screenshot {path}", Refused)
    await fails("screenshot dir.png", FileFailed)
    (shell.workspace / "dir.png").rmdir()  # tests of other files count pictures
    reply = await fails("screenshot missing/x.png", FileFailed)
    assert reply.message == f"Cannot write missing/x.png: there is no directory {shell.workspace / 'missing'}"
    assert outside.read_text() == "untouched"
    assert not [path for path in shell.workspace.iterdir() if path.name.startswith(".") and "png" in path.name]


async def test_an_existing_file_is_replaced_whole(run: Run, show: Show, shell: Shell) -> None:
    await show(PAGE)
    path = shell.workspace / "again.png"
    path.write_text("old")
    held = os.open(path, os.O_RDONLY)
    saved(await run("screenshot again.png"))
    assert os.read(held, 10) == b"old"
    os.close(held)
    shell.cwd = shell.workspace / "deep"
    shell.cwd.mkdir(exist_ok=True)
    said = await run("screenshot here.png --viewport")
    assert said == f"Screenshot saved: {shell.cwd / 'here.png'} (viewport)", "as the caller types it"
    said = await run("screenshot ../up.png --viewport")
    assert said == f"Screenshot saved: {shell.workspace / 'up.png'} (viewport)"


async def test_a_page_that_paints_for_ever_is_pictured(run: Run, show: Show) -> None:
    await show(
        "<style>@keyframes s { to { rotate: 1turn } } p { animation: s 1s infinite linear; width: 50px }</style><p>x</p><img src=/hang>"
    )
    assert saved(await run("screenshot --viewport a.png")).size == (1280, 720)
