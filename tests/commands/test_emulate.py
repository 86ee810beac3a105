"""Test `emulate`, `device` and `useragent`: what pages are told of their surroundings."""

import asyncio
import re

import pytest

from gstack_browse.browser.state.emulation import Emulation
from gstack_browse.browser.transfer import capture, context_transfer
from gstack_browse.errors import TimedOut, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show, until
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
    run: Run, visit: Show, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "ANSWER_SECONDS", 0.3)
    await visit("plain.html")
    await run("newtab", web.show("<title>Stuck</title>"))
    await run(
        "js", "localStorage.kept = 'yes'; sessionStorage.too = 'yes'; setTimeout(() => { for (;;); }, 50); 1"
    )
    await run("tab 1")
    assert await run("useragent Probe/5") == "User agent set: Probe/5"
    assert await run("text h1") == "A plain page"
    assert await run("js", "localStorage.kept") == "yes"
    await run("tab 2")
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
