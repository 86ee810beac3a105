import json

import pytest
from PIL import Image, ImageChops

from gstack_browse.errors import StaleRef, UnknownRef, UsageError
from gstack_browse.snapshot.annotate import COLOURS
from tests.commands import in_page
from tests.commands.conftest import Check, Fails, Run, Shell, Show
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


def without_refs(snapshot: str) -> list[str]:
    return [line.strip().partition(" ")[2] for line in snapshot.splitlines()]


def changes(diff: str) -> list[str]:
    """The changed lines of a diff, without their indentation."""
    lines = [line for line in diff.splitlines() if not line.startswith(("--- ", "+++ "))]
    return [line[0] + line[1:].strip() for line in lines if line[0] in "+-"]


async def test_snapshot_of_a_form_lists_its_fields(run: Run, show: Show) -> None:
    await show(FORM)
    assert (await run("snapshot")).split("\n") == [
        '@e1 [heading] "Sign in" [level=1]', "@e2 [form]", "  [text]: Email", '  @e3 [textbox] "Email": me@example.com',
        "  [text]: Password", '  @e4 [textbox] "Password" [password]: [redacted]', '  @e5 [button] "Continue now"',
        '  @e6 [link] "Forgot password?"',
    ]  # fmt: skip


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
    assert await run("snapshot --max 0") == await run("snapshot --all")


async def test_find_takes_a_ref_and_roles(run: Run, fails: Fails, show: Show) -> None:
    """Count rows from nought, too."""
    item = "<li>{} <button>Delete</button></li>"
    await show(f"<input aria-label=Name><ul>{item.format('Apple')}{item.format('Cherry')}</ul><ul>{'<li>words' * 8}</ul>")  # fmt: skip
    assert without_refs(await run("snapshot --role textbox,heading")) == ['[textbox] "Name"']
    assert "1-3 of" in (await run("snapshot --rows 0-3 --find words")).splitlines()[0]
    buttons = await run("snapshot --role button,textbox")
    assert without_refs(buttons) == [
        '[textbox] "Name"', '[button] "Delete" (Apple)', '[button] "Delete" (Cherry)',
    ]  # fmt: skip
    last = buttons.splitlines()[2].split()[0]
    row = await run(f"snapshot --find {last}")
    assert ("Cherry" in row, "Apple" in row) == (True, False)
    assert last in await run("snapshot --find cherry --role button")
    await run("js \"document.querySelector('li:nth-child(2)').remove()\"")
    await fails(f"snapshot --find {last}", StaleRef)
    await fails("snapshot --find @e77", UnknownRef)


async def test_a_diff_is_with_the_last_snapshot_that_was_no_search(run: Run, show: Show) -> None:
    await show(FORM + "<ul><li>Ann <button>Edit</button></li></ul>")
    assert (await run("snapshot -D")).startswith("(no previous snapshot of this tab;")
    assert await run("snapshot -D") == "(no changes)"
    await run("snapshot -i")
    for flags in (
        "-D", "-cD", "-iD", "-D -d 1", "-D -s form", "-iD --find edit", "-D --role button", "-D -C", "-iD --rows 1-2",
    ):  # fmt: skip
        assert await run(f"snapshot {flags}") == "(no changes)", flags
    await run("js", "document.querySelector('ul').insertAdjacentHTML('beforeend', '<li>Bob <button>Edit</button></li>')")  # fmt: skip
    await run("snapshot -s form")
    change = "document.querySelector('h1').textContent = 'Sign up'; document.querySelector('li button').disabled = true"
    await run("js", change)
    for search in ("--find Edit", "--role link", "--rows 1-2"):
        await run(f"snapshot -i {search}")
    assert [line[0] + line.partition(" ")[2] for line in changes(await run("snapshot -D"))] == [
        '-[heading] "Sign in" [level=1]', '+[heading] "Sign up" [level=1]', '-[button] "Edit"', '+[button] "Edit" [disabled]',
    ]  # fmt: skip
    await run("js", "document.querySelector('li').remove()")
    assert [line[0] for line in changes(await run("snapshot -iD"))] == ["-"]
    url = await show(FORM)
    assert (await run("snapshot -iD")).partition("\n")[0] == f"new page: {url}"
    assert await run("snapshot -iD") == "(no changes)"


ICON = "<i class=material-icons aria-hidden=true onclick=1 style='display:inline-block'>{}</i>"
AWAY = "style='position: absolute; left: -9999px'"


