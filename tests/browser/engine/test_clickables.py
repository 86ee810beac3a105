"""Test what can be clicked without a role, as snapshots list it, and controls without a name."""

import itertools

import pytest

from gstack_browse.browser.engine import click_listeners
from gstack_browse.snapshot.render import render
from gstack_browse.snapshot.tree import Options
from tests.browser.conftest import Show
from tests.browser.engine.listing import listed, listed_each, listed_one_by_one
from tests.each import each

pytestmark = pytest.mark.same_session

CHOICES = "".join(
    f"<div role=row><div role=gridcell>{fruit}</div><div role=gridcell>{kind}</div></div>"
    for fruit, kind in (("Apple", "Fruit"), ("Beet", "Root"))
)

HIDDEN = "aria-hidden=true"
HAND = "cursor:pointer;width:9px;height:9px"
SVG = "<svg width=9 height=9 {}><path d='M0 0h9v9z'/></svg>"
LISTENS = "for (const each of document.querySelectorAll('[on]')) each.addEventListener('click', () => 1)"
BLANKS = "\n" + " " * 300
MAY = """<div role=row><div role=gridcell aria-label='May 1'>1</div><div role=gridcell aria-label='May 2'>2</div><div role=gridcell>Free</div>
    <div role=gridcell class=cross><svg width=9 height=9></svg></div></div>"""


def node(words: str) -> str:
    """Return a node of a drawn flow."""
    return f"""<g class=node><g><rect on class=box-of-node width=90 height=30></rect></g><g class=label><text y=20>{words}</text></g>
    <g style=display:none><text>Status</text></g><g class=port><rect on class=port width=9 height=9 fill=red></rect></g></g>"""


