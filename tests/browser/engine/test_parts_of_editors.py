"""Test what can be operated inside of an editor, whose words are the editor's value."""

import pytest

from tests.browser.conftest import Show
from tests.browser.engine.listing import listed

pytestmark = pytest.mark.same_session

EDITOR = "<div contenteditable role=textbox aria-label=Editor><p>Text</p>{}</div>"


async def inside(show: Show, markup: str, script: str = "") -> list[str]:
    """The lines of what is in an editor."""
    told = await listed(await show(f"{EDITOR.format(markup)}<script>{script}</script>"))
    assert told[0].startswith('e [textbox] "Editor": Text')
    return told[1:]


async def test_boxes_to_tick_are_told_by_the_words_behind_them(show: Show) -> None:
    item = "<li><span><span contenteditable=false><input type=checkbox></span><span>buy {}</span></span>"
    assert await inside(show, f"<ul>{item.format('milk')}{item.format('bread')}</ul>") == [
        "e [checkbox] (buy milk)",
        "e [checkbox] (buy bread)",
    ]


async def test_clickable_in_an_uneditable_part_of_an_editor_has_its_name(show: Show) -> None:
    menu = (
        "<div contenteditable=false><div class=i style=cursor:pointer>Python</div><p tabindex=0>Rust</p></div>"
    )
    assert await inside(show, menu) == [
        'c [generic] "Python" [cursor:pointer]',
        'c [paragraph] "Rust" [tabindex]',
    ]
    handle = "<b contenteditable=false id=handle><svg width=9 height=9></svg></b><i contenteditable=false>no handle</i>"
    listens = "handle.addEventListener('pointerdown', () => 0)"
    assert await inside(show, handle, listens) == ["c [generic] (#handle) [listener]"]


async def test_words_that_can_be_edited_are_no_things_to_press(show: Show) -> None:
    assert await inside(show, "<p style=cursor:pointer>words</p><div><i onclick=1>more</i></div>") == []


async def test_the_cells_of_a_table_that_are_edited_by_themselves(show: Show) -> None:
    cell = "<td contenteditable=true tabindex=-1>{}"
    table = f"<div contenteditable=false><table><tr>{cell.format('a')}{cell.format('b')}<tr>{cell.format('c')}{cell.format('')}</table></div>"
    assert await inside(show, table) == [
        *(f'c [cell] "{word}" [editable]' for word in "abc"),
        "c [cell] [editable]",
    ]


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
