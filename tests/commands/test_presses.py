"""Test clicks whose element moves, is replaced or disappears between press and release."""

import asyncio
import re
import shlex

import pytest

from gstack_browse.browser.actions.input import presses
from gstack_browse.errors import ActionFailed, NotInteractable, StaleRef
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.replies import ref_of
from tests.commands.web import Web
from tests.each import each, each_row

pytestmark = pytest.mark.same_session

HOVERED = {
    "no width": "width: 0; padding: 0; border: 0; overflow: hidden", "no box": "display: none", "hidden": "visibility: hidden",
    "moved": "translate: 300px",
}  # fmt: skip
"""What a page may do to an element that the pointer is over, as while the picture for that is loaded."""


LOG = """<style>body { margin: 0 } .at { position: absolute; width: 120px; height: 24px }
CLASSES</style>
<input id=field><div id=message></div><div id=area></div><script>
heard = [];
for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick'])
  document.addEventListener(type, event => heard.push(type + ' ' + (event.composedPath().find(each => each.id)?.id ?? 'body')));
make = (inner = 'Go') => {
  message.style = message.textContent = document.body.className = '';
  area.onpointerdown = area.onclick = field.onblur = null;
  area.innerHTML = `<button id=b class=at style="top:60px">${inner}</button>`;
  heard = [];
};
away = () => { b.style.left = '300px' };
again = () => { b.replaceWith(b.cloneNode(true)) };
swap = (name, milliseconds) => {
  document.body.className = name;
  if (milliseconds) setTimeout(() => { document.body.className = '' }, milliseconds);
};
busy = () => { const late = new XMLHttpRequest(); late.open('GET', '/late/0.15', false); late.send() };
once = (type, act) => b.addEventListener(type, act, { once: true });
</script>""".replace(
    "CLASSES", " ".join(f".{name.replace(' ', '-')} #b:hover {{ {style} }}" for name, style in HOVERED.items())
)


PRESS = "pointerdown b,mousedown b"
UNCLICKED = f"{PRESS},pointerup b,mouseup b"
WHOLE = f"{UNCLICKED},click b"
ACTED = "acted on the release: it heard no click event"
ELSEWHERE = "took the release for something else: it heard no click event"
TAKEN = "took it away as it was pressed: it heard no click event"
COVERS = "message.style = 'position: fixed; inset: 0; z-index: 9'"

CHANGES = {
    # It moves on the press, or as an error appears above it: the page hears of one whole gesture.
    "make(); b.onmousedown = away": ("", WHOLE),
    "make(); field.onblur = () => { message.style.height = '80px'; b.style.top = '140px' }; field.focus()": ("", WHOLE),
    # A busy page has all of a press judged.
    "make(); once('mousedown', () => { away(); busy() })": ("", WHOLE),
    # The pointer over it displaces it: its boxes tell nothing, and it is back when the page hears of the release.
    "make(); once('mousedown', () => swap('no-box', 20))": ("", WHOLE),
    "make(); once('mouseover', () => swap('hidden', 20))": ("", WHOLE),
    "make(); once('mousedown', () => swap('moved', 20))": ("", WHOLE),
    "make(); once('focus', () => { b.hidden = true; setTimeout(() => { b.hidden = false }, 20) })": (
        "", f"{PRESS},pointerup body,mouseup body,click b",
    ),
    # The words are drawn anew by the release, as a menu in SVG does: no click can come of it, and its purpose is fulfilled.
    f"make('<i>x</i>'); b.onmouseup = () => {{ b.innerHTML = '<i>y</i>'; {COVERS} }}": (ACTED, UNCLICKED),
    "make('<i>x</i>'); b.onmouseup = () => { b.innerHTML = '<i>y</i>'; b.style.pointerEvents = 'none' }": (ACTED, UNCLICKED),
    # A choice that acts on its press has done its work.
    "make(); b.onmousedown = () => b.remove()": (TAKEN, ""),
    "make(); b.setAttribute('onmousedown', 'again()')": (TAKEN, ""),
    # What is opened over it by the press stays open.
    "make(); b.onmousedown = () => area.insertAdjacentHTML('beforeend', '<div id=menu class=at style=\"top:60px\">M</div>')": (
        ELSEWHERE, f"{PRESS},pointerup menu,mouseup menu,click area",
    ),
    "make(); area.onpointerdown = event => area.setPointerCapture(event.pointerId)": (
        ELSEWHERE, f"{PRESS},pointerup area,mouseup area,click area",
    ),
}  # fmt: skip
"""What changes between press and release: what the reply says of the page, and what the page hears ("": anything)."""


