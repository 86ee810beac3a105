"""Test lists that say nothing of themselves: no role, no options, at most classes or `aria-expanded`.

How they are opened, and what becomes of a choice: it stays when it is made again, and its list closes, and nothing else.
And native lists that a widget hides: the widget is chosen from, and no widget of another list.
"""

import itertools

import pytest

from gstack_browse.browser.actions.lists import plain_lists
from gstack_browse.errors import ActionFailed, NoMatch, NotInteractable
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.hurried import hurried
from tests.commands.replies import ref_of
from tests.each import each, each_row

pytestmark = pytest.mark.same_session


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait briefly, as in a page that opens and closes its lists in the turn of the press. It is looked at as often as ever at least."""
    for name in ("OPENING_SECONDS", "LEAVING_SECONDS"):
        monkeypatch.setattr(plain_lists, name, 0.1)


STYLE = "<style>ul { display: none; margin: 0; padding: 0; width: 200px; background: white; border: 1px solid } .open ul { display: block }</style>"
ITEMS = {
    "marked by its class": ("<li>{0}", "item.classList.toggle('selected')", "item.matches('.selected')", "names"),
    "marked by a class that nobody knows": ("<li>{0}", "item.classList.toggle('is-on')", "item.matches('.is-on')", "names"),
    "with a box": ("<li><label><input type=checkbox><span>{0}</span></label>", "tick(event, item)", "item.querySelector('input').checked", "names"),
    "taken out of the list": ("<li>{0}", "item.hidden = true", "item.hidden", "chips"),
}  # fmt: skip
"""Of lists that take several: an item, what a press does, whether it is chosen, and how the box shows what is."""
SHOWS = {
    "names": "shown.textContent = chosen.join(', ') || 'Pick'",
    "chips": "shown.innerHTML = chosen.map(each => `<b>${each} <i>×</i></b>`).join('')",
}


def several(
    kind: str,
    *,
    box: str = "<div id=box class=dropdown aria-label=Colour>{0}</div>",
    field: str = "<div id=shown>Pick</div>",
    opens: str = "'open'",
) -> str:
    """A list that takes several options; `heard` is what was pressed in it."""
    item, press, is_chosen, shows = ITEMS[kind]
    listed = "".join(item.format(label) for label in ("Red", "Green", "Dark Red"))
    return f"""{STYLE}{box.format(f"{field}<ul id=list>{listed}</ul>")}<p><label><input type=checkbox id=below> Below</label></p><script>
