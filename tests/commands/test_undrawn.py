"""Test parts of a drawing (SVG) that are not drawn.

Chromium lays out the content of a group that is not displayed, and calls that visible.
"""

import pytest

from gstack_browse.errors import NotInteractable
from tests.commands.conftest import Fails, Run, Show

pytestmark = pytest.mark.same_session

DRAWING = """<style>.hide { display: none } .hand { cursor: pointer }</style><svg width=400 height=200>
<text y=20>Shown</text><g><a href=#y><text y=40>Top</text></a></g>
<g class=hide><text id=words y=60>Hidden</text><a id=link href=#x><text y=80>Link</text></a>
<foreignObject y=90 width=90 height=30><button id=inside>Inside</button></foreignObject></g>
<g class="hand hide"><g><rect width=9 height=9 /></g></g><g class=hide onclick=1><text y=99>Pressed</text></g>
<defs><text id=defined y=90>Defined</text></defs><g id=empty class=hide tabindex=0></g></svg>"""


async def test_content_of_an_undisplayed_group_is_hidden(run: Run, show: Show, fails: Fails) -> None:
    """Wait for it until it is displayed."""
    await show(DRAWING)
    assert await run("snapshot") == '[text]: Shown\n@e1 [link] "Top"'
    assert await run("snapshot -iC") == '@e1 [link] "Top"'
    for target in ("#words", "#link", "#inside", "#defined", "#empty"):
        assert await run("is visible", target) == "false", target
        assert await run("is hidden", target) == "true", target
    hidden = await fails("click '#link' --timeout 50", NotInteractable)
    assert hidden.message == '<a#link> "Link" is hidden'
    await run("js", "document.querySelectorAll('.hide').forEach(each => each.classList.remove('hide'))")
    await run("wait text=Hidden")
    assert await run("is visible '#link'") == "true"
    assert '[link] "Link"' in await run("snapshot -i")


async def test_text_of_an_undisplayed_group_is_no_part_of_a_name(run: Run, show: Show) -> None:
    await show(
        "<button><svg><g style='display:none'><text>Hidden</text></g><defs><text>Defined</text></defs><text>Zoom</text></svg> in</button>"
    )
    assert await run("snapshot -i") == '@e1 [button] "Zoom in"'
