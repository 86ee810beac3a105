"""A ref means the record that was printed (a row, an item, a card), or fails, also where a page gives its nodes to another record."""

import html
import re

import orjson
import pytest

from gstack_browse.errors import StaleRef
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.replies import ref_of

pytestmark = pytest.mark.same_session

LISTS = """<!doctype html><title>Lists</title>
<style>
#list { height: 240px; width: 500px; overflow: auto; position: relative; margin: 0; padding: 0 }
#list li { height: 40px; display: flex; gap: 10px }
.pooled li { position: absolute; left: 0; right: 0 }
</style>
<ul id=list></ul><script>
const list = document.getElementById('list');
let kind, data, top0, nodes;
const did = [];
const CONTROLS = [['click', 'button', 'Delete', 'click'], ['fill', '[type=text]', 'Note on', 'input'],
  ['check', '[type=checkbox]', 'Pick', 'change'], ['select', 'select', 'Size of', 'change']];
function draw(node, row) {
  node.row = row;
  node.querySelector('span').textContent = row.name;
  for (const [, which, label] of CONTROLS) node.querySelector(which).setAttribute('aria-label', `${label} ${row.name}`);
}
function made() {
  const node = document.createElement('li');
  node.innerHTML = '<span></span><button>Delete</button><input type=text><input type=checkbox><select><option>small<option>large</select>';
  for (const [verb, which, , event] of CONTROLS) node.querySelector(which).addEventListener(event, () => did.push(`${verb} ${node.row.name}`));
  return node;
}
function render() {
  if (kind === 'pooled') {
    const first = Math.max(0, Math.floor(list.scrollTop / 40) - 2);
    nodes.forEach((node, place) => {
      node.style.top = `${(first + place) * 40}px`;
      draw(node, data[first + place]);
    });
  } else if (kind === 'keyed') {
    for (const row of data) {
      if (!nodes.has(row.name)) nodes.set(row.name, made());
      draw(nodes.get(row.name), row);
    }
    list.replaceChildren(...data.map(row => nodes.get(row.name)));
  } else {
    while (list.children.length < data.length) list.append(made());
    while (list.children.length > data.length) list.lastChild.remove();
    data.forEach((row, place) => draw(list.children[place], row));
  }
}
const happenings = {
  none() {},
  reload() { data = [{ name: 'Zebra' }, ...data]; render(); },
  shift() { data = [...data.slice(3), ...data.slice(0, 3)]; render(); },
  filter() { data = data.filter(row => / (9|1\\d)$/.test(row.name)); render(); },
  sort() { data = [...data].reverse(); render(); },
};
function begin(how, event, change) {
  kind = how;
  did.length = 0;
  list.onscroll = list.onpointermove = null;
  list.className = kind;
  nodes = kind === 'keyed' ? new Map() : Array.from({ length: 14 }, made);
  data = Array.from({ length: kind === 'pooled' ? 200 : 20 }, (_, n) => ({ name: `User ${n}` }));
  list.replaceChildren(...(kind === 'pooled' ? nodes : []));
  list.scrollTop = 0;
  render();
  list.scrollTop = 0;
  const once = () => { list[`on${event}`] = null; happenings[change](); };
  if (event) list[`on${event}`] = kind === 'pooled' ? render : once;
  return true;
}
</script>"""
STALE = 5
ACTIONS = {"click": "Delete", "fill": "Note on", "check": "Pick", "select": "Size of"}
"""What is done → how the name of its control begins."""
STAYS = [
    ("keyed", "scroll", "shift"), ("keyed", "pointermove", "shift"), ("keyed", "", "reload"), ("keyed", "", "sort"), ("keyed", "", "filter"),
    ("keyless", "", "none"), ("pooled", "", "none"),
]  # fmt: skip
"""Lists in which an element stays with its record: kind, what makes the page draw anew, and what then."""
TURNS = [
    ("pooled", "scroll", "none"), ("keyless", "scroll", "shift"), ("keyless", "pointermove", "shift"), ("keyless", "", "reload"),
    ("keyless", "", "sort"), ("keyless", "", "filter"),
]  # fmt: skip
"""Lists in which other records get the elements."""


