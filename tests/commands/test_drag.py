"""Test `drag`: what the page hears of it, where it ends, and what the reply says of that."""

import asyncio
import json
from typing import Any

import pytest

from gstack_browse.browser.actions.pointer.drag import LONG_PRESS
from gstack_browse.errors import Covered, DialogOpen, NoMatch, NotInteractable, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

LOG = """<script>log = []; for (const type of ['pointerdown', 'pointermove', 'pointerup', 'mouseup', 'dragstart', 'dragover', 'drop',
  'dragend', 'touchstart', 'touchmove', 'touchend', 'touchcancel'])
  addEventListener(type, event => log.push({ type, at: event.target.id, x: Math.round(event.clientX), buttons: event.buttons, pressure: event.pressure }), true)
</script>"""
STYLE = "<style>body { margin: 0 } #a, #b { position: absolute; top: 20px; width: 100px; height: 100px } #b { left: 300px }</style>"
PLAIN = f"{STYLE}{LOG}<div id=a>thing</div><div id=b>place</div>"
MOVED = """<script>a.onpointerdown = down => { a.setPointerCapture(1)
  a.onpointermove = move => { a.style.left = move.clientX - down.offsetX + 'px' }; a.onpointerup = () => { a.onpointermove = null } }
</script>"""
"""What moves the thing along with the pointer."""
CARDS = f"""{LOG}<ul id=todo><li id=a draggable=true>A</li><li id=x draggable=true>B</li></ul><ul id=done style="min-height: 80px"></ul><p id=no>no</p>
<script>done.ondragover = event => event.preventDefault(); addEventListener('dragstart', event => {{ card = event.target
  event.dataTransfer.setData('text/plain', card.id) }}); done.ondrop = () => done.append(card)</script>"""
SLIDER = "<input type=range id=a min=0 max=100 value=0 style='width: 200px'>"


async def events_heard(run: Run, *types: str) -> list[dict[str, Any]]:
    """Return the events of these kinds that the page has heard."""
    events = json.loads(await run("js log"))
    return [event for event in events if event["type"] in types]


async def test_drag_moves_by_a_distance_along_points_and_to_a_place(run: Run, show: Show) -> None:
    """Let the page hear each movement, the first one towards the goal, wherever it is scrolled to.

    Fill a field below first: Chromium scrolls back to it when it loses its caret.
    """
    await show(f"{PLAIN}{MOVED}<p style='width: 3000px; height: 3000px'></p><textarea></textarea>")
    await run("fill textarea text")
    assert await run("drag '#a' '#b' --steps 7") == "Dragged #a to #b\n→ moved by 303,0"
    events = await events_heard(run, "pointerdown", "pointermove", "pointerup")
    pressed = [event for event in events if event["buttons"]]
    assert pressed[0]["type"] == "pointerdown"
    assert (pressed[0]["x"], pressed[-1]["x"]) == (50, 353)
    assert len({event["x"] for event in pressed}) >= 7
    assert {event["pressure"] for event in pressed} == {0.5}
    assert events[-1] == {"type": "pointerup", "at": "a", "x": 353, "buttons": 0, "pressure": 0}
    await run("js \"log.length = 0; a.style.left = '0'; scrollTo(20, 10)\"")
    assert await run("drag '#a' 20,0 --at 30,50%") == "Dragged #a by 20,0\n→ moved by 20,0"
    await run("js \"log.length = 0; a.style.left = '0'; scrollTo(0, 0)\"")
    await run("drag '#a' '#b' --at 30,10 --via 200,10 --via 60,-5 --to-at 25%,50%")
    xs = [event["x"] for event in await events_heard(run, "pointermove") if event["buttons"]]
    assert {200, 60, 325} <= set(xs), xs
    assert xs.index(200) < xs.index(60) < xs.index(325)
    await run("js 'log.length = 0; scrollTo(20, 10)'")
    await run("drag '#b' 100,100")
    moves = [event for event in await events_heard(run, "pointermove") if event["buttons"]]
    assert moves[0]["x"] > 330


