"""Test handlers that one listener of the document calls.

They lie in properties of the elements that are clicked.
"""

import pytest

from tests.browser.conftest import Show
from tests.browser.engine.listing import listed

pytestmark = pytest.mark.same_session

ROWS = "".join(f"<div class=row>{name}</div>" for name in ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay", "Gus"))
DELEGATES = "document.addEventListener('click', () => 1)"
SEEN = "window.seen = []; const see = (what) => { seen.push(what); return () => 1 };"


def page(script: str) -> str:
    return f"{ROWS}<p>Words</p><script>const rows = document.querySelectorAll('.row'); {script}</script>"


async def test_elements_whose_properties_hold_handlers_are_listed(show: Show) -> None:
    tab = await show(
        page(
            f"""{DELEGATES}; const none = () => 1;
            rows[0].$$click = none; rows[1].__click = none; rows[2].__mousedown = [none, 1];
            rows[3][Symbol('events')] = {{ click: none }}; rows[4].$EV = {{ onClick: none }};
            rows[5]._rootEvents_1 = {{ handlers: {{ click: {{ id: 1 }} }} }};
            rows[6].__data__ = {{ name: 'Gus', onclick: 'words' }}; rows[6].__keydown = none;
            rows[6].click = none; rows[6].options = {{ click: none }}"""
        )
    )
    assert await listed(tab) == [
        f'c [generic] "{name}" [listener]' for name in ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay")
    ]


IN_A_TREE = """const none = () => 1, rows = root.querySelectorAll('.row'); rows[0].$$click = none; rows[2][Symbol('events')] = { click: none };
root.querySelector('section').jQuery3710 = { events: { click: [{ selector: '.row:last-child', handler: none }] } };"""
TREES = {
    "a shadow tree whose document listens": f"<i></i><x-a></x-a><script>const root = document.querySelector('x-a').attachShadow({{ mode: 'open' }});"
    f" root.innerHTML = `<section>{ROWS}</section>`; {DELEGATES}; {IN_A_TREE}</script>",
    "a shadow tree that listens itself": f"<i></i><x-a></x-a><script>const root = document.querySelector('x-a').attachShadow({{ mode: 'open' }});"
    f" root.innerHTML = `<section>{ROWS}</section>`; root.addEventListener('click', () => 1); {IN_A_TREE}</script>",
    "a shadow tree in another": f"<x-a></x-a><script>const outer = document.querySelector('x-a').attachShadow({{ mode: 'open' }}); outer.innerHTML = '<p>b</p><x-b></x-b>';"
    f" const root = outer.querySelector('x-b').attachShadow({{ mode: 'open' }}); root.innerHTML = `<section>{ROWS}</section>`; {DELEGATES}; {IN_A_TREE}</script>",
    "a frame of the same site": f"<p>a</p><iframe></iframe><script>const root = document.querySelector('iframe').contentDocument; root.body.innerHTML = `<section>{ROWS}</section>`;"
    f" root.addEventListener('click', () => 1); {IN_A_TREE}</script>",
    "a document with pictures and fields that are named like its parts": f"<img name=nodeType><img name=querySelectorAll><form><input name=shadowRoot type=hidden><input name=querySelectorAll type=hidden></form><x-a></x-a><script>"
    "const root = document.querySelector('x-a').attachShadow({ mode: 'open' });"
    f" root.innerHTML = `<section>{ROWS}</section>`; {DELEGATES}; {IN_A_TREE}</script>",
}  # fmt: skip


@pytest.mark.parametrize("what", TREES)
async def test_elements_in_the_trees_inside_the_document_are_listed(what: str, show: Show) -> None:
    tab = await show(TREES[what])
    assert [line for line in await listed(tab) if "iframe" not in line] == [
        f'c [generic] "{name}" [listener]' for name in ("Ann", "Cy", "Gus")
    ]


async def test_of_a_large_document_all_clickable_ones_are_listed_when_asked_for(show: Show) -> None:
    tab = await show(page(f"{DELEGATES}; rows[0].$$click = () => 1") + "<p>Line" * 1_500)
    assert await listed(tab) == ["(no interactive elements found)"]
    await tab.tree(clickable=True)
    assert await listed(tab) == ['c [generic] "Ann" [listener]'], "what the flag has found stays known"


async def test_elements_matching_a_delegate_s_selector_are_listed(show: Show) -> None:
    tab = await show(f"""<section>{ROWS}</section><div class=row>Outside</div><script>
        const section = document.querySelector('section'); section.addEventListener('click', () => 1);
        const handler = () => 1, clicks = [{{ selector: '.row:first-child', handler }}, {{ handler }}, {{ selector: ':::', handler }}];
        section.jQuery37107 = {{ events: {{ click: clicks, keyup: [{{ selector: '.row', handler }}] }} }}</script>""")
    assert await listed(tab) == ['c [generic] "Ann" [listener]']


async def test_a_row_that_comes_later_is_listed(show: Show) -> None:
    tab = await show(page(f"{DELEGATES}; rows[0].$$click = () => 1"))
    assert await listed(tab) == ['c [generic] "Ann" [listener]']
    await tab.page.call(
        "() => { const late = document.createElement('div'); late.textContent = 'Late'; late.$$click = () => 1;"
        " document.body.prepend(late) }"
    )
    assert await listed(tab) == ['c [generic] "Late" [listener]', 'c [generic] "Ann" [listener]']


async def test_reading_delegates_calls_no_code_of_the_page(show: Show) -> None:
    tab = await show(
        page(
            f"""{SEEN} {DELEGATES}; rows[0].$$click = () => 1;
            Object.defineProperty(rows[1], '__click', {{ get: () => see('getter') }});
            document.jQuery1 = {{ get events() {{ return see('events') }} }};
            document.jQuery2 = {{ events: {{ get click() {{ return see('click') }} }} }}"""
        )
    )
    assert await listed(tab) == ['c [generic] "Ann" [listener]']
    assert await tab.page.evaluate("seen") == []


async def test_a_page_whose_own_functions_are_others_hears_nothing_and_hides_only_its_handlers(
    show: Show,
) -> None:
    hidden = "rows[2].__handlers = new Proxy({}, { ownKeys: () => see('proxy') && [] })"
    tab = await show(page(f"{SEEN} {DELEGATES}; rows[0].$$click = () => 1; {hidden}"))
    assert await listed(tab) == ["(no interactive elements found)"]
    assert await tab.page.evaluate("seen") == []
    for replaced in ("Reflect.ownKeys", "Document.prototype.getElementsByTagName", "RegExp.prototype.test"):
        for body in ("see('called'); return []", "for (;;);", "throw new Error('caught')"):
            tab = await show(
                page(f"{SEEN} {DELEGATES}; rows[0].$$click = () => 1; {replaced} = function () {{ {body} }}")
                + "<button>Go</button>"
            )
            assert 'e [button] "Go"' in await listed(tab)
            assert await tab.page.evaluate("seen") == []
