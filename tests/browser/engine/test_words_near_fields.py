"""Test which words are near a field without a name.

Its surroundings have no lines of their own.
"""

import itertools

import pytest

from tests.browser.conftest import Show
from tests.browser.engine.listing import listed, listed_each

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


async def test_several_boxes_of_one_row(show: Show) -> None:
    tab = await show("""<div>Size: <input type=radio> S <input type=radio> M</div><div>Next</div>
        <div>L <input type=radio> XL <input type=radio></div><div>Last</div>
        <div>Both: <input type=checkbox> <input type=checkbox></div><div>Other: <input type=checkbox> <input type=checkbox></div>""")
    assert [line.split('"')[1] for line in await listed(tab)] == ["S", "M", "L", "XL", "Both:", "Both:", "Other:", "Other:"]  # fmt: skip


async def test_words_of_a_row_with_a_field_are_near_no_field_of_another_row(show: Show) -> None:
    tab = await show("<div>Foo <input></div><div><input type=checkbox></div><div><input></div>")
    assert [line.partition("] ")[2] for line in await listed(tab)] == ['(near "Foo")', "", ""]
    tab = await show("<div>Price</div><div><input> EUR</div><div>Weight</div><div><input> kg</div>")
    assert [line.partition("] ")[2] for line in await listed(tab)] == ['(near "Price")', '(near "Weight")']


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


@pytest.mark.parametrize(
    "around", ["<ul><li>{}</li></ul>", "<div role=textbox contenteditable>{}</div>", "<fieldset>{}</fieldset>"]
)
async def test_words_outside_of_an_item_an_editor_or_a_part_of_the_page_are_not_near(
    around: str, show: Show
) -> None:
    box = "<div contenteditable=false><input type=checkbox></div>"
    lines = await listed(await show(f"<div>{around.format(box)}<p>Elsewhere</p></div>"))
    assert [line for line in lines if "checkbox" in line] == ["e [checkbox]"]


async def test_id_of_a_checkbox_is_preferred_to_a_link_of_its_row(show: Show) -> None:
    """Take no name of another column for the box that ticks all rows."""
    row = "<div><div style='display:flex'><div>{}</div><div><a href=#>{}</a></div></div></div>"
    tab = await show(
        row.format("<input type=checkbox id=all-rows>", "Name") + row.format("<input type=checkbox>", "Ann")
    )
    assert [line for line in await listed(tab) if "checkbox" in line] == ["e [checkbox] (#all-rows)", 'e [checkbox] (near "Ann")']  # fmt: skip
    tab = await show(
        "<table><tr><th><input type=checkbox></th><th>Name</th></tr><tr><td>1</td><td>Ann</td></tr></table>"
    )
    assert await listed(tab) == ["e [checkbox]"]


async def test_a_date_and_a_time_beside_each_other_are_told_by_what_they_take(show: Show) -> None:
    fields = "<div><div>From</div><div style='display:flex'><input type=date><input type=time></div></div>"
    said = [line.partition("] ")[2] for line in await listed(await show(fields))]
    assert said == ['(near "From") (date)', '(near "From") (time)']
    assert "near" not in (await listed(await show("<input type=week>")))[0]