async def test_page_that_samples_the_pointer_sees_the_end_of_a_drag(run: Run, show: Show) -> None:
    """Sample every 50 ms as SortableJS without HTML5 drags does, and in each frame."""
    await show(
        f"""{PLAIN}<style>div {{ user-select: none }}</style><script>at = 0; looked = 0; frames = 0; ends = []; onpointermove = move => {{ if (at !== move.clientX) frames = 0; at = move.clientX }}
        setInterval(() => looked = at, 50); (function draw() {{ frames++; requestAnimationFrame(draw) }})()
        onpointerup = up => ends.push([up.clientX, looked, Math.min(frames, 4)])</script>"""
    )
    for words in ("'#a' '#b'", "'#a' 60,0 --steps 3 --via 80,10"):
        await run(f"drag {words}")
    ends = json.loads(await run("js ends"))
    assert len(ends) == 2
    assert [end for end in ends if end != [end[0], end[0], 4]] == []


async def test_page_that_draws_each_movement_later_misses_none(run: Run, show: Show) -> None:
    """Add each movement to what is drawn (react-draggable). A person's movements come one in a frame."""
    await show(f"""{PLAIN}<script>let drawn = 0, next = 0, last = null
        const draw = () => {{ drawn = next; a.style.left = drawn + 'px' }}, later = () => requestAnimationFrame(draw)
        a.onmousedown = event => {{ last = event.clientX }}; onmouseup = () => {{ last = null }}
        onmousemove = event => {{ if (last === null) return; next = drawn + event.clientX - last; last = event.clientX; later() }}</script>""")
    assert await run("drag '#a' 60,0") == "Dragged #a by 60,0\n→ moved by 60,0"


async def test_html5_drags_end_where_the_page_takes_them(run: Run, show: Show) -> None:
    await show(CARDS)
    moved = '→ now 1 of 1 in <ul#done> "A" (was in <ul#todo> "A B")\n→ <ul#done> "A" has 1 child (had 0)'
    assert await run("drag '#a' '#done' --steps 6") == f"Dragged #a to #done\n{moved}"
    assert len(await events_heard(run, "dragover")) > 5
    ends = [event["type"] for event in await events_heard(run, "dragstart", "drop", "dragend")]
    assert ends == ["dragstart", "drop", "dragend"]
    assert "→ nothing there took what was dragged" in await run("drag '#x' '#no' --steps 2")
    assert [event["type"] for event in await events_heard(run, "drop")] == ["drop"]
    await run("click '#no'")  # Chromium's drag has ended: the page hears of the mouse
    pressed = (await events_heard(run, "pointerdown"))[-1]
    assert (pressed["at"], pressed["pressure"]) == ("no", 0.5)
    for step in ("hover '#x'", "mouse down", "hover '#done'"):
        await run(step)
    assert await run("press Escape") == "Pressed Escape\n→ the drag is cancelled"
    await run("mouse up")
    ends = [event["type"] for event in await events_heard(run, "dragstart", "drop", "dragend")][-3:]
    assert ends == ["dragend", "dragstart", "dragend"], "nothing was dropped"


