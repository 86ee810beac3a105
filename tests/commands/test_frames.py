import re

import pytest
import pytest_asyncio

from gstack_browse.browser.actions.locate import frames
from gstack_browse.errors import (
    ExpectationFailed,
    ManyMatches,
    NoMatch,
    NotInteractable,
    StaleRef,
    TimedOut,
    UsageError,
)
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session


@pytest_asyncio.fixture(loop_scope="session")
async def framed(show: Show, web: Web) -> str:
    web.pages["/inner"] = (
        "<title>In</title><h1 id=t>Inner page</h1><button onclick='t.textContent=1'>Go</button>",
        {},
    )
    return await show(f"""
        <h1>Outer</h1><iframe id=a name=first src=/inner></iframe><iframe id=b name=far src={web.other}/inner></iframe>""")


async def test_frame_narrows_text_html_js_and_selectors(run: Run, framed: str, web: Web) -> None:
    """Choose each frame by selector and name, also one given after loading, and by address."""
    ways = {
        web.url: ["'#a'", "--name first", "--name 'late name'"],
        web.other: ["--name far", "'#b'", "--url '**localhost*/inner'"],
    }
    for where, all_words in ways.items():
        for words in all_words:
            await run("frame main")
            if words == "--name 'late name'":
                await run("js", "document.getElementById('a').name = 'late name'; 1")
            assert await run(f"frame {words}") == f"Switched to frame: {where}/inner"
        assert (await run("text")).splitlines()[0] == "Inner page"
        assert await run("js document.title") == "In"
        assert "Outer" not in await run("html")
        await run("click button")
        assert await run("text h1") == "1"
        assert await run("frame main") == "Switched to main frame"
        assert await run("text h1") == "Outer"


async def test_frame_that_comes_late_is_waited_for(run: Run, show: Show, web: Web) -> None:
    """As a page may open a dialog with one a moment after the press for it."""
    web.pages["/inner"] = "<title>In</title>", {}
    await show("""<button onclick="setTimeout(() => room.innerHTML = '<iframe id=late name=late src=/inner></iframe>', 300)">
        Open</button><div id=room></div>""")
    for words in ("'#late'", "--name late", "--url '**/inner'"):
        await run("frame main")
        await run("js", "room.replaceChildren()")
        await run("click text=Open")
        assert (await run(f"frame {words}")).startswith("Switched to frame: "), words


