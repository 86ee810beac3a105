"""snapshot: what it prints, and that a ref is one element for ever."""

import gc
import json
import re

import pytest
from PIL import Image, ImageChops

from gstack_browse.errors import StaleRef, UnknownRef, UsageError
from gstack_browse.snapshot.annotate import COLOURS
from gstack_browse.snapshot.tree import Tree
from tests.commands import in_page
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

ROWS = "".join(
    f"<tr><td>{n}</td><td>Name {n}</td><td><button onclick='document.title=this.textContent'>Buy {n}</button></td></tr>"
    for n in range(1000)
)
TABLE = f"<h1>Stock</h1><table><thead><tr><th>No<th>Name<th>Do</tr></thead><tbody>{ROWS}</tbody></table>"
FORM = """<h1>Sign in</h1><form><label>Email <input value="me@example.com"></label>
<label>Password <input type=password value=hunter2></label>
<button>Continue <b>now</b></button><a href=/forgot>Forgot password?</a></form>"""


def ref(snapshot: str, name: str) -> str:
    """The reference of the line with that name."""
    return next(line.split()[0] for line in snapshot.splitlines() if f'"{name}"' in line)


def changes(diff: str) -> list[str]:
    """The changed lines of a diff, without their indentation."""
    lines = [line for line in diff.splitlines() if not line.startswith(("--- ", "+++ "))]
    return [line[0] + line[1:].strip() for line in lines if line[0] in "+-"]


async def test_snapshot_of_a_form_lists_its_fields(run: Run, show: Show) -> None:
    await show(FORM)
    assert (await run("snapshot")).split("\n") == [
        '@e1 [heading] "Sign in" [level=1]',
        "@e2 [form]",
        "  [text]: Email",
        '  @e3 [textbox] "Email": me@example.com',
        "  [text]: Password",
        '  @e4 [textbox] "Password" [password]: [redacted]',
        '  @e5 [button] "Continue now"',
        '  @e6 [link] "Forgot password?"',
    ]


async def test_flags_hide_lines_and_never_renumber(run: Run, show: Show) -> None:
    await show(FORM)
    everything = [line.strip() for line in (await run("snapshot --all")).splitlines()]
    for flags in ("-i", "-c", "-d 0", "-ic", "-s form", "-C", "--find mail"):
        for line in (await run(f"snapshot {flags}")).splitlines():
            assert line.strip() in everything


async def test_an_empty_page(run: Run, show: Show, fails: Fails) -> None:
    """Name the nearest of an unknown flag."""
    await show("")
    assert await run("snapshot") == "(no accessible elements found)"
    await show("<p>words")
    assert await run("snapshot -i") == "(no interactive elements found)"
    reply = await fails("snapshot --interactiv", UsageError)
    assert "--interactive" in reply.message + reply.hint


async def test_long_tables_are_folded_and_stay_reachable(run: Run, show: Show) -> None:
    await show(TABLE)
    text = await run("snapshot -i")
    assert len(text) <= 20_000
    fold = next(line for line in text.splitlines() if "more rows like these" in line)
    first = int(fold.split("(")[1].split("-")[0])
    assert "characters saved" in text
    rows = await run(fold.partition(": ")[2] + " -i")
    assert f'"Buy {first - 1}"' in rows
    buy = ref(rows, f"Buy {first - 1}")
    await run(f"click {buy}")
    assert await run("js document.title") == f"Buy {first - 1}"
    found = await run("snapshot --find 'Buy 300'")
    await run(f"click {ref(found, 'Buy 300')}")
    assert await run("js document.title") == "Buy 300"
    beside = await run("snapshot --find 'name 377'")
    assert '"Buy 377"' in beside
    assert '"Buy 378"' not in beside
    assert (await run("snapshot --all")).count("[button]") == 1000
    assert len(await run("snapshot --max 3000")) < 3500


