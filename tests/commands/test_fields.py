"""Fields: what can be checked, several fields at once, keys into a field, Enter behind a value."""

import pytest

from gstack_browse.browser.actions.pointer import checking
from gstack_browse.errors import (
    ActionFailed,
    Covered,
    ManyMatches,
    NoMatch,
    NotInteractable,
    StaleRef,
    UsageError,
)
from tests.commands.conftest import Check, Fails, Run, Show
from tests.commands.replies import ref_of
from tests.commands.web import Web

pytestmark = pytest.mark.same_session


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait briefly for an element that does not become checked."""
    monkeypatch.setattr(checking, "TAKING_SECONDS", 0.2)


CHECKS = """<style>.own input { display: none }</style>
<label>Plain <input id=plain type=checkbox></label><label for=off>Off</label><input id=off type=checkbox disabled checked>
<label class=own><input id=own type=checkbox><span>Own look</span></label>
<input id=half type=checkbox aria-label=Half><input id=red type=radio name=c aria-label=Red checked><input id=blue type=radio name=c aria-label=Blue>
<div id=box role=checkbox aria-checked=mixed tabindex=0>Box</div><button id=switch role=switch aria-checked=false><span id=inner>Dark</span></button>
<button id=toggle aria-pressed=true>Bold</button><div id=stuck role=checkbox aria-checked=false tabindex=0>Stuck</div>
<div id=row><p>Row</p><input type=checkbox id=inrow></div><div id=two><input type=checkbox><input type=checkbox></div>
<button id=plainbutton>Go</button><div id=late role=switch aria-checked=false tabindex=0>Late</div>
<div id=anew><button role=checkbox aria-checked=false>Anew</button></div><script>
  half.indeterminate = true
  const flip = (element, name) => element.addEventListener('click', () => element.setAttribute(name, element.getAttribute(name) !== 'true'))
  flip(box, 'aria-checked'); flip(document.getElementById('switch'), 'aria-checked'); flip(toggle, 'aria-pressed')
  late.onclick = () => setTimeout(() => late.setAttribute('aria-checked', 'true'), 60)
  const draw = on => { anew.innerHTML = `<button role=checkbox aria-checked=${on}>Anew</button>`; anew.firstChild.onclick = () => draw(!on) }
  draw(false); window.clicks = 0; addEventListener('click', () => clicks++, true)
