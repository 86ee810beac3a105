"""Test contexts in one browser: what each has of its own, and what is refused by naming its owner."""

import asyncio
import re

import orjson
import pytest

from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.context import current_context
from gstack_browse.browser.devtools.browser import BrowserContext
from gstack_browse.daemon.contexts import contexts
from gstack_browse.daemon.contexts.contexts import MemoryLimit
from gstack_browse.daemon.process.main import BackgroundChecks
from gstack_browse.errors import ActionFailed, Refused, TabGone, UnknownRef
from gstack_browse.settings import DownloadLimits
from tests.commands.conftest import As, Fails, Shell, until
from tests.commands.in_page import crash
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

PAGE = """<title>{0}</title><button onclick="document.title='pressed by {0}'">Go</button>
<script>console.log('hello from {0}')</script>"""


async def test_two_agents_at_one_site_never_see_each_other(shell: Shell, by: As, web: Web) -> None:
    ours = web.show(PAGE.format("us"))
    await asyncio.gather(*(by(name, "goto", ours) for name in ("", "ann", "bob")))
    for name in ("", "ann", "bob"):
        who = name or "default"
        await by(name, "js", f"document.cookie = '{who}=1'; localStorage.who = sessionStorage.{who} = '{who}'")
        await by(name, f"cookie-set extra-{who} 1")
        await by(name, "js", f"console.warn('I am {who}'); fetch('/api/200?{who}'); alert('{who}')")
    for name in ("", "ann", "bob"):
        who = name or "default"
        others = {"default", "ann", "bob"} - {who}
        for read in ("cookies", "storage", "console", "network --all-pages", "dialog"):
            said = await by(name, read)
            assert who in said, read
            assert not any(other in said for other in others), f"{read} of {who}: {said}"
    page = web.show("<iframe src='/headers'></iframe>")
    await by("ann", "header X-Whose -", stdin="anns")
    for name in ("", "ann", "bob"):
        await by(name, "goto", page)
        sent = await by(name, "js", "fetch('/headers').then(answer => answer.text())")
        sent += await by(name, "js", "frames[0].document.body.innerText")
        assert sent.count("anns") == (2 if name == "ann" else 0), name
    await by("ann", "useragent Ann/1.0")
    await by("ann", "viewport 500x400")
    await by("bob", "emulate --locale de-DE --timezone Europe/Berlin")
    told = "[navigator.userAgent == 'Ann/1.0', innerWidth == 500, navigator.language, localStorage.who].join()"
    expected = {"ann": "true,true,en-US,ann", "bob": "false,false,de-DE,bob", "": "false,false,en-US,default"}
    assert {name: await by(name, "js", told) for name in expected} == expected
    await by("ann", "js", "console.log('after the change')")
    assert "after the change" in await by("ann", "console"), "in the browser context that was made for it"
    assert "after the change" not in await by("", "console --all-pages")


async def test_tabs_and_refs_of_another_context_are_refused_by_name(fails: Fails, by: As, web: Web) -> None:
    url = web.show(PAGE.format("page"))
    await by("", "goto", url)
    await by("ann", "goto", url)
    await by("ann", "newtab", url)
    assert await by("ann", "snapshot -i") == '@e1 [button] "Go"'
    mine, theirs = await by("", "tabs"), await by("ann", "tabs")
    assert " of " not in mine
    assert [line.split("]")[0] for line in theirs.splitlines()] == ["  [2 of ann", "→ [3 of ann"]
    assert await by("", "tabs --all") == f"{mine}\n{theirs}"
    gone = await fails("tab 3", TabGone)
    assert gone.message == "Tab 3 belongs to 'ann'"
    await fails("closetab 3", TabGone, as_="bob")
    unknown = await fails("click @e1", UnknownRef)
    assert unknown.message == "Ref @e1 is unknown here — it was given out in 'ann'"
    assert unknown.hint.startswith("Run 'snapshot'")
    await by("ann", "newtab", url)
    unknown = await fails("click @e1", UnknownRef, as_="ann")
    assert unknown.message == "Ref @e1 is unknown here — it was given out in tab 3"
    await by("ann", "tab 3")
    unknown = await fails("click @e1", UnknownRef, as_="bob")
    assert "in 'ann'" in unknown.message
    assert unknown.hint.startswith("Run '--as bob snapshot'")
    assert await by("", "title") == "Test", "nobody has pressed it"
    assert "pressed by page" in await by("ann", "click @e1") + await by("ann", "title")
    await by("ann", "closetab 3")
    unknown = await fails("click @e1", UnknownRef, as_="ann")
    assert unknown.message == "Ref @e1 is unknown here — it was given out in a tab that is closed"