const heard = [], box = document.getElementById('box');
const tick = (event, item) => {{ event.preventDefault(); const box = item.querySelector('input'); box.checked = !box.checked }};
const chosen = () => [...list.children].filter(item => {is_chosen}).map(item => item.textContent.trim());
const show = chosen => {{ {SHOWS[shows]} }};
for (const item of list.children) item.onclick = event => {{ heard.push(item.textContent.trim()); {press}; show(chosen()) }};
shown.onclick = () => box.classList.toggle({opens});
document.addEventListener('keydown', event => {{ if (event.key === 'Escape') box.classList.remove('open') }});
document.addEventListener('click', event => {{ if (!box.contains(event.target)) box.classList.remove('open') }});
</script>"""


KNOWN_BY_CLASS = ["known by the widget rule dropdown"]
IS_OPEN = "getComputedStyle(list).display"


@pytest.mark.usefixtures("at_once")
@each([kind for kind in ITEMS if kind != "with a box"])
async def test_choice_stays_when_it_is_made_again(kind: str, run: Run, show: Show, check: Check) -> None:
    """Press nothing that is chosen already, and take no label for another one that ends with it."""
    await show(several(kind))
    for label in ("Dark Red", "Red", "Red"):
        await check({f"select #box '{label}'": f'Selected "{label}" in #box', f"js {IS_OPEN}": "none"})
    assert await run("js 'chosen().join()'") == "Red,Dark Red"
    if "nobody" not in kind:
        assert await run("js 'heard.join()'") == "Dark Red,Red"
    await check({"select #box Red Green": 'Selected "Red", "Green" in #box', "js chosen().join()": "Red,Green,Dark Red"})  # fmt: skip


ESCAPE_CLOSES = (
    "<script>addEventListener('keydown', event => { if (event.key === 'Escape') layer.remove() })</script>"
)
IN_DIALOG = "<div id=layer style='position:fixed;top:20px'><div id=box class=dropdown>{0}</div></div>"
BUTTON = "<button id=shown aria-expanded=false>Pick</button>"
CLOSED = {
    "by its box in a dialog that Escape would close": ("#box", several("with a box", box=IN_DIALOG) + ESCAPE_CLOSES),
    "by keys in its box, though nothing has the focus after a press on an item that takes none": (
        "#shown", several("marked by its class", field=BUTTON, opens="'open', true").replace("document.addEventListener('keydown'", "shown.addEventListener('keydown'"),
    ),
}  # fmt: skip


@each(CLOSED)
async def test_list_of_several_closes_after_a_choice(how: str, show: Show, check: Check, shell: Shell) -> None:
    target, markup = CLOSED[how]
    await show(markup)
    await check({f"select {target} Red Green": "…"})
    assert shell.replies[-1].notes == (KNOWN_BY_CLASS if target == "#box" else [])
    await check({f"js {IS_OPEN}": "none", "js chosen().join()": "Red,Green"})


FADING = """<style>.w { height: 30px } ul { position: absolute; transition: opacity .25s }</style>
<div class="w dropdown"><input id=a readonly value=Pick><ul><li>Red<li>Green<li>Blue</ul></div>
<div class="w dropdown"><input id=b readonly value=Ann><ul><li>Ann<li>Bob<li>Cyd</ul></div><script>
for (const box of document.querySelectorAll('.w')) {
  const [field, list] = box.children; let isOpen = false, leaving;
  const gone = () => { list.style.display = 'none' };
  const close = () => { if (!isOpen) return; isOpen = false; list.style.opacity = 0; leaving = setTimeout(gone, 250) };
  field.onclick = () => { if (isOpen) return; isOpen = true; clearTimeout(leaving); list.style.display = 'block'; list.style.opacity = 1 };
  document.addEventListener('click', event => { if (event.target !== field) close() });
  document.addEventListener('keydown', event => { if (event.key === 'Escape') close() });
  list.onclick = event => { field.value = event.target.textContent.trim() };
}</script>"""


async def test_fading_list_is_gone_at_the_next_choice(show: Show, check: Check) -> None:
    """Distinguish the list of the next field from one on its way out."""
    await show(STYLE + FADING)
    for target, label in (("#a", "Green"), ("#b", "Cyd"), ("#a", "Red")):
        await check({f"select {target} {label}": f'Selected "{label}" in {target}', f"value {target}": label})


async def test_a_list_that_does_not_close_is_said_to_be_open(run: Run, show: Show, shell: Shell) -> None:
    await show(several("with a box", opens="'open', true").replace("'Escape'", "'F2'"))
    assert await run("select #box", "Red", "Green") == 'Selected "Red", "Green" in #box'
    is_open = "The list of <div#box> \"Colour\" is still open: 'press Escape', or click beside it"
    assert shell.replies[-1].notes == [*KNOWN_BY_CLASS, is_open]


BUTTONS = """<style>#panel { display: none } .open #panel { display: block }</style><div id=box class=dropdown aria-label=Fruit><div id=shown>none</div>
<div id=panel><div id=items><div>Apple</div><div>Fig</div><div>Kiwi</div></div><button id=ok>TAKE</button><button id=no>Cancel</button></div></div><script>
let held = [];
const items = [...document.getElementById('items').children], box = document.getElementById('box');
const open = is => { box.classList.toggle('open', is); if (is) for (const item of items) item.classList.toggle('selected', held.includes(item.textContent)) };
shown.onclick = () => open(!box.matches('.open'));
for (const item of items) item.onclick = () => item.classList.toggle('selected');
ok.onclick = () => { held = items.filter(item => item.matches('.selected')).map(item => item.textContent); shown.textContent = held.join(', ') || 'none'; open(false) };
no.onclick = () => open(false);
document.onkeydown = event => { if (event.key === 'Escape') open(false) };
</script>"""


@pytest.mark.usefixtures("at_once")
async def test_a_list_that_takes_the_choice_by_a_button_gets_it(show: Show, check: Check) -> None:
    await show(BUTTONS.replace("TAKE", "Apply"))
    await check({
        "select #box Apple Fig": 'Selected "Apple", "Fig" in #box', "js held.join()": "Apple,Fig", "is visible #panel": "false",
    })  # fmt: skip
    await show(BUTTONS.replace("TAKE", "Weiter"))
    kept_not = '<div#box> "Fruit" did not keep "Apple", "Fig": its list has buttons, and one of them takes the choice ("Weiter", "Cancel")'
    await check({
        "select #box Apple Fig": (ActionFailed, kept_not), "js [held.length, getComputedStyle(panel).display]": '[0,"none"]',
    })  # fmt: skip


DIALOG = """<label id=lb>Labels</label> <button id=b aria-labelledby=lb aria-haspopup=dialog aria-expanded=false><span>top</span></button><script>
  b.onclick = () => { const box = document.createElement('div'); box.setAttribute('role', 'dialog'); b.ariaExpanded = 'true'
    box.innerHTML = '<div role=listbox>' + ['left', 'right', 'top'].map(side => `<div role=option>${side}</div>`).join('') + '</div>'
    document.body.append(box); box.onclick = event => { b.firstChild.textContent = event.target.textContent; box.remove(); b.ariaExpanded = 'false' } }
