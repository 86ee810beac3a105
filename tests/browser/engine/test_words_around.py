"""Test the words that tell equal controls apart, and those near a field without a name.

Chips, cards, the cells of a layout, rows of a form.
"""

import itertools
import re

import pytest

from tests.browser.conftest import Show
from tests.browser.engine.listing import listed, listed_each, listed_one_by_one
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

CROSS = "<i role=button aria-label=Remove>x</i>"


def alike_cards(*names: str) -> str:
    card = "<div class=card><div><span>img</span>{0}</div><div>{1}</div><div><span>Step 40</span></div><img alt='at 40'></div>"
    return "".join(card.format("<button>Pin</button>", name) for name in names)


def files(kind: str, *names: str) -> str:
    """Return an area to drop files on, with those that are there."""
    icon = f"<svg width=16 height=16 viewBox='0 0 24 24' {kind}><path d='M3 3L20 20'/></svg>"
    there = "".join(f"<div><div><p>{name}</p></div><div>{icon}</div></div>" for name in names)
    return f"<div style='cursor:pointer'><p>Drop files here</p>{there}</div><script>for (const one of document.querySelectorAll('svg')) one.onclick = () => 0</script>"


ROW = "<div><div style='display:grid'><i role=checkbox aria-label={0}></i><div>{0}</div><div>Where</div><div><button>Menu</button></div></div></div>"
PART = "<div><div>{0} <button>Fold</button></div><p><button>Add</button></p></div>"
CITY = "<div>City <a href=#>{} hall</a> <input placeholder=Search></div>"
PLACES = {
    "words that several share tell none": (f"<div><div>{CROSS}red {CROSS}green</div></div>", ['"Remove"', '"Remove"']),
    "cards that begin alike, by what comes later": (alike_cards("adam", "sgd", "lion"), ['"Pin" (adam)', '"Pin" (sgd)', '"Pin" (lion)']),
    "a text beside other buttons is of what follows it": (
        PART.format("Users") + PART.format("Groups"), ['"Fold" (Users)', '"Add" (Users)', '"Fold" (Groups)', '"Add" (Groups)'],
    ),
    # The lines of sentences are written when they end, wherever that is.
    "sentences that begin in a box or before it": (
        f"Ann and <div>{CITY.format('Oslo')}</div>Bob and <div>{CITY.format('Rome')}</div>",
        ['"Oslo hall"', '"Search" (City Oslo hall)', '"Rome hall"', '"Search" (City Rome hall)'],
    ),
    "texts that follow each other without a control between them, in boxes that are kept apart": (
        "<div style='display:grid'><i role=checkbox aria-label=All></i><div>Name</div><div>Place</div><div>More</div></div>"
        f"<div>{ROW.format('Ann')}{ROW.format('Bob')}</div>",
        ['"All"', '"Ann"', '"Menu" (Ann)', '"Bob"', '"Menu" (Bob)'],
    ),
    "a state of one of many tells none": (
        "<style>.tick{cursor:pointer;display:block;width:9px;height:9px}</style><b class=tick></b><b class='tick ticked'></b><b class=tick></b>",
        ["(.tick)", "(.tick)", "(.tick)"],
    ),
    # By their classes, where no words differ. For a link or a button with a name, no markup is printed.
    "days of the next month and of this one": (
        "<style>.day{cursor:pointer}</style><div class=day>1</div><div class=day>2</div><div class='day next'>1</div><div class='day next'>2</div>"
        "<button class=a>Go</button><button class=b>Go</button>",
        ['"1"', '"2"', '"1" (.next)', '"2" (.next)', '"Go"', '"Go"'],
    ),
    # By words that have no lines: they are in the name of the box.
    "an icon in a clickable box": (files("", "one.txt"), ['"Drop files here one.txt"', "(one.txt)"]),
    "several with a class": (
        files("class=trash", "a.txt", "b.txt"), ['"Drop files here a.txt b.txt"', '("a.txt" .trash)', '("b.txt" .trash)'],
    ),
}  # fmt: skip