async def test_windows_and_downloads_belong_to_the_context_of_their_page(
    shell: Shell, fails: Fails, by: As, web: Web
) -> None:
    opens = "<button onclick=\"window.open('/plain.html')\">Open</button><a href='/download/a.csv'>Load</a>"
    await by("", "goto", web.show(PAGE.format("default")))
    await by("ann", "goto", web.show(opens))
    await by("ann", "click text=Open")
    assert len((await by("ann", "tabs")).splitlines()) == 2
    assert len((await by("", "tabs")).splitlines()) == 1
    await by("ann", "click text=Load", tab=2)
    ann = shell.service.contexts.get_or_make("ann")
    await until(lambda: [item.state for item in ann.downloads] == ["done"])
    ann.downloads.limits = DownloadLimits(number=1)
    full = await fails(f"download {web.url}/download", ActionFailed, as_="ann")
    assert full.hint.startswith("'--as ann downloads --clear'")
    assert "report.csv" in await by("", f"download {web.url}/download")
    assert "downloads-ann/a.csv" in await by("ann", "downloads")
    assert "a.csv" not in await by("", "downloads")
    assert (shell.workspace / ".gstack/downloads-ann/a.csv").exists()


@pytest.mark.same_disk
async def test_a_file_that_one_agent_has_loaded_as_a_page_is_text_for_others(
    shell: Shell, fails: Fails, by: As
) -> None:
    given = shell.workspace / "given.txt"
    given.write_text("<h1>Given</h1>")
    await by("ann", "load-html given.txt")
    assert await by("ann", "text h1") == "Given"
    await by("bob", "goto", given.as_uri())
    assert "<h1>" in await by("bob", "text")
    await by("ann", "load-html -", stdin="<a href='file:///etc/hostname'>out</a>")
    await fails("click a", Refused, as_="ann")


async def test_contexts_are_listed_and_closed(shell: Shell, fails: Fails, by: As, web: Web) -> None:
    """List none for commands that read only the daemon. Close one whose page hangs, which holds no other."""
    await by("ann", "goto", web.show(PAGE.format("ann")))
    await by("bob", "newtab")
    assert await by("zoe", "console") == "(no console messages)"
    assert "Context: zoe" in await by("zoe", "status")
    await shell.send("nonsense", as_="zoe")
    listed = (await by("", "contexts")).splitlines()
    assert [line.split()[0] for line in listed] == ["default", "ann", "bob"]
    assert "1 tab " in listed[1]
    assert re.search(r"last: goto, \d+[sm] ago", listed[1])
    found = {item["name"]: item for item in orjson.loads(await by("bob", "contexts --json"))}
    assert (found["bob"]["tabs"], found["ann"]["last"]) == (2, "goto")
    assert found["ann"]["memory"] > 100_000
    assert await by("", "context-close ann") == "Closed context ann (1 tab)"
    assert [line.split()[0] for line in (await by("", "contexts")).splitlines()] == ["default", "bob"]
    await by("ann", "goto", web.show(PAGE.format("ann")))
    await by("bob", "goto", web.show(PAGE.format("bob")))
    loop = shell.send("js", "console.log('round'); for (;;);", as_="ann", timeout=60_000)
    stuck = asyncio.ensure_future(loop)
    console = shell.service.contexts.get_or_make("ann").logs.console
    await until(lambda: any("round" in entry.render() for entry in console))
    await by("bob", "click text=Go")
    assert await by("bob", "title") == "pressed by bob"
    assert not stuck.done()
    assert await by("", "context-close ann") == "Closed context ann (1 tab)"
    assert (await stuck).code
    missing = await fails("context-close ann", ActionFailed)
    assert "contexts" in missing.hint
    await fails("context-close default", ActionFailed)


