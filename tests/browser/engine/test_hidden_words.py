"""Test that one question proves the words of a long list shown.

A single hidden word, however it is hidden, is still left out.
"""

import pytest

from tests.browser.conftest import Show
from tests.browser.engine.listing import listed_by_case, on_one_page

pytestmark = [pytest.mark.browser, pytest.mark.same_session]

HIDING = {
    "display": '<p style="display:none">secret</p>',
    "visibility": '<p style="visibility:hidden">secret</p>',
    "visible child": '<p style="visibility:hidden">secret <b style="visibility:visible">shown</b></p>',
    "row": '<table><tr style="visibility:collapse"><td>secret<td>secret</table>',
    "details": "<details><summary>more</summary><p>secret</p></details>",
    "until-found": '<div hidden="until-found">secret</div>',
    "content-visibility": '<div style="content-visibility:hidden"><p>secret</p></div>',
    "dialog": "<dialog>secret</dialog>",
    "svg definitions": "<svg><defs><text>secret</text></defs><symbol><text>secret</text></symbol></svg>",
    "contents": '<div style="display:contents;visibility:hidden">secret</div>',
    "shadow": '<div><template shadowrootmode="open"><p>shown</p></template>secret</div>',
}


def _list(hidden: str) -> str:
    items = "".join(f"<li><a href='/{n}'>word {n}</a>" for n in range(9))
    return f"<section><ul>{items}</ul>{hidden}{'<p>below</p>' * 9}</section>"


async def test_hidden_words_in_a_long_list_are_left_out(show: Show) -> None:
    """Have them hidden from the start, or once the list was asked for. A visible child of them is told by itself."""
    tab = await show("<p>One")
    for way, hidden in HIDING.items():
        await tab.put_markup(_list(hidden))
        tree = await tab.tree()
        told = [*tree.names, *tree.values.values()]
        assert [text for text in told if "secret" in text] == [], way
        assert [sum(word in text for text in told) for word in ("word", "below")] == [9, 9], way
        assert "shown" not in hidden or any("shown" in text for text in told), way
    await tab.put_markup(_list("<p id=last>secret</p>"))
    assert any("secret" in value for value in (await tab.tree()).values.values())
    await tab.page.evaluate("document.getElementById('last').style.visibility = 'hidden'")
    tree = await tab.tree()
    assert not any("secret" in value for value in [*tree.values.values(), *tree.names])


CLOSED = "position:absolute;opacity:0;pointer-events:none"
PARTS = {
    "a drop-down": f"<div style='{CLOSED}'><input aria-label=Find><ul><li onclick=1>Item</ul><a href=#>Link</a></div>",
    "a list far outside": "<div style='position:absolute;left:-9999px;opacity:0'><div role=listbox aria-label=L><div role=option>One</div></div></div>",
    "actions of a speed dial": "<ul><li role=menuitem style='transform:scale(0)'><a href=#>Add</a><button>OK</button><li style='scale:0;opacity:0'>OK</ul>",
    "a field that a widget stands for": "<style>x-tags + label input{position:absolute;left:-99em;scale:0}</style><x-tags></x-tags><label>Tags<input name=tags></label>",
    "a transparent box in it": f"<div style='{CLOSED}'><p style=opacity:1><button>OK</button></p></div>",
}
USED = {
    "what is drawn where it stands": "<div style='opacity:0;pointer-events:none'><button>OK</button></div>",
    "a transparent button that is pressed": "<div style='position:absolute;opacity:0'><button>OK</button></div>",
    "a part of it that is pressed": f"<div style='{CLOSED}'><button style='pointer-events:auto'>OK</button></div>",
    "a box to tick": f"<label><span style='{CLOSED}'><input type=checkbox></span>OK</label>",
    "a box that its label ticks": "<label><input type=checkbox style='transform:scale(0)'>OK</label>",
    "what comes with the pointer": f"<style>.c{{{CLOSED}}} .row:hover .c{{opacity:1;pointer-events:auto}}</style><p class=row>Ann <span class=c><button>OK</button></span></p>",
    "a box of one pixel, for the keyboard": f"<div style='{CLOSED};width:1px;height:1px;overflow:hidden'><input aria-label=OK></div>",
    "what has the focus": f"<div style='{CLOSED}'><button autofocus>OK</button></div>",
}


async def test_controls_in_a_part_that_is_closed(show: Show) -> None:
    """A drop-down that fades in: wholly transparent, over the page, and taking no presses."""
    tab = await show(on_one_page(PARTS | USED))
    await tab.page.evaluate("document.querySelector('[autofocus]').focus()")
    assert {what for what, lines in (await listed_by_case(tab)).items() if lines} == set(USED)
