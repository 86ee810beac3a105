"""Test choices from a list that follows ARIA.

A choice is kept, stays when it is made again, and chooses nothing else.
"""

from typing import NamedTuple

import pytest

from gstack_browse.errors import ActionFailed, NoMatch, NotInteractable
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.hurried import hurried
from tests.each import each

pytestmark = pytest.mark.same_session

TAKEN_BY_BUTTON = """<div id=box role=combobox tabindex=0 aria-label=Fruit aria-haspopup=listbox aria-controls=list aria-expanded=false>none</div>
<div id=panel hidden><div><div id=list role=listbox aria-multiselectable=true><div role=option>Apple</div><div role=option>Fig</div><div role=option>Kiwi</div></div></div>
<div><button id=ok>TAKE</button><button id=no>Cancel</button></div></div><script>
let held = [];
const items = [...list.children], isMarked = item => item.ariaSelected === 'true';
const open = is => { panel.hidden = !is; box.ariaExpanded = is; if (is) for (const item of items) item.ariaSelected = held.includes(item.textContent) };
box.onclick = () => open(panel.hidden);
for (const item of items) item.onclick = () => { item.ariaSelected = !isMarked(item) };
ok.onclick = () => { held = items.filter(isMarked).map(item => item.textContent); box.textContent = SHOWS; open(false) };
no.onclick = () => open(false);
document.onkeydown = event => { if (event.key === 'Escape') open(false) };
</script>"""
NAMES = "held.join(', ') || 'none'"


async def test_list_gets_press_on_the_button_that_takes_the_choice(run: Run, fails: Fails, show: Show) -> None:
    """Press it whether the field shows names or a number. Tell of an unknown button."""
    for word, shows in {"OK": NAMES, "Apply": "`${held.length} chosen`"}.items():
        await show(TAKEN_BY_BUTTON.replace("TAKE", word).replace("SHOWS", shows))
        for labels in (("Apple", "Fig"), ("Fig", "Kiwi")):
            quoted = ", ".join(f'"{label}"' for label in labels)
            assert await run("select #box", *labels) == f"Selected {quoted} in #box"
            assert await run("js '[panel.hidden, box.ariaExpanded]'") == '[true,"false"]'
        assert await run("js 'held.join()'") == "Apple,Fig,Kiwi"
    await run('js \'held = []; ok.textContent = "Weiter"; box.textContent = "none"\'')
    with hurried():
        failure = await fails("select #box Apple Fig", ActionFailed)
    assert failure.message == (
        '<div#box> "Fruit" did not keep "Apple", "Fig": its list has buttons, and one of them takes the choice ("Weiter", "Cancel")'
    )
    assert await run("js '[held.length, panel.hidden]'") == "[0,true]"


TREE = """<style>li span { cursor: pointer }</style><div id=box role=combobox tabindex=0 aria-label=Place aria-haspopup=tree aria-expanded=false aria-controls=panel>none</div>
<div id=panel hidden><ul role=tree><li role=treeitem aria-expanded=true><span>Europe</span><ul role=group><li role=treeitem><span>France</span><li role=treeitem><span>Capital</span></ul>
<li role=treeitem aria-expanded=true><span>Asia</span><ul role=group><li role=treeitem><span>Capital</span></ul></ul></div><script>
const heard = [], box = document.getElementById('box');
const open = is => { panel.hidden = !is; box.ariaExpanded = is };
box.onclick = () => open(panel.hidden);
document.onkeydown = event => { if (event.key === 'Escape') open(false) };
panel.onclick = event => { const item = event.target.closest('li'); if (item) { heard.push(way(item)); box.textContent = item.querySelector('span').textContent; open(false) } };
const way = item => (item.parentElement.closest('li') ? way(item.parentElement.closest('li')) + '/' : '') + item.querySelector('span').textContent;
</script>"""


