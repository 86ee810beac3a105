"""Test what is clicked in widgets of libraries.

Items around an arrow, roots of pop-ups, icons by their classes, frames without a name.
"""

import pytest

from tests.browser.conftest import Show
from tests.browser.engine.listing import listed, listed_one_by_one

pytestmark = pytest.mark.same_session

LISTENS = "for (const each of document.querySelectorAll('[on]')) each.addEventListener('click', () => 1)"


WIDGETS = {
    "a line around what listens is pressed at its own words": (
        f"""<li><div on><i on class=caret style="display:inline-block;width:9px;height:9px"></i><span>Folder</span></div>
        <ul><li><div on>File</div></ul><div on id=panel><h3>Panel</h3><p>Much more</p><p on>Inner</p></div>
        <div on><span on>Only inside</span></div><div on>Around <button>Button</button></div><script>{LISTENS}</script>""",
        [
            'c [generic] "Folder" [listener]', "c [generic] (.caret) [listener]",
            'c [generic] "File" [listener]', 'c [paragraph] "Inner" [listener]',
            'c [generic] "Only inside" [listener]', 'e [button] "Button"',
        ],
    ),
    "an empty place that listens is not listed": (
        f"""<div on style="position:absolute;left:0;right:0"><div hidden>Closed</div></div><div on></div>
        <div on class=dot style="width:9px;height:9px"></div><div on style="height:0">Words</div><script>{LISTENS}</script>""",
        ["c [generic] (.dot) [listener]", 'c [generic] "Words" [listener]'],
    ),
    "words for screen readers are no part of a control": (
        """<style>li > * { cursor: pointer }
        .far { position: absolute; left: -1000px; top: -1000px; font-size: 0; pointer-events: none } .small { position: absolute; width: 1px; height: 1px; overflow: hidden }</style>
        <ul role=tree><li role=treeitem aria-selected=true><i class=toggler style="display:inline-block;width:9px;height:9px"></i>Fruit
        <span class=far>Active</span><span class=small>Selected</span></ul>""",
        ['e [treeitem] "Fruit Active Selected" [selected]', "c [generic] (.toggler) [cursor:pointer]"],
    ),
    "players with controls": (
        "<video controls src=/clip.mp4></video><audio controls aria-label=Song></audio><video src=/other.mp4></video>",
        ["c [video] (clip.mp4) [video]", 'c [audio] "Song" [audio]'],
    ),
}  # fmt: skip


async def test_clickable_parts_of_widgets_are_listed(show: Show) -> None:
    """Put each widget alone into one page."""
    assert await listed_one_by_one(show, WIDGETS) == {what: lines for what, (_, lines) in WIDGETS.items()}


async def test_of_several_classes_the_one_that_tells_what_it_does_is_the_hint(show: Show) -> None:
    classes = {
        "jstree-icon jstree-checkbox": ".jstree-checkbox",
        "btn btn-icon trash": ".trash",
        "btn-icon": ".btn-icon",
        "menu-toggle": ".menu-toggle",
        "search-button wide": ".search-button",
    }
    tab = await show("".join(f"<button class='{each}'></button>" for each in classes))
    assert await listed(tab) == [f"e [button] ({hint})" for hint in classes.values()]


async def test_controls_of_frames_without_a_name_are_told_apart(show: Show) -> None:
    frames = ("id=bill", "name=ship", "class=third", "src=about:blank#4")
    tab = await show(
        "".join(f"<iframe {each}></iframe>" for each in frames)
        + "<script>for (const frame of document.querySelectorAll('iframe')) frame.contentDocument.body.innerHTML = '<button>Pay</button>'</script>"
    )
    assert await listed(tab) == [
        f'e [button] "Pay" ({frame})' for frame in ("#bill", "name=ship", ".third", "iframe")
    ]


async def test_late_listener_among_hundreds_is_listed(show: Show) -> None:
    tab = await show("""
        <section></section><script>function add(name) { const each = document.querySelector('section').appendChild(document.createElement('button'));
         each.textContent = name; each.addEventListener('click', () => 1) } for (let n = 0; n < 290; n++) add(n)</script>""")
    assert len(await listed(tab)) == 290
    await tab.page.call(
        "() => { for (let n = 0; n < 20; n++) add('New'); const late = document.body.appendChild(document.createElement('p'));"
        " late.textContent = 'Late'; late.addEventListener('click', () => 1) }"
    )
    assert (await listed(tab))[-1] == 'c [paragraph] "Late" [listener]'


async def test_shapes_of_a_drawing_are_told_by_the_words_in_their_group(show: Show) -> None:
    node = (
        "<g class=node><g><rect on class=box-of-node width=90 height=30></rect></g><g class=label><text y=20>{}</text></g>"
        "<g style=display:none><text>Status</text></g><g class=port><rect on class=port width=9 height=9 fill=red></rect></g></g>"
    )
    tab = await show(f"""
        <svg width=300 height=200>{node.format("inject")}{node.format('a "b" ) [c]')}<g><text y=90>{"Many words " * 9}</text><circle on r=9></circle></g>
        <g><g><g><g><circle on r=9 fill=blue></circle></g></g></g><text y=150>Far</text></g></svg><script>{LISTENS}</script>""")
    assert await listed(tab) == [
        'c [generic] ("inject" .box-of-node black rect) [listener]',
        'c [generic] ("inject" .port red rect) [listener]',
        'c [generic] ("a b  c" .box-of-node black rect) [listener]',
        'c [generic] ("a b  c" .port red rect) [listener]',
        "c [generic] (black circle) [listener]",
        "c [generic] (blue circle) [listener]",
    ]


async def test_equal_buttons_inside_a_control_are_told_apart_by_the_words_beside_them(show: Show) -> None:
    chips = "".join(
        f"<span class=chip><b>{name}</b><span><i role=button tabindex=0 aria-label=Remove>x</i></span></span>"
        for name in ("Cherry", "Plum")
    )
    for around in (
        "<div role=combobox tabindex=0 aria-label=Tags>{}</div>",
        "<div role=button tabindex=0 aria-label=Tags>{}</div>",
        "<div role=listbox tabindex=0 aria-label=Tags>{}</div>",
        "<button aria-label=Tags>{}</button>",
    ):
        tab = await show(around.format(chips))
        assert (await listed(tab))[1:] == ['e [button] "Remove" (Cherry)', 'e [button] "Remove" (Plum)']
    crosses = "<i role=button tabindex=0 aria-label=Remove>x</i>"
    tab = await show(f"<div role=button tabindex=0 aria-label=Tags>{crosses * 2}</div>")
    assert (await listed(tab))[1:] == ['e [button] "Remove"'] * 2