async def acted(
    shell: Shell, run: Run, case: tuple[str, str, str], action: str, row: int
) -> tuple[int, list[str]]:
    """Exit code of an action on the control of a row, and what the page has heard."""
    kind, event, change = case
    await run("js", f"begin('{kind}', '{event}', '{change}')")
    ref = await ref_of(run, f'"{ACTIONS[action]} User {row}"', "-i --all")
    if not event:
        await run("js", f"happenings.{change}()")
    reply = await shell.send(f"{action} {ref} {'large' * (action in ('fill', 'select'))}")
    return reply.code, orjson.loads(await run("js", "JSON.stringify(did)"))


async def test_elements_that_stay_with_their_record_are_acted_on(run: Run, show: Show, shell: Shell) -> None:
    """Try each list with one action, and each action on several lists."""
    await show(LISTS)
    for number, case in enumerate(STAYS):
        action = list(ACTIONS)[number % len(ACTIONS)]
        code, did = await acted(shell, run, case, action, 10)
        assert (case, action, code, set(did)) == (case, action, 0, {f"{action} User 10"})


@pytest.mark.both_browsers
async def test_element_given_to_another_record_is_not_acted_on(run: Run, show: Show, shell: Shell) -> None:
    """Let the page hear of the record that was printed, or of nothing, whenever it draws anew."""
    await show(LISTS)
    for number, case in enumerate(TURNS):
        for action in list(ACTIONS)[number % 2 :: 2]:
            row = 12 if case[0] == "pooled" else 10
            code, did = await acted(shell, run, case, action, row)
            assert code in ((0, STALE) if case[1] else (STALE,)), (case, action)
            assert set(did) == (set() if code else {f"{action} User {row}"}), (case, action)


QUEUE = """<ul id=list></ul><script>
const make = () => Object.assign(document.createElement('li'), { innerHTML: '<b></b> <button>Delete</button>' });
const show = names => {
  list.replaceChildren(...Array.from({ length: names.length }, (_, n) => list.children[n] ?? make()));
  names.forEach((name, n) => {
    list.children[n].firstChild.textContent = name;
    list.children[n].lastChild.onclick = () => document.title = `deleted ${name}`;
  });
};
show(['Apple', 'Banana', 'Cherry']);
</script>"""


async def test_error_names_both_records_and_where_the_printed_is(run: Run, show: Show, fails: Fails) -> None:
    await show(QUEUE)
    await run("snapshot -i")
    await run("js", "show(['Zebra', 'Apple', 'Banana', 'Cherry'])")
    message = (await fails("click @e2", StaleRef)).message
    both = '@e2 ([button] "Delete" ("Banana")) is stale — [button] "Delete" ("Apple") stands there now'
    assert both in message
    moved = re.search(r'\[button\] "Delete" \("Banana"\) is (@e\d+) now', message)
    assert moved
    await run("click", moved[1])
    assert await run("js document.title") == "deleted Banana"


CELLS = """<table><tbody id=rows></tbody></table><script>
const show = names => rows.innerHTML ? [...rows.rows].forEach((row, n) => names[n].split(' ').forEach((word, at) => row.cells[at].textContent = word))
  : rows.innerHTML = names.map(name => `<tr><td>${name.replace(' ', '<td>')}<td><button>Delete</button>`).join('');
show(['Ann Lee', 'Ann Day', 'Bob Day']);
</script>"""
TEAS = QUEUE.replace("'Apple', 'Banana', 'Cherry'", "'Tea', 'Coffee', 'Milk'")
CARDS = """<div id=cards><div><h3>Apple</h3><p>1 €</p><button>Add</button></div><div><h3>Banana</h3><p>2 €</p><button>Add</button></div></div>
<script>const put = (...all) => document.querySelectorAll('h3,p').forEach((one, n) => one.textContent = all[n])</script>"""
BOXES = """<ul><li><input type=checkbox> <b>Ann</b><li><input type=checkbox> <b>Bob</b></ul><script>const put = (...all) => {
document.querySelectorAll('b').forEach((one, n) => one.textContent = all[n]); document.querySelector('input').checked = true }</script>"""
IN_FRAME = f'<iframe id=inner srcdoc="{html.escape(QUEUE)}"></iframe>'
OTHERS = {
    "a record that was deleted": (QUEUE, "show(['Apple', 'Cherry'])", 1, "click hover dblclick", "Banana"),
    "a box that another record has checked": (BOXES, "put('Eve', 'Ann')", 0, "check", "Ann"),
    "cards without a role": (CARDS, "put('Zebra', '3 €', 'Apple', '1 €')", 0, "click", '[button] "Add" ("Apple") is @e'),
    "one in cells that shares each word": (CELLS, "show(['Bob Day', 'Bob Lee', 'Ann Day'])", 1, "click", '("Ann Day") is @e'),
    "a frame": (IN_FRAME, "frames[0].eval(`show(['Zebra', 'Apple', 'Banana', 'Cherry'])`)", 1, "click", '("Banana")'),
}  # fmt: skip
"""A page, what it does once it was printed, the number of the line whose ref is stale then, for which commands, and what the message says."""


