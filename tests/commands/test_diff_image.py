import pytest
import pytest_asyncio
from PIL import Image

from gstack_browse.errors import FileFailed, NoMatch, PicturesDiffer, Refused, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show

pytestmark = pytest.mark.same_session

PAGE = """<style>* { margin: 0; font: 16px sans-serif }</style><h1>Shop</h1>
    <button id=total style="width:200px;height:40px">Total 5</button><div style="height:500px"></div><button id=end>End</button>"""


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def small_viewport(run: Run) -> None:
    """Each picture is decoded and compared pixel by pixel."""
    await run("viewport 500x300")


async def put(run: Run, target: str, words: str) -> None:
    """Change the words of an element."""
    await run("js", f"document.querySelector('{target}').textContent = '{words}'")


async def test_the_page_with_an_earlier_picture_of_it(run: Run, fails: Fails, show: Show, shell: Shell) -> None:
    """Save a picture of what differs."""
    await show(PAGE)
    for how, scroll in {
        "": "top",
        "--max-side 0": "top",
        "--viewport": "top",
        "--viewport --max-side 300": "down 40",
    }.items():
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


async def test_masked_parts_may_differ(run: Run, fails: Fails, show: Show) -> None:
    await show(PAGE)
    for how, scroll in (("--max-side 400", "down 40"), ("--viewport --max-side 0", "up 30")):
        await run(f"scroll {scroll}")
        await run(f"screenshot before.png {how}")
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


async def test_diff_image_of_two_files_lists_regions(run: Run, fails: Fails, show: Show, shell: Shell) -> None:
    await show("<p>nothing of this page matters")
    red = Image.new("RGB", (100, 60), "#ff0000")
    red.save(shell.workspace / "a.png")
    assert await run("diff-image a.png a.png") == "No difference (100x60)"
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
    assert reply.text == "0,60,100,20"


async def test_diff_image_of_unusable_files_is_refused(fails: Fails, show: Show, shell: Shell) -> None:
    await show("<p>x")
    Image.new("RGB", (4, 4)).save(shell.workspace / "ok.png")
    Image.new("1", (20_000, 20_000)).save(shell.workspace / "huge.png", compress_level=1)
    (shell.workspace / "text.png").write_text("not a picture")
    Image.effect_noise((200, 200), 64).save(shell.workspace / "whole.png")
    (shell.workspace / "cut.png").write_bytes((shell.workspace / "whole.png").read_bytes()[:20_000])
    for name in ("text.png", "cut.png", "huge.png", "none.png"):
        assert name in (await fails(f"diff-image {name}", FileFailed)).message
        await fails(f"diff-image ok.png {name}", FileFailed)
    await fails("diff-image ok.png -o /etc/x.png", Refused)
    for words in ("ok.png --now", "-o a.jpg"):
        await fails(f"diff-image ok.png {words}", UsageError)
