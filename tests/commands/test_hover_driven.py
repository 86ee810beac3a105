"""Test widgets that take the hovered element for the clicked one.

They draw what a move of the pointer means behind it.
"""

import pytest

from tests.commands.conftest import Run, Show
from tests.each import each

pytestmark = pytest.mark.same_session

RATING = """<div id=stars {group}>{stars}</div><output>none</output><script>
let hovered = 0;
const stars = document.querySelector('#stars'), numberOf = (event) => Number(event.target.closest('[n]')?.getAttribute('n') ?? 0);
stars.addEventListener('pointermove', (event) => {{ const n = numberOf(event); if (n) requestAnimationFrame(() => setTimeout(() => {{ hovered = n }})) }});
stars.addEventListener('pointerleave', () => {{ hovered = 0 }});
stars.addEventListener('click', (event) => {{ const n = numberOf(event); if (n) document.querySelector('output').value = hovered || n }});
</script>"""
STAR = {
    "[role=radio][n='{}']": "<span n={n} role=radio aria-checked=false aria-label='{n} stars' tabindex=-1>★</span>",
    "text=★{}": "<span n={n} style=cursor:pointer>★{n}</span>",
    "#s{}": "<label n={n} for=s{n}>★<span hidden>{n}</span></label>"
    "<input n={n} id=s{n} type=radio name=stars aria-label='{n} stars' style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)'>",
    "li [n='{}']": "<li><div n={n} role=radio aria-checked=false aria-label='{n} stars' style='display:inline-block'><i>★</i></div></li>",
}
"""How a star is named, and its markup."""


@each([*STAR.items(), ("text=★{}", "<html>" + STAR["text=★{}"])])
async def test_the_star_that_is_clicked_is_taken_and_not_the_one_hovered_before(
    case: tuple[str, str], run: Run, show: Show
) -> None:
    """Click in quirks mode, too."""
    star, markup = case
    group = "role=radiogroup" if star == "[role=radio][n='{}']" else ""
    stars = "".join(markup.removeprefix("<html>").format(n=n) for n in range(1, 6))
    is_quirky = markup.startswith("<html>")
    await show(("<html>" if is_quirky else "") + RATING.format(group=group, stars=stars))
    assert await run("js 'document.compatMode'") == ("BackCompat" if is_quirky else "CSS1Compat")
    await run("snapshot -i")
    await run("hover", star.format(2))
    for clicks, taken in (((4,), "4"), ((1, 5), "5")):
        for number in clicks:
            await run("click", star.format(number))
        assert await run("text output") == taken
