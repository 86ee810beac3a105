"""Test `console`, `network` and `dialog`: what is kept, of which tab and document, and `--follow`."""

import asyncio
import json
import re
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from gstack_browse.daemon.contexts.agent_context import ShutdownReason
from gstack_browse.errors import StateLost, TabGone, UsageError
from gstack_browse.protocol import Reply, Request
from tests.commands.conftest import Check, Fails, Run, Shell, Show, hang, until
from tests.commands.web import Web

pytestmark = pytest.mark.same_session
CLOCK = r"\[\d\d:\d\d:\d\d\.\d{3}\]"


async def console(run: Run, *words: str) -> list[str]:
    return [re.sub(rf"^{CLOCK} ", "", line) for line in (await run("console", *words)).splitlines()]


async def test_console_has_messages_with_level_and_place(run: Run, show: Show) -> None:
    url = await show(
        "<script>console.log('one', 1, {a: 2});\nconsole.warn('two');\nconsole.error('three');\nconsole.debug('four');console.info('five');"
        "console.log('%cTitle%c %s has %d', 'color: red', '', 'list', 3, {a: [1]});\nconsole.error(new Error(new TypeError('inner')))</script>"
    )
    lines = await console(run)
    assert lines == [
        f"[log] one 1 {{a: 2}} ({url}:1)", f"[warn] two ({url}:2)", f"[error] three ({url}:3)", f"[debug] four ({url}:4)",
        f"[info] five ({url}:4)", f"[log] Title list has 3 {{a: Array(1)}} ({url}:4)", "[error] Error: TypeError: inner", *lines[7:],
    ]  # fmt: skip
    assert re.match(CLOCK, await run("console"))


async def test_console_shows_causes_rows_and_entries(run: Run, show: Show) -> None:
    await show(
        "<script>console.table([{a: 1}, {a: 2}]); console.log(new Map([['k', {a: [1]}]]), new Set([1, undefined]));"
        "console.error(new Error('out', {cause: new TypeError('in')})); throw new Error('thrown', {cause: 'why'})</script>"
    )
    table, entries, logged, _, thrown = await console(run)
    assert table.startswith("[table] [{a: 1}, {a: 2}] (")
    assert entries.startswith("[log] Map(1) {k => {a: Array(1)}} Set(2) {1, undefined} (")
    assert logged == "[error] Error: out (cause: TypeError: in)"
    assert thrown.startswith("[error] Uncaught Error: thrown (cause: why) (")


async def test_logs_tell_tabs_apart(run: Run, show: Show, web: Web, fails: Fails) -> None:
    await show("<script>console.log('first')</script>")
    await run("newtab", web.show("<script>console.log('second')</script>"))
    assert len(await console(run, "--all-pages")) == 2
    assert "second" in (await console(run))[0]
    assert "first" in (await console(run, "--tab", "1"))[0]
    assert len(await console(run, "--tab", "2")) == 1
    assert len(await console(run, "--tab", "2", "--all-pages")) == 1
    assert "first" in await run("console", tab=1)
    assert "second" not in await run("console --all-pages", tab=1)
    await run("closetab 1")
    for line, number in (("console --tab 1", 1), ("network --tab 9", 9)):
        assert (await fails(line, TabGone)).message == f"There is no tab {number}"
    assert len(await console(run, "--tab", "1", "--all-pages")) == 1


async def network(run: Run, *words: str) -> list[str]:
    lines = (await run("network", *words)).splitlines()
    return [re.sub(r"^#\d+ ", "", re.sub(r"\d+ms", "Nms", line)) for line in lines]


