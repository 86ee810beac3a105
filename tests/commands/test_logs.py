import asyncio
import re
import time

import pytest

from gstack_browse.browser.tabs import capture
from gstack_browse.errors import TabGone, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show, hang, until
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

CLOCK = r"\[\d\d:\d\d:\d\d\.\d{3}\]"


async def console(run: Run, *words: str) -> list[str]:
    return [re.sub(rf"^{CLOCK} ", "", line) for line in (await run("console", *words)).splitlines()]


async def test_console_has_messages_with_level_and_place(run: Run, show: Show) -> None:
    url = await show(
        "<script>console.log('one', 1, {a: 2});\nconsole.warn('two');\nconsole.error('three');\nconsole.debug('four');console.info('five')</script>"
    )
    lines = await console(run)
    assert lines[0].startswith("[log] one 1 {a: 2}")
    assert lines[0].endswith(f"({url}:1)")
    assert lines[1] == f"[warn] two ({url}:2)"
    assert lines[2] == f"[error] three ({url}:3)"
    assert [line.split()[0] for line in lines[3:]] == ["[debug]", "[info]"]
    assert re.match(CLOCK, await run("console"))


async def test_console_has_uncaught_exceptions_with_source_and_line(run: Run, show: Show) -> None:
    url = await show("<script>\nfunction deep() { null.x }\nsetTimeout(deep)</script><p>x")
    await run("wait 50")
    assert await console(run, "--errors") == [
        f"[error] Uncaught TypeError: Cannot read properties of null (reading 'x') (deep ({url}:2:24))"
    ]


async def test_console_has_unhandled_rejections(run: Run, show: Show) -> None:
    url = await show(
        "<script>\nasync function load() { throw new Error('no data') }\nload();\nPromise.reject('plain'); Promise.reject({code: 7})</script>"
    )
    lines = await console(run, "--errors")
    assert lines[0].startswith(f"[error] Uncaught Error: no data (load ({url}:2:")
    assert any("plain" in line for line in lines[1:])
    assert len(lines) == 3


async def test_console_has_syntax_errors_and_thrown_strings(run: Run, show: Show) -> None:
    await show("<script>let let = 1</script><script>throw 'a string'</script>")
    lines = await console(run, "--errors")
    assert "SyntaxError" in lines[0]
    assert "a string" in lines[1]


async def test_console_has_failed_loads(run: Run, show: Show, web: Web) -> None:
    await show("<img src=/status/404><script src=/status/500></script>")
    await run("wait --networkidle")
    assert sum("Failed to load resource" in line for line in await console(run, "--errors")) == 2


async def test_console_clear_and_nothing(run: Run, show: Show) -> None:
    assert await run("console") == "(no console messages)"
    await show("<script>console.log(1); console.log(2)</script>")
    assert await run("console --errors") == "(no console errors)"
    assert await run("console --clear") == "Cleared 2 console messages"
    assert await run("console") == "(no console messages)"


async def test_logs_tell_tabs_apart(run: Run, show: Show, web: Web) -> None:
    await show("<script>console.log('first')</script>")
    await run("newtab", web.show("<script>console.log('second')</script>"))
    assert len(await console(run, "--all-pages")) == 2
    assert "second" in (await console(run))[0]
    assert "first" in (await console(run, "--tab", "1"))[0]
    assert len(await console(run, "--tab", "2")) == 1
    assert len(await console(run, "--tab", "2", "--all-pages")) == 1
    assert "first" in await run("console", tab=1)
    assert "second" not in await run("console --all-pages", tab=1)


async def test_a_long_message_is_kept_short(run: Run, show: Show) -> None:
    await show("<script>console.log('x'.repeat(1e6))</script>")
    assert len(await run("console")) < 10_200


async def network(run: Run, *words: str) -> list[str]:
    lines = (await run("network", *words)).splitlines()
    return [re.sub(r"^#\d+ ", "", re.sub(r"\d+ms", "Nms", line)) for line in lines]


