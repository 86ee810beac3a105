"""Test listeners of the document that act for its elements, and listeners that are added late.

Late is during a snapshot, or after it.
"""

import asyncio
from typing import Any

import pytest

from gstack_browse.browser.cdp.session import Session
from tests.browser.conftest import Show
from tests.browser.engine.listing import listed
from tests.each import each

pytestmark = pytest.mark.same_session
ROWS = "".join(f"<div class=row>{name}</div>" for name in ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay", "Gus"))
DELEGATES = "document.addEventListener('click', () => 1)"
SEEN = "window.seen = []; const see = (what) => { seen.push(what); return () => 1 };"


def page(script: str) -> str:
    return f"{ROWS}<p>Words</p><script>const rows = document.querySelectorAll('.row'); {script}</script>"


async def test_elements_whose_properties_hold_handlers_are_listed(show: Show) -> None:
    """List one that comes later, too."""
    tab = await show(
        page(f"""
        {DELEGATES}; const none = () => 1; rows[0].$$click = none; rows[1].__click = none; rows[2].__mousedown = [none, 1];
        rows[3][Symbol('events')] = {{ click: none }}; rows[4].$EV = {{ onClick: none }};
        rows[5]._rootEvents_1 = {{ handlers: {{ click: {{ id: 1 }} }} }};
        rows[6].__data__ = {{ name: 'Gus', onclick: 'words' }}; rows[6].__keydown = none;
        rows[6].click = none; rows[6].options = {{ click: none }}""")
    )
    told = [f'c [generic] "{name}" [listener]' for name in ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay")]
    assert await listed(tab) == told
    late = "const late = document.createElement('div'); late.textContent = 'Late'; late.$$click = none; document.body.prepend(late)"
    await tab.page.call(f"() => {{ {late} }}")
    assert await listed(tab) == ['c [generic] "Late" [listener]', *told]


IN_A_TREE = f"""root.innerHTML = `<section>{ROWS}</section>`; const none = () => 1, rows = root.querySelectorAll('.row');
rows[0].$$click = none; rows[2][Symbol('events')] = {{ click: none }};
root.querySelector('section').jQuery3710 = {{ events: {{ click: [{{ selector: '.row:last-child', handler: none }}] }} }};"""
SHADOW = "const root = document.querySelector('x-a').attachShadow({ mode: 'open' });"
TREES = {
    "a shadow tree whose document listens": f"<i></i><x-a></x-a><script>{SHADOW} {DELEGATES}; {IN_A_TREE}</script>",
    "a shadow tree in another": f"<x-a></x-a><script>{SHADOW.replace('root', 'outer')} outer.innerHTML = '<p>b</p><x-b></x-b>';"
    f" {SHADOW.replace('document', 'outer').replace('x-a', 'x-b')} {DELEGATES}; {IN_A_TREE}</script>",
    "a frame of the same site": "<p>a</p><iframe></iframe><script>const frame = document.querySelector('iframe').contentDocument, root = frame.body;"
    f" frame.addEventListener('click', () => 1); {IN_A_TREE}</script>",
    "a document with pictures and fields that are named like its parts": "<img name=nodeType><img name=querySelectorAll><form><input name=shadowRoot type=hidden>"
    f"<input name=querySelectorAll type=hidden></form><x-a></x-a><script>{SHADOW} {DELEGATES}; {IN_A_TREE}</script>",
}  # fmt: skip


@each(TREES)
async def test_elements_in_the_trees_inside_the_document_are_listed(what: str, show: Show) -> None:
    lines = [line for line in await listed(await show(TREES[what])) if "iframe" not in line]
    assert lines == [f'c [generic] "{name}" [listener]' for name in ("Ann", "Cy", "Gus")]


async def test_elements_matching_a_delegate_s_selector_are_listed(show: Show) -> None:
    tab = await show(f"""<section>{ROWS}</section><div class=row>Outside</div><script>
        const section = document.querySelector('section'); section.addEventListener('click', () => 1);
        const handler = () => 1, clicks = [{{ selector: '.row:first-child', handler }}, {{ handler }}, {{ selector: ':::', handler }}];
        section.jQuery37107 = {{ events: {{ click: clicks, keyup: [{{ selector: '.row', handler }}] }} }}</script>""")
    assert await listed(tab) == ['c [generic] "Ann" [listener]']


async def test_reading_delegates_calls_no_code_of_the_page(show: Show) -> None:
    """A page whose own functions are others hears nothing either, and hides only its handlers."""
    handled = f"{SEEN} {DELEGATES}; rows[0].$$click = () => 1;"
    hidden = "rows[2].__handlers = new Proxy({}, { ownKeys: () => see('proxy') && [] })"
    getters = """Object.defineProperty(rows[1], '__click', { get: () => see('getter') });
        document.jQuery1 = { get events() { return see('events') } };
        document.jQuery2 = { events: { get click() { return see('click') } } }"""
    for script, told in (
        (getters, 'c [generic] "Ann" [listener]'),
        (hidden, "(no interactive elements found)"),
    ):
        tab = await show(page(f"{handled} {script}"))
        assert await listed(tab) == [told]
        assert await tab.page.evaluate("seen") == []
    for replaced, body in (
        ("Reflect.ownKeys", "see('called'); return []"),
        ("Document.prototype.getElementsByTagName", "for (;;);"),
        ("RegExp.prototype.test", "throw new Error('caught')"),
    ):
        tab = await show(page(f"{handled} {replaced} = function () {{ {body} }}") + "<button>Go</button>")
        assert 'e [button] "Go"' in await listed(tab)
        assert await tab.page.evaluate("seen") == []


QUESTIONS = "DOMDebugger.getEventListeners", "DOM.resolveNode", "Runtime.callFunctionOn"
CHANGES = [
    *(("build", QUESTIONS[0], True), ("swap", QUESTIONS[1], True), ("add", QUESTIONS[2], True)),
    *(("swap", QUESTIONS[0], False), ("add", QUESTIONS[1], False), ("build", QUESTIONS[2], False)),
]
"""How the rows are made anew, which question of a snapshot that meets, and whether it comes before its answer."""


@each(CHANGES)
async def test_rows_made_anew_while_a_snapshot_asks_who_listens_are_listed(
    case: tuple[str, str, bool], show: Show
) -> None:
    change, when, is_before = case
    tab = await show("""
        <div id=around><p>Around <b>K</b></p></div><table id=table></table><button>Go</button><script>
        const listen = (nodes) => nodes.forEach((node) => node.addEventListener('click', () => 0));
        const rows = (name) => `<tr><th>First<th>Second<tr><td>${name} one<td>${name} two`;
        const build = (name) => { table.innerHTML = rows(name); listen(table.querySelectorAll('td')) };
        const add = (name) => {
          const row = table.insertRow(); row.insertCell().textContent = `${name} one`; row.insertCell().textContent = `${name} two`;
          listen(row.querySelectorAll('td'));
        };
        const kept = [];
        const swap = (name) => { kept.push(table.firstChild); build(name) };
        around.onclick = () => 0; build('Old');
        </script>""")
    await tab.world.load_engine()
    send, changes = Session.send, [f"{change}('New')"]

    def changing(session: Session, method: str, params: dict[str, Any] | None = None) -> "asyncio.Future[Any]":
        is_now = method == when and bool(changes)
        expression = changes.pop() if is_now else ""
        if is_now and is_before:
            send(session, "Runtime.evaluate", {"expression": expression})
        answer = send(session, method, params)
        if is_now and not is_before:
            send(session, "Runtime.evaluate", {"expression": expression})
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Session, "send", changing)
        await tab.tree()
        assert not changes
        cells = [line for line in await listed(tab) if "cell" in line]
    names = ["Old", "New"] if change == "add" else ["New"]
    assert cells == [f'c [cell] "{name} {word}" [listener]' for name in names for word in ("one", "two")]