ALONE = {
    "what listens for a right click alone": (
        """<div id=a>Alone</div><div onclick="1">Card <b id=b>menu</b></div><button>Press <i id=c>me</i></button>
        <script>for (const it of [a, b, c]) it.addEventListener('contextmenu', () => 1)</script>""",
        [
            'c [generic] "Alone" [listener]', 'c [generic] "Card menu" [onclick]',
            'c [generic] "menu" [listener]', 'e [button] "Press me"',
        ],
    ),
    "a box is not called as a part of it is labelled": (
        """<b id=t>Left</b><div id=at><div role=tabpanel aria-labelledby=t>Content</div></div><script>at.onclick = () => 0</script>""",
        ['c [generic] "Content" [listener]'],
    ),
    # The arrow keys move the tabindex of 0, and the role with it, as in JupyterLab 4.6.
    "items of a list of which only one can be reached by Tab": (
        """<ul><li><b class=name tabindex=0 role=button>a.md</b><li><b class=name tabindex=-1>b.csv</b><i tabindex=-1>now</i></ul>
        <ul><li><b class=name tabindex=-1>Words</b><li><b tabindex=0>Other</b></ul>""",
        ['e [button] "a.md"', 'c [generic] "b.csv" [tabindex]', 'c [generic] "Other" [tabindex]'],
    ),
    "cells of a grid of which only one can be reached by Tab": (
        """<div role=grid><div role=row><div role=gridcell tabindex=0 class=first>Ann</div><div role=gridcell tabindex=-1>7</div></div>
        <div role=row><div role=gridcell tabindex=-1 class=first>Bob</div><div role=gridcell>8</div></div></div>
        <table role=grid><tr><th tabindex=0>Name<tr><td tabindex=-1>Cy</table><table role=grid><tr><td tabindex=-1>Words</table>""",
        [f'c [{what} [tabindex]' for what in ('gridcell] "Ann"', 'gridcell] "7"', 'gridcell] "Bob"', 'columnheader] "Name"', 'gridcell] "Cy"')],
    ),
    "the words of a tree item that listen for it, and the lines between items of a menu": (
        """<ul role=tree><li role=treeitem tabindex=0 aria-expanded=true><div onclick=1>Documents</div>
        <ul role=group><li role=treeitem tabindex=-1><div onclick=1>CV</div><li role=treeitem tabindex=-1><div onclick=1>Notes</div><b onclick=1>2</b>
        <li role=treeitem tabindex=-1><span onclick=1>Narrow</span></ul></ul>
        <ul role=menu><li role=menuitem tabindex=0>Open<li role=presentation tabindex=0><i></i><li role=presentation tabindex=0>New</ul>""",
        [
            'e [treeitem] "Documents" [expanded]', 'e [treeitem] "CV"', 'e [treeitem] "Notes 2"', 'c [generic] "Notes" [onclick]',
            'c [generic] "2" [onclick]', 'e [treeitem] "Narrow"', 'c [generic] "Narrow" [onclick]', 'e [menuitem] "Open"', 'c [listitem] "New" [tabindex]',
        ],
    ),
    # Libraries that listen at the top of the page leave no other sign.
    "a row that can be selected": (
        """<div role=grid aria-label=Tags><div role=row aria-selected=false tabindex=-1><div role=gridcell>News <button>x</button></div></div>
        <div role=row aria-selected=true tabindex=-1><div role=gridcell>Travel</div></div>
        <div role=row aria-selected=false aria-disabled=true><div role=gridcell>Off</div></div></div>
        <table><tr aria-selected=false><td>Ann<td><input type=checkbox aria-label=Pick><tr><td>Bob</table>""",
        [
            'c [row] "News" [selectable]', 'e [button] "x"', 'c [row] "Travel" [selected] [selectable]',
            'c [row] "Ann" [selectable]', 'e [checkbox] "Pick"',
        ],
    ),
    # List them as choices, wherever the listener is. Do not list the cells of a grid beside it.
    "cells of the grid that a combobox opens": (
        f"""<input role=combobox aria-label=Food aria-haspopup=grid aria-expanded=true aria-owns=pop><div role=grid id=pop>{CHOICES}<table role=grid><tr><td class=c>Corn</table></div>
        <input role=combobox aria-label=Shut aria-haspopup=grid aria-expanded=false aria-controls=shut><div role=grid id=shut>{CHOICES}</div>""",
        [
            'e [combobox] "Food" [expanded] [popup=grid]', 'c [gridcell] "Apple" [selectable]',
            'c [gridcell] "Fruit" [selectable]', 'c [gridcell] "Beet" [selectable]',
            'c [gridcell] "Root" [selectable]', 'c [gridcell] "Corn" [selectable]',
            'e [combobox] "Shut" [collapsed] [popup=grid]',
        ],
    ),
    # A row with a button of its own for that is not.
    "a row that opens by keys or a double click": (
        """<table role=treegrid aria-label=Inbox><tr aria-expanded=false tabindex=-1><td>First<td><a href=#>ann@x</a><tr tabindex=-1><td>Second
        <tr aria-expanded=true tabindex=-1><td>Third <button aria-label=Fold>-</button></table>""",
        ['c [row] "First" [collapsed] [expandable]', 'e [link] "ann@x"', 'e [button] "Fold"'],
    ),
    "a host around the button of its shadow tree is not listed": (
        """<x-a onclick=1>Save</x-a><x-b onclick=1></x-b><x-c onclick=1>Words</x-c><x-d onclick=1>Red</x-d><x-e onclick=1>Card</x-e>
        <x-f><button>Pick</button></x-f><x-g><p><input type=checkbox aria-label="Row 1"></p></x-g><script>
        const grow = (name, html) => document.querySelector(name).attachShadow({mode: 'open'}).innerHTML = html;
        grow('x-a', '<button><slot></slot></button>'); grow('x-b', '<input aria-label=Field>'); grow('x-c', '<p><slot></slot></p>');
        grow('x-d', '<input type=radio id=r><label for=r><slot></slot></label>'); grow('x-e', '<slot></slot><a href=#>More</a>');
        grow('x-f', '<div style="cursor: pointer"><slot></slot></div>'); grow('x-g', '<div tabindex=0 aria-label="Row 1"><slot></slot></div>')</script>""",
        [
            'e [button] "Save"', 'e [textbox] "Field"', 'c [generic] "Words" [onclick]', 'e [radio] "Red"', 'c [generic] "Card" [onclick]',
            'e [link] "More"', 'e [button] "Pick"', 'e [checkbox] "Row 1"',
        ],
    ),
    # Each widget of Panel is in a shadow tree, and so is the column that listens.
    "a host that listens for the controls in shadow trees below it is not listed": (
        """<x-column></x-column><script>
        const grow = (host, html) => { const root = host.attachShadow({mode: 'open'}); root.innerHTML = html; return root };
        const column = document.querySelector('x-column'), root = grow(column, '<x-text></x-text><x-box></x-box>');
        grow(root.children[0], '<b>Name</b><input>'); grow(root.children[1], '<input type=checkbox><i>Agree</i>');
        column.addEventListener('click', () => 0)</script>""",
        ['e [textbox] (near "Name")', 'e [checkbox] (near "Agree")'],
    ),
    # What listens itself is another thing.
    "the drawing of a switch in its label, and what is too small to be pressed, are not listed": (
        """<style>.hand { cursor: pointer; display: inline-block; width: 40px; height: 20px }
        .tiny { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); cursor: pointer }</style>
        <label><input type=checkbox class=tiny>On<span class=hand></span></label><a class=tiny role=navigation href=# tabindex=-1></a>
        <button role=switch id=s class=tiny aria-label=Lamp></button><label for=s>Lamp <span class=hand><i aria-hidden=true>Off</i></span></label>
        <label><input type=checkbox>Terms<i class=hand id=help></i></label><script>help.onclick = () => 0</script>""",
        ['e [checkbox] "On"', 'e [switch] "Lamp"', 'e [checkbox] "Terms"', "c [generic] (#help) [cursor:pointer]"],
    ),
    "an edge that is dragged is not clicked": (
        """<div id=a style="cursor:col-resize;height:9px"></div><div id=press style="height:9px"></div>
        <div id=b class="tabulator-col-resize-handle" style="height:9px"></div><script>for (const one of [a, b, press]) one.addEventListener('mousedown', () => 0)</script>""",
        ["c [generic] (#press) [listener]"],
    ),
    "shapes and empty boxes are told by their colour": (
        """<style>.cell, circle, rect, path { cursor: pointer; width: 9px; height: 9px }</style>
        <div class=cell style="background: red"></div><div class=cell style="background: #abcdef"></div>
        <div class=cell style="background: grey"></div><div class=cell style="background: red">Words</div>
        <svg><circle class=dot id="(2,-1)" r=4 fill=blue /><rect width=5 height=5 fill="rgb(0 128 0)" /><path d="M0 0h9v9z" fill=none stroke=red /></svg>""",
        [
            "c [generic] (.cell red) [cursor:pointer]", "c [generic] (.cell) [cursor:pointer]",
            "c [generic] (.cell gray) [cursor:pointer]", 'c [generic] "Words" [cursor:pointer]',
            "c [generic] (#(2,-1) blue circle) [cursor:pointer]",
            "c [generic] (green rect) [cursor:pointer]", "c [generic] (path) [cursor:pointer]",
        ],
    ),
    "draggable and selectable elements": (
        """<ul class=ui-sortable><li class=ui-sortable-handle>One<li class=ui-sortable-handle>Two</ul><p draggable=true>Card</p>
        <ol class=ui-selectable><li class=ui-selectee>Three<li>Four</ol>
        <p draggable=false>No card</p><button draggable=true>Both</button>""",
        [
            'c [listitem] "One" [draggable]', 'c [listitem] "Two" [draggable]',
            'c [paragraph] "Card" [draggable]', 'c [listitem] "Three" [selectable]', 'e [button] "Both"',
        ],
    ),
    "style or an attribute": (
        r"""<style>.card, ul > li.on:not(.off) { cursor: pointer } #one { cursor: pointer } [data-go] { cursor: pointer }
        .a\:b { & { cursor: pointer } } @media screen { .deep { .er { cursor: pointer } } } canvas:is(.p) { cursor: pointer }</style>
        <div class=card>Card <b>one</b></div><ul><li class=on>Item<li class="on off">Off</ul><p id=one>Paragraph</p><div data-go>Go</div>
        <div class="a:b">Escaped</div><div class=deep><i class=er>Nested</i></div><div style="cursor:pointer">Styled</div>
        <div onclick="1">Handler</div><div tabindex=0>Focus</div><div tabindex=-1>Not</div><canvas class=p aria-label=Board></canvas><p>Words</p>""",
        [
            'c [generic] "Card one" [cursor:pointer]', 'c [listitem] "Item" [cursor:pointer]', 'c [paragraph] "Paragraph" [cursor:pointer]',
            'c [generic] "Go" [cursor:pointer]', 'c [generic] "Escaped" [cursor:pointer]', 'c [generic] "Nested" [cursor:pointer]',
            'c [generic] "Styled" [cursor:pointer]', 'c [generic] "Handler" [onclick]', 'c [generic] "Focus" [tabindex]',
            'c [canvas] "Board" [cursor:pointer]',
        ],
    ),
    # A person presses it: upload buttons, switches and stars are made so.
    "a label that stands for a control that cannot be seen, with or without the hand": (
        """<style>.hand { cursor: pointer } .gone { display: none }</style><label for=a>Upload</label><input id=a type=file class=gone>
        <label class=hand><span>Choose a file</span><input type=file class=gone></label>
        <label class=hand><input type=checkbox class=gone>Switch</label><label>Star <span class=gone><input type=radio name=r></span></label>
        <label for=v>Veiled</label><input id=v type=checkbox style='visibility:hidden'>
        <label for=d>Disabled</label><input id=d type=checkbox disabled class=gone>
        <fieldset disabled><label for=e>Disabled too</label><input id=e type=checkbox class=gone></fieldset>
        <label for=t>Text</label><input id=t class=gone>
        <label for=s class=hand>Seen</label><input id=s type=checkbox><label for=none>Nothing</label>
        <div aria-hidden=true><label for=h>Hidden</label><input id=h type=checkbox class=gone></div>""",
        [
            'c [generic] "Upload" [label]', 'c [generic] "Choose a file" [cursor:pointer] [label]',
            'c [generic] "Switch" [cursor:pointer] [label]', 'c [generic] "Star" [label]', 'c [generic] "Veiled" [label]', 'e [checkbox] "Seen"',
        ],
    ),
    # Icons with a handler, buttons, links to where no other link leads.
    "what is hidden only from screen readers": (
        f"""<style>.fa-trash,.hand,a{{cursor:pointer}}</style><i class="fa fa-trash" {HIDDEN}>&#xf1f8;</i><span {HIDDEN} onclick="1">×</span><i class="fa fa-trash">&#xf1f8;</i>
        <button {HIDDEN} tabindex=-1>Up</button><button {HIDDEN} tabindex=-1 class=clear><svg width=9 height=9></svg></button>
        <i class=material-icons id=late {HIDDEN}>event</i><div class=hand>Card <i {HIDDEN}>icon</i></div><i class=fa {HIDDEN}>only drawn</i>
        <a href=#x {HIDDEN}>¶</a><h2>Head <a href=#head {HIDDEN}>#</a></h2><input {HIDDEN}><select class=hand {HIDDEN}><option>1</select><button {HIDDEN} disabled>Off</button>
        <button {HIDDEN} hidden>Gone</button><button {HIDDEN} style="visibility:hidden">Gone</button><div {HIDDEN} style='cursor:pointer;width:800px;height:400px'></div>
        <div {HIDDEN} class=hand><button>in it</button></div><div {HIDDEN}><button>below it</button></div><button {HIDDEN} inert>Inert</button>
        <p id=x><a href=# {HIDDEN}>Close</a><a href=javascript:go() {HIDDEN} onclick=1>Cancel</a><a href=/out {HIDDEN}>Out</a></p>
        <a href=/out {HIDDEN} aria-disabled=true>Off</a><a href=/card {HIDDEN}>Picture</a><a href=/card>Card</a><a href=/card hidden>Card</a><a href=/menu hidden></a><a href=/menu {HIDDEN}>Menu</a>
        <div><input type=checkbox aria-label=Target><div class=hand style="height:9px"></div></div><div tabindex=0></div><div tabindex=0 style="width:1px;height:1px"></div>
        <p><input type=checkbox aria-label=Real><span class=hand {HIDDEN} style="width:9px">Drawn</span></p><label class=hand {HIDDEN}>Words</label>
        <script>late.addEventListener('click', () => 0)</script>""",
        [
            "c [generic] (.fa-trash) [cursor:pointer] [aria-hidden]", 'c [generic] "×" [onclick] [aria-hidden]',
            "c [generic] (.fa-trash) [cursor:pointer]", 'c [button] "Up" [aria-hidden]', "c [button] (.clear) [aria-hidden]",
            'c [generic] "event" [listener] [aria-hidden]', 'c [generic] "Card" [cursor:pointer]', 'c [link] "Close" [aria-hidden]',
            'c [link] "Cancel" [onclick] [aria-hidden]', 'c [link] "Out" [aria-hidden]', 'e [link] "Card"', 'c [link] "Menu" [aria-hidden]',
            'e [checkbox] "Target"', 'e [checkbox] "Real"',
        ],
    ),
    "shadow trees": (
        """<style>.x{cursor:pointer}</style><x-card><b class=x>Slotted</b></x-card><x-host></x-host><script>
        const shadow = (name, html) => document.querySelector(name).attachShadow({mode: 'open'}).innerHTML = html;
        shadow('x-card', '<style>.y{cursor:pointer}</style><i class=x>Plain</i><i class=y>Shadow</i><slot></slot>');
        shadow('x-host', '<style>:host{cursor:pointer}</style>Host')</script>""",
        [f'c [generic] "{words}" [cursor:pointer]' for words in ("Shadow", "Slotted", "Host")],
    ),
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
    "shapes of a drawing are told by the words in their group": (
        f"""<svg width=300 height=200>{node("inject")}{node('a "b" ) [c]')}<g><text y=90>{"Many words " * 9}</text><circle on r=9></circle></g>
        <g><g><g><g><circle on r=9 fill=blue></circle></g></g></g><text y=150>Far</text></g></svg><script>{LISTENS}</script>""",
        [
            'c [generic] ("inject" .box-of-node black rect) [listener]', 'c [generic] ("inject" .port red rect) [listener]',
            'c [generic] ("a b  c" .box-of-node black rect) [listener]', 'c [generic] ("a b  c" .port red rect) [listener]',
            "c [generic] (black circle) [listener]", "c [generic] (blue circle) [listener]",
        ],
    ),
    "frames around controls and parts of the page are not listed": (
        """<style>.hand{cursor:pointer}</style><div class=hand><button>Save</button></div><label class=hand>Name <input></label>
        <div onclick="1"><p>Everything</p><a href=#>Link</a></div><main tabindex=0><h2>Words</h2></main><pre tabindex=0>code</pre>
        <div role=tabpanel tabindex=0>Panel</div><a href=# class=hand><span class=hand>Inside</span></a>
        <table><tr class=hand><td><input type=checkbox aria-label=Pick><td>Ann<td>Paris<tr><td class=hand>Cell<td>Plain</table>""",
        [
            'e [button] "Save"', 'e [textbox] "Name"', 'c [generic] "Everything" [onclick]', 'e [link] "Link"', 'e [link] "Inside"',
            'c [row] "Ann Paris" [cursor:pointer]', 'e [checkbox] "Pick"', 'c [cell] "Cell" [cursor:pointer]',
        ],
    ),
    # Neither cut a name at the indentation, nor count it as length.
    "the indentation of the markup is no part of its words": (
        f"""<div id=a>{BLANKS}<div>{BLANKS}Cut{BLANKS}</div>{BLANKS}</div><div style=cursor:pointer>{BLANKS}One<b>{BLANKS}two</b>{BLANKS}three</div>
        <p id=b>{f"many{BLANKS}words " * 60}</p><script>a.onclick = b.onclick = () => 0</script>""",
        ['c [generic] "Cut" [listener]', 'c [generic] "One two three" [cursor:pointer]'],
    ),
    **{
        f"a dialog that hides the page from screen readers, {state}": (
            f"<button {HIDDEN} onclick=1>Behind</button><div role=dialog aria-modal=true aria-label=Sure {state}><button {HIDDEN} onclick=1>Icon</button><button>OK</button></div>",
            told,
        )
        for state, told in {
            "hidden": ['c [button] "Behind" [onclick] [aria-hidden]'],
            "": ['e [dialog] "Sure" [modal]', 'c [button] "Icon" [onclick] [aria-hidden]', 'e [button] "OK"'],
        }.items()
    },
    "controls of frames without a name are told apart": (
        "<iframe id=bill></iframe><iframe name=ship></iframe><iframe class=third></iframe><iframe src=about:blank#4></iframe>"
        "<script>const fill = (frame, markup) => { const inner = frame.contentDocument; inner.body.innerHTML = markup; return inner };"
        "const frames = [...document.querySelectorAll('iframe')]; frames[2] = fill(frames[2], '<iframe></iframe>').querySelector('iframe');"
        "for (const frame of frames) fill(frame, '<button>Pay</button>')</script>",
        ['e [button] "Pay" (#bill)', 'e [button] "Pay" (name=ship)', 'e [button] "Pay" (iframe, .third)', 'e [button] "Pay" (iframe)'],
    ),
    # What merely inherits the cursor is no other thing.
    "what is dragged, by its cursor": (
        """<style>.grip { cursor: grab } h3 { cursor: move } .row { cursor: pointer }</style><h3>Title <i>here</i></h3>
        <div class=grip>Card <b>one</b></div><div class=row>Row <span class=grip>::</span></div>""",
        [
            'c [heading] "Title here" [level=3] [cursor:move]', 'c [generic] "Card one" [cursor:grab]',
            'c [generic] "Row ::" [cursor:pointer]', 'c [generic] "::" [cursor:grab]',
        ],
    ),
    "the named cells of a grid that listens": (
        f"""<div role=grid aria-label=Pick><div role=rowgroup id=body>{MAY}</div></div><div role=grid aria-label=Shown>{MAY}</div>
        <script>body.addEventListener('mousedown', () => 0)</script>""",
        ['c [gridcell] "May 1" [listener]: 1', 'c [gridcell] "May 2" [listener]: 2', "c [gridcell] (.cross) [listener]"],
    ),
    "the name of a clickable has no hidden words": (
        "<div onclick=1><span>Small</span><div style='position:absolute;opacity:0;pointer-events:none'><ul><li>Small<li>Large</ul></div></div>",
        ['c [generic] "Small" [onclick]'],
    ),
    "a transparent field for files is told by the words that it lies over": (
        "".join(f"<div style=position:relative><input type=file style='position:absolute;opacity:0'><button tabindex=-1>{word}</button></div>" for word in ("Photo", "CV")),
        ['e [button] "Choose File" (Photo)', 'e [button] "Photo"', 'e [button] "Choose File" (CV)', 'e [button] "CV"'],
    ),
    **{
        f"the cross of a chip in a list with {len(words)} of them is told by the chip": (
            f"""<style>.x {{ cursor: pointer }}</style><div role=combobox {label}><ul>
            {"".join(f"<li><span class=x role=presentation>×</span>{word}</li>" for word in words)}<li><input aria-label=Find></ul></div>""",
            [combobox, *(f'c [generic] "×" ({word}) [cursor:pointer]' for word in words), 'e [textbox] "Find"'],
        )
        for label, words, combobox in (
            ("", ["red"], "e [combobox]: red"),
            ("aria-label=Colours", ["red", "dark blue"], 'e [combobox] "Colours": red, dark blue'),
        )
    },
}  # fmt: skip


