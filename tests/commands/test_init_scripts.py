"""Test `init-script`: when and where a script runs, and that the next browser has it, too."""

import re

import pytest

from gstack_browse.browser.context.init_scripts import InitScripts
from gstack_browse.browser.transfer import capture
from gstack_browse.errors import ActionFailed, Refused, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

SEEN = "<p id=out></p><script>document.querySelector('#out').append(window.early || 'nothing')</script>"


async def test_a_script_runs_before_those_of_every_page(run: Run, show: Show, shell: Shell, web: Web) -> None:
    (shell.workspace / "early.js").write_text("// a comment at the end\nwindow.early = 'early' // here")
    other = web.show_elsewhere(SEEN)
    await show(f"{SEEN}<iframe src={other}></iframe><a href={web.show(SEEN)} target=_blank>New</a>")
    said = "Script 1: early.js\n→ runs in pages that load from now on: 'reload' for this one"
    assert await run("init-script early.js") == said
    assert await run("text '#out'") == "nothing"
    await run("reload")
    assert await run("text '#out'") == "early"
    await run("frame iframe")
    assert await run("text '#out'") == "early"
    await run("frame main")
    await run("click a")
    await run("tab 2")
    assert await run("text '#out'") == "early"
    assert "Scripts: 1 before each page's own" in await run("status")
    await run("useragent Probe/1.0")  # takes the session to another context, as restart does to another browser
    assert await run("text '#out'") == "early"
    assert (await run("init-script --remove 1")).startswith("Removed script 1: early.js\n")
    await run("reload")
    assert await run("text '#out'") == "nothing"
    assert await run("init-scripts") == "(no scripts)"


async def test_a_script_runs_in_frames_that_have_none(run: Run, show: Show, shell: Shell, web: Web) -> None:
    """Chromium makes no context there of its own accord: see `cdp/contexts.py`."""
    mark = "addEventListener('DOMContentLoaded', () => document.querySelector('p').textContent += ' marked')"
    still = web.show_elsewhere("<p>Still")
    url = await show(f"<p>Page</p><iframe id=f src={still}></iframe>")
    await run("init-script -", stdin=mark)
    await run("js", f"document.body.insertAdjacentHTML('beforeend', '<iframe id=g src={still}></iframe>'); 1")
    await run("wait --networkidle")
    assert _texts(await run("snapshot")) == ["Page", "Still", "Still marked"]
    await run("goto", url)
    assert _texts(await run("snapshot")) == ["Page marked", "Still marked"]
    await run("init-script --remove 1")
    await run("goto", url)
    assert _texts(await run("snapshot")) == ["Page", "Still"]


def _texts(snapshot: str) -> list[str]:
    return re.findall(r"(?:Page|Still)(?: marked)?", snapshot)


async def test_scripts_go_to_the_next_browser_under_their_numbers(run: Run, shell: Shell, fails: Fails) -> None:
    """Add none that is malformed."""
    failed = await fails("init-script -", ActionFailed, stdin="let a = 1\nlet b = ;")
    assert failed.message == "Line 2: SyntaxError: Unexpected token ';'; the script was not added"
    await fails("init-script /etc/passwd", Refused)
    await fails("init-script --remove 7", ActionFailed)
    await fails("init-script", UsageError)
    assert await run("init-scripts") == "(no scripts)"
    for name in ("first", "second", "third"):
        await run("init-script -", stdin=f"window.{name} = 1")
    for number in (1, 3):
        await run(f"init-script --remove {number}")
    assert await run("init-scripts") == "2  standard input  17 characters"
    state = await capture.capture_state(shell.browser)
    assert state.init_scripts == [[2, "standard input", "window.second = 1"]]
    carried = InitScripts()
    carried.restore(state.init_scripts, state.next_script)
    assert await carried.add("fourth.js", "1") == 4
