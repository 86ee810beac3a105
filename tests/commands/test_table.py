"""Test `table`: rows of tables, ARIA grids and lists, as drawn, by pages, and by scrolling."""

import json

import pytest

from gstack_browse.errors import NoMatch, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.each import each

pytestmark = pytest.mark.same_session

PLAIN = """<main><p>Orders</p><table id=t><caption>All</caption><thead><tr><th>Name<th>Sum<th>Done</thead><tbody>
<tr><td>Ann<br>Smith<td rowspan=2>1,2<td><input type=checkbox checked><tr><td>Bob<td><input value=held>
<tr hidden><td>Not<td>shown<td><tr><td colspan=2>Total<td><table><tr><td>inner</table></table></main>"""
PAGED = """<section><table id=t><tr><th>N<tbody></tbody></table><button id=next>Next page ›</button></section><script>
let page = 0; const body = t.querySelectorAll('tbody')[1];
function draw() { body.innerHTML = [0, 1, 2].map(n => `<tr><td>row ${page * 3 + n}`).join(''); next.disabled = page === 3 }
next.onclick = () => { page++; setTimeout(draw, 30) }; draw();
</script>"""
ROWS = 40
VIRTUAL = """<div role=grid id=g aria-rowcount=40 style='height:200px;overflow:auto;position:relative'>
<div id=space style='height:800px'></div></div><script>
function draw() {
  const first = Math.floor(g.scrollTop / 20);
  for (const row of g.querySelectorAll('[role=row]')) row.remove();
  for (let n = Math.min(first + 11, 39); n >= first; n--) g.insertAdjacentHTML('beforeend', `<div role=row NUMBER
    style='position:absolute;top:${n * 20}px;height:20px'><span role=gridcell>part ${n}</span><span role=gridcell>shelf ${n % 7}</span></div>`);
}
g.onscroll = () => setTimeout(draw, 10); g.scrollTop = 300; draw();
</script>"""
GROWING = """<div style='height:100px;overflow:auto' onscroll='if (l.children.length < 30) setTimeout(grow, 30)'><ul id=l></ul></div><script>
function grow() { for (let n = 0; n < 10; n++) l.insertAdjacentHTML('beforeend', `<li>item ${l.children.length}<p>more</p></li>`) } grow();
</script>"""


async def test_rows_of_a_table_in_three_ways(run: Run, show: Show, shell: Shell) -> None:
    """Keep columns where cells span them. Leave out what is hidden, and tables in it."""
    await show(PLAIN)
    rows = "Name\tSum\tDone\nAnn Smith\t1,2\t[x]\nBob\t\theld\nTotal\t\tinner"
    for target in ("main", "'#t'", "caption"):
        assert await run(f"table {target}") == rows
    assert (await run("table main --csv")).splitlines()[1] == 'Ann Smith,"1,2",[x]'
    first = {"Name": "Ann Smith", "Sum": "1,2", "Done": "[x]"}
    assert json.loads(await run("table main --json"))[0] == first
    for name in ("a.csv", "a.json", "a.txt"):
        assert (await run(f"table main {name}")).endswith(f"{name} (3 rows)")
    assert (shell.cwd / "a.csv").read_text().splitlines()[1] == 'Ann Smith,"1,2",[x]'
    assert json.loads((shell.cwd / "a.json").read_text())[0] == first
    assert (shell.cwd / "a.txt").read_text() == f"{rows}\n"


async def test_cells_say_what_their_fields_hold(run: Run, show: Show) -> None:
    await show(
        "<table id=t><tr><td><input type=checkbox checked> active<td><input type=checkbox> active<td><input type=radio checked>"
        "<tr><td><input value=5> kg<td><select><option>a<option selected>b</select><td><textarea>so\nfar</textarea>"
        "<tr><td><i role=switch aria-checked=true>on</i><b role=checkbox aria-checked=constructor>&nbsp;.</b><td><b role=checkbox aria-checked=mixed>&nbsp;.</b>"
        "<td><input type=password value=hunter22><input type=hidden value=no><input placeholder=none></table>"
    )
    assert await run("table '#t'") == "[x] active\t[ ] active\t[x]\n5 kg\tb\tso far\n[x] [ ] on .\t[-] .\t"