async def test_find_takes_a_ref_and_a_role(run: Run, fails: Fails, show: Show) -> None:
    await show("<ul><li>Apple <button>Delete</button></li><li>Cherry <button>Delete</button></li></ul>")
    lines = (await run("snapshot --role button")).splitlines()
    assert [line.partition(" ")[2] for line in lines] == [
        '[button] "Delete" (Apple)',
        '[button] "Delete" (Cherry)',
    ]
    last = lines[1].split()[0]
    row = await run(f"snapshot --find {last}")
    assert "Cherry" in row
    assert "Apple" not in row
    assert last in await run("snapshot --find cherry --role button")
    await run("js \"document.querySelector('li:last-child').remove()\"")
    await fails(f"snapshot --find {last}", StaleRef)
    await fails("snapshot --find @e77", UnknownRef)


async def test_a_country_field_takes_a_line(run: Run, show: Show) -> None:
    options = "".join(f"<option{' selected' * (n == 7)}>Country {n}</option>" for n in range(116))
    await show(f"<label>Country <select>{options}</select></label><p>Quantity: <input></p>")
    text = await run("snapshot -i")
    assert [line.strip().partition(" ")[2] for line in text.splitlines()] == [
        '[combobox] "Country": Country 7 (of 116: select takes a label)',
        '[textbox] (near "Quantity:")',
    ]
    assert (await run(f"snapshot -s {text.split()[0]}")).count("[option]") == 116
    await run("snapshot -i --find 'Country 99'")
    await run(f"select {text.split()[0]} 'Country 99'")
    diff = await run("snapshot -i -D")
    assert [line.partition("[")[2] for line in diff.splitlines() if line[0] in "+-"] == [
        'combobox] "Country": Country 7 (of 116: select takes a label)',
        'combobox] "Country": Country 99 (of 116: select takes a label)',
    ]


async def test_every_ref_that_any_flags_print_is_one(run: Run, show: Show, web: Web) -> None:
    """Print all kinds of lines, in frames of both kinds and a shadow tree too.

    No ref stands twice in a reply, and each is of an element.
    """
    row = "<tr><td>{0}<td>Name {0}<td><button>Edit</button><button>Delete</button></tr>"
    choices = "".join(f"<option>O{n}" for n in range(30))
    fields = f"<p>Email: <input></p><label>Land <select>{choices}</select></label><select multiple>{choices}</select>"
    table = "<table>" + "".join(row.format(n) for n in range(25)) + "</table>"
    inner = web.show(fields)
    await show(
        f"<h1>Staff</h1>{table}<h2>Add</h2><form>{fields}<div onclick='1'>Card</div></form><div id=host></div>"
        f"<iframe src='{inner}'></iframe><iframe src='{inner.replace(web.url, web.other)}'></iframe>"
        f"<script>host.attachShadow({{mode: 'open'}}).innerHTML = '<ul><li>In <button>Edit</button></ul>'</script>"
    )
    printed: set[str] = set()
    for flags in (
        "", "-i", "-c", "-C", "-iC", "-d 1", "-s form", "-i -s table", "--find delete", "-i --find 'Name 7'", "--role button",
        "--role option", "--find o7 --role option", "--rows 5-9", "-i --rows 5-9", "-i --max 900", "-i --all", "-D", "-iD --find edit",
    ):  # fmt: skip
        lines = (await run(f"snapshot {flags}")).splitlines()
        refs = [match[1] for line in lines if (match := re.match(r"[ +-]*(@[ec]\d+) \[", line))]
        assert len(refs) == len(set(refs)), flags
        printed.update(refs)
    assert len(printed) > 100
    told = await run("chain", json.dumps([["is", "enabled", ref] for ref in sorted(printed)]))
    assert told.count("true") >= len(printed)


async def test_an_inserted_row_is_one_added_line(run: Run, show: Show) -> None:
    await show("<ul>" + "".join(f"<li>Item {n}</li>" for n in range(40)) + "</ul>")
    await run("snapshot")
    assert await run("snapshot -D") == "(no changes)"
    await run(
        "js \"document.querySelector('li:nth-child(20)').insertAdjacentHTML('afterend', '<li>New</li>'); 1\""
    )
    diff = await run("snapshot -D")
    assert changes(diff) == ["+@e42 [listitem]: New"]
    assert "@@ -" in diff


