import asyncio
import socket

import pytest

from gstack_browse.browser.actions import navigate
from gstack_browse.browser.cdp import tasks as patience
from gstack_browse.browser.command import page_settling
from gstack_browse.browser.engine import world
from gstack_browse.daemon.request import timeouts
from gstack_browse.errors import NavigationFailed, NoHistory, TimedOut
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.web import Web
from tests.each import each
from tests.faults import fault

pytestmark = pytest.mark.same_session


async def test_goto_says_where_it_arrived(run: Run, web: Web) -> None:
    missing = f"{web.url}/missing".replace("http:", "HTTP:")
    assert await run("goto", missing) == f"Navigated to {web.url}/missing (404)"
    """Add http:// for this machine, follow what leads on, and show the page of an error status."""
    web.pages["/blank"] = "", {}
    url, other = f"{web.url}/plain.html", f"{web.other}/plain.html"
    for typed, there in (
        (url, f"{url} (200)"), (f"{url}#part", f"{url}#part"), (f"{web.url}/redirect?to=/plain.html", f"{url} (200)"),
        ("about:blank", "about:blank"), (f"127.0.0.1:{web.port}/plain.html", f"{url} (200)"),
        (f"localhost:{web.port}/plain.html", f"{other} (200)"), (f"{web.url}/blank", f"{web.url}/blank (200)"),
        (f"{web.url}/status/500", f"{web.url}/status/500 (500)"), (f"{web.url}/status/404", f"{web.url}/status/404 (404)"),
    ):  # fmt: skip
        assert await run("goto", typed) == f"Navigated to {there}"
        assert await run("url") == there.split()[0]
    assert await run("text") == "Status 404"
    goes_on = web.show("<script>location = '/plain.html'</script>")
    assert (await run("goto", goes_on)).startswith(f"Navigated to {url}")
    assert await run("text h1") == "A plain page"


@each(
    [
        "window.stop()", "location.replace('/download')", "addEventListener('DOMContentLoaded', () => location = '/empty')",
    ],
)  # fmt: skip
async def test_page_that_stops_its_own_loading_is_there(stopped_by: str, run: Run, web: Web) -> None:
    """Wait neither for DOMContentLoaded nor for load, of which Chromium does not tell then."""
    url = web.show(f"<p>Begun</p><a href=/empty>Go</a><script>{stopped_by}</script><p>Rest</p>")
    assert (await run(f"goto {url} --timeout 5000")).startswith(f"Navigated to {url} (200)")
    assert (await run("reload --timeout 5000")).startswith(f"Reloaded {url}")
    assert "Begun" in await run("text")


@pytest.mark.same_disk
async def test_file_in_the_workspace_can_be_opened(run: Run, shell: Shell) -> None:
    """Name it by its address, and from the caller's directory."""
    page = shell.workspace / "my page.html"
    page.write_text("<title>Mine</title><p>From a file")
    for word in (page.as_uri(), "./my page.html"):
        assert await run("goto", word) == f"Navigated to {page.as_uri()}"
        assert await run("text") == "From a file"
    assert (await run("newtab", "file:my page.html#part")).endswith(f"→ {page.as_uri()}#part")


async def test_goto_that_gets_no_page_says_why(fails: Fails, shell: Shell, web: Web) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        refused = f"http://127.0.0.1:{unused.getsockname()[1]}/"
        for url, reason, hint in (
            (f"{shell.workspace.as_uri()}/nope.html", "ERR_FILE_NOT_FOUND", "There is no such file"),
            (refused, "ERR_CONNECTION_REFUSED", "Is the server running"), ("http://no-such-host.invalid/", "ERR_", ""),
            (f"{web.url}/drop", "ERR_EMPTY_RESPONSE", ""), (f"{web.url}/circle", "ERR_TOO_MANY_REDIRECTS", ""),
            (f"https://127.0.0.1:{web.port}/", "ERR_SSL_PROTOCOL_ERROR", ""),
        ):  # fmt: skip
            reply = await fails("goto", NavigationFailed, url)
            assert f"Cannot open {url}: {reason}" in reply.message
            assert hint in reply.hint


