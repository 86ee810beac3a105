"""Test what pages are given instead of what there is: surroundings, user agent, slowness, and scripts of their own."""

import asyncio
import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from gstack_browse.browser.context.init_scripts import InitScripts
from gstack_browse.browser.state.emulation import Emulation
from gstack_browse.browser.transfer import capture, context_transfer
from gstack_browse.errors import ActionFailed, NavigationFailed, Refused, TimedOut, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.parts import ASK, PARTS, TIMED, page_of_parts, told_by_parts
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

MEDIA = "['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)', '(prefers-contrast: more)', 'print'].map(q => matchMedia(q).matches).join()"
PLACE = "await new Promise(done => navigator.geolocation.getCurrentPosition(p => done([p.coords.latitude, p.coords.longitude].join()), e => done(e.message)))"
WORDS = "[new Date(0).getHours(), navigator.language, (1234.5).toLocaleString()].join(' ')"


@pytest.mark.both_browsers
async def test_media_place_and_permissions_change_in_open_pages(run: Run, show: Show, web: Web) -> None:
    frame = f"<iframe allow=geolocation src={web.show_elsewhere('<p>Inner</p>')}></iframe>"
    await show(f"<input>{frame}<a target=_blank href={web.url}/plain.html>More</a>")
    await run("fill input typed")
    assert await run("emulate") == "Emulated: nothing"
    said = await run("emulate --color-scheme dark --reduced-motion reduce --contrast more --media print")
    assert said == "Emulated: color-scheme dark, reduced-motion reduce, contrast more, media print"
    assert (await run("emulate --geo 52.5,13.4 --grant camera")).endswith(", grant camera")
    assert await run("value input") == "typed"
    await run("frame iframe")
    assert (await run("js", MEDIA), await run("js", PLACE)) == ("true,true,true,true", "52.5,13.4")
    await run("frame main")
    assert "opened tab" in await run("click a")
    await run("tab", (await run("tabs")).rsplit("[", 1)[1].split("]")[0])
    assert (await run("js", MEDIA), await run("js", PLACE)) == ("true,true,true,true", "52.5,13.4")
    await run("goto", f"{web.other}/plain.html")  # in another process
    assert await run("js", MEDIA) == "true,true,true,true"
    for name in ("camera", "clipboard-write"):
        asked = f"navigator.permissions.query({{name: '{name}'}}).then(found => found.state)"
        assert await run("js", asked) == "granted"


async def test_offline_keeps_pages_from_the_network(run: Run, fails: Fails, visit: Show, web: Web) -> None:
    await visit("plain.html")
    await run("emulate --offline on")
    assert await run("js", "navigator.onLine + await fetch('/api').then(() => ' there', () => ' gone')") == "false gone"  # fmt: skip
    reply = await fails("goto", NavigationFailed, f"{web.url}/form.html")
    assert "emulate --offline off" in reply.hint
    await run("emulate --offline off")
    await run("goto", f"{web.url}/form.html")


async def test_value_unknown_to_chromium_changes_no_emulation(run: Run, fails: Fails) -> None:
    await run("emulate --media print")
    for words in (
        "emulate --timezone Mars/Phobos",
        "emulate --locale qq-99",
        "emulate --reset --offline on",
        "device iPhone 1500",
    ):
        await fails(words, UsageError)
    assert await run("emulate") == "Emulated: media print"
    await run("emulate --reset")


async def test_time_zone_and_language_hold_before_the_first_script(run: Run, shell: Shell, web: Web) -> None:
    page = web.show(f"<script>first={WORDS};dark = matchMedia('(prefers-color-scheme:dark)').matches</script>")
    await run("goto", page)
    plain = await run("js first + dark")
    assert plain.endswith("en-US 1,234.5false")
    await run("emulate --timezone Europe/Berlin --locale de-DE --color-scheme dark")
    assert await run("js first + dark") == "1 de-DE 1.234,5true"
    await run("useragent Probe/1")
    await run("newtab", page)
    assert await run("js first + dark") == "1 de-DE 1.234,5true"
    assert re.search("^Emulated: .*timezone Europe/Berlin", await run("status"), re.M)
    await run("emulate --reset")
    assert shell.browser.appearance.emulation == Emulation()
    assert await run("js first + dark") == plain
    assert "Emulated" not in await run("status")