</script>"""
DRAWN_ANEW = """<style>.menu { display: none } .menu.show { display: block }</style><div id=t></div><div id=s></div><script>
  const draw = size => { t.innerHTML = '<p>row</p>'.repeat(size); s.innerHTML = `<span>1 to ${size} of 37</span> <div class="group dropdown">
    <button class="toggle"><span>${size}</span></button><div class=menu>` + [5, 10, 25].map(n => `<a class=item href="#">${n}</a>`).join('') + '</div></div>'
    const menu = s.querySelector('.menu'); s.querySelector('button').onclick = () => menu.classList.toggle('show')
    menu.onclick = event => { event.preventDefault(); draw(Number(event.target.textContent)) } }
  draw(5)</script>"""
REPLACED = """<form id=line></form><script>
const draw = label => {
  line.innerHTML = `<button type=button class=select aria-expanded=false><span>${label}</span></button>`;
  line.firstChild.onclick = () => line.insertAdjacentHTML('beforeend', '<ul><li>Name<li>Size</ul>');
};
line.onclick = event => { if (event.target.localName === 'li') draw(event.target.textContent) };
draw('Colour');
</script>"""


async def test_choice_of_a_box_drawn_anew_is_taken(run: Run, shell: Shell, show: Show, check: Check) -> None:
    """Choose in a popover that holds a list of commands, and in a box that its table moves down."""
    for page, target, labels, shown in (
        (DIALOG, "#b", ("left", "right"), "text #b"), (DRAWN_ANEW, "'#s button'", ("10", "25"), "count p"),
    ):  # fmt: skip
        await show(page)
        for label in labels:
            await check({f"select {target} {label}": f'Selected "{label}" in …', shown: label})
    await show(REPLACED)
    ref = await ref_of(run, '"Colour"')
    await check({f"select {ref} Size": f'Selected "Size" in {ref}'})
    assert shell.replies[-1].notes == ['The page has put another in the place of <button.select> "Colour" since']  # fmt: skip
    await check({"text #line": "Size"})


MENU_STYLE = "<style>.menu{display:none} .open .menu{display:block} .item{cursor:pointer}</style><output id=said></output>"
DROPDOWN = """<div class="ui selection dropdown" id=box tabindex=0><input type=hidden><div class=text>Gender</div>
<div class=menu><div class=item data-value=m>Male</div><div class=item data-value=f>Female</div></div></div>
<script>box.onclick = event => {
  if (event.target.className === 'item') {
    box.querySelector('.text').textContent = event.target.textContent; box.querySelector('input').value = event.target.dataset.value; said.textContent += event.target.dataset.value }
  box.classList.toggle('open') }</script>"""
TOGGLE = """<button id=box type=button aria-expanded=false><span>Level</span></button><script>box.onclick = () => {
  if (box.ariaExpanded === 'true') return;
  box.ariaExpanded = 'true'; document.body.insertAdjacentHTML('beforeend', '<ul id=list><li><span>Info</span><li><span>Warn</span></ul>');
  list.onclick = event => { box.firstChild.textContent = event.target.textContent; said.textContent += event.target.textContent; list.remove(); box.ariaExpanded = 'false' } }</script>"""
SEARCHED = """<div id=box class=select2-container><a href="javascript:void(0)"><span>Choose</span></a></div><script>box.onclick = () => {
  if (document.querySelector('#drop')) return;
  document.body.insertAdjacentHTML('beforeend', '<div id=drop><input><ul></ul></div>');
  const field = drop.firstChild; field.focus();
  field.oninput = () => drop.lastChild.innerHTML = field.value ? '<li>Bob</li><li>Bobby</li>' : '';
  drop.lastChild.onclick = event => { box.querySelector('span').textContent = event.target.textContent; said.textContent += event.target.textContent; drop.remove() } }</script>"""


TEXT = "<div class=text>Gender</div>"
OVER_TEXT = f"<input style='position:absolute;left:0;top:0;width:100%;height:18px;opacity:0'>{TEXT}"
COVERED = DROPDOWN.replace(TEXT, OVER_TEXT).replace("id=box", "id=box style='position:relative'")

TOOLBAR = """<p id=bar hidden><button>Row</button> <button>Column</button></p>
<script>box.addEventListener('click', () => { bar.hidden = false })</script>"""


CHOICES = {
    "by its class": (DROPDOWN, [("#box", "Female", "f"), ("#box .text", "m", "fm"), ("#box", "Male", "fm")]),
    "by aria-expanded": (TOGGLE, [("text=Level", "Warn", "Warn"), ("#box", "Info", "WarnInfo")]),
    "searched": (SEARCHED, [("#box a", "Bob", "Bob")]),
    "below its own field": (COVERED, [("#box .text", "Female", "f")]),
    "showing a toolbar elsewhere": (f"{DROPDOWN}{TOOLBAR}", [("#box", "Female", "f"), ("#box", "Male", "fm")]),
    "open already": (f"{DROPDOWN}<script>box.click()</script>", [("#box", "Female", "f")]),
}
"""How a list is known, its markup, and for each target: what is chosen, and what the page has heard by then. What is chosen is not pressed again."""


@each(CHOICES)
async def test_plain_list_is_opened_and_its_line_pressed(kind: str, show: Show, check: Check) -> None:
    """Name the box, a part of it, or its field."""
    markup, choices = CHOICES[kind]
    await show(MENU_STYLE + markup)
    for target, wanted, said in choices:
        await check({f"select '{target}' {wanted}": f"… in {target}", "text #said": said, "count .open": "0"})


async def test_choice_from_a_plain_list_that_cannot_be_made_is_an_error(show: Show, check: Check) -> None:
    """Press nothing that acts, and type into no field without a list."""
    unseen, twins = "event.target.className === 'item'", "Male</div>"
    with hurried():
        for page, label, error in (
            (DROPDOWN, "Other", (NoMatch, 'There is no option "Other"\nAvailable: Male, Female')),
            (DROPDOWN.replace(unseen, "false"), "Male", (ActionFailed, "…does not show that it was taken…")),
            (DROPDOWN.replace(twins, "Female</div>"), "Female", (NotInteractable, "…2 options…")),
        ):  # fmt: skip
            await show(MENU_STYLE + page)
            await check({f"select #box {label}": error})
        await show(
            "<form onsubmit='said.textContent=1;return false'><button class=dropdown>Send</button></form><a class=dropdown href=/next>Next</a>"
            "<button id=plain>Delete</button><button id=menu aria-expanded=false aria-haspopup=menu>More</button><output id=said></output>"
            "<div class=dropdown><input id=box oninput='said.textContent = value'><button type=button id=more>More</button></div>"
            "<script>plain.onclick = menu.onclick = () => said.textContent = 2</script>"
        )
        for target in ("text=Send", "text=Next", "#plain"):
            await check({f"select {target} Oslo": (NotInteractable, "…is not a <select>…")})
        await check({"select #box Bonn": NoMatch, "text #said": ""})


LISTBOX = """<div id=box role=listbox aria-label=Fruits tabindex=0><select multiple hidden><option>Apple<option>Pear<option>Plum</select><span>None</span></div><script>
const words = box.querySelector('span'), fruits = box.querySelector('select');
const lines = [...fruits.options].map(({ label }) => `<div role=presentation>${label}</div>`).join('');
const list = Object.assign(document.createElement('div'), { role: 'presentation', style: 'cursor: pointer; height: 30px; overflow-y: scroll', innerHTML: lines });
box.onclick = event => {
  if (!list.isConnected) return box.append(list);
  const option = [...fruits.options].find(each => each.label === event.target.textContent);
  if (option) option.selected = !option.selected;
  words.innerHTML = [...fruits.selectedOptions].map(each => `<b>${each.label}</b>`).join('');
  list.remove();
};
box.onkeydown = event => { if (event.key === 'Escape') list.remove() };
</script>"""


async def test_a_listbox_without_options_is_opened_and_its_lines_are_listed(show: Show, check: Check) -> None:
    await show(LISTBOX)
    await check({"select #box Pear Plum": 'Selected "Pear", "Plum" in #box', "text '#box span'": "PearPlum"})
    with hurried():
        await check({"select #box Fig": (NoMatch, "…\nAvailable: Apple, Pear, Plum")})
    await check({
        "count '#box [role=presentation]'": "0", "click #box": "…", "snapshot -i": '…"Apple Pear Plum" [cursor:pointer]…',
    })  # fmt: skip


OPTIONS = "<option>Small<option>Medium<option>Large"
HIDDEN = "opacity:0;position:absolute;width:1px;height:1px;overflow:hidden"
GONE = "display:none"


def combobox(name: str) -> str:
    """A widget that says what it is, as ARIA has it."""
    return f"""<button type=button id={name}-box role=combobox aria-haspopup=listbox aria-expanded=false aria-controls={name}-list>Small</button>
