"""Test `select` on boxes that only look like lists: no role, no options, at most classes or `aria-expanded`.

And beside lists on the page, and in lists that move as they are pressed.
"""

import pytest

from gstack_browse.errors import ActionFailed, NoMatch, NotInteractable
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.hurried import hurried
from tests.each import each

pytestmark = pytest.mark.same_session

STYLE = "<style>.menu{display:none} .open .menu{display:block} .item{cursor:pointer}</style><output id=said></output>"
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


NARROWED = """<div class="shiny-input-select selectize-control"><div class="selectize-input items" id=box><input type=text id=field style="width:4px"></div>
<div class="selectize-dropdown menu" id=drop><div class=item>Oslo</div><div class=item>Rome</div></div></div><script>
const control = box.parentNode; box.onclick = () => { control.classList.add('open'); field.focus() }
field.oninput = () => { for (const item of drop.children) item.hidden = !item.textContent.startsWith(field.value) }
drop.onclick = event => { box.insertAdjacentHTML('afterbegin', `<div>${event.target.textContent}</div>`); said.textContent += event.target.textContent; event.target.remove() }
field.onkeydown = event => { if (event.key === 'Escape') control.classList.remove('open') }</script>"""
TEXT = "<div class=text>Gender</div>"
OVER_TEXT = f"<input style='position:absolute;left:0;top:0;width:100%;height:18px;opacity:0'>{TEXT}"
COVERED = DROPDOWN.replace(TEXT, OVER_TEXT).replace("id=box", "id=box style='position:relative'")


CHOICES = {
    "by its class": (DROPDOWN, {"#box": ("Female", "f"), "#box .text": ("m", "fm")}),
    "by aria-expanded": (TOGGLE, {"text=Level": ("Warn", "Warn"), "#box": ("Info", "WarnInfo")}),
    "searched": (SEARCHED, {"#box a": ("Bob", "Bob")}),
    "narrowed": (NARROWED, {"#field": ("Rome", "Rome"), "#box": ("Oslo", "RomeOslo")}),
    "below its own field": (COVERED, {"#box .text": ("Female", "f")}),
}
"""How a list is known, its markup, and for each target: what is chosen, and what the page has heard by then."""


@each(CHOICES)
async def test_plain_list_is_opened_and_its_line_pressed(kind: str, run: Run, show: Show) -> None:
    """Name the box, a part of it, or its field."""
    markup, choices = CHOICES[kind]
    await show(STYLE + markup)
    for target, (wanted, said) in choices.items():
        assert f" in {target}" in await run("select", target, wanted)
        assert await run("text #said") == said


async def test_chosen_line_of_a_plain_list_is_not_pressed_again(run: Run, fails: Fails, show: Show) -> None:
    """Name the lines there are, where none is called so; and choose in a list that is open already."""
    await show(STYLE + DROPDOWN)
    for _ in range(2):
        assert await run("select #box Male") == 'Selected "Male" in #box'
    assert await run("text #said") == "m"
    with hurried():
        error = await fails("select #box Other", NoMatch)
    assert (error.message, error.hint) == ('There is no option "Other"', "Available: Male, Female")
    await show(STYLE + DROPDOWN)
    await run("click #box")
    assert await run("select #box Female") == 'Selected "Female" in #box'
    assert await run("text #said") == "f"


async def test_choice_that_the_box_does_not_show_is_an_error(run: Run, fails: Fails, show: Show) -> None:
    await show(STYLE + DROPDOWN.replace("event.target.className === 'item'", "false"))
    with hurried():
        error = await fails("select #box Male", ActionFailed)
    assert "does not show that it was taken" in error.message
    await show(STYLE + DROPDOWN.replace("Male</div>", "Female</div>"))
    assert "2 options" in (await fails("select #box Female", NotInteractable)).message