async def test_item_of_tree_that_is_meant_is_pressed_and_no_other(run: Run, fails: Fails, show: Show) -> None:
    await show(TREE)
    assert await run("select #box Europe") == 'Selected "Europe" in #box'
    assert await run("select #box France") == 'Selected "France" in #box'
    assert await run("select #box 'Asia / Capital'") == 'Selected "Capital" in #box'
    assert await run("select #box 'europe > france'") == 'Selected "France" in #box'
    with hurried():
        failure = await fails("select #box 'Europe / Spain'", NoMatch)
    assert failure.message == 'There is no option "Europe / Spain"'
    assert failure.hint == "Available: Europe, France, Capital, Asia, Capital"
    assert (await fails("select #box Capital", NotInteractable)).hint == (
        "Name one whole: Europe / Capital, Asia / Capital"
    )
    assert await run("js 'heard.join()'") == "Europe,Europe/France,Asia/Capital,Europe/France"


CHOOSES_BY_KEY = """<div id=box role=combobox aria-label=Fruit aria-haspopup=listbox aria-expanded=false aria-owns=list><span id=chips></span><input aria-label=input>BUTTON</div>
<ul id=list role=listbox hidden><li role=option>Apple<li role=option>Fig<li role=option>Kiwi</ul><script>
/* A press on the field only gives it the focus, and ArrowDown takes the next option as long as the list is closed. */
const heard = [], items = [...list.children], box = document.getElementById('box'), field = box.querySelector('input');
let at = -1;
const open = is => { list.hidden = !is; box.ariaExpanded = is };
const take = item => { heard.push(item.textContent); chips.textContent += `[${item.textContent}]`; open(false) };
box.onclick = event => { if (event.target.matches('.opens')) open(list.hidden); if (event.target.matches('.clears')) heard.push('cleared') };
field.onkeydown = event => {
  if (event.key === 'Escape') open(false);
  if (event.key !== 'ArrowDown') return;
  if (event.altKey) WITH_ALT; else if (list.hidden) take(items[at = (at + 1) % 3]);
};
list.onclick = event => take(event.target);
</script>"""


OPENS_BY = {
    "a button beside a cross": (
        "<button class=clears aria-label='Clear selection'>x</button><button class=opens aria-label='Toggle Dropdown'></button>",
        "0",
    ),
    "keys, beside buttons for something else": (
        "<button class=clears>Expand all</button><button class=clears aria-label='Open in a new window'>↗</button>",
        "open(true)",
    ),
}
"""What opens a list without choosing from it: the buttons beside the field, and what ArrowDown does with Alt."""


SEVERAL = """<label for=field>Many</label><div><span id=chips></span><input id=field role=combobox aria-expanded=false aria-controls=list aria-haspopup=listbox></div>
<ul id=list role=listbox aria-multiselectable=true hidden><li role=option aria-selected=false>Apple<li role=option aria-selected=false>Fig<li role=option aria-selected=false>Kiwi</ul><script>
const heard = []; let held = [];
const open = is => { list.hidden = !is; field.ariaExpanded = is };
field.onclick = () => open(true);
document.onkeydown = event => { if (event.key === 'Escape') open(false) };
list.onclick = event => {
  const item = event.target, label = item.textContent;
  held = held.includes(label) ? held.filter(each => each !== label) : [...held, label];
  heard.push(held.join('+'));
  TAKEN;
};
</script>"""
MARKED = "item.ariaSelected = String(held.includes(label))"


async def test_chosen_option_that_left_the_list_stays_chosen(run: Run, fails: Fails, show: Show) -> None:
    """Press no key in the search that takes out what is chosen, as in the empty field of Tom Select."""
    chips = "chips.innerHTML += `<span>${label}</span> `; item.remove()"
    await show(SEVERAL.replace("TAKEN", chips))
    takes_out = "!field.value && (event.ctrlKey || ['Delete', 'Backspace'].includes(event.key))"
    await run("js", f"field.onkeydown = event => {{ if ({takes_out}) heard.push('taken out') }}; 0")
    with hurried():
        for label in ("Apple", "Apple", "Fig"):
            assert await run("select #field", label) == f'Selected "{label}" in #field'
        assert await run("js '[heard.join(), list.hidden, field.value]'") == '["Apple,Apple+Fig",true,""]'
        reply = await fails("select #field Plum", NoMatch)
    assert reply.hint == "Available: Kiwi"
    assert await run("js heard.join()") == "Apple,Apple+Fig"


