"""Test late events of a slow machine: they are waited for, though a limit of ours is over.

The browser is as slow.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from gstack_browse.browser.cdp import patience
from gstack_browse.browser.engine import refs
from gstack_browse.browser.output import screenshots
from gstack_browse.browser.tabs import conditions, har_recording
from gstack_browse.errors import StaleRef
from tests.commands.conftest import Fails, Run, Shell, Show

pytestmark = pytest.mark.same_session


@pytest.fixture(autouse=True)
def limits_that_are_over_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, limit in [
        (refs, "_LOOK_SECONDS"),
        (conditions, "TARGET_SECONDS"),
        (har_recording, "COVER_SECONDS"),
        (screenshots, "DRAWING_SECONDS"),
    ]:
        monkeypatch.setattr(module, limit, 0.0)
    monkeypatch.setattr(patience, "ANSWERS", 100_000)


async def test_a_stale_ref_names_what_is_like_it(run: Run, fails: Fails, show: Show) -> None:
    await show("<button id=b>Go</button>")
    await run("snapshot -i")
    await run("js", "b.outerHTML = '<button>Go</button>'; 1")
    assert (await fails("click @e1", StaleRef)).message.endswith('; a new [button] "Go" is @e2')


async def test_targets_are_told_before_the_reply(
    run: Run, shell: Shell, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keep bodies from there on, where a recording begins."""
    within, over = patience.run_with_timeout, []

    async def noted(connection: Any, work: Coroutine[Any, Any, Any], seconds: float) -> Any:
        task = asyncio.ensure_future(work)
        try:
            return await within(connection, task, seconds)
        finally:
            over.append(task.done())

    monkeypatch.setattr(patience, "run_with_timeout", noted)
    await show("<p>x")
    await run("throttle --latency 1")
    await run("throttle off")
    await run("har-start")
    await run("har-stop made.har")
    await run("screenshot shot.png")
    assert over == [True] * len(over)
    assert len(over) >= 4
