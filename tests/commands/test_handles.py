"""Test `fill` on sliders, with and without ARIA, and on parts of dates that pages build themselves."""

import pytest

from gstack_browse.browser.actions.text import sliders
from gstack_browse.errors import ActionFailed, NotInteractable, TimedOut
from tests.commands.conftest import Check, Fails, Run, Shell, Show
from tests.commands.replies import ref_of
from tests.each import each

pytestmark = pytest.mark.same_session

SLIDER = """<style>.ui-slider{position:relative;width:300px;height:12px;margin:20px;background:#ddd}
.ui-slider-handle{position:absolute;width:16px;height:16px;background:navy}</style>
<script>
function slider(track, {min = 0, max = 100, step = 1, at = [min], say = () => {}, dead = false, pause = 0, side = 'left'}) {
  at.forEach((value, index) => {
    const handle = track.appendChild(document.createElement('span'));
    handle.className = 'ui-slider-handle ui-corner-all';
    handle.tabIndex = 0;
    const show = shown => { handle.style[side] = `${(at[index] - min) / (max - min) * 100}%`; say(at, shown) };
    const moves = { ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step, PageUp: (max - min) / 5, PageDown: (min - max) / 5,
      Home: -Infinity, End: Infinity };
    let last = -Infinity;
    handle.onkeydown = event => {
      if (!(event.key in moves) || dead || event.timeStamp < last + pause) return;
      last = event.timeStamp;
      event.preventDefault();
      at[index] = Math.min(max, Math.max(min, at[index] + moves[event.key]));
      show(true);
    };
    show(false);
  });
}
</script>
"""


