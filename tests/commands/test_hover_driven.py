"""Test widgets that take the hovered element for the clicked one.

They draw what a move of the pointer means behind it.
"""

import pytest

from tests.commands.conftest import Run, Show

pytestmark = pytest.mark.same_session

RATING = """<div id=stars {group}>{stars}</div><output>none</output><script>
let hovered = 0;
const stars = document.querySelector('#stars'), numberOf = (event) => Number(event.target.closest('[n]')?.getAttribute('n') ?? 0);
stars.addEventListener('pointermove', (event) => {{ const n = numberOf(event); if (n) requestAnimationFrame(() => setTimeout(() => {{ hovered = n }})) }});
stars.addEventListener('pointerleave', () => {{ hovered = 0 }});
stars.addEventListener('click', (event) => {{ const n = numberOf(event); if (n) document.querySelector('output').value = hovered || n }});
</script>"""
STAR = {
    "roles": "<span n={n} role=radio aria-checked=false aria-label='{n} stars' tabindex=-1>★</span>",
    "spans": "<span n={n} style=cursor:pointer>★{n}</span>",
    "labels": "<label n={n} for=s{n}>★<span hidden>{n}</span></label>"
    "<input n={n} id=s{n} type=radio name=stars aria-label='{n} stars' style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)'>",
    "list": "<li><div n={n} role=radio aria-checked=false aria-label='{n} stars' style='display:inline-block'><i>★</i></div></li>",
}


def rating(kind: str) -> str:
    stars = "".join(STAR[kind].format(n=n) for n in range(1, 6))
    return RATING.format(group="role=radiogroup" if kind == "roles" else "", stars=stars)


@pytest.mark.parametrize("kind", STAR)
async def test_the_star_that_is_clicked_is_taken_and_not_the_one_hovered_before(
    run: Run, show: Show, kind: str
) -> None:
    await show(rating(kind))
    await run("snapshot -i")
    of = {
        "roles": "[role=radio][n='{}']",
        "spans": "text=★{}",
        "labels": "#s{}",
        "list": "[role=radio][n='{}']",
    }[kind]
    await run("hover", of.format(2))
    await run("click", of.format(4))
    assert await run("text output") == "4"
    await run("click", of.format(1))
    await run("click", of.format(5))
    assert await run("text output") == "5"


async def test_rating_driven_by_hover_is_clicked_in_quirks_mode(run: Run, show: Show) -> None:
    await show(f"<html>{rating('spans')}")
    assert await run("js 'document.compatMode'") == "BackCompat"
    await run("hover text=★2")
    await run("click text=★4")
    assert await run("text output") == "4"