async def test_the_idlest_context_makes_room_and_comes_back_as_it_was(
    shell: Shell, fails: Fails, by: As, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell.service.context_opener, "_most_open", 2)
    for name in ("ann", "bob"):
        await by(name, "goto", web.show(PAGE.format(name)))
        await by(name, "js", f"document.cookie = 'me={name}'; sessionStorage.me = '{name}'")
    full = await fails("newtab", ActionFailed, as_="carl")
    assert full.message == "2 contexts are open and in use, as many as may be (BROWSE_MAX_CONTEXTS)"
    assert "carl" not in await by("", "contexts")
    monkeypatch.setattr(contexts, "IDLE_SECONDS", 0.0)
    await by("bob", "newtab")
    await by("carl", "newtab")
    rows = {line.split()[0]: line for line in (await by("", "contexts")).splitlines()}
    assert ("not open" in rows["ann"], "not open" in rows["bob"]) == (True, False)
    assert "ann (1 tab, not open, last: js" in await by("", "status")
    reply = await shell.send("js", "document.cookie + sessionStorage.me", as_="ann")
    assert reply.text == "me=annann"
    why = "nobody had used this context for long, so it was closed to make room"
    assert reply.notes == [f"{why}; its pages were loaded again"]
    assert "2 tabs, not open" in await by("", "contexts")


@pytest.mark.fresh_session
async def test_a_context_that_takes_too_much_loses_its_largest_tab(
    shell: Shell, fails: Fails, by: As, web: Web
) -> None:
    await by("", "goto", web.show(PAGE.format("default")))
    await by("ann", "goto", web.show(PAGE.format("small")))
    await by("ann", "newtab", web.show(PAGE.format("large")))
    await by("ann", "js", "globalThis.kept = Array.from({ length: 40 }, () => new Uint8Array(1e6).fill(1)), 1")
    ann = shell.service.contexts.get_or_make("ann")
    await MemoryLimit(30_000_000).enforce(ann)
    await MemoryLimit(30_000_000).enforce(shell.service.default_context)
    gone = (await fails("title", TabGone, as_="ann")).message
    took = r"took 4\d(\.\d)? MB, and may take 30(\.0)? MB \(BROWSE_CONTEXT_MB\)"
    why = rf"Tab \d+ was closed: the heaps of its context {took}; the active tab is now \d+: .*"
    assert re.fullmatch(why, gone), gone
    assert len((await by("ann", "tabs")).splitlines()) == 1
    assert len((await by("", "tabs")).splitlines()) == 1


