"""Test the everyday verbs wherever a page can put an element, and in documents where no script runs.

Frames of another site, shadow trees, other tabs, a page that hangs. What each verb does is tested by itself elsewhere.
"""

import pytest

from gstack_browse.browser.cdp import tasks as patience
from gstack_browse.daemon.request import timeouts
from gstack_browse.errors import ActionFailed, TimedOut
from tests.commands.conftest import Fails, Run, Shell, Show, until
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

PARTS = """<style>body, #part { margin: 0 } .item { width: 60px; height: 20px; background: #ccc }</style>
<input aria-label=Name value=old><input aria-label=Other><label><input type=checkbox>Agree</label>
<div class=item id=first role=button tabindex=0 aria-label=First draggable=true></div><div id=goal role=button tabindex=0 aria-label=Goal>goal</div>
<div role=button tabindex=0 id=pane aria-label=Pane style='height: 30px; width: 90px; overflow: auto'><p style='height: 500px'>long</p></div>
<textarea aria-label=Notes>one two three</textarea><h2>Head</h2>"""
LIVE = """const at = id => root.querySelector('#' + id)
at('goal').addEventListener('dragover', e => e.preventDefault())
at('goal').addEventListener('drop', e => { e.preventDefault(); e.currentTarget.textContent = e.dataTransfer.files.length ? 'file' : 'dropped' })
at('goal').addEventListener('click', e => { e.currentTarget.textContent = `${Math.round(e.offsetX)},${Math.round(e.offsetY)}` })
root.querySelector('[aria-label=Other]').addEventListener('keydown', e => { if (e.key === 'Enter') at('goal').textContent = 'entered' })"""
PLAIN = f"<div id=part>{PARTS}</div><script>{{ const root = document; {LIVE} }}</script>"
SHADOW = (
    f"<div id=host></div><template id=t>{PARTS}</template><script>{{ const root = host.attachShadow({{ mode: 'closed' }});"
    f" root.append(t.content); {LIVE} }}</script>"
)

STEPS: list[tuple[str, str]] = [
    ("value {Name}", "old"),
    ("fill {Name} Ann", "Filled {Name}"),
    ("type --into {Name} Lee", "Typed 3 characters into {Name}"),
    ("expect value {Name} =AnnLee", 'Expected: value exactly "AnnLee" in {Name}'),
    ("fill-form '{\"{Name}\": \"Bo\", \"{Agree}\": true}'", "Filled 2 fields"),
    ("is checked {Agree}", "true"),
    ("uncheck {Agree}", "Unchecked {Agree}"),
    ("expect --not checked {Agree}", "Expected: {Agree} not checked"),
    ("check {Agree}", "Checked {Agree}"),
    ("fill {Other} x --submit", "Filled {Other} and pressed Enter"),
    ("text {Goal}", "entered"),
    ("click {Goal} --at 5,6", "Clicked {Goal}"),
    ("text {Goal}", "5,6"),
    ("drag {First} {Goal}", "Dragged {First} to {Goal}"),
    ("text {Goal}", "dropped"),
    ("drop {Goal} part.txt", "Dropped part.txt (4B) on {Goal}"),
    ("text {Goal}", "file"),
    ("hover {First} --at 50%,50%", "Hovered {First}"),
    ("focus {Name}", "Focused {Name}"),
    ("expect focused {Name}", "Expected: {Name} focused"),
    ("blur", 'Blurred <input> "Name"'),
    ("scroll {Pane} down 100", "Scrolled {Pane} down"),
    ("select-text {Notes} --from two --to three", 'Selected "two three" (9 characters)'),
    ("copy", 'Copied "two three" (9 characters)'),
    ("fill {Name} ''", "Filled {Name}"),
    ("focus {Name}", "Focused {Name}"),
    ("paste", "Pasted what was copied into {Name}"),
    ("value {Name}", "two three"),
    ("box {First}", ""),
    ("css {First} width", "60px"),
    ("wait --stable {First}", ""),
    ("screenshot {First} first.png", "Screenshot saved: "),
    ("text --markdown {Head}", "## Head"),
]  # fmt: skip
"""A command, and how its reply begins."""


async def refs_of(run: Run, tab: int | None = None) -> dict[str, str]:
    lines = [line for line in (await run("snapshot", tab=tab)).splitlines() if '"' in line]
    return {line.split('"')[1]: line.split()[0] for line in lines}


def filled_in(line: str, refs: dict[str, str]) -> str:
    for name, ref in refs.items():
        line = line.replace(f"{{{name}}}", ref)
    return line


async def wrong_of(shell: Shell, refs: dict[str, str], tab: int | None) -> str:
    """Return the verbs whose reply was wrong."""
    wrong = []
    for line, expected in STEPS:
        reply = await shell.send(filled_in(line, refs), tab=tab)
        said = reply.text or f"{reply.code}: {reply.message}"
        if reply.code or not said.startswith(filled_in(expected, refs)):
            wrong.append(f"{line} → {said}")
    return "\n".join(wrong)