async def test_device_is_shown_in_every_tab_and_clicked_in_place(run: Run, shell: Shell, web: Web) -> None:
    wide = '<style>button { position: absolute; left: 700px; top: 900px }</style><button onclick="textContent = event.pointerType">Buy</button>'
    page = web.show(f"{wide}<script>first = [devicePixelRatio, 'ontouchstart' in window, matchMedia('(hover: none)').matches, navigator.userAgent.includes('iPhone')].join()</script>")  # fmt: skip
    await run("goto", page)
    plain = await run("js", "first")
    has_mouse = not shell.service.settings.remote  # a browser elsewhere says what its machine has
    assert plain == "1,false,false,false" if has_mouse else plain.startswith("1,false,")
    await run("emulate --media print")
    assert await run("device iphone 15") == "Device: iPhone 15 (393x659, touch, scale 3)"
    assert await run("js", f"first + innerWidth + {MEDIA}") == "3,true,true,true980false,false,false,true"
    await run("click button")
    assert await run("text button") == "mouse"
    assert await run("viewport 500x800 --scale 1") == "Viewport set to 500x800 at scale 1"
    assert await run("js", "[devicePixelRatio, innerWidth].join()") == "1,980"
    await run("newtab", page)
    assert await run("js", "first + innerWidth") == "1,true,true,true980"
    assert await run("device") == "Device: iPhone 15 (500x800, touch)"
    await run("emulate --reset")
    assert "\nEmulated: device iPhone 15\n" in await run("status")
    assert await run("device off") == "Device: none (1280x720)"
    assert await run("js", "first + innerWidth") == f"{plain}1280"
    assert shell.browser.appearance.emulation == Emulation()


async def test_useragent_keeps_cookies_storage_tabs_and_their_numbers(
    run: Run, visit: Show, shell: Shell, web: Web
) -> None:
    await shell.browser.current.jar.set_cookies([{"name": "session", "value": "ann", "url": web.url}])
    await visit("plain.html")
    await run("js", "localStorage.a = 'local'; sessionStorage.b = 'session'; 1")
    await run("newtab", f"{web.url}/welcome")
    await run("newtab")
    await run("closetab")
    tabs, own = await run("tabs"), await run("js navigator.userAgent")
    assert await run("useragent Probe/1.0 (test)") == "User agent set: Probe/1.0 (test)"
    assert await run("tabs") == tabs
    assert await run("text") == "Hello ann"
    assert await run("js navigator.userAgent") == "Probe/1.0 (test)"
    first = int(tabs.split("[")[1].split("]")[0])
    await run(f"tab {first}")
    assert await run("js", "localStorage.a + sessionStorage.b") == "localsession"
    assert (await run("newtab")).startswith("Opened tab")
    assert str(first + 3) in (await run("tabs")).splitlines()[-1]
    await visit("plain.html")
    assert await run("js", "await new Promise(done => {const f = document.createElement('iframe'); f.srcdoc = '<p>'; "
                     "f.onload = () => done(f.contentWindow.navigator.userAgent); document.body.append(f)})") == "Probe/1.0 (test)"  # fmt: skip
    assert await run("useragent ''") == "User agent set: Chromium's own"
    assert await run("js navigator.userAgent") == own


async def test_change_whose_client_goes_away_is_finished_and_two_at_once_both_happen(
    run: Run, visit: Show, shell: Shell, web: Web
) -> None:
    await visit("plain.html")
    sent = asyncio.create_task(shell.send("useragent Probe/4.0"))
    await until(shell.browser.transfer.is_locked)
    sent.cancel()
    await asyncio.wait([sent])
    assert await run("url") == f"{web.url}/plain.html"
    assert await run("js", "document.readyState !== 'loading' && document.title") == "Plain"
    await asyncio.gather(run("useragent One/1"), run("useragent Two/2"))
    assert await run("js navigator.userAgent") == "Two/2"
    assert await run("text h1") == "A plain page"


async def test_a_page_that_hangs_does_not_stop_it(
    run: Run, visit: Show, show: Show, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "ANSWER_SECONDS", 0.3)
    await visit("plain.html")
    await run("newtab")
    await show("<title>Stuck</title>")
    await run(
        "js", "localStorage.kept = 'yes'; sessionStorage.too = 'yes'; setTimeout(() => { for (;;); }, 50); 1"
    )
    await run("newtab", f"{web.url}/form.html")
    assert await run("useragent Probe/5") == "User agent set: Probe/5"
    assert await run("text h1") == "A form"
    assert await run("js", "localStorage.kept") == "yes"
    stuck = (await run("tabs")).splitlines()[1].split("[")[1].split("]")[0]
    await run(f"tab {stuck}")
    assert await run("js", "sessionStorage.too") == "yes"


async def test_useragent_waits_for_a_running_command_until_its_timeout_and_is_a_header(
    run: Run, fails: Fails, visit: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context_transfer, "BUSY_SECONDS", 0.3)
    await visit("plain.html")
    waiting = asyncio.create_task(run("wait 5000"))
    await asyncio.sleep(0)
    reply = await fails("useragent Probe/6", TimedOut)
    waiting.cancel()
    assert "is busy with 'wait'" in reply.message
    assert await run("text h1") == "A plain page"
    assert "Probe" not in await run("js navigator.userAgent")