</script>"""


@pytest.mark.usefixtures("soon")
async def test_check_presses_what_is_not_checked_or_says_why_not(
    run: Run, fails: Fails, show: Show, check: Check
) -> None:
    """Press nothing that is checked already, and say so."""
    await show(CHECKS)
    boxes = ("#plain", "#half", "#blue", "#box", "#switch", "#late", "#row", "text=Anew")
    for target in boxes:
        assert await run("check", target) == f"Checked {target}"
    before = await run("js clicks")
    for target in (*boxes, "label=Plain"):
        assert await run("check", target) == f"Checked {target} (it was already)"
    assert await run("js clicks") == before, "nothing is pressed"
    for target in ("#plain", "#box", "#inner", "#toggle", "#row", "text=Anew"):
        assert await run("uncheck", target) == f"Unchecked {target}"
    await check({
        "check #own": "Checked #own\n→ through its label",
        "uncheck text=Own": "Unchecked text=Own\n→ through its label",
        "check #off": "Checked #off (it was already)",  # even where it could not be pressed
        "check #red": "Checked #red",
        "uncheck #blue": "Unchecked #blue (it was already)",
    })  # fmt: skip
    reply = await fails("uncheck #red", NotInteractable)
    assert reply.message == '<input#red> "Red" is a radio button, which is unchecked by checking another'
    assert reply.hint == "Use 'check <another>'"
    assert "is disabled" in (await fails("uncheck #off --timeout 300", NotInteractable)).message
    for target in ("#plainbutton", "#two"):
        assert "is no checkbox" in (await fails(f"check {target}", NotInteractable)).message
    reply = await fails("check #stuck", ActionFailed)
    assert reply.message == '<div#stuck> "Stuck" was clicked and did not become checked'
    await fails("check #nothing --timeout 50", NoMatch)
    ref = await ref_of(run, "Plain")
    await run("js document.body.replaceChildren()")
    await fails(f"check {ref}", StaleRef)


async def test_blanks_that_nobody_sees_are_none_of_a_value(run: Run, show: Show) -> None:
    """Chromium puts two blanks there as one and a no-break space, and shows one."""
    await show("""<div id=e contenteditable>\n        Some content\n        <div>Content</div>\n</div><div id=f contenteditable></div>
        <div id=g contenteditable style='white-space:pre-wrap'>  kept \n  as it is </div>""")
    assert await run("value #e") == "Some content\nContent"
    assert await run("value #g") == await run("js g.innerText")
    for typed, value in {"two  blanks": "two blanks", " ends with ": "\u00a0ends with\u00a0"}.items():
        assert await run("fill #f", typed) == "Filled #f"
        assert await run("value #f") == value


async def test_unseen_box_is_what_is_drawn_in_its_place(
    run: Run, fails: Fails, show: Show, check: Check
) -> None:
    """The label of Semantic UI names no field. The sizes are the page's, whatever fonts the machine has."""
    await show("""
        <style>.tiny{position:absolute;width:1px;height:1px;overflow:hidden} .track,.star{display:inline-block;width:40px;height:20px;background:#ddd}
        .option{position:relative} .option .tiny{left:9px;top:9px} .star{position:relative;z-index:1}
        .ui{position:relative;display:inline-block;width:120px;height:20px} .ui input{position:absolute;top:0;left:0;width:17px;height:17px;opacity:0}
        .ui label{position:relative;display:block;box-sizing:border-box;height:20px;padding-left:26px;overflow:hidden} .veil{position:absolute;inset:0;z-index:9;background:#ddd}</style>
        <p><label id=switch><input type=checkbox role=switch id=lagging aria-checked=false aria-label=Lagging style="opacity:0;position:absolute"><span class=track></span></label>
        <p><span class=option><span class=tiny><input type=radio name=r aria-label="One star"></span><svg class=star></svg></span>
        <span class=option><span class=tiny><input type=radio name=r aria-label="Two stars"></span><svg class=star></svg></span>
        <p><button id=toggle role=Switch aria-checked=false class=tiny style="clip-path:inset(50%)"></button><label for=toggle>Alerts <i class=track></i></label>
        <p>A box that can be seen says it itself: <input type=checkbox id=seen aria-checked=true aria-label=Seen>
        <div class=ui><input type=checkbox id=agree><label>Agree</label></div>
        <div style="position:relative"><div class=ui><input type=checkbox id=under><label>Under</label></div><div class=veil></div></div>
        <details style="width:90px"><summary>More</summary><input type=checkbox id=folded></details>
        <div style="width:90px;height:20px"><input type=checkbox id=lone style="visibility:hidden"></div>
        <div style="width:90px"><div onclick="this.textContent = 'pressed'">Other</div><input type=checkbox id=beside style="display:none"></div><script>
        lagging.onchange = () => { lagging.ariaChecked = String(lagging.ariaChecked === 'false'); lagging.checked = false };
        for (const option of document.querySelectorAll('.option')) option.onclick = () => option.querySelector('input').checked = true;
        toggle.onclick = () => toggle.ariaChecked = String(toggle.ariaChecked === 'false');
        for (const part of document.querySelectorAll('.ui label')) part.onclick = () => part.previousSibling.click()</script>""")
    assert await run("check #lagging") == "Checked #lagging"
    assert '"Lagging" [checked]' in await run("snapshot -i")
    stars = 'role=radio[name="Two stars"]'
    drawn = "\n→ through what is drawn in its place"
    await check({
        "is checked #lagging": "true",
        "uncheck #lagging": "Unchecked #lagging",
        f"check '{stars}'": f"Checked {stars}{drawn}",
        "check #toggle": "Checked #toggle\n→ through its label",
        "is checked #seen": "false",
        "check #seen": "Checked #seen",
        "check #agree": f"Checked #agree{drawn}",
        "is checked #agree": "true",
        "uncheck #agree": f"Unchecked #agree{drawn}",
        "click #lone": f"Clicked #lone{drawn}, which has not changed it",
    })  # fmt: skip
    assert "is covered by <div.veil>" in (await fails("check #under --timeout 300", Covered)).message
    assert "<details> is closed" in (await fails("click #folded --timeout 300", NotInteractable)).message
    assert "display: none" in (await fails("click #beside --timeout 300", NotInteractable)).message
    assert await run("js \"document.querySelector('details').open\"") == "false", (
        "a summary opens, and draws no box"
    )