async def test_clickable_elements_and_no_others_are_listed(show: Show) -> None:
    """Put each case alone into one page."""
    assert await listed_one_by_one(show, ALONE) == {what: lines for what, (_, lines) in ALONE.items()}


async def test_of_hundreds_the_rest_is_counted(show: Show) -> None:
    """List a button behind a grid of more cells than are listed. Do not count the icons of a card."""
    rest = "… {} more clickable elements without a role: snapshot -iC"
    hand = "<style>td, .hand { cursor: pointer }</style>"
    tab = await show(f"{hand}<table><tr>{'<td>cell' * 350}<tr><th>Head</table><button>Last</button>")
    lines = await listed(tab)
    assert (len(lines), lines[0]) == (102, 'c [cell] "cell" [cursor:pointer]')
    assert lines[-2:] == ['e [button] "Last"', rest.format(250)]
    assert len((await tab.tree(clickable=True)).names) > 350
    tab = await show(f"{hand}<table>{('<tr>' + '<td>cell' * 6) * 40}</table><div class=hand>Details</div>")
    assert (await listed(tab))[-2:] == ['c [generic] "Details" [cursor:pointer]', rest.format(140)]
    tab = await show(
        f"{hand}{'<div class=hand>Card <i class=hand aria-hidden=true>x</i></div>' * 60}<p onclick=1>Last</p>"
    )
    lines = await listed(tab)
    assert (len(lines), lines[-1]) == (61, 'c [paragraph] "Last" [onclick]')


