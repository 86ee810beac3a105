"""Test items of lists, menus and calendars made of plain boxes.

A box around them listens for them, or they show the hand once they are pointed at.
"""

import pytest

from tests.browser.conftest import Show
from tests.browser.engine.test_clickables import listed

pytestmark = pytest.mark.same_session

ITEM = "<div class='item{more}'><i></i> {word}</div>"
WORDS = ("Apple", "Banana", "Cherry")


def items(*more: str) -> str:
    return "".join(ITEM.format(word=word, more=" chosen" if word in more else "") for word in WORDS)


LISTS = {
    "a list": "<div id=l>{}</div>",
    "with a head and a line": "<div id=l><div class=head>Fruit</div>{}</div>",
    "in boxes": "<div id=l><div><section>{}</section></div></div>",
    "beside a head": "<div id=l><div class=head>Fruit</div><div class=body>{}</div></div>",
    "beside a few heads": "<div id=l><div class=heads><b class=h>Mo</b></div><div class=body>{}</div></div>",
    "in rows": "<div id=l><div class=row>{}</div><div class=row>{}</div><div class=row>{}</div></div>",
}


@pytest.mark.parametrize("how", LISTS)
async def test_a_box_that_listens_lists_its_items(how: str, show: Show) -> None:
    """List the items: a press on the middle of the box would be one on any of them."""
    count = LISTS[how].count("{}")
    tab = await show(
        f"{LISTS[how].format(*[items('Banana')] * count)}<p id=late></p><script>l.addEventListener('click', () => 0)</script>"
    )
    assert await listed(tab) == [f'c [generic] "{word}" [listener]' for word in WORDS] * count


