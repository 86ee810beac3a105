"""Test whether one context finds in the browser what another has left.

The table is in docs/contexts.md.
"""

import re
from collections.abc import Awaitable, Callable

import pytest

from tests.commands.conftest import As, Shell
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

Case = Callable[[As, Web, Shell], Awaitable[None]]

PAGE = "<title>Page</title><p>Page<button>Go</button>"
KEPT = """(async () => [
    (await navigator.serviceWorker.getRegistrations()).length, (await caches.keys()).join(), (await indexedDB.databases()).map(one => one.name).join(),
    (await (await navigator.storage.getDirectory()).entries().next()).done, document.cookie, localStorage.length, sessionStorage.length].join(' '))()"""
KEEP = """(async () => {
    await navigator.serviceWorker.register('WORKER'); await navigator.serviceWorker.ready; await caches.open('kept')
    await new Promise(done => indexedDB.open('kept').onsuccess = done)
    await (await navigator.storage.getDirectory()).getFileHandle('kept', {create: true})
    document.cookie = 'kept=1'; localStorage.kept = sessionStorage.kept = 1; return 'kept' })()"""
PERMISSIONS = "Promise.all(['geolocation', 'notifications', 'camera'].map(name => navigator.permissions.query({name}))).then(all => all.filter(one => one.state === 'granted').length)"


async def storage_and_service_workers(by: As, web: Web, shell: Shell) -> None:
    code = "oninstall = () => skipWaiting(); onactivate = event => event.waitUntil(clients.claim())"
    script = web.script("worker.js", code)
    page = script.replace("worker.js", "page.html")
    web.pages[page.removeprefix(web.url)] = PAGE, {}
    for name, kept in (
        ("ann", "1 kept kept false kept=1 1 1"), ("bob", "0   true  0 0"), ("", "0   true  0 0"),
    ):  # fmt: skip
        await by(name, "goto", page)
        if name == "ann":
            assert await by(name, "js", KEEP.replace("WORKER", script)) == "kept"
        assert await by(name, "js", KEPT) == kept, name


async def permissions(by: As, web: Web, shell: Shell) -> None:
    for name in ("ann", "bob", ""):
        await by(name, "goto", web.show(PAGE))
    await by("ann", "emulate --grant geolocation,notifications,camera")
    assert [await by(name, "js", PERMISSIONS) for name in ("ann", "bob", "")] == ["3", "0", "0"]


async def password_of_a_server(by: As, web: Web, shell: Shell) -> None:
    await by("ann", f"http-auth ann --origin {web.url}", stdin="correct horse")
    assert await by("ann", "goto", f"{web.url}/private") == f"Navigated to {web.url}/private (200)"
    asks = "fetch('/headers').then(answer => answer.text()).then(text => text.includes('Authorization'))"
    for name, is_sent in (("ann", "true"), ("bob", "false"), ("", "false")):
        await by(name, "goto", web.show(PAGE))
        assert await by(name, "js", asks) == is_sent, name


async def connections_and_cached_answers(by: As, web: Web, shell: Shell) -> None:
    asks = "fetch('/connection').then(answer => answer.text())"
    asks_anew = "fetch('/connection', {cache: 'no-store'}).then(answer => answer.text())"
    said: dict[str, tuple[str, str]] = {}
    for name in ("ann", "bob", ""):
        await by(name, "goto", web.show(PAGE))
        kept = ""
        while (told := await by(name, "js", asks)) != kept:  # Chromium may still be writing its cache
            kept = told
        said[name] = kept, await by(name, "js", asks_anew)
    ports = [port for both in said.values() for port in set(both)]
    assert len(ports) == len(set(ports)), f"a connection or a kept answer is in two contexts: {said}"


async def channels_between_pages(by: As, web: Web, shell: Shell) -> None:
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
        says = f"channel.postMessage('{name}'); localStorage['{name}'] = 1; say('{name}')"
        assert await by(name, "js", says) == name
    for name in ("ann", "bob"):
        first = re.findall(r"\d+", await by(name, "tabs"))[0]
        await by(name, f"tab {first}")
        await by(name, "wait --js 'heard.length > 1'")
        assert await by(name, "js", "heard.sort().join()") == f"{name},{name}"