async def test_lists_and_grids_by_aria(run: Run, fails: Fails, show: Show) -> None:
    """Put pinned columns together by the numbers of their rows."""
    await show(
        "<ul id=l><li>One<p>first</p></li><li>Two</li></ul><p id=p>None</p><div id=g role=Grid><div>"
        "<div role=row aria-rowindex=1><b role=columnheader aria-colindex=2>B</b></div>"
        "<div role=row aria-rowindex=3><b role=gridcell aria-colindex=2>b3</b></div>"
        "<div role=row aria-rowindex=2><b role=gridcell aria-colindex=2>b2</b></div></div><div>"
        "<div role=row aria-rowindex=1><b role=columnheader aria-colindex=1>A</b></div>"
        "<div role=row aria-rowindex=2><b role=gridcell aria-colindex=1>a2</b></div>"
        "<div role=row aria-rowindex=3><b role=gridcell aria-colindex=1>a3</b></div></div></div>"
    )
    assert await run("table '#l'") == "One\tfirst\nTwo"
    assert await run("table '#g'") == "A\tB\na2\tb2\na3\tb3"
    assert (await fails("table '#p'", UsageError)).message == "#p is no table, grid or list, and has none in it"
    await fails("table '#none'", NoMatch)
    for words in ("--csv --json", "--scroll --pages 2", "--next '#p'"):
        await fails(f"table '#g' {words}", UsageError)


async def test_a_target_without_a_table_names_those_that_are_there(fails: Fails, show: Show) -> None:
    tables = "<table><caption>Prices</caption><tr><th>Name<th>Sum<tr><td>Ann<td>5<tr><td>Bob<td>6</table>"
    await show(
        f"<p id=p>None</p><table hidden><tr><td>no</table>{tables}{'<div role=grid><div role=row>1</div></div>' * 9}"
    )
    for target, error in (("main", NoMatch), ("'#p'", UsageError)):
        hint = (await fails(f"table {target}", error)).hint.splitlines()
        assert hint[0] == "Tables here:"
        assert [line.split(maxsplit=1)[1] for line in hint[1:3]] == ['"Prices" Name, Sum; 2 rows', "1 row"]
        assert hint[9] == "  … and 2 more"


async def test_pages_are_turned_to_the_last_one(run: Run, show: Show, shell: Shell) -> None:
    await show(PAGED)
    assert await run("table '#t' --pages 2") == "N\n" + "\n".join(f"row {n}" for n in range(6))
    await run("reload")
    assert (await run("table '#t' --pages 99")).splitlines()[-1] == "row 11"
    await run("reload")
    assert (await run("table '#t' --pages 3 --next '#next'")).count("row") == 9
    await run("js", "next.remove()")
    reply = await shell.send("table", "#t", "--pages", "2")
    assert (reply.code, reply.text.count("row")) == (0, 3)
    assert "Nothing that can be pressed is called Next near it: name it with --next <target>" in reply.notes


@each(["aria-rowindex=${n + 1}", "data-index=${n}"])
async def test_a_grid_that_draws_a_part_is_scrolled_through(number: str, run: Run, show: Show) -> None:
    await show(VIRTUAL.replace("NUMBER", number))
    assert (await run("table '#g'")).count("part") == 12
    assert await run("table '#g' --scroll") == "\n".join(f"part {n}\tshelf {n % 7}" for n in range(ROWS))


async def test_a_list_that_grows_is_scrolled_to_its_end(run: Run, show: Show) -> None:
    await show(GROWING)
    assert await run("table '#l' --scroll") == "\n".join(f"item {n}\tmore" for n in range(30))
    await show("<ul id=l><li>One</ul>")
    assert await run("table '#l' --scroll") == "One", "what cannot be scrolled is all there"
