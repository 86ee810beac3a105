"""Test what can be operated inside of an editor, whose words are the editor's value."""

import pytest

from tests.browser.conftest import Show
from tests.browser.engine.listing import listed

pytestmark = pytest.mark.same_session
EDITOR = "<div contenteditable role=textbox aria-label=Editor><p>Text</p>{}</div>"
CELL = "<td contenteditable=true tabindex=-1>{}"
TASK = "<li><span><span contenteditable=false><input type=checkbox></span><span>buy {}</span></span>"
PARTS = {
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
    told = {}
    for what, (markup, _) in PARTS.items():
        markup, script, rest = markup.partition("<script>")
        lines = await listed(await show(f"{EDITOR.format(markup)}{script}{rest}"))
        assert lines[0].startswith('e [textbox] "Editor": Text')
        told[what] = lines[1:]
    assert told == {what: lines for what, (_, lines) in PARTS.items()}


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
