"""Test what a modal dialog leaves of a page.

It does so wherever it is, and whatever is put into it.
"""

import pytest

from tests.browser.conftest import Opened, Show
from tests.each import each

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


async def controls(tab: Opened) -> list[str]:
    tree = await tab.tree()
    return [name for role, name in zip(tree.roles, tree.names, strict=True) if role in ("button", "textbox")]


PAGES = {
    **{
        f"in a {mode} shadow tree leaves itself and what is slotted into it": (
            f"""<x-card><button>Behind, too</button></x-card>
            <x-dialog id=d mode={mode}><input aria-label=Slotted><x-card><button>Deep</button></x-card></x-dialog><script>define(); open('d')</script>""",
            ["Close", "Slotted", "In card", "Deep"],
        )
        for mode in ("open", "closed")
    },
    "slotted leaves what is around it to be entered": (
        "<x-card id=c><button>Beside</button><dialog id=d><button>In dialog</button></dialog></x-card><script>define(); open('d')</script>", ["In dialog"],
    ),
    "not modal": (f"{NAMED['a']}<script>define(); a.dialog.show()</script>", ["Behind", "Close", "A"]),
}  # fmt: skip


@each(PAGES)
async def test_dialog_leaves_what_can_be_reached(kind: str, show: Show) -> None:
    """Find the same once the dialog is known."""
    page, told = PAGES[kind]
    tab = await show(f"{KIT}<button>Behind</button>{page}")
    for _ in range(2):
        assert await controls(tab) == told


@each([("ab", "ab"), ("ab", "ba")])
async def test_of_two_dialogs_the_one_on_top_is_left(case: tuple[str, str], show: Show) -> None:
    """Whichever comes first in the document, and whether a snapshot has seen the lower one before."""
    markup, opened = case
    page = "".join(NAMED[one] for one in markup)
    tab = await show(f"{KIT}<button>Behind</button>{page}<script>define()</script>")
    alone = {"a": ["Close", "A"], "b": ["B"]}
    for one in opened:
        await tab.page.evaluate(f"open('{one}')")
        assert await controls(tab) == alone[one]
    await tab.page.evaluate("a.dialog.close(); b.close()")
    assert "Behind" in await controls(tab)
    for one in opened:
        await tab.page.evaluate(f"open('{one}')")
    assert await controls(tab) == alone[opened[1]], "both opened at once"


async def test_a_dialog_within_a_dialog_is_left_alone(show: Show) -> None:
    nested = "<x-dialog id=a><button>A</button><x-dialog id=b><button>B</button></x-dialog></x-dialog>"
    tab = await show(f"{KIT}<button>Behind</button>{nested}<script>define(); open('a'); open('b')</script>")
    assert await controls(tab) == ["Close", "B"]
    await tab.page.evaluate("b.dialog.close()")
    assert await controls(tab) == ["Close", "A"]