async def test_network_has_status_time_and_size_or_the_error(run: Run, show: Show, web: Web) -> None:
    url = await show(
        "<script>fetch('/api'); fetch('/chunked'); fetch('/api/404', {method: 'POST'}); fetch('/drop').catch(() => 0);"
        "const c = new AbortController(); fetch('/hang', {signal: c.signal}).catch(() => 0); c.abort();"
        "fetch('/api?head', {method: 'HEAD'}); fetch('/redirect?to=/api', {redirect: 'manual'});"
        f"fetch('{web.other}/api?cors', {{method: 'HEAD'}}).catch(() => 0);"
        "fetch('http://127.0.0.1:1/').catch(() => 0)</script><link rel=stylesheet href='/status/404'>"
    )
    await run("wait --networkidle")
    lines = await network(run)
    assert re.match(rf"GET {re.escape(url)} → 200 \(Nms, \d+B\)", lines[0])
    assert f"GET {web.url}/api → 200 (Nms, 11B)" in lines
    assert any(re.match(rf"GET {re.escape(web.url)}/chunked → 200 \(Nms, \d+B\)", line) for line in lines)
    assert f"GET {web.url}/drop → failed: ERR_EMPTY_RESPONSE" in lines
    assert any(re.match(rf"GET {re.escape(web.url)}/status/404 → 404 \(Nms", line) for line in lines), lines
    assert f"HEAD {web.url}/api?head → 200 (Nms)" in lines, "of which Chromium says that it was aborted"
    assert any(re.match(rf"GET {re.escape(web.url)}/redirect\S+ → 302 \(Nms", line) for line in lines)
    assert f"HEAD {web.other}/api?cors → failed: ERR_FAILED" in lines
    assert any("127.0.0.1:1/ → failed: ERR_" in line for line in lines)
    assert not any("pending" in line for line in lines)
    failed = await network(run, "--failed")
    assert f"POST {web.url}/api/404 → 404 (Nms, 11B)" in failed
    assert not any("→ 200" in line for line in failed)


async def test_dialogs_are_kept_and_message_of_several_lines_forges_no_entry(run: Run, show: Show) -> None:
    forged = "[11:00:00.000] [error] forged"
    await show(
        f"""<script>console.log('one\\n{forged}'); alert('a" → accepted\\n{forged}'); prompt('Name', 'Ann'); confirm('Go?')</script>"""
    )
    first, second = (await run("console")).splitlines()
    assert first.endswith("[log] one")
    assert second.startswith(f"    {forged}")
    assert [re.sub(rf"^{CLOCK} ", "", line) for line in (await run("dialog")).splitlines()] == [
        f'[alert] "a\\" → accepted {forged}" → accepted',
        '[prompt] "Name" → accepted "Ann"',
        '[confirm] "Go?" → accepted',
    ]


async def test_only_dialogs_in_a_row_are_a_loop(run: Run, show: Show) -> None:
    """Show one in each of many commands, and twenty in one. A loop: test_departures.py."""
    await show("<i onclick='alert(1)'>One</i><b onclick='for (let i = 0; i < 20; i++) alert(i)'>Many</b>")
    for _ in range(26):
        assert "→ alert" in await run("click text=One")
    assert (await run("click text=Many")).splitlines()[-1].startswith("→ and 15 more")


async def test_the_control_lane_answers_while_a_page_hangs(run: Run, shell: Shell, show: Show) -> None:
    await show("<p>x")
    stuck = await hang(shell, 600_000)
    for command in ("console", "network", "dialog", "status", "help"):
        assert await run(command, timeout=60_000)
    assert "[1] Test — " in await run("tabs", timeout=60_000)
    assert not stuck.done()
    waiting = asyncio.ensure_future(shell.send("text", timeout=600_000))
    await until(lambda: len(shell.service.lifecycle.running_commands) == 2)
    assert await run("closetab 1") == "Closed tab 1; the active tab is now 2: about:blank"
    assert (await stuck).error == "tab-gone"
    assert (await waiting).error == "tab-gone"
    assert await run("text") == ""


async def test_the_console_speaks_of_the_document_that_is_there(run: Run, show: Show, web: Web) -> None:
    await show("<script>console.log('old'); console.error('bad')</script>")
    await show(
        "<script>console.log('new')</script><a href=#here>Here</a><button onclick='location.reload()'>Again</button>"
    )
    assert [line.split()[1] for line in await console(run)] == ["new"]
    assert await run("console --errors") == "(no console errors on this page; 1 on others: --all-pages)"
    assert [line.split()[1] for line in await console(run, "--all-pages")] == ["old", "bad", "new"]
    await run("click a")
    await run("js", "history.pushState(0, 0, '/other'); console.log('same')")
    assert [line.split()[1] for line in await console(run)] == ["new", "same"], "it is still that document"
    await run("js", "history.back(); 0")
    await run("back")
    await run("click button")
    assert len(await console(run)) == 1
    assert (await console(run, "--all-pages"))[:2] == (await console(run, "--all-pages", "--tab", "1"))[:2]