async def test_effect_of_a_drag_is_told_as_it_is(run: Run, show: Show) -> None:
    """Look at pictures in charts and stages, too, whose canvas lies in an element that hears of the mouse."""
    await show(
        f"""{SLIDER}<canvas id=c width=100 height=60></canvas><p id=p>Words to be selected</p><textarea id=t style="width: 174px; height: 50px"></textarea>
        <div id=back style="width: 50px; height: 20px">back</div>
        <div id=stage><canvas id=in width=100 height=100></canvas></div><div id=map style='height: 50px'><p style='margin: 0'>map</p></div>
        <i id=grip style="display: block; width: 60px" onpointerdown="setPointerCapture(event.pointerId)" onpointerup="textContent = 'let go'">grip</i>
        <p id=fixed style='user-select: none'>fixed</p><select multiple size=4 id=s><option id=first selected>A<option>B<option>C<option id=last>D</select><script>
        const draw = document.querySelector('#in').getContext('2d'), pane = map.firstChild
        stage.onmousemove = event => {{ if (event.buttons) draw.fillRect(event.offsetX, event.offsetY, 9, 9) }}
        map.onmousemove = event => {{ if (event.buttons) pane.style.transform = `translate(${{event.clientX}}px)` }}
        c.onmousemove = event => {{ if (event.buttons) c.getContext('2d').fillRect(event.offsetX, event.offsetY, 3, 3) }}
        back.onmousedown = event => {{ event.preventDefault(); back.style.marginLeft = '9px' }}
        onmouseup = () => {{ back.style.marginLeft = '0'; document.body.title += 'x' }}</script>"""
    )
    assert await run("drag '#a' 100,0 --at 8,50% --steps 2") == 'Dragged #a by 100,0\n→ value "54" (was "0")'
    assert "→ the picture on <canvas#c> changed" in await run("drag '#c' 0,0 --at 5,5 --via 60,40 --steps 20")
    assert int(await run("js", "c.getContext('2d').getImageData(0,0,100,60).data.filter(x => x).length")) > 50
    assert '→ selected "Words' in await run("drag '#p' 120,0 --at 0,50% --steps 2")
    await run("click '#t'")
    assert "→ now 210x" in await run("drag '#t' 30,20 --at 98%,95% --steps 2")
    in_place = "is in its place, and reads as before"
    assert f'→ <div#back> "back" {in_place}' in await run("drag '#back' 40,0 --steps 2")
    assert "→ nothing changed" not in await run("drag '#first' '#last'")
    assert await run("value '#s'") == "A\nB\nC\nD"
    said = await run("drag '#stage' 30,20 --at 10,10")
    assert said == "Dragged #stage by 30,20\n→ the picture on <div#stage> changed"
    assert f'→ <div#map> "map" {in_place}' in await run("drag '#map' 30,0")
    assert await run("drag '#grip' 30,0 --steps 2") == 'Dragged #grip by 30,0\n→ <i#grip> "grip" reads "let go"'
    await run("js", "onmouseup = null; getSelection().empty(); 0")
    nothing = "Dragged #fixed by 30,0\n→ nothing changed on the page"
    assert await run("drag '#fixed' 30,0 --steps 2") == f"{nothing}\n→ {LONG_PRESS}"
    assert await run("drag '#fixed' 30,0 --steps 2 --hold 20") == nothing
    await run("js", "fixed.draggable = true; fixed.ondragover = (event) => event.preventDefault(); 0")
    assert await run("drag '#fixed' 30,0") == nothing, "the page took it"


async def test_change_without_an_attribute_is_told_after_a_drag(run: Run, show: Show) -> None:
    """Look at what no attribute and no words say: a choice, a mixed box, a player, a closed root."""
    await show("""<p id=p style='user-select: none'>drag</p><select multiple size=4 id=x><option selected>A<option>B<option>C</select>
        <input type=checkbox id=y><audio id=z controls></audio><div id=w></div>
        <script>root = w.attachShadow({mode: 'closed'}); root.innerHTML = '<p>old'</script>""")
    changes = "x.options[2].selected = true | y.indeterminate = true | z.volume = 0.5 | root.firstChild.textContent = 'new'"
    for change in changes.split(" | "):
        await run("js", f"p.onmouseup = () => {{ {change} }}; 0")
        assert "something else on the page changed" in await run("drag '#p' 30,0 --steps 2"), change