async def test_equal_controls_are_told_apart_by_what_is_around_them(show: Show) -> None:
    """Compare the lines without their roles and marks."""
    lines = await listed_one_by_one(show, PLACES)
    told = {
        what: [re.sub(r"^\w \[\w+\] | \[[a-z:]+\]", "", line) for line in found]
        for what, found in lines.items()
    }
    assert told == {what: expected for what, (_, expected) in PLACES.items()}


CARDS = {
    "a picture": ("", "<div><span>img</span>{}</div><div>same</div><img alt=adam>", "<div><span>img</span>{}</div><div>same</div><img alt=adam>"),
    "a text": ("All", "{}<div>adam</div>", "{}"),
    "a text, after a paragraph": ("", "<p>img {}</p><div>adam</div>", "<p>img {}</p>"),
    "a text, with one behind": ("All", "{}<div>adam</div>", "{}<div>all</div>"),
    "a heading": ("", "<h3>adam</h3>{}", "<div>{}</div>"),
    "a heading of one": ("", "<h3>adam</h3><div>{}</div>", "<i>none</i> {}"),
    "an opened button": ("", "<button aria-expanded=true>adam</button>{}", "{}<i>none</i>"),
}  # fmt: skip


async def test_no_words_of_another_card_are_said(show: Show) -> None:
    cards = {}
    for how, (before, *parts) in CARDS.items():
        pin = f"<button>Pin {len(cards)}</button>"
        cards[how] = (
            f"<div>{before}{''.join(f'<div class=card>{part.format(pin)}</div>' for part in parts)}</div>"
        )
    lines = await listed_each(show, cards)
    assert {how: lines[how][-1] for how in CARDS if "adam" in lines[how][-1]} == {}
    assert all("Pin" in lines[how][-1] for how in CARDS)


async def test_boxes_in_frames_of_any_origin(show: Show, site: Web) -> None:
    inner = site.show(f"<div>{CROSS}a</div><div>{CROSS}b</div>")
    tab = await show(f"""
        <p>Words</p><iframe src='{inner}'></iframe><iframe src='{inner.replace(site.url, site.other)}'></iframe>
        <div><div>{CROSS}last</div><div>{CROSS}least</div></div>""")
    told = [line.partition('"Remove" ')[2] for line in await listed(tab)]
    assert told[-2:] == ["(last)", "(least)"]
    assert ["a" in told[0], "b" in told[1], "a" in told[2], "b" in told[3]] == [True] * 4


async def test_classes_tell_days_of_one_month_and_not_those_of_two(show: Show) -> None:
    """Choose the class in which most of the days differ: the other ones are of the day of the week."""

    def month(name: str, *days: str) -> str:
        head = "".join(f"<th>{day}" for day in ("Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"))
        cells = [f"<td class='{'weekend ' * (place % 7 in (0, 6))}{'off ' * ('.' in day)}day'>{day.strip('.')}" for place, day in enumerate(days)]  # fmt: skip
        rows = "".join(f"<tr>{''.join(cells[at : at + 7])}" for at in range(0, len(cells), 7))
        return f"<table><thead><tr><th><th colspan=5>{name}<th><tr>{head}<tbody>{rows}</table>"

    first = [*map(str, range(1, 8)), "8", "9", "1.", "2.", "3.", "4.", "5."]
    tab = await show("<style>.day{cursor:pointer}</style>" + month("May 2026", *first) + month("June 2026", *map(str, range(1, 8))))  # fmt: skip
    told = [line.removeprefix("c [cell] ").removesuffix(" [cursor:pointer]") for line in await listed(tab)]
    assert told == [
        '"1" (May 2026, .weekend)',
        *(f'"{day}" (May 2026)' for day in range(2, 8)),
        '"8"',
        '"9"',
        *(f'"{day}" (May 2026, .off)' for day in range(1, 6)),
        *(f'"{day}" (June 2026)' for day in range(1, 8)),
    ]