HIGHLIGHTED = """<div role=combobox aria-haspopup=listbox aria-expanded=false aria-label=Colors id=box><span id=chips></span><input id=field type=search aria-label=Colors></div>
<div id=panel hidden><div role=listbox aria-multiselectable=true id=list></div></div><script>
/* Takes what is chosen out of the list, and marks by aria-selected what the keys are at, as Choices.js does. */
const all = ['red', 'green', 'blue', 'cyan'], chosen = ['red'], box = document.getElementById('box');
let at = 0;
const draw = () => {
  chips.innerHTML = chosen.map(each => `<b>${each}</b> `).join('');
  list.innerHTML = all.filter(each => !chosen.includes(each) && each.includes(field.value)).map((each, index) => `<div role=option aria-selected=${index === at}>${each}</div>`).join('');
};
const open = is => { panel.hidden = !is; box.ariaExpanded = is };
box.onclick = () => { open(true); field.focus() };
field.oninput = draw;
document.onkeydown = event => { if (event.key === 'Escape') open(false) };
list.onclick = event => { if (event.target.role === 'option') { chosen.push(event.target.textContent); field.value = ''; draw() } };
draw();
</script>"""


async def test_option_that_is_only_highlighted_counts_as_chosen_by_nobody(
    run: Run, show: Show, shell: Shell
) -> None:
    """Show it as the one that the keys are at."""
    await show(HIGHLIGHTED)
    for label in ("blue", "green", "red"):
        assert await run("select #box", label) == f'Selected "{label}" in #box'
        assert shell.replies[-1].notes == []
    assert await run("js 'chosen.join()'") == "red,blue,green"


async def test_options_that_stay_selected_are_told_without_the_new_choice(
    run: Run, show: Show, shell: Shell
) -> None:
    """Press none again that is marked as chosen."""
    ticked = MARKED + "; item.textContent = held.includes(label) ? label + ' ✓' : label"
    await show(SEVERAL.replace("TAKEN", ticked))
    await run("select #field Apple Fig")
    assert shell.replies[-1].notes == []
    await run("select #field Kiwi")
    assert shell.replies[-1].notes == ['<input#field> "Many" takes several: "Apple ✓", "Fig ✓" stay selected']


FIELD_OF_NO_WIDTH = """<style>#field { border: 0; padding: 0; width: 0 } #frame { border: 1px solid; width: 250px }</style>
<div id=frame><span id=shown>Apple, Fig</span><input id=field role=combobox aria-label=Fruits aria-expanded=false aria-controls=list readonly></div>
<ul id=list role=listbox aria-multiselectable=true hidden><li role=option aria-selected=true>Apple<li role=option aria-selected=true>Fig<li role=option aria-selected=false>Kiwi</ul><script>
const open = is => { list.hidden = !is; field.ariaExpanded = is };
frame.onmousedown = event => { event.preventDefault(); field.focus(); open(list.hidden) };
document.onkeydown = event => { if (event.key === 'Escape') open(false) };
list.onclick = event => {
  event.target.ariaSelected = event.target.ariaSelected !== 'true';
  shown.textContent = [...list.children].filter(item => item.ariaSelected === 'true').map(item => item.textContent.trim()).join(', ');
};
</script>"""


async def test_list_whose_field_has_no_width_is_opened_by_what_is_drawn_around_it(
    run: Run, fails: Fails, show: Show
) -> None:
    """Refuse one whose field is hidden."""
    await show(FIELD_OF_NO_WIDTH)
    assert await run("select #field Kiwi") == 'Selected "Kiwi" in #field'
    assert await run("js '[shown.textContent, list.hidden]'") == '["Apple, Fig, Kiwi",true]'
    for hides in ("display: none", "visibility: hidden"):
        await run("js", f"field.style = '{hides}'; 0")
        failure = await fails("select #field Apple --timeout 50", NotInteractable)
        assert failure.message == f'<input#field> "Fruits" is hidden: it has {hides}'