<ul id={name}-list role=listbox style="display:none"><li role=option>Small<li role=option>Medium<li role=option>Large</ul><script>{{
const box = document.getElementById('{name}-box'), list = document.getElementById('{name}-list');
box.onclick = () => {{ list.style.display = 'block'; box.ariaExpanded = 'true' }};
list.onclick = (event) => {{ box.textContent = document.getElementById('{name}').value = event.target.textContent.trim(); list.style.display = 'none'; box.ariaExpanded = 'false' }}
}}</script>"""


def plain(name: str) -> str:
    """Return a widget without names, roles or states."""
    return f"""<div class="nice-box" id={name}-box tabindex=0><span>Small</span><ul style="display:none"><li>Small<li>Medium<li>Large</ul></div><script>{{
const box = document.getElementById('{name}-box'), list = box.querySelector('ul');
box.onclick = (event) => {{ if (event.target.localName !== 'li') return void (list.style.display = 'block');
  box.firstChild.textContent = document.getElementById('{name}').value = event.target.textContent.trim(); list.style.display = 'none' }}
}}</script>"""


FORMS = {
    "in a row": "<label for={0}>{0}</label>{1}{2}", "without labels": "{1}{2}",
    "the list behind": "<div><label for={0}>{0}</label>{2}{1}</div>",
    "wrapped by itself": "<label for={0}>{0}</label><div style='width:0;height:0;overflow:hidden'>{1}</div>{2}",
}  # fmt: skip
WIDGETS = {"combobox": combobox, "plain": plain, "opaque": "<span id={}-box>something</span>".format}
"""By kind: what makes the widget of a field. The last cannot be opened."""
HELD_VALUES = "['one', 'two', 'three'].map((name) => document.getElementById(name).value).join()"


def native(name: str, how: str) -> str:
    return f"<select id={name} style='{how}' tabindex=-1>{OPTIONS}</select>"


def form(shape: str, how: str, *widgets: str) -> str:
    names = zip(("one", "two", "three"), widgets, strict=True)
    fields = (FORMS[shape].format(name, native(name, how), WIDGETS[kind](name)) for name, kind in names)
    return f"<form>{''.join(fields)}</form>"


@each_row(*zip(FORMS, itertools.cycle((HIDDEN, GONE)), itertools.cycle(("combobox", "plain"))))
async def test_the_widget_beside_a_hidden_list_is_chosen_from_and_no_neighbour_s(
    shape: str, how: str, neighbours: str, shell: Shell, show: Show, check: Check
) -> None:
    await show(form(shape, how, "combobox", "plain", "combobox"))
    for target, label, held in (
        ("#two", "Large", "Small,Large,Small"), ("#three", "Medium", "Small,Large,Medium"),
        ("#one", "Large", "Large,Large,Medium"), ("#two-box", "Medium", "Large,Medium,Medium"),
    ):  # fmt: skip
        await check({f"select {target} {label}": f'Selected "{label}" in {target}…', f"js {HELD_VALUES}": held})
    await show(form(shape, HIDDEN, neighbours, "opaque", neighbours))
    reply = await shell.send("select '#two' Large --timeout 300")
    assert (bool(reply.code), "is not a <select>" in reply.message) == (True, False), reply.text
    await check({f"js {HELD_VALUES}": "Small,Small,Small"})


async def test_option_outside_of_a_list_is_clicked_like_anything_else(show: Show, check: Check) -> None:
    await show("<option onclick='this.append(` pressed`)'>Alone</option>")
    await check([
        ("click option", "Clicked option"), ("text", "Alone pressed"), ("select option Alone --timeout 300", NotInteractable),
    ])  # fmt: skip


async def test_list_without_a_widget_or_not_kept_in_step_is_an_error(show: Show, check: Check) -> None:
    await show(form("in a row", HIDDEN, "combobox", "plain", "combobox"))
    await check({
        "js Object.defineProperty(two, 'value', { set() {} }); 0": "0", "select '#two' Large": (ActionFailed, '…holds "Small"…'),
        "select '#two-box' Medium": 'Selected "Medium"…',
    })  # fmt: skip
    await show(f"<p>Before</p>{native('one', HIDDEN)}<p>After <a href=#x>it</a></p>")
    await check({"select '#one' Large --timeout 300": (NotInteractable, "…hidden…")})


async def test_filter_that_leaves_one_option_finds_it_by_a_part_of_its_label(
    run: Run, fails: Fails, show: Show
) -> None:
    """Choose a country without its number (intl-tel-input). Take none of two options with the part."""
    await show("""<button id=box type=button aria-haspopup=dialog aria-expanded=false><span id=shown>None</span></button>
        <div id=pop hidden><input id=q><ul><li>Oman (+968)<li>Norway (+47)<li>Northern Mariana (+1)</ul></div><script>
        const items = [...pop.querySelectorAll('li')]
        box.onclick = () => { pop.hidden = false; q.value = ''; q.oninput(); q.focus() }
        q.oninput = () => items.forEach(item => { item.hidden = !item.textContent.toLowerCase().includes(q.value.toLowerCase()) })
        items.forEach(item => { item.onclick = () => { shown.textContent = item.textContent; pop.hidden = true } })</script>""")
    assert await run("select #box norway") == 'Selected "Norway (+47)" in #box'
    assert await run("text #shown") == "Norway (+47)"
    assert (await fails("select #box Nor", NoMatch)).message == 'There is no option "Nor"'
