"""`select` and `fill` on what pages build themselves: lists of many shapes, sliders, ratings."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gstack_browse.browser.actions.lists import widget_list
from gstack_browse.browser.actions.text import sliders
from gstack_browse.browser.engine import bundle
from gstack_browse.errors import ActionFailed, Covered, NoMatch, NotInteractable, TimedOut
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.hurried import hurried
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

PAGE = "widgets.html"
CHOICES = [
    ("#fruit", "Pear", "fruit.textContent"),
    ("role=combobox[name=Fruit]", "Blue plum", "fruit.textContent"),
    ("#portal", "Paris", "portal.textContent"),
    ("#search-input", "Person 417", "byId('search-value').textContent"),
    ("#shadow", "Large", "shadow.shadowRoot.querySelector('input').value"),
    ("#long", "Row 333", "long.textContent"),
    ("#plain-input", "Jack", "byId('plain-value').textContent"),
    ("#native-widget", "Green", "byId('native-widget').textContent"),
    ("#native", "Red", "byId('native-widget').textContent"),
    ("#standing", "Venus", "standing.querySelector('[aria-selected=true]').textContent.trim()"),
    ("#group", "Thick", "group.querySelector('[aria-checked=true]').textContent"),
]


async def test_option_is_chosen_by_its_label(run: Run, visit: Show) -> None:
    """Open nothing for a present choice, add where several are taken, and tell another name."""
    await visit(PAGE)
    assert await run("select '#fruit' Apple") == 'Selected "Apple" in #fruit'
    assert await run("js 'heard.length'") == "0"
    for target, label, shown in CHOICES:
        assert await run("select", target, label) == f'Selected "{label}" in {target}'
        assert await run("js", shown) == label
    assert await run("select '#fruit' pEAR") == 'Selected "Pear" in #fruit'
    assert await run("js 'heard.every(press => press.endsWith(\":true\"))'") == "true"
    line = next(line for line in (await run("snapshot -i")).splitlines() if '"Size"' in line)
    await run("select", line.split()[0], "Small")
    assert await run("js \"shadow.shadowRoot.querySelector('input').value\"") == "Small"
    assert await run("select '#tags' Old New Fast") == 'Selected "Old", "New", "Fast" in #tags'
    assert await run("js 'tags.textContent.replace(/[ ×]+/g, \" \").trim()'") == "Old New Fast"
    assert await run("js 'tags.ariaExpanded'") == "false"
    assert await run("select '#code' Germany") == 'Selected "Germany" in #code'
    assert await run("js code.textContent") == "+49"


async def test_long_list_is_looked_through_however_slow_the_machine_is(
    run: Run, fails: Fails, visit: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Say of one that is too long for the time not that it lacks the option."""
    monkeypatch.setattr(widget_list, "WAIT_SECONDS", 0.0)
    await visit(PAGE)
    assert await run("select '#long' 'Row 333'") == 'Selected "Row 333" in #long'
    monkeypatch.setattr(widget_list, "LEAST_STEPS", 2)
    await visit(PAGE)
    reply = await fails("select '#long' 'Row 333'", TimedOut)
    assert reply.message == '<div#long> "Row" showed no option "Row 333" in time: its list goes on'


LEAVING = """<div id=city role=combobox aria-expanded=false aria-controls=cities tabindex=0>None</div><script>
let list = null;
const close = () => { city.ariaExpanded = 'false'; list.style.pointerEvents = 'none'; const left = list; setTimeout(() => left.remove(), 200) };
const open = () => {
  city.ariaExpanded = 'true';
  list = document.createElement('ul');
  Object.assign(list, { id: 'cities', role: 'listbox', innerHTML: '<li role=option>Rome<li role=option>Oslo' });
  list.onclick = event => { city.textContent = event.target.textContent; close() };
  document.body.append(list);
};
city.onclick = () => city.ariaExpanded === 'true' ? close() : open();
city.onkeydown = event => { if (event.key === 'Escape') close() };
</script>"""


async def test_a_list_that_is_on_its_way_out_is_opened_again(run: Run, show: Show) -> None:
    """Choose also from a page that is busy with the press for longer than is allowed: the option has gone by then."""
    busy = "list.remove(); const until = performance.now() + 1500; while (performance.now() < until);"
    for page in (LEAVING, LEAVING.replace("close() };\n  document", f"close(); {busy} }};\n  document")):
        await show(page)
        for city in ("Rome", "Oslo") if page == LEAVING else ("Oslo",):
            await run("click '#city'")
            await run("press Escape")
            assert await run("select '#city'", city) == f'Selected "{city}" in #city'
            assert await run("js city.textContent") == city


