"""Test what a modal dialog leaves of a page.

It does so wherever it is, and whatever is put into it.
"""

import pytest

from tests.browser.conftest import Opened, Show

pytestmark = pytest.mark.same_session

KIT = """<script>
class XDialog extends HTMLElement {
  constructor() {
    super();
    const root = this.attachShadow({ mode: this.getAttribute('mode') ?? 'open' });
    root.innerHTML = '<p>Beside</p><dialog><button>Close</button><slot></slot></dialog>';
    this.dialog = root.querySelector('dialog');
  }
}
class XCard extends HTMLElement {
  constructor() {
    super();
    this.attachShadow({ mode: 'open' }).innerHTML = '<button>In card</button><slot></slot>';
  }
}
const define = () => { customElements.define('x-dialog', XDialog); customElements.define('x-card', XCard) };
const open = (id) => { const there = document.getElementById(id); (there.dialog ?? there).showModal() };
</script>"""
NAMED = {"a": "<x-dialog id=a><button>A</button></x-dialog>", "b": "<dialog id=b><button>B</button></dialog>"}


async def buttons(tab: Opened) -> list[str]:
    tree = await tab.tree()
    return [name for role, name in zip(tree.roles, tree.names, strict=True) if role == "button"]


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_a_dialog_in_a_shadow_tree_leaves_itself_and_what_is_slotted_into_it(
    show: Show, mode: str
) -> None:
    tab = await show(f"""{KIT}<button>Behind</button><x-card><button>Behind, too</button></x-card>
        <x-dialog id=d mode={mode}><input aria-label=Slotted><x-card><button>Deep</button></x-card></x-dialog>
        <script>define(); open('d')</script>""")
    assert await buttons(tab) == ["Close", "In card", "Deep"]
    assert '  textbox "Slotted"' in await tab.lines()
    assert await buttons(tab) == ["Close", "In card", "Deep"], "the same once the dialog is known"


async def test_a_dialog_that_is_slotted_leaves_what_is_around_it_to_be_entered(show: Show) -> None:
    tab = await show(f"""
        {KIT}<x-card id=c><button>Beside</button><dialog id=d><button>In dialog</button></dialog></x-card>
        <script>define(); open('d')</script>""")
    assert await buttons(tab) == ["In dialog"]


@pytest.mark.parametrize("markup", ["ab", "ba"])
@pytest.mark.parametrize("opened", ["ab", "ba"])
async def test_of_two_dialogs_the_one_on_top_is_left(show: Show, markup: str, opened: str) -> None:
    """Whichever comes first in the document, and whether a snapshot has seen the lower one before."""
    page = "".join(NAMED[one] for one in markup)
    tab = await show(f"{KIT}<button>Behind</button>{page}<script>define()</script>")
    alone = {"a": ["Close", "A"], "b": ["B"]}
    for one in opened:
        await tab.page.evaluate(f"open('{one}')")
        assert await buttons(tab) == alone[one]
    await tab.page.evaluate("a.dialog.close(); b.close()")
    assert "Behind" in await buttons(tab)
    for one in opened:
        await tab.page.evaluate(f"open('{one}')")
    assert await buttons(tab) == alone[opened[1]], "both opened at once"


async def test_a_dialog_within_a_dialog_is_left_alone(show: Show) -> None:
    tab = await show(f"""
        {KIT}<button>Behind</button><x-dialog id=a><button>A</button><x-dialog id=b><button>B</button></x-dialog></x-dialog>
        <script>define(); open('a'); open('b')</script>""")
    assert await buttons(tab) == ["Close", "B"]
    await tab.page.evaluate("b.dialog.close()")
    assert await buttons(tab) == ["Close", "A"]


async def test_a_dialog_without_a_veil_is_found(show: Show) -> None:
    tab = await show(
        f"{KIT}<style>dialog::backdrop {{ display: none }}</style><dialog id=b style='margin: 5px'><button>B</button></dialog>"
        f"{NAMED['a']}<script>define(); open('a'); open('b')</script>"
    )
    assert await buttons(tab) == ["B"]


async def test_a_dialog_that_is_not_modal_hides_nothing(show: Show) -> None:
    tab = await show(f"{KIT}<button>Behind</button>{NAMED['a']}<script>define(); a.dialog.show()</script>")
    assert await buttons(tab) == ["Behind", "Close", "A"]
