"""Test `select` on a native list that a widget hides.

The widget is chosen from, and no widget of another list.
"""

import itertools

import pytest

from gstack_browse.errors import ActionFailed, BrowseError, NotInteractable
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.each import each

pytestmark = pytest.mark.same_session

OPTIONS = "<option>Small<option>Medium<option>Large"
HIDDEN = "opacity:0;position:absolute;width:1px;height:1px;overflow:hidden"
GONE = "display:none"


def native(name: str, how: str) -> str:
    return f"<select id={name} style='{how}' tabindex=-1>{OPTIONS}</select>"


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


def opaque(name: str) -> str:
    """Return a widget that cannot be opened."""
    return f"<span id={name}-box>something</span>"


FORMS = {
    "in a row": "<label for={0}>{0}</label>{1}{2}",
    "the label behind": "{1}<label for={0}>{0}</label>{2}",
    "without labels": "{1}{2}",
    "each in a block": "<div><label for={0}>{0}</label>{1}{2}</div>",
    "the list behind": "<div><label for={0}>{0}</label>{2}{1}</div>",
    "in a wrapper": "<label for={0}>{0}</label><div>{1}{2}</div>",
    "wrapped by itself": "<label for={0}>{0}</label><div style='width:0;height:0;overflow:hidden'>{1}</div>{2}",
}
WIDGETS = {"combobox": combobox, "plain": plain}
HELD = "['one', 'two', 'three'].map((name) => document.getElementById(name).value).join()"


def form(shape: str, how: str, *widgets: str) -> str:
    made = WIDGETS | {"opaque": opaque}
    names = ("one", "two", "three")
    fields = (
        FORMS[shape].format(name, native(name, how), made[kind](name))
        for name, kind in zip(names, widgets, strict=True)
    )
    return f"<form>{''.join(fields)}</form>"


@each(zip(FORMS, itertools.cycle([HIDDEN, GONE])))
async def test_the_widget_beside_it_is_chosen_from(case: tuple[str, str], run: Run, show: Show) -> None:
    await show(form(*case, "combobox", "plain", "combobox"))
    assert (await run("select '#two' Large")).startswith('Selected "Large" in #two')
    assert await run("js", HELD) == "Small,Large,Small"
    assert (await run("select '#three' Medium")).startswith('Selected "Medium" in #three')
    assert (await run("select '#one' Large")).startswith('Selected "Large" in #one')
    assert await run("js", HELD) == "Large,Large,Medium"


@each(zip(FORMS, itertools.cycle(WIDGETS)))
async def test_no_neighbour_s_widget_is_chosen_from(
    case: tuple[str, str], shell: Shell, run: Run, show: Show
) -> None:
    shape, neighbours = case
    await show(form(shape, HIDDEN, neighbours, "opaque", neighbours))
    reply = await shell.send("select '#two' Large --timeout 300")
    assert reply.code, reply.text
    assert await run("js", HELD) == "Small,Small,Small"
    assert "is not a <select>" not in reply.message


async def test_a_list_that_its_widget_does_not_keep_in_step_is_an_error(
    run: Run, fails: Fails, show: Show
) -> None:
    await show(form("in a row", HIDDEN, "combobox", "plain", "combobox"))
    await run(
        "js", "two.addEventListener('mousemove', () => 0); Object.defineProperty(two, 'value', { set() {} }); 0"
    )
    failure = await fails("select '#two' Large", ActionFailed)
    assert 'holds "Small"' in failure.message
    assert (await run("select '#two-box' Medium")).startswith('Selected "Medium"')


async def test_a_hidden_list_without_a_widget_is_hidden(fails: Fails, show: Show) -> None:
    await show(f"<p>Before</p>{native('one', HIDDEN)}<p>After <a href=#x>it</a></p>")
    failure: BrowseError = await fails("select '#one' Large --timeout 300", NotInteractable)  # type: ignore[assignment]
    assert "hidden" in failure.message