LATENCY_MS = 250
SPIN = "const began = performance.now(); for (let n = 0; n < 1e7; n++); performance.now() - began"
SPINS = 3
OFFLINE = "TypeError: Failed to fetch"


@pytest_asyncio.fixture(loop_scope="session", autouse=True)
async def full_speed(shell: Shell) -> AsyncIterator[None]:
    """Nothing is slowed down by what another test has said."""
    yield
    await shell.send("throttle off")
    await shell.send("unroute")


async def test_everything_is_slowed_that_is_open_or_comes(run: Run, web: Web) -> None:
    page = page_of_parts(web, TIMED)
    await run("goto", page)
    assert await run("throttle") == "Throttled: nothing"
    assert await run(f"throttle --latency {LATENCY_MS}") == f"Throttled: {LATENCY_MS}ms latency"
    told = await told_by_parts(run, "/api/200")
    assert {name for name, took in told.items() if float(took) >= LATENCY_MS} == set(PARTS)
    await run("newtab", web.show_elsewhere(f"<script>ask = {TIMED}</script>"))  # in another process
    assert float(await run("js", "ask('/api/200')")) >= LATENCY_MS
    await run("closetab")
    assert "Throttled: 250ms latency" in await run("status")
    assert await run("throttle off") == "Throttled: nothing"
    fast = [float(await run("js", "ask('/api/200')")) for _ in range(3)]
    assert min(fast) < LATENCY_MS


async def test_first_document_of_tab_or_window_is_slowed(run: Run, shell: Shell, show: Show, web: Web) -> None:
    await show("<a href=/plain.html target=_blank>Go</a><button onclick=\"window.open('/plain.html')\">Open")
    await run(f"throttle --latency {LATENCY_MS}")
    for line in (f"newtab {web.url}/plain.html", "click text=Go", "click text=Open"):
        await run(line)
        await until(lambda: len(shell.browser.tabs) == 2)
        await run("tab", str(shell.browser.tabs.next_id - 1))
        took = await run("js", "performance.getEntriesByType('navigation')[0].responseEnd")
        assert float(took) >= LATENCY_MS, line
        await run("closetab")


async def test_scripts_are_slowed(run: Run, show: Show, web: Web) -> None:
    await show("<p>x")
    # Chromium slows a thread down from another one, and that begins some milliseconds late on a busy machine: several together.
    # The quickest one at full speed is the one that nobody else on the machine has held up.
    fast = SPINS * min([float(await run("js", SPIN)) for _ in range(SPINS)])
    assert await run("throttle --cpu 10") == "Throttled: scripts 10 times slower"
    for page in ("", web.show("<p>y").replace(web.url, web.other)):
        if page:
            await run("goto", page)
        async with asyncio.timeout(60):  # on a busy machine it begins later
            while sum([float(await run("js", SPIN)) for _ in range(SPINS)]) <= 2 * fast:
                pass


async def test_routes_answer_as_slowly_and_not_at_all_offline(
    run: Run, show: Show, fails: Fails, web: Web
) -> None:
    await show("<p>x")
    await run("route /made --body", "x" * 20_000)
    assert await run("throttle --latency 100 --down 800") == "Throttled: 100ms latency, 800 kbit/s down"
    assert float(await run("js", f"({TIMED})('/made')")) >= 300
    assert await run("throttle offline") == "Throttled: offline, 100ms latency, 800 kbit/s down"
    assert [await run("js", f"({ASK})('{url}')") for url in ("/made", "/api/200")] == [OFFLINE, OFFLINE]
    assert await run("emulate") == "Emulated: offline on"
    reply = await fails("goto", NavigationFailed, f"{web.url}/plain.html")
    assert "ERR_INTERNET_DISCONNECTED" in reply.message
    assert "'throttle off'" in reply.hint
    socket = f"new Promise((done) => new WebSocket('{web.url.replace('http', 'ws')}/api/200').onerror = () => done('no'))"
    assert await run("js", socket) == "no"
    assert await run("emulate --offline off") == "Emulated: nothing"
    assert float(await run("js", f"({TIMED})('{web.url}/made')")) >= 300
    await run("emulate --offline on")
    assert await run("throttle 4g") == "Throttled: 4g (165ms latency, 8100 kbit/s down, 1350 kbit/s up)"
    assert await run("emulate") == "Emulated: nothing"


@pytest.mark.fresh_session
async def test_throttle_comes_along_to_another_browser(run: Run, shell: Shell, show: Show) -> None:
    await run(f"throttle --latency {LATENCY_MS}")
    await show("<p>x")
    await run("useragent Mine/1.0")
    assert float(await run("js", f"({TIMED})('/api/200')")) >= LATENCY_MS
    state = await capture.capture_state(shell.browser)
    assert state.from_dict(state.as_dict()).throttle == shell.browser.conditions.throttle.as_dict()


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