async def test_error_page_of_the_browser_is_called_so(
    run: Run, fails: Fails, show: Show, web: Web, shell: Shell
) -> None:
    dead = f"{web.url}/drop"
    await show(f"<a href='{dead}'>Go</a>")
    said = await run("click a")
    assert said == f"Clicked a\n→ now at the browser's error page\n→ failed: GET {dead} → ERR_EMPTY_RESPONSE"
    for command in ("url", "text", "snapshot -i"):
        assert (await shell.send(command)).notes == [f"{dead} was not opened: this is the browser's error page"]
    assert (await fails("reload", NavigationFailed)).message == f"Cannot open {dead}: ERR_EMPTY_RESPONSE"
    await run("back")
    assert (await shell.send("text")).notes == []


@pytest.mark.both_browsers
async def test_a_page_that_asks_who_is_there_is_shown(check: Check, web: Web) -> None:
    private = f"{web.url}/private"
    known, wrong, told = (
        private.replace("//", f"//ann:{it}@") for it in ("correct%20horse", "no", "[redacted]")
    )
    asks = f'→ asks for a user and a password ("here"): http-auth <user> --origin {web.url}'
    await check([
        (f"goto {private}", f"Navigated to {private} (401)\n{asks}"), ("text", "Who are you?"),
        (f"goto {wrong}", f"Navigated to {told} (401)\n{asks}"),
        (f"goto {known}", f"Navigated to {told} (200)"), ("text", "Hello Ann"),
        ("route **.test/ --status 401 --header 'WWW-Authenticate: Basic' --body Who?", "…"),
        ("goto 'http://a$(id).test/'", f"Navigated to http://a$(id).test/ (401)\n{asks.partition(' (')[0]}: http-auth <user> --origin 'http://a$(id).test'"),
    ])  # fmt: skip


@pytest.mark.both_browsers
@pytest.mark.parametrize(
    ("by", "reason"), [("length", "CONTENT_LENGTH_MISMATCH"), ("coding", "CONTENT_DECODING_FAILED")]
)
async def test_a_document_that_breaks_off_is_told_at_once(
    run: Run, shell: Shell, show: Show, web: Web, by: str, reason: str
) -> None:
    """Chromium calls it loading for ever, though nothing more comes."""
    broken = f"{web.url}/broken/{by}"
    told = f"→ broken off: {broken} (ERR_{reason}); the page shows what was read of it"
    reply = await shell.send("goto", broken, timeout=60_000)  # a wait for the rest would outlast the test
    assert (reply.code, reply.text) == (0, f"Navigated to {broken} (200)\n{told}"), reply.message
    assert await run("text") == ("A start" if by == "length" else "")
    if by == "length":
        assert await run("reload") == f"Reloaded {broken}\n{told}"
        await show(f"<a href='{broken}'>Go</a>")
        assert await run("click a") == f"Clicked a\n→ now at {broken}\n{told}"


async def test_frame_that_may_not_be_framed_has_failed_and_is_not_broken_off(run: Run, web: Web) -> None:
    denied = web.show("<p>Pay", X_Frame_Options="DENY")
    page = web.show(f"<a href={denied} target=pay>Pay</a><iframe name=pay src={denied}></iframe>")
    told = await run(f"goto {page}")
    assert "Refused to display" in told
    assert "broken off" not in told
    assert f"→ failed: GET {denied} → ERR_BLOCKED_BY_RESPONSE" in await run("click a")


@pytest.mark.fresh_session
@pytest.mark.both_browsers
@fault(
    "Hangs",
    "pictures, frames and fetches of a page ask for user and password",
    "each is answered 401; the page has loaded",
)
async def test_parts_of_a_page_that_ask_for_a_password_keep_nothing_waiting(show: Show, check: Check) -> None:
    """A full Chromium asks a person in a window, and keeps the request until that has an answer."""
    await show("<img src=/private><iframe src=/private></iframe><script src=/private></script>")
    await check({
        "wait --load": "Page loaded", "js fetch('/private').then((answer) => answer.status)": "401", "frame iframe": "…",
        "text": "Who are you?",
    })  # fmt: skip


async def test_goto_gives_up_at_its_deadline(fails: Fails, run: Run, web: Web) -> None:
    """Set it by the option and by the client."""
    for words, deadline in ((["--timeout", "300"], None), ([], 300)):
        reply = await fails("goto", TimedOut, f"{web.url}/hang", *words, timeout=deadline)
        assert reply.message == "Navigation timed out after 0.3s. The page may be slow or the URL may be wrong."
    assert await run("goto", f"{web.url}/plain.html") == f"Navigated to {web.url}/plain.html (200)"