async def test_click_on_what_changes_on_its_press_tells_what_came_of_it(run: Run, show: Show) -> None:
    await show(LOG)
    for script, (told, heard) in CHANGES.items():
        await run("js", f"{script}; 0")
        assert await run("click #b") == "Clicked #b" + (f"\n→ the page {told}" if told else ""), script
        assert not heard or await run("js 'heard.join()'") == heard, script
        await run("js 'make(); 0'")
        await run("hover #field")
    await run("js 'make(); b.onmousedown = away; 0'")
    ref = await ref_of(run, '[button] "Go"')
    assert await run(f"click {ref}") == f"Clicked {ref}"
    assert await run("js 'heard.join()'") == WHOLE


async def test_press_of_another_button_tells_what_came_of_it(run: Run, show: Show) -> None:
    await show(LOG)
    for button, event in {"right": "contextmenu", "middle": "auxclick"}.items():
        for changes, told, count in (("away", "", 1), ("() => b.remove()", f"\n→ the page {TAKEN}", 0)):
            await run("js", f"make(); got = 0; b.on{event} = () => {{ got++ }}; b.onmousedown = {changes}; 0")
            assert await run(f"click #b --button {button}") == f"Clicked #b{told}", (button, changes)
            assert await run("js got") == str(count), (button, changes)
    await run("js", "make(); 0")
    assert await run("click #b --button right --double") == "Clicked #b"


HEARD = "js heard.join()"
MOVED = '<button#b> "Go" was pressed and not clicked: it moved away under the pointer'


async def test_element_that_stays_away_is_not_said_to_be_clicked(run: Run, show: Show, check: Check) -> None:
    await show(LOG)
    flees = "flee = () => { b.style.left = (parseInt(b.style.left) || 0) % 600 + 130 + 'px' }"
    await check([
        ("js make(); b.onmousedown = () => swap('no-width', 0)", "…"), ("click #b --timeout 700", (ActionFailed, MOVED)), (HEARD, PRESS),
        (f"js make(); {flees}; b.onmousedown = () => {{ flee(); b.onmouseover = flee }}; 0", "0"),
        ("click #b --timeout 5000", (ActionFailed, MOVED)),
    ])  # fmt: skip
    assert "click b" not in await run("js 'heard.join()'")