OFFERS_LATE = """<span role=combobox tabindex=0 aria-haspopup=true aria-expanded=false id=b aria-label=Repo>Search repo</span>
<div id=pop hidden><input type=search id=q role=searchbox aria-controls=l><ul role=listbox id=l></ul></div><script>
const say = '<li role=alert>Please enter 2 or more characters'; let late;
const show = is => { pop.hidden = !is; b.ariaExpanded = is; if (is) { b.setAttribute('aria-owns', 'l'); q.value = ''; l.innerHTML = say; q.focus() } else b.removeAttribute('aria-owns') };
b.onmousedown = event => { event.preventDefault(); show(pop.hidden) }; q.onkeydown = event => { if (event.key === 'Escape') show(false) };
q.oninput = () => { clearTimeout(late); l.innerHTML = q.value.length < 2 ? say : '<li role=option aria-disabled=true>Searching…';
  late = setTimeout(() => { l.innerHTML = ['react', 'preact', 'vue'].filter(name => name.includes(q.value)).map(name => `<li role=option>${name}`).join('') }, 200) };
l.onmouseup = event => { b.textContent = event.target.textContent; show(false) };
</script>"""


async def test_option_offered_only_for_typed_letters_is_typed(run: Run, fails: Fails, show: Show) -> None:
    """Offer options late, as Select2 does with `minimumInputLength` and a server."""
    await show(OFFERS_LATE)
    for name in ("vue", "react"):
        assert await run("select '#b'", name) == f'Selected "{name}" in #b'
    with hurried():
        assert 'no option "nothing"' in (await fails("select '#b' nothing", NoMatch)).message
    assert await run("js pop.hidden") == "true", "the list was left open"


TRANSPARENT = """<style>#l { opacity: 0; pointer-events: none } #l.o { opacity: 1; pointer-events: auto }</style>
<button id=b aria-haspopup=listbox aria-controls=l aria-expanded=false aria-label="Skin tone">Default</button>
<ul id=l role=listbox><li role=option>Default<li role=option>Light<li role=option>Dark</ul><script>
const set = is => { l.classList.toggle('o', is); b.ariaExpanded = is }; b.onclick = () => set(!l.classList.contains('o'));
l.onclick = event => { b.textContent = event.target.textContent; set(false) }</script>"""


SHOWS_LATE = """<button id=b role=combobox aria-expanded=false aria-controls=l aria-label=Sort>Apple</button><div id=l role=listbox hidden>
<div role=option>Apple</div><div role=option>Zebra</div></div><script>
b.onclick = () => { l.hidden = false; b.ariaExpanded = 'true' };
l.onclick = event => { l.hidden = true; b.ariaExpanded = 'false'; b.textContent = ''; LATER };
</script>"""


async def test_a_widget_that_shows_nothing_for_a_moment_is_looked_at_again(
    run: Run, show: Show, shell: Shell
) -> None:
    later = "setTimeout(() => b.textContent = event.target.textContent, 150)"
    await show(SHOWS_LATE.replace("LATER", later))
    assert await run("select '#b' Zebra") == 'Selected "Zebra" in #b'
    assert shell.replies[-1].notes == []
    await show(SHOWS_LATE.replace("LATER", ""))
    with hurried():
        assert await run("select '#b' Zebra") == 'Selected "Zebra" in #b'
    assert shell.replies[-1].notes == ['<button#b> "Sort" shows "" now']


async def test_option_that_acts_without_being_shown_is_an_error(fails: Fails, run: Run, show: Show) -> None:
    """Say that it was pressed, if the list then offers other options, or stays as a list of commands."""
    await show("""<div><input id=f role=combobox aria-expanded=true aria-owns=l aria-label=Filter><span>f</span></div><div id=l></div><script>
        const list = all => { l.innerHTML = all.map(each => `<div role=option>${each}</div>`).join('') };
        list(['Status', 'Job']); l.onmousedown = event => event.preventDefault(); l.onclick = () => list(['Queued', 'Started']);</script>""")
    with hurried():
        failure = await fails("select '#f' Status", ActionFailed)
    assert failure.message == '"Status" was pressed, and <input#f> "Filter" does not show it: it shows "f"'
    assert "snapshot -iD" in failure.hint
    assert "Queued" in await run("text '#l'")
    await run(
        "js",
        "f.nextSibling.remove(); list(['Status', 'Job']); l.onclick = null; l.onmouseover = event => { event.target.ariaSelected = 'true' }",
    )
    with hurried():
        failure = await fails("select '#f' Job", ActionFailed)
    assert failure.message == '"Job" was pressed, and <input#f> "Filter" does not show it: it shows nothing'


