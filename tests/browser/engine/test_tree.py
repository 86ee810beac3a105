"""Test what is in the tree, what is left out, and what is said of it."""

import pytest

from tests.browser.conftest import Show

pytestmark = pytest.mark.same_session
PICTURE = "data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22 width=%229%22 height=%229%22/>"
TREES = {
    "elements of any name are generic": ("<constructor>one</constructor><x-y>two</x-y>", ['text "onetwo"']),
    "anchor that looks or acts like a link is one": (
        """<a href=#>Address</a> <a onclick="1">Handler</a> <a class=x style="cursor:pointer">Hand</a> <a name=n>Anchor</a>
        <div style="cursor:pointer"><a class=x>Part</a></div>""",
        [
            'text "Address Handler Hand Anchor"', 'link "Address"', 'link "Handler"', 'link "Hand"',
            'generic "Part"',
        ],
    ),
    "a field without its list is a textbox": (
        "<input list=no aria-label=a><input list=yes aria-label=b><datalist id=yes><option>1</datalist>",
        ['textbox "a"', 'combobox "b"'],
    ),
    "a file field of no size is listed": (
        "<input type=file aria-label=Files style='width:0;height:0;padding:0;border:0;overflow:hidden;opacity:0'>",
        ['button "Files"'],
    ),
    "element positioned out of a collapsed box is listed": (
        """<style>.z{height:0;overflow:hidden}</style>
        <div class=z><p>cut off<div style="position:fixed;top:9px"><button>Toast</button></div><div style="position:absolute"><button>Out</button></div></div>
        <div class=z style="position:relative"><div style="position:absolute"><button>cut off</button></div></div>""",
        ['button "Toast"', 'button "Out"'],
    ),
    "rows of a grid stand in the order of their numbers": (
        """<div role=grid><div role=rowgroup><div role=row aria-rowindex=3 style="position:absolute;top:60px"><div role=gridcell>c</div></div>
        <div role=row aria-rowindex=2><div role=gridcell>b</div></div></div></div>""",
        ['grid ""', '  rowgroup ""', '    row ""', '      gridcell "b"', '    row ""', '      gridcell "c"'],
    ),
    "rows keep their order where one has no number": (
        """<div role=grid><div role=row aria-rowindex=9><div role=gridcell>9</div></div><div role=row><div role=gridcell>none</div></div>
        <div role=row aria-rowindex=8><div role=gridcell>8</div></div></div>""",
        ['grid ""', '  row ""', '    gridcell "9"', '  row ""', '    gridcell "none"', '  row ""', '    gridcell "8"'],
    ),
    "aria owns moves elements": (
        "<div role=listbox aria-label=L aria-owns=o></div><p>between</p><div role=option id=o>One</div>",
        ['listbox "L"', '  option "One"', 'paragraph ""'],
    ),
    "owned element inside a button stays in its name": (
        "<button aria-expanded=true aria-owns=in>Actions <b id=in>now</b></button>",
        ['button "Actions now"'],
    ),
    "hidden things are left out": (
        """<style>.z{width:0;height:0;overflow:hidden}</style>
        <button hidden>1</button><div style="display:none"><button>2</button></div><button style="visibility:hidden">3</button>
        <div inert><button>4</button></div><div aria-hidden=true><button>5</button></div>
        <details><summary>Closed</summary><button>6</button></details><div class=z><button>7</button></div>
        <div style="content-visibility:hidden"><button>8</button></div><template><button>9</button></template>
        <nav aria-label=Menu style="display:none"><div><button>11</button></div></nav><ul aria-label=List style="visibility:hidden"><li>12</ul>
        <input type=hidden value=10><p>seen <span hidden>not</span> text</p>""",
        ['group ""', '  button "Closed"', 'paragraph ""'],
    ),
    # MediaWiki puts an anchor at the top of each page.
    "a target of jumps is no link for the hand of all anchors": (
        """<style>a:not([href]) { cursor: pointer } #drawn { display: inline-block; width: 9px; height: 9px } #sign::before { content: "+" }</style>
        <a id=top></a><p>Text<a name=here></a></p><a id=drawn></a><a id=sign></a><a id=heard onclick="1"></a>""",
        ['generic ""', 'paragraph ""', '  generic ""', 'link ""', 'link "+"', 'link ""'],
    ),
    "toggle switches of no size are listed": (
        "<style>input{opacity:0;width:0;height:0}</style><label><input type=checkbox checked> Dark</label>", ['checkbox "Dark"', 'text "Dark"'],
    ),
    "layout tables are not tables": (
        "<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>",
        [
            'table ""', '  rowgroup ""', '    row ""', '      cell "a"', '      cell "b"', '    row ""', '      cell "c"',
            '      cell "d"',
        ],
    ),
    "a table of one column is one where its rows can be selected": (
        "<table><tr aria-selected=true><td>a<tr aria-selected=false><td>b</table>",
        ['table ""', '  rowgroup ""', '    row "a"', '      cell "a"', '    row "b"', '      cell "b"'],
    ),
    "the areas of an image map are listed where their image is shown": (
        f"""<img usemap=#a src='{PICTURE}' alt=Map><map name=a><area href=# alt=North coords=0,0,9,9><area alt=Dead></map>
        <img usemap=#b src='{PICTURE}' alt=Other hidden><map name=b><area href=# alt=Hidden coords=0,0,9,9></map>
        <map name=c><area href=# alt=Unused coords=0,0,9,9></map>""",
        ['img "Map"', 'link "North"'],
    ),
    "the field in which an editor takes its keys is listed": (
        """<div style="overflow:hidden;position:relative;width:3px;height:0"><textarea aria-label=Keys style="position:absolute;bottom:-1em;width:99px"></textarea></div>
        <textarea aria-label=Small style="width:0;height:0;padding:0;border:0"></textarea>
        <div contenteditable aria-label=Host style="width:0;height:0"></div>
        <div style="overflow:hidden;height:0"><textarea aria-label=Collapsed></textarea></div>
        <textarea tabindex=-1 aria-label=Measure style="width:0;height:0;padding:0;border:0"></textarea>""",
        ['textbox "Keys"', 'textbox "Small"', 'textbox "Host"'],
    ),
}  # fmt: skip