async def test_select_presses_nothing_that_acts_and_types_into_no_field_without_a_list(
    run: Run, fails: Fails, show: Show
) -> None:
    await show(
        "<form onsubmit='said.textContent=1;return false'><button class=dropdown>Send</button></form><a class=dropdown href=/next>Next</a>"
        "<button id=plain>Delete</button><button id=menu aria-expanded=false aria-haspopup=menu>More</button><output id=said></output>"
        "<div class=dropdown><input id=box oninput='said.textContent = value'><button type=button id=more>More</button></div>"
        "<script>plain.onclick = menu.onclick = () => said.textContent = 2</script>"
    )
    for target in ("text=Send", "text=Next", "#plain"):
        assert "is not a <select>" in (await fails(f"select '{target}' Oslo", NotInteractable)).message
    with hurried():
        await fails("select #box Bonn", NoMatch)
    assert await run("text #said") == ""


LISTBOX = """<div id=box role=listbox aria-label=Fruits tabindex=0><select multiple hidden><option>Apple<option>Pear<option>Plum</select><span>None</span></div><script>
const words = box.querySelector('span');
const close = () => box.querySelector('[role=presentation]')?.remove();
box.onclick = () => {
  if (box.querySelector('[role=presentation]')) return close();
  const list = Object.assign(document.createElement('div'), { role: 'presentation', style: 'cursor: pointer; height: 30px; overflow-y: scroll' });
  for (const option of box.querySelector('select').options) {
    const line = Object.assign(document.createElement('div'), { role: 'presentation', textContent: option.label });
    line.onclick = event => {
      event.stopPropagation();
      option.selected = !option.selected;
      const chosen = [...box.querySelector('select').selectedOptions].map(each => each.label);
      words.replaceChildren(...chosen.map(label => Object.assign(document.createElement('b'), { textContent: label })));
      close();
    };
    list.append(line);
  }
  box.append(list);
};
box.onkeydown = event => { if (event.key === 'Escape') close() };
</script>"""


async def test_a_listbox_without_options_is_opened_and_its_lines_are_listed(
    run: Run, fails: Fails, show: Show
) -> None:
    await show(LISTBOX)
    assert await run("select #box Pear Plum") == 'Selected "Pear", "Plum" in #box'
    assert await run("text '#box span'") == "PearPlum"
    with hurried():
        assert (await fails("select #box Fig", NoMatch)).hint == "Available: Apple, Pear, Plum"
    assert await run("count '#box [role=presentation]'") == "0"
    await run("click #box")
    assert '"Apple Pear Plum" [cursor:pointer]' in await run("snapshot -i")


REPLACED = """<form id=line></form><script>
const draw = label => {
  line.innerHTML = `<button type=button class=select aria-expanded=false><span>${label}</span></button>`;
  line.firstChild.onclick = () => line.insertAdjacentHTML('beforeend', '<ul><li>Name<li>Size</ul>');
};
line.onclick = event => { if (event.target.localName === 'li') draw(event.target.textContent) };
draw('Colour');
</script>"""


async def test_a_box_that_the_page_draws_anew_with_the_choice_has_taken_it(
    run: Run, shell: Shell, show: Show
) -> None:
    await show(REPLACED)
    await run("snapshot -i")
    assert await run("select '@e1' Size") == 'Selected "Size" in @e1'
    assert shell.replies[-1].notes == [
        'The page has put another in the place of <button.select> "Colour" since'
    ]
    assert await run("text #line") == "Size"


TWO = """<div id=box role=listbox aria-label=Box tabindex=0 aria-activedescendant=first>
<div id=first role=option aria-selected=false>Apple</div><div role=option aria-selected=false>Pear</div></div>
<button id=fruit role=combobox aria-expanded=false aria-controls=list>Pick</button>
<div id=list role=listbox tabindex=-1 hidden><div role=option>Apple</div><div role=option>Pear</div></div><script>
box.onclick = event => event.target.ariaSelected = 'true';
const show = open => {
  list.hidden = !open;
  fruit.ariaExpanded = String(open);
};
fruit.onclick = () => show(list.hidden);
list.onclick = event => {
  fruit.textContent = event.target.textContent;
  show(false);
};
</script>"""