@pytest.mark.parametrize("place", ["a frame of another site", "a closed shadow tree"])
async def test_every_verb_works_in(
    run: Run, fails: Fails, show: Show, shell: Shell, web: Web, place: str
) -> None:
    (shell.workspace / "part.txt").write_text("part")
    is_framed = "frame" in place
    frame = f"<iframe src='{web.show_elsewhere(PLAIN)}' width=700 height=500></iframe>"
    await show(frame if is_framed else SHADOW)
    refs = await refs_of(run)
    assert await wrong_of(shell, refs, None) == ""
    if is_framed:
        assert await run("locator", refs["Name"]) == 'role=textbox[name="Name"]'
        return
    told = await fails("locator", ActionFailed, refs["Name"])
    assert told.message == f"No selector leads to {refs['Name']}: it is in a closed shadow tree"
    # the code of a field in such a tree is not told by `copy`
    field = "<input aria-label=Code autocomplete=one-time-code value=123456>"
    await run(
        "js",
        f"document.body.append(host = document.createElement('div')); host.attachShadow({{ mode: 'closed' }}).innerHTML = '{field}'",
    )
    await run("focus", (await refs_of(run))["Code"])
    await run("press Control+A")
    assert "123456" not in (await fails("copy", ActionFailed)).message


@pytest.mark.fresh_session
async def test_every_verb_works_in_a_tab_in_the_background(run: Run, show: Show, shell: Shell) -> None:
    (shell.workspace / "part.txt").write_text("part")
    await show(PLAIN)
    await run("newtab")
    assert await wrong_of(shell, await refs_of(run, 1), 1) == ""
    assert await run("url") == "about:blank"


HANGS = "console.log('hangs'); for (;;);"
"""Until it is stopped behind the deadline: what ends by itself may have ended before a busy machine begins with the verb."""
STUCK = [
    "fill-form '{\"{Name}\": \"Bo\"}'", "drag {First} {Goal}", "drop {Goal} part.txt", "select-text {Notes}", "copy", "box {Name}",
]  # fmt: skip


@pytest.fixture
def soon_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a page that hangs for stuck after a shorter time: none here would answer later."""
    monkeypatch.setattr(timeouts, "_STUCK_SECONDS", 0.05)
    monkeypatch.setattr(patience, "ANSWERS", 30)


@pytest.mark.usefixtures("soon_stuck")
async def test_every_verb_ends_at_its_deadline_where_the_page_hangs(run: Run, show: Show, shell: Shell) -> None:
    (shell.workspace / "part.txt").write_text("part")
    await show(PLAIN)
    refs, console = await refs_of(run), shell.service.default_context.logs.console
    for line in STUCK:
        await run("console --clear")
        await run("js", f"setTimeout(() => {{ {HANGS} }}, 50); 1")
        await until(lambda: any("hangs" in entry.render() for entry in console))
        reply = await shell.send(filled_in(line, refs), timeout=150)
        assert reply.code == TimedOut.code, f"{line} → {reply.text}{reply.message}"
        assert reply.hint, line
    assert shell.browser.tabs.find(shell.browser.tabs.active).held.lines() == []


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


@each(FRAMES)
async def test_every_way_into_a_document_without_scripts(kind: str, shell: Shell, show: Show, web: Web) -> None:
    """Act on refs, read the page, or go into the frame and act there."""
    (shell.workspace / "a.txt").write_text("a")
    await _show(show, web, kind)
    turn = list(FRAMES).index(kind)
    tables = (BY_REF, AT_ONCE, INSIDE)
    first = turn % 3  # they take turns, since each may find its own way to Chromium as the first one
    for ways in tables[first:] + tables[:first]:
        refs: dict[str, str] = {}
        if ways is BY_REF:
            rows = [row for row in (await _reply_text(shell, "snapshot -i")).splitlines() if '"' in row]
            refs = {row.split('"')[1]: row.split()[0] for row in rows}
        if ways is INSIDE and FRAMES[kind]:
            await _reply_text(shell, "frame '#f'")
            if "in a still one" in kind:
                await _reply_text(shell, "frame iframe")
        for line in ways if kind in FORBIDDEN else [list(ways)[turn % len(ways)]]:
            said = await _reply_text(shell, line.format(**refs))
            assert ways[line] in said, f"{line}: {said}"
        await _reply_text(shell, "frame main")


async def test_nobody_is_told_that_scripts_are_forbidden(run: Run, show: Show) -> None:
    await show(STILL, Content_Security_Policy="sandbox")
    field = next(line.split()[0] for line in (await run("snapshot -i")).splitlines() if "Name" in line)
    for text in ("Ada", "Bob"):
        assert await run(f"fill {field} {text}") == f"Filled {field}"
    assert (await run("console")).startswith("(no console messages")