UNREACHABLE = """<style>.card{position:relative;width:400px;height:150px;border:1px solid} .veil{position:absolute;inset:0;background:#ddd}
.card input,.stars input{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);opacity:0}
.stars{position:relative;display:inline-block;width:30px;height:30px;overflow:hidden} .stars label{position:absolute;inset:0;overflow:hidden}
.half{clip-path:inset(0 100% 0 0)}</style>
<div class=card><input type=checkbox id=card aria-label=Card><p>Card text <button>More</button></div>
<div class=stars><input type=radio name=rate id=half aria-label=0.5><label for=half class=half>☆</label>
<input type=radio name=rate id=whole aria-label=1><label for=whole>☆</label></div>
<div class=card><input type=checkbox id=empty style="width:0;height:0" aria-label=Empty><p>No size <button>More</button></div>
<div class=card><input type=checkbox id=gone style="display:none" aria-label=Gone><p>Not there <button>More</button></div>
<div class=card><input type=checkbox id=under aria-label=Under><p>Covered <button>More</button><div class=veil>Wait</div></div>
<div class=card><input type=checkbox id=unreached tabindex=-1 aria-label=Unreached><p>No key gets there <button>More</button></div>
<div class=card><input type=checkbox id=refusing aria-label=Refusing onclick="return false"><p>Refuses <button>More</button></div>
<script>heard = []; for (const card of document.querySelectorAll('.card')) card.onchange = e => heard.push(e.target.id + e.isTrusted)</script>"""


@pytest.mark.usefixtures("soon")
async def test_box_without_a_place_is_checked_by_its_key(
    run: Run, fails: Fails, show: Show, web: Web, check: Check
) -> None:
    """A card of Fluent UI is the box, and half a star of Mantine is drawn only below the pointer."""
    told = "\n→ with the space key: it has no place to click"
    await show(UNREACHABLE)
    await check({
        "check #card": f"Checked #card{told}",
        "check #half": f"Checked #half{told}",
        "js [heard, card.checked, half.checked, whole.checked].join()": "cardtrue,true,true,false",
        "uncheck #card": f"Unchecked #card{told}",
        "check #empty": f"Checked #empty{told}",
        "check #whole": "Checked #whole\n→ through its label",
    })  # fmt: skip
    await fails("check #gone --timeout 300", NotInteractable)
    for target in ("#under", "#unreached"):
        assert "is covered by" in (await fails(f"check {target} --timeout 300", Covered)).message
    assert "did not become checked" in (await fails("check #refusing", ActionFailed)).message
    dialog = "Object.assign(document.createElement('dialog'), {textContent: 'Sure?'})"
    await run("js", f"document.body.append({dialog}); document.querySelector('dialog').showModal()")
    await fails("check #card --timeout 300", Covered)
    assert await run("js 'card.checked'") == "false"
    await show(f"<iframe src='{web.show_elsewhere(UNREACHABLE)}' width=600 height=900></iframe>")
    await run("frame iframe")
    await run("check #card")
    await run("fill-form", '{"#half": true}')
    assert await run("js '[card.checked, half.checked].join()'") == "true,true"


