"""Test `select` and `check` beside lists on the page, and in lists that move as they are pressed."""

import pytest

from gstack_browse.errors import NotInteractable
from tests.commands.conftest import Fails, Run, Shell, Show

pytestmark = pytest.mark.same_session

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