LISTED = {
    "words for which a font draws icons, as Quasar's arrows: no names of fields": (
        f"<p>Name {ICON.format('delete')} <input><p>{ICON.format('play_arrow')}<input type=checkbox>{ICON.format('info')} Agree",
        ['[generic] "delete" [onclick] [aria-hidden]', '[textbox] (near "Name")', '[checkbox] (near "Agree")'],
    ),
    "elements without a role and words, named by their title": (
        """<i title=Bin onclick="1">&#xe900;</i><span title=Pen style="cursor:pointer;display:inline-block;width:9px;height:9px"></span>
        <i title=Tip onclick="1">Word</i><i title=Not onclick="1" aria-label=Label></i>""",
        ['[generic] "Bin" [onclick]', '[generic] "Pen" [cursor:pointer]', '[generic] "Word" [onclick]', '[generic] "Label" [onclick]'],
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
    "controls where nobody can scroll to, and boxes that are ticked by their label all the same": (
        f"""<a href=#main {AWAY}>Skip</a><div role=dialog {AWAY}><button>Apply</button></div>
        <div style='position: fixed; right: -400px; width: 300px'><button>In the drawer</button></div>
        <label><input type=checkbox {AWAY}>Agree</label><button>Here</button>""",
        ['[link] "Skip" [off screen]', '[button] "Apply" [off screen]', '[button] "In the drawer" [off screen]', '[checkbox] "Agree"', '[button] "Here"'],
    ),
}  # fmt: skip
"""What a page has → its markup, and what is printed of it without refs."""


@each(LISTED)
async def test_things_are_listed_as_what_they_are(what: str, run: Run, show: Show) -> None:
    markup, lines = LISTED[what]
    await show(markup)
    assert without_refs(await run("snapshot -i")) == lines
    assert "generic" not in (await run("snapshot")).replace('[generic] "', ""), "a box without words"


async def test_rows_beyond_the_hundred_clickables_are_found_with_their_refs(run: Run, show: Show) -> None:
    rows = "".join(f"<tr><td>Run {number}<td>ok" for number in range(80))
    await show(f"<style>td {{ cursor: pointer }}</style><table>{rows}</table><button>After</button>")
    assert '[row] 2 cells: "Run 70" "ok"' in await run("snapshot -i -s table --rows 71-72")
    await run("click", ref(await run("snapshot -i --find 'Run 75'"), "Run 75"))


async def test_scope_takes_any_target(run: Run, show: Show, check: Check) -> None:
    await show("<nav><a href=/a>A</a></nav><main><h2>Two</h2><a href=/b>B</a></main>")
    everything = await run("snapshot")
    await check({
        "snapshot -s main": '@e3 [main]\n  @e4 [heading] "Two" [level=2]\n  @e5 [link] "B"', "snapshot -i -s 'role=main'": '@e5 [link] "B"',
        "snapshot -s @e4": '@e4 [heading] "Two" [level=2]', "snapshot": everything,
    })  # fmt: skip


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


async def pictures(run: Run, shell: Shell, whole: str) -> tuple[str, Image.Image, Image.Image]:
    """Return the reply to `snapshot -o`, a picture without boxes, and one with them.

    whole: the option for the whole page; "" for the viewport
    """
    await run(f"screenshot {'' if whole else '--viewport'} plain.png")
    reply = await run(f"snapshot -ia {whole} -o boxes.png")
    plain, boxed = (Image.open(shell.cwd / name).convert("RGB") for name in ("plain.png", "boxes.png"))
    assert plain.size == boxed.size
    return reply.rpartition("boxes.png ")[2], plain, boxed


async def test_boxes_are_where_things_are_seen(run: Run, show: Show, web: Web, shell: Shell) -> None:
    """Draw boxes in a scrolled page, around a fixed element, and in frames: nested, scaled, half hidden."""
    far = web.show_elsewhere(f"<body style='height:3000px'><div style='height:200px'></div>{swatch('#00f')}")
    nested = web.show(f"{swatch('#0ff')}<iframe style='border:3px solid;padding:2px' src='{far}'></iframe>")
    await show(
        f"""<body style="margin:0;height:4000px"><div style="height:500px"></div>{swatch("#f00")}
        {swatch("#0f0", "position:fixed;right:20px;bottom:10px")}
        <iframe style="transform:scale(.8);border:5px solid" src="{nested}" width=300 height=250></iframe>
        <div style="overflow:hidden;width:300px;height:60px"><iframe src="{far}" style="margin-top:-100px"></iframe></div>{swatch("#ff0", "position:absolute;top:3000px")}"""
    )
    await run("viewport 700x500 --scale 2")
    await run("js 'scrollTo(0, 450)'")
    for frame in [frame for frame in shell.browser.tab(None).page.frames if frame.url == far]:
        await in_page.evaluate(frame, "scrollTo(0, 180)")
    told, plain, boxed = await pictures(run, shell, "")
    assert (told, boxed.size) == ("(4 refs, 1 more outside of the viewport: -a --full)", (1400, 1000))
    for colour in ((255, 0, 0), (0, 255, 0), (0, 255, 255), (0, 0, 255)):
        left, top, right, bottom = extent(plain, colour)
        middle = (left + right) // 2, (top + bottom) // 2
        assert boxed.getpixel(middle) == colour
        for x, y in ((left, middle[1]), (right - 1, middle[1]), (middle[0], bottom - 1)):
            nearby = {boxed.getpixel((x + dx, y + dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
            assert nearby & BOX_COLOURS, (colour, x, y)


async def test_boxes_on_a_whole_page(run: Run, fails: Fails, show: Show, web: Web, shell: Shell) -> None:
    """Around what is scrolled, fixed, below the viewport or in frames; not around what no scrolling shows."""
    inner = f"<body style='height:900px'>{swatch('#0ff')}<div style='height:500px'></div>{swatch('#f0f')}"
    frames = "".join(
        f"<iframe src='{url}' width=200 height=100></iframe>"
        for url in (web.show(inner), web.show_elsewhere(inner))
    )
    cut_off = f"<div style='overflow:auto;height:50px'><div style='height:200px'></div>{swatch('#888')}</div>"
    await show(
        f"""<body style="margin:0;height:3000px"><div style="height:200px"></div>{swatch("#f00")}
        {swatch("#0f0", "position:fixed;right:20px;bottom:10px")}{swatch("#ff0", "position:fixed;bottom:-90px")}
        <div style="height:2000px"></div>{swatch("#00f")}{frames}{cut_off}"""
    )
    await run("viewport 700x500")
    await run("js 'scrollTo(0, 450)'")
    assert (await pictures(run, shell, ""))[0] == "(1 ref, 4 more outside of the viewport: -a --full)"
    told, plain, boxed = await pictures(run, shell, "--full")
    assert (told, boxed.size) == ("(5 refs, 366x1568, shrunk from 700x3000)", (366, 1568))
    for colour in ((255, 0, 0), (0, 255, 0), (0, 0, 255), (0, 255, 255)):
        left, top, _, _ = extent(plain, colour)
        assert {boxed.getpixel((left + dx, top + 10)) for dx in (-1, 0, 1)} & BOX_COLOURS, colour
    assert (await fails("snapshot --full", UsageError)).hint.startswith("Add -a")


async def test_snapshots_of_other_kinds_between_two_equal_ones_renumber_nothing(run: Run, show: Show) -> None:
    await show("<button>One</button><p id=p onclick=1>click</p><div id=d><a href=/x>Two</a></div>")
    first = await run("snapshot -i")
    for other in ("-C", "-c", "-d 0", "-s '#d'", "-u", "", "--find Two", "-D"):
        said = await run(f"snapshot {other}")
        assert await run("snapshot -i") == first, other
    assert said == "(no changes)"


HIDDEN = ["inside", "below", "unseen", "closed", "attribute", "small", "shut", "t", "blank"]
HIDDEN_PARTS = """<p>One <a href=#x>two</a> three</p><button>Outside</button><div id=shown><p>Here <b>it</b> is</p></div>
<div style='display:none'><div id=inside><button id=below>In</button></div></div><div style='visibility:hidden' id=unseen>words</div>
<div aria-hidden=true id=closed>words</div><div hidden id=attribute><input><p>words</p></div><p style='width:0;height:0;overflow:hidden' id=small>w</p>
<details><summary>Sum</summary><p id=shut>words</p></details><template id=t><b>words</b></template><b id=blank></b>"""


async def test_part_not_shown_is_not_printed(run: Run, show: Show, web: Web, check: Check) -> None:
    """Print nothing, also in frames: the whole page is no substitute."""
    await show(HIDDEN_PARTS + f"<iframe src='{web.show_elsewhere(HIDDEN_PARTS)}'></iframe>")
    await run("wait --load")
    for frame, parts in (("main", HIDDEN), ("iframe", ["inside", "closed", "t"])):
        await check({f"frame {frame}": "…"} | {f"snapshot -s '#{part}'": "(no accessible elements found)" for part in parts})  # fmt: skip
        await check({
            "snapshot -i -s '#inside'": "(no interactive elements found)", "snapshot -s '#inside' --json": "[]",
            "snapshot -s '#shown'": "…[paragraph]: Here it is",
        })  # fmt: skip


async def test_clickables_outside_a_part_do_not_use_up_its_hundred(run: Run, show: Show) -> None:
    cells = "".join(f"<td class=c>{n}" for n in range(150))
    part = "<div id=part><b class=c>Red</b> <b class=c>Blue</b></div>"
    await show(f"<style>.c{{cursor:pointer}}</style><table><tr>{cells}</table>{part}")
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


async def test_the_addresses_of_links(run: Run, show: Show, check: Check) -> None:
    await show(LINKED)
    await run("snapshot -i")
    assert '[link] "Link": /a?b=1' in without_refs(await run("snapshot -iu"))
    await check({"snapshot -D": "(no changes)", "snapshot -u -D": UsageError})
