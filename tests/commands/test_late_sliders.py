"""Fill sliders whose page moves them some time after a key."""

import pytest

from tests.commands.conftest import Run, Show

pytestmark = pytest.mark.same_session

SLIDER = """
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
    "moved 60 ms after each key": "setTimeout(() => { move(key); show() }, 60)",
    "moved by one key each 30 ms": "free = Math.max(now, free) + 30; setTimeout(() => { move(key); show() }, free - now)",
    "shown late, other keys within 50 ms ignored": "if (now < free) return; free = now + 50; move(key); setTimeout(show, 25)",
    "shown at once, other keys within 50 ms ignored": "if (now < free) return; free = now + 50; move(key); show()",
    "shown when keys have ended": "move(key); clearTimeout(free); free = setTimeout(show, 40)",
}


@pytest.mark.parametrize("hear", HEAR.values(), ids=HEAR)
async def test_slider_that_follows_late_stands_at_the_number_afterwards(
    run: Run, show: Show, hear: str
) -> None:
    """Take no value on the way for the one that the keys lead to."""
    await show(SLIDER.replace("HEAR", hear))
    for wanted, number in (("60", "60"), ("93", "93"), ("Level 4", "4")):
        said = await run("fill", "#s", wanted)
        assert await run("js", "new Promise(done => setTimeout(() => done(value), 200))") == number, said
