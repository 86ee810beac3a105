"""Test reads right after an action: they see what the page has drawn, not what it is about to."""

import asyncio
import json

import pytest

from gstack_browse.browser.command import page_settling
from gstack_browse.browser.engine.world import World
from tests.commands.conftest import Check, Run, Shell, Show, until
from tests.commands.drawer import drawer_of, standing_still
from tests.commands.replies import ref_of
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

DRAWING = """<button id="go">Go</button> <input id="field"> <b id="count">0</b><script>
let pressed = 0;
const draw = text => requestAnimationFrame(() => { count.textContent = text });
go.onclick = () => draw(++pressed);
field.oninput = () => draw(field.value);
</script>"""
"""Shows what was done in the next animation frame only."""

RUNS = 10


@pytest.fixture(autouse=True)
def time_to_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a page the time to draw that it needs on a busy machine."""
    monkeypatch.setattr(page_settling, "FRAME_SECONDS", 2.0)


async def test_messages_of_the_next_frame_are_in_the_logs(run: Run, show: Show) -> None:
    await show("""<button id=go>Go</button><script>let n = 0;
        go.onclick = () => { n++; requestAnimationFrame(() => { console.log("drawn " + n); fetch("/plain.html?" + n) }) }</script>""")
    for number in range(1, 11):
        log, entry = ("console", f"drawn {number} ") if number % 2 else ("network", f"/plain.html?{number} ")
        printed = await run("chain", json.dumps([["click", "#go"], [log]]))
        assert printed.splitlines()[-1].count(entry) == 1


async def test_every_way_of_reading_waits(run: Run, check: Check, show: Show, web: Web) -> None:
    """Wait after a script, too, and not for a frame that is far out of view: Chromium draws none of another site there."""
    far = web.show_elsewhere("<p>far away</p>")
    await show(DRAWING + f'<iframe src="{far}" style="position:absolute; top:9000px"></iframe>')
    assert "far away" in await run("snapshot")
    steps = [[["click", "#go"], ["text", "#count"]] for _ in range(RUNS)]
    async with asyncio.timeout(60):
        printed = await run("chain", json.dumps([step for pair in steps for step in pair]))
    assert printed.splitlines()[1::2] == [f"[text] {number + 1}" for number in range(RUNS)]
    await check({
        "fill #field one": "…", "text": "…one…", "fill #field two": "…", "html #count": "two", "fill #field three": "…",
        "snapshot": "…three…", "fill #field four": "…", "is visible text=four": "true",
    })  # fmt: skip
    for number in range(5):
        await check({f"js draw({number}); undefined": "…", "text #count": str(number)})


async def test_far_frame_and_tab_behind_are_read_as_drawn(run: Run, show: Show, shell: Shell, web: Web) -> None:
    await show(f'<iframe src="{web.show_elsewhere(DRAWING)}"></iframe>')
    button = await ref_of(run, "[button]")
    await run("frame iframe")
    for number in range(4):
        await run(f"click {button}")
        assert await run("text #count") == str(number + 1)
    await show(DRAWING)
    behind = shell.browser.tab().id
    await run("newtab")
    for number in range(4):
        await run("click #go", tab=behind)
        assert await run("text #count", tab=behind) == str(number + 1)


@pytest.mark.own_browser
async def test_change_drawn_late_is_waited_for(
    run: Run, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Draw late, as on a busy machine, where the time for the next frame is over before that comes."""
    asked, frame = asyncio.Event(), World.wait_next_frame

    def record_frame_request(world: World, seconds: float) -> object:
        asked.set()
        return frame(world, seconds)

    await show(DRAWING)
    graphics = await drawer_of(shell)
    monkeypatch.setattr(page_settling, "FRAME_SECONDS", 0.0)
    monkeypatch.setattr(World, "wait_next_frame", record_frame_request)
    for number in range(3):
        with standing_still(graphics):
            await run("js 'go.click(); undefined'")
            reading = asyncio.ensure_future(run("text #count"))
            await until(lambda: asked.is_set() or reading.done())  # noqa: B023 - within the turn
            asked.clear()
        assert await reading == str(number + 1)


LATE = """<button onclick="setTimeout(() => log.textContent = 'done', 100)">Late</button>
<button onclick="log.textContent = 'busy'; const step = () => { log.textContent += '.'; if (log.textContent.length < 400) setTimeout(step, 5) }; step()">Busy</button>
<button onclick="log.textContent = 'at once'">Now</button><p id=log></p>"""


async def test_read_in_a_chain_sees_a_timer(shell: Shell, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_settling, "MOST_SECONDS", 60.0)  # a busy machine answers late
    quiet = page_settling.QUIET_MILLISECONDS
    for read in (["text", "#log"], ["snapshot"]):
        await show(LATE)
        # How fast the machine is decides nothing: there is time enough to come to rest, and none for what never rests.
        # A change that came before it was watched for is waited for until the limit, which is short where that may be.
        for button, words, limits, is_changing in (
            ("Late", "done", (quiet, 60_000), False), ("Now", "at once", (quiet, 3_000), False), ("Busy", "busy", (60_000, 150), True),
        ):  # fmt: skip
            monkeypatch.setattr(page_settling, "QUIET_MILLISECONDS", limits[0])
            monkeypatch.setattr(page_settling, "MOST_MILLISECONDS", limits[1])
            reply = await shell.send("chain", json.dumps([["click", f"text={button}"], read]))
            assert words in reply.text
            assert is_changing == ("still changing" in str(reply.notes) + reply.text)


FADING = """<style>#ground { opacity: 0; transition: opacity 150ms } #ground.shown { opacity: .5 } #slow { transition: opacity 60s }</style>
<button id=start>Open</button><div id=ground>.</div><p id=slow>slow</p><div id=box role=dialog aria-label=Sure hidden><button>Yes</button></div><script>
start.onclick = () => { ground.classList.add("shown"); slow.style.opacity = .5 };
ground.ontransitionend = () => { box.hidden = false };
</script>"""
"""Opens its dialog once the ground has faded in, as Bootstrap does."""


async def test_changes_have_the_dialog_of_a_fade(run: Run, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a chain every read waits, otherwise what says what changed; not for a fade of a minute."""
    monkeypatch.setattr(page_settling, "MOST_SECONDS", 60.0)
    await show(FADING)
    await run("snapshot -i")
    await run("click #start")
    assert '[dialog] "Sure"' in await run("snapshot -iD")
    await show(FADING)
    assert "Yes" in await run("chain", '[["click", "#start"], ["text"]]')
