"""Test documents without a script, and documents where no script may run: there no timer ends.

Each way in is tried as the first one in some kind of document, and each kind has several.
"""

import pytest

from gstack_browse.browser.engine import world
from tests.commands.conftest import Run, Shell, Show
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

STILL = """<h1>Still</h1><button>Go</button><input aria-label=Name><input type=checkbox aria-label=Yes><input type=file aria-label=File>
<select aria-label=Size><option>Small<option>Large</select><p draggable=true id=from tabindex=0 role=button>From</p><p id=to>To</p>
<details><summary>More</summary>Details</details><input type=range aria-label=Volume min=0 max=10><textarea aria-label=Note></textarea>
<div id=pane tabindex=0 style='overflow:auto;height:50px'><p style='height:500px'>Long</p></div><a href='#to'>Link</a>"""
"""A document without a script."""

SCRIPTED = f"{STILL}<script>1</script>"
FRAMES = {
    "other": "<iframe id=f src={far}></iframe>",
    "sandbox": "<iframe id=f sandbox src={still}></iframe>",
    "own": "<iframe id=f src={still}></iframe>",
    "srcdoc": '<iframe id=f sandbox srcdoc="{still_html}"></iframe>',
    "in a still one": "<iframe id=f src={around}></iframe>",
    "a scripted one in a still one": "<iframe id=f src={around_scripted}></iframe>",
    "a still one of its own in a still one": "<iframe id=f src={around_near}></iframe>",
    "the page itself": "",
    "a frame where its scripts may not run": "<iframe id=f sandbox src={scripted}></iframe>",
    "the second": "<iframe src={far}></iframe><iframe id=f src={far}></iframe>",
}
"""Kind → the page's markup. The frame is the last one of the page; \"\" is a page whose policy forbids its scripts."""

FORBIDDEN = ("a frame where its scripts may not run", "the page itself")
"""Where it does not matter which way in is the first one."""
DIFFER = ("click", "fill", "drag", "picture", "accessibility", "audit")
"""Ways of which each goes its own way to Chromium. The others go the same way as one of these."""

BY_REF = {
    "click": ("click {Go}", "Clicked"),
    "hover": ("hover {Go}", "Hovered"),
    "fill": ("fill {Name} Ada", "Filled"),
    "fill a note": ("fill {Note} Ada", "Filled"),
    "fill a range": ("fill {Volume} 7", "Filled"),
    "type": ("type {Name} Ada", "Typed"),
    "select": ("select {Size} Large", "Selected"),
    "check": ("check {Yes}", "Checked"),
    "upload": ("upload {File} a.txt", "a.txt"),
    "drag": ("drag {From} {Go}", "Dragged"),
    "drop": ("drop {Name} --text Ada", "Dropped"),
    "scroll": ("scroll {Link}", "Scrolled"),
    "text": ("text {Go}", "Go"),
    "is": ("is visible {Go}", "true"),
    "box": ("box {Go}", ","),
    "styles": ("styles {Go}", ""),
    "picture": ("screenshot {Go}", "png"),
    "wait": ("wait {Go}", ""),
    "expect": ("expect enabled {Go}", ""),
    "select text": ("select-text {Go}", ""),
}
"""Way in → the command, with what a snapshot says of the element, and a part of the reply."""

AT_ONCE = {
    "accessibility": ("accessibility", "Still"),
    "snapshot": ("snapshot", "Still"),
    "annotated": ("snapshot -i -a", "Go"),
    "text": ("text", ""),
    "picture": ("screenshot", "png"),
    "whole picture": ("screenshot --full", "png"),
    "pdf": ("pdf", "pdf"),
    "audit": ("audit", ""),
    "wait": ("wait --load", ""),
    "html": ("html", ""),
}
"""Command on the page → a part of the reply. An audit fails: it finds something."""

INSIDE = {
    "click": ("click text=Go", "Clicked"),
    "fill": ("fill textarea Ada", "Filled"),
    "select": ("select select Large", "Selected"),
    "check": ("check [type=checkbox]", "Checked"),
    "upload": ("upload [type=file] a.txt", "a.txt"),
    "drag": ("drag '#from' '#to'", "Dragged"),
    "hover": ("hover button", "Hovered"),
    "text": ("text h1", "Still"),
    "accessibility": ("accessibility", "Still"),
    "picture": ("screenshot css=button", "png"),
    "wait": ("wait h1", ""),
    "expect": ("expect visible h1", ""),
    "press": ("press Tab", "Pressed"),
    "html": ("html", "Still"),
    "audit": ("audit", ""),
}
"""The same for commands in a frame that one has gone into."""