OPENING = {
    "the hand": "<b class=c>Red</b>",
    "listeners": "<p class=l>Red</p>",
    "the focus": "<p tabindex=0>Red</p>",
}


async def test_list_that_opens_beyond_the_hundred_clickables_is_listed(show: Show) -> None:
    """Put it at the end of the document, as most pages do."""
    items = "".join(f"<div class=c>{n}</div>" for n in range(150))
    tab = await show(f"""
        <style>.c{{cursor:pointer}}</style>{items}<p class=l>Words</p><div id=at></div><script>
        const hear = () => document.querySelectorAll('.l').forEach((each) => each.onclick = () => 0); hear()</script>""")
    rest = "… 51 more clickable elements without a role: snapshot -iC"
    assert (await listed(tab))[100:] == [rest]
    for how, item in OPENING.items():
        await tab.page.evaluate(f"at.innerHTML = '{item}'.repeat(3); hear()")
        for _ in range(2):
            told = (await listed(tab))[100:]
            assert ["Red" in line for line in told] == [True] * 3 + [False], how
            assert told[-1] == rest
        await tab.page.evaluate("at.innerHTML = ''")
        assert (await listed(tab))[100:] == [rest], how


HINTS = [
    # fields by their names in the form, as frameworks write them, and never with marks that could pass for something else
    *((f"<input name='{name}'><br>", f"(name={name})") for name in ("q", "data[User][email]", "a:b", "form-0-name")),
    *((f"<input name='{name}'><br>", "") for name in ("x] [checked", "[a]", "a)b", "a[" + "b" * 90 + "]", "css-1x2y3z[q]")),
    ("<input type=password name=pass value=secret>", "(name=pass) [password]: [redacted]"),
    # those of one name by their values
    ("<input type=checkbox name=pets[] value=dog>", "(name=pets[] value=dog)"), ("<input type=checkbox name=pets[] value=cat>", "(name=pets[] value=cat)"),
    ("<input type=checkbox name=pets[]>", "(name=pets[])"), ("<input type=radio name=size value=S>", "(name=size value=S)"),
    ("<input type=radio name=size value='x) [checked]'>", "(name=size)"), ("<input type=radio name=only value=one>", "(name=only)"),
    ("<button name=op value=del></button>", "(name=op value=del)"), ("<button name=op value=add></button>", "(name=op value=add)"),
    *[("<input name=word value=a>", "(name=word): a")] * 2, *[("<input type=checkbox name=same value=1>", "(name=same)")] * 2,
    # classes, ids, icons and pictures
    ("<button class='btn trash css-1x2y3z'></button>", "(.trash)"), ("<button id=save></button>", "(#save)"), ("<button class='sc-bdVaJa p-4 btn'></button>", ""),
    ("<button class=btn><i class='fa fa-star'></i></button>", "(.fa-star)"), ("<button><svg><use href='/sprite.svg#icon-play'></use></svg></button>", "(#icon-play)"),
    ("<button><img src='/i/pencil.png?token=abc' alt=''></button>", "(pencil.png)"), ("<button class=btn title=''></button>", "(basket.svg)"),
    ("<a href=#><img src='data:image/png,x' alt=''></a>", ""), (f"<p><b class=ball style=display:block;{HAND}></b></p>", "(.ball)"),
    (f"<div style={HAND}><svg><use href='#close'></use></svg></div>", "(#close)"), ("<button class=Menu_toggle__3kXyZ></button>", "(.Menu_toggle)"),
    # of several classes the one that tells what it does
    ("<button class='btn btn-icon trash'></button>", "(.trash)"), ("<button class=btn-icon></button>", "(.btn-icon)"), ("<button class='search-button wide'></button>", "(.search-button)"),
    # the icon and not the library
    ("<button class='p-button p-4'><span class='pi pi-trash'></span></button>", "(.pi-trash)"),
    ("<button class='q-btn q-btn-item'><i class='q-icon material-icons' aria-hidden=true role=img>delete</i></button>", "(delete)"),
    ("<button class=mat-icon-button><mat-icon aria-hidden=true>arrow_back</mat-icon></button>", "(arrow_back)"),
    ("<button><svg width=9 height=9 class='lucide lucide-star'></svg></button>", "(.lucide-star)"),
    (f"<button class=v-btn>{SVG.format('data-testid=EditIcon')}</button>", "(data-testid=EditIcon)"), ("<button class=btn data-direction=previous></button>", "(data-direction=previous)"),
    (f"<button class=btn>{SVG.format('data-icon=lock')}</button>", "(data-icon=lock)"), ("<button class='px-2 mr-auto'></button>", ""),
    ("<button class='MuiButtonBase-root MuiIconButton-root'></button>", ""), ("<button class='tray tray-wide'></button>", "(.tray)"), ("<button class=search-btn></button>", "(.search-btn)"),
    ("<button class=el-button><i class=icon aria-hidden=true>Not a name</i></button>", ""),
    # no ids that are made anew for each page
    *((f"<button id={made}></button>", "") for made in ("react-aria-17", "dojox_mvc_Element_4", "pv_id_12_list", "c15", "select-cl-3-trigger")),
    ("<button id=step-2></button>", "(#step-2)"), ("<button id=bits-per-second></button>", "(#bits-per-second)"), ("<button id='x\"]&#10;@e1 [button]'></button>", ""),
    # where links lead
    ("<a href=/><div class=logo></div></a>", "(.logo)"), ("<a href=/><p><b data-testid=home-mark></b></p></a>", "(data-testid=home-mark)"),
    ("<a href=/path/cart.html><i></i></a>", "(cart.html)"), ("<a href=/cart.html></a>", "(cart.html)"), ("<a href=https://chirper.example/ann/></a>", "(ann)"),
    (f"<a href=https://chirper.example/?a=1>{SVG}</a>", "(chirper.example)"), ("<a href=/users/1234/edit?x#y></a>", "(edit)"), ("<a href=/orders/1234></a>", "(orders)"),
    ("<a href='?page=2'></a>", ""), ("<a href=#totals></a>", "(#totals)"), ("<a href=javascript:go()></a>", ""), ("<a href=mailto:ann@example.com></a>", ""), ("<a href=/></a>", ""),
    ("<a href=/a.html class=next-page></a>", "(.next-page)"), ("<a href='/x)&#10;@e1 [button]'></a>", ""), ("<a href=data:text/html,hello></a>", ""),
    ("<svg width=9 height=9><a xlink:href=/chart.html><rect width=9 height=9 /></a></svg>", "(chart.html)"),
    ("<a href=/cart.html>1</a>", '"1"'), ("<button id=a1b2c3d4e5f6>named</button>", '"named"'),
]  # fmt: skip


