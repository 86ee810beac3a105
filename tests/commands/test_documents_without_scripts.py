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
BY_REF = {
    "click {Go}": "Clicked",
    "drag {From} {Go}": "Dragged",
    "fill {Name} Ada": "Filled",
    "screenshot {Go}": "png",
    "fill {Volume} 7": "Filled",
    "select {Size} Large": "Selected",
    "upload {File} a.txt": "a.txt",
    "wait {Go}": "",
}
"""A command on what a snapshot lists → a part of the reply."""

AT_ONCE = {
    "accessibility": "Still", "screenshot": "png", "audit": "", "snapshot -i -a": "Go", "text": "", "pdf": "pdf", "wait --load": "",
}  # fmt: skip
"""A command on the page → a part of the reply. An audit fails: it finds something."""

INSIDE = {
    "click text=Go": "Clicked", "drag '#from' '#to'": "Dragged", "fill textarea Ada": "Filled", "accessibility": "Still",
    "screenshot css=button": "png", "audit": "", "select select Large": "Selected", "text h1": "Still", "press Tab": "Pressed",
}  # fmt: skip
"""The same for commands in a frame that one has gone into."""


def _orders(ways: dict[str, str]) -> list[tuple[dict[str, str], str, list[str]]]:
    """Return for each kind of document the ways that are tried there.

    They take turns as the first one, as which each may find its own way to Chromium. Where scripts may not run all are tried.
    """
    names = list(ways)
    turns = enumerate(FRAMES)
    return [(ways, kind, names if kind in FORBIDDEN else [names[turn % len(names)]]) for turn, kind in turns]


async def _show(show: Show, web: Web, kind: str) -> None:
    if not FRAMES[kind]:
        await show(SCRIPTED, Content_Security_Policy="sandbox")
        return
    far = web.show_elsewhere
    pages = {
        "scripted": web.show(SCRIPTED), "far": far(STILL), "still": web.show(STILL), "still_html": STILL.replace('"', "&quot;"),
        "around": far(f"<iframe src={far(STILL)}></iframe>"), "around_near": far(f"<iframe src={web.show(STILL)}></iframe>"),
        "around_scripted": far(f"<iframe src={far(SCRIPTED)}></iframe>"),
    }  # fmt: skip
    await show("<p>Page</p>" + FRAMES[kind].format(**pages))


async def _reply_text(shell: Shell, line: str) -> str:
    reply = await shell.send(line)
    is_expected = not reply.code or (line == "audit" and "axe-core found" in reply.message)
    assert is_expected, f"{line}: {reply.message} {reply.hint}"
    return f"{reply.text}{reply.message}"


@each([order for ways in (BY_REF, AT_ONCE, INSIDE) for order in _orders(ways)], name=lambda case: case[1:])
async def test_every_way_into_a_document_without_scripts(
    case: tuple[dict[str, str], str, list[str]], shell: Shell, show: Show, web: Web
) -> None:
    """Act on refs, read the page, or go into the frame and act there."""
    (shell.workspace / "a.txt").write_text("a")
    ways, kind, lines = case
    await _show(show, web, kind)
    refs: dict[str, str] = {}
    if ways is BY_REF:
        rows = [row for row in (await _reply_text(shell, "snapshot -i")).splitlines() if '"' in row]
        refs = {row.split('"')[1]: row.split()[0] for row in rows}
    if ways is INSIDE and FRAMES[kind]:
        await _reply_text(shell, "frame '#f'")
        if "in a still one" in kind:
            await _reply_text(shell, "frame iframe")
    for line in lines:
        said = await _reply_text(shell, line.format(**refs))
        assert ways[line] in said, f"{line}: {said}"


@each(["frame", "page"])
async def test_nobody_is_told_that_scripts_are_forbidden(case: str, run: Run, show: Show, web: Web) -> None:
    if case == "page":
        await show(STILL, Content_Security_Policy="sandbox")
    else:
        await _show(show, web, "sandbox")
    field = next(line.split()[0] for line in (await run("snapshot -i")).splitlines() if "Name" in line)
    for text in ("Ada", "Bob"):
        assert await run(f"fill {field} {text}") == f"Filled {field}"
    assert (await run("console")).startswith("(no console messages")


@each([("sandbox", False), ("sandbox allow-scripts", True)])
async def test_element_ids_do_not_decide_whether_scripts_may_run(
    case: tuple[str, bool], show: Show, shell: Shell
) -> None:
    policy, may_run = case
    await show("<i id=__gbrowseForbidden></i><i id=forbidden></i>", Content_Security_Policy=policy)
    own = shell.browser.tab().world
    for _ in range(2):
        assert await own.call("runsScripts") == may_run
        _, is_forbidden = await own._evaluate_in_main_document(world._FORBIDDEN)
        assert is_forbidden != may_run