async def test_enter_is_pressed_behind_a_value(run: Run, show: Show, web: Web) -> None:
    """Tell where a form that is submitted leads, and a field that Enter only adds a line to."""
    await show(f"""<form onsubmit="event.preventDefault(); out.value += q.value + '|'"><input id=q aria-label=Query></form>
        <textarea id=notes></textarea><textarea id=chat onkeydown="if (event.key === 'Enter') {{ event.preventDefault(); out.value += chat.value }}"></textarea>
        <output id=out></output><form action='{web.url}/plain.html'><input name=q id=search></form>""")
    assert await run("fill #q shoes --submit") == "Filled #q and pressed Enter"
    assert await run("fill #chat hello --submit") == "Filled #chat and pressed Enter"
    assert await run("text #out") == "shoes|hello"
    said = await run("fill #notes line --submit")
    assert said.splitlines()[1] == "→ Enter added a line: this field does not submit by Enter"
    said = await run("fill #search shoes --submit")
    assert said.splitlines()[-1].startswith(f"→ now at {web.url}/plain.html?q=shoes")


async def test_keys_into_a_field(run: Run, fails: Fails, show: Show, web: Web) -> None:
    inner = web.show_elsewhere("<input id=inner aria-label=Inner value=in>")
    await show(f"""<input id=a value=one><input id=n type=number value=12><textarea id=t>x</textarea><p id=p>words</p>
        <div id=r contenteditable>rich</div><input id=ro readonly><iframe src="{inner}"></iframe>
        <script>const keys = []; a.onkeydown = () => keys.push(performance.now())</script>""")
    assert await run("type --into #a two") == "Typed 3 characters into #a"
    for target, keys in (("#n", "3"), ("#t", "y"), ("#r", "er")):
        await run(f"type --into {target} {keys}")
    assert await run("js", "[a.value, n.value, t.value, r.textContent].join()") == "onetwo,123,xy,richer"
    await run("type --into #a --clear --delay 30 ab")
    assert await run("value #a") == "ab"
    assert await run("js 'keys.at(-1) - keys.at(-2) >= 29'") == "true"
    ref = await ref_of(run, '"Inner"')
    assert await run(f"type --into {ref} side") == f"Typed 4 characters into {ref}"
    assert await run("value", ref) == "inside"
    await run("type --into #a --", "--clear")
    assert await run("value #a") == "ab--clear"
    assert "read-only" in (await fails("type --into #ro x --timeout 50", NotInteractable)).message
    await fails("type --into #p x --timeout 50", NotInteractable)
    await fails("type --clear x", UsageError)
    await show("<ul><li><b>Tea</b> <input><li><b>Milk</b> <input></ul><script>const names = document.querySelectorAll('b');"
        "turn = event => { [names[0].textContent, names[1].textContent] = event.type === 'focusin' ? ['Milk', 'Tea'] : ['Oats', 'Rice'] };"
        "document.addEventListener('focusin', turn, { once: true })</script>")  # fmt: skip
    ref = (await ref_of(run, "[textbox]")).split()[0]
    assert '("Milk") stands there now' in (await fails(f"type --into {ref} x", StaleRef)).message
    await run(
        "js", "document.activeElement.blur(); document.addEventListener('input', turn, { once: true }); 0"
    )
    said = "Typed 2 characters into li:has-text('Milk') >> input\n→ another record is in its place since: a part of it may be there"
    assert await run("""type --into "li:has-text('Milk') >> input" xy""") == said


async def test_label_that_other_things_bear_too_means_the_field(run: Run, show: Show, fails: Fails) -> None:
    """Such as the head of a column (dhtmlxGantt) and a button (TinyMCE). Press no empty first piece of a label."""
    await show("""<div aria-label=Duration>Duration</div><label>Duration <input id=f></label>
        <button aria-label=Duration>Go</button><label>Twice <input></label><label>Twice <input></label>
        <div style='position:relative'><label>Wifi</label><label><span style='position:absolute;width:1px;height:1px;overflow:hidden;
        clip-path:inset(50%)'><input type=checkbox id=a></span><div>box</div>Unsubscribe</label></div>""")
    assert await run("fill label=Duration 5") == "Filled label=Duration"
    assert await run("value '#f'") == "5"
    assert (await fails("fill label=Twice x", ManyMatches)).message == "label=Twice matches 2 elements"
    await fails("click label=Duration", ManyMatches)
    assert await run("check #a") == "Checked #a\n→ through its label"
    assert await run("is checked #a") == "true"