async def test_shown_part_of_a_widget_stands_for_the_widget(run: Run, fails: Fails, show: Show) -> None:
    choices = """<ul id={0}-list role=listbox hidden><li role=option>Rome<li role=option>Oslo</ul>"""
    inner = """<div id=inner role=combobox aria-expanded=false aria-controls=inner-list tabindex=0><span id=shown role=textbox aria-readonly=true>None</span></div>"""
    beside = """<div id=wrapper><div style="position:absolute;width:1px;height:1px;overflow:hidden"><input id=field role=combobox readonly
        aria-expanded=false aria-controls=wrapper-list></div><div><div id=drawn>None</div></div></div>"""
    script = """<script>for (const [box, widget, shown] of [[inner, inner, shown_], [wrapper, field, drawn]]) {
      const list = document.getElementById(`${box.id}-list`);
      const open = is => { list.hidden = !is; widget.ariaExpanded = String(is) };
      box.onclick = () => open(list.hidden);
      widget.onkeydown = event => { if (event.key === 'ArrowDown') open(true) };
      list.onclick = event => { shown.textContent = event.target.textContent; open(false) };
    }</script>""".replace("shown_", "document.getElementById('shown')")
    lists = choices.format("inner") + choices.format("wrapper")
    await show(f"<h2 id=title>Where</h2>{inner}{beside}<p id=text>Words</p>{lists}{script}")
    for target in ("#shown", "#drawn"):
        assert await run("select", target, "Oslo") == f'Selected "Oslo" in {target}'
        assert await run("text", target) == "Oslo"
    for target in ("#title", "#text"):
        assert "is not a <select>" in (await fails(f"select '{target}' Oslo", NotInteractable)).message


async def test_choice_that_cannot_be_made_is_told_and_nothing_is_left_open(
    run: Run, fails: Fails, visit: Show
) -> None:
    """Say which options there are, what does not keep a choice, and which command is meant."""
    await visit(PAGE)
    with hurried():
        reply = await fails("select '#fruit' Cherry", NoMatch)
        assert reply.message == 'There is no option "Cherry"'
        assert reply.hint == "Available: Apple, Pear, Blueberry, Blue plum"
        assert await run("js '[fruits.hidden, fruit.textContent]'") == '[true,"Apple"]'
        await fails("select '#search' Nobody", NoMatch)
        assert await run("js \"byId('search-input').value\"") == ""
        reply = await fails("select '#stubborn' Gold", ActionFailed)
    assert (
        reply.message == '"Gold" was pressed, and <div#stubborn> "Plan" does not show it: it shows "Gold Free"'
    )
    assert "before you try again: snapshot -iD\nTry keys: " in reply.hint
    assert (await fails("select '#fruit' Rotten", NotInteractable)).message == 'The option "Rotten" is disabled'
    several = await fails("select '#standing' Mars Venus", NotInteractable)
    assert several.message.endswith("takes one option, not 2")
    before = await run("js heard.length")
    with hurried():
        reply = await fails("select '#wrong' Pear", NotInteractable)
    assert reply.message == '<div#wrong> "Wrong" did not show any options when it was opened'
    assert await run("js '[fruit.textContent, heard.length]'") == f'["Apple",{before}]'
    assert (await fails("fill '#fruit' Pear", NotInteractable)).hint == "Use 'select <target> <value>'"
    filled = await fails("fill '#plain-input' Jack --timeout 50", NotInteractable)
    assert filled.hint.startswith("Use 'select")


async def test_a_widget_in_a_frame_of_another_site(run: Run, show: Show, web: Web) -> None:
    await show(f'<iframe src="{web.other}/{PAGE}" style="width:900px; height:600px"></iframe>')
    await run("frame iframe")
    assert await run("select '#fruit' Pear") == 'Selected "Pear" in #fruit'
    assert await run("fill '#volume' 310") == "Filled #volume"
    assert await run("text '#fruit'") == "Pear"
    assert await run("js volume.ariaValueNow") == "310"


async def test_field_with_suggestions_of_its_own_takes_one(run: Run, fails: Fails, show: Show) -> None:
    """Name them if the label is another."""
    await show(
        "<input id=i list=l><datalist id=l><option value=de label=Germany><option value='New York'></datalist>"
        "<input id=empty list=none>"
    )
    assert await run("select '#i' Germany") == 'Selected "Germany" in #i'
    assert await run("js i.value") == "de"
    with hurried():
        reply = await fails("select '#i' Nowhere", NoMatch)
        await fails("select '#empty' x", NoMatch)
    assert 'value "New York"' in reply.hint


