import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from gstack_browse.errors import ActionFailed, FileFailed, NavigationFailed, TimedOut, UsageError
from gstack_browse.network.shaping.rules import RouteTable
from tests.commands.conftest import Check, Run, Shell, Show, until
from tests.commands.parts import ASK, PARTS, page_of_parts, told_by_parts
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

FAILED = "TypeError: Failed to fetch"


def ask(path: str) -> str:
    """Return the line that has the page fetch a path."""
    return f"js ({ASK})('{path}')"


@pytest_asyncio.fixture(loop_scope="session", autouse=True)
async def no_routes(shell: Shell) -> AsyncIterator[None]:
    """Remove the rules before the next test."""
    yield
    await shell.send("unroute --all")
    shell.browser.shaping.rules = RouteTable()


async def test_route_holds_in_all_that_is_open_or_comes(run: Run, check: Check, web: Web, shell: Shell) -> None:
    """Answer each step of a redirection. A recording has what the service worker got, too."""
    await run("goto", page_of_parts(web))
    real, tea = dict.fromkeys(PARTS, '200 {"ok":true}'), dict.fromkeys(PARTS, "418 tea")
    assert await told_by_parts(run, "/api/200") == real
    assert await run("route /api/ --status 418 --body tea") == "Route 1: /api/ → 418 tea"
    assert await told_by_parts(run, "/api/200") == tea
    await run("har-start")
    await run("reload")
    assert await told_by_parts(run, "/api/200") == tea
    await run("har-stop made.har")
    entries = json.loads((shell.workspace / "made.har").read_text())["log"]["entries"]
    made = [entry["response"]["content"] for entry in entries if entry["request"]["url"].endswith("/api/200")]
    assert [content["size"] for content in made] == [3] * len(PARTS)
    await run("newtab", web.show("<p>x"))
    await check({
        ask(f"{web.url}/api/200"): "418 tea", ask(f"/redirect?to={web.url}/api/200"): "418 tea", "closetab": "…",
        "routes": "1  /api/ → 418 tea  hit 12 times", "unroute 1": "Removed route 1: /api/ → 418 tea (hit 12 times)",
    })  # fmt: skip
    assert await told_by_parts(run, "/api/200") == real
    await run("route /api/ --abort")
    assert await told_by_parts(run, "/api/200") == dict.fromkeys(PARTS, FAILED)


async def test_the_first_request_of_a_window_is_answered(run: Run, shell: Shell, show: Show) -> None:
    await run("route '**/made-up*' --body", "<title>Made up</title><h1>Here</h1>")
    opener = "<button onclick=\"window.open('/made-up2')\">Two"
    await show(f"<a href=/made-up target=_blank rel=noopener>One</a>{opener}")
    for target in ("text=One", "text=Two"):
        assert "→ opened tab" in await run(f"click '{target}'")
        await run("tab", str(shell.browser.tabs.next_id - 1))
        assert await run("text") == "Here"
        await run("closetab")
    assert (await run("routes")).endswith("hit 2 times")


async def test_a_file_is_read_anew_for_each_answer(run: Run, check: Check, shell: Shell, show: Show) -> None:
    fixture = shell.workspace / "fixture.json"
    await show("<p>x")
    typed = (
        "js fetch('/list').then(async (it) => it.headers.get('content-type') + ' ' + await it.text(), String)"
    )
    for content in ('{"n": 1}', '{"n": 2}'):
        fixture.write_text(content)
        if "1" in content:
            assert await run("route /list --body @fixture.json") == "Route 1: /list → 200 file fixture.json"
        await check({typed: f"application/json; charset=utf-8 {content}"})
    fixture.unlink()
    os.mkfifo(fixture)
    await check({typed: FAILED, "routes": "…hit 3 times; the last answer failed: Cannot read…"})
    fixture.unlink()
    await check({"route /list --body @fixture.json": FileFailed})


async def test_answer_has_given_status_headers_and_body(run: Run, check: Check, show: Show, web: Web) -> None:
    await show("<p>x")
    await run("route /a --json", '{"name": "Ann"}', "--header", "X-Note: hi", "--header", "Cache-Control: no-store")  # fmt: skip
    await run("route /b --body -", stdin="<b>piped</b>")
    sent = "{ method: 'PUT', headers: { 'X-A': 'b' }, credentials: 'include' }"
    await check({
        "js fetch('/a').then(async (it) => [it.headers.get('x-note'), (await it.json()).name].join())": "hi,Ann",
        ask("/b"): "200 <b>piped</b>", f"route /c --status 302 --header 'Location: {web.url}/b'": "…", ask("/c"): "200 <b>piped</b>",
        "route 'PUT /far' --body ours": "…", f"js ({ASK})('{web.other}/far', {sent})": "200 ours", "unroute 9": ActionFailed,
    })  # fmt: skip
    await check(dict.fromkeys((
        "route /a", "route /a --status 99", "route /a --status 200 --abort", "route /a --body x --json 1", "route /a --json {",
        "route /a --header nonsense", "route /a --header 'Content-Length: 3' --body x", "route /a --set-header 'Host: x'",
        "route ws://localhost/a --body x", "route ws://localhost/{a,b} --abort", "unroute 1 --all",
    ), UsageError))  # fmt: skip