async def test_controls_without_a_name_have_a_hint(show: Show) -> None:
    page = "".join(markup for markup, _ in HINTS)
    tab = await show(f"<style>[title='']{{background:url(/img/basket.svg?v=3)}}</style>{page}")
    lines = [line.partition("] ")[2].replace(" [cursor:pointer]", "") for line in await listed(tab)]
    assert list(zip((markup for markup, _ in HINTS), lines, strict=True)) == HINTS


async def test_listeners_in_few_shadow_trees_and_frames_are_listed(show: Show) -> None:
    frame = "<p id=f>Frame</p><script>document.getElementById('f').addEventListener('pointerdown', () => 0)</script>"
    tab = await show(f"""<x-open></x-open><x-closed></x-closed><iframe srcdoc="{frame}"></iframe><script>
        const roots = ['open', 'closed'].map((mode) => document.querySelector('x-' + mode).attachShadow({{mode}}));
        const grow = (words) => {{
            for (const root of roots) {{
                const p = root.appendChild(document.createElement('p'));
                p.textContent = words + ' ' + root.mode;
                p.addEventListener('click', () => 0);
            }}
        }};
        grow('Shadow')</script>""")
    shown = [f'c [paragraph] "{words}" [listener]' for words in ("Shadow open", "Shadow closed", "Frame")]
    assert await listed(tab) == shown
    assert await listed(tab) == shown, "and again"
    await tab.page.evaluate("grow('Later')")
    assert 'c [paragraph] "Later closed" [listener]' in await listed(tab)
    await tab.page.evaluate(
        "for (let n = 0; n < 30; n++) { document.body.append(document.createElement('x-open')); "
        "document.body.lastChild.attachShadow({mode: 'open'}); grow('Many') }"
    )
    assert "Many" not in str(await listed(tab)), "who listens in many trees is asked by the flag"
    await tab.tree(clickable=True)
    assert 'c [paragraph] "Many closed" [listener]' in await listed(tab)