async def test_a_list_that_has_the_focus_belongs_to_no_other_widget(run: Run, show: Show) -> None:
    await show(TWO)
    await run("focus #box")
    assert await run("select #fruit Pear") == 'Selected "Pear" in #fruit'
    assert await run("text #fruit") == "Pear"
    assert await run("js 'document.querySelectorAll(\"#box [aria-selected=true]\").length'") == "0"


MOVING = """<div style="height:100vh"></div><div id=box role=listbox aria-label=Box tabindex=0><div role=option aria-selected=false>Apple</div>
<div role=option aria-selected=false>Pear</div></div><div style="height:100vh"></div><output id=heard></output><script>
const heard_of = [];
box.addEventListener('focus', () => scrollBy({ top: 19, behavior: 'instant' }));
for (const type of ['mousedown', 'mouseup', 'click'])
  box.addEventListener(type, event => {
    heard_of.push(type + ' ' + event.target.textContent.trim());
    if (type !== 'click') return;
    for (const option of box.children) option.ariaSelected = String(option === event.target);
  });
</script>"""


async def test_an_option_that_moves_as_its_list_gets_the_focus_is_chosen_by_one_gesture(
    run: Run, show: Show
) -> None:
    await show(MOVING)
    assert await run("select #box Apple") == 'Selected "Apple" in #box'
    assert await run("js 'heard_of.join()'") == "mousedown Apple,mouseup Apple,click Apple"


ICONS = """<style>i { display: inline-block; width: 16px; height: 16px; background: silver }</style>
<ul role=tree aria-multiselectable=true>
<li role=none><a href="#" role=treeitem id=fruit aria-selected=false><i class="tree-icon tree-checkbox" role=presentation></i><i class=tree-icon></i>Fruit</a>
<ul role=group><li role=none><a href="#" role=treeitem id=pear aria-selected=false><i class="tree-icon tree-checkbox" role=presentation></i>Pear</a></ul>
<li role=none><a href="#" role=treeitem id=plain aria-selected=false><i class=tree-icon></i>Plain</a></ul><script>
const opened = [];
for (const item of document.querySelectorAll('a')) item.onclick = event => {
  event.preventDefault();
  if (event.target.matches('.tree-checkbox')) item.ariaSelected = String(item.ariaSelected !== 'true');
  else opened.push(item.id);
};
</script>"""


async def test_an_item_of_a_tree_is_checked_by_the_box_that_an_icon_draws(
    run: Run, fails: Fails, show: Show
) -> None:
    await show(ICONS)
    assert await run("is checked #pear") == "false"
    assert await run("check #pear") == "Checked #pear"
    assert await run("check #pear") == "Checked #pear (it was already)"
    assert await run("is checked #pear") == "true"
    await run("check text=Fruit")
    await run("uncheck role=treeitem[name=Pear]")
    state = "js '[opened, [...document.querySelectorAll(\"a\")].map(item => item.ariaSelected)]'"
    assert await run(state) == '[[],["true","false","false"]]'
    await fails("check #plain", NotInteractable)


SEVERAL = """<div id=box role=listbox aria-label=Fruits aria-multiselectable=true tabindex=0><div role=option aria-selected=true>Apple</div>
<div role=option aria-selected=false>Pear</div><div role=option aria-selected=false>Plum</div></div><script>
box.onclick = event => event.target.ariaSelected = String(event.target.ariaSelected !== 'true');
</script>"""


async def test_options_that_stay_selected_in_a_list_of_several_are_told(
    run: Run, shell: Shell, show: Show
) -> None:
    await show(SEVERAL)
    await run("select #box Pear")
    assert shell.replies[-1].notes == ['<div#box> "Fruits" takes several: "Apple" stays selected']
    await run("select #box Apple Pear")
    assert shell.replies[-1].notes == []
