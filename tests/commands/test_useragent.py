import asyncio

import pytest

from gstack_browse.browser.transfer import capture, context_transfer
from gstack_browse.errors import TimedOut
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.web import Web

pytestmark = pytest.mark.same_session


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