async def test_a_search_does_not_hide_a_change_from_the_next_diff(run: Run, show: Show) -> None:
    await show("<button>Edit</button>")
    await run("snapshot -i")
    await run("js", "document.body.insertAdjacentHTML('beforeend', '<button>Late</button>')")
    for search in ("--find Edit", "--role link", "--rows 1-2"):
        await run(f"snapshot -i {search}")
    assert '[button] "Late"' in await run("snapshot -iD")


async def test_a_diff_is_with_the_last_snapshot_that_was_no_search(run: Run, show: Show) -> None:
    await show(FORM + "<ul><li>Ann <button>Edit</button></li></ul>")
    assert (await run("snapshot -D")).startswith("(no previous snapshot of this tab;")
    assert await run("snapshot -D") == "(no changes)"
    await run("snapshot -i")
    for flags in (
        "-D",
        "-cD",
        "-iD",
        "-D -d 1",
        "-D -s form",
        "-iD --find edit",
        "-D --role button",
        "-D -C",
        "-iD --rows 1-2",
    ):
        assert await run(f"snapshot {flags}") == "(no changes)", flags
    await run(
        "js",
        "document.querySelector('ul').insertAdjacentHTML('beforeend', '<li>Bob <button>Edit</button></li>')",
    )
    await run("snapshot -s form")
    await run(
        "js",
        "document.querySelector('h1').textContent = 'Sign up'; document.querySelector('li button').disabled = true",
    )
    words = [line[0] + line.partition(" ")[2] for line in changes(await run("snapshot -D"))]
    assert words == [
        '-[heading] "Sign in" [level=1]',
        '+[heading] "Sign up" [level=1]',
        '-[button] "Edit"',
        '+[button] "Edit" [disabled]',
    ]
    await run("js", "document.querySelector('li').remove()")
    assert [line[0] for line in changes(await run("snapshot -iD"))] == ["-"]


async def test_changes_after_a_navigation_are_the_new_page(run: Run, show: Show) -> None:
    """Print it whole: lines that are as before have new refs, too."""
    await show("<h1>Fruits</h1><button>Delete</button>")
    await run("snapshot -i")
    url = await show(
        "<h1>Fruits</h1><button>Delete</button><table><tr><td><a href=/>More</a></td></tr></table>"
    )
    told, *lines = (await run("snapshot -iD")).splitlines()
    assert told == f"new page: {url}"
    assert [line.partition(" ")[2] for line in lines] == ['[button] "Delete"', '[link] "More"']
    await run(f"click {lines[1].split()[0]}")
    await run("goto", url)
    scoped = (await run("snapshot -iD -s table")).splitlines()
    assert scoped[0] == f"new page: {url}"
    assert len(scoped) == 2
    assert await run("snapshot -iD") == "(no changes)"