async def test_drag_that_changes_another_element_says_so(run: Run, show: Show, web: Web) -> None:
    """In a carousel, an editor with its page in a frame, and by a handle that hides as it is let go (GridStack)."""
    await show("""<div id=c style="width: 400px; overflow: hidden"><div id=w style="width: 1200px; height: 90px">One</div></div><script>
        let from = null
        c.onpointerdown = event => { from = event.clientX; event.preventDefault() }
        onpointerup = event => { if (from !== null) w.style.transform = `translateX(${event.clientX - from}px)`; from = null }
        </script>""")
    else_changed = "is in its place, and reads as before; something else on the page changed: see 'snapshot -D'"
    assert await run("drag '#c' -250,0") == f'Dragged #c by -250,0\n→ <div#c> "One" {else_changed}'
    inner = web.show("""<p>Here</p><script>ondragover = event => event.preventDefault()
        ondrop = event => { event.preventDefault(); document.body.append(event.dataTransfer.getData('text')) }</script>""")
    await show(f"""<div id=s draggable=true>Section</div><iframe id=f src='{inner}'></iframe>
        <script>s.ondragstart = event => event.dataTransfer.setData('text', 'Section')</script>""")
    assert await run("drag '#s' '#f'") == f'Dragged #s to #f\n→ <div#s> "Section" {else_changed}'
    await show("""<div id=b style="position: relative; width: 100px; height: 60px">Beta
        <i id=h style="position: absolute; right: 0; bottom: 0; width: 20px; height: 20px"></i></div><script>
        h.onpointerdown = down => { h.setPointerCapture(1); h.onpointermove = move => { b.style.width = `${100 + move.clientX - down.clientX}px` } }
        h.onpointerup = () => { h.style.display = 'none' }</script>""")
    resized = '→ <i#h> is no longer shown\n→ <div#b> "Beta" is 200x60 (was 100x60)'
    assert await run("drag '#h' 100,0") == f"Dragged #h by 100,0\n{resized}"


async def test_drag_says_where_the_item_of_a_handle_or_a_replacement_is(run: Run, show: Show) -> None:
    """Drag in a list with handles (SortableJS), and in a calendar that draws events anew (FullCalendar)."""
    await show("""<ul id=u><li>One <i id=h>::</i><li>Two</ul><p id=e style='width: 60px'>10:00 Meet</p><div id=d style='height: 60px'></div><script>
        h.onpointerdown = event => { event.preventDefault(); onpointerup = () => u.append(h.parentNode) }
        e.onpointerdown = event => { event.preventDefault(); onpointerup = () => { e.remove(); d.innerHTML = '<b style="display: block; height: 60px">12:00 Meet' } }
        </script>""")
    item = '<li> "One ::" is now 2 of 2 in <ul#u> "Two One ::", after <li> "Two" (was 1)'
    assert await run("drag '#h' 0,20") == f"Dragged #h by 0,20\n→ {item}"
    gone = '→ <p#e> "10:00 Meet" is no longer on the page\n→ where it was dropped is <b> "12:00 Meet"'
    assert await run("drag '#e' 0,30 --at 10,9") == f"Dragged #e by 0,30\n{gone}"


async def test_drag_of_what_goes_as_it_begins_takes_nothing_else(run: Run, show: Show, fails: Fails) -> None:
    await show("<ul><li draggable=true>Tea<li draggable=true>Milk</ul><script>heard = [];"
        "addEventListener('dragstart', event => heard.push(event.target.textContent));"
        "document.querySelector('li').onmousedown = () => setTimeout(() => document.querySelector('li').remove())</script>")  # fmt: skip
    failure = await fails("drag text=Tea 0,200", NotInteractable)
    assert (failure.message, await run("js heard.join()")) == ('<li> "Tea" went away as its drag began', "")


async def test_drag_takes_no_resize_handle_that_appears_beside_the_element(
    run: Run, show: Show, fails: Fails
) -> None:
    """Drag words over whose middle a handle appears with the pointer, as in react-big-calendar."""
    await show("""<style>.resizer { display: none; position: absolute; left: 40px; top: 16px; width: 20px; height: 8px }
        #b:hover .resizer { display: block }</style><div id=b role=button style='position: relative; width: 100px; height: 40px'>
        <div id=w style='height: 40px'>Meet</div><div id=h class=resizer></div></div><script>heard = []; onmousedown = event => heard.push(event.target.id)</script>""")  # fmt: skip
    failure = await fails("drag '#w' 0,50", NotInteractable)
    assert failure.message == '<div#w> "Meet" moved away under the pointer, or a resize handle came over it'
    assert (failure.hint[-33:], await run("js heard.join()")) == ("another point of it: --at 20%,20%", "")
    await run("drag '#w' 0,50 --at 20%,20%")
    await run("drag '#b' 0,50 --at 50%,50%")
    assert await run("js heard.join()") == "w,h"