async def test_the_cross_of_an_item_is_listed_whatever_boxes_it_is_in(show: Show) -> None:
    items, told = {}, {}
    for at, role in enumerate(("option", "menuitem", "tab", "treeitem", "button")):
        cross = (
            f"{'<div>' * (at % 3)}<div class=del><i class='icon icon-remove'></i></div>{'</div>' * (at % 3)}"
        )
        items[role] = (
            f"<div role={role} tabindex=0><div>{role}</div>{cross}</div><button aria-label='Bob {role}'>{cross}</button>"
        )
        told[role] = [f'e [{role}] "{role}"', "c [generic] (.del) [cursor:pointer]", f'e [button] "Bob {role}"']
    assert await listed_each(show, items, "<style>.del{cursor:pointer;width:9px;height:9px}</style>") == told


async def test_a_page_hidden_behind_an_open_menu_is_not_listed(show: Show) -> None:
    """Radix hides what stands beside its menu element by element, and lets nothing there take the pointer."""
    tab = await show("""
        <div><button aria-hidden=true>Spain</button><i aria-hidden=true onclick="1">×</i><button aria-hidden=true id=late>Late</button></div>
        <div role=menu style="pointer-events:auto"><div role=menuitem tabindex=-1>Edit</div></div>
        <script>document.body.style.pointerEvents = 'none'; late.addEventListener('click', () => 0)</script>""")
    assert await listed(tab) == ['e [menuitem] "Edit"']
    await tab.page.evaluate("document.body.style.pointerEvents = ''")
    assert await listed(tab) == [
        'c [button] "Spain" [aria-hidden]',
        'c [generic] "×" [onclick] [aria-hidden]',
        'c [button] "Late" [listener] [aria-hidden]',
        'e [menuitem] "Edit"',
    ]