async def test_handle_is_moved_to_the_number_beside_it_or_a_percentage(
    run: Run, fails: Fails, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refuse other values where no number is shown, and one beyond the end of what shows its number."""
    await show(f"""{SLIDER}<p>Room 12 of 40</p><div id=track class=ui-slider></div><p>Chosen: <b id=val></b></p>
        <p><input id=amount readonly></p><div id=range class=ui-slider></div><div id=tall class=ui-slider></div><output id=height></output>
        <div id=late class=ui-slider></div><i id=age></i>
        <div id=shy class=ui-slider></div><i id=years></i><script>slider(track, {{min: -20, max: 340, say: at => {{ val.textContent = at[0] }}}});
        slider(range, {{min: 0, max: 500, step: 5, at: [75, 300], say: at => {{ amount.value = `$${{at[0]}} - $${{at[1]}}` }}}});
        slider(late, {{max: 60, say: (at, shown) => {{ if (shown) age.textContent = at[0] }}}});
        slider(shy, {{max: 60, pause: 50, say: at => {{ years.textContent = at[0] }}}});
        slider(tall, {{max: 5000, step: 100, side: 'bottom', say: at => {{ height.textContent = at[0].toLocaleString('en') }}}})</script>""")
    ref = await ref_of(run, "ui-slider-handle")
    for target, value, script, now in (
        ("#track span", "187", "val.textContent", "187"), ("#track", "340", "val.textContent", "340"),
        (ref, "7", "val.textContent", "7"), ("#range span >> nth=1", "420", "amount.value", "$75 - $420"), ("#range span >> nth=0", "100", "amount.value", "$100 - $420"),
        ("#late span", "42", "age.textContent", "42"), ("#shy span", "3", "years.textContent", "3"), ("#tall span", "3700", "height.textContent", "3,700"),
    ):  # fmt: skip
        assert await run("fill", target, value) == f"Filled {target}"
        assert await run("js", script) == now
    reply = await run("fill '#range span >> nth=0' 103")
    assert reply.splitlines()[-1] == '→ the page made it "105"'
    assert (await fails("fill '#track span' 345", ActionFailed)).message.endswith("ends at 340")
    assert await run("js val.textContent") == "340"
    await show(f"""{SLIDER}<div id=track class=ui-slider></div><div id=stuck class=ui-slider></div>
        <script>slider(track, {{max: 20}}); slider(stuck, {{at: [50], dead: true}})</script>""")
    assert await run("fill '#track span' 35%") == "Filled #track span"
    reply = await fails("fill '#track span' 7", NotInteractable)
    assert reply.message.endswith("shows no number that follows it")
    assert "35%" in reply.hint
    await fails("fill '#track span' green", NotInteractable)
    assert await run('js "track.firstChild.style.left"') == "35%"
    monkeypatch.setattr(sliders, "UNLABELLED_STEP_SECONDS", 0.1)
    stuck = (await fails("fill '#stuck span' 70%", ActionFailed)).message
    assert stuck.endswith("does not move by keys: it is at 50%")


async def test_a_slow_slider_has_time_as_long_as_it_follows(
    run: Run, fails: Fails, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sliders, "WAIT_SECONDS", 0.15)
    await show("""<div id=slow style="width:99px;height:20px" role=slider tabindex=0 aria-label=Slow aria-valuemin=0 aria-valuemax=1000 aria-valuenow=0></div><script>
        let busy = 200;
        slow.onkeydown = event => {
          for (const until = performance.now() + busy; performance.now() < until;);
          busy = 10;
          slow.ariaValueNow = +slow.ariaValueNow + ({ ArrowUp: 1, ArrowDown: -1 }[event.key] ?? 0);
        }</script>""")
    assert await run("fill '#slow' 40") == "Filled #slow"
    assert await run("js slow.ariaValueNow") == "40"
    monkeypatch.setattr(sliders, "WAIT_SECONDS", 0.0)
    reply = await fails("fill '#slow' 5", TimedOut)
    assert "follows the keys slowly: it is at " in reply.message


async def test_line_may_take_the_keys_for_the_handle_beside_it(
    show: Show, monkeypatch: pytest.MonkeyPatch, check: Check
) -> None:
    """Give a busy machine the time to draw it."""
    monkeypatch.setattr(sliders, "UNLABELLED_STEP_SECONDS", 1.0)
    await show("""
        <style>.irs{position:relative;display:block;width:300px;height:40px}.irs-line{position:absolute;top:20px;width:300px;height:12px;background:#ddd}
        .irs-handle{position:absolute;top:18px;width:16px;height:16px;background:navy}.irs-single{position:absolute}</style>
        <label for=bins>Bins</label><span class=irs><span><span class=irs-line tabindex=0></span><span class=irs-single></span></span>
        <span class="irs-handle single"><i></i></span></span><input id=bins readonly><script>
        let at = 6;
        const [line, single, handle] = ['line', 'single', 'handle'].map(name => document.querySelector('.irs-' + name));
        const show = () => {
          single.textContent = bins.value = at;
          handle.style.left = `${(at - 1) / 9 * 94}%`;
        };
        line.onkeydown = event => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0;
          at = Math.min(10, Math.max(1, at + step));
          setTimeout(show, 50);  // as ion.RangeSlider draws, which takes longer
        };
        show();
        </script>""")
    await check({
        "fill .irs-line 3": "Filled .irs-line",
        "value #bins": "3",
        "fill .irs-line 12": 'Filled .irs-line\n→ the page made it "10"',
        "fill .irs-line 9": "Filled .irs-line",
    })  # fmt: skip


async def test_sliders_that_cannot_be_filled_say_why(run: Run, fails: Fails, show: Show) -> None:
    """Name handles that take no keys, to be dragged. No slider is emptied, nor one of two values moved."""
    handle = "<span class='irs-handle {}' style='position:absolute;width:9px;height:9px;left:{}%'></span>"
    await show(f"""
        <label>Range <span class=irs style='display:block;position:relative;width:300px;height:20px'>{handle.format("from", 20)}{handle.format("to", 80)}</span>
        <input id=range readonly value='20;80'></label><p><input id=other readonly value=1></p>
        <div id=volume role=slider tabindex=0 aria-label=Volume aria-valuenow=3>3</div>
        <div id=two role=slider tabindex=0 aria-label=Two aria-valuenow='20|80'>3</div>""")
    both = await fails("fill --timeout 200 '#range' 30", NotInteractable)
    assert both.message.endswith("is read-only")
    assert both.hint == "Drag one of the slider's handles to the right or left: drag @e1 20,0 (or @e2)"
    one = await fails("fill --timeout 200 .irs-handle.to 60", NotInteractable)
    assert one.hint == "Drag one of the slider's handles to the right or left: drag @e2 20,0"
    assert "rag" not in (await fails("fill --timeout 200 '#other' 2", NotInteractable)).hint
    reply = await fails("fill #volume ''", NotInteractable)
    assert reply.message == '<div#volume> "Volume" always has a value'
    reply = await fails("fill #two 40", NotInteractable)
    assert reply.message == '<div#two> "Two" holds "20|80", which is not one number'


ARIA = """<style>[role=slider] { width: 99px; height: 20px; background: #ddd } #track { position: relative; width: 300px; height: 4px; margin: 30px }
#track div { position: absolute; width: 20px; top: -8px; background: navy }</style><script>
const stepOf = event => ({ ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 })[event.key] ?? 0;
const bound = (value, most) => Math.min(most, Math.max(0, value));
const fine = (slider, valueAt) => {
  let at = 0.6;
  const set = value => { slider.ariaValueNow = at = bound(Math.round(value * 1000) / 1000, 0.999) };
  slider.onkeydown = event => { if (stepOf(event)) { event.preventDefault(); presses++; set(at + stepOf(event) / 1000) } };
  slider.onmousedown = event => set(valueAt(event, slider.getBoundingClientRect()));
  set(at);
};
const rounded = (slider, digits, words) => {
  let at = 0.5;
  const draw = () => { slider.ariaValueNow = at.toFixed(digits); slider.ariaValueText = words.replace('#', at.toFixed(2)) };
  slider.onkeydown = event => { at = event.key === 'Home' ? 0 : event.key === 'End' ? 1 : bound(at + 0.05 * stepOf(event), 1); draw() };
  draw();
};
heard = [], presses = 0;
</script>
<div id=late role=slider tabindex=0 aria-label=Late aria-valuenow=5 aria-valuemin=0 aria-valuemax=9></div>
<div id=day role=slider tabindex=0 aria-label=Day aria-valuemin=0 aria-valuemax=30></div>
<div id=tall role=slider tabindex=0 aria-label=Tall aria-valuemin=0 aria-valuemax=0.999 style="width: 20px; height: 200px"></div>
<div id=wide role=slider tabindex=0 aria-label=Wide aria-valuemin=0 aria-valuemax=0.999 style="width: 200px"></div>
<div id=whole role=slider tabindex=0 aria-label=Whole aria-valuemin=0.0 aria-valuemax=1.0></div>
<div id=about role=slider tabindex=0 aria-label=About aria-valuemin=0.0 aria-valuemax=1.0></div>
<div id=track><div id=from role=slider tabindex=0 aria-label=from aria-valuemin=0 aria-valuemax=100></div>
<div id=till role=slider tabindex=0 aria-label=till aria-valuemin=0 aria-valuemax=100></div></div><script>
late.onkeydown = event => { heard.push(event.key); setTimeout(() => { late.ariaValueNow = +late.ariaValueNow + stepOf(event) }, 100) };
let onDay = 7;
const drawDay = () => { day.ariaValueNow = onDay.toFixed(1); day.ariaValueText = `day ${onDay + 1}` };
day.onkeydown = event => { onDay += stepOf(event); drawDay() };
drawDay();
fine(tall, (event, box) => (box.bottom - event.clientY) / box.height * 0.999);
fine(wide, () => 0.21);
rounded(whole, 0, '# km');
rounded(about, 1, 'about #');
// The keys move the handle that was pressed last, whichever has the focus, as Syncfusion's range slider does.
const handles = [from, till], values = [20, 60];
let last = 0;
const drawHandles = () => handles.forEach((handle, at) => { handle.style.left = `${values[at]}%`; handle.ariaValueNow = values[at] });
handles.forEach((handle, at) => {
  handle.onmousedown = () => { last = at };
  handle.onkeydown = event => { values[last] += stepOf(event); drawHandles() };
});
drawHandles();
</script>"""


async def test_slider_reaches_its_value_however_it_follows_and_says_it(run: Run, show: Show) -> None:
    """Begin a long way in small steps by a press on the track, and go on by keys from wherever that has led."""
    await show(ARIA)
    for name, value, shown in (
        ("late", "6", "6"), ("day", "12", "day 13"), ("tall", "0.2", "0.2"), ("wide", "0.2", "0.2"),
        ("whole", "0.55", "0.55 km"), ("whole", "0", "0.00 km"), ("about", "0.55", "about 0.55"), ("about", "0.35", "about 0.35"),
        ("till", "70", "70"), ("from", "10", "10"), ("till", "70", "70"),
    ):  # fmt: skip
        assert await run(f"fill #{name} {value}") == f"Filled #{name}"
        assert await run("js", f"{name}.ariaValueText ?? {name}.ariaValueNow") == shown, name
        assert int(await run("js presses")) < {"tall": 30, "wide": 60}.get(name, 60), "a press has begun it"
    for name, shown in (("whole", "0.45 km"), ("about", "about 0.45")):
        assert await run(f"fill #{name} 0.43") == f'Filled #{name}\n→ the page made it "{shown}"'
    assert await run("js heard") == '["ArrowUp"]'


async def test_field_in_a_spin_button_stands_for_it(run: Run, show: Show) -> None:
    """Fill one that takes the focus itself, and one that does not."""
    frame = """<div id=frame{0} role=spinbutton aria-label=Price{0} aria-valuemin=-99999999 aria-valuemax=99999999 aria-valuenow=5 {1}>
        <input id=field{0} value=5.00><button>+</button></div>"""
    arrows = "<script>arrows = 0; onkeydown = event => { if (event.key.startsWith('Arrow')) arrows++ }</script>"
    await show(frame.format(0, "") + frame.format(1, "tabindex=0") + arrows)
    for number in range(2):
        assert await run(f"fill #frame{number} 42") == f"Filled #frame{number}"
        assert await run(f"js '[field{number}.value, arrows].join()'") == "42,0"


async def test_click_on_slider_notes_that_fill_is_meant(run: Run, show: Show, shell: Shell) -> None:
    await show("""
        <input type=range id=native><svg width=300 height=60><g role=slider tabindex=0 aria-valuenow=3 id=drawn>
        <rect width=300 height=20 /><text y=50>Temperature</text></g></svg><button>Go</button>""")
    for target, notes in {"#native": 1, "#drawn": 1, "button": 0}.items():
        reply = await shell.send("click", target)
        assert (target, reply.text, len(reply.notes)) == (target, f"Clicked {target}", notes)
    assert (await shell.send("click #native --at 5,5")).notes == []


PARTS = """<div id=parts role=group></div><script>
// Each part draws what it keeps behind the event; a complete one gives the focus to the next.
const kept = { month: null, day: null, year: null, half: 'AM' };
const limits = { month: [1, 12], day: [1, 31], year: [1, 9999] };
let typed = '';
for (const name of Object.keys(kept)) {
  const part = Object.assign(document.createElement('div'), { id: name, role: 'spinbutton', tabIndex: 0, ariaLabel: name });
  if (name !== 'day') part.contentEditable = 'true';
  const draw = () => {
    part.textContent = kept[name] ?? '––';
    part.ariaValueText = kept[name] ?? 'Empty';
    if (name === 'half') part.setAttribute('aria-valuenow', kept.half === 'PM' ? 12 : 0);
    else if (kept[name] === null && name !== 'year') part.removeAttribute('aria-valuenow');
    else if (kept[name] === null) part.setAttribute('aria-valuenow', 2026);  // what ArrowUp would lead to
    else part.setAttribute('aria-valuenow', kept[name]);
  };
  if (limits[name]) [part.ariaValueMin, part.ariaValueMax] = limits[name];
  part.onfocus = () => { typed = '' };
  part.onkeydown = event => {
    const [least, most] = limits[name] ?? [];
    if (event.key === 'Backspace') kept[name] = name === 'half' ? 'AM' : Math.floor(kept[name] / 10) || null;
    else if (name === 'half' && /[ap]/i.test(event.key)) kept.half = event.key.toUpperCase() + 'M';
    else if (/^[0-9]$/.test(event.key) && name !== 'half') {
      typed = String(Number(typed + event.key) > most ? event.key : typed + event.key);
      if (event.key !== '7') kept[name] = Number(typed);  // the page refuses a seven
      if (Number(typed + '0') > most) part.nextElementSibling?.focus();
    } else if (/^Arrow(Up|Down)$/.test(event.key) && name !== 'half')
      kept[name] = Math.min(Math.max((kept[name] ?? 0) + (event.key === 'ArrowUp' ? 1 : -1), least), most);
    else return;
    queueMicrotask(draw);
  };
  part.oninput = () => setTimeout(draw);
  draw();
  parts.append(part);
}
</script>"""


async def test_a_part_keeps_what_is_typed_into_it_or_says_what_else(run: Run, fails: Fails, show: Show) -> None:
    await show(PARTS)
    assert (await fails("fill #month 13", NotInteractable)).message == '<div#month> "month" goes from 1 to 12'
    reply = await fails("fill #month 7", ActionFailed)
    assert reply.message == '<div#month> "month" did not take "7": it is empty'
    reply = await fails("fill #month 2026-02-14", NotInteractable)
    assert reply.message == '<div#month> "month" takes one number, not all of a date or time'
    assert await run("fill #year 27") == "Filled #year"  # by arrows
    await fails("fill #half noon", ActionFailed)
    assert await run("js 'kept'") == '{"month":null,"day":null,"year":27,"half":"AM"}'
    for part, value in {"#month": "02", "#day": "14", "#year": "2026", "#half": "PM"}.items():
        assert await run("fill", part, value) == f"Filled {part}"
    assert await run("js 'kept'") == '{"month":2,"day":14,"year":2026,"half":"PM"}'
    for line in ("fill #day 3", "fill #half am", "fill #year 1999"):
        await run(line)
    assert await run("js 'kept'") == '{"month":2,"day":3,"year":1999,"half":"AM"}'
    await run("fill-form", '{"#month": "12", "#year": ""}')
    assert await run("js 'kept'") == '{"month":12,"day":3,"year":null,"half":"AM"}'


LATE_SLIDER = """
<div id=s role=slider tabindex=0 aria-label=Volume aria-valuemin=0 aria-valuemax=100 aria-valuenow=10 style="height: 20px"></div>
<script>
let value = 10, free = 0;
const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -100, End: 100 };
s.onkeydown = ({ key }) => { const now = performance.now(); HEAR };
function move(key) { value = Math.max(0, Math.min(100, value + (steps[key] ?? 0))) }
function show() { s.setAttribute('aria-valuenow', value); s.setAttribute('aria-valuetext', `Level ${value}`) }
</script>"""

HEAR = {
    "shown 25 ms after each key": "move(key); setTimeout(show, 25)",
    "moved by one key each 30 ms": "free = Math.max(now, free) + 30; setTimeout(() => { move(key); show() }, free - now)",
    "shown late, other keys within 50 ms ignored": "if (now < free) return; free = now + 50; move(key); setTimeout(show, 25)",
}


@each(HEAR)
async def test_slider_that_follows_late_stands_at_the_number_afterwards(
    when: str, run: Run, show: Show
) -> None:
    """Take no value on the way for the one that the keys lead to."""
    await show(LATE_SLIDER.replace("HEAR", HEAR[when]))
    for wanted, number in (("60", "60"), ("Level 4", "4")):
        said = await run("fill", "#s", wanted)
        assert await run("js", "new Promise(done => setTimeout(() => done(value), 200))") == number, said