async def test_names_with_anything_in_them_are_clickable(run: Run, show: Show) -> None:
    names = [
        "Delete",
        "Delete all",
        'Say "hi"',
        "a: b",
        "#hash",
        "🎉 party",
        "line\nbreak",
        "x" * 10_000,
        "\\",
        "[x]",
    ]
    await show("<body></body>")
    await run(
        "js",
        f"for (const n of {names!r}) {{ const b = document.createElement('button'); b.textContent = n;"
        " b.onclick = () => { document.title = String(n.length) }; document.body.append(b) }",
    )
    lines = (await run("snapshot -i")).splitlines()
    assert len(lines) == len(names)
    for line, name in zip(lines, names, strict=True):
        await run(f"click {line.split()[0]}")
        assert await run("js document.title") == str(len(name.encode("utf-16-le")) // 2)


BLOCK = (
    "<div><div><div>{}</div><div><img alt=vegan src=data:,></div></div><div><span onclick=1>-</span><span> </span>"
    "<span onclick=1>+</span></div></div>"
)
CARD = (
    "<div><img alt=photo src=data:,><div><div>{}</div><div>$2</div></div><div><button>Add</button></div></div>"
)
ICON = "<i class=material-icons aria-hidden=true onclick=1 style='display:inline-block'>{}</i>"
LISTED = {
    "a value drawn over a field whose label names nothing, as in the forms of pgAdmin": (
        """<style>.box{position:relative;width:200px;border:1px solid} .over{position:absolute;left:2px;top:1px}</style>
        <div>Group</div><div class=box><div class=over>Servers</div><input role=combobox></div>""",
        ['[combobox] (near "Group"): Servers'],
    ),
    "words for which a font draws icons, as Quasar's arrows: no names of fields": (
        f"<p>Name {ICON.format('delete')} <input><p>{ICON.format('play_arrow')}<input type=checkbox>{ICON.format('info')} Agree",
        ['[generic] "delete" [onclick] [aria-hidden]', '[textbox] (near "Name")', '[checkbox] (near "Agree")'],
    ),
    "elements without a role and words, named by their title": (
        """<i title=Bin onclick="1">&#xe900;</i><span title=Pen style="cursor:pointer;display:inline-block;width:9px;height:9px"></span>
        <i title=Tip onclick="1">Word</i><i title=Not onclick="1" aria-label=Label></i>""",
        ['[generic] "Bin" [onclick]', '[generic] "Pen" [cursor:pointer]', '[generic] "Word" [onclick]', '[generic] "Label" [onclick]'],
    ),
    "items of lists that listen": (
        """<ul id=plain><li>Alpha<li>Beta</ul><ul id=links><li><a href=#a>First</a><li>Bare</ul><table><thead><tr><th>Who<th>Where<tbody id=rows><tr><td>Ann<td>Rome</table>
        <div role=grid><div id=sheet><div role=row><div role=gridcell tabindex=-1>7</div><div role=gridcell tabindex=-1><input aria-label=ok></div></div>
        <div role=row aria-selected=false><div role=gridcell tabindex=-1>8</div></div></div></div>
        <script>for (const list of [plain, links, rows, sheet]) list.addEventListener('mousedown', event => document.title = event.target.textContent)</script>""",
        ["[list] (#plain) [listener]", '[listitem] "Alpha" [listener]', '[listitem] "Beta" [listener]', '[link] "First"', '[row] "Ann Rome" [listener]',
         '[gridcell] "7" [listener]', '[textbox] "ok"', '[row] "8" [selectable]'],
    ),
    "controls under a role that says nothing of it": (
        """<input id=count role=alert type=number aria-label=Count value=3><button role=img aria-label=Dice>6</button>
        <a href=#there role=figure aria-label=There>There</a><a role=figure>Nowhere</a><button role=status disabled>Off</button>
        <button role=none>Plain</button>""",
        ['[alert] "Count" [input]: 3', '[img] "Dice" [button]', '[figure] "There" [cursor:pointer]', '[button] "Plain"'],
    ),
    "what takes the focus and says what it is": (
        """<div role=group tabindex=0 aria-roledescription=node><i></i>Start<i></i></div><div role=group tabindex=0>A part of the page</div>
        <div role=grid><div role=row tabindex=0 aria-selected=false aria-label=News><div role=gridcell>News <button>Remove</button></div></div></div>""",
        ['[group] "Start" [roledescription="node"] [tabindex]', '[row] "News" [selectable] [tabindex]', '[button] "Remove"'],
    ),
    "controls of a few blocks, told apart by their block": (
        f"<h2>First</h2>{''.join(map(BLOCK.format, ('Soup', 'Bread', 'Rice')))}<h2>Second</h2>"
        f"<div>{''.join(map(CARD.format, ('Apple', 'Pear', 'Plum')))}</div><p>Words <b>at</b> the end",
        [*(f'[generic] "{sign}" ({name}) [onclick]' for name in ("Soup", "Bread", "Rice") for sign in "-+"),
         *(f'[button] "Add" ({name})' for name in ("Apple", "Pear", "Plum"))],
    ),
    "elements that only listen": (
        """<div id=listens>Listens <b>here</b></div><div onclick="1">Inline</div>
        <div style="cursor:pointer">Hand <span>inside</span></div><div tabindex=0>Focus</div><div>Plain</div>
        <div id=host></div><main id=plumbing><button>Real</button></main>
        <script>listens.addEventListener('click', () => document.title = 'heard');
        plumbing.addEventListener('click', () => 0);
        host.attachShadow({mode: 'open'}).innerHTML = '<p id=deep>Deep</p>';
        host.shadowRoot.getElementById('deep').addEventListener('mousedown', () => 0)</script>""",
        ['[generic] "Listens here" [listener]', '[generic] "Inline" [onclick]', '[generic] "Hand inside" [cursor:pointer]', '[generic] "Focus" [tabindex]',
         '[paragraph] "Deep" [listener]', '[button] "Real"'],
    ),
}  # fmt: skip
"""What a page has → its markup, and what is printed of it without refs."""


@each(LISTED)
async def test_things_are_listed_as_what_they_are(what: str, run: Run, show: Show) -> None:
    markup, lines = LISTED[what]
    await show(markup)
    text = await run("snapshot -i")
    assert [line.strip().partition(" ")[2] for line in text.splitlines()] == lines
    assert "generic" not in (await run("snapshot")).replace('[generic] "', ""), "a box without words"


async def test_listed_elements_are_clicked_and_filled_also_late_ones(run: Run, show: Show) -> None:
    await show(LISTED["items of lists that listen"][0])
    await run("snapshot -i")
    await run("js \"plain.append(document.createElement('li')); plain.lastChild.textContent = 'Late'\"")
    await run("click", ref(await run("snapshot -i"), "Late"))
    assert await run("js document.title") == "Late"
    await show(LISTED["elements that only listen"][0])
    await run("click", ref(await run("snapshot -iC"), "Listens here"))
    assert await run("js document.title") == "heard"
    await show(LISTED["controls under a role that says nothing of it"][0])
    count = ref(await run("snapshot -i"), "Count")
    assert await run("fill", count, "7") == f"Filled {count}"
    assert await run("value", count) == "7"


async def test_equal_fields_without_a_text_of_their_own_are_numbered_where_others_have_one(
    run: Run, show: Show
) -> None:
    await show("<p>One <input placeholder=Qty><p>Two <input placeholder=Qty><p><input placeholder=Qty>")
    lines = (await run("snapshot -i")).splitlines()
    assert [line.partition('"Qty" ')[2] for line in lines] == ["(One)", "(Two)", "(3 of 3)"]


async def test_controls_where_nobody_can_scroll_to_are_marked(run: Run, show: Show) -> None:
    """Not those that are used all the same: a box to tick by its label, a file field by its button."""
    away = "style='position: absolute; left: -9999px'"
    await show(
        f"""<a href=#main {away}>Skip</a><div role=dialog {away}><button>Apply</button></div>
        <div style='position: fixed; right: -400px; width: 300px'><button>In the drawer</button></div>
        <label><input type=checkbox {away}>Agree</label><button>Here</button>"""
    )
    assert [line.partition(" ")[2] for line in (await run("snapshot -i")).splitlines()] == [
        '[link] "Skip" [off screen]',
        '[button] "Apply" [off screen]',
        '[button] "In the drawer" [off screen]',
        '[checkbox] "Agree"',
        '[button] "Here"',
    ]


async def test_rows_and_words_beyond_the_hundred_clickables_are_found_with_their_refs(
    run: Run, show: Show
) -> None:
    rows = "".join(f"<tr><td>Run {number}<td>ok" for number in range(80))
    await show(f"<style>td {{ cursor: pointer }}</style><table>{rows}</table><button>After</button>")
    assert "60 more clickable elements" in await run("snapshot -i")
    assert '[row] 2 cells: "Run 70" "ok"' in await run("snapshot -i -s table --rows 71-72")
    await run("click", ref(await run("snapshot -i --find 'Run 75'"), "Run 75"))


async def test_parts_of_a_label_are_not_clickable_by_themselves(run: Run, show: Show) -> None:
    await show(
        """<style>label,label *{cursor:pointer}</style><label><span>Agree <input type=checkbox></span><b>to all</b></label>
        <main tabindex=0><h1>Words</h1><p>and more</p><button>Go</button></main>"""
    )
    assert [line.strip().partition(" ")[2] for line in (await run("snapshot -C")).splitlines()] == [
        "Agree", '[checkbox] "Agree to all"', "to all", "[main] [tabindex]", '[heading] "Words" [level=1]', "[paragraph]: and more", '[button] "Go"',
    ]  # fmt: skip


async def test_scope_takes_any_target(run: Run, show: Show) -> None:
    await show("<nav><a href=/a>A</a></nav><main><h2>Two</h2><a href=/b>B</a></main>")
    everything = await run("snapshot")
    assert await run("snapshot -s main") == '@e3 [main]\n  @e4 [heading] "Two" [level=2]\n  @e5 [link] "B"'
    assert await run("snapshot -i -s 'role=main'") == '@e5 [link] "B"'
    assert await run("snapshot -s @e4") == '@e4 [heading] "Two" [level=2]'
    assert await run("snapshot") == everything


async def test_an_annotated_picture(run: Run, show: Show, shell: Shell) -> None:
    await show(
        "<div style='height:3000px'></div><button style='position:fixed;top:10px'>Fixed</button><button>Low</button>"
    )
    await run("scroll bottom")
    reply = await run("snapshot -ia -o page.png")
    assert reply.endswith("page.png (2 refs)")
    assert (shell.cwd / "page.png").read_bytes().startswith(b"\x89PNG")


BOX_COLOURS = {tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5)) for colour in COLOURS}


