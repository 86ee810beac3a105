"""Test tabs that are closed or carried over before Playwright has its first page."""

import asyncio
from pathlib import Path

import pytest

from gstack_browse.browser.tabs import capture
from gstack_browse.browser.tabs.session_state import SessionState
from gstack_browse.daemon import service as service_module
from gstack_browse.errors import TabGone
from tests.commands.conftest import Run, Shell, cold, until
from tests.commands.web import Web

pytestmark = [pytest.mark.cold, pytest.mark.pipe, pytest.mark.own_browser]


@pytest.mark.usefixtures("without_playwright")
async def test_a_command_that_waits_for_playwright_ends_with_its_tab(run: Run, web: Web, shell: Shell) -> None:
    await run(f"goto {web.url}/plain.html")
    waiting, closed = await asyncio.gather(shell.send("mouse move 1,1"), shell.send("closetab"))
    assert waiting.code == TabGone.code
    assert waiting.message == "The page in tab 1 was closed"
    assert closed.text == "Closed tab 1; the active tab is now 2: about:blank"


async def test_tabs_may_be_closed_one_after_the_other(run: Run, web: Web) -> None:
    await run(f"goto {web.url}/plain.html")
    assert [(await run("closetab"))[:10] for _ in range(3)] == ["Closed tab"] * 3
    assert (await run("tabs")).endswith("about:blank")


@pytest.mark.usefixtures("without_playwright", "service")
@pytest.mark.parametrize(("name", "hangs"), [("", True), ("ann", False)])
async def test_storage_of_a_page_is_carried_over_without_playwright(
    tmp_path: Path, web: Web, name: str, hangs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Do without Node, as where the machine is so busy that a restart does not wait for it."""
    monkeypatch.setattr(service_module, "COMING_SECONDS", 0.0)
    monkeypatch.setattr(capture, "ANSWER_SECONDS", 0.3)
    kept = (
        "<script>localStorage.kept = 'yes'; sessionStorage.tab = 'here'; document.cookie = 'who=ann'</script>"
    )
    async with cold(tmp_path, name) as service:
        shell = Shell(service, tmp_path)
        assert (await shell.send("goto", page := web.show(kept), as_=name)).code == 0
        stuck = asyncio.ensure_future(
            shell.send("js", "console.log('round'); for (;;);" if hangs else "1", as_=name)
        )
        logs = service.contexts.get_or_make(name).logs.console
        await until(lambda: not hangs or any("round" in entry.render() for entry in logs))
        carried = await service.capture()
        await stuck
    assert carried
    state = carried.contexts[name] if name else carried
    assert (state.missing, [(tab.url, tab.items) for tab in state.tabs]) == ("", [(page, {"tab": "here"})])
    (origin,) = state.storage["origins"]
    assert origin["localStorage"] == [{"name": "kept", "value": "yes"}]
    assert [cookie["name"] for cookie in state.storage["cookies"]] == ["who"]
    assert SessionState.from_dict(carried.as_dict()).summary().startswith("1 tab and 1 cookie")