async def test_ref_of_a_record_whose_element_another_has_is_stale(run: Run, show: Show, fails: Fails) -> None:
    for what, (page, change, number, commands, told) in OTHERS.items():
        await show(page)
        ref = re.findall(r"(@e\d+) \[(?:button|checkbox)\]", await run("snapshot -i"))[number]
        await run("js", f"{change}; 0")
        for command in commands.split():
            assert told in (await fails(f"{command} {ref}", StaleRef)).message, what
        if page is QUEUE:
            assert "Cherry" in await run("snapshot -i")
            await run("click", ref)  # which was printed as Cherry's meanwhile
            assert await run("js document.title") == "deleted Cherry"


ANN_AND_BOB = "<li>Ann <button>Delete</button><li>Bob <button>Delete</button>"


IN_PLACE = {
    "a counter beside it": ("<li><i>1</i> <button>+</button><li><i>2</i> <button>+</button>", "$('i').textContent = '3'"),
    "a counter in its text": ("<li>Ann <button>Call</button><li>Bob <button>Call</button>", "$('li').firstChild.data = 'Ann (3)'"),
    "a clock": ("<li>Ann <i>2 min ago</i> <button>Call</button><li>Bob <i>3 min ago</i> <button>Call</button>", "$('i').textContent = '4 min ago'"),
    "an error": ("<li><label>Name</label> <button>Check</button><li><label>Mail</label> <button>Check</button>", "$('label').after(' is missing')"),
    "a step of a wizard": ("<section><h2>Name</h2><button>Next</button></section>", "$('h2').textContent = 'Address'"),
    "a page of panels": (
        "<div><h2>Sales</h2><p>12</p><button>Refresh</button></div><div><h2>Costs</h2><button>Refresh</button></div>",
        "$('p').textContent = '13'; $('h2').textContent = 'Sales of today'",
    ),
    "another language": (ANN_AND_BOB, "document.querySelectorAll('button').forEach(one => one.textContent = 'Löschen')"),
    "a tooltip": (ANN_AND_BOB, "$('button').title = 'Deletes Ann'"),
    "rows that were inserted": (ANN_AND_BOB, "$('li').before($('li').cloneNode(true))"),
    "a selected tab": ("<div role=tablist><button role=tab>One</button><button role=tab>Two</button></div>", "$('button').textContent = 'One (3)'"),
}  # fmt: skip
"""Pages in which something changes in place, and the change. The first button stays what it was."""


async def test_record_that_changes_in_place_is_acted_on(run: Run, show: Show, shell: Shell) -> None:
    """Put each list into the page behind the one before."""
    await show("<ul></ul><script>const $ = which => document.querySelector(which)</script>")
    for what, (page, change) in IN_PLACE.items():
        markup, title = orjson.dumps(page).decode(), orjson.dumps(what).decode()
        await run("js", f"{{ $('ul').innerHTML = {markup}; $('button').onclick = () => document.title = {title} }}")  # fmt: skip
        first = re.search(r"@e\d+(?= \[(?:button|tab)\])", await run("snapshot -i"))
        assert first
        await run("js", f"{{ {change} }}")
        reply = await shell.send("click", first[0])
        assert (what, reply.message, await run("js document.title")) == (what, "", what)


async def test_element_in_a_ref_or_drag_goal_with_another_record_is_refused(
    run: Run, show: Show, fails: Fails
) -> None:
    await show(QUEUE + "<b draggable=true>Fig</b>")
    item, button = re.findall(r"(@e\d+) \[(?:listitem|button)\]", await run("snapshot"))[:2]
    await run("js", "show(['Zebra', 'Apple', 'Banana', 'Cherry'])")
    for line in (f"click '{item} >> button'", f"drag b {item}", f"drag b {button}"):
        assert '("Zebra") stands there now' in (await fails(line, StaleRef)).message, line


