"""What Chromium keeps from a page, as while it asks something in a window of its own, is never called done."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from gstack_browse.errors import ActionFailed
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.faults import fault

pytestmark = [pytest.mark.same_session, pytest.mark.both_browsers]

PAGE = """<button id=save onclick="heard.push('save')">Save</button><label>Agree <input type=checkbox id=agree></label>
<input id=field><div id=far style="animation: far 1s infinite alternate linear; width: 90px" onclick="heard.push('far')">Far</div>
<style>@keyframes far { to { margin-left: 2px } }</style><iframe srcdoc="<button>Inner</button><input>"></iframe>
<script>heard = []</script>"""
KEPT = "Chromium keeps all input from the page, as while it asks something in a window of its own"


@asynccontextmanager
async def held_back(shell: Shell) -> AsyncIterator[None]:
    """Have Chromium keep all input from the page."""
    session = shell.browser.tab().world.session
    await session.send("Input.setIgnoreInputEvents", {"ignore": True})
    try:
        yield
    finally:
        await session.send("Input.setIgnoreInputEvents", {"ignore": False})


async def test_press_that_chromium_keeps_back_fails(run: Run, fails: Fails, show: Show, shell: Shell) -> None:
    """Press in a frame, too."""
    await show(PAGE)
    for pressed in (
        "click #save",
        "dblclick #save",
        "click #save --button right",
        "click #far",
        "check #agree",
    ):
        async with held_back(shell):
            reply = await fails(pressed, ActionFailed)
        assert KEPT in reply.message, pressed
        assert reply.hint == "Run 'restart': tabs and logins stay"
        assert await run("js 'heard.length + String(agree.checked)'") == "0false", pressed
        await run(pressed)
        await run("js", "heard = []")
    await run("frame iframe")
    async with held_back(shell):
        reply = await fails("click button", ActionFailed)
    assert reply.message.endswith("was not pressed: no press came into its frame")
    await run("frame main")


@fault(
    "Hangs",
    "Chromium keeps input from a page that answers, as while it asks a person something",
    "presses and keys fail (1) and say so; none is called done, nothing arrives later",
)
async def test_key_that_chromium_keeps_back_fails(run: Run, fails: Fails, show: Show, shell: Shell) -> None:
    await show(PAGE)
    await run("focus #field")
    for keys in ("press a", "press Enter", "press Control+a", "keydown Shift", "type hello"):
        async with held_back(shell):
            assert KEPT in (await fails(keys, ActionFailed)).message, keys


async def test_page_that_keeps_presses_from_every_listener_has_heard_them(run: Run, show: Show) -> None:
    await show("""
        <button>Go</button><script>count = 0; for (const type of ['pointerdown', 'mousedown', 'keydown'])
        window.addEventListener(type, (event) => { count++; event.stopImmediatePropagation() }, true)</script>""")
    assert await run("click button") == "Clicked button"
    assert await run("press a") == "Pressed a"
    assert await run("js count") == "3"
