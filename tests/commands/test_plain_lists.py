"""Test `select` on boxes that only look like lists.

No role, no options, at most classes or `aria-expanded`.
"""

import pytest

from gstack_browse.errors import ActionFailed, NoMatch, NotInteractable
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.hurried import hurried

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
SEARCH = """<div class=dropdown><input id=box oninput="said.textContent = value"><button type=button id=more>More</button></div>"""


@pytest.mark.parametrize(
    ("markup", "choices"),
    [
        (DROPDOWN, {"#box": ("Female", "f"), "#box .text": ("m", "fm")}),
        (TOGGLE, {"text=Level": ("Warn", "Warn"), "#box": ("Info", "WarnInfo")}),
        (SEARCHED, {"#box a": ("Bob", "Bob")}),
        (NARROWED, {"#field": ("Rome", "Rome"), "#box": ("Oslo", "RomeOslo")}),
    ],
    ids=["by its class", "by aria-expanded", "searched", "narrowed"],
)
async def test_plain_list_is_opened_and_its_line_pressed(
    run: Run, show: Show, markup: str, choices: dict[str, tuple[str, str]]
) -> None:
    """Name the box, a part of it, or its field."""
    await show(STYLE + markup)
    for target, (wanted, said) in choices.items():
        assert f" in {target}" in await run("select", target, wanted)
        assert await run("text #said") == said


async def test_chosen_line_of_a_plain_list_is_not_pressed_again(run: Run, fails: Fails, show: Show) -> None:
    """Name the lines there are, where none is called so."""
    await show(STYLE + DROPDOWN)
    for _ in range(2):
        assert await run("select #box Male") == 'Selected "Male" in #box'
    assert await run("text #said") == "m"
    with hurried():
        error = await fails("select #box Other", NoMatch)
    assert (error.message, error.hint) == ('There is no option "Other"', "Available: Male, Female")


async def test_a_box_that_is_open_and_one_below_its_own_field(run: Run, show: Show) -> None:
    await show(STYLE + DROPDOWN)
    await run("click #box")
    assert await run("select #box Female") == 'Selected "Female" in #box'
    assert await run("text #said") == "f"
    covered = "<input style='position:absolute;left:0;top:0;width:100%;height:18px;opacity:0'><div class=text>Gender</div>"
    await show(
        STYLE
        + DROPDOWN.replace("<div class=text>Gender</div>", covered).replace(
            "id=box", "id=box style='position:relative'"
        )
    )
    assert await run("select '#box .text' Female") == 'Selected "Female" in #box .text'


async def test_choice_that_the_box_does_not_show_is_an_error(run: Run, fails: Fails, show: Show) -> None:
    menu = DROPDOWN.replace("event.target.className === 'item'", "false")
    await show(STYLE + menu)
    with hurried():
        error = await fails("select #box Male", ActionFailed)
    assert "does not show that it was taken" in error.message
    await show(STYLE + DROPDOWN.replace("Male</div>", "Female</div>"))
    assert "2 options" in (await fails("select #box Female", NotInteractable)).message


async def test_select_presses_no_button_or_link_that_acts(run: Run, fails: Fails, show: Show) -> None:
    await show(
        "<form onsubmit='said.textContent=1;return false'><button class=dropdown>Send</button></form><a class=dropdown href=/next>Next</a>"
        "<button id=plain>Delete</button><button id=menu aria-expanded=false aria-haspopup=menu>More</button><output id=said></output>"
        "<script>plain.onclick = menu.onclick = () => said.textContent = 2</script>"
    )
    for target in ("text=Send", "text=Next", "#plain"):
        assert "is not a <select>" in (await fails(f"select '{target}' Oslo", NotInteractable)).message
    assert await run("text #said") == ""


async def test_select_types_nothing_into_a_field_without_a_list(run: Run, fails: Fails, show: Show) -> None:
    await show(STYLE + SEARCH)
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