GOES_LATE = """<div id=frame><span id=shown></span><input id=field role=combobox aria-label=Fruits aria-expanded=false aria-controls=list size=4></div><script>
/* Closes its list by an animation, at whose end the list goes even where it was opened again meanwhile; Escape takes back what was chosen. */
let held = [], before = [], list = null;
const draw = () => { shown.textContent = held.join(', ') };
const open = () => {
  before = [...held];
  field.ariaExpanded = 'true';
  list?.remove();
  list = document.createElement('ul');
  Object.assign(list, { id: 'list', role: 'listbox', innerHTML: ['Apple', 'Fig', 'Kiwi'].map(each => `<li role=option aria-selected=${held.includes(each)}>${each}`).join('') });
  list.onclick = event => { held.push(event.target.textContent); draw(); close() };
  document.body.append(list);
};
const close = () => { field.ariaExpanded = 'false'; list.hidden = true; setTimeout(() => list.remove(), LATE) };
field.onmousedown = () => { if (!list?.isConnected || list.hidden) open(); else close() };
field.onkeydown = event => { if (event.key === 'Escape') { KEEPS; draw(); field.ariaExpanded = 'false'; list?.remove() } };
</script>"""


async def test_of_several_labels_one_that_goes_with_next_is_told(run: Run, fails: Fails, show: Show) -> None:
    one = SEVERAL.replace(" aria-multiselectable=true", "").replace(
        "TAKEN",
        "held = [label]; for (const each of list.children) each.ariaSelected = String(each === item); chips.textContent = label; open(false)",
    )
    await show(one)
    failure = await fails("select #field Apple Kiwi", ActionFailed)
    assert failure.message == '<input#field> "Many" did not keep "Apple"'
    folded = SEVERAL.replace(
        "TAKEN",
        MARKED + "; chips.innerHTML = held.slice(-1) + (held.length > 1 ? `<b>+${held.length - 1}</b>` : '')",
    )
    await show(folded)
    assert await run("select #field Apple Kiwi") == 'Selected "Apple", "Kiwi" in #field'
    with hurried():
        failure = await fails("select #field Fig Pear", NoMatch, timeout=2_000)
    assert failure.message.endswith('no option "Pear" (chosen before: "Fig")')


OWN_FILTER = """<div id=box role=combobox tabindex=0 aria-label=Item aria-haspopup=listbox aria-controls=list aria-expanded=false>Pick</div>
<div id=popup hidden><input role=searchbox aria-owns=list><ul id=list role=listbox></ul></div><script>
const search = popup.querySelector('input');
const draw = () => list.innerHTML = Array.from({length: 900}, (_, at) => `Item ${at}`).filter(item => item.includes(search.value))
  .slice(0, 3).map(item => `<li role=option>${item}`).join('');
box.onclick = () => { draw(); popup.hidden = false; box.ariaExpanded = true };
search.oninput = draw;
list.onclick = event => { box.textContent = event.target.textContent; popup.hidden = true; box.ariaExpanded = false };
</script>"""


async def test_list_is_filtered_by_its_search_field_that_has_no_focus(run: Run, show: Show) -> None:
    """Type into the field that says that it owns the list, as in PrimeVue."""
    await show(OWN_FILTER)
    assert await run("select #box 'Item 700'") == 'Selected "Item 700" in #box'


NEW_WIDGET = """<div id=place></div><script>
let month = 'Jan';
const draw = shown => {
  place.innerHTML = `<input role=combobox readonly aria-label=Month aria-expanded=false aria-controls=list aria-haspopup=listbox value=${shown}><ul id=list role=listbox hidden><li role=option>Jan<li role=option>Feb<li role=option>Mar</ul>`;
  const field = place.querySelector('input');
  field.onclick = () => { list.hidden = !list.hidden; field.ariaExpanded = !list.hidden };
  list.onclick = event => { month = event.target.textContent; AFTER };
};
draw(month);
</script>"""