async def test_a_box_whose_item_says_whether_it_is_ticked(run: Run, show: Show) -> None:
    """Check in a tree that says so of the item alone (Fancytree)."""
    item = """<li role={role} aria-selected={on} id=i{n}><span><span role=checkbox id=b{n}
        style="display:inline-block;width:16px;height:16px;border:1px solid"></span> <span>Item {n}</span></span></li>"""
    for role, around in {"treeitem": "tree", "option": "listbox"}.items():
        items = item.format(role=role, on="false", n=1) + item.format(role=role, on="true", n=2)
        await show(f"""<ul role={around} aria-multiselectable=true>{items}</ul><script>for (const i of [i1, i2])
            i.querySelector('[role=checkbox]').onclick = () => i.setAttribute('aria-selected', i.getAttribute('aria-selected') !== 'true')</script>""")
        assert await run("check #b1") == "Checked #b1"
        assert await run("check #b1") == "Checked #b1 (it was already)"
        assert await run("uncheck #b2") == "Unchecked #b2"
        assert await run("js '[i1, i2].map(i => i.ariaSelected)'") == '["true","false"]'


@pytest.mark.usefixtures("soon")
async def test_item_whose_marker_alone_checks_it_is_pressed_there(run: Run, show: Show, fails: Fails) -> None:
    """Check in the lists of tasks of editors (Lexical): a press on the words puts the caret there."""
    await show("""<style>li { list-style: none; position: relative; padding: 0 24px }
        li::before { content: ''; position: absolute; left: 0; top: 2px; width: 16px; height: 16px; border: 1px solid }
        #c::before { left: auto; right: 0 } .plain::before { content: none !important }</style>
        <div contenteditable role=textbox><ul><li role=checkbox tabindex=-1 aria-checked=false id=a>one</li>
        <li role=checkbox tabindex=-1 aria-checked=false id=b class=plain>two</li><li role=checkbox tabindex=-1 aria-checked=false id=c>three</li></ul></div><script>
        const isMarked = e => e.clientX < a.getBoundingClientRect().left + 20 || e.clientX > a.getBoundingClientRect().right - 20;
        for (const li of [a, b, c]) li.onclick = e => { if (isMarked(e)) li.ariaChecked = li.ariaChecked !== 'true' }</script>""")
    for name in "ac":
        assert await run(f"check #{name}") == f"Checked #{name}\n→ on what is drawn beside its words"
    assert await run("uncheck #a") == "Unchecked #a\n→ on what is drawn beside its words"
    assert await run("js a.ariaChecked") == "false"
    assert "was clicked and did not become checked" in (await fails("check #b", ActionFailed)).message


SPREAD = """<p><input id=first><input><input><input></p><script>
const boxes = [...document.querySelectorAll('input')], heard = [];
for (const [at, box] of boxes.entries()) box.oninput = () => {
  const digits = [...box.value].slice(0, 4 - at);
  digits.forEach((digit, after) => { boxes[at + after].value = digit });
  boxes[Math.min(at + digits.length, 3)].focus();
  heard.push(boxes.map(each => each.value).join(''));
};</script>"""


async def test_code_that_the_page_spreads_over_its_fields_is_filled_once(run: Run, show: Show) -> None:
    await show(SPREAD)
    assert (
        await run("fill '#first' 1234")
        == "Filled #first\n→ the page has spread it over this field and the next ones"
    )
    assert await run("js heard.at(-1)") == "1234"
    assert await run("fill '#first' 9") == "Filled #first"
    assert await run("js heard.at(-1)") == "9234"
