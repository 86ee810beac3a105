"""Test the emulated surroundings of pages: in every tab, popup and frame, now and later."""

import re

import pytest

from gstack_browse.browser.state.emulation import Emulation
from gstack_browse.errors import NavigationFailed, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
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
