import asyncio
import json
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from gstack_browse.daemon.contexts.agent_context import ShutdownReason
from gstack_browse.errors import StateLost, TabGone, UsageError
from gstack_browse.protocol import Reply, Request
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.web import Web

pytestmark = pytest.mark.same_session


class Follower:
    """A client that follows. `lines` is what it was sent."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.reads = asyncio.Event()
        self.reads.set()
        self.task: asyncio.Task[Reply]

    async def send(self, text: str) -> None:
        self.lines += text.split("\n")
        await self.reads.wait()


@asynccontextmanager
async def following(shell: Shell, line: str, **fields: int) -> AsyncIterator[Follower]:
    """Follow a log as a client that goes away at the end.

    The command may have ended by then.
    """
    follower = Follower()
    cmd, *args = shlex.split(line)
    request = Request(cmd, [*args, "--follow"], cwd=str(shell.cwd), **fields)  # type: ignore[arg-type]
    request.send = follower.send
    follower.task = asyncio.ensure_future(shell.dispatch.answer(request, lambda note: None))
    before = set(shell.service.lifecycle.followers)
    await until(lambda: shell.service.lifecycle.followers - before or follower.task.done())
    its_own = shell.service.lifecycle.followers - before
    yield follower
    follower.task.cancel()
    await asyncio.wait([follower.task])
    assert not shell.service.lifecycle.followers & its_own, "who has gone away follows no more"


async def test_followed_console_prints_new_messages(run: Run, shell: Shell, web: Web, fails: Fails) -> None:
    await run("goto", web.show("<script>console.log('before')</script>"))
    async with following(shell, "console") as all_of_tab, following(shell, "console --errors") as errors:
        await run("newtab", web.show("<script>console.error('elsewhere')</script>"))
        await run("goto", web.show("<script>console.log('one'); console.error('two')</script>"), tab=1)
        await until(lambda: len(all_of_tab.lines) == 2 and errors.lines)
        assert [line.split(" ")[1:3] for line in all_of_tab.lines] == [["[log]", "one"], ["[error]", "two"]]
        assert [line.split(" ")[1:3] for line in errors.lines] == [["[error]", "two"]]

        all_of_tab.reads.clear()
        await run("js", "console.log(3)", tab=1)
        await until(lambda: len(all_of_tab.lines) == 3)
        await run("js", "for (let i = 0; i < 700; i++) console.log('line', i)", tab=1)
        assert len(all_of_tab.lines) == 3, "it reads no further"
        all_of_tab.reads.set()
        await until(lambda: len(all_of_tab.lines) == 703)
    reply = await shell.send("chain", '["console --follow"]')
    assert reply.message.startswith("console --follow runs by itself")
    await fails("console --follow --clear", UsageError)


async def test_followed_network_prints_answered_requests(run: Run, show: Show, shell: Shell, web: Web) -> None:
    await show("<script>fetch('/api?before')</script>")
    await run("wait --networkidle")
    gate = web.gate("late")
    async with (
        following(shell, "network --type fetch") as fetches,
        following(shell, "network --since 1 --json --filter before") as earlier,
    ):
        await run("js", "fetch('/gate/late'); fetch('/api?quick').then(r => r.text())")
        await until(lambda: fetches.lines)
        assert "/api?quick → 200" in fetches.lines[0], "the one that was answered first"
        gate.set()
        await until(lambda: len(fetches.lines) == 2)
        assert "/gate/late → 200" in fetches.lines[1]
        assert [json.loads(line)["url"] for line in earlier.lines] == [f"{web.url}/api?before"]


async def test_for_a_time_and_until_the_daemon_ends(run: Run, show: Show, shell: Shell) -> None:
    await show("")
    async with following(shell, "network", timeout=200) as follower:
        assert (await follower.task).code == 0
    async with following(shell, "network") as follower:
        assert not shell.service.lifecycle.running_commands, "it keeps no daemon from being idle"
        next(iter(shell.service.lifecycle.followers)).interrupt(ShutdownReason.REPLACED)
        assert (await follower.task).error == StateLost.kind


async def test_following_a_tab_ends_when_it_is_closed(run: Run, show: Show, shell: Shell, web: Web) -> None:
    await show("")
    await run("newtab", web.show("<script>console.log('ready')</script>"))
    other = shell.service.browser.default_browser.tabs.active
    async with (
        following(shell, f"console --tab {other}") as said,
        following(shell, "network") as asked,
        following(shell, "network --all-pages") as everywhere,
    ):
        await run("js", "console.log('last')")
        await run(f"closetab {other}")
        for follower in (said, asked):
            reply = await asyncio.wait_for(follower.task, 60)
            assert (reply.error, reply.code) == (TabGone.kind, 6)
            assert f"There is no tab {other}" in reply.message
        assert said.lines[-1].endswith("last"), "what it said before is not lost"
        await run("goto", web.show("still here"), tab=1)
        await until(lambda: everywhere.lines)
    async with following(shell, "console --tab 99") as nowhere:
        assert (await nowhere.task).error == TabGone.kind


async def test_following_ends_when_the_page_or_its_context_closes(run: Run, shell: Shell, web: Web) -> None:
    await run(
        "goto",
        web.show(f"<button onclick=\"window.other = window.open('{web.url}/plain.html')\">open</button>"),
    )
    number = int((await run("click button")).partition("→ opened tab ")[2].partition(":")[0])
    async with following(shell, f"console --tab {number}") as follower:
        await run("js window.other.close()", tab=1)
        reply = await asyncio.wait_for(follower.task, 60)
        assert f"Tab {number} closed itself" in reply.message, "as every command on that tab says"
    await run("goto", web.show("hers"), as_="ann")
    async with following(shell, "network --all-pages", as_="ann") as hers:
        await run("context-close ann")
        assert (await asyncio.wait_for(hers.task, 60)).error == TabGone.kind