MOUSE_ALONE = """<div id=track style="width:600px;height:20px"><div id=bar style="position:relative;width:20%;height:20px"><div id=thumb role=slider
tabindex=0 aria-valuemin=0 aria-valuemax=100 aria-valuenow=20 style="position:absolute;right:-10px;width:20px;height:20px"></div></div></div><script>
track.onclick = event => {
  thumb.ariaValueNow = Math.floor((event.clientX - track.getBoundingClientRect().x) / 60) * 10;
  bar.style.width = thumb.ariaValueNow + '%';
}</script>"""
"""Its track has a bar that ends at the handle."""


async def test_keys_move_a_slider_or_a_rating_to_a_value(
    run: Run, fails: Fails, visit: Show, show: Show
) -> None:
    """Press the track of one that takes no keys. Tell what cannot be done, and undo it."""
    await show(MOUSE_ALONE)
    assert await run("fill '#thumb' 70") == "Filled #thumb"
    assert await run("fill '#thumb' 45") == 'Filled #thumb\n→ the page made it "40"'
    await visit(PAGE)
    for target, value, now in (
        ("#volume", "747", "747"), ("#volume", "1000", "1000"), ("#coarse", "-7.5", "-7.5"), ("#month", "11", "11"),
        ("#month", "September", "9"),
    ):  # fmt: skip
        assert await run("fill", target, value) == f"Filled {target}"
        assert await run(f"js 'document.querySelector(\"{target}\").ariaValueNow'") == now
    assert (await run("fill '#coarse' 6")).splitlines() == ["Filled #coarse", '→ the page made it "5"']
    assert (await fails("fill '#volume' 1001", NotInteractable)).message.endswith("goes from 0 to 1000")
    failed = await fails("fill '#stuck' 7", ActionFailed)
    assert failed.message == '<div#stuck> "Stuck" does not move by keys: it is at 5'
    assert "'drag'" in failed.hint
    before = await run("js month.ariaValueText")
    failed = await fails("fill '#month' Smarch", ActionFailed)
    assert failed.message == f'<div#month> "Month" has no value of that name: it is at "{before}"'
    assert await run("js month.ariaValueText") == before
    assert await run("fill '#rate' 4") == "Filled #rate"
    assert await run("js 'rate.querySelectorAll(\"[aria-checked=true]\").length'") == "4"
    assert await run("fill '#stars' 3") == "Filled #stars"
    assert await run("fill '#s1' 2") == "Filled #s1"
    assert await run("js 'stars.querySelector(\":checked\").value'") == "2"
    failed = await fails("fill '#s1' 9", NotInteractable)
    assert failed.message == '<input#s1> "★" cannot be filled with that: no choice has that name or number'
    assert failed.hint == "Available: ★, ★★, ★★★"


CHIPS = """<style>#box { width: 200px; height: 30px; position: relative; border: 1px solid; white-space: nowrap }
.cross { position: absolute; left: 92px; top: 5px; width: 16px; height: 20px; cursor: pointer }</style>
<div id=box role=combobox aria-haspopup=listbox aria-expanded=false aria-controls=list tabindex=0 aria-label=Tags>
<span id=chip>blue<span class="tag__remove cross">×</span></span></div>
<div id=list role=listbox aria-multiselectable=true hidden><div role=option>red</div><div role=option>green</div></div>
<script>
const open = shown => { list.hidden = !shown; box.ariaExpanded = shown };
box.onclick = () => open(list.hidden);
document.querySelector('.cross').onclick = event => { event.stopPropagation(); chip.remove() };
list.onclick = event => { box.append(event.target.textContent); event.target.ariaSelected = true; open(false) };
</script>"""


OVERLAID = """<style>.box{position:relative;width:500px;height:40px;border:1px solid} .over{position:absolute;inset:0} .veil{position:absolute;inset:0;background:#ddd;z-index:9}
input{border:0;width:100%;height:100%}</style>
<div class=box id=one><input role=combobox readonly aria-label=Country><div class=over><span>Select</span></div></div>
<div class=box id=two><div><input role=ComboBox aria-label=City style="pointer-events:none"></div></div>
<div style="position:relative"><div class=box id=three><input role=combobox aria-label=Under><div class=over>Select</div></div><div class=veil>Wait</div></div>
<div class=box id=four><input role=combobox aria-label=Beside disabled><button class=over>Other</button></div>
<script>heard = []; for (const box of document.querySelectorAll('.box')) box.onclick = () => heard.push(box.id)</script>"""