async def test_the_days_of_a_month_and_not_the_heads_of_its_weeks(show: Show) -> None:
    heads = "".join(f"<span class=head>{day}</span>" for day in ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"))
    days = "".join(f"<span class=day>{day}</span>" for day in range(1, 29))
    tab = await show(
        f"""<style>span{{display:inline-block}}</style><div id=l><div><div class=heads>{heads}</div><div class=days>{days}</div></div></div>
        <script>l.addEventListener('click', () => 0)</script>"""
    )
    assert await listed(tab) == [f'c [generic] "{day}" [listener]' for day in range(1, 29)]


NO_LISTS = {
    "two of them": "<div class=i>One</div><div class=i>Two</div>",
    "boxes of several kinds": "<div class=a>One</div><div class=b>Two</div><div class=c>Three</div>",
    "boxes without a class": "<div>One</div><div>Two</div><div>Three</div>",
    "words in a line": "<b class=w>One</b> <b class=w>Two</b> <b class=w>Three</b>",
    "paragraphs": "<p class=t>One</p><p class=t>Two</p><p class=t>Three</p>",
    "words of its own": "Numbers <div class=i>One</div><div class=i>Two</div><div class=i>Three</div>",
    "a row of cells": "<div role=cell class=c>One</div><div role=cell class=c>Two</div><div role=cell class=c>Three</div>",
    "an editor's lines": "<div class=l style=cursor:text>One</div><div class=l>Two</div><div class=l>Three</div>",
}


@pytest.mark.parametrize("how", NO_LISTS)
async def test_listening_box_that_is_no_list_is_listed_once(how: str, show: Show) -> None:
    tab = await show(f"<div id=l>{NO_LISTS[how]}</div><script>l.addEventListener('click', () => 0)</script>")
    assert len(await listed(tab)) == 1


async def test_a_card_with_the_hand_is_one_thing_and_a_menu_is_not(show: Show) -> None:
    """The items of a menu look another way while the pointer is over them."""
    hand = "<style>#l{cursor:pointer}</style>"
    page = "{}<div id=l>{}</div><script>l.addEventListener('click', () => 0)</script>"
    card = await show(page.format(hand, items()))
    assert await listed(card) == ['c [generic] "Apple Banana Cherry" [cursor:pointer] [listener]']
    for rule in (".item:hover{background:#eee}", ".item{&:hover{color:red}}"):
        menu = await show(page.format(f"{hand}<style>{rule}</style>", items()))
        assert await listed(menu) == [f'c [generic] "{word}" [cursor:pointer] [listener]' for word in WORDS]


async def test_a_list_that_is_drawn_anew_and_the_keys_that_it_takes(show: Show) -> None:
    tab = await show(
        f"<div id=l tabindex=0>{items()}</div><p>Words</p><script>l.addEventListener('click', () => 0)</script>"
    )
    apples = [f'c [generic] "{word}" [listener]' for word in WORDS]
    assert await listed(tab) == ['c [generic] "Apple Banana Cherry" [tabindex]', *apples]
    await tab.page.evaluate("l.innerHTML = [1, 2, 3, 4].map((n) => `<p class=x><b>${n}</b></p>`).join('')")
    assert await listed(tab) == ['c [generic] "1 2 3 4" [listener] [tabindex]']
    await tab.page.evaluate("l.innerHTML = [1, 2, 3, 4].map((n) => `<div class=x>${n}</div>`).join('')")
    assert (await listed(tab))[1:] == [f'c [generic] "{n}" [listener]' for n in (1, 2, 3, 4)]


HANDS = {
    ".day:hover{cursor:pointer}": True,
    ".day:not(.off):hover{cursor:pointer}": True,
    "#grid > .day:hover{cursor:pointer;background:red}": True,
    "#grid:hover .day{cursor:pointer}": True,
    ".day{&:hover{cursor:pointer}}": True,
    "@media screen{.day:hover{cursor:pointer}}": True,
    ".day:hover{cursor:help}": False,
    ".day.off:hover{cursor:pointer}": False,
    ".day:not(:hover){cursor:help}": False,
    ".day:hover{cursor:pointer} .day{cursor:not-allowed}": False,
    ".day:hover::after{cursor:pointer}": False,
    ":hover{cursor:help}": False,
}


@pytest.mark.parametrize("rule", HANDS)
async def test_items_with_a_hover_rule_for_the_hand_are_listed(rule: str, show: Show) -> None:
    days = "".join(f"<span class=day>{day}</span>" for day in (1, 2))
    tab = await show(f"<style>{rule}</style><div><button>Next</button><div id=grid>{days}</div></div>")
    told = ['c [generic] "1" [cursor:pointer]', 'c [generic] "2" [cursor:pointer]']
    assert await listed(tab) == ['e [button] "Next"', *(told if HANDS[rule] else [])]


LISTENING = "<script>at.addEventListener('click', () => 0)</script>"
PARTS = {
    "pictures with names, beside a field": (
        "<div id=at><input aria-label=Find><div tabindex=-1 aria-label=sun>☀</div><div tabindex=-1 aria-label=moon>☾</div></div>",
        ['e [textbox] "Find"', 'c [generic] "sun" [listener]', 'c [generic] "moon" [listener]'],
    ),
    "a part that takes the focus by script": (
        "<div id=at><span tabindex=-1>Ann</span></div>",
        ['c [generic] "Ann" [listener]'],
    ),
    "a cell around one": (
        "<div role=grid><div role=row><div role=gridcell tabindex=-1 id=at><span tabindex=-1>Ann</span></div></div></div>",
        ['c [gridcell] "Ann" [listener]'],
    ),
    "a canvas that says what it shows": (
        "<canvas id=at width=99 height=99><table role=grid><tr><td tabindex=-1>Ann</table></canvas>",
        ["c [canvas] (#at) [listener]"],
    ),
    "a canvas with buttons for the keys": (
        "<canvas id=at tabindex=0 width=99 height=99 aria-label=Sheet><button>Draw</button></canvas>",
        ['c [canvas] "Sheet" [listener] [tabindex]'],
    ),
    "a tree whose items take the focus": (
        "<div id=at role=tree><div role=treeitem tabindex=-1>Root</div></div>",
        ['e [treeitem] "Root"'],
    ),
    "a label with an empty handler, for phones": (
        "<label for=f onclick=''>Rich</label><div id=f role=combobox tabindex=0 aria-label=Rich>choose</div><p id=at><a href=#>x</a></p>",
        ['e [combobox] "Rich": choose', 'e [link] "x"'],
    ),
    "a frame around its button": (
        "<div id=at style=cursor:pointer title=Cut><button>Cut</button></div>",
        ['e [button] "Cut"'],
    ),
    "a row around its box": (
        "<div id=at style=cursor:pointer><input type=checkbox aria-label=Cut>Cut</div>",
        ['c [generic] "Cut" [cursor:pointer] [listener]', 'e [checkbox] "Cut"'],
    ),
    "a frame around a disabled button": (
        "<span id=at tabindex=0><button disabled>Save</button></span>",
        ["c [generic] (#at) [tabindex]", 'e [button] "Save" [disabled]'],
    ),
    "a frame around a button that can be pressed": (
        "<span id=at tabindex=0><button>Save</button></span>",
        ['e [button] "Save"'],
    ),
}


@pytest.mark.parametrize("what", PARTS)
async def test_listening_box_lists_its_parts_or_itself(what: str, show: Show) -> None:
    markup, told = PARTS[what]
    assert await listed(await show(f"{markup}<p>Words</p>{LISTENING}")) == told


async def test_a_transparent_field_for_files_is_told_by_the_words_that_it_lies_over(show: Show) -> None:
    field = "<div style=position:relative><input type=file style='position:absolute;opacity:{}'><button tabindex=-1>{}</button></div>"
    tab = await show("".join(field.format(0, word) for word in ("Photo", "Letter")))
    assert (await listed(tab))[::2] == [f'e [button] "Choose File" ({word})' for word in ("Photo", "Letter")]
