"""Test that the frames of a page are those that Chromium has, over navigations and changes of process."""

import asyncio
import random
from contextlib import suppress
from typing import Any

import pytest

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.page import Frame, Page
from tests.browser.devtools.conftest import Chromium, evaluate

SITES = ("https://a.example/", "https://b.example/", "https://c.example/")
STEPS = 12


async def frames_of_chromium(chromium: Chromium, page: Page) -> dict[str, str]:
    """Return id and address of each frame, as the processes of the page tell."""
    found: dict[str, str] = {}
    trees: list[dict[str, Any]] = []
    for target in chromium.browser.connection.targets:
        if target.page == page.target.id and target.has_documents:
            with suppress(ProtocolError):  # the frame has gone, or is in another process now
                trees = [(await target.session.send("Page.getFrameTree"))["frameTree"]]
            while trees:
                tree = trees.pop()
                found[tree["frame"]["id"]] = tree["frame"]["url"] + tree["frame"].get("urlFragment", "")
                trees += tree.get("childFrames", [])
    return found


async def until_same(chromium: Chromium, page: Page) -> None:
    """Wait until the frames that we know are those that Chromium has, and there is no more to come."""
    ours, theirs = {}, await frames_of_chromium(chromium, page)
    try:
        async with asyncio.timeout(20):
            while (ours := {frame.id: frame.url for frame in page.frames}) != theirs or lacks_parents(page):
                theirs = await frames_of_chromium(chromium, page)
    except TimeoutError:
        assert ours == theirs
        assert not lacks_parents(page)


def lacks_parents(page: Page) -> bool:
    """Return whether a frame is known by its own process only: the event of its parent's is still to come."""
    return any(frame.parent_frame is None for frame in page.frames if frame is not page.main_frame)


def check_tree(page: Page) -> None:
    """Check that parents and children agree, and that no frame is there that has gone."""
    reached: list[Frame] = []
    waiting = [page.main_frame]
    while waiting:
        frame = waiting.pop()
        reached.append(frame)
        assert not frame.is_detached()
        for child in frame.child_frames:
            assert child.parent_frame is frame
        waiting += frame.child_frames
    assert sorted(frame.id for frame in reached) == sorted(frame.id for frame in page.frames)


async def change(frame: Frame, what: str, site: str, number: int) -> None:
    """Let the document of a frame add, lead elsewhere or remove a frame of its own."""
    pick = "const frames = [...document.querySelectorAll('iframe')]; const one = frames.at(-1);"
    scripts = {
        "add": f"const made = document.createElement('iframe'); made.src = '{site}?{number}'; document.body.append(made);",
        "lead": f"if (one) one.src = '{site}?{number}';",
        "remove": "one?.remove();",
        "move within": f"if (one) one.src = one.src.split('#')[0] + '#{number}';",
        "add blank": "document.body.append(document.createElement('iframe'));",
    }
    context = frame.target.page_contexts.get(frame.id)
    if context:
        await frame.target.session.send(
            "Runtime.evaluate", {"expression": f"{{ {pick} {scripts[what]} }}", "uniqueContextId": context}
        )


@pytest.mark.parametrize("seed", range(2))
async def test_frames_are_those_of_chromium_after_changes_at_random(chromium: Chromium, seed: int) -> None:
    rng = random.Random(seed)
    for site in SITES:
        for number in range(STEPS + 1):
            chromium.pages[f"{site}?{number}"] = "text/html", "<!doctype html><p>Page"
    context = await chromium.browser.new_context()
    page = await context.new_page()
    await page.target.session.send("Page.navigate", {"url": f"{SITES[0]}?0"})
    await until_same(chromium, page)
    gone: list[Frame] = []
    page.on("framedetached", gone.append)
    for number in range(1, STEPS + 1):
        frame = rng.choice(page.frames)
        what = rng.choice(["add", "add", "add", "lead", "lead", "remove", "move within", "add blank"])
        await change(frame, what, rng.choice(SITES), number)
        await until_same(chromium, page)
        check_tree(page)
    assert all(frame.is_detached() for frame in gone)
    await page.target.session.send("Page.navigate", {"url": f"{SITES[1]}?1"})
    await until_same(chromium, page)
    async with asyncio.timeout(20):
        while page.frames != [page.main_frame]:
            await evaluate(page.target.session, "0")
    await context.close()
