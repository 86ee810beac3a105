"""Test what a person can do on a page in several steps, done from a plain `snapshot -i`.

A check has a page, the steps, and what the page says of them in the end. `{…}` in a step stands for the ref of the only line of the
last `snapshot -i` with these words. What single commands do is tested by itself elsewhere.
"""

import re

import pytest

from tests.commands.conftest import Run, Show
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

AGAIN = "snapshot -i"
GO = "<button onclick='n += 1'>Go</button>"
ROWS = "<ul id=l>" + "".join(
    f"<li>{fruit} <button onclick='n += \"{fruit} \"'>Delete</button></li>"
    for fruit in ("Apple", "Cherry", "Fig")
)
CHECKS = {
    "a modal dialog is all there is": (
        f"{GO}<dialog id=d><button onclick='n += 2; d.close()'>Close</button></dialog><script>d.showModal()</script>",
        ["click {Close}", AGAIN, "click {Go}"],
        "21",
    ),
    "rows are told apart, and a sorted list keeps its refs": (
        ROWS,
        [
            "click {(Fig)}",
            "js 'l.append(...[...l.children].reverse()), 0'",
            "click {(Cherry)}",
            "click {(Apple)}",
        ],
        "Fig Cherry Apple ",
    ),
    "a button in nested shadow trees": (
        """<x-a></x-a><script>const grow = (host, html, mode = 'open') => { const root = host.attachShadow({mode}); root.innerHTML = html; return root };
        grow(grow(document.querySelector('x-a'), '<x-b></x-b>').firstChild, '<button onclick="n += 1">Go</button>')</script>""",
        ["click {Go}"],
        "1",
    ),
    "a frame in a frame, out of view": (
        """<p style="height:2000px"></p><iframe srcdoc="<p style='height:900px'></p><iframe src='OTHER'></iframe>"></iframe>""",
        ["click {Inner}"],
        "inner ",
    ),
    "a menu that hovering opens": (
        "<style>.menu ul { display: none } .menu:hover ul { display: block }</style>"
        "<div class=menu><button>Menu</button><ul><li><button onclick='n += 1'>Item</button></ul></div>",
        ["hover {Menu}", AGAIN, "click {Item}"],
        "1",
    ),
}
INNER = "<button onclick=\"top.postMessage('inner ', '*')\">Inner</button>"


def filled_in(step: str, listed: str) -> str:
    """Put a ref of the list in the place of the words of its line."""

    def ref(words: re.Match[str]) -> str:
        (line,) = [line for line in listed.splitlines() if words[1] in line]
        return line.split()[0]

    return re.sub(r"\{([^}]+)\}", ref, step)


@each(CHECKS)
async def test_a_person_s_task_is_done_from_a_plain_snapshot(name: str, run: Run, show: Show, web: Web) -> None:
    page, steps, ends = CHECKS[name]
    other = web.show(INNER).replace(web.url, web.other)
    await show(
        f"<script>n = ''; onmessage = (event) => {{ n = event.data }}</script>{page.replace('OTHER', other)}"
    )
    listed = ""
    for step in [AGAIN, *steps]:
        said = await run(filled_in(step, listed))
        listed = said if step == AGAIN else listed
    assert await run("js", "String(n)") == ends