async def test_frame_that_is_gone_or_none_is_said(
    run: Run, fails: Fails, framed: str, visit: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Say it until another is chosen. A navigation goes back to the main frame."""
    monkeypatch.setattr(frames, "WAIT_SECONDS", 0.1)
    reply = await fails("frame h1", NotInteractable)
    assert "first" in reply.hint
    assert "far" in reply.hint
    for words, error in {"--name nope": NoMatch, "--url nope": NoMatch, "--url inner": ManyMatches}.items():
        await fails(f"frame {words}", error)
    for line in ("frame", "frame '#a' --name first"):
        await fails(line, UsageError)
    await run("frame '#a'")
    await run("js", "parent.document.getElementById('a').remove()")
    for _ in range(2):
        assert "frame main" in (await fails("text h1", StaleRef)).hint
    await run("frame main")
    assert await run("text h1") == "Outer"
    await run("frame '#b'")
    await visit("plain.html")
    assert await run("text h1") == "A plain page"


@pytest.mark.both_browsers
async def test_a_frame_whose_document_is_on_its_way(run: Run, show: Show, shell: Shell, web: Web) -> None:
    await show("<iframe id=blank></iframe><iframe id=late></iframe>")
    gate, late = web.gate("frame"), f"{web.other}/gate/frame"
    await run("js", f"document.getElementById('late').src = '{late}'; 1")
    assert await run("frame '#late'") == "Switched to frame: about:blank"
    told = f"A frame's document is on its way: {late}. 'wait --networkidle' waits for it"
    assert told in shell.replies[-1].notes
    gate.set()
    await run("wait --networkidle")
    assert f"GET {late} → 200" in await run("network"), (
        "a full Chromium says first that it left the page's process"
    )
    for name, where in {"late": late, "blank": "about:blank"}.items():
        await run("frame main")
        assert await run(f"frame '#{name}'") == f"Switched to frame: {where}"
        assert shell.replies[-1].notes == []


STILL = "<h1>Still</h1><button>Go</button>"
"""A document without a script."""


@pytest_asyncio.fixture(loop_scope="session")
async def after_another_debugger(shell: Shell, show: Show) -> None:
    """Somebody else has looked at the tab's page, as a person's developer tools do, and is gone."""
    await show("<p>Before")
    tab = shell.browser.tabs.get()
    assert tab
    session = await shell.browser.running.connection.open_session(tab.world.frames.target.id)
    await session.send("Runtime.enable")
    session.leave()


@pytest.mark.fresh_session
@pytest.mark.both_browsers
@pytest.mark.usefixtures("after_another_debugger")
async def test_frames_without_scripts_after_another_debugger_has_gone(run: Run, show: Show, web: Web) -> None:
    still = web.show(STILL)
    far = still.replace(web.url, web.other)
    frames = {
        "other": f"<iframe id=other src={far}></iframe>",
        "sandbox": f"<iframe id=sandbox sandbox src={still}></iframe>",
        "nested": f"<iframe id=nested src={web.show_elsewhere(f'<iframe id=g src={still}></iframe>')}></iframe>",
        "srcdoc": f"<iframe id=srcdoc sandbox srcdoc='{STILL}'></iframe>",
        "own": f"<iframe id=own src={still}></iframe>",
        "later": f"<iframe id=later src={web.show_elsewhere('<p>First')}></iframe>",
    }
    await show("".join(frames.values()))
    await run("frame '#later'")
    assert await run("text") == "First"
    await run("frame main")
    await run("js", f"document.querySelector('#later').src = '{far}'; 1")
    await run("wait --networkidle")
    buttons = [line.split()[0] for line in (await run("snapshot -i")).splitlines() if '[button] "Go"' in line]
    assert len(buttons) == len(frames)
    for button in buttons:
        assert await run(f"click {button}") == f"Clicked {button}"
    for kind in frames:
        await run(f"frame '#{kind}'")
        if kind == "nested":
            await run("frame '#g'")
        assert await run("text h1") == "Still", kind
        assert await run("js document.scripts.length") == "0", kind
        await run("click text=Go")
        await run("frame main")
    await show("<p>Before")
    for command in ("coverage-start", "coverage", "memory --gc", "styles p color"):
        await run(command)
    await show(frames["other"])
    await run("wait --load")
    assert '[button] "Go"' in await run("snapshot -i"), "nor does a session of our own"


async def test_failure_names_elements_of_other_frames(run: Run, fails: Fails, show: Show, web: Web) -> None:
    inner = "<button onclick='this.textContent = 1'>Inner</button><button>Two</button>"
    one, two = web.show_elsewhere(inner), web.show("<button>Two</button><button>Two</button>")
    await show(f"<button>Outer</button><iframe src='{one}'></iframe><iframe src='{two}'></iframe>")
    await run("wait --load")
    several = (await fails("click text=Two --timeout 200", NoMatch)).hint
    assert several.startswith("In 2 other frames:\n")
    assert len(set(re.findall(r'^  (@e\d+) <button> "Two"', several, re.MULTILINE))) == 3
    hint = (await fails("click text=Inner --timeout 100", NoMatch)).hint
    said = re.fullmatch(r'In another frame: (@e\d+) <button> "Inner"', hint)
    assert said, hint
    for command, kind in {
        "wait text=Inner 100": TimedOut,
        "expect visible text=Inner --timeout 100": ExpectationFailed,
    }.items():
        assert (await fails(command, kind)).hint.startswith(hint)
    await run(f"click {said[1]}")
    assert await run(f"text {said[1]}") == "1"
    assert "frame" not in (await fails("click text=Nowhere --timeout 100", NoMatch)).hint
    await run("frame", "iframe >> nth=0")
    hint = (await fails("click text=Outer --timeout 100", NoMatch)).hint
    assert re.fullmatch(r'In another frame: @e\d+ <button> "Outer"', hint)


TO_FRAME = """<iframe name=result></iframe><iframe src={inner} title=Inner></iframe><form target=result action={page}><button>Send</button></form>
    <a href={page} target=result>Open</a><button onclick="document.body.append(document.createElement('iframe'))">Add</button>"""


@pytest.mark.both_browsers
async def test_frame_that_an_action_leads_elsewhere_is_told(run: Run, web: Web) -> None:
    """Lead frames to another site and within it, which are in a process of their own."""
    page = web.show_elsewhere("<h1>Result</h1>")
    inner = web.show_elsewhere(f"<a href='{page}'>Inside</a>")
    await run("goto", web.show(TO_FRAME.format(page=page, inner=inner)))
    refs = [line.split()[0] for line in (await run("snapshot --role iframe")).splitlines()]
    assert await run("click text=Open") == f"Clicked text=Open\n→ frame {refs[0]} now at {page}"
    sent = f"Clicked text=Send\n→ frame {refs[0]} now at {page}"
    assert await run("click text=Send") in (sent, f"{sent}?")
    assert await run("click text=Add") == "Clicked text=Add"
    (link,) = [line.split()[0] for line in (await run("snapshot -i")).splitlines() if "Inside" in line]
    assert await run("click", link) == f"Clicked {link}\n→ frame {refs[1]} now at {page}"


FOCUSED = "<button onclick='out.value = document.hasFocus()'>Go</button><input><output id=out></output>"


@pytest.mark.both_browsers
async def test_frame_of_another_site_gets_input_and_focus_behind_another_tab(
    run: Run, show: Show, web: Web
) -> None:
    """Act in the tab that a full Chromium shows behind the other one, in turn."""
    page = await show(f"<iframe src='{web.show_elsewhere(FOCUSED)}'></iframe>")
    await run(f"newtab {page}")
    for turn in range(4):
        await run(f"tab {turn % 2 + 1}")
        await run(f"goto {page}")
        await run("frame iframe")
        await run("click button")
        assert await run("value output") == "true"
        await run("click input")
        await run(f"type {turn}")
        assert (await run("value input")).endswith(str(turn))
        await run("frame main")
