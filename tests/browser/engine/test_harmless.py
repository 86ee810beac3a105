"""The page cannot tell that a snapshot was taken, and cannot get in its way, nor does a document that goes."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gstack_browse.browser.engine.messages import FrameGone, evaluate
from tests.browser.conftest import Show
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


async def test_strictest_policies_and_absurd_depths_do_not_matter(show: Show) -> None:
    policy = "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'; sandbox"
    tab = await show("<button>Go</button>", Content_Security_Policy=policy)
    tree = await tab.tree(clickable=True)
    assert (await tab.refs.resolve(tree.ref(0))).name == "Go"
    deep = "let d = document.body; for (let i = 0; i < 2000; i++) { const e = document.createElement('div'); d.append(e); d = e } d.append('end')"
    tab = await show(f"<button>Top</button><script>{deep}</script>")
    assert "Top" in (await tab.tree()).names


async def test_removed_elements_are_not_kept_in_memory(show: Show) -> None:
    tab = await show("<ul></ul>")
    for _ in range(10):
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


async def test_a_hanging_page_is_freed(show: Show) -> None:
    tab = await show("<button>Go</button>")
    await tab.tree()
    stuck = asyncio.ensure_future(tab.page.evaluate("while (true);"))
    async with asyncio.timeout(60):
        while not stuck.done():
            await tab.world.terminate()
    assert stuck.exception() is not None
    assert "Go" in (await tab.tree()).names


AWAY: dict[str, Callable[[DrivenPage, Web], Awaitable[object]]] = {
    "reloaded": lambda page, site: page.reload(),
    "reloaded by itself": lambda page, site: page.reload_by_script(),
    "another page": lambda page, site: page.goto(site.show("<p>Next")),
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