async def test_tree_of_each_page_has_what_is_seen(show: Show) -> None:
    """Put each page into the place of the one before it."""
    tab, told = await show("<p>Empty"), {}
    for what, (markup, _) in TREES.items():
        await tab.put_markup(markup)
        told[what] = await tab.lines()
    assert told == {what: lines for what, (_, lines) in TREES.items()}


def _pane(content: str, attributes: str = "role=region aria-label=P") -> str:
    return f"<div style='height:100px;overflow:auto;position:relative' {attributes}>{content}</div>"


def _boxes(count: int, markup: str = "<div style='height:20px'>{n}</div>") -> str:
    return "".join(markup.format(n=n, top=20 * n, left=37 * (n % 3)) for n in range(count))


COUNTED = {
    "rows of a grid": (_pane(f"<div style='height:4000px'>{_boxes(20, '<div role=row style=height:20px><button>{n}</button></div>')}</div>", "role=grid"), "of about 200 rows in view"),
    "items of a list": (_pane(f"<ul>{_boxes(30, '<li style=height:20px>{n}')}</ul>"), "of 30 items in view"),
    "options": (_pane(_boxes(30, "<div role=option style='height:20px'>{n}</div>"), "role=listbox"), "of 30 items in view"),
    "options in groups": (_pane(_boxes(3, "<div role=group aria-label=G{n}><b role=presentation>G</b>" + "<div role=option style='height:20px'>x</div>" * 4 + "</div>"), "role=listbox"), "of 12 items in view"),
    "articles of a feed, each of its height": (_pane(_boxes(30, "<article style='height:2{n}px'>{n}</article>")), "of 30 items in view"),
    "boxes of a list that is drawn in part": (_pane(f"<div style='height:4000px'>{_boxes(9)}</div>"), "of about 200 items in view"),
    "the same without a role": (_pane(f"<div style='height:4000px'>{_boxes(9)}</div>", ""), "of about 200 items in view"),
    "the same out of their order": (_pane("<div style='height:4000px'>" + "".join(f"<div style='position:absolute;top:{20 * n}px;height:20px;width:90px'>{n}</div>" for n in (7, 8, 3, 4, 5, 6)) + "</div>"), "of about 200 items in view"),
    "rows between two that keep the height": (_pane(f"<table role=table style='border-spacing:0'><tr style='height:2000px'><td></td></tr>{_boxes(9, '<tr style=height:20px><td style=font-size:9px>{n}')}<tr style='height:1820px'><td></td></tr></table>"), "of about 200 rows in view"),
    "rows that the page counts": (_pane(_boxes(9, "<div role=row style='height:20px'>{n}</div>") + "<div style='height:900px'></div>", "role=grid aria-rowcount=777"), "of 777 rows in view"),
    "items beside one that keeps the height": (_pane(_boxes(8, "<div style='position:absolute;top:{top}px;height:20px'><button>{n}</button></div>") + "<div style='height:4000px'></div>", "role=list"), "of about 200 items in view"),
    "groups of a drawing": (_pane("<svg width=5000 height=5000>" + _boxes(5, "<g><rect x={left} y={top} width=9 height=9 /><text x={left} y={top}>{n}</text></g>") + "</svg>"), ""),
    "boxes here and there on a canvas": (_pane("<div style='height:4000px'>" + _boxes(9, "<div style='position:absolute;top:{top}px;left:{left}px;height:30px;width:90px'>{n}</div>") + "</div>"), ""),
    "the parts of a page": (_pane("<div style='height:40px'>Head</div><div style='height:900px'>Body</div><div style='height:60px'>Foot</div><div>End</div>"), ""),
    "paragraphs": (_pane(_boxes(30, "<p>{n}</p>")), ""),
}  # fmt: skip


