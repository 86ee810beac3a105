"""Test tabs of a cold start that are closed, or carried over at once."""

import asyncio
from pathlib import Path

import pytest

from gstack_browse.browser.tabs.session_state import SessionState
from tests.commands.conftest import Run, Shell, cold, until
from tests.commands.web import Web

pytestmark = [pytest.mark.cold, pytest.mark.own_browser]


async def test_tabs_may_be_closed_one_after_the_other(run: Run, web: Web) -> None:
    await run(f"goto {web.url}/plain.html")
    assert [(await run("closetab"))[:10] for _ in range(3)] == ["Closed tab"] * 3
    assert (await run("tabs")).endswith("about:blank")


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize(("name", "hangs"), [("", True), ("ann", False)])
async def test_storage_of_the_first_page_is_carried_over(
    tmp_path: Path, web: Web, name: str, hangs: bool
) -> None:
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