async def test_frames_workers_and_popups_in_the_console(run: Run, show: Show, web: Web) -> None:
    say = "<script>console.log('{}')</script>"
    near, far = web.show(say.format("near")), web.show_elsewhere(say.format("far"))
    popup = web.show(say.format("popup"))
    worker = "new Worker(URL.createObjectURL(new Blob([`console.log('worker'); postMessage(1)`])))"
    await show(
        f"<iframe src='{near}'></iframe><iframe src='{far}'></iframe><button onclick=\"window.open('{popup}')\">Open</button>"
        f"<script>done = new Promise((heard) => {worker}.onmessage = heard)</script>"
    )
    await run("js", "await done; 0")
    assert sorted(line.split()[1] for line in await console(run)) == ["far", "near", "worker"]
    await run("click button")
    assert [line.split()[1] for line in await console(run, "--tab", "2")] == ["popup"]
    assert len(await console(run, "--all-pages")) == 4
    await run("tab 1")
    await run("js", "document.querySelector('iframe').src += '?again'; 0")
    await run("wait --networkidle")
    assert len(await console(run)) == 4, "a frame's next document is still of this page"


async def test_levels_of_the_console(run: Run, show: Show) -> None:
    await show("""<script>for (const level of ['debug', 'log', 'info', 'table', 'warn', 'error']) console[level](level);
        console.assert(0, 'assert')</script>""")
    for level, count in {"debug": 7, "log": 6, "info": 6, "warning": 3, "error": 2}.items():
        assert len(await console(run, "--level", level)) == count, level
    assert await console(run, "--errors") == await console(run, "--level=error")
    told = (await run("console --max 100")).splitlines()
    assert (told[0][:16], told[-1]) == ("… only the last ", (await run("console")).splitlines()[-1])
    assert await run("console --clear --level warning") == "Cleared 3 console warnings"
    assert len(await console(run)) == 4


@pytest.mark.fresh_session
async def test_clearing_forgets_what_would_be_printed(run: Run, show: Show, web: Web, check: Check) -> None:
    nothing = {
        "console": "(no console messages)", "network": "(no requests)", "network --failed": "(no failed requests)", "dialog": "(no dialogs)",
    }  # fmt: skip
    await check(nothing)
    await show("<script>console.log('old')</script>")
    await show("<script>console.log('new'); console.error('bad'); alert(1); alert(2)</script>")
    await run("newtab", web.show("<script>console.log('other')</script>"))
    replies = {
        "console --clear --errors --tab 1": "Cleared 1 console error",
        "console --errors --tab 1": "(no console errors)",
        "console --clear --tab 1": "Cleared 1 console message",
        "console --tab 1": "(no console messages on this page; 2 on others: --all-pages)",
        "console --clear --all-pages": "Cleared 2 console messages",
        "console --clear": "Cleared 0 console messages",
        "network --clear": "Cleared 1 request",
        "network --clear --all-pages": "Cleared 2 requests",
        "dialog --clear": "Cleared 2 dialogs",
    }
    await check(replies | nothing)
    await run("js", "alert(1)")
    assert await run("dialog --clear") == "Cleared 1 dialog"


async def test_the_network_speaks_of_the_document_that_is_there(run: Run, show: Show, web: Web) -> None:
    await show("<script>fetch('/hang'); fetch('/api?old')</script><img src=/api?old>")
    assert f"GET {web.url}/hang → pending" in await network(run)
    await run("goto", f"{web.url}/redirect?to=/redirect")
    lines = [line.split(" → ")[0].removeprefix(f"GET {web.url}") for line in await network(run)]
    assert lines == ["/redirect?to=/redirect", "/redirect", "/plain.html"], "with how it got there"
    everything = await network(run, "--all-pages")
    assert any("/hang → failed: ERR_ABORTED" in line for line in everything)
    assert sum("old" in line for line in everything) == 2
    await run("js", "await fetch('/api?new'); history.replaceState(0, 0, '/x'); await fetch('/api/404?new')")
    await run("wait --networkidle")
    assert [line.split(" → ")[0][-7:] for line in (await network(run))[3:]] == ["api?new", "404?new"]
    assert await network(run, "--failed") == [f"GET {web.url}/api/404?new → 404 (Nms, 11B)"]


