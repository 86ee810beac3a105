"""The page cannot tell that a snapshot was taken, and cannot get in its way, nor does a document that goes.

And how the engine comes into documents: its source is most of what a small page costs.
"""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.engine.bundle import engine_source
from gstack_browse.browser.engine.messages import FrameGone, evaluate
from tests.browser.conftest import Opened, Show
from tests.browser.pages import DrivenPage
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session


async def test_snapshot_changes_nothing_and_calls_no_code_of_the_page(show: Show) -> None:
    tab = await show("""
        <main><p>Text</p><button>Go</button><x-host></x-host><form><input name=firstChild><input name=children>
        <input name=getAttribute><input name=nodeType value=last></form><img name=body><img name=documentElement><img name=title></main>
        <script>
          window.seen = [];
          new MutationObserver(records => seen.push(...records.map(r => r.type))).observe(document, {
            subtree: true, childList: true, attributes: true, characterData: true });
          window.before = Object.getOwnPropertyNames(window).length;
          for (const name of ['getAttribute', 'hasAttribute', 'getBoundingClientRect', 'checkVisibility', 'matches', 'closest'])
            Element.prototype[name] = () => { seen.push(name); throw new Error('caught') };
          window.getComputedStyle = () => { seen.push('getComputedStyle'); throw new Error('caught') };
          WeakMap.prototype.get = () => { seen.push('WeakMap'); throw new Error('caught') };
          EventTarget.prototype.addEventListener = (type) => { seen.push('listener ' + type) };
          document.querySelector('x-host').attachShadow({ mode: 'closed' }).innerHTML = '<button>Shut</button>';
        </script>""")
    for clickable in (False, True):
        tree = await tab.tree(clickable=clickable)
        assert {"Go", "Shut"} <= set(tree.names)
        assert tree.roles.count("textbox") == 4
    changed = await tab.page.evaluate("[seen, Object.getOwnPropertyNames(window).length - before - 1]")
    assert changed[0] == []
    assert changed[1] <= 0
    assert await tab.page.evaluate("typeof __gbrowse") == "undefined"


async def test_removed_elements_are_not_kept_in_memory(show: Show) -> None:
    tab = await show("<ul></ul>")
    for _ in range(5):
        await tab.page.evaluate(
            "document.querySelector('ul').innerHTML = Array.from({length: 300}, (_, n) => `<li>Row ${n}`).join('')"
        )
        await tab.tree()
    await tab.world.session.send("HeapProfiler.collectGarbage")
    context = await tab.world.frames.main_context()
    living = await evaluate(
        context, "[...__gbrowse.table.nodes.values()].filter(weak => weak.deref()).length", by_value=True
    )
    assert living["value"] < 1000


AWAY: dict[str, Callable[[DrivenPage, Web], Awaitable[object]]] = {
    "reloaded by itself": lambda page, site: page.reload_by_script(),
    "another site": lambda page, site: page.goto(site.show("<p>Next").replace(site.url, site.other)),
}


@each(AWAY)
async def test_waiting_question_fails_when_its_document_goes(way: str, show: Show, site: Web) -> None:
    opened = await show("<p>First")
    waiting = asyncio.ensure_future(evaluate(await opened.world.frames.main_context(), "new Promise(() => 0)"))
    await evaluate(await opened.world.frames.main_context(), "1")
    await AWAY[way](opened.page, site)
    with pytest.raises(FrameGone):
        async with asyncio.timeout(60):
            await waiting


FRAMED = "<p>Two</p><iframe srcdoc='<input type=password value=abc aria-label=In>'></iframe>"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requests that are sent from now on and have the source of the engine in them."""
    found: list[str] = []
    send = Pipe.send

    def note(pipe: Pipe, session: Session, method: str, params: dict[str, object]) -> int:
        if len(str(params)) > len(engine_source()) / 2:
            found.append(method)
        return send(pipe, session, method, params)

    monkeypatch.setattr(Pipe, "send", note)
    return found


async def words_of(tab: Opened, *addresses: str) -> list[str]:
    """Open the addresses one after the other in one page, and return the text of each."""
    seen = []
    for address in addresses:
        await tab.page.goto(address)
        seen.append(" / ".join(line.strip() for line in await tab.lines()))
    return seen


@pytest.mark.fresh_session
async def test_its_source_is_sent_once_for_a_page(show: Show, site: Web, sent: list[str]) -> None:
    tab = await show("<p>One")
    one, two = site.show("<p>One"), site.show(FRAMED)
    elsewhere = two.replace(site.url, site.other)
    seen = await words_of(tab, two, elsewhere, one)
    assert [words.count('"In"') for words in seen] == [1, 1, 0]
    assert sent == ["Page.addScriptToEvaluateOnNewDocument"]


@pytest.mark.fresh_session
async def test_a_frame_of_its_name_is_not_taken_for_it(show: Show, site: Web, sent: list[str]) -> None:
    tab = await show("<p>One")
    inner = site.show("<p>In").replace(site.url, site.other)
    frames = "".join(
        f"<iframe name={name} src='{inner}'></iframe><object id={name}></object><form name={name}></form>"
        for name in ("__gbrowse", "__gbrowseEngine", "__gbrowseTable")
    )
    framed = site.show(f"<button>Two</button>{frames}")
    assert "Two" in (await words_of(tab, site.show("<p>One"), framed))[1]
    context = await tab.world.frames.main_context()
    context.target.is_given_engine = True
    sent.clear()
    assert "Two" in (await words_of(tab, site.show("<p>One"), framed))[1], "where a document is not given it"
    assert "Runtime.evaluate" in sent