async def test_a_field_of_a_list_that_is_drawn_over_is_pressed_through_its_box(
    run: Run, fails: Fails, show: Show
) -> None:
    """Press as in Element Plus (words over the field) and Vuetify (no presses to it), below no cover."""
    await show(OVERLAID)
    told = "\n→ through what is drawn in its place"
    for name in ("Country", "City"):
        assert await run(f"click '[aria-label={name}]'") == f"Clicked [aria-label={name}]{told}"
    assert await run("js 'heard.join()'") == "one,two"
    await fails("click '[aria-label=Beside]' --timeout 50", NotInteractable)
    await run("js \"document.querySelector('[aria-label=Beside]').disabled = false\"")
    for name, cover in {"Under": "<div.veil>", "Beside": "<button.over>"}.items():
        failure = await fails(f"click '[aria-label={name}]' --timeout 50", Covered)
        assert f"is covered by {cover}" in failure.message
    assert await run("js 'heard.join()'") == "one,two"


async def test_an_item_of_a_tree_is_checked_by_the_box_beside_its_words(run: Run, show: Show) -> None:
    await show(
        """<style>[role=checkbox] { display: inline-block; width: 12px; height: 12px; background: navy } li { width: 300px }</style>
        <ul role=tree><li role=treeitem id=root aria-checked=false tabindex=0><i role=checkbox aria-hidden=true aria-checked=false></i><b>Root</b>
          <ul role=group><li role=treeitem id=kid aria-checked=false><i role=checkbox aria-hidden=true aria-checked=false></i><b>Kid</b></ul>
          <li role=treeitem id=plain><input type=checkbox> <b>Plain</b><li role=treeitem id=bare aria-checked=false><b>Bare</b>
          <li role=treeitem id=drawn><label><input type=checkbox style='position:absolute;width:0;height:0;opacity:0'><i>☐</i></label> <b>Drawn</b></ul>
        <script>selected = []
        for (const item of document.querySelectorAll('li')) item.onclick = event => {
          event.stopPropagation()
          if (event.target.matches('[role=checkbox]') || item.id === 'bare')
            for (const each of [item, event.target.closest('[role=checkbox]')])
              each?.setAttribute('aria-checked', String(each.ariaChecked !== 'true'))
          else if (!event.target.matches('input') && !event.target.closest('label')) selected.push(item.id)
        }</script>"""
    )
    for target in ("#kid", "#root >> text=Root", "#plain", "#bare", "role=treeitem[name=Kid]", "text=Drawn"):
        await run("check", target)
    checked = "[...document.querySelectorAll('li')].map(item => item.ariaChecked ?? item.querySelector('input').checked)"
    assert await run("js", f"[selected, {checked}]") == '[[],["true","true",true,"true",true]]'
    await run("uncheck text=Kid")
    assert await run("is checked '#kid'") == "false"


@each(["aria-disabled=true", "disabled", "data-disabled", "data-disabled=true"])
async def test_option_disabled_by_any_attribute_is_not_pressed(
    attribute: str, fails: Fails, show: Show, run: Run
) -> None:
    """Know the attributes of ARIA, Carbon and Bits UI. In cmdk `data-disabled=false` means enabled."""
    await show(f"""<div role=listbox><div role=option {attribute}>Fig</div><div role=option aria-selected=false data-disabled=false
        onclick="ariaSelected = 'true'">Pear</div></div>""")
    assert (await fails("select [role=listbox] Fig", NotInteractable)).message == 'The option "Fig" is disabled'
    assert await run("select [role=listbox] Pear") == 'Selected "Pear" in [role=listbox]'


async def test_tree_item_is_checked_by_its_own_box_that_takes_no_presses(run: Run, show: Show) -> None:
    """Check an item around items with boxes of their own. Its box leaves the press to it (Web Awesome)."""
    box = "<input type=checkbox tabindex=-1 style='pointer-events: none'>"
    await show(f"""<div role=tree><div role=treeitem id=fruit><p>{box} Fruit</p><div role=group><div role=treeitem>{box} Apple</div></div></div></div>
        <script>fruit.onclick = event => {{ const box = event.target.querySelector('input'); box.checked = !box.checked }}</script>""")
    await run("check #fruit")
    assert await run("js", "[...document.querySelectorAll('input')].map(box => box.checked)") == "[true,false]"