LATE = {
    "in what was told for it": (
        "<div id=outer>Outer <p id=inner>Inner</p></div><script>outer.onclick = () => 0</script>", "inner.onclick = () => 0",
        ['c [generic] "Outer Inner" [listener]'], ['c [paragraph] "Inner" [listener]'],
    ),
    "around cells": (
        "<div id=grid role=grid><div role=row><div role=gridcell aria-label='May 1'>1</div></div></div>", "grid.onclick = () => 0",
        ["(no interactive elements found)"], ['c [gridcell] "May 1" [listener]: 1'],
    ),
    "with a pointer cursor on hover": (
        "<style>#card:hover { cursor: pointer }</style><div id=card>Card <button>Go</button></div>", "card.onclick = () => 0",
        ['c [generic] "Card" [cursor:pointer]', 'e [button] "Go"'], ['c [generic] "Card" [cursor:pointer] [listener]', 'e [button] "Go"'],
    ),
    "hidden until then": (
        "<p>Words</p><p id=menu hidden>Menu</p><script>menu.onclick = () => 0</script>", "menu.hidden = false",
        ["(no interactive elements found)"], ['c [paragraph] "Menu" [listener]'],
    ),
    "what is told anyway": (
        "<button id=go>Go</button><a id=link href=#>Link</a><label id=label>Name <input id=field></label>",
        "for (const one of [go, link, label, field, document.body, document]) one.onclick = () => 0",
        ['e [button] "Go"', 'e [link] "Link"', 'e [textbox] "Name"'], ['e [button] "Go"', 'e [link] "Link"', 'e [textbox] "Name"'],
    ),
}  # fmt: skip
"""Where → a page, what begins to listen, and what is listed before and after."""