COPIES = """<input value='by selection of NAME'><p>of NAME by <b>keys</b></p><textarea></textarea><div contenteditable></div>
    <button id=write onclick="navigator.clipboard.writeText('by writeText of NAME').then(() => out.value = 'copied')">Write</button>
    <button id=item onclick="navigator.clipboard.write([new ClipboardItem({'text/plain': new Blob(['by write of NAME'], {type: 'text/plain'})})])
        .then(() => out.value = 'copied')">Item</button>
    <button id=exec onclick="document.querySelector('input').select(); out.value = document.execCommand('copy')">Exec</button>
    <button id=set onclick="own = 'by data of NAME'; out.value = document.execCommand('copy')">Set</button>
    <button id=read onclick="navigator.clipboard.readText().then(text => out.value = text, error => out.value = error.name)">Read</button>
    <button id=paste onclick="document.querySelector('textarea').focus(); out.value = document.execCommand('paste')">Paste</button>
    <output id=out></output><script>let own = '', heard = []
    addEventListener('copy', event => { if (own) { event.clipboardData.setData('text/plain', own); event.preventDefault(); own = '' } })
    addEventListener('paste', event => heard.push(event.clipboardData.getData('text/plain')), true)</script>"""
IS_COPIED = "wait --js \"out.value === 'copied'\""
COPY = {
    "by writeText of NAME": ["click #write", IS_COPIED],
    "by write of NAME": ["click #item", IS_COPIED],
    "by selection of NAME": ["click #exec"],
    "by data of NAME": ["click #set"],
    "of NAME by keys": [
        "js \"getSelection().selectAllChildren(document.querySelector('p'))\"",
        "press Control+c",
    ],
    "by selection of NAME ": ["select-text input", "copy"],
}
"""Text that is copied, and the commands that copy it."""


async def pasted(by: As, name: str, *paste: str) -> str:
    """Return what is in a field after a paste."""
    await by(name, "fill textarea", "")
    for line in paste or ("paste",):
        await by(name, line)
    return await by(name, "value textarea")


KEYS = [
    ["paste"], ["press Control+v"], ["press Control+Shift+v"], ["keydown Control", "keydown v", "keyup Control"],
]  # fmt: skip
OTHER_KEYS = [["press Control+v"], ["press Shift+Insert"], ["keydown Control", "press v", "keyup Control"]]


@pytest.mark.both_browsers
async def test_each_context_has_a_clipboard_of_its_own(by: As, shell: Shell, web: Web) -> None:
    held = {"ann": "", "bob": ""}
    for name in held:
        await by(name, "goto", web.show(COPIES.replace("NAME", name)))
    nothing = await shell.send("paste", as_="bob")
    assert nothing.message.startswith("Nothing was copied in this context")
    for number, (text, lines) in enumerate(COPY.items()):
        await by("ann", "js", "heard = []; 0")
        for name in held:
            await by(name, "js", "out.value = ''; 0")
            for line in lines:
                await by(name, line)
            held[name] = text.strip().replace("NAME", name)
            if name == "ann":
                keys = OTHER_KEYS[number % len(OTHER_KEYS)]
                assert await pasted(by, "bob", *keys) == held["bob"], (text, keys)
        for name in held:
            keys = KEYS[number % len(KEYS)]
            assert await pasted(by, name, *keys) == held[name], (text, keys)
        assert await by("ann", "js", "[...new Set(heard)].join()") == held["ann"]


@pytest.mark.both_browsers
async def test_no_page_reads_what_another_context_has_copied(by: As, web: Web) -> None:
    """`emulate --grant` was said while no other context was there."""
    await by("bob", "goto", web.show(COPIES.replace("NAME", "bob")))
    await by("bob", "emulate --grant clipboard-read")
    await by("ann", "goto", web.show(COPIES.replace("NAME", "ann")))
    for line in COPY["by writeText of NAME"]:
        await by("ann", line)
    for _ in range(2):
        for line in ("click #read", "wait --js \"out.value === 'NotAllowedError'\"", "click #paste"):
            await by("bob", line)
        assert await by("bob", "js", "out.value + heard + document.querySelector('textarea').value") == "false"
        granted = await by("bob", "emulate --grant clipboard-read,camera")
        assert granted.endswith("\n→ no page reads the clipboard: another context has had pages, too")


async def text_given_to_paste(by: As, web: Web, shell: Shell) -> None:
    (shell.workspace / "letter.html").write_text("<b>Dear</b> Bob")
    for name in ("ann", "bob"):
        await by(name, "goto", web.show("<textarea></textarea><div contenteditable id=rich></div>"))
        await by(name, "click textarea")
    for given in ("paste token", "paste --html letter.html"):
        await by("ann", given)
        await by("bob", "press Control+v")
        assert await by("bob", "value textarea") == "", given
    assert await by("ann", "value textarea") == "tokenDear Bob"


async def event_of_a_copy(by: As, web: Web, shell: Shell) -> None:
    """Hear that another context has copied."""
    for name in ("ann", "bob"):
        await by(name, "goto", web.show(COPIES.replace("NAME", name)))
    await by("bob", "click input")
    listen = "navigator.clipboard.addEventListener('clipboardchange', event => types = event.types.join())"
    await by("bob", "js", f"types = ''; {listen}; 0")
    await by("ann", "click #exec")
    await by("bob", "wait --js 'types === \"text/plain\"'")


