"""Test that a reference is one node.

Whatever the page does to it or around it, the node is found itself, or the reference is stale.
"""

import pytest

from gstack_browse.errors import StaleRef
from tests.browser.conftest import Opened, Show
from tests.each import each

pytestmark = [pytest.mark.same_session]

PAGE = """<ul id=list></ul><ol id=other></ol><div id=host></div><iframe id=near srcdoc='<p>inside</p>'></iframe>
<script>
  window.nodes = [];
  const add = n => {
    const row = document.createElement('li');
    row.innerHTML = '<button>Delete</button><div class=card>Card</div>';
    row.querySelector('div').addEventListener('click', () => 0);
    list.append(row);
    nodes.push(row.children[0], row.children[1]);
  };
  for (let n = 0; n < 4; n++) add(n);
  host.attachShadow({ mode: 'open' });
</script>"""

ALL, NONE = 8, 0
CHANGES = {
    "sorted by taking all out first": (
        "{ const rows = [...list.children]; list.textContent = ''; list.append(...rows.slice(2), ...rows.slice(0, 2)) }",
        ALL,
    ),
    "rendered again": ("list.innerHTML = list.innerHTML", NONE),
    "one half replaced by copies": (
        "for (const row of [...list.children].slice(2)) row.replaceWith(row.cloneNode(true))", 4
    ),
    "moved into a shadow tree": ("host.shadowRoot.append(...nodes)", ALL),
    "adopted by the document of a frame": ("near.contentDocument.body.append(...nodes)", ALL),
    "adopted by a frame that then navigates": (
        "near.contentDocument.body.append(...nodes), new Promise(done => { near.onload = done; near.srcdoc = '<button>Delete' })",
        NONE,
    ),
    "adopted by a document without a window": (
        "document.implementation.createHTMLDocument().body.append(...nodes)", NONE
    ),
    "names and roles changed around": (
        "nodes.forEach((node, n) => { node.textContent = ['Delete all', 'Del', 'Card'][n % 3]; node.role = n % 2 ? 'button' : 'link' })",
        ALL,
    ),
    "written again": ("document.open(), document.write('<button>Delete</button>'.repeat(9)), document.close()", NONE),
}  # fmt: skip


async def numbered(tab: Opened) -> list[str]:
    """The references of the buttons and cards, in the order of `nodes`."""
    tree = await tab.tree(clickable=True)
    return [tree.ref(line) for line in range(len(tree)) if tree.names[line] in ("Delete", "Card")]


async def living(tab: Opened, refs: list[str]) -> int:
    """How many references are found; each of them must be the very node that it was given to."""
    found = 0
    for index, ref in enumerate(refs):
        try:
            resolved = await tab.refs.resolve(ref)
        except StaleRef:
            continue
        is_the_node = "function (index) { return top.nodes[index] === this }"
        assert await tab.page.call_on(resolved, is_the_node, index), ref
        found += 1
    return found


@each(CHANGES)
async def test_reference_of_what_the_page_changes_is_its_node_or_stale(change: str, show: Show) -> None:
    script, expected = CHANGES[change]
    tab = await show(PAGE)
    refs = await numbered(tab)
    assert len(refs) == len(set(refs)) == ALL
    await tab.page.call(
        f"async () => {{ await ({script}) }}" if script[0] not in "{f" else f"() => {{ {script} }}"
    )
    assert await living(tab, refs) == expected
    after = await numbered(tab)
    assert await living(tab, refs) == expected, "as another snapshot finds it"
    if expected == NONE:
        assert not set(after) & set(refs)


async def test_a_number_is_not_given_again_on_the_next_page(show: Show) -> None:
    tab = await show(PAGE)
    refs = await numbered(tab)
    for leave in ("reload", "go and come back"):
        if leave == "reload":
            await tab.page.reload()
        else:
            await tab.page.goto("about:blank")
            await tab.page.go_back()
        new = await numbered(tab)
        assert not set(new) & set(refs), leave
        for ref in refs:
            with pytest.raises(StaleRef, match="the page has navigated since"):
                await tab.refs.resolve(ref)
        assert await living(tab, new) == ALL, leave
        refs += new