async def test_network_has_status_time_and_size(run: Run, show: Show, web: Web) -> None:
    url = await show("<script>fetch('/api'); fetch('/chunked'); fetch('/api/404', {method: 'POST'})</script>")
    await run("wait --networkidle")
    lines = await network(run)
    assert re.match(rf"GET {re.escape(url)} → 200 \(Nms, \d+B\)", lines[0])
    assert f"GET {web.url}/api → 200 (Nms, 11B)" in lines
    assert any(re.match(rf"GET {re.escape(web.url)}/chunked → 200 \(Nms, \d+B\)", line) for line in lines)
    assert f"POST {web.url}/api/404 → 404 (Nms, 11B)" in lines
    assert await network(run, "--failed") == [f"POST {web.url}/api/404 → 404 (Nms, 11B)"]


async def test_failed_requests_show_their_error(run: Run, show: Show, web: Web) -> None:
    await show("<script>fetch('/drop').catch(() => 0); const c = new AbortController(); fetch('/hang', {signal: c.signal}).catch(() => 0); c.abort();"
               "fetch('http://127.0.0.1:1/').catch(() => 0)</script>")  # fmt: skip
    await run("wait --networkidle")
    lines = await network(run)
    assert f"GET {web.url}/drop → failed: ERR_EMPTY_RESPONSE" in lines
    assert any("127.0.0.1:1/ → failed: ERR_" in line for line in lines)
    assert not any("pending" in line for line in lines)


async def test_redirects_are_each_a_line(run: Run, visit: Show, web: Web) -> None:
    await visit("redirect?to=/plain.html")
    lines = await network(run)
    assert lines[0].startswith(f"GET {web.url}/redirect?to=/plain.html → 302")
    assert lines[1].startswith(f"GET {web.url}/plain.html → 200")


async def test_a_request_under_way_is_pending(run: Run, show: Show, web: Web) -> None:
    await show("<script>fetch('/hang')</script>")
    assert f"GET {web.url}/hang → pending" in await network(run)
    await run("goto about:blank")
    assert f"GET {web.url}/hang → failed: ERR_ABORTED" in await network(run, "--all-pages")


async def test_requests_of_a_tab_that_was_closed_are_over(run: Run, show: Show, web: Web) -> None:
    await show("<script>fetch('/hang')</script>")
    await run("closetab")
    assert not any("pending" in line for line in await network(run))


async def test_websockets_are_listed(run: Run, show: Show, web: Web) -> None:
    await show("<script>new WebSocket(location.origin.replace('http', 'ws') + '/status/403')</script>")
    await run("wait 200")
    assert any(line.startswith(f"GET ws://127.0.0.1:{web.port}/status/403 →") for line in await network(run))


