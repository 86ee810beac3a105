"""Test the details of one logged request: its initiator, timing and bodies.

Test also headers and passwords that requests are given.
"""

import asyncio
import json
import shlex
from typing import Any

from gstack_browse.browser.transfer import capture
from gstack_browse.errors import ActionFailed, UsageError
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.replies import told_by
from tests.commands.web import Web

SENT = '{"user": "ann", "password": "hunter22"}'
PAGE = """<script>
function save() {
  return fetch('/api/500', {method: 'POST', body: '{"user": "ann", "password": "hunter22"}',
    headers: {'content-type': 'application/json', authorization: 'Bearer abcdefgh'}})
}
save().then(() => fetch('/redirect?to=/chunked')).then(() => fetch('/echo', {method: 'POST', body: new Blob([new Uint8Array([0, 1, 255])])}))
</script>"""


async def number(run: Run, part: str, *words: str) -> str:
    """The number of the last request whose line has that part."""
    lines = (await run("network", *words)).splitlines()
    return next(line.split()[0] for line in reversed(lines) if part in line)


async def request_json(run: Run, request: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(await run("request", request, "--json"))
    return answer


async def test_request_prints_its_parts_and_headers(run: Run, show: Show, check: Check, shell: Shell) -> None:
    """Keep all but the bodies when the page has gone."""
    url = await show(PAGE, Set_Cookie="sid=verysecret; Path=/")
    await run("wait --networkidle")
    saved = await number(run, "/api/500")
    lines = (await run("request", saved)).splitlines()
    assert lines[0].startswith(f"{saved} POST ")
    assert {
        "status: 500 Internal Server Error", f"initiator: script save {url}:3:10", "  Cookie: sid=[redacted]",
    } <= {*lines}  # fmt: skip
    assert any(line.startswith(f"  (anonymous) {url}:6:") for line in lines)
    assert "  authorization: bearer [redacted]" in [line.lower() for line in lines]
    facts = await request_json(run, saved)
    phases = {name: part or 0 for name, part in facts["timing"].items()}
    assert abs(phases.pop("total") - sum(phases.values())) < 0.001
    assert abs(sum(phases.values()) - facts["milliseconds"]) <= 1
    assert "hunter22" not in await run("request", saved, "--curl")
    await check({
        f"request {saved} --headers --secrets": "…\n  Cookie: sid=verysecret\n…",
        f"request {saved} --timing": f"{facts['timing']['total']:.1f} ms: queue …", f"request {saved} --body": '{"ok":true}',
        f"request {saved} --post": '{"user": "ann", "password": "[redacted]"}', f"request {saved} --post --secrets": SENT,
    })  # fmt: skip
    words = shlex.split((await run("request", saved, "--curl", "--secrets")).replace("\\\n", ""))
    words += ["-s", "-w", "%{http_code}"]
    curl = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    assert (await curl.communicate())[0] == b'{"ok":true}500'

    out = shell.workspace / "post.bin"
    assert await run("request", await number(run, "/echo"), "--post", "--out", str(out)) == f"Saved: {out} (3B)"
    assert (out.read_bytes(), out.stat().st_mode & 0o777) == (b"\0\1\xff", 0o600)
    moved, arrived = await number(run, "/redirect"), await number(run, "/chunked")
    redirection = await request_json(run, moved)
    assert redirection["redirected_to"].endswith("/chunked")
    assert ["Location", "/chunked"] in redirection["response_headers"]
    await check({
        f"request {arrived} --body": "0123456789", f"request {moved} --body": (ActionFailed, "…is a redirection…"),
        f"request {moved} --post": (ActionFailed, "…has sent no body…"), f"request {moved} --frames": (ActionFailed, "…no frames…"),
        f"request {saved} --body --post": UsageError, "request 99999": (ActionFailed, "There is no request #99999…"),
        "goto about:blank": "…", f"request {saved} --body": (ActionFailed, f"The body of {saved} is no longer kept"),
        f"request {saved}": "\n".join(lines), "network --clear --all-pages": "…",
    })  # fmt: skip
    await check({f"request {saved}": ActionFailed})


# The service worker comes last: requests of workers that are under way as it claims them may fail in Chromium.
WORKERS = """<script>
const heard = (from) => new Promise(done => { from.onmessage = done })
const others = [heard(window), heard(new Worker('/scripts/worker.js')), heard(new SharedWorker('/scripts/shared.js').port)]
Promise.all(others).then(() => navigator.serviceWorker.register('/scripts/service.js', {scope: '/'}))
  .then(() => navigator.serviceWorker.ready)
  .then(() => navigator.serviceWorker.controller || new Promise(done => navigator.serviceWorker.oncontrollerchange = done))
  .then(() => fetch('/api?through').then(r => r.text())).then(() => fetch('/plain.html?kept').then(r => r.text()))
  .then(() => fetch('/made').then(r => r.text())).then(() => document.title = 'done')
</script><iframe src="%s"></iframe>"""
WORKER = "importScripts('/scripts/imported.js'); fetch('/api?worker').then(() => postMessage(1))"
SHARED = (
    "const asked = fetch('/api?shared'); onconnect = ({ports: [port]}) => asked.then(() => port.postMessage(1))"
)
SERVICE = """
oninstall = event => event.waitUntil(caches.open('v').then(kept => kept.add('/plain.html?kept')).then(skipWaiting))
onactivate = event => event.waitUntil(clients.claim())
onfetch = event => event.request.url.endsWith('/made') ? event.respondWith(new Response('made by it')) : event.request.url.endsWith('?kept') ? event.respondWith(caches.match(event.request))
  : event.request.url.endsWith('?through') && event.respondWith(fetch(event.request))
"""


async def test_requests_of_workers_and_other_sites(run: Run, show: Show, web: Web) -> None:
    web.pages |= {
        "/scripts/worker.js": (WORKER, {}), "/scripts/imported.js": ("1", {}), "/scripts/shared.js": (SHARED, {}),
        "/scripts/service.js": (SERVICE, {"Service-Worker-Allowed": "/"}),
    }  # fmt: skip
    asks = "<script>fetch('/api?frame', {credentials: 'omit'}).then(() => parent.postMessage(1, '*'))</script>"
    await show(WORKERS % web.show_elsewhere(asks))
    await run("wait --js", "document.title === 'done'")
    await run("wait --networkidle")
    listed = [line.split()[2].split("/", 3)[3] for line in (await run("network --all-pages")).splitlines()]
    once = [f"scripts/{name}.js" for name in ("imported", "service", "shared", "worker")]
    assert sorted(path for path in listed if path.startswith("scripts")) == once
    assert [listed.count(f"api?{name}") for name in ("worker", "shared", "frame", "through")] == [1, 1, 1, 2]
    assert "api?shared" in await run("network"), "of the page that began the worker"
    for part in ("?worker", "?shared", "?frame"):
        assert await run("request", await number(run, part, "--all-pages"), "--body") == '{"ok":true}', part
    for part in ("?through", "?kept", "/made"):
        answer = await request_json(run, await number(run, part))
        assert answer["answered_by"] == "service worker"
        body = await run("request", str(answer["number"]), "--body")
        assert answer["bytes"] in (None, len(body)), f"a size that is not the body's: {part}"


def frames_of(listed: str) -> list[str]:
    """Return the frames or events in a list of them, without their times."""
    return [line.split(" ", 1)[1] for line in listed.splitlines()]


async def test_frames_of_sockets_and_events_of_streams(run: Run, show: Show, check: Check) -> None:
    await show("""<script>
socket = new WebSocket(location.origin.replace('http', 'ws') + '/socket')
socket.onopen = () => { socket.send('hello'); socket.send(new Uint8Array([1, 2, 3])) }
heard = 0; socket.onmessage = () => { heard++ }
source = new EventSource('/events'); source.onmessage = () => { source.close(); heard++ }
fetch('/events?fetched').then(r => r.text()).then(() => heard++)
</script>""")
    await run("wait --js", "heard === 4")
    socket = await number(run, "/socket")
    await check({
        f"request {socket}": "…Sec-WebSocket-Version: 13…", f"request {socket} --body": (ActionFailed, "…is a web socket…"),
    })  # fmt: skip
    frames = sorted(frames_of(await run("request", socket, "--frames")))
    assert frames == ["↑ binary 3B AQID", "↑ text 5B hello", "↓ binary 4B AQIDIQ==", "↓ text 6B hello!"]
    for stream in ("/events →", "/events?fetched"):
        events = frames_of(await run("request", await number(run, stream), "--frames"))
        assert events == ["↓ tick 3B one", "↓ message 3B two"], stream


BROKEN_OFF = """<script>
const control = new AbortController()
fetch('/events?gate=events', {signal: control.signal}).then(async answer => {
  const reader = answer.body.getReader()
  for (let text = ''; !text.includes('second');) text += new TextDecoder().decode((await reader.read()).value)
  control.abort(); document.title = 'done'
})
</script>"""


async def test_a_stream_that_the_page_breaks_off(run: Run, show: Show, web: Web) -> None:
    await show(BROKEN_OFF)
    stream = await number(run, "/events")
    web.gate("events").set()
    await run("wait --request", "/events**", "--status", "failed")
    events = frames_of(await run("request", stream, "--frames"))
    assert events == ["↓ message 5B first", "↓ message 6B second"]
    assert "failed: ERR_ABORTED" in await run("request", stream)
    await show("<script>new SharedWorker('/drop')</script>")
    await run("wait --networkidle")
    assert "/drop → failed: ERR_FAILED" in await run("network"), "the script of a worker cannot be had"


async def test_header_goes_with_every_request_until_it_is_taken_back(run: Run, check: Check, web: Web) -> None:
    """Send it from what is open already, too."""
    ask = "js fetch('/headers').then((reply) => reply.text())"
    visit = f"goto {web.url}/headers"
    await check({visit: "…", "header X-Team blue": "Header sent with every request: X-Team", ask: "…X-Team: blue…"})  # fmt: skip
    assert await run("header user-agent - ", stdin="mine\n") == "Header sent with every request: user-agent"
    await run(visit)
    told = (await run("text")).lower()
    assert [told.count(part) for part in ("x-team: blue", "user-agent: mine", "user-agent")] == [1, 1, 1]
    await check([
        (ask.replace("/headers", f"{web.other}/headers"), "…X-Team: blue…"), ("headers", "X-Team      every site\nuser-agent  every site"),
        ("header x-team", "Header no longer sent: x-team"), ("header user-agent", "…"), ("headers", "Nothing is added to requests"),
        ("header x-team", ActionFailed), ("header X-A ü", UsageError), (visit, "…"),
    ])  # fmt: skip
    assert "X-Team" not in await run("text")
    assert "X-Team" not in await run("js", ask.removeprefix("js "))


async def test_a_header_of_a_site_goes_nowhere_else(run: Run, shell: Shell, visit: Show, web: Web) -> None:
    await run(f"header Authorization - --origin {web.url}/x", stdin="Bearer s3cret-of-mine")
    await visit("headers")
    assert "Authorization: [redacted]" in await run("text")
    await visit(f"headers?to={web.other}/headers")
    assert await run("url") == f"{web.other}/headers"
    assert "Authorization" not in await run("text")
    await run("newtab", f"{web.url}/headers")
    assert "Authorization" in await run("text")
    assert "s3cret" not in told_by(shell)


async def test_password_goes_to_its_site(run: Run, fails: Fails, check: Check, web: Web, shell: Shell) -> None:
    here, there = f"goto {web.url}/private", f"goto {web.other}/private"
    await check({here.replace("//", "//ann:none@"): "…", "text": "…Who are you?…"})
    said = await run("http-auth ann", stdin="wrong horse\n")
    assert said == f"Password of ann is given to {web.url} when it asks"
    await check({"reload": "…", "text": "…Who are you?…"})
    await run(f"http-auth ann --origin {web.other}", stdin="correct horse\n")
    await check([
        (there, "…"), ("text", "…Hello Ann…"), (here, "…"), ("text", "…Who are you?…"), ("headers", f"user ann  {web.url}\nuser ann  {web.other}"),
    ])  # fmt: skip
    kept = "→ what it has taken already Chromium sends on until 'restart'"
    for site, words in {web.other: "Hello Ann", web.url: "Who are you?"}.items():
        told = await run(f"http-auth ann --origin {site}", stdin="")
        assert told == f"No password is given to {site} any more\n{kept}"
        await check([(f"goto {site}/private", "…"), ("text", f"…{words}…")])
    await fails("http-auth ann", ActionFailed, stdin="")
    assert "horse" not in told_by(shell)


async def test_changes_to_requests_come_along_to_another_browser(
    run: Run, check: Check, shell: Shell, show: Show, web: Web
) -> None:
    await run("header X-Team blue")
    await run(f"http-auth ann --origin {web.url}", stdin="correct horse")
    await run("route '/x y' --body", "a b")
    await run("route /api/ --status 503 --times 3")
    await run("throttle --latency 250")
    page = await show("<script>fetch('/api/200').then((answer) => document.title = answer.status)</script>")
    timed = "performance.getEntriesByType('navigation')[0].responseEnd >= 250"
    await check([
        ("status", "…Routes: 2 ('routes' lists them); the last: /api/ → 503, 3 times at most…"), ("expect title 503", "…"),
        ("useragent Mine/1.0", "…"),
        ("expect title 503", "…"),  # as soon as the other browser's page is open, it may not have asked yet
        ("routes", "…\n…hit 2 times"), (f"goto {web.url}/private", "…"), ("text", "…Hello Ann…"), (f"goto {web.url}/headers", "…"),
        ("text", "…X-Team: blue…"), (f"goto {page}", "…"), (f"js {timed}", "true"),
    ])  # fmt: skip
    browser, state = shell.browser, await capture.capture_state(shell.browser)
    carried = state.from_dict(state.as_dict())
    kept = browser.extras.state(), browser.shaping.state(), browser.conditions.throttle.as_dict()
    assert (carried.extras, carried.shaping, carried.throttle) == kept
    assert ("blue" in repr(browser.extras.headers), "correct horse" in state.revealed) == (False, True)