TICKED = ["<input type=checkbox>", "<input type=radio>", "<b role=switch tabindex=0 style='display:inline-block;width:9px;height:9px'></b>"]  # fmt: skip
ROWS = {
    "words first": "<div>{word}: {box}</div>",
    "words first, marked": "<div><span>{word}</span>{box}</div>",
    "words first, deeper": "<div><div><div>{word}</div></div><div>{box}</div></div>",
    "a link first": "<div><a href=#>{word}</a> {box}</div>",
    "words behind": "<div>{box} {word}</div>",
    "words behind, in a cell of their own": "<div style='display:grid;grid-template-columns:1fr 1fr'><div><label>{box}</label></div><div>{word}</div></div>",
    "a link behind, and a text that is no name": "<div style='display:flex'><div>{box}</div><div><a href=#>{word}</a></div><div>never</div></div>",
    "a paragraph": "<p>{word} {box}</p>",
    "a legend": "<legend>{word} {box}</legend>",
    "another field": "<div>{word} {box} <input aria-label=Amount></div>",
}  # fmt: skip


async def test_the_words_of_its_own_row_are_near_a_box_to_tick(show: Show) -> None:
    """Not those of the row before it, nor of the next one, whichever side they stand on."""
    words = ["Foo", "Bar", "Baz"]
    rows = {
        f"{how}, {at}": "".join(ROWS[how].format(word=word, box=box) for word in words)
        for how, (at, box) in itertools.product(ROWS, enumerate(TICKED))
    }
    found = {
        how: [line.split('"')[1].rstrip(":") for line in lines if any(role in line for role in ("checkbox", "radio", "switch"))]
        for how, lines in (await listed_each(show, rows)).items()
    }  # fmt: skip
    assert found == dict.fromkeys(rows, words)


TICK = "<input type=checkbox>"
LINK_ROW = "<div><div style='display:flex'><div>{}</div><div><a href=#>{}</a></div></div></div>"
NEAR = {
    "boxes of one row, words behind": ("<div>Size: <input type=radio> S <input type=radio> M</div><div>Next</div>", ['(near "S")', '(near "M")']),
    "words before": ("<div>L <input type=radio> XL <input type=radio></div><div>Last</div>", ['(near "L")', '(near "XL")']),
    "words of both": (f"<div>Both: {TICK} {TICK}</div><div>Other: {TICK} {TICK}</div>", ['(near "Both:")'] * 2 + ['(near "Other:")'] * 2),
    "a row with a field has no words for another row": (f"<div>Foo <input></div><div>{TICK}</div><div><input></div>", ['(near "Foo")', "", ""]),
    "units": ("<div>Price</div><div><input> EUR</div><div>Weight</div><div><input> kg</div>", ['(near "Price")', '(near "Weight")']),
    # Take no name of another column for the box that ticks all rows.
    "an id is preferred to a link of the row": (
        LINK_ROW.format("<input type=checkbox id=all-rows>", "Name") + LINK_ROW.format(TICK, "Ann"), ["(#all-rows)", '"Name"', '(near "Ann")', '"Ann"'],
    ),
    "a head of a column": (f"<table><tr><th>{TICK}</th><th>Name</th></tr><tr><td>1</td><td>Ann</td></tr></table>", [""]),
    "a date and a time are told by what they take": (
        "<div><div>From</div><div style='display:flex'><input type=date><input type=time></div></div>", ['(near "From") (date)', '(near "From") (time)'],
    ),
    "a week": ("<input type=week>", ["(week)"]),
    **{
        f"no words from outside of <{around[1:9]}": (f"<div>{around.format(f'<div contenteditable=false>{TICK}</div>')}<p>Elsewhere</p></div>", [""])
        for around in ("<ul><li>{}</li></ul>", "<fieldset>{}</fieldset>")
    },
    "nor of an editor": (
        f"<div><div role=textbox contenteditable><div contenteditable=false>{TICK}</div></div><p>Elsewhere</p></div>", ["", ""],
    ),
}  # fmt: skip


async def test_words_near_fields_without_a_name(show: Show) -> None:
    lines = await listed_one_by_one(show, NEAR)
    told = {what: [line.partition("] ")[2] for line in found] for what, found in lines.items()}
    assert told == {what: expected for what, (_, expected) in NEAR.items()}
