"""Test what becomes of a choice from a list that says nothing of itself.

It stays when it is made again, and its list closes, and nothing else.
"""

import pytest

from gstack_browse.browser.input import plain_lists
from gstack_browse.errors import ActionFailed, NoMatch
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.hurried import hurried
from tests.each import each

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
    "marked by its class, counted": ("<li>{0}", "item.classList.toggle('selected')", "item.matches('.selected')", "counts"),
    "taken out of the list": ("<li>{0}", "item.hidden = true", "item.hidden", "chips"),
}  # fmt: skip
"""Of lists that take several: an item, what a press does, whether it is chosen, and how the box shows what is."""
SHOWS = {
    "names": "shown.textContent = chosen.join(', ') || 'Pick'",
    "counts": "shown.textContent = chosen.length + ' chosen'",
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


IS_OPEN = "getComputedStyle(list).display"


@pytest.mark.usefixtures("at_once")
@each([kind for kind in ITEMS if kind != "with a box"])
async def test_choice_stays_when_it_is_made_again(kind: str, run: Run, show: Show) -> None:
    """Do not even press what the box shows and the list marks, and take no label for another one that ends with it."""
    await show(several(kind))
    for label in ("Dark Red", "Red", "Red"):
        assert await run("select #box", label) == f'Selected "{label}" in #box'
        assert await run("js", IS_OPEN) == "none"
    assert await run("js 'chosen().join()'") == "Red,Dark Red"
    if "counted" not in kind and "nobody" not in kind:
        assert await run("js 'heard.join()'") == "Dark Red,Red"
    assert await run("select #box", "Red", "Green") == 'Selected "Red", "Green" in #box'
    assert await run("js 'chosen().join()'") == "Red,Green,Dark Red"


LAYERS = {
    "a dialog of its class alone": "<div id=layer style='position:fixed;top:20px'>{0}</div>",
    "a dialog": "<dialog id=layer open>{0}</dialog>",
    "one by its role": "<div id=layer role=dialog aria-label=Day>{0}</div>",
}
DAYS = """<div class=dropdown id=box><div id=shown>Jan</div><ul id=list><li>Jan<li>Feb<li>Mar</ul></div><div id=days></div>"""
DAYS_SCRIPT = """<script>
const days = document.getElementById('days'), draw = count => { days.innerHTML = Array.from({ length: count }, (_, day) => `<button>${day + 1}</button>`).join(' ') };
const fade = ms => setTimeout(() => box.classList.remove('open'), ms);
shown.onclick = () => box.classList.toggle('open');
list.onclick = event => { shown.textContent = event.target.textContent.trim(); draw(shown.textContent === 'Feb' ? 28 : 31); fade(LATE) };
document.addEventListener('keydown', event => { if (event.key === 'Escape') layer.remove() });
draw(31);
</script>"""


@each(list(zip(LAYERS, ("200", "0", "200"), strict=True)))
async def test_list_that_closes_itself_leaves_the_dialog_around_it_open(
    case: tuple[str, str], run: Run, show: Show
) -> None:
    """Press Escape only where the list is still open after it had time to fade."""
    layer, late = case
    await show(STYLE + LAYERS[layer].format(DAYS) + DAYS_SCRIPT.replace("LATE", late))
    for month in ("Feb", "Mar"):
        assert await run("select #box", month) == f'Selected "{month}" in #box'
        assert await run("js", IS_OPEN) == "none"
    assert await run("count '#layer button'") == "31"


ESCAPE_CLOSES = (
    "<script>addEventListener('keydown', event => { if (event.key === 'Escape') layer.remove() })</script>"
)
CLOSED = {
    "by its box in a dialog that Escape would close": (
        "#box",
        several(
            "with a box",
            box="<div id=layer style='position:fixed;top:20px'><div id=box class=dropdown>{0}</div></div>",
        )
        + ESCAPE_CLOSES,
    ),
    "by keys in its box, though nothing has the focus after a press on an item that takes none": (
        "#shown",
        several(
            "marked by its class",
            field="<button id=shown aria-expanded=false>Pick</button>",
            opens="'open', true",
        ).replace("document.addEventListener('keydown'", "shown.addEventListener('keydown'"),
    ),
    "after presses around words that let presses through": (
        "#box",
        "<style>ul label { pointer-events: none }</style>" + several("with a box"),
    ),
}


@each(CLOSED)
async def test_list_of_several_is_closed_after_the_choice(how: str, run: Run, show: Show, shell: Shell) -> None:
    target, markup = CLOSED[how]
    await show(markup)
    await run(f"select {target} Red Green")
    assert shell.replies[-1].notes == []
    assert await run("js", IS_OPEN) == "none"
    assert await run("js 'chosen().join()'") == "Red,Green"


FADING = """<style>.w { height: 30px } ul { position: absolute; STYLE }</style>
<div class="w dropdown"><input id=a readonly value=Pick><ul><li>Red<li>Green<li>Blue</ul></div>
<div class="w dropdown"><input id=b readonly value=Ann><ul><li>Ann<li>Bob<li>Cyd</ul></div><script>
for (const box of document.querySelectorAll('.w')) {
  const [field, list] = box.children; let isOpen = false, leaving;
  const close = () => { if (!isOpen) return; isOpen = false; CLOSE };
  const gone = () => { list.style.display = 'none' };
  const fade = opacity => { list.style.opacity = opacity; if (opacity > 0) leaving = requestAnimationFrame(() => fade(opacity - 0.07)); else gone() };
  field.onclick = () => { if (isOpen) return; isOpen = true; clearTimeout(leaving); cancelAnimationFrame(leaving); list.style.display = 'block'; list.style.opacity = 1 };
  document.addEventListener('click', event => { if (event.target !== field) close() });
  document.addEventListener('keydown', event => { if (event.key === 'Escape') close() });
  list.onclick = event => { field.value = event.target.textContent.trim() };
}</script>"""


@each(
    [
        ("transition: opacity .25s", "list.style.opacity = 0; leaving = setTimeout(gone, 250)"),
        ("", "fade(1)"),
    ]
)
async def test_list_that_fades_is_gone_before_the_next_choice(
    case: tuple[str, str], run: Run, show: Show
) -> None:
    """Distinguish the list of the next field from one on its way out, by a transition or a script."""
    style, close = case
    await show(STYLE + FADING.replace("STYLE", style).replace("CLOSE", close))
    for target, label in (("#a", "Green"), ("#b", "Cyd"), ("#a", "Red")):
        assert await run("select", target, label) == f'Selected "{label}" in {target}'
        assert await run("value", target) == label


async def test_a_list_that_does_not_close_is_said_to_be_open(run: Run, show: Show, shell: Shell) -> None:
    stays = several("with a box", opens="'open', true").replace("'Escape'", "'F2'")
    await show(stays)
    assert await run("select #box", "Red", "Green") == 'Selected "Red", "Green" in #box'
    assert shell.replies[-1].notes == [
        "The list of <div#box> \"Colour\" is still open: 'press Escape', or click beside it"
    ]


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
async def test_a_list_that_takes_the_choice_by_a_button_gets_it(run: Run, fails: Fails, show: Show) -> None:
    for word in ("OK", "Apply"):
        await show(BUTTONS.replace("TAKE", word))
        assert await run("select #box", "Apple", "Fig") == 'Selected "Apple", "Fig" in #box'
        assert await run("js 'held.join()'") == "Apple,Fig"
        assert await run("is visible #panel") == "false"
    await show(BUTTONS.replace("TAKE", "Weiter"))
    failure = await fails("select #box Apple Fig", ActionFailed)
    assert failure.message == (
        '<div#box> "Fruit" did not keep "Apple", "Fig": its list has buttons, and one of them takes the choice ("Weiter", "Cancel")'
    )
    assert await run("js '[held.length, getComputedStyle(panel).display]'") == '[0,"none"]'


WITH_ARROW = """<style>.combo-arrow { display: inline-block; width: 18px; height: 18px; background: silver } #list { display: none }</style>
<span class="textbox combo"><input id=field><a href="javascript:;" class="icon combo-clear" id=clear>x</a><a href="javascript:;" class="icon combo-arrow" id=arrow></a></span><div id=list><div>Apple</div><div>Fig</div></div><script>
/* The field takes text, and only its arrow opens the list, as EasyUI's. */
const heard = [];
clear.onclick = () => heard.push('cleared');
arrow.onclick = () => { list.style.display = list.style.display === 'block' ? 'none' : 'block' };
list.onclick = event => { field.value = event.target.textContent; list.style.display = 'none' };
</script>"""


@pytest.mark.usefixtures("at_once")
async def test_the_arrow_beside_a_field_opens_its_list(run: Run, fails: Fails, show: Show) -> None:
    await show(WITH_ARROW)
    assert await run("select #field Fig") == 'Selected "Fig" in #field'
    assert await run("js '[field.value, heard.length].join()'") == "Fig,0"
    with hurried():
        assert (await fails("select #field Plum", NoMatch)).hint == "Available: Apple, Fig"


async def test_a_button_that_opens_a_dialog_with_a_list_is_one(run: Run, show: Show) -> None:
    """Choose in a popover with a command list in it."""
    await show("""<label id=lb>Labels</label> <button id=b aria-labelledby=lb aria-haspopup=dialog aria-expanded=false><span>top</span></button><script>
        b.onclick = () => { const box = document.createElement('div'); box.setAttribute('role', 'dialog'); b.ariaExpanded = 'true'
          box.innerHTML = '<div role=listbox>' + ['left', 'right', 'top'].map(side => `<div role=option>${side}</div>`).join('') + '</div>'
          document.body.append(box); box.onclick = event => { b.firstChild.textContent = event.target.textContent; box.remove(); b.ariaExpanded = 'false' } }
        </script>""")
    for side in ("left", "right"):
        assert await run("select '#b'", side) == f'Selected "{side}" in #b'
        assert await run("text '#b'") == side


async def test_a_box_whose_part_of_the_page_is_drawn_anew_elsewhere_is_looked_at(run: Run, show: Show) -> None:
    """Choose the number of rows of a table, which moves the box below."""
    await show("""<style>.menu { display: none } .menu.show { display: block }</style><div id=t></div><div id=s></div><script>
        const draw = size => { t.innerHTML = '<p>row</p>'.repeat(size); s.innerHTML = `<span>1 to ${size} of 37</span> <div class="group dropdown">
          <button class="toggle"><span>${size}</span></button><div class=menu>` + [5, 10, 25].map(n => `<a class=item href="#">${n}</a>`).join('') + '</div></div>'
          const menu = s.querySelector('.menu'); s.querySelector('button').onclick = () => menu.classList.toggle('show')
          menu.onclick = event => { event.preventDefault(); draw(Number(event.target.textContent)) } }
        draw(5)</script>""")
    for size in ("10", "25"):
        assert await run("select '#s button'", size) == f'Selected "{size}" in #s button'
        assert await run("count p") == size