async def test_a_clock_that_is_set_back_makes_no_websocket_negative(
    shell: Shell, run: Run, show: Show, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show("<script>socket = new WebSocket(location.origin.replace('http', 'ws') + '/hang')</script>")
    (entry,) = [entry for entry in shell.service.logs.network if entry.kind == "websocket"]
    monkeypatch.setattr(time, "time", lambda: 0.0)
    await run("js", "socket.close(); 1")
    await until(lambda: entry.status == 101)
    assert 0 <= entry.milliseconds < 60_000


async def test_secrets_in_urls_are_not_kept(run: Run, show: Show, web: Web) -> None:
    await show(
        "<script>fetch('/api?token=abcdef123&page=2'); fetch('/api?password=hunter22#x'); console.log('http://ann:hunter23@host/')</script>"
    )
    await run("wait --networkidle")
    said = await run("goto", f"http://ann:hunter24@127.0.0.1:{web.port}/plain.html")
    said += await run("network --all-pages") + await run("console --all-pages")
    assert "abcdef123" not in said
    assert not [number for number in (22, 23, 24) if f"hunter{number}" in said]
    assert "page=2" in said


async def test_network_clear_and_nothing(run: Run, visit: Show) -> None:
    assert await run("network") == "(no requests)"
    assert await run("network --failed") == "(no failed requests)"
    await visit("plain.html")
    assert await run("network --clear") == "Cleared 1 request"
    assert await run("network") == "(no requests)"


async def test_message_of_several_lines_forges_no_entry(run: Run, show: Show) -> None:
    forged = "[11:00:00.000] [error] forged"
    await show(f"<script>console.log('one\\n{forged}'); alert('a\" → accepted\\n{forged}')</script>")
    first, second = (await run("console")).splitlines()
    assert first.endswith("[log] one")
    assert second.startswith(f"    {forged}")
    assert (await run("dialog")).endswith(f'[alert] "a\\" → accepted {forged}" → accepted')


async def test_dialogs_are_kept(run: Run, show: Show) -> None:
    assert await run("dialog") == "(no dialogs)"
    await show("<script>alert('Hi\\nthere'); prompt('Name', 'Ann'); confirm('Go?')</script>")
    lines = [re.sub(rf"^{CLOCK} ", "", line) for line in (await run("dialog")).splitlines()]
    assert lines == [
        '[alert] "Hi there" → accepted',
        '[prompt] "Name" → accepted "Ann"',
        '[confirm] "Go?" → accepted',
    ]
    assert await run("dialog --clear") == "Cleared 3 dialogs"


async def test_an_alert_loop_while_the_page_loads(shell: Shell, web: Web, run: Run, fails: Fails) -> None:
    reply = await shell.send("goto", web.show("<script>while (true) alert('again')</script>"))
    assert reply.message == "The page in tab 1 showed 25 dialogs in a row and was closed"
    assert (await fails("url", TabGone)).message.startswith("Tab 1 showed 25 dialogs in a row and was closed")
    assert await run("url") == "about:blank"


async def test_many_commands_with_a_dialog_each_are_no_loop(run: Run, show: Show) -> None:
    await show("<button onclick='alert(1)'>One</button>")
    for _ in range(26):
        assert "→ alert" in await run("click button")


async def test_twenty_dialogs_in_one_command_are_no_loop(run: Run, show: Show) -> None:
    await show("<button onclick='for (let i = 0; i < 20; i++) alert(i)'>Many</button>")
    said = await run("click button")
    assert said.splitlines()[-1].startswith("→ and 15 more")


async def test_the_control_lane_answers_while_a_page_hangs(run: Run, shell: Shell, show: Show) -> None:
    await show("<p>x")
    stuck = await hang(shell, 600_000)
    for command in ("console", "network", "dialog", "status", "help"):
        assert await run(command, timeout=60_000)
    assert "[1] Test — " in await run("tabs", timeout=60_000)
    assert not stuck.done()
    waiting = asyncio.ensure_future(shell.send("text", timeout=600_000))
    await until(lambda: len(shell.service.running_commands) == 2)
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


async def test_levels_of_the_console(run: Run, show: Show, fails: Fails) -> None:
    await show(
        "<script>for (const level of ['debug', 'log', 'info', 'table', 'warn', 'error']) console[level](level);"
        "console.assert(0, 'assert')</script>"
    )
    for level, count in {"debug": 7, "log": 6, "info": 6, "warning": 3, "error": 2}.items():
        assert len(await console(run, "--level", level)) == count, level
    assert await console(run, "--errors") == await console(run, "--level=error")
    assert "warning" in (await fails("console --level warnin", UsageError)).hint
    assert await run("console --clear --level warning") == "Cleared 3 console warnings"
    assert len(await console(run)) == 4


async def test_clearing_forgets_what_would_be_printed(run: Run, show: Show, web: Web) -> None:
    await show("<script>console.log('old')</script>")
    await show("<script>console.log('new'); console.error('bad')</script>")
    await run("newtab", web.show("<script>console.log('other')</script>"))
    assert await run("console --clear --errors --tab 1") == "Cleared 1 console error"
    assert await run("console --clear --tab 1") == "Cleared 1 console message"
    assert await run("console --tab 1") == "(no console messages on this page; 2 on others: --all-pages)"
    assert await run("console --clear --all-pages") == "Cleared 2 console messages"
    assert await run("console --clear") == "Cleared 0 console messages"
    assert await run("network --clear") == "Cleared 1 request"


async def test_a_tab_that_is_not_there_has_no_log(run: Run, fails: Fails, show: Show) -> None:
    await show("<script>console.log('x')</script>")
    await run("newtab")
    await run("closetab 1")
    assert (await fails("console --tab 1", TabGone)).message == "There is no tab 1"
    assert (await fails("network --tab 9", TabGone)).message == "There is no tab 9"
    assert len(await console(run, "--tab", "1", "--all-pages")) == 1


async def test_formats_and_errors_in_the_console(run: Run, show: Show) -> None:
    url = await show(
        "<script>console.log('%cTitle%c %s has %d', 'color: red', '', 'list', 3, {a: [1]});\n"
        "console.error(new Error(new TypeError('inner')))</script>"
    )
    lines = await console(run)
    assert lines[0] == f"[log] Title list has 3 {{a: Array(1)}} ({url}:1)"
    assert lines[1] == "[error] Error: TypeError: inner"


async def test_the_network_speaks_of_the_document_that_is_there(
    run: Run, show: Show, visit: Show, web: Web
) -> None:
    await show("<script>fetch('/hang'); fetch('/api?old')</script><img src=/api?old>")
    await visit("redirect?to=/redirect")
    lines = [line.split(" → ")[0].removeprefix(f"GET {web.url}") for line in await network(run)]
    assert lines == ["/redirect?to=/redirect", "/redirect", "/plain.html"], "with how it got there"
    everything = await network(run, "--all-pages")
    assert any("/hang → failed: ERR_ABORTED" in line for line in everything)
    assert sum("old" in line for line in everything) == 2
    await run("js", "await fetch('/api?new'); history.replaceState(0, 0, '/x'); await fetch('/api/404?new')")
    await run("wait --networkidle")
    assert [line.split(" → ")[0][-7:] for line in (await network(run))[3:]] == ["api?new", "404?new"]
    assert await network(run, "--failed") == [f"GET {web.url}/api/404?new → 404 (Nms, 11B)"]


async def test_requests_that_lead_to_no_document_are_of_the_one_that_stays(
    run: Run, show: Show, shell: Shell, web: Web
) -> None:
    url = await show("<a href=/download id=d>Get</a><a href=/empty id=e>Nothing</a>")
    await run("click #d")
    await run("click #e")
    said = [line.split(" → ")[0].removeprefix(f"GET {web.url}/") for line in await network(run)]
    assert said == [url.removeprefix(f"{web.url}/"), "download", "empty"]
    await shell.send("goto http://127.0.0.1:9/")
    assert await network(run) == ["GET http://127.0.0.1:9/ → failed: ERR_UNSAFE_PORT"]


async def test_requests_that_no_page_made_are_not_listed(run: Run, shell: Shell, show: Show, web: Web) -> None:
    """Leave out requests of Chromium itself, and those of Playwright to read an origin's storage."""
    await show("<p>x")
    await run("js", "localStorage.setItem('a', 1); 0")
    await show(f"<script>fetch('{web.other}/api', {{headers: {{'X-Mine': 1}}}}).catch(() => 0)</script>")
    await run("goto", web.other + "/plain.html")
    await capture.state_of(shell.browser)
    lines = await network(run, "--all-pages")
    assert sum(line.startswith("OPTIONS") for line in lines) == 0
    assert not any(line.startswith(f"GET {web.url}/ ") for line in lines)
    await run("js", "await fetch('/favicon.ico'); 0")
    await run("wait --networkidle")
    assert f"GET {web.other}/favicon.ico → 204 (Nms)" in await network(run), "the page did ask for that one"


async def test_a_service_worker_is_nobodys(run: Run, show: Show, web: Web) -> None:
    service = web.script("sw.js", "console.log('service'); oninstall = () => fetch('/api?service')")
    await show("<p>x")
    await run(
        "js",
        f"const {{ installing }} = await navigator.serviceWorker.register('{service}');"
        "await new Promise((done) => installing.onstatechange = () => installing.state === 'activated' && done()); 0",
    )
    assert await run("console") == "(no console messages on this page; 1 on others: --all-pages)"
    assert [line.split()[1] for line in await console(run, "--all-pages")] == ["service"]
    assert any("/api?service" in line for line in await network(run, "--all-pages"))
    assert not any("/api?service" in line for line in await network(run))