async def test_box_that_another_record_gets_as_it_is_checked_is_no_failure(run: Run, show: Show) -> None:
    await show("<ul><li><b></b><input type=checkbox><li><b></b><input type=checkbox><li><b></b><input type=checkbox></ul><script>"
        "let names = ['Tea', 'Milk', 'Oats'], done = []; const boxes = document.querySelectorAll('input');"
        "const draw = () => { boxes.forEach((box, n) => { box.previousSibling.textContent = names[n]; box.checked = done.includes(names[n]) }) };"
        "boxes.forEach((box, n) => { box.onchange = () => { done.push(names[n]); names = [...names.filter(name => !done.includes(name)), ...done]; draw() } });"
        "draw()</script>")  # fmt: skip
    first = re.findall(r"(@e\d+) \[checkbox\]", await run("snapshot -i"))[0]
    for target in (first, "li:has-text('Milk') >> input"):
        assert await run(f'check "{target}"') == f"Checked {target}\n→ another record is in its place since"
    assert await run("js done.join()") == "Tea,Milk"


BETWEEN = {
    "as the pointer comes": ("list.onpointermove = turn", "click", "", ["Tea"]),
    "as the focus changes, and the page acts on the click": ("field.onblur = turn", "click", "was pressed and not clicked: Ref", ["Tea"]),
    "as the focus changes, and the page acts on the release": ("field.onblur = turn", "mouseup", "was pressed and not clicked: Ref", ["Tea"]),
}  # fmt: skip
"""When a list gives an element to a record that has all words of the one before, what it acts on, what is said of a ref, and what acts then."""


async def test_record_that_changes_between_look_and_click_is_not_acted_on(
    run: Run, show: Show, fails: Fails
) -> None:
    for what, (begins, event, said, heard) in BETWEEN.items():
        page = TEAS.replace("onclick", f"on{event}").replace(
            "document.title = `deleted ${name}`", "heard.push(name)"
        )
        for is_ref in (True, False):
            await show(f"<input id=field>{page}")
            target = "li:has(b:text-is('Tea')) >> button"
            await run("js", "heard = []; field.focus(); turns = [['Oats', 'Green Tea', 'Milk', 'Tea']];"
                f"turn = () => {{ if (turns.length) show(turns.shift()) }}; show(['Cup', 'Tea', 'Milk']); {begins}; 0")  # fmt: skip
            if is_ref:
                target = re.findall(r"(@e\d+) \[button\]", await run("snapshot -i"))[1]
                message = (await fails(f"click {target}", StaleRef)).message
                assert re.search(f'{said}.*"Delete" \\("Tea"\\) is @e', message), what
            else:
                await run("click", target)
            assert (what, await run("js heard.join()")) == (what, "" if is_ref else ",".join(heard))


TAKEN_OUT = {
    "each row has its element": ("event.target.parentNode.remove()", "the page took it away at the first click: it heard no second one"),
    "the rows get other records": ("show(names.slice(1))", "the page took the second click for something else: it heard one"),
    "all are made anew": ("list.textContent = ''; show(names.slice(1))", "the page took it away at the first click: it heard no second one"),
    "it is made anew and stays": ("list.textContent = ''; show(names)", ""),
}  # fmt: skip
"""How a page takes a row out as its button is clicked, and what is said of a double click."""


async def test_double_click_reaches_no_record_that_comes_into_the_place(run: Run, show: Show) -> None:
    for what, (takes, said) in TAKEN_OUT.items():
        await show(QUEUE.replace("document.title = `deleted ${name}`", "take(name)"))
        await run(
            "js",
            f"names = ['Apple', 'Banana', 'Cherry']; heard = []; take = name => {{ heard.push(name); {takes} }}; 0",
        )
        reply = await run("dblclick 'button >> nth=0'")
        assert (what, reply, await run("js heard.join()")) == (
            what, "\n→ ".join(filter(None, ("Clicked button >> nth=0", said))), "Apple,Apple" if not said else "Apple",
        )  # fmt: skip