async def test_scrollable_counts_only_the_items_of_lists(show: Show) -> None:
    text_without_a_role = _pane("<p>Words<p style='height:900px'>more<p>here", "")
    page = "".join(markup for markup, _ in COUNTED.values())
    tree = await (await show(page + text_without_a_role)).tree()
    said = [state for state in tree.states.values() if state.startswith("scrollable")]
    assert said[0] == "scrollable: 5 of about 200 rows in view"
    assert {what: state.partition(" of ")[2] for what, state in zip(COUNTED, said, strict=True)} == {
        what: count.removeprefix("of ") for what, (_, count) in COUNTED.items()
    }


OWNERS = [
    "<input role=combobox aria-label=Q aria-owns=LIST>",
    "<div style='width:0;height:0;overflow:hidden'><div role=combobox tabindex=-1 aria-label=Q aria-owns=LIST></div></div>",
    "<img alt=Q aria-owns=LIST>",
    "<div role=group aria-owns='LIST'><div aria-owns=LIST></div></div>",
]


async def test_list_owned_by_any_element_is_listed_once(show: Show) -> None:
    """As ARIA 1.0 wanted it of a combobox, and Select2, jQuery UI and Ant Design have it."""
    page = "".join(
        f"{owner}<ul id=LIST role=listbox><li role=option>Rome {at}</ul>".replace("LIST", f"list{at}")
        for at, owner in enumerate(OWNERS)
    )
    tab = await show(page)
    options = [line.strip() for line in await tab.lines() if "option" in line and "Rome" in line]
    assert sorted(options) == [f'option "Rome {at}"' for at in range(len(OWNERS))]


MENU_OWNERS = [
    "<button aria-haspopup=menu aria-expanded=true aria-owns=menu>Actions</button>",
    "<a href=# aria-expanded=true aria-owns=menu>Actions</a>",
    "<div role=Button tabindex=0 aria-haspopup=true aria-owns=menu>Actions</div>",
]


async def test_menu_owned_by_a_button_is_not_in_its_name(show: Show) -> None:
    """Leave the menus of Vuetify where they are: a plain list, which the button owns."""
    menu = (
        "<p>between</p><div id=menu><div role=list><div role=listitem tabindex=-2>Edit</div>"
        "<div role=listitem tabindex=-2>Delete</div></div></div>"
    )
    page = "".join(f"{owner}{menu}".replace("=menu>", f"=menu{at}>") for at, owner in enumerate(MENU_OWNERS))
    tree = await (await show(page)).tree()
    said = [tree.names[line] or tree.values.get(line) for line in range(len(tree))]
    assert [word for word in said if word] == ["Actions", "between", "Edit", "Delete"] * len(MENU_OWNERS)