async def test_a_label_of_several_options_is_refused(run: Run, fails: Fails, show: Show) -> None:
    month = """<div role=grid aria-label=NAME><div role=row><div role=gridcell aria-label="14 NAME">14</div><div role=gridcell aria-label="15 NAME">15</div></div></div>"""
    await show(
        "<label>When<input id=day role=combobox aria-haspopup=dialog aria-expanded=false></label><div id=months hidden>"
        + month.replace("NAME", "May")
        + month.replace("NAME", "June")
        + """</div><div id=other role=combobox aria-label=Other tabindex=0 aria-expanded=false aria-controls=list>None</div><ul id=list role=listbox hidden><li role=option>Other<li role=option>Other<li role=option aria-disabled=true>Old<li role=option>Old</ul>
        <script>const open = (field, list, is) => { list.hidden = !is; field.ariaExpanded = String(is) };
        day.onclick = () => open(day, months, true); months.onclick = event => { day.value = event.target.ariaLabel; open(day, months, false) };
        day.onkeydown = event => event.key == 'Escape' && open(day, months, false); other.onkeydown = event => event.key == 'Escape' && open(other, list, false);
        other.onclick = () => open(other, list, true); list.onclick = event => { other.textContent = event.target.textContent; open(other, list, false) }</script>"""
    )
    reply = await fails("select #day 15", NotInteractable)
    assert reply.message == 'Several options are called "15"'
    assert reply.hint.startswith("Name one whole: 15 ")
    assert await run("js day.value+day.ariaExpanded") == "false"
    assert await run("select #day '15 June'") == 'Selected "15 June" in #day'
    assert await run("js day.value") == "15 June"
    reply = await fails("select #other Other", NotInteractable)
    assert reply.hint == "Open it with 'click' and choose with 'snapshot -i'"
    assert await run("select #other Old") == 'Selected "Old" in #other'


async def test_present_choice_is_not_removed_by_opening(run: Run, show: Show) -> None:
    """Press beside the cross of a chip in the middle of its widget, which takes the choice away."""
    await show(CHIPS)
    assert await run("select #box red") == 'Selected "red" in #box'
    assert await run("js 'box.textContent.trim()'") == "blue×red"
    assert await run("click #box") == "Clicked #box"
    assert await run("js 'box.ariaExpanded + box.textContent.trim()'") == "trueblue×red"


async def test_a_way_through_lists_of_which_each_opens_the_next(run: Run, fails: Fails, show: Show) -> None:
    """Open lists without a name."""
    await show(
        "<div id=place role=combobox tabindex=0 aria-label=Place aria-expanded=false>None</div><div id=all hidden style='display:flex'></div>"
        """<style>[hidden] {display: none !important}</style><script>
        const tree = { Asia: { Japan: { Kyoto: 0, Other: 0 }, Other: 0 }, Africa: { Kenya: 0 } };
        const open = is => { all.hidden = !is; place.ariaExpanded = String(is) };
        const grow = way => {
          const list = document.createElement('ul'); list.role = 'menu';
          all.append(list);
          for (const name of Object.keys(way.reduce((at, name) => at[name], tree))) {
            const item = document.createElement('li'); item.role = 'menuitemcheckbox'; item.textContent = name; list.append(item);
            item.onclick = () => {
              while (list.nextSibling) list.nextSibling.remove();
              const on = [...way, name];
              if (on.reduce((at, name) => at[name], tree)) setTimeout(grow, 50, on); else { place.textContent = on.join(' / '); open(false) }
            };
          }
        };
        place.onclick = () => { if (!all.firstChild) grow([]); open(true) }; place.onkeydown = event => event.key == 'Escape' && setTimeout(open, 200, false)</script>"""
    )
    for way in ("Asia / Japan / Kyoto", "Asia > Other", "Africa/Kenya"):
        assert await run("select #place", way) == f'Selected "{way}" in #place'
        assert await run("text #place") == " / ".join(re.split(r" ?[/>] ?", way))
    with hurried():
        reply = await fails("select #place", NoMatch, "Asia / Japan / Osaka")
        assert reply.message == 'There is no option "Osaka" behind "Japan"'
        assert reply.hint == "Available: Kyoto, Other"
        assert await run("js place.ariaExpanded") == "false"
        reply = await fails("select #place", NoMatch, "Europe / Rome")
    assert reply.message == 'There is no option "Europe / Rome"'


