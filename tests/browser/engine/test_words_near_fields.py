"""Test which words are near a field without a name.

Its surroundings have no lines of their own.
"""

import itertools

import pytest

from tests.browser.conftest import Show
from tests.browser.engine.listing import listed_each, listed_one_by_one

pytestmark = pytest.mark.same_session
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


LABELS = {
    "a box to tick before": "<p><input type=checkbox id=l><label for=l>Lotus</label></p><p>{field}</p>",
    "a label before its field": "<p>{field}</p><p><label for=l>Lotus</label> <input id=l></p>",
    "a label in the same row": "<p>{field}<label for=l>Lotus</label> <input id=l></p>",
    "a label behind, in the same row": "<div><input type=checkbox id=l><label for=l>Lotus</label>{field}</div>",
}


async def test_the_label_of_another_field_is_near_none(show: Show) -> None:
    fields = {"textbox": "<input class=manufacturer>", "checkbox": "<input type=checkbox class=manufacturer>"}
    rows = {
        f"{how}, {role}": markup.replace("=l>", f"=l{at}{role}>").format(field=field)
        for at, (how, markup) in enumerate(LABELS.items())
        for role, field in fields.items()
    }
    lines = await listed_each(show, rows)
    assert {how: [line for line in lines[how] if "manufacturer" in line] for how in lines} == {
        how: [f"e [{how.split(', ')[-1]}] (.manufacturer)"] for how in rows
    }


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
