import asyncio

import pytest

from gstack_browse.browser.tabs import session_transfer
from gstack_browse.errors import TimedOut, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.web import Web

pytestmark = pytest.mark.same_session


async def test_useragent_keeps_cookies_storage_tabs_and_their_numbers(
    run: Run, visit: Show, shell: Shell, web: Web
) -> None:
    await shell.browser.context.add_cookies([{"name": "session", "value": "ann", "url": web.url}])
    await visit("plain.html")
    await run("js", "localStorage.a = 'local'; sessionStorage.b = 'session'; 1")
    await run("newtab", f"{web.url}/welcome")
    await run("newtab")
    await run("closetab")
    tabs = await run("tabs")
    assert await run("useragent Probe/1.0 (test)") == "User agent set: Probe/1.0 (test)"
    assert await run("tabs") == tabs
    assert await run("text") == "Hello ann"
    assert await run("js navigator.userAgent") == "Probe/1.0 (test)"
    first = int(tabs.split("[")[1].split("]")[0])
    await run(f"tab {first}")
    assert await run("js", "localStorage.a + sessionStorage.b") == "localsession"
    assert (await run("newtab")).startswith("Opened tab")
    assert str(first + 3) in (await run("tabs")).splitlines()[-1]


async def test_sites_get_the_user_agent_and_an_empty_one_goes_back(run: Run, show: Show) -> None:
    await show("<p>Who</p>")
    own = await run("js navigator.userAgent")
    await run("useragent Probe/2.0")
    assert await run("js", "await new Promise(done => {const f = document.createElement('iframe'); f.srcdoc = '<p>'; "
                     "f.onload = () => done(f.contentWindow.navigator.userAgent); document.body.append(f)})") == "Probe/2.0"  # fmt: skip
    assert await run("useragent ''") == "User agent set: Chromium's own"
    assert await run("js navigator.userAgent") == own


async def test_indexed_databases_come_along(run: Run, visit: Show) -> None:
    await visit("plain.html")
    await run(
        "js",
        """await new Promise(done => {
      const open = indexedDB.open('notes', 1);
      open.onupgradeneeded = () => open.result.createObjectStore('n');
      open.onsuccess = () => {
        const put = open.result.transaction('n', 'readwrite');
        put.objectStore('n').put('kept', 'key');
        put.oncomplete = done;
      };
    }); 1""",
    )
    await run("useragent Probe/3.0")
    assert await run("js", """await new Promise(done => {
      const open = indexedDB.open('notes', 1);
      open.onsuccess = () => {
        const get = open.result.transaction('n').objectStore('n').get('key');
        get.onsuccess = () => done(get.result);
      };
    })""") == "kept"  # fmt: skip


@pytest.mark.parametrize("word", ["a\nb", "ünï", "x" * 1001])
async def test_user_agent_that_is_no_header_is_refused(fails: Fails, word: str) -> None:
    await fails("useragent", UsageError, word)


async def test_a_client_that_goes_away_does_not_leave_it_half_done(
    run: Run, visit: Show, shell: Shell, web: Web
) -> None:
    await visit("plain.html")
    sent = asyncio.create_task(shell.send("useragent Probe/4.0"))
    await until(shell.browser.transfer.locked)
    sent.cancel()
    await asyncio.wait([sent])
    assert await run("url") == f"{web.url}/plain.html"
    assert await run("js", "document.readyState !== 'loading' && document.title") == "Plain"


async def test_two_at_once_both_happen(run: Run, visit: Show) -> None:
    await visit("plain.html")
    await asyncio.gather(run("useragent One/1"), run("useragent Two/2"), run("useragent Three/3"))
    assert await run("js navigator.userAgent") == "Three/3"
    assert await run("text h1") == "A plain page"


async def test_a_page_that_hangs_does_not_stop_it(
    run: Run, fails: Fails, visit: Show, show: Show, web: Web
) -> None:
    await visit("plain.html")
    await run("newtab")
    await show("<title>Stuck</title>")
    await run(
        "js", "localStorage.kept = 'yes'; sessionStorage.too = 'yes'; setTimeout(() => { for (;;); }, 100); 1"
    )
    await run("newtab", f"{web.url}/form.html")
    assert await run("useragent Probe/5") == "User agent set: Probe/5"
    assert await run("text h1") == "A form"
    assert await run("js", "localStorage.kept") == "yes"
    stuck = (await run("tabs")).splitlines()[1].split("[")[1].split("]")[0]
    await run(f"tab {stuck}")
    assert await run("js", "sessionStorage.too") == "yes"


async def test_useragent_waits_for_a_running_command_until_its_timeout(
    run: Run, fails: Fails, visit: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_transfer, "BUSY_SECONDS", 0.3)
    await visit("plain.html")
    waiting = asyncio.create_task(run("wait 5000"))
    await asyncio.sleep(0)
    reply = await fails("useragent Probe/6", TimedOut)
    waiting.cancel()
    assert "is busy with 'wait'" in reply.message
    assert await run("text h1") == "A plain page"
    assert "Probe" not in await run("js navigator.userAgent")