def _orders(ways: dict[str, tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Return kinds of documents, each with the ways that are tried there one after the other.

    Those that differ take turns as the first one. In one kind all the others follow, and in one where scripts may not run.
    """
    kinds = [kind for kind in FRAMES if kind not in FORBIDDEN]
    firsts = [way for way in ways if way in DIFFER]
    orders = [(kind, [firsts[number % len(firsts)]]) for number, kind in enumerate(kinds)]
    orders[0][1].extend(way for way in ways if way not in orders[0][1])
    in_frame, in_page = FORBIDDEN
    return [*orders, (in_frame, list(ways)), (in_page, firsts)]


async def _show(show: Show, web: Web, kind: str) -> None:
    def far(html: str) -> str:
        return web.show(html).replace(web.url, web.other)

    if not FRAMES[kind]:
        await show(SCRIPTED, Content_Security_Policy="sandbox")
        return
    await show(
        "<p>Page</p>"
        + FRAMES[kind].format(
            scripted=web.show(SCRIPTED),
            far=far(STILL),
            still=web.show(STILL),
            still_html=STILL.replace('"', "&quot;"),
            around=far(f"<iframe src={far(STILL)}></iframe>"),
            around_near=far(f"<iframe src={web.show(STILL)}></iframe>"),
            around_scripted=far(f"<iframe src={far(SCRIPTED)}></iframe>"),
        )
    )


async def _reply_text(shell: Shell, line: str) -> str:
    reply = await shell.send(line)
    assert not reply.code or (line == "audit" and "axe-core found" in reply.message), (
        f"{line}: {reply.message} {reply.hint}"
    )
    return f"{reply.text}{reply.message}"


@each(
    [(ways, order) for ways in (BY_REF, AT_ONCE, INSIDE) for order in _orders(ways)], name=lambda case: case[1]
)
async def test_every_way_into_a_document_without_scripts(
    case: tuple[dict[str, tuple[str, str]], tuple[str, list[str]]], shell: Shell, show: Show, web: Web
) -> None:
    """Act on refs, read the page, or go into the frame and act there."""
    (shell.workspace / "a.txt").write_text("a")
    all_ways, (kind, ways) = case
    await _show(show, web, kind)
    refs: dict[str, str] = {}
    if all_ways is BY_REF:
        listed = (await _reply_text(shell, "snapshot -i")).splitlines()
        rows = [row for row in listed if row.lstrip().startswith("@") and '"' in row]
        refs = {row.split('"')[1]: row.split()[0] for row in rows}
    if all_ways is INSIDE and FRAMES[kind]:
        await _reply_text(shell, "frame '#f'")
    if all_ways is INSIDE and "in a still one" in kind:
        await _reply_text(shell, "frame iframe")
    for way in ways:
        line, part = all_ways[way]
        said = await _reply_text(shell, line.format(**refs))
        assert part in said, f"{way}: {said}"


async def test_nobody_is_told_that_scripts_are_forbidden(run: Run, show: Show, web: Web) -> None:
    await _show(show, web, "sandbox")
    field = next(line.split()[0] for line in (await run("snapshot -i")).splitlines() if "Name" in line)
    assert await run(f"fill {field} Ada") == f"Filled {field}"
    assert await run("console") == "(no console messages)"


@each([("sandbox", False), ("sandbox allow-scripts", True)])
async def test_element_ids_of_a_page_do_not_decide_whether_scripts_may_run(
    case: tuple[str, bool], show: Show, shell: Shell
) -> None:
    policy, may_run = case
    await show("<i id=__gbrowseForbidden></i><i id=forbidden></i>", Content_Security_Policy=policy)
    own = shell.browser.tab().world
    for _ in range(2):
        assert await own.call("runsScripts") == may_run
        _, is_forbidden = await own._ask(world._FORBIDDEN)
        assert is_forbidden != may_run