async def test_drag_and_drop_tell_what_the_page_sends(run: Run, show: Show, web: Web) -> None:
    """A page may move the element only once the server has answered."""
    await show("""<i id=a draggable=true>A</i><p id=b>B</p><script>b.ondragover = event => event.preventDefault()
        b.ondrop = event => { event.preventDefault(); fetch('/api/201', {method: 'POST'}) }</script>""")
    sent = f"→ sent: POST {web.url}/api/201 → 201"
    assert sent in await run("drag '#a' '#b'")
    assert sent in await run("drop '#b' --text Ann")


async def test_drag_that_is_refused_touches_nothing(fails: Fails, run: Run, show: Show) -> None:
    cover = "<div id=over style='position: absolute; top: 0; width: 150px; height: 200px'>Cover</div>"
    await show(PLAIN + cover)
    assert "is covered by <div#over>" in (await fails("drag '#a' '#b'", Covered)).message
    assert "No element matches #nope" in (await fails("drag '#b' '#nope'", NoMatch)).message
    assert "500,1 is not in" in (await fails("drag '#b' 1,1 --at 500,1", NotInteractable)).message
    await fails("drag '#b' 1,1 --to-at 1,1", UsageError)
    assert await events_heard(run, "pointerdown") == []


async def test_a_place_that_is_shown_only_during_the_drag(run: Run, fails: Fails, show: Show) -> None:
    await show(
        f"""{PLAIN}{MOVED}<div id=later hidden style="position: absolute; left: 500px; top: 20px">later</div><script>
        a.addEventListener('pointermove', event => {{ if (event.buttons) later.hidden = window.never }})</script>"""
    )
    assert "Dragged #a to #later" in await run("drag '#a' '#later' --steps 2")
    await run("js 'never = true; later.hidden = true; log.length = 0'")
    before = await run("box '#a'")
    await fails("drag '#a' '#later' --timeout 300", NotInteractable)
    assert (await events_heard(run, "pointerup", "pointerdown"))[-1]["type"] == "pointerup"
    assert await run("box '#a'") == before, "what was dragged is put back"


async def test_drop_target_out_of_view_is_scrolled_to_during_the_drag(run: Run, show: Show) -> None:
    rows = "".join(f"<li draggable=true id=r{number}>Row {number}</li>" for number in range(60))
    await show(
        f"""<div style="height: 1500px"></div><ol id=rows style="height: 100px; overflow: auto">{rows}</ol><script>
        rows.ondragstart = event => {{ row = event.target }}; rows.ondragover = event => event.preventDefault()
        rows.ondrop = event => event.target.before(row)</script>"""
    )
    assert "→ now 40 of 60" in await run("drag '#r2' '#r40' --steps 2")


async def test_a_dialog_or_a_window_in_the_middle_of_a_drag(run: Run, fails: Fails, show: Show) -> None:
    await show(
        f"""{PLAIN}{MOVED}<script>once = act => a.addEventListener('pointermove', function on(event) {{
        if (event.buttons && event.clientX > 100) {{ a.removeEventListener('pointermove', on); act() }} }})</script>"""
    )
    await run("js 'once(() => alert(1)); 0'")
    reply = await run("drag '#a' '#b'")
    assert "→ moved by 303,0" in reply
    assert '→ alert "1": accepted' in reply
    await run("js 'b.remove(); once(() => open(\"about:blank\")); 0'")
    assert "→ opened tab" in await run("drag '#a' -200,0 --steps 2")
    await run("dialog-hold")
    await run("js 'log.length = 0; once(() => confirm(2)); 0'")
    assert 'confirm "2" is open' in (await fails("drag '#a' 200,0", DialogOpen)).message
    await run("dialog-accept")
    assert (await events_heard(run, "pointerup", "pointerdown"))[-1]["type"] == "pointerup"