FOR_READERS = """<style>.far { position: absolute; left: -1px; top: -1px; width: 1px; height: 1px; overflow: hidden }</style>
<button id=other>Other</button><div id=box role=combobox tabindex=0 aria-label=Size aria-expanded=false aria-controls=list>Small</div>
<div id=list role=listbox hidden><div role=option>Small</div><div role=option>Medium</div><div role=option>Large</div></div><script>
 const show = (state, isOpen) => { list.hidden = state === 'hidden'; list.className = state; box.ariaExpanded = isOpen }
 const options = [...list.children].map(option => option.textContent)
 box.onfocus = () => show('far', false)
 box.onblur = () => { if (list.className === 'far') show('hidden', false) }
 box.onclick = () => show(window.deaf ? 'far' : 'open', !window.deaf)
 box.onkeydown = event => { const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
   if (step) box.textContent = options[options.indexOf(box.textContent) + step] || box.textContent }
 list.onclick = event => { box.textContent = event.target.textContent; show('hidden', false) }</script>"""
"""A field whose closed list is kept for screen readers while it has the focus, and whose arrow keys choose without opening it (OOUI)."""


async def test_list_for_screen_readers_alone_is_not_open(run: Run, fails: Fails, show: Show) -> None:
    """Choose nothing by a key that was to open it. Scroll its field out from behind a bar at the edge."""
    far = "<div style='height:2000px'></div>"
    bar = "<div style='position:fixed;bottom:0;left:0;right:0;height:80px;background:white'><button>Save</button></div>"
    await show(f"{far}{FOR_READERS}{far}{bar}")
    assert await run("select '#box' Large") == 'Selected "Large" in #box'
    assert await run("js", "box.textContent") == "Large"
    await show(FOR_READERS)
    await run("focus #box")
    assert await run("select '#box' Large") == 'Selected "Large" in #box'
    assert await run("js", "box.textContent") == "Large"
    await run("js 'deaf = true; box.textContent = \"Small\"'")
    with hurried():
        reply = await fails("select '#box' Large", NotInteractable)
    assert reply.message == '<div#box> "Size" did not show any options when it was opened'
    assert await run("js", "box.textContent") == "Small"


PAGES = Path(__file__).parents[1] / "site/widget-rules"
FILLED = ("fill #box 7", "7")
COMMANDS = {
    "slider-handle": FILLED,
    "slider-thumb": FILLED,
    "slider-track": FILLED,
    "tree-checkbox": ("check #box", "true"),
}
"""For each rule a command on its page, and what the page says then. That for a list is the same for all."""
SELECT = ("select #shown Green", "Green")


@pytest.fixture
def all_rules() -> Iterator[None]:
    """Use all rules again after the test, in tabs that it opened last."""
    yield
    bundle.disable_widget_rules(())


@pytest.mark.fresh_session
@pytest.mark.same_session
@each(bundle.widget_rule_names())
async def test_widget_is_known_by_its_rule_which_is_named(
    rule: str, run: Run, show: Show, shell: Shell
) -> None:
    await show((PAGES / f"{rule}.html").read_text())
    command, said = COMMANDS.get(rule, SELECT)
    await run(command)
    assert await run("text #said") == said
    assert shell.replies[-2].notes == [f"known by the widget rule {rule}"]
    assert f"{rule} (" in await run("status")


@pytest.mark.fresh_session
@pytest.mark.usefixtures("all_rules")
async def test_widget_is_left_alone_without_its_rule(
    run: Run, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prove that each page needs its rule: nothing else knows the widget."""
    monkeypatch.setattr(sliders, "WAIT_SECONDS", 0.2)
    bundle.disable_widget_rules(bundle.widget_rule_names())
    await run("newtab")  # a tab keeps the engine that it was given
    for rule in bundle.widget_rule_names():
        await show((PAGES / f"{rule}.html").read_text())
        before = await run("text #said")
        with hurried():
            reply = await shell.send(COMMANDS.get(rule, SELECT)[0], "--timeout", "1500")
        assert (rule, reply.code != 0, reply.notes) == (rule, True, [])
        assert await run("text #said") == before


def test_documentation_lists_each_rule_with_what_it_was_seen_in() -> None:
    documented = (Path(__file__).parents[2] / "docs/widgets.md").read_text()
    rules = bundle.load_scripts()["widgets/rules.js"]
    for name in bundle.widget_rule_names():
        seen_in = rules.split(f"name: '{name}'")[1].split("seenIn: '")[1].split("'")[0]
        assert f"| `{name}` | {seen_in} |" in documented
