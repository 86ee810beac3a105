"""Test items of lists, menus and calendars made of plain boxes, and what can be operated inside of an editor.

A box around items listens for them, or they show the hand once they are pointed at.
"""

import pytest

from tests.browser.conftest import Show
from tests.browser.engine.listing import listed, listed_each, listed_one_by_one

pytestmark = pytest.mark.same_session
ITEM = "<div class='item{more}'><i></i> {word}</div>"
WORDS = ("Apple", "Banana", "Cherry")


def items(*more: str, of: str = "") -> str:
    return "".join(ITEM.format(word=word + of, more=" chosen" if word in more else "") for word in WORDS)


LISTENING = (
    "<script>for (const at of document.querySelectorAll('.at')) at.addEventListener('click', () => 0)</script>"
)
LISTS = {
    "a list": "<div class=at>{}</div>",
    "with a head and a line": "<div class=at><div class=head>Fruit</div>{}</div>",
    "in boxes": "<div class=at><div><section>{}</section></div></div>",
    "beside a head": "<div class=at><div class=head>Fruit</div><div class=body>{}</div></div>",
    "beside a few heads": "<div class=at><div class=heads><b class=h>Mo</b></div><div class=body>{}</div></div>",
    "in rows": "<div class=at><div class=row>{}</div><div class=row>{}</div><div class=row>{}</div></div>",
}


async def test_a_box_that_listens_lists_its_items(show: Show) -> None:
    """List the items: a press on the middle of the box would be one on any of them."""
    boxes, lines = {}, {}
    for at, (how, markup) in enumerate(LISTS.items()):
        count = markup.count("{}")
        boxes[how] = markup.format(*[items("Banana", of=f" {at}")] * count)
        lines[how] = [f'c [generic] "{word} {at}" [listener]' for word in WORDS] * count
    assert await listed_each(show, boxes, after=LISTENING) == lines


NO_LISTS = {
    "two of them": "<div class=i>One</div><div class=i>Two</div>",
    "boxes of several kinds": "<div class=a>One</div><div class=b>Two</div><div class=c>Three</div>",
    "boxes without a class": "<div>One</div><div>Two</div><div>Three</div>",
    "words of its own": "Numbers <div class=i>One</div><div class=i>Two</div><div class=i>Three</div>",
    "a row of cells": "<div role=cell class=c>One</div><div role=cell class=c>Two</div><div role=cell class=c>Three</div>",
    "an editor's lines": "<div class=l style=cursor:text>One</div><div class=l>Two</div><div class=l>Three</div>",
}


async def test_listening_box_that_is_no_list_is_listed_once(show: Show) -> None:
    boxes = {how: f"<div class=at>{markup}</div>" for how, markup in NO_LISTS.items()}
    lines = await listed_each(show, boxes, after=LISTENING)
    assert {how: len(lines[how]) for how in lines} == dict.fromkeys(NO_LISTS, 1)


async def test_a_card_with_the_hand_is_one_thing_and_a_menu_is_not(show: Show) -> None:
    """The items of a menu look another way while the pointer is over them."""
    page = f"<style>#l{{cursor:pointer}}</style>{{}}<div id=l>{items()}</div><script>l.addEventListener('click', () => 0)</script>"
    menu = [f'c [generic] "{word}" [cursor:pointer] [listener]' for word in WORDS]
    pages = {
        "": ['c [generic] "Apple Banana Cherry" [cursor:pointer] [listener]'],
        "<style>.item:hover{background:#eee}</style>": menu,
        "<style>.item{&:hover{color:red}}</style>": menu,
    }
    cases = {style: (page.replace("{}", style), lines) for style, lines in pages.items()}
    assert await listed_one_by_one(show, cases) == pages


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
    "#grid > .day:hover{cursor:pointer;background:red}": True,
    "#grid:hover .day{cursor:pointer}": True,
    ".day{&:hover{cursor:pointer}}": True,
    ".day:hover{cursor:help}": False,
    ".day:not(:hover){cursor:help}": False,
    ".day:hover{cursor:pointer} .day{cursor:not-allowed}": False,
    ".day:hover::after{cursor:pointer}": False,
}


async def test_items_with_a_hover_rule_for_the_hand_are_listed(show: Show) -> None:
    days = "".join(f"<span class=day>{day}</span>" for day in (1, 2))
    told = ['c [generic] "1" [cursor:pointer]', 'c [generic] "2" [cursor:pointer]']
    tab, lines = await show("<p>One"), {}
    for rule in HANDS:
        await tab.put_markup(f"<style>{rule}</style><div><button>Next</button><div id=grid>{days}</div></div>")
        lines[rule] = await listed(tab)
    assert lines == {rule: ['e [button] "Next"', *(told if hand else [])] for rule, hand in HANDS.items()}