@pytest.mark.own_browser
async def test_the_next_context_is_made_before_anybody_asks_for_it(
    shell: Shell, by: As, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make a context without an owner. No agent sees it, and no rule of another one holds in it."""
    opener, url = shell.service.context_opener, web.show(PAGE.format("page"))
    opener.spare = current_context.SpareContext()
    await by("", "goto", url)

    def open_now() -> list[BrowserContext]:
        return shell.browser.running.browser.contexts

    async def listed() -> list[int]:
        return [len((await by("", words)).splitlines()) for words in ("contexts", "tabs --all")]

    before, listed_before = len(open_now()), await listed()
    assert not opener.spare.is_there, "one agent needs none"
    await by("", "throttle --latency 20000")
    await by("", "header X-Whose -", stdin="default")
    await by("ann", "goto", url, timeout=10_000)
    assert opener.spare.is_there
    await until(lambda: len(open_now()) == before + 2 and bool(open_now()[-1].pages))
    assert await listed() == [number + 1 for number in listed_before]
    spare = open_now()[-1]
    await by("bob", "goto", url, timeout=10_000)
    bob = shell.service.contexts.get_or_make("bob").browser
    assert bob
    assert bob.context is spare
    assert "hello from page" in await by("bob", "console")
    assert "X-Whose" not in await by("bob", "headers")

    await until(lambda: len(open_now()) == before + 3 and bool(open_now()[-1].pages))
    await crash(open_now()[-1].pages[0])
    await by("carl", "goto", url)
    assert "hello from page" in await by("carl", "console"), "one that has crashed is not given out"

    await until(lambda: len(open_now()) == before + 4)
    monkeypatch.setattr(current_context, "KEEP_SECONDS", 0.0)
    opener.spare = current_context.SpareContext()
    opener.tick()
    assert not opener.spare.is_there
    await by("", "throttle off")
    await by("", "header X-Whose")


async def test_garbage_of_contexts_left_alone_is_collected(
    shell: Shell, by: As, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As agents leave them that think between commands. How much that frees: test_garbage.py."""
    monkeypatch.setattr(contexts, "REST_SECONDS", 0.0)
    light = web.show("<p>light")
    await by("ann", "goto", light)
    ann, default = shell.service.contexts.get_or_make("ann"), shell.service.default_context
    assert ann.browser
    assert contexts.select_for_collection([ann], set()) == []
    for name in ("ann", ""):
        await by(name, "goto", light)
    both = [default, ann]
    assert contexts.select_for_collection(both, {ann}) == [default]
    assert contexts.select_for_collection(both, set()) == [ann, default], "for the longest first"
    monkeypatch.setattr(contexts, "REST_SECONDS", 60.0)
    assert contexts.select_for_collection(both, set()) == [], "somebody may be about to go on"
    monkeypatch.setattr(contexts, "REST_SECONDS", 0.0)
    names = {ann.browser.tab().world.session: "ann", shell.browser.tab().world.session: "default"}
    pipe, sent = shell.browser.running.connection.pipe, list[str]()
    ask = pipe.send

    def noted(session: Session, method: str, params: dict[str, object]) -> int:
        if method == "HeapProfiler.collectGarbage":
            sent.append(names[session])
        return ask(session, method, params)

    monkeypatch.setattr(pipe, "send", noted)
    watch = BackgroundChecks(shell.service, shell.upgrader)
    for times in (1, 2):
        watch.collect_garbage()
        await until(lambda times=times: sorted(sent) == ["ann"] * times + ["default"] * times)
    watch.collect_garbage()
    await by("ann", "url")
    assert len(sent) == 4, "nothing has happened since"


async def test_a_context_that_shares_begins_with_the_logins_of_another(shell: Shell, by: As, web: Web) -> None:
    url = web.show(PAGE.format("page"))
    await by("bob", "goto", url)
    logs_in = "document.cookie = 'sid=bobs'; localStorage.user = 'bob'; sessionStorage.tab = 'bobs'"
    await by("bob", "js", logs_in)
    await by("bob", "header X-Whose -", stdin="bobs-token")
    read = "[document.cookie, localStorage.user, sessionStorage.tab].join()"
    await by("ann", "goto", url, share="bob")
    assert await by("ann", "js", read) == "sid=bobs,bob,"
    assert "bobs-token" not in await by("ann", "headers"), "a secret there is one here"
    assert "X-Whose" in await by("ann", "headers")
    assert len((await by("ann", "tabs")).splitlines()) == 1
    await by("ann", "js", "document.cookie = 'own=1'")
    assert "own" not in await by("bob", "js", "document.cookie")
    await by("ann", "url", share="bob")
    own = await shell.send("url", as_="bob", share="ann")
    assert (own.error, own.message) == (ActionFailed.kind, "bob is open already, with logins of its own")
    missing = await shell.send("newtab", as_="carl", share="nobody")
    assert (missing.error, missing.message) == (ActionFailed.kind, "There is no context called nobody")
    assert "carl" not in await by("", "contexts")


@pytest.mark.fresh_session
async def test_state_saved_by_one_agent_can_be_loaded_by_another(shell: Shell, by: As, web: Web) -> None:
    """Save the login of one context in a file; loading it changes no other."""
    url = web.show(PAGE.format("page"))
    for name in ("", "ann", "bob"):
        await by(name, "goto", url)
        stores = f"document.cookie = 'who={name}'; localStorage.who = sessionStorage.who = '{name}'"
        await by(name, "js", stores)
    await by("ann", "newtab", url)
    files = [(await by(name, "state-save")).split()[2] for name in ("", "ann", "bob")]
    assert [file.rpartition("/")[2] for file in files] == ["state.json", "state-ann.json", "state-bob.json"]
    read = "[document.cookie, localStorage.who, sessionStorage.who].join()"
    before = await by("bob", "tabs")
    loaded = await by("carl", "state-load", files[1])
    assert loaded.startswith(f"State loaded: {files[1]} (1 cookie, 1 origin, 2 tabs)")
    numbers = re.findall(r"\[(\d+) of carl", await by("carl", "tabs"))
    assert len(numbers) == 2
    held = [await by("carl", "js", read, tab=int(number)) for number in numbers]
    assert held == ["who=ann,ann,ann", "who=ann,ann,"]
    await by("bob", "state-load", files[0])
    assert await by("bob", "js", read) == "who=,,"
    assert await by("bob", "tabs") == before
    assert [await by(name, "js", read, tab=None) for name in ("", "ann")] == ["who=,,", "who=ann,ann,"]