async def test_a_widget_that_is_drawn_anew_when_its_option_is_taken(
    run: Run, fails: Fails, show: Show, shell: Shell
) -> None:
    for after in ("draw(month)", "draw('Jan'); setTimeout(() => draw(month), 100)"):
        await show(NEW_WIDGET.replace("AFTER", after))
        assert await run("select role=combobox Mar") == 'Selected "Mar" in role=combobox'
        assert shell.replies[-1].notes == ['The page has put another in the place of <input> "Month" since']
    await show(NEW_WIDGET.replace("AFTER", "draw('Jan')"))
    with hurried():
        failure = await fails("select role=combobox Mar", ActionFailed)
    assert failure.message == '<input> "Month" did not keep "Mar"'
    await show(NEW_WIDGET.replace("AFTER", "place.textContent = month"))
    assert await run("select role=combobox Mar") == 'Selected "Mar" in role=combobox'
    assert shell.replies[-1].notes == [
        'The page has taken <input> "Month" away since: whether it took the choice cannot be seen'
    ]


SCROLLS_TO_CHOSEN = """<div id=box role=combobox tabindex=0 aria-haspopup=listbox aria-expanded=false aria-controls=list aria-label=Country><span id=val>None</span></div>
<div id=list role=listbox hidden style="width:9em"><div id=view style="height:120px;overflow:auto"><div id=all style="position:relative"></div></div></div><script>
const all_ = [...'ABCDEFGHIJKLMNOPQRST'].map(letter => 'Option ' + letter);
let chosen = -1, first = 0;
all.style.height = all_.length * 30 + 'px';
const draw = () => { all.innerHTML = all_.map((label, at) => at < first || at > first + 6 ? '' :
  `<div role=option aria-selected=${at === chosen} data-at=${at} style="position:absolute;height:30px;top:${at * 30}px">${label}</div>`).join('') };
draw();
view.onscroll = () => { first = Math.max(0, Math.floor(view.scrollTop / 30) - 1); draw() };
const open = is => { list.hidden = !is; box.ariaExpanded = is };
box.onclick = () => { open(list.hidden); if (!list.hidden && chosen >= 0) setTimeout(() => { view.scrollTop = chosen * 30 }, 60) };
list.onclick = event => { chosen = Number(event.target.dataset.at); val.textContent = all_[chosen]; draw(); open(false) };
</script>"""


COUNTED = """<div id=days role=combobox aria-expanded=false aria-controls=list tabindex=0>Pick days</div>
<ul id=list role=listbox hidden><li role=option aria-selected=false>Monday<li role=option aria-selected=false>Tuesday</ul><script>
const marked = new Set();
const show = open => {
  list.hidden = !open;
  days.ariaExpanded = String(open);
  for (const day of marked) day.ariaSelected = 'true';
};
days.onclick = () => show(list.hidden);
days.onkeydown = event => { if (event.key === 'Escape') show(false) };
list.onclick = event => {
  marked.add(event.target);
  if (event.target.textContent === 'Monday') event.target.ariaSelected = 'true';
  days.textContent = `${marked.size} picked`;
};
</script>"""
DIALOG = """<dialog id=d><div id=c role=combobox tabindex=0 aria-label=Tags aria-expanded=false aria-controls=l>Tags:</div>
<div id=l role=listbox aria-multiselectable=true hidden><p role=option>One</p><p role=option>Two</p></div></dialog>
<script>d.showModal(); c.onclick = () => { l.hidden = false; c.ariaExpanded = "true" };
l.onclick = event => { event.target.ariaSelected = "true"; c.textContent += event.target.textContent + "," };</script>"""
AROUND = """<div role=combobox aria-expanded=false aria-controls=list><span id=chips></span><span><input aria-label=Fruits></span></div>
<ul role=listbox id=list aria-multiselectable=true hidden><li role=option aria-selected=false>Pear<li role=option aria-selected=false>Plum</ul>
<script>const box = document.querySelector('[role=combobox]');
box.onclick = () => { list.hidden = false; box.ariaExpanded = 'true' }
list.onclick = e => { e.target.ariaSelected = 'true'; chips.append(e.target.textContent, ' ') }</script>"""
BESIDE = """<label id=name>Tags</label><div><div id=chips role=listbox></div><input id=field role=combobox aria-labelledby=name aria-expanded=false aria-controls=all></div>
<ul id=all role=listbox hidden><li role=option>red<li role=option>blue</ul><script>
const open = is => { all.hidden = !is; field.ariaExpanded = String(is) }; field.onclick = () => open(true);
all.onclick = event => { chips.innerHTML += `<button role=option>${event.target.textContent}</button> `; event.target.remove(); open(false) }</script>"""
TOGGLES = """<div id=box role=listbox><div role=option aria-selected=false>Red</div><div role=option aria-selected=false>Blue</div></div><script>
box.onclick = event => { event.target.ariaSelected = event.target.ariaSelected !== 'true' };
const chosen = () => [...box.children].filter(item => item.ariaSelected === 'true').map(item => item.textContent).join()</script>"""