async def test_goto_says_what_failed_and_loads(run: Run, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = "<script>alert('Welcome'); fetch('/status/500')</script><img src=/status/404>"
    failed = f"→ failed: GET {web.url}/status/500 → 500"
    assert (await run("goto", web.show(failing))).splitlines()[1:] == ['→ alert "Welcome": accepted', failed]
    monkeypatch.setattr(page_settling, "LOAD_SECONDS", 0.3)
    said = await run("goto", web.show("<h1>Here</h1><img src=/hang>"))
    assert said.splitlines()[1:] == ["→ still loading: 1 request"]
    assert await run("text") == "Here"


@pytest.mark.fresh_session
async def test_back_and_forward_say_where_they_arrived(check: Check, web: Web) -> None:
    """Take a step within one document for a step. Fail at either end."""
    broken, plain = f"{web.url}/status/500", f"{web.url}/plain.html"
    await check([
        (f"goto {broken}", "…"), ("back", (NoHistory, "There is no page to go back to")),
        ("forward", (NoHistory, "There is no page to go forward to")), (f"goto {plain}", "…"),
        ("js history.pushState({}, '', '?pushed'); 1", "1"), ("goto about:blank", "…"), (f"goto {web.url}/form.html", "…"),
        ("back", "Back → about:blank"), ("back", f"Back → {plain}?pushed"), ("text h1", "A plain page"), ("back", f"Back → {plain}"),
        ("back", f"Back → {broken}…"), ("forward", f"Forward → {plain}"),
    ])  # fmt: skip


@each(["history.go(1)", "history.pushState({}, '', '#form')"])
async def test_back_that_the_page_undoes_fails(undo: str, check: Check, show: Show) -> None:
    """A router does so to ask whether what is not saved may be lost."""
    url = await show(
        f"<script>history.pushState({{}}, '', '#form'); onpopstate = () => {{ onpopstate = null; {undo} }}</script>"
    )
    undone = (
        f"The page undid the step, and shows {url}#form again\nIt may ask something first: 'snapshot -i'. …"
    )
    await check([("back", (NavigationFailed, undone)), ("url", f"{url}#form"), ("back", f"Back → {url}")])


async def test_reload_loads_again_and_reports_an_error_status(check: Check, web: Web) -> None:
    plain, broken = f"{web.url}/plain.html", f"{web.url}/status/500"
    await check({
        f"goto {plain}": "…", "js document.body.textContent = 'changed'; 1": "1", "reload": f"Reloaded {plain}", "text h1": "A plain page",
        f"goto {broken}": "…",
    })  # fmt: skip
    await check({"reload": f"Reloaded {broken}\n→ failed: GET {broken} → 500"})


async def test_form_that_reload_sends_again_is_told(check: Check, show: Show, web: Web) -> None:
    """Chromium alone asks a person first, and shows nothing for a step back to what no cache keeps."""
    await show("<form method=post action=/uncached><button>Buy</button></form>")
    answer = f"{web.url}/uncached"
    again = f"Reloaded {answer}\n→ sent: POST {answer} → 200"
    missed = (
        f"Cannot open {answer}: ERR_CACHE_MISS\nThe page was the answer to a form: 'reload' sends that again"
    )
    await check([
        ("click button", f"Clicked button\n→ now at {answer}"), ("reload", again),
        (f"goto {web.url}/plain.html", "…"), ("back", (NavigationFailed, missed)), ("reload", again),
    ])  # fmt: skip


async def test_reload_past_the_cache_fetches_what_frames_keep_too(run: Run, show: Show, web: Web) -> None:
    markup, scripts = "<script src=%s></script>", ("/kept.js", "/kept-in-frame.js")

    def serve(word: str) -> None:
        for path in scripts:
            web.pages[path] = f"document.write('{word}')", {"Cache-Control": "max-age=3600"}

    serve("old")
    web.pages["/kept-frame.html"] = markup % scripts[1], {}
    url = await show(f"{markup % scripts[0]}<iframe src={web.other}/kept-frame.html></iframe>")
    serve("new")
    await run("reload")
    assert "new" not in await run("text")
    assert (await run("reload --no-cache")).splitlines()[0] == f"Reloaded {url}"
    assert await run("text") == "new"
    await run("frame iframe")
    assert await run("text") == "new"


async def test_files_that_the_cache_gives_by_a_guess_are_named(run: Run, check: Check, web: Web) -> None:
    """The server says when a file was changed, and not for how long it holds."""
    url, changed = f"{web.url}/edited.html", {"Last-Modified": "Sat, 01 Aug 2026 10:00:00 GMT"}
    markup = "<h1>{}</h1><script src=/edited.js></script><script src=/edited.js></script><link rel=stylesheet href=/kept.css>"

    def serve(word: str) -> None:
        web.pages["/edited.html"] = markup.format(word), changed
        web.pages["/edited.js"] = f"document.body.append(' {word}')", changed
        web.pages["/kept.css"] = "h1 { color: red }", {**changed, "Cache-Control": "max-age=3600"}

    def guessed(names: str) -> str:
        return (
            f"→ from the cache, perhaps older than on the server: {names}; 'reload --no-cache' fetches all anew"
        )

    serve("old")
    await check({f"goto {url}": f"Navigated to {url} (200)"})
    serve("new")
    await check([
        (f"goto {url}", f"Navigated to {url} (200)\n{guessed('edited.html, edited.js')}"),
        (f"newtab {url}", f"Opened tab … → {url} (200)\n{guessed('edited.html, edited.js')}"),
        ("reload", f"Reloaded {url}\n{guessed('edited.js')}"), ("text", "new\n\nold old"),
        ("reload --no-cache", f"Reloaded {url}"), ("text", "new\n\nnew new"),
    ])  # fmt: skip


KEEPING_WORKER = """
const kept = caches.open('v1').then((cache) => cache.addAll(['/kept/', '/kept/app.js']).then(() => cache));
oninstall = (event) => event.waitUntil(kept.then(() => skipWaiting()));
onfetch = (event) => event.respondWith(kept.then((cache) => cache.match(event.request)).then((found) => found ?? fetch(event.request)));
"""


async def test_files_that_a_service_worker_keeps_are_named(run: Run, check: Check, web: Web) -> None:
    url, uncached = f"{web.url}/kept/", {"Cache-Control": "no-store"}
    named = f"→ from the cache, perhaps older than on the server: {url}, app.js; 'reload --no-cache' fetches all anew"
    web.pages["/kept/"] = "<h1>shop</h1><script src=app.js></script><script src=live.js></script>", uncached
    web.pages["/kept/app.js"] = web.pages["/kept/live.js"] = "", uncached
    web.pages["/kept/worker.js"] = KEEPING_WORKER, {}
    active = "new Promise((done) => worker.onstatechange = () => worker.state === 'activated' && done())"
    await check({f"goto {url}": f"Navigated to {url} (200)"})
    await run(
        "js",
        f"const worker = (await navigator.serviceWorker.register('worker.js')).installing; await {active}; 0",
    )
    await check({
        "reload": f"Reloaded {url}\n{named}", f"goto {url}": f"Navigated to {url} (200)\n{named}",
        "reload --no-cache": f"Reloaded {url}",
    })  # fmt: skip


NO_PAGE = {
    "/empty": "{url} has no page to show (204)", "/download": "{url} is a download, not a page: downloaded report",
    "/drop": "ERR_EMPTY_RESPONSE", "/hang": "Navigation timed out after 0.5s",
}  # fmt: skip
"""Paths that lead to no page, and why."""
STEPS = {
    "goto": ("/empty", "/download"), "reload": ("/empty", "/drop", "/hang"), "reload --no-cache": ("/drop",), "back": NO_PAGE,
}  # fmt: skip


@pytest.mark.parametrize("step", [*list(STEPS)[:3], pytest.param("back", marks=pytest.mark.both_browsers)])
async def test_step_to_no_page_says_why(run: Run, visit: Show, fails: Fails, web: Web, step: str) -> None:
    """Stay where it was, where the page was only to be left."""
    for path in STEPS[step]:
        url, here = web.url + path, f"{web.url}/plain.html"
        await visit("plain.html")
        if step != "goto":
            await run("js", f"history.replaceState(null, '', '{path}'); 1")
        if step == "back":
            await visit("form.html")
        kind, timeout = (TimedOut, 500) if path == "/hang" else (NavigationFailed, 20_000)
        reply = await fails(f"{step} {url if step == 'goto' else ''} --timeout {timeout}", kind)
        assert NO_PAGE[path].format(url=url) in reply.message
        assert step != "goto" or await run("url") == here


async def test_reload_and_goto_leave_a_page_that_hangs(
    run: Run, show: Show, fails: Fails, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hang before, only when the page is left, or in a navigation without an answer."""
    monkeypatch.setattr(navigate, "HANGS_ANSWERS", 30)  # no page here would answer later
    url = await show("<h1>Here</h1>")
    await fails("js 'for (;;);'", TimedOut, timeout=200)
    assert await run("reload") == f"Reloaded {url}"
    for markup, script in (
        ("<h1>Here</h1>", "setTimeout(() => { for (;;); }, 50); 1"),
        ("<script>addEventListener('beforeunload', () => { for (;;); })</script>", "1"),
        ("<a href=/hang>Slow</a>", "document.querySelector('a').click()"),
    ):
        await show(markup)
        await run("js", script)
        assert await run("goto", f"{web.url}/plain.html") == f"Navigated to {web.url}/plain.html (200)"
        assert await run("text h1") == "A plain page"


async def test_a_document_that_works_for_long_before_it_is_ready_is_left_alone(run: Run, web: Web) -> None:
    """Work for twice as long as a page may hang that is to be left."""
    busy = "const busy = new XMLHttpRequest(); busy.open('GET', '/late/0.7', false); busy.send(); done = 1"
    await run("goto", web.show(f"<script>{busy}</script><h1>Busy</h1>"))
    assert await run("js done") == "1"


async def test_a_slow_machine_is_not_taken_for_a_page_that_is_stuck(
    run: Run, fails: Fails, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that answers no sooner than the browser does has no script that keeps it busy."""
    monkeypatch.setattr(page_settling, "TURN_SECONDS", 0)
    monkeypatch.setattr(timeouts, "_STUCK_SECONDS", 0)
    for module in (world, patience):
        monkeypatch.setattr(module, "ANSWERS", 1_000_000)
    await show("<a href=#there>Go</a>")
    for line in ("click a", "reload"):
        assert "does not answer" not in await run(line)
    reply = await fails("js", TimedOut, "new Promise(() => {})", timeout=300)
    assert reply.message == "js did not finish in 0.3s"


async def test_unheard_of_document_is_not_called_a_page(shell: Shell, run: Run, fails: Fails, web: Web) -> None:
    await run("goto", f"{web.url}/plain.html")
    session, url = shell.browser.tab().world.frames.target.session, f"{web.url}/no-such-page"
    await session.send("Network.disable")
    assert "told of no request for it" in (await fails("goto", NavigationFailed, url)).message
    await session.send("Network.enable")
    assert await run("goto", url) == f"Navigated to {url} (404)"


async def test_navigation_of_a_client_that_left_does_not_arrive_later(run: Run, shell: Shell, web: Web) -> None:
    """A client that leaves, by Ctrl-C for example, ends what it asked for."""
    here = f"{web.url}/plain.html"
    await run("goto", here)
    gate = web.gate("slow")
    sent = asyncio.create_task(shell.send("goto", f"{web.url}/gate/slow"))
    tab = shell.browser.tab(1)
    assert await tab.wait_until(lambda: tab.requests.awaits_server, 60)
    sent.cancel()
    assert await asyncio.wait({sent}, timeout=5)
    assert await tab.wait_until(lambda: not tab.requests.is_navigating, 60)
    gate.set()
    assert await run("url") == here
    assert (await run("tabs")).count("[") == 1


STEPS_IN_FRAMES = {
    "another site": "location.href = '/plain.html?2'",
    "same site": "location.hash = 'part'",
    "another site, by pushState": "history.pushState({}, '', '/pushed')",
}
"""How a frame, of the same or another site, goes on."""


@each(STEPS_IN_FRAMES)
async def test_back_and_forward_of_a_frame(way: str, run: Run, show: Show, check: Check, web: Web) -> None:
    """A step in the history may be one of a frame: the page around it stays, also where the frame is gone."""
    origin = web.url if way == "same site" else web.other
    url = await show(f"<title>Around</title><iframe src='{origin}/plain.html'></iframe><p>here")
    await check({"js window.mark = 1": "1", "frame iframe": "…"})
    begun = await run("js", "location.href")
    arrived = f"location.href !== '{begun}' && document.readyState === 'complete'"
    await check({f"js {STEPS_IN_FRAMES[way]}; 1": "1", f'wait --js "{arrived}"': "…"})
    ended = await run("js", "location.href")
    for step, place in (("back", begun), ("forward", ended)):
        led_elsewhere = f"\n→ frame @e1 now at {place}" if way == "another site" else ""
        await check({
            "frame main": "…", step: f"{step.title()} → {url}{led_elsewhere}", "frame iframe": "…",
            f"wait --js \"location.href === '{place}'\"": "…",
        })  # fmt: skip
    await check({
        "frame main": "…", "js document.querySelector('iframe').remove()": "…", "back": f"Back → {url}", "js window.mark": "1",
    })  # fmt: skip
