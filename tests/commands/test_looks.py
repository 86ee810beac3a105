"""Test pages that show changes late, as on a busy machine.

Our own limits are over before the first answer.
"""

from typing import NamedTuple

import pytest

from gstack_browse.browser.input import (
    changes,
    checking,
    choosing,
    covers,
    editors,
    plain_lists,
    presses,
    readiness,
    steps,
    waiting,
    widget_list,
    widgets,
)  # fmt: skip
from gstack_browse.browser.output import expecting
from tests.commands.conftest import Run, Show

pytestmark = pytest.mark.same_session

LIMITS = [
    (changes, "CHANGE_SECONDS"), (changes, "REST_SECONDS"), (checking, "TAKING_SECONDS"), (choosing, "OPTION_SECONDS"), (covers, "STILL_SECONDS"),
    (editors, "DRAW_SECONDS"), (plain_lists, "OPENING_SECONDS"), (plain_lists, "TAKING_SECONDS"), (presses, "COVERED_SECONDS"),
    (readiness, "SEVERAL_SECONDS"), (steps, "STEP_SECONDS"), (waiting, "QUIET_SECONDS"), (widget_list, "OPTION_SECONDS"),
    (widgets, "TAKING_SECONDS"), (expecting, "AMBIGUOUS_SECONDS"),
]  # fmt: skip
LATER = "<script>const later = (act) => setTimeout(act, 40), soon = (act) => setTimeout(act, 120)</script>"
"""`later` than what was asked for, `soon` after the page was opened."""


class Row(NamedTuple):
    """A page, a command, and what that must say."""

    markup: str
    line: str
    said: str


ROWS = {
    "a check mark": Row(
        "<div id=c role=checkbox aria-checked=false tabindex=0 onclick=\"later(() => { c.ariaChecked = 'true' })\">Yes</div>",
        "check '#c'",
        "Checked #c",
    ),
    "an option of a list": Row(
        "<select id=s><option>None<option>Some</select><script>soon(() => s.add(new Option('Red')))</script>",
        "select '#s' Red",
        'Selected "Red" in #s',
    ),
    "a cover": Row(
        "<button style='position:absolute;top:0'>Go</button><div id=d style='position:fixed;inset:0'>Over</div><script>setTimeout(() => d.remove(), 300)</script>",
        "click button",
        "Clicked button",
    ),
    "rivals": Row(
        "<button>Go</button><button id=b>Go</button><script>soon(() => b.remove())</script>",
        "click button",
        "Clicked button",
    ),
    "rivals of what is expected": Row(
        "<p class=p>Done<p class=p id=q>Done<script>soon(() => q.remove())</script>",
        "expect visible .p",
        "Expected: ",
    ),
    "a widget's value": Row(
        """<div id=c role=combobox tabindex=0 aria-label=Colour aria-controls=l aria-expanded=false>None</div>
        <div id=l role=listbox hidden><div role=option>Red</div></div><script>
        c.onclick = () => { l.hidden = false; c.ariaExpanded = 'true' };
        l.onclick = (event) => later(() => { c.textContent = event.target.textContent; l.hidden = true; c.ariaExpanded = 'false' })</script>""",
        "select '#c' Red",
        'Selected "Red" in #c',
    ),
    "a slider": Row(
        """<div id=s role=slider tabindex=0 aria-label=Size aria-valuemin=0 aria-valuemax=9 aria-valuenow=3 style="width:90px">o</div><script>
        const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
        s.onkeydown = (event) => later(() => { s.ariaValueNow = +s.ariaValueNow + (step[event.key] ?? 0) })</script>""",
        "fill '#s' 5",
        "Filled #s",
    ),
    "what came of a drop": Row(
        """<p id=z ondragover="event.preventDefault()" ondrop="event.preventDefault(); soon(() => { n.textContent = 'got it' })">zone</p><p id=n>none</p>""",
        "drop '#z' --text hi",
        "Dropped 2 characters on #z",
    ),
    "stillness": Row(
        "<p id=p>0</p><script>const t = setInterval(() => { p.textContent++; if (p.textContent == 9) clearInterval(t) }, 20)</script>",
        "wait --stable '#p'",
        "Element #p is stable",
    ),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
async def test_change_shown_late_by_the_page_is_told(
    run: Run, show: Show, monkeypatch: pytest.MonkeyPatch, row: Row
) -> None:
    for module, limit in LIMITS:
        monkeypatch.setattr(module, limit, 0.0)
    await show(LATER + row.markup)
    said = await run(row.line)
    assert said.startswith(row.said)
    assert "nothing changed" not in said
    if row is ROWS["stillness"]:
        assert await run("js p.textContent") == "9"