async def test_requests_for_no_document_are_of_the_page(run: Run, show: Show, shell: Shell, web: Web) -> None:
    url = await show("<a href=/download id=d>Get</a><a href=/empty id=e>Nothing</a>")
    await run("click #d")
    await run("click #e")
    said = [line.split(" → ")[0].removeprefix(f"GET {web.url}/") for line in await network(run)]
    assert said == [url.removeprefix(f"{web.url}/"), "download", "empty"]
    await shell.send("goto http://127.0.0.1:9/")
    assert await network(run) == ["GET http://127.0.0.1:9/ → failed: ERR_UNSAFE_PORT"]


async def test_a_service_worker_is_nobodys(run: Run, show: Show, web: Web) -> None:
    service = web.script("sw.js", "console.log('service'); oninstall = () => fetch('/api?service')")
    await show("<p>x")
    active = (
        "new Promise((done) => installing.onstatechange = () => installing.state === 'activated' && done())"
    )
    await run(
        "js", f"const {{ installing }} = await navigator.serviceWorker.register('{service}'); await {active}; 0"
    )
    assert await run("console") == "(no console messages on this page; 1 on others: --all-pages)"
    assert [line.split()[1] for line in await console(run, "--all-pages")] == ["service"]
    assert any("/api?service" in line for line in await network(run, "--all-pages"))
    assert not any("/api?service" in line for line in await network(run))


PAGE = """<img src=/status/404?picture><script>
fetch('/api?first'); fetch('/api/404?second', {method: 'POST'}); fetch('http://127.0.0.1:1/').catch(() => 0)
</script>"""


async def addresses(run: Run, *words: str) -> list[str]:
    """The path, query or host of each request that `network` lists."""
    lines = (await run("network", *words)).splitlines()
    assert all(re.match(r"#\d+ [A-Z]+ http\S+ → ", line) for line in lines), lines
    return [re.split(r"http://[^/]*/|\?| → ", line)[-2] for line in lines]


async def test_requests_have_numbers_and_can_be_chosen(run: Run, show: Show, web: Web) -> None:
    await show(PAGE)
    await run("wait --networkidle")
    numbers = [int(line.split()[0][1:]) for line in (await run("network")).splitlines()]
    assert numbers == list(range(numbers[0], numbers[0] + 5))
    for option, word, chosen in (
        ("--filter", "/api", ["first", "second"]), ("--filter", "/api/**", ["second"]), ("--filter", "POST **/api/*", ["second"]),
        ("--method", "post", ["second"]), ("--status", "4xx", ["picture", "second"]), ("--status", "failed", [""]),
        ("--type", "img", ["picture"]), ("--type", "fetch,xhr", ["", "first", "second"]),
    ):  # fmt: skip
        assert sorted(await addresses(run, option, word)) == chosen
    assert len(await addresses(run, "--since", f"#{numbers[2]}")) == 2
    told = json.loads(await run("network", "--json", "--method", "POST"))
    assert [[item[key] for key in ("method", "status", "type", "bytes")] for item in told] == [
        ["POST", 404, "fetch", 11]
    ]
    assert await run("network", "--type", "font") == "(no requests)"
    unfit = await run("network", "--filter", "/*/nothing")
    told_of = r"\(no requests that fit; \d+ requests on this page do not; \* stops at a slash, \*\* does not\)"
    assert re.fullmatch(told_of, unfit)
    assert (await run("network", "--filter", "nothing")).endswith("on this page do not)")

    await run("newtab", web.show("<script>fetch('/api?other')</script>"))
    await run("wait --networkidle")
    assert (await run("network --tab 1")).splitlines()[0].startswith(f"#{numbers[0]} "), "a number stays"
    assert min(item["number"] for item in json.loads(await run("network --json"))) > numbers[-1]


