"""Ask for each thing that a browser keeps whether one context finds what another one has left: the table in docs/contexts.md."""

import pytest

from tests.commands.conftest import As, Run, Shell
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

PAGE = "<title>Page</title><p>Page<button>Go</button>"
KEPT = """(async () => [
    (await navigator.serviceWorker.getRegistrations()).length, (await caches.keys()).join(), (await indexedDB.databases()).map(one => one.name).join(),
    (await (await navigator.storage.getDirectory()).entries().next()).done, document.cookie, localStorage.length, sessionStorage.length].join(' '))()"""
KEEP = """(async () => {
    await navigator.serviceWorker.register('WORKER'); await navigator.serviceWorker.ready; await caches.open('kept')
    await new Promise(done => indexedDB.open('kept').onsuccess = done)
    await (await navigator.storage.getDirectory()).getFileHandle('kept', {create: true})
    document.cookie = 'kept=1'; localStorage.kept = sessionStorage.kept = 1; return 'kept' })()"""
PERMISSIONS = "Promise.all(['geolocation', 'notifications', 'clipboard-read'].map(name => navigator.permissions.query({name}))).then(all => all.filter(one => one.state === 'granted').length)"


async def test_storage_and_service_workers_are_of_one_context(by: As, web: Web) -> None:
    script = web.script(
        "worker.js", "oninstall = () => skipWaiting(); onactivate = event => event.waitUntil(clients.claim())"
    )
    page = script.replace("worker.js", "page.html")
    web.pages[page.removeprefix(web.url)] = PAGE, {}
    await by("ann", "goto", page)
    assert await by("ann", "js", KEEP.replace("WORKER", script)) == "kept"
    assert await by("ann", "js", KEPT) == "1 kept kept false kept=1 1 1"
    for name in ("bob", ""):
        await by(name, "goto", page)
        assert await by(name, "js", KEPT) == "0   true  0 0", name


async def test_permissions_are_of_one_context(by: As, web: Web) -> None:
    for name in ("ann", "bob", ""):
        await by(name, "goto", web.show(PAGE))
    await by("ann", "emulate --grant geolocation,notifications,clipboard-read")
    assert [await by(name, "js", PERMISSIONS) for name in ("ann", "bob", "")] == ["3", "0", "0"]


async def test_password_of_a_server_is_of_one_context(by: As, web: Web) -> None:
    await by("ann", f"http-auth ann --origin {web.url}", stdin="pw")
    assert await by("ann", "goto", f"{web.url}/private") == f"Navigated to {web.url}/private (200)"
    asks = "fetch('/headers').then(answer => answer.text()).then(text => text.includes('Authorization'))"
    for name, is_sent in (("ann", "true"), ("bob", "false"), ("", "false")):
        await by(name, "goto", web.show(PAGE))
        assert await by(name, "js", asks) == is_sent, name


async def test_connections_and_cached_answers_are_of_one_context(by: As, web: Web) -> None:
    asks = "fetch('/connection').then(answer => answer.text())"
    asks_anew = "fetch('/connection', {cache: 'no-store'}).then(answer => answer.text())"
    said: dict[str, tuple[str, str]] = {}
    for name in ("ann", "bob", ""):
        await by(name, "goto", web.show(PAGE))
        said[name] = await by(name, "js", asks), await by(name, "js", asks_anew)
        assert await by(name, "js", asks) == said[name][0], "kept by the context"
    ports = [port for both in said.values() for port in set(both)]
    assert len(ports) == len(set(ports)), f"a connection or a kept answer is in two contexts: {said}"


async def test_pages_of_two_contexts_cannot_speak_with_each_other(by: As, web: Web) -> None:
    worker = web.script(
        "shared.js",
        "let heard = []; onconnect = event => event.ports[0].onmessage = ({data}) => { heard.push(data); event.ports[0].postMessage(heard.join()) }",
    )
    page = web.show(f"""{PAGE}<script>heard = []; channel = new BroadcastChannel('all'); channel.onmessage = event => heard.push(event.data)
        onstorage = event => heard.push(event.key); shared = new SharedWorker('{worker}')
        say = word => new Promise(done => {{ shared.port.onmessage = event => done(event.data); shared.port.postMessage(word) }})</script>""")
    for name in ("ann", "bob"):
        await by(name, "goto", page)
        await by(name, "newtab", page)
    for name in ("ann", "bob"):
        assert (
            await by(name, "js", f"channel.postMessage('{name}'); localStorage['{name}'] = 1; say('{name}')")
            == name
        )
    for name in ("ann", "bob"):
        first = (await by(name, "tabs")).splitlines()[0].split("]")[0].strip("[ →*").split()[0]
        await by(name, f"tab {first}")
        await by(name, "wait --js 'heard.length > 1'")
        assert await by(name, "js", "heard.sort().join()") == f"{name},{name}"


async def test_clipboard_is_shared_and_read_by_no_page_unasked(by: As, web: Web) -> None:
    for name in ("ann", "bob"):
        await by(name, "goto", web.show("<input value='of ann'><textarea></textarea>"))
    await by("bob", "click input")
    listen = "navigator.clipboard.addEventListener('clipboardchange', event => heard = event.types.join())"
    await by("bob", "js", f"heard = ''; {listen}; 0")
    await by("ann", "select-text input")
    assert await by("ann", "copy") == 'Copied "of ann" (6 characters)'
    await by("bob", "wait --js 'heard === \"text/plain\"'")
    read = "navigator.clipboard.readText().catch(error => error.name)"
    assert await by("bob", "js", read) == "NotAllowedError"
    await by("bob", "click textarea")
    await by("bob", "paste")
    assert await by("bob", "value textarea") == "of ann"


async def test_text_given_to_paste_is_not_left_in_the_clipboard(by: As, web: Web, shell: Shell) -> None:
    (shell.workspace / "letter.html").write_text("<b>Dear</b> Bob")
    for name in ("ann", "bob"):
        await by(name, "goto", web.show("<textarea></textarea><div contenteditable id=rich></div>"))
        await by(name, "click textarea")
    await by("bob", "emulate --grant clipboard-read")
    for given in ("paste token", "paste --html letter.html"):
        await by("ann", given)
        assert await by("bob", "js", "navigator.clipboard.readText()") == "", given
        await by("bob", "press Control+v")
        assert await by("bob", "value textarea") == "", given
    assert await by("ann", "value textarea") == "tokenDear Bob"


@pytest.mark.own_browser
async def test_selected_text_is_pasted_by_no_middle_click(by: As, web: Web) -> None:
    """Chromium has a second clipboard on Linux: what is selected is pasted by the middle button."""
    page = web.show("""<input value='of ann'><textarea></textarea><script>heard = []
        addEventListener('paste', event => heard.push(event.clipboardData.getData('text/plain')), true)</script>""")
    for name in ("ann", "bob"):
        await by(name, "goto", page)
    await by("ann", "click --double input")
    await by("ann", "select-text input")
    for name in ("bob", "ann"):
        await by(name, "click --button middle textarea")
        assert await by(name, "js", "heard.join() + document.querySelector('textarea').value") == "", name
        assert await by(name, "js", "matchMedia('(hover: hover) and (pointer: fine)').matches") == "true"


async def test_pages_of_chromium_itself_are_not_opened(run: Run, by: As) -> None:
    """What they know (downloads, settings, service workers) is of all contexts."""
    for address in ("chrome://serviceworker-internals", "chrome://downloads", "chrome://settings"):
        with pytest.raises(AssertionError, match="http"):
            await by("ann", "goto", address)