async def copy_made_in_a_frame(by: As, web: Web, shell: Shell) -> None:
    await by("bob", "goto", web.show(COPIES))
    frame = web.show_elsewhere(COPIES.replace("NAME", "a frame"))
    await by("ann", "goto", web.show(f"<iframe src='{frame}' width=700 height=400></iframe>"))
    await by("ann", "frame iframe")
    await by("ann", "click #exec")
    await by("ann", "goto", web.show(COPIES))
    assert await pasted(by, "ann") == "by selection of a frame"


async def markup_with_scripts(by: As, web: Web, shell: Shell) -> None:
    """Paste it also under a policy that lets no script set markup."""
    page = """<p>one <b onclick="hit = 1">two</b><img src=x onerror="hit = 1"><a href="javascript:hit = 1">three</a></p><div contenteditable></div>"""
    policy = {"Content-Security-Policy": "require-trusted-types-for 'script'; trusted-types 'none'"}
    for address, pasted_markup in (
        (web.show(page), "one <b>two</b><a>three</a>0"),
        (web.show("<p>one <b>two</b></p><div contenteditable></div>", **policy), "one two0"),
    ):
        for name in ("bob", "ann"):
            await by(name, "goto", address)
        await by("ann", "js", "hit = 0; getSelection().selectAllChildren(document.querySelector('p'))")
        for line in ("copy", "click div", "paste"):
            await by("ann", line)
        assert await by("ann", "js", "document.querySelector('div').innerHTML + hit") == pasted_markup


async def key_that_its_page_takes(by: As, web: Web, shell: Shell) -> None:
    for name in ("bob", "ann"):
        await by(name, "goto", web.show(COPIES.replace("NAME", name)))
        await by(name, "click #exec")
    await by("ann", "js", "keys = []; onkeydown = event => { keys.push(event.key); return false }")
    assert await pasted(by, "ann", "press Control+v") == ""
    assert await by("ann", "js", "keys.at(-1) + heard.length") == "v0"
    assert await pasted(by, "ann") == "by selection of ann"
    await by("ann", "keydown Control")
    typed = await shell.send("type v", as_="ann")
    assert typed.message == "Control held down: typing a v would paste"
    await by("ann", "keyup Control")


CASES = (
    storage_and_service_workers, permissions, password_of_a_server, connections_and_cached_answers, channels_between_pages,
    text_given_to_paste, event_of_a_copy, copy_made_in_a_frame, markup_with_scripts, key_that_its_page_takes,
)  # fmt: skip
"""What contexts do not share. `bob` copies nothing before he is given nothing to paste."""


@each(CASES, lambda case: case.__name__)
async def test_state_of_a_context_is_found_in_no_other(case: Case, by: As, web: Web, shell: Shell) -> None:
    """The contexts stay from one case to the next."""
    await case(by, web, shell)


async def test_a_context_alone_has_the_clipboard_of_the_browser_again(by: As, web: Web) -> None:
    for name in ("", "ann"):
        await by(name, "goto", web.show(COPIES.replace("NAME", name or "all")))
    for name in ("", "ann"):
        await by(name, "click #exec")
    await by("", "js", "addEventListener('paste', event => trusted = event.isTrusted)")
    assert await pasted(by, "") == "by selection of all"
    assert await by("", "js trusted") == "false"
    await by("", "context-close ann")
    assert await pasted(by, "") == "by selection of all"
    assert await by("", "js trusted") == "true"


@pytest.mark.own_browser
async def test_selected_text_is_pasted_by_no_middle_click(by: As, web: Web) -> None:
    """Chromium has a second clipboard on Linux: what is selected is pasted by the middle button."""
    page = web.show("""<input value='of ann'><textarea></textarea><script>heard = []
        addEventListener('paste', event => heard.push(event.clipboardData.getData('text/plain')), true)</script>""")
    for name in ("ann", "bob"):
        await by(name, "goto", page)
    for line in ("click --double input", "select-text input"):
        await by("ann", line)
    for name in ("bob", "ann"):
        await by(name, "click --button middle textarea")
        assert await by(name, "js", "heard.join() + document.querySelector('textarea').value") == "", name
        assert await by(name, "js", "matchMedia('(hover: hover) and (pointer: fine)').matches") == "true"


async def test_pages_of_chromium_itself_are_not_opened(by: As) -> None:
    """Refuse them: their facts (downloads, settings, service workers) are of all contexts."""
    for address in ("chrome://serviceworker-internals", "chrome://downloads", "chrome://settings"):
        with pytest.raises(AssertionError, match="http"):
            await by("ann", "goto", address)