async def test_press_ends_late_on_a_busy_machine(
    run: Run, show: Show, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Limit how long the element may be out of reach, not how long a press on it takes."""
    await show(LOG)
    await run("js", "make('<i>x</i>'); 0")
    await run("js", "b.onmouseup = () => { b.innerHTML = '<i>y</i>'; b.onmousemove = () => b.remove() }; 0")
    assert re.search("^Clicked #b\n→ the page (acted|took it away) .*it heard no click", await run("click #b"))
    monkeypatch.setattr(presses, "COVERED_SECONDS", 0)
    redraws = "make('<i>x</i>'); b.onmousedown = () => { b.innerHTML = '<i>y</i>' }; 0"
    await check({f"js {redraws}": "0", "click #b": "Clicked #b", HEARD: WHOLE})


async def test_element_replaced_by_a_change_of_focus(run: Run, show: Show, fails: Fails, check: Check) -> None:
    """A selector means the new one."""
    await show(LOG)
    replaces = "js make(); field.onblur = again; field.focus(); 0"
    gesture = "js heard.filter(each => each === 'click b' || each === 'mousedown b').join()"
    await check([(replaces, "0"), ("click #b", "Clicked #b"), (gesture, "mousedown b,click b"), (replaces, "0")])  # fmt: skip
    ref = await ref_of(run, '[button] "Go"')
    message = (await fails(f"click {ref}", StaleRef)).message
    assert message.startswith(f"{ref} was pressed and not clicked: the page took it away as the focus changed")
    assert 'a new [button] "Go" is @e' in message


async def test_element_removed_on_focus_change_after_its_press_is_told(
    run: Run, show: Show, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Take a choice when it is pressed, and close as the editor loses the focus (Tagify)."""
    monkeypatch.setattr(presses, "COVERED_SECONDS", 0.1)
    await show(LOG)
    told = "→ the page acted on the press, and took it away as the focus changed: it heard no click event"
    goes = "field.onblur = () => b.remove(); field.focus(); 0"
    for way, acts in {"#b": "b.className += ' chosen'", "ref": "message.textContent = 'chosen'"}.items():
        await run("js", f"make(); b.onmousedown = () => {{ {acts} }}; {goes}")
        target = await ref_of(run, '[button] "Go"') if way == "ref" else way
        assert await run("click", target) == f"Clicked {target}\n{told}", acts
    gone = '<button#b> "Go" was pressed and not clicked: the page took it away as the focus changed'
    ripples = "b.onmousedown = () => { b.className += ' ripple' }"
    await check([
        (f"js make(); {goes}", "0"), ("click #b", (ActionFailed, gone)),
        (f"js make(); {ripples}; field.onblur = again; field.focus(); 0", "0"), ("click #b", "Clicked #b"),
        ("js heard.filter(each => each === 'click b').length", "1"),
    ])  # fmt: skip


async def test_list_that_takes_its_item_and_closes_as_its_field_loses_the_focus(
    run: Run, show: Show, check: Check
) -> None:
    """Say that an item which was not taken was pressed. The completion of a Bokeh field takes the one under the pointer."""
    await show(LOG)
    closes = "b.hidden = true; field.value = '{}' }}; field.value = 'g'; field.focus(); 0"
    begins = "js make(); field.onblur = () => {"
    gone = '<button#b> "Go" was pressed and not clicked: the page took it away as the focus changed'
    await check([
        (f"{begins} {closes.format('Go')}", "0"), ("click text=Go", f"Clicked text=Go\n→ the page {TAKEN}"),
        (f"{begins} {closes.format('G')}", "0"), ("click text=Go --timeout 700", (ActionFailed, gone)),
    ])  # fmt: skip


async def test_moving_element_is_clicked_again_as_it_was_to_be(show: Show, check: Check, web: Web) -> None:
    """Click with a key held, at a point, while it is animated, by its label, and in a frame of another site."""
    label = "<input id=c type=checkbox><label id=l for=c class=at style='top:120px'>Check</label>"
    page = f"{LOG}<style>#c {{ position: absolute; opacity: 0; pointer-events: none }}</style>{label}"
    tells = "b.onclick = event => { got = `${event.shiftKey} ${event.x}` }"
    await show(page)
    for options, got in {"--modifiers Shift --at 5,5": "true 305", "": "false 360"}.items():
        animates = "" if options else "; b.animate({ opacity: [0.9, 1] }, 100000)"
        moves = f"js make(); b.onmousedown = away; {tells}{animates}; 0"
        await check([(moves, "0"), (f"click #b {options}", "Clicked #b"), (HEARD, WHOLE), ("js got", got)])
    await check({
        "js l.onmousedown = () => { l.style.left = `300px` }; 0": "0", "click #c": "Clicked #c\n→ through its label", "js c.checked": "true",
    })  # fmt: skip
    framed = web.show_elsewhere(f"{page}<script>make(); b.onmousedown = away</script>")
    await show(f"<iframe width=800 height=300 src={framed}></iframe>")
    await check({"frame iframe": "…", "click #b": "Clicked #b", HEARD: WHOLE})


EFFECT = "requestAnimationFrame(() => setTimeout(hear))"
"""When a component listens that does so in an effect behind its paint."""


async def test_page_hears_the_release_once_it_has_drawn_the_press(show: Show, check: Check, web: Web) -> None:
    """Release after the frame, for components whose effects of a press come behind it (TUI Calendar)."""
    style = "style='display: block; width: 150px; height: 40px; background: teal'"
    markup = f"""<div id=e {style}></div><canvas id=c {style}></canvas><script>opened = 0;
        const hear = () => document.addEventListener("mouseup", () => {{ opened++ }}, {{ once: true }});
        e.onmousedown = c.onmousedown = () => wait()</script>"""
    await show(markup)
    for number, (target, waits) in enumerate((
        ("#e", EFFECT), ("#c", EFFECT), ("#e --modifiers Shift", EFFECT),
    ), 1):  # fmt: skip
        await check({f"js wait = () => {waits}; 0": "0", f"click {target}": "…", "js opened": str(number)})
    await show(f"<iframe width=800 height=300 src={web.show_elsewhere(markup)}></iframe>")
    await check({
        "frame iframe": "…", f"js wait = () => {EFFECT}; 0": "0", "click #e": "…", "js opened": "1",
    })  # fmt: skip


ONCE = {
    "b.onclick = () => b.remove()": "took it away at the first click: it heard no second one",
    "b.onclick = () => { b.disabled = true }": "disabled it at the first click: it heard no second one",
    f"b.onclick = () => {{ {COVERS} }}": "took the second click for something else: it heard one",
    "b.onmousedown = () => b.remove()": TAKEN,
}
"""What makes one click of a double click, and what is told."""


async def test_double_click_that_became_one_tells_why(show: Show, check: Check) -> None:
    await show(LOG)
    for does, told in ONCE.items():
        await check({f"js make(); {does}; 0": "0", "click #b --double": f"Clicked #b\n→ the page {told}"})
    for does, told in {
        "make('<i>x</i>'); b.onmousedown = () => { b.innerHTML = '<i>y</i>' }": '"x" was pressed twice and heard no click event',
        "make(); b.onclick = away": '"Go" was clicked once: it moved away before the second press',
    }.items():  # fmt: skip
        await check({f"js {does}; 0": "0", "click #b --double": (ActionFailed, f"<button#b> {told}")})


async def test_a_double_click_on_what_every_click_draws_anew_is_two(run: Run, show: Show, check: Check) -> None:
    """The node that Chromium tells of the double click is gone by then: what takes its place hears of it."""
    await show(LOG)
    await check({"js make(); b.onclick = again; 0": "0", "click #b --double": "Clicked #b", HEARD: "…dblclick b…"})  # fmt: skip
    for listens in ("b", "area"):
        draws = f"draw = () => {{ make(clicks); {listens}.onclick = () => {{ clicks++; draw() }} }}"
        await run("js", f"clicks = 0; {draws}; draw()")
        for clicks, target in (("2", "#b"), ("4", "ref")):
            named = await ref_of(run, "[button]") if target == "ref" else target
            await check({f"click {named} --double": f"Clicked {named}", "js clicks": clicks})


NATIVE = """<select id=e><option>1<option>2</select><select id=list multiple><option id=e2>1<option>2</select>
<input id=e3 type=range><input id=e4 type=checkbox><input id=e5 type=number><input id=e6 type=date><input id=e7 type=color>
<details><summary id=e8>S</summary>x</details><label id=e9>L <input></label><div id=e10 contenteditable>t</div>
<a id=e11 href="javascript:0">l</a><textarea id=e12></textarea><div id=e13 draggable=true>d</div><button id=e14><s>s</s></button>
<svg width=20 height=20><rect id=e15 width=20 height=20 /></svg><input id=e16 type=submit><input id=e17 type=radio>
<div id=e18 tabindex=0>f</div><progress id=e19></progress><button id=e20 onmousedown="this.disabled = true">o</button>
<button id=e21 onmousedown="event.preventDefault()">p</button><div id=e22 style="height:30px;overflow:scroll">o<br>o<br>o</div>
<script>pressed = []; addEventListener('pointerdown', event => pressed.push(event.target.id), true)</script>"""


async def test_every_kind_of_element_is_pressed_once(run: Run, show: Show) -> None:
    """Take none of them for one that has heard no click."""
    await show(NATIVE)
    became = {2: '\n→ selected "1"', 20: "\n→ the page disabled it as it was pressed: it heard no click event"}
    for number in range(2, 23):
        await run("js 'pressed = []; document.activeElement.blur(); 0'")
        assert await run(f"click #e{number}") == f"Clicked #e{number}{became.get(number, '')}"
        assert await run("js pressed.length") == "1", number


async def test_a_drag_begins_on_its_element_or_not_at_all(run: Run, show: Show, check: Check) -> None:
    """Take no movement with the pointer for one away from it: that is what a drag is for."""
    under = "<div id=under class=at style='top:60px;z-index:-1'>u</div>"
    await show(f"{LOG}{under}<div id=goal style='margin-top:200px'>goal</div>")
    moved = '<button#b> "Go" moved away under the pointer, or a resize handle came over it'
    await run("mouse move 300 300")  # so that it comes from elsewhere
    await check({"js make(); b.onmouseenter = away; 0": "0", "drag #b #goal": (NotInteractable, moved)})
    assert "down under" not in await run("js 'heard.join()'")
    await check({"js make(); b.onmousedown = away; 0": "0", "drag #b #goal": "Dragged #b to #goal…"})


async def test_a_click_that_keeps_its_page_busy_is_a_click(run: Run, show: Show) -> None:
    """Wait for the page while it handles the event, longer than for an element."""
    await show(
        """<button id=busy>Busy</button><button id=away onmousedown="hang()">Away</button><script>
        const hang = () => { const busy = new XMLHttpRequest(); busy.open('GET', '/late/1.15', false); busy.send() };
        let clicks = 0;
        busy.onclick = () => { clicks++; hang() };
        away.onclick = () => { clicks++ };
        </script>"""
    )
    for clicks, name in enumerate(("busy", "away"), 1):
        assert await run(f"click #{name} --modifiers Shift --timeout 1000") == f"Clicked #{name}"
        assert await run("js clicks") == str(clicks)


async def test_a_release_that_a_dialog_kept_from_the_page_is_made_up_for(
    run: Run, shell: Shell, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chromium drops input while a dialog is open. On a busy machine the release comes then."""
    await show("""<button id=b onmousedown="alert('Q')">Go</button><script>heard = []
        for (const type of ['mousedown', 'mouseup', 'click']) b.addEventListener(type, () => heard.push(type))</script>""")
    pump = shell.browser.running.connection.pipe._out
    write, later = pump.write, {b'"mouseReleased"': 0.15, b"handleJavaScriptDialog": 0.4}

    def write_late(data: bytes) -> None:
        for message in data.split(b"\0")[:-1]:
            words = next((words for words in later if words in message), b"")
            delay = later.pop(words, 0)
            if delay:
                asyncio.get_running_loop().call_later(delay, write, message + b"\0")
            else:
                write(message + b"\0")

    monkeypatch.setattr(pump, "write", write_late)
    assert await run("click '#b' --modifiers Shift") == 'Clicked #b\n→ alert "Q": accepted'
    assert not later
    assert await run("js 'heard.join()'") == "mousedown,mouseup,click"


HELD = """<style>body { margin: 0 } button { width: 100px; height: 40px }</style><button>Busy</button><input><script>
held = ''
for (const type of ['keydown', 'mousemove'])
  addEventListener(type, event => { held = [event.shiftKey, event.ctrlKey, event.buttons ?? 0].join() })
</script>"""
HANG = "addEventListener('%s', () => { const busy = new XMLHttpRequest(); busy.open('GET', '/late/0.9', false); busy.send() }, { once: true }); 0"


async def test_key_that_keeps_the_page_busy_comes_up(run: Run, shell: Shell, show: Show, check: Check) -> None:
    await show(HELD)
    await run("js", HANG % "keydown")
    assert (await shell.send("keydown Control", timeout=400)).code == 3
    assert (await shell.send("press a")).notes == ["Control held down: 'keyup Control' to release"]
    await check([
        ("js held", "false,true,0"), ("keyup Control", "Control is up"), ("press a", "…"), ("js held", "false,false,0"),
    ])  # fmt: skip


@each_row(("", "keydown", False), ("", "mouseup", True), ("--double", "click", False))
async def test_press_that_ends_early_leaves_no_button_or_key_down(
    words: str, event: str, is_left: bool, run: Run, shell: Shell, show: Show
) -> None:
    """Keep the page busy until the command's time is over or its client goes, in the middle of the press."""
    await show(HELD)
    await run("hover input")
    await run("js", HANG % event)
    line = f"click button {words} --modifiers Shift,Control --timeout 500"
    pressing = asyncio.ensure_future(shell.send(line))
    if is_left:
        await asyncio.wait([pressing], timeout=0.2)
        pressing.cancel()
    await asyncio.wait([pressing])
    for line in ("press a", "hover input"):
        await run(line)
        assert await run("js held") == "false,false,0"


async def test_click_that_closes_what_the_pointer_has_opened_is_noted(run: Run, show: Show) -> None:
    """Note nothing where a click before has opened it."""
    toggle = "this.ariaExpanded = String(this.ariaExpanded !== 'true')"
    await show(
        f'<button id=a aria-expanded=false onclick="{toggle}" onmouseover="this.title = 1">About</button>'
        f'<button id=b aria-expanded=false onclick="{toggle}" onmouseover="this.ariaExpanded = \'true\'">Menu</button>'
    )
    note = "\n→ it opened as the pointer came over it, and the click closed it: 'hover' opens it"
    for name, told in (("a", ""), ("a", ""), ("b", note)):
        assert await run(f"click '#{name}'") == f"Clicked #{name}{told}"


RATING = """<div id=stars GROUP>STARS</div><output>none</output><script>
let hovered = 0;
const stars = document.querySelector('#stars'), numberOf = (event) => Number(event.target.closest('[n]')?.getAttribute('n') ?? 0);
stars.addEventListener('pointermove', (event) => { const n = numberOf(event); if (n) requestAnimationFrame(() => setTimeout(() => { hovered = n })) });
stars.addEventListener('pointerleave', () => { hovered = 0 });
stars.addEventListener('click', (event) => { const n = numberOf(event); if (n) document.querySelector('output').value = hovered || n });
</script>"""
STAR = {
    "[role=radio][n='{}']": "<span n={n} role=radio aria-checked=false aria-label='{n} stars' tabindex=-1>★</span>",
    "#s{}": "<label n={n} for=s{n}>★<span hidden>{n}</span></label>"
    "<input n={n} id=s{n} type=radio name=stars aria-label='{n} stars' style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)'>",
    "text=★{}": "<span n={n} style=cursor:pointer>★{n}</span>",
}
"""How a star is named, and its markup. The page with the last ones is in quirks mode."""


@each(STAR)
async def test_clicked_star_is_taken_not_hovered(star: str, show: Show, check: Check) -> None:
    quirks = "<html>" if star == "text=★{}" else ""
    group = "role=radiogroup" if star == "[role=radio][n='{}']" else ""
    stars = "".join(STAR[star].format(n=n) for n in range(1, 6))
    await show(quirks + RATING.replace("GROUP", group).replace("STARS", stars))
    await check([
        ("js document.compatMode", "BackCompat" if quirks else "CSS1Compat"), ("snapshot -i", "…"),
        *((f"{verb} {shlex.quote(star.format(number))}", "…") for verb, number in (("hover", 2), ("click", 4))), ("text output", "4"),
        *((f"click {shlex.quote(star.format(number))}", "…") for number in (1, 5)), ("text output", "5"),
    ])  # fmt: skip