async def test_drag_that_is_cut_off_leaves_no_button_pressed(run: Run, show: Show, shell: Shell) -> None:
    await show(STYLE + CARDS.replace("id=a", "id=card") + "<div id=a>thing</div><div id=b>place</div>")
    for source in ("#a", "#card"):
        await run("js log.length=0")
        drag = asyncio.ensure_future(shell.send("drag", source, "#b", "--steps", "1000"))
        await until(lambda: shell.browser.tab(None).held.button)
        drag.cancel()  # as when the client goes away, or at the deadline
        await asyncio.gather(drag, return_exceptions=True)
        assert shell.browser.tab(None).held.lines() == []
        await run("click '#b'")
        ups = await events_heard(run, "pointerup", "dragend")
        assert ups[-1] == {**ups[-1], "type": "pointerup", "at": "b"}
        assert len(ups) == 2, "the button came up, or Chromium's drag ended, before the click"


CLICKED = """<style>button, i { position: absolute; top: 0; width: 90px; height: 40px } i { left: 300px; background: #ccc }</style>
<button id=a>Delete</button><i id=b></i><script>clicks = 0; a.onclick = () => { clicks++ }; ups = 0; onmouseup = () => { ups++ }</script>"""


async def test_drag_cut_off_is_no_click(run: Run, show: Show, fails: Fails, shell: Shell, web: Web) -> None:
    """Keep the click from the page, in a frame of another site, too; also where its goal hides."""
    await show(f"<iframe id=f src='{web.show_elsewhere(CLICKED)}'></iframe>")
    await run("frame '#f'")
    drag = asyncio.ensure_future(shell.send("drag '#a' '#b' --hold 5000"))
    await until(lambda: shell.browser.tab(None).held.button)
    drag.cancel()
    await asyncio.wait([drag])
    await run("press F2")  # an action waits for the end
    assert await run("js '[clicks, ups].join()'") == "0,1"
    await run("click '#a'")
    assert await run("js '[clicks, ups].join()'") == "1,2", "and only that one is kept from the page"
    await run("js", "a.onmousedown = () => { b.hidden = true; b.style.display = 'none' }; 0")
    await fails("drag '#a' '#b' --timeout 300", NotInteractable)
    await run("press F2")
    assert await run("js '[clicks, ups].join()'") == "1,3"


async def test_a_page_that_leaves_in_the_middle(run: Run, show: Show, shell: Shell) -> None:
    leaves = "<script>a.onpointermove = event => { if (event.buttons) location = '/plain.html' }</script>"
    await show(PLAIN + leaves)
    reply = await shell.send("drag '#a' '#b'")
    assert (reply.code, reply.message) == (1, "The page went elsewhere in the middle of it")
    await run("wait h1")
    assert (await run("text h1"), shell.browser.tab(None).held.button) == ("A plain page", "")


async def test_with_a_finger(run: Run, show: Show) -> None:
    await show(
        f"""{STYLE}{LOG}<div id=a style="touch-action: none">thing</div><script>a.addEventListener('touchmove', event => {{
        a.style.left = event.touches[0].clientX - 50 + 'px' }})</script>"""
    )
    assert await run("drag '#a' 150,0 --touch --steps 6") == "Dragged #a by 150,0\n→ moved by 150,0"
    assert len(await events_heard(run, "touchmove")) > 5
    assert (await events_heard(run, "touchend"))[-1]["at"] == "a"
    assert "moved" not in await run("drag '#a' 90,0 --steps 2")


@pytest.mark.both_browsers
async def test_selected_text_is_not_dragged_instead(run: Run, show: Show) -> None:
    """Avoid the drag that Chromium begins of a selection, of which the page hears no release."""
    await show("""<p id=t style="font: 20px sans-serif">Some words that are selected</p><script>
        var heard = []; for (const type of ['mousedown', 'mouseup', 'dragstart']) addEventListener(type, () => heard.push(type))</script>""")
    await run("select-text #t")
    await run("drag #t 60,40")
    assert await run("js", "heard.join(' ')") == "mousedown mouseup"