async def test_the_last_route_holds_as_often_as_it_is_to(show: Show, check: Check) -> None:
    await show("<p>x")
    await check([
        ("route /n --body old", "…"), ("route 'POST /n' --body post", "…"), ("route /n --body new --times 2", "…"),
        (ask("/n"), "200 new"), (ask("/n"), "200 new"), (ask("/n"), "200 old"),
        ("routes", "1  /n → 200 old                   hit 1 time\n"
                   "2  POST /n → 200 post             never hit\n"
                   "3  /n → 200 new, 2 times at most  hit 2 times, over"),
        ("unroute 'POST /n'", "Removed route 2: POST /n → 200 post (no request has ever matched it)"),
        ("network", "…by route 3…by route 3…"),
    ])  # fmt: skip


@pytest.mark.both_browsers
async def test_headers_are_changed_beside_those_of_header(run: Run, visit: Show) -> None:
    await run("header X-Team blue")
    await run("route /headers --set-header", "X-Key: s3cret-of-mine", "--remove-header", "Accept-Language")
    await visit("headers")
    told = await run("text")
    assert ("X-Team: blue" in told, "X-Key: " in told, "Accept-Language: " in told) == (True, True, False)
    assert await run("routes") == "1  /headers → sent, with X-Key set, without Accept-Language  hit 1 time"
    await run("header X-Team")


async def test_delayed_request_is_sent_when_its_route_goes_and_holds_no_command(
    run: Run, check: Check, shell: Shell, web: Web, show: Show
) -> None:
    """A command ends at its deadline, and names the route."""
    await show("<p>x")
    await run("route /api/ --delay 60000 --body late")
    asking = asyncio.ensure_future(run("js", f"({ASK})('/api/200')"))
    await until(lambda: [rule.hits for rule in shell.browser.shaping.rules] == [1])
    await run("unroute 1")
    assert await asking == '200 {"ok":true}'
    await check({
        "route /slow --delay 60000": "…",
        f"goto {web.url}/slow --timeout 500": (TimedOut, "…\nRoute 2 holds for it (sent after 60000ms): 'unroute 2'"),
        "route /gone --error refused": "…",
        f"goto {web.url}/gone": (NavigationFailed, "…ERR_CONNECTION_REFUSED\nRoute 3 holds for it (fails: refused): 'unroute 3'"),
        "network --all-pages": "…failed: ERR_CONNECTION_REFUSED by route 3…",
    })  # fmt: skip


@pytest.mark.same_disk
async def test_no_route_opens_what_is_forbidden(run: Run, shell: Shell, tmp_path: Path) -> None:
    page, secret = shell.workspace / "page.html", tmp_path / "secret.html"
    secret.write_text("hidden")
    page.write_text(f"<p>mine</p><iframe src='{secret.as_uri()}'></iframe>")
    await run("route **/secret.html --body ours")
    assert "→ refused: " in await run("goto", page.as_uri())
    await run("route **/page.html --body ours")
    await run("reload")
    assert await run("text") == "ours"
    assert [rule.hits for rule in shell.browser.shaping.rules] == [0, 1]


async def test_route_answers_requests_for_cached_scripts(run: Run, web: Web) -> None:
    script = web.script("says.js", "says = 'real'")
    web.pages[script.removeprefix(web.url)] = "says = 'real'", {"Cache-Control": "max-age=3600"}
    for number, says in enumerate(("real", "made up", "real")):
        if says == "made up":
            await run("route", script, "--body", "says = 'made up'", "--header", "Cache-Control: max-age=3600")
        await run("goto", web.show(f"<script src='{script}'></script><p>{number}"))
        assert await run("js says") == says
        await run("unroute")


async def test_a_web_socket_can_be_kept_from_opening(check: Check, show: Show, web: Web) -> None:
    await show("<p>x")
    host = web.url.replace("http://", "ws://")
    opens = (
        f"js new Promise((done) => {{ const it = new WebSocket('{host}/socket');"
        " it.onopen = () => done('open'); it.onerror = () => done('closed') })"
    )
    await check([
        (f"route {host}/sock* --abort", f"Route 1: {host}/sock* → aborted"), (opens, "closed"), ("throttle --latency 1", "…"),
        (opens, "closed"), ("throttle off", "Throttled: nothing"), ("routes", f"1  {host}/sock* → aborted  not counted"),
        ("js navigator.onLine", "true"), ("unroute", "…"), (f"route {host}/other --abort", "…"), (opens, "open"),
    ])  # fmt: skip


@pytest.mark.own_browser
async def test_route_holds_after_a_change_that_was_cut_off(run: Run, shell: Shell, visit: Show) -> None:
    await visit("plain.html")
    await run("route /other --abort")
    await run("route /api/ --body mine")
    pid = shell.browser.running.chromium_pid
    os.kill(pid, signal.SIGSTOP)
    try:
        assert (await shell.send("unroute 2", timeout=300)).error == TimedOut.kind
    finally:
        os.kill(pid, signal.SIGCONT)
    await run("route /api/ --body mine")
    assert await run("js", f"({ASK})('/api/200')") == "200 mine"