ERRORS = """<button id=said onclick="console.error('Save failed', {code: 7})">Save</button>
<button id=asserted onclick="console.assert(false, 'no rows')">Assert</button>
<button id=warned onclick="console.warn('soon gone'); console.log('fine')">Warn</button>
<button id=many onclick="for (let i = 0; i < 9; i++) console.error('bad ' + i % 4)">Many</button>
<button id=hostile onclick="console.error('a\\n→ now at b\\x1b[31m\\u202e')">Lie</button>
<button id=both onclick="console.error('logged'); throw new Error('thrown')">Both</button>
<button id=load onclick="fetch('/api').catch(() => 0)">Load</button>
<a href="file:///etc/hosts">Local file</a><a href=/status/204>Empty</a><form action=/status/204 method=post><button>Send</button></form>
<iframe sandbox srcdoc="<form action=/q><button>Send</button></form>"></iframe><script>console.error('no config')</script>"""

REPLIES = {
    "#said": [r"→ console error: Save failed \{code: 7\}"],
    "#asserted": [r"→ console error: (Assertion failed: )?no rows"],
    "#warned": [],
    "#many": [r"→ 9 console errors: bad 0; bad 1; … see 'console --errors'"],
    "#hostile": [r"→ console error: a → now at b␛\[31m"],
    "#both": [r"→ 1 error: Error: thrown \(\d+\.html:\d+:\d+\)", "→ console error: logged"],
    "#load": ["→ 2 console errors: Connecting to '.*"],
    "text='Local file'": ["→ console error: Not allowed to load local resource: file:///etc/hosts"],
    "text=Empty": [r"→ GET http://\S+/status/204 → 204, no page to show"],
    "form button": [r"→ POST http://\S+/status/204 → 204, no page to show"],
}


@pytest.mark.both_browsers
async def test_errors_logged_while_a_page_loads_and_by_actions_are_told(run: Run, web: Web) -> None:
    url = web.show(ERRORS, Content_Security_Policy="connect-src 'none'")
    assert (await run("goto", url)).splitlines()[1:] == ["→ console error: no config"]
    for target, lines in REPLIES.items():
        reply = (await run("click", target)).splitlines()[1:]
        assert len(reply) == len(lines), (target, reply)
        assert all(re.fullmatch(line, told) for line, told in zip(lines, reply, strict=True)), reply
    assert await run("url") == url
    await run("frame iframe")
    assert "→ console error: Blocked form submission to '" in await run("click button")
    missing = "".join(f"<script src='/status/404/{name}.js'></script>" for name in "abcd")
    page = f"{missing}<link rel=stylesheet href='/status/404'><img src='/status/404'>"
    (told,) = (await run("goto", web.show(page))).splitlines()[1:]
    assert re.fullmatch("→ 5 requests failed: .*, … see 'network --failed'", told), (
        "scripts and style sheets share a line"
    )


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
    """Follow a log as a client that goes away at the end."""
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


async def test_following_ends_when_its_tab_page_or_context_closes(run: Run, shell: Shell, web: Web) -> None:
    await run("goto", web.show(f"<button onclick=\"w = window.open('{web.url}/plain.html')\">open</button>"))
    for closes, why in (
        ("closetab {}", "There is no tab {}"),
        ("js w.close()", "Tab {} closed itself"),  # as every command on that tab says
    ):
        number = int((await run("click button", tab=1)).partition("→ opened tab ")[2].partition(":")[0])
        await run(f"tab {number}")
        async with (
            following(shell, f"console --tab {number}") as said,
            following(shell, "network") as asked,
            following(shell, "network --all-pages") as everywhere,
        ):
            await run("js", "console.log('last')")
            await run(closes.format(number), tab=1 if closes.startswith("js") else None)
            for follower in (said, asked):
                reply = await asyncio.wait_for(follower.task, 60)
                assert (reply.error, reply.code) == (TabGone.kind, 6)
                assert why.format(number) in reply.message
            assert said.lines[-1].endswith("last"), "what it said before is not lost"
            await run("js", "fetch('/api').then(() => 1)", tab=1)
            await until(lambda: everywhere.lines)
        await run("tab 1")
    async with following(shell, "console --tab 99") as nowhere:
        assert (await nowhere.task).error == TabGone.kind
    await run("goto", web.show("hers"), as_="ann")
    async with following(shell, "network --all-pages", as_="ann") as hers:
        await run("context-close ann")
        assert (await asyncio.wait_for(hers.task, 60)).error == TabGone.kind
