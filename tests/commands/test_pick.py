"""Test `pick`: a person points at an element, by real input."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
import pytest_asyncio

from gstack_browse.browser.command.page import Keyboard
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, evaluate
from gstack_browse.browser.state.context_state import HandoffState
from gstack_browse.browser.tab.tab import HeldInput
from gstack_browse.browser.transfer import capture
from gstack_browse.errors import ActionFailed, TimedOut
from gstack_browse.protocol import Reply
from tests.commands import in_page
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

HEARS = """<script>window.heard = []; for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click', 'mousemove', 'keydown', 'input'])
  addEventListener(type, (event) => type === 'mousemove' && !event.clientX && !event.clientY || heard.push(type), true)</script>"""
"""Nobody here points at 0,0: there Chromium says the pointer is, by itself, to a page that is new in a browser with a screen."""
BOX = "style='display:block; width:300px; height:60px'"
PAGE = f"""{HEARS}<style>body, p {{ margin: 0 }} iframe {{ display: block; border: 0; width: 300px; height: 60px }}
  div {{ display: none !important }}</style>
<button {BOX}><span {BOX}><b>Save</b> it</span></button><p id=p {BOX}>Just <em {BOX}>words</em></p>
<iframe src='{{same}}'></iframe><iframe src='{{other}}'></iframe><section id=host {BOX}></section>
<script>host.attachShadow({{mode: 'closed'}}).innerHTML = "<button {BOX}>Hidden well</button>"</script>"""


GAVE_UP = "The person gave up without pointing at anything"


class Person:
    """A person who has the window. `asks` runs `pick` meanwhile."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        tab = shell.browser.tab(1)
        self.page = tab.page
        self.mouse = in_page.Mouse(tab.page)
        self.keyboard = Keyboard(tab.world, HeldInput())

    def start_pick(self, question: str = "Which?") -> "asyncio.Task[Reply]":
        return asyncio.ensure_future(self.shell.send("pick", question))

    async def reads(self, words: str) -> None:
        """Wait until the banner says so."""
        async with asyncio.timeout(60):
            while True:
                with suppress(FrameGone, PageScriptError):
                    if words in await self.asks_banner("says()"):
                        return

    async def asks_banner(self, what: str) -> Any:
        context = await self.shell.browser.tab(1).world.frames.main_context()
        return (await evaluate(context, f"__gbrowseBanner.{what}", by_value=True))["value"]

    async def points(self, x: int, y: int) -> None:
        await self.reads("Point at it and click")
        await self.mouse.click(x, y)

    async def presses(self, *keys: str) -> None:
        for key in keys:
            await self.keyboard.press(key)

    async def writes(self, words: str = "") -> None:
        await self.reads("Anything to say about it?")
        await self.keyboard.type(words)
        await self.presses("Enter")

    async def heard_by_page(self) -> list[str]:
        """Return what the page and its frames of the same site have heard."""
        heard: list[str] = await in_page.evaluate(self.page, "[...heard, ...(frames[0]?.heard || [])]")
        return heard


@pytest_asyncio.fixture(loop_scope="session")
async def person(shell: Shell) -> AsyncIterator[Person]:
    shell.browser.handoff = HandoffState("", await capture.capture_state(shell.browser))
    yield Person(shell)
    shell.browser.handoff = None


async def test_element_pointed_at_has_a_working_ref(run: Run, show: Show, web: Web, person: Person) -> None:
    """The page hears nothing, and the banner goes."""
    framed = f"{HEARS}<body style='margin:0'><button {BOX} onclick='document.title = 1'>Framed</button>"
    far = web.show_elsewhere(framed.replace("Framed", "Far"))
    await show(PAGE.replace("{same}", web.show(framed)).replace("{other}", far))
    for y, line, words, text in (
        (30, '[button] "Save it"', "larger", "Save it"), (90, '[paragraph] "Just words"', "", await run("text '#p'")),
        (210, '[button] "Far"', "", "Far"), (270, '[button] "Hidden well"', "", "Hidden well"),
    ):  # fmt: skip
        asked = person.start_pick()
        await person.points(40, y)
        await person.writes(words)
        reply = await asked
        told = re.fullmatch(r"Picked: (@e\d+) (.*)", reply.text, re.S)
        assert told, reply.message
        assert told[2] == line + (f'\n→ words: "{words}"' if words else "")
        assert await run(f"text {told[1]}") == text
        assert await person.heard_by_page() == []
    assert await run("js", "document.documentElement.children.length") == "2"
    assert "Clicked" in await run("click 'text=Save it'")
    assert "click" in await person.heard_by_page()