PARTS = {
    "pictures with names, beside a field": (
        "<div class=at><input aria-label=Find><div tabindex=-1 aria-label=sun>☀</div><div tabindex=-1 aria-label=moon>☾</div></div>",
        ['e [textbox] "Find"', 'c [generic] "sun" [listener]', 'c [generic] "moon" [listener]'],
    ),
    "a cell around one": (
        "<div role=grid><div role=row><div role=gridcell tabindex=-1 class=at><span tabindex=-1>Ann</span></div></div></div>", ['c [gridcell] "Ann" [listener]'],
    ),
    "a canvas that says what it shows": (
        "<canvas class=at width=99 height=99><table role=grid><tr><td tabindex=-1>Ann</table></canvas>", ["c [canvas] (.at) [listener]"],
    ),
    "a tree whose items take the focus": ("<div class=at role=tree><div role=treeitem tabindex=-1>Root</div></div>", ['e [treeitem] "Root"']),
    "a label with an empty handler, for phones": (
        "<label for=f onclick=''>Rich</label><div id=f role=combobox tabindex=0 aria-label=Rich>choose</div><p class=at><a href=#>x</a></p>",
        ['e [combobox] "Rich": choose', 'e [link] "x"'],
    ),
    "a frame around its button": ("<div class=at style=cursor:pointer title=Cut><button>Cut</button></div>", ['e [button] "Cut"']),
    "a row around its box": (
        "<div class=at style=cursor:pointer><input type=checkbox aria-label=Cut>Cut</div>", ['c [generic] "Cut" [cursor:pointer] [listener]', 'e [checkbox] "Cut"'],
    ),
    "a frame around a disabled button": (
        "<span class=at tabindex=0><button disabled>Save</button></span>", ["c [generic] (.at) [tabindex]", 'e [button] "Save" [disabled]'],
    ),
    "a frame around a button that can be pressed": ("<span class=at tabindex=0><button>Save</button></span>", ['e [button] "Save"']),
}  # fmt: skip


async def test_listening_box_lists_its_parts_or_itself(show: Show) -> None:
    boxes = {what: markup for what, (markup, _) in PARTS.items()}
    assert await listed_each(show, boxes, after=LISTENING) == {what: told for what, (_, told) in PARTS.items()}


EDITOR = "<div contenteditable role=textbox aria-label=Editor><p>Text</p>{}</div>"
CELL = "<td contenteditable=true tabindex=-1>{}"
TASK = "<li><span><span contenteditable=false><input type=checkbox></span><span>buy {}</span></span>"
EDITED_PARTS = {
    "boxes to tick are told by the words behind them": (f"<ul>{TASK.format('milk')}{TASK.format('bread')}</ul>", ["e [checkbox] (buy milk)", "e [checkbox] (buy bread)"]),
    "what is clicked in an uneditable part has its name": (
        "<div contenteditable=false><div class=i style=cursor:pointer>Python</div><p tabindex=0>Rust</p></div>",
        ['c [generic] "Python" [cursor:pointer]', 'c [paragraph] "Rust" [tabindex]'],
    ),
    "a handle that listens": (
        "<b contenteditable=false id=handle><svg width=9 height=9></svg></b><i contenteditable=false>no handle</i>"
        "<script>handle.addEventListener('pointerdown', () => 0)</script>",
        ["c [generic] (#handle) [listener]"],
    ),
    "words that can be edited are no things to press": ("<p style=cursor:pointer>words</p><div><i onclick=1>more</i></div>", []),
    "cells of a table that are edited by themselves": (
        f"<div contenteditable=false><table><tr>{CELL.format('a')}{CELL.format('b')}<tr>{CELL.format('')}</table></div>",
        ['c [cell] "a" [editable]', 'c [cell] "b" [editable]', "c [cell] [editable]"],
    ),
}  # fmt: skip


async def test_control_inside_of_an_editor_is_listed(show: Show) -> None:
    pages = {what: (EDITOR.format(markup), lines) for what, (markup, lines) in EDITED_PARTS.items()}
    for what, lines in (await listed_one_by_one(show, pages)).items():
        assert lines[0].startswith('e [textbox] "Editor": Text'), what
        assert lines[1:] == EDITED_PARTS[what][1]


EDITED = {
    "h2": 'c [heading] "Words" [level=2] [editable]',
    "p": 'c [paragraph] "Words" [editable]',
    "blockquote": "c [blockquote] [editable]: Words",
    "figure": 'c [figure] "Words" [editable]',
    "div": "e [textbox]: Words",
    "section": "e [textbox]: Words",
}


async def test_whatever_is_edited_is_listed(show: Show) -> None:
    for editable, told in (("true", list(EDITED.values())), ("false", ["(no interactive elements found)"])):
        page = "".join(f"<{tag} contenteditable={editable}>Words</{tag}>" for tag in EDITED)
        assert await listed(await show(page)) == told