def swatch(colour: str, more: str = "") -> str:
    return f"<button style='background:{colour};border:0;width:60px;height:40px;{more}'></button>"


def extent(picture: Image.Image, colour: tuple[int, int, int]) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of what has that colour, in pixels."""
    bands = [
        band.point([255 * (value == wanted) for value in range(256)])
        for band, wanted in zip(picture.split(), colour, strict=True)
    ]
    box = ImageChops.darker(ImageChops.darker(bands[0], bands[1]), bands[2]).getbbox()
    assert box
    return box


async def test_boxes_are_where_things_are_seen(run: Run, show: Show, web: Web, shell: Shell) -> None:
    """Draw boxes in a scrolled page, with a fixed element and frames in frames.

    Of both kinds, one of them scaled, one half scrolled away.
    """
    far = web.show(f"<body style='height:3000px'><div style='height:200px'></div>{swatch('#00f')}").replace(
        web.url, web.other
    )
    nested = web.show(f"{swatch('#0ff')}<iframe style='border:3px solid;padding:2px' src='{far}'></iframe>")
    await show(
        f"""<body style="margin:0;height:4000px"><div style="height:500px"></div>{swatch("#f00")}
        {swatch("#0f0", "position:fixed;right:20px;bottom:10px")}
        <iframe style="transform:scale(.8);border:5px solid" src="{nested}" width=300 height=250></iframe>
        <div style="overflow:hidden;width:300px;height:60px"><iframe src="{far}" style="margin-top:-100px"></iframe></div>{swatch("#ff0", "position:absolute;top:3000px")}"""
    )
    await run("viewport 700x500 --scale 2")
    await run("js 'scrollTo(0, 450)'")
    tab = shell.browser.tab(None)
    for frame in [frame for frame in tab.page.frames if frame.url == far]:
        await in_page.evaluate(frame, "scrollTo(0, 180)")
    await run("screenshot --viewport plain.png")
    reply = await run("snapshot -ia -o boxes.png")
    plain, boxed = (Image.open(shell.cwd / name).convert("RGB") for name in ("plain.png", "boxes.png"))
    assert plain.size == boxed.size == (1400, 1000)
    assert reply.endswith("(4 refs, 1 more outside of the viewport: -a --full)")
    for colour in ((255, 0, 0), (0, 255, 0), (0, 255, 255), (0, 0, 255)):
        left, top, right, bottom = extent(plain, colour)
        middle = (left + right) // 2, (top + bottom) // 2
        assert boxed.getpixel(middle) == colour
        for x, y in ((left, middle[1]), (right - 1, middle[1]), (middle[0], bottom - 1)):
            nearby = {boxed.getpixel((x + dx, y + dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
            assert nearby & BOX_COLOURS, (colour, x, y)


async def test_boxes_on_a_picture_of_the_whole_page(
    run: Run, fails: Fails, show: Show, web: Web, shell: Shell
) -> None:
    """Draw boxes on elements that are scrolled, fixed, below the viewport, and in frames there.

    And on those that no scrolling of the page shows.
    """
    inner = web.show(
        f"<body style='height:900px'>{swatch('#0ff')}<div style='height:500px'></div>{swatch('#f0f')}"
    )
    frames = "".join(
        f"<iframe src='{address}' width=200 height=100></iframe>"
        for address in (inner, inner.replace(web.url, web.other))
    )
    cut_off = f"<div style='overflow:auto;height:50px'><div style='height:200px'></div>{swatch('#888')}</div>"
    await show(
        f"""<body style="margin:0;height:3000px"><div style="height:200px"></div>{swatch("#f00")}
        {swatch("#0f0", "position:fixed;right:20px;bottom:10px")}{swatch("#ff0", "position:fixed;bottom:-90px")}
        <div style="height:2000px"></div>{swatch("#00f")}{frames}{cut_off}"""
    )
    await run("viewport 700x500")
    await run("js 'scrollTo(0, 450)'")
    reply = await run("snapshot -ia -o seen.png")
    assert reply.endswith("seen.png (1 ref, 4 more outside of the viewport: -a --full)")
    await run("screenshot plain.png")
    assert (await run("snapshot -ia --full -o boxes.png")).endswith(
        "boxes.png (5 refs, 366x1568, shrunk from 700x3000)"
    )
    plain, boxed = (Image.open(shell.cwd / name).convert("RGB") for name in ("plain.png", "boxes.png"))
    assert plain.size == boxed.size == (366, 1568)
    for colour in ((255, 0, 0), (0, 255, 0), (0, 0, 255), (0, 255, 255)):
        left, top, _, _ = extent(plain, colour)
        assert {boxed.getpixel((left + dx, top + 10)) for dx in (-1, 0, 1)} & BOX_COLOURS, colour
    assert (await fails("snapshot --full", UsageError)).hint.startswith("Add -a")


async def test_a_frame_that_navigated_makes_its_own_refs_stale(run: Run, fails: Fails, show: Show) -> None:
    await show("<button>Outer</button><iframe srcdoc='<button>Inner</button>'></iframe>")
    text = await run("snapshot -i")
    inner, outer = ref(text, "Inner"), ref(text, "Outer")
    assert await run(f"is visible {inner}") == "true"
    await run(
        "js \"new Promise(r => { const f = document.querySelector('iframe'); f.onload = r; f.srcdoc = '<button>Inner</button>' })\""
    )
    await fails(f"click {inner}", StaleRef)
    await run(f"click {outer}")
    again = ref(await run("snapshot -i"), "Inner")
    assert again != inner
    await run(f"click {again}")


async def test_no_snapshot_stays_in_memory_as_a_tree(run: Run, show: Show) -> None:
    await show("<button>Go</button>")
    await run("snapshot -i")
    await run("js", "document.querySelector('button').remove()")
    await run("snapshot -D -i")
    gc.collect()
    assert not [found for found in gc.get_objects() if isinstance(found, Tree) and found.title == "Test"]


async def test_looks_of_other_kinds_in_between_change_nothing_in_a_page_that_does_not(
    run: Run, show: Show
) -> None:
    await show("<button>One</button><p id=p onclick=1>click</p><div id=d><a href=/x>Two</a></div>")
    first = await run("snapshot -i")
    for other in ("-C", "-s '#d'", "-u", "", "--find Two", "-D"):
        said = await run(f"snapshot {other}")
        assert await run("snapshot -i") == first, other
    assert said == "(no changes)"
    await run("js", "window.taken = p; p.remove()")
    assert "click" not in await run("snapshot")
    await run("js 'document.body.append(taken)'")
    assert "click" in await run("snapshot")


HIDDEN_PARTS = """<p>One <a href=#x>two</a> three</p><button>Outside</button><div id=shown><p>Here <b>it</b> is</p></div>
<div style='display:none' id=leaf>words</div><div style='display:none' id=empty></div>
<div style='display:none'><div id=inside><button id=below>In</button></div></div><div style='visibility:hidden' id=unseen>words</div>
<div aria-hidden=true id=closed>words</div><div hidden id=attribute><input><p>words</p></div><p style='width:0;height:0;overflow:hidden' id=small>w</p>
<details><summary>Sum</summary><p id=shut>words</p></details><template id=t><b>words</b></template><script id=s>1</script><b id=blank></b>"""


async def test_of_a_part_that_is_not_shown_nothing_is_printed(run: Run, show: Show, web: Web) -> None:
    """Print nothing, also in frames: the whole page is no substitute."""
    await show(HIDDEN_PARTS + f"<iframe src='{web.show(HIDDEN_PARTS).replace(web.url, web.other)}'></iframe>")
    await run("wait --load")
    for frame in ("main", "iframe"):
        await run(f"frame {frame}")
        parts = [
            "leaf",
            "empty",
            "inside",
            "below",
            "unseen",
            "closed",
            "attribute",
            "small",
            "shut",
            "t",
            "s",
            "blank",
        ]
        for part in parts if frame == "main" else ["inside", "closed", "t"]:
            assert await run(f"snapshot -s '#{part}'") == "(no accessible elements found)", part
        assert await run("snapshot -i -s '#inside'") == "(no interactive elements found)"
        assert await run("snapshot -s '#inside' --json") == "[]"
        assert (await run("snapshot -s '#shown'")).endswith("[paragraph]: Here it is")


async def test_clickables_outside_a_part_do_not_use_up_its_hundred(run: Run, show: Show) -> None:
    """List a hundred elements that are clicked without a role."""
    cells = "".join(f"<td class=c>{n}" for n in range(150))
    await show(
        f"<style>.c{{cursor:pointer}}</style><table><tr>{cells}</table><div id=part><b class=c>Red</b> <b class=c>Blue</b></div>"
    )
    assert (await run("snapshot -i")).split("\n")[-1].startswith("… 52 more")
    told = (await run("snapshot -i -s '#part'")).split("\n")
    assert ["Red" in told[0], "Blue" in told[1], len(told)] == [True, True, 2]


LINKED = """<body style="margin:0"><h2>Head</h2><button style="position:absolute;left:10px;top:100px;width:80px;height:20px" disabled>Go, "now"</button>
<input aria-label=Name value=Ann><a href="/a?b=1">Link</a><input type=checkbox checked aria-label=Box><p style="position:absolute;top:9999px">Far</p>"""


async def test_a_snapshot_for_programs(run: Run, fails: Fails, show: Show, web: Web) -> None:
    await show(
        f"{LINKED}<iframe src='{web.show(LINKED).replace(web.url, web.other)}' style='position:absolute;left:0;top:300px' width=600></iframe>"
    )
    found = json.loads(await run("snapshot --json"))
    head = next(each for each in found if each["role"] == "heading")
    assert (head["name"], head["states"]) == ("Head", ["level=2"])
    here, there = [each for each in found if each["role"] == "button"]
    assert (here["name"], here["states"], here["box"]) == ('Go, "now"', ["disabled"], [10, 100, 80, 20])
    assert there["box"][1] > 400
    assert there["level"] > here["level"]
    field = next(each for each in found if each["role"] == "textbox")
    assert (field["name"], field["value"]) == ("Name", "Ann")
    assert await run("value", field["ref"]) == "Ann"
    only = json.loads(await run("snapshot --json -i --role checkbox"))
    assert [each["name"] for each in only] == ["Box", "Box"]
    assert set(only[0]) == {"level", "ref", "role", "name", "states", "box"}
    short = json.loads(await run("snapshot --json --max 200"))
    assert short[-1] == {"left_out": len(found) - len(short) + 1}
    assert json.loads(await run("snapshot --json --max 200 --all")) == found
    await fails("snapshot --json -D", UsageError)


async def test_the_addresses_of_links(run: Run, fails: Fails, show: Show) -> None:
    await show(LINKED)
    await run("snapshot -i")
    lines = (await run("snapshot -iu")).splitlines()
    assert [line.split(" ", 1)[1] for line in lines if "[link]" in line] == ['[link] "Link": /a?b=1']
    assert await run("snapshot -D") == "(no changes)"
    await fails("snapshot -u -D", UsageError)