@each(zip(LATE, itertools.cycle([False, True])))
async def test_late_listener_is_listed_like_an_early_one(case: tuple[str, bool], show: Show) -> None:
    """List it also where the page is not walked again, asked after the walk or together with it."""
    where, is_expected = case
    markup, script, before, after = LATE[where]
    tab = await show(markup)
    assert await listed(tab) == before
    await tab.page.evaluate(f"{script}; document.body.append('.')")
    if is_expected:
        tab.refs.expect_change()
    assert await listed(tab) == after
    await tab.page.evaluate("document.body.append('.')")
    assert await listed(tab) == after


async def test_large_documents_are_asked_by_the_flag_only(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what the flag has found: a listener, or a handler that the document calls."""
    monkeypatch.setattr(click_listeners, "MAX_LINES", 100)
    tab = await show(f"""<p id=a>One</p><p id=b>Two</p><ul>{"<li>Line" * 150}</ul>
        <script>a.onclick = () => 0; document.addEventListener('click', () => 0); b.$$click = () => 0</script>""")
    assert await listed(tab) == ["(no interactive elements found)"]
    await tab.tree(clickable=True)
    assert await listed(tab) == ['c [paragraph] "One" [listener]', 'c [paragraph] "Two" [listener]']


async def test_of_the_shapes_of_a_drawing_that_merely_listen_the_rest_is_counted(show: Show) -> None:
    """As of most bars of a chart. A shape with a name, a mark of its own or the hand is a thing to press."""
    tab = await show("""
        <svg width=300 height=90><g id=bars></g><g id=other></g><g id=named></g><g id=marked></g><g id=hand></g></svg><script>
        const draw = (group, number, more) => {
          for (let at = 0; at < number; at++) {
            group.innerHTML += `<g class="chart-bar"><g role=graphics-symbol><rect x=${at * 9} width=8 height=8 /></g></g>`;
            more?.(group.lastChild, at);
          }
          for (const bar of group.children) bar.addEventListener('click', () => 0);
        };
        draw(bars, 12); draw(other, 9); draw(named, 10, (bar, at) => bar.setAttribute('aria-label', `Bar ${at}`));
        draw(marked, 10, (bar, at) => bar.id = 'bar-' + 'abcdefghij'[at]); draw(hand, 10, (bar) => bar.style.cursor = 'pointer')</script>""")
    lines = await listed(tab)
    assert lines.count("c [generic] (.chart-bar) [listener]") == 3 + 9
    assert [line for line in lines if "Bar" in line] == [f'c [group] "Bar {at}" [listener]' for at in range(10)]
    assert len([line for line in lines if "(#bar-" in line]) == 10
    assert len([line for line in lines if "cursor:pointer" in line]) == 10
    assert lines[-1] == "… 9 more clickable elements without a role: snapshot -iC"
    everything = render(await tab.tree(clickable=True), Options(interactive=True, max_chars=None))
    assert everything.count("(.chart-bar) [listener]") == 12 + 9
    assert "more clickable" not in everything


async def test_equal_buttons_inside_a_control_are_told_apart_by_the_words_beside_them(show: Show) -> None:
    crosses = "<i role=button tabindex=0 aria-label=Remove>x</i>"
    chips = "".join(
        f"<span class=chip><b>{name}</b><span>{crosses}</span></span>" for name in ("Cherry", "Plum")
    )
    tab = await show("<p>Empty")
    for tag in ("div role=combobox", "div role=button", "div role=listbox", "button"):
        for inside, hints in ((chips, [" (Cherry)", " (Plum)"]), (crosses * 2, ["", ""])):
            await tab.put_markup(f"<{tag} tabindex=0 aria-label=Tags>{inside}</{tag.split()[0]}>")
            assert (await listed(tab))[1:] == [f'e [button] "Remove"{hint}' for hint in hints], tag