async def test_giving_up_and_choosing_another(run: Run, fails: Fails, show: Show, person: Person) -> None:
    """Move the banner by keys: what it covers can be pointed at."""
    url = await show(f"{HEARS}<body style='margin:0'><button {BOX}>One</button><button {BOX}>Two</button>")
    asked = person.start_pick("Which <b>button</b>?")
    await person.reads("Which <b>button</b>?")
    await person.reads("Point at it and click")
    assert min(await person.asks_banner("place()")) > 100
    await person.presses("ArrowUp", "ArrowLeft")
    assert await person.asks_banner("place()") == [16, 16]
    await person.presses("Escape")
    reply = await asked
    assert (reply.error, reply.message) == (ActionFailed.kind, GAVE_UP)
    assert await person.heard_by_page() == [], "the banner had the focus"

    asked = person.start_pick()
    await person.points(20, 20)
    await person.reads('You chose button "One"')
    await person.presses("Tab", "Tab", "Enter")
    await person.points(20, 80)
    await person.reads('You chose button "Two"')
    await person.keyboard.type("no")
    await in_page.evaluate(person.page, "location.reload()")
    await person.reads("Point at it and click")
    await in_page.evaluate(person.page, "document.documentElement.lastElementChild.remove()")
    await person.points(20, 80)
    await person.reads("Anything to say about it?")
    await person.mouse.click(20, 20)  # beside the banner, which keeps the focus
    await person.writes("<i>this</i>")
    assert (await asked).text.endswith('[button] "Two"\n→ words: "<i>this</i>"')
    assert url in await run("url")
    reply = await fails("pick", TimedOut, "Which?", "--timeout", "300")
    assert reply.message == "Nobody has pointed at anything in 0.3s"
    assert await run("js", "document.documentElement.children.length") == "2"
    await run("click text=One")


MODAL = f"""<dialog id=d style='margin: 0; padding: 0; border: 0'><button {BOX}>In a modal</button></dialog><p>Under it</p>
<script>d.showModal(); d.addEventListener('close', () => document.title = 'closed')</script>"""


async def test_over_a_modal_words_can_be_typed_and_sent_by_mouse(run: Run, show: Show, person: Person) -> None:
    await show(MODAL)
    asked = person.start_pick()
    await person.points(40, 30)
    await person.reads("Anything to say about it?")
    await person.keyboard.type("this one")
    size = person.shell.browser.appearance.screen.size
    for up in range(16, 206, 8):  # the buttons are somewhere at the left of the box
        if not asked.done():
            await person.mouse.click(size.width - 340, size.height - up)
    reply = await asked
    assert reply.text.endswith('[button] "In a modal"\n→ words: "this one"'), reply.message
    assert await run("js", "document.title") != "closed"


async def test_pick_asks_for_no_words_where_the_page_could_read_them(show: Show, person: Person) -> None:
    policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-scripts"
    await show(f"<body style='margin:0'><button {BOX}>Strict</button>", **{"Content-Security-Policy": policy})
    asked = person.start_pick()
    await person.points(40, 30)
    reply = await asked
    assert reply.text.endswith('[button] "Strict"'), reply.message
    asked = person.start_pick()
    await person.reads("Point at it and click")
    await person.presses("Escape")
    assert (await asked).message == GAVE_UP


async def test_without_a_window_the_ways_on_are_said(fails: Fails, show: Show) -> None:
    await show("<button>One</button>")
    hint = (await fails("pick 'Which button?'", ActionFailed)).hint
    assert ("handoff" in hint, "snapshot -i -a" in hint) == (True, True)