IN_ROW = """<table><tr><td><input id=box role=combobox aria-expanded=false aria-controls=list readonly placeholder=Choose>
<ul id=list role=listbox hidden><li role=option>1<li role=option>2</ul></table><script>
box.onclick = () => { list.hidden = false; box.ariaExpanded = 'true'; box.placeholder = '' };
list.onclick = event => { box.value = event.target.textContent; list.hidden = true; box.ariaExpanded = 'false'; box.placeholder = 'Choose' }</script>"""


class Choices(NamedTuple):
    """Labels that are chosen one after the other, and what the page's `shown` is after each choice."""

    markup: str
    target: str
    labels: list[str]
    """Of a choice, several with + between them."""
    shown: str
    values: list[str]


KEEPS = "held = items.filter(isMarked).map(item => item.textContent); box.textContent = `${held.length} chosen`"
RECYCLES = """<style>ul { margin: 0; padding: 0; width: 9em } li { display: block; height: 30px }</style>BOX<ul id=list ROLE></ul><script>
const heard = [], labels = ['Red', 'Green', 'Blue', 'Pink', 'Gray'], open = is => { list.hidden = !is; box.ariaExpanded = is };
list.innerHTML = '<li ITEM></li>'.repeat(4);
const draw = first => [...list.children].forEach((item, at) => { item.textContent = labels[(at + first) % 5] });
let first = 0;
const turn = () => { TURNS };
draw(0);
list.addEventListener('EVENT', turn, { once: true });
if (window.box) box.onclick = () => { open(true); if ('EVENT' === 'opened') setTimeout(turn, 20) };
list.ACTS = ({ target }) => {
  if (target === list) return;
  heard.push(target.textContent);
  for (const item of list.children) item.ariaSelected = item === target;
  if (window.box) { box.textContent = target.textContent; open(false) }
};
if (window.box) open(false);
</script>"""
TURNS = {"says something else": "draw(1)", "moves": "list.style.translate = '0 -60px'"}
LISTED = {
    "of a widget": ("#box", "<button id=box role=combobox aria-haspopup=listbox aria-controls=list>Pick</button><p>", "role=listbox", "role=option"),
    "without roles": ("#box", "<div id=box class=dropdown tabindex=0>Pick</div><p>", "", ""),
    "that is open": ("#list", "<p style='height: 90px'>", "role=listbox tabindex=0 aria-label=Colours", "role=option"),
}  # fmt: skip
RECYCLED = [
    ("of a widget", "says something else", "opened", "onclick"), ("of a widget", "moves", "pointermove", "onmousedown"),
    ("without roles", "says something else", "pointermove", "onclick"), ("without roles", "moves", "mousedown", "onmouseup"),
    ("that is open", "says something else", "pointermove", "onmousedown"), ("that is open", "moves", "mousedown", "onmouseup"),
]  # fmt: skip
CHOICES = {
    **{
        f"an option of a list {kind} {does} at {event}, and the list acts {acts}": Choices(
            RECYCLES.replace("BOX", box).replace("ROLE", role).replace("ITEM", item).replace("TURNS", TURNS[does]).replace("EVENT", event).replace("ACTS", acts),
            target, ["Green"], "heard.join()", ["Green"],
        )
        for kind, does, event, acts in RECYCLED
        for target, box, role, item in [LISTED[kind]]
    },
    "a list that keeps the choice has buttons for something else": Choices(
        TAKEN_BY_BUTTON.replace("TAKE", "Add another").replace("SHOWS", NAMES).replace("!isMarked(item) }", f"!isMarked(item); {KEEPS} }}"),
        "#box", ["Apple+Kiwi"], "[held.join(), panel.hidden]", ['["Apple,Kiwi",true]'],
    ),
    **{
        f"a list is opened by {what}": Choices(
            CHOOSES_BY_KEY.replace("BUTTON", button).replace("WITH_ALT", with_alt), "#box", ["Kiwi"], "heard.join()", ["Kiwi"],
        )
        for what, (button, with_alt) in OPENS_BY.items()
    },
    "a list is closed by being transparent": Choices(TRANSPARENT, "#b", ["Dark", "Light"], "b.textContent", ["Dark", "Light"]),
    "a list goes before it can be seen, and is opened once more": Choices(
        GOES_LATE.replace("LATE", "100").replace("KEEPS", "held = held.slice(0, -1)").replace("let held", "let opened = 0, held").replace(
            "isConnected || list.hidden) open();", "isConnected || list.hidden) { open(); if (opened++ === 1) list.remove() }",
        ),
        "#field", ["Apple+Kiwi"], "shown.textContent", ["Apple, Kiwi"],
    ),
    "a list draws only what is in view, and scrolls to the chosen option a moment later, as virtual-select does": Choices(
        SCROLLS_TO_CHOSEN, "#box", [f"Option {letter}" for letter in "RBS"], "val.textContent", [f"Option {letter}" for letter in "RBS"],
    ),
    "the row around a field and its list changes as the list opens, as in SurveyJS": Choices(IN_ROW, "#box", ["2", "1"], "box.value", ["2", "1"]),
    "a choice is shown in a list beside the field": Choices(BESIDE, "label=Tags", ["red+blue"], "chips.textContent.trim()", ["red blue"]),
    "a choice is shown in a dialog, which stays open": Choices(DIALOG, "#c", ["One+Two"], "d.open + c.textContent", ["trueTags:One,Two,"]),
    "a list in a dialog, which Escape would close, ends with the focus, as in Ant Design": Choices(
        DIALOG.replace("</script>", "c.onblur = () => { l.hidden = true; c.ariaExpanded = 'false' }</script>").replace(
            "l.onclick", "l.onmousedown = event => event.preventDefault(); l.onclick"),
        "#c", ["One+Two"], "d.open + c.textContent + l.hidden", ["trueTags:One,Two,true"],
    ),
    "a choice is shown in the combobox around the field": Choices(
        AROUND, "[aria-label=Fruits]", ["Pear+Plum"], "chips.textContent.trim()", ["Pear Plum"],
    ),
    "a choice is shown as a number, and the second one is marked only in the closed list": Choices(
        COUNTED, "#days", ["Monday", "Tuesday"], "days.textContent + days.ariaExpanded", ["1 pickedfalse", "2 pickedfalse"],
    ),
    "a list that is always open takes several, and says so nowhere": Choices(
        TOGGLES, "#box", ["Red", "Red", "Blue", "Blue"], "chosen()", ["Red", "Red", "Red,Blue", "Red,Blue"],
    ),
}  # fmt: skip


@each(CHOICES)
async def test_choice_is_kept_and_nothing_else_is_chosen(what: str, run: Run, show: Show) -> None:
    case = CHOICES[what]
    await show(case.markup)
    for choice, value in zip(case.labels, case.values, strict=True):
        labels = choice.split("+")
        quoted = ", ".join(f'"{label}"' for label in labels)
        assert await run("select", case.target, *labels) == f"Selected {quoted} in {case.target}"
        assert await run("js", case.shown) == value
