"""Test `fill` on the parts of a date that pages build themselves.

Spin buttons that hear of keys, and draw what they keep.
"""

import pytest

from gstack_browse.errors import ActionFailed, NotInteractable
from tests.commands.conftest import Fails, Run, Show

pytestmark = pytest.mark.same_session

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


async def test_a_part_keeps_what_is_typed_into_it(run: Run, show: Show) -> None:
    await show(PARTS)
    for part, value in {"#month": "02", "#day": "14", "#year": "2026", "#half": "PM"}.items():
        assert await run("fill", part, value) == f"Filled {part}"
    assert await run("js 'kept'") == '{"month":2,"day":14,"year":2026,"half":"PM"}'
    await run("fill #day 3")
    await run("fill #half am")
    await run("fill #year 1999")
    assert await run("js 'kept'") == '{"month":2,"day":3,"year":1999,"half":"AM"}'
    await run("fill-form", '{"#month": "12", "#year": ""}')
    assert await run("js 'kept'") == '{"month":12,"day":3,"year":null,"half":"AM"}'


async def test_a_part_that_keeps_something_else_says_what(run: Run, fails: Fails, show: Show) -> None:
    await show(PARTS)
    assert (await fails("fill #month 13", NotInteractable)).message == '<div#month> "month" goes from 1 to 12'
    reply = await fails("fill #month 7", ActionFailed)
    assert reply.message == '<div#month> "month" did not take "7": it is empty'
    assert await run("fill #year 27") == "Filled #year"  # by arrows
    await fails("fill #half noon", ActionFailed)
    reply = await fails("fill #month 2026-02-14", NotInteractable)
    assert reply.message == '<div#month> "month" takes one number, not all of a date or time'
    assert await run("js 'kept'") == '{"month":null,"day":null,"year":27,"half":"AM"}'


async def test_a_slider_is_not_emptied_nor_one_of_two_values_moved(run: Run, fails: Fails, show: Show) -> None:
    await show(
        "<div id=volume role=slider tabindex=0 aria-label=Volume aria-valuenow=3>3</div>"
        "<div id=range role=slider tabindex=0 aria-label=Range aria-valuenow='20|80'>3</div>"
    )
    reply = await fails("fill #volume ''", NotInteractable)
    assert reply.message == '<div#volume> "Volume" always has a value'
    reply = await fails("fill #range 40", NotInteractable)
    assert reply.message == '<div#range> "Range" holds "20|80", which is not one number'
