"""A ref is one element: whatever is asked before it is printed or after, it is that element or stale."""

from typing import get_args

import pytest

from gstack_browse.errors import ManyMatches, StaleRef, UnknownRef
from gstack_browse.registry import REGISTRY
from gstack_browse.registry.arguments import Shot, Target, TargetOrTime
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.test_refs_at_random import restart
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session

SAYS = "onclick='document.title = this.id'"
NOTES = "onclick='top.postMessage(this.id, \"*\")'"
HEARS = "<script>addEventListener('message', event => { document.title = event.data })</script>"


def refs_in(snapshot: str) -> dict[str, str]:
    """Name → ref of the lines with a name."""
    lines = [line.strip() for line in snapshot.splitlines() if '"' in line]
    return {line.split('"')[1]: line.split()[0] for line in lines}


async def hits(run: Run, ref: str) -> str:
    """Return the mark of the element that a click on a ref hit: each has one of its own."""
    await run(f"click {ref}")
    return await run("js", "new Promise(done => setTimeout(() => done(document.title), 0))")


CLICKABLE = "<div class=k style='cursor: pointer'>Ann</div><div class=k style='cursor: pointer'>Bob</div><p class=k>Cy</p>"


@each(["other frame", "shadow"])
async def test_clickable_has_one_ref(place: str, run: Run, fails: Fails, show: Show, web: Web) -> None:
    """Click a ref of a hint."""
    frame = f"<iframe src={web.show_elsewhere(CLICKABLE)}></iframe>"
    shadow = f"<div><template shadowrootmode=open>{CLICKABLE}</template></div>"
    await show(frame if place == "other frame" else shadow)
    refs = refs_in(await run("snapshot -i"))
    assert refs["Ann"].startswith("@c")
    if place == "other frame":
        await run("frame iframe")
    hint = (await fails("click .k --timeout 50", ManyMatches)).hint
    found = refs_in("\n".join(hint.splitlines()[1:]))
    assert (found["Ann"], found["Bob"], found["Cy"][:2]) == (refs["Ann"], refs["Bob"], "@e")
    await run(f"click {found['Bob']}")
    assert (await fails("click .k --timeout 50", ManyMatches)).hint == hint


def framed(web: Web, *, other: bool) -> str:
    """A page with a list of buttons, and a frame with some more, which can be added to."""
    shows = web.show_elsewhere if other else web.show
    inner = shows(f"<button id=safe {NOTES}>safe</button><button id=more {NOTES}>more</button>")
    return f"""{HEARS}<button id=del {SAYS}>del</button><iframe id=f src='{inner}'></iframe><p id=place></p>
    <script>const add = id => place.insertAdjacentHTML('beforeend', `<button id=${{id}} {SAYS}>${{id}}</button>`)</script>"""


BEFORE = {
    "several, and a snapshot between": [
        "snapshot -i", "js 'add(\"new\")'", "hover '#new'", "snapshot -i", "js 'add(\"newer\")'", "text '#newer'", "hover '#place'",
    ],
    "elements of both before any snapshot": ["hover '#del'", "frame '#f'", "click '#safe'", "frame main"],
    "the frame's first": ["frame '#f'", "hover '#more'", "click '#safe'", "frame main", "hover '#del'"],
    "a scope": ["snapshot -s '#place'", "js 'add(\"new\")'", "snapshot -s '#new'"],
}  # fmt: skip


@each(BEFORE)
async def test_no_number_is_two_elements(before: str, run: Run, show: Show, web: Web) -> None:
    """Print of the page and of a frame of its site or of another before."""
    await show(framed(web, other=before.startswith(("several", "elements"))))
    for line in BEFORE[before]:
        await run(line)
    text = await run("snapshot -i")
    refs = refs_in(text)
    assert len(set(refs.values())) == len(refs) == text.count("\n") + 1 >= 3
    for name, ref in refs.items():
        assert await hits(run, ref) == name


ASKS = [
    "fill '#field' x", "click '#go'", "css '#go' color", "wait '#go'", "upload '#file' {file}", "snapshot -s '#go'", "select '#list' One",
]  # fmt: skip


async def test_refs_after_a_command_on_the_next_page_are_new(run: Run, show: Show, shell: Shell) -> None:
    (shell.cwd / "up.txt").write_text("x")
    url = await show(
        f"<button id=go {SAYS}>go</button><input id=field><input id=file type=file><select id=list><option>One</select>"
    )
    given = set(refs_in(await run("snapshot -i")).values())
    for asked in ASKS:
        await run(f"goto {url}")
        await run(asked.format(file="up.txt"))
        refs = refs_in(await run("snapshot -i"))
        assert not given.intersection(refs.values()), asked
        assert await hits(run, refs["go"]) == "go", asked
        given.update(refs.values())


FORMS = {
    "click": ["click @e1", "click @e1 --double", "click @e1 --button right", "click @e1 --at 1,1", "click @e1 --new-tab"],
    "css": ["css @e1 color"],
    "drag": ["drag @e1 body", "drag body @e1", "drag @e1 5,5"],
    "drop": ["drop @e1 up.txt", "drop @e1 --text words"],
    "expect": [f"expect {words} @e1" for words in ("visible", "hidden", "--not visible", "--not hidden", "checked")]
    + ["expect value @e1 words", "expect attr @e1 id", "expect text words --in @e1"],
    "fill": ["fill @e1 words", "fill @e1 words --submit"],
    "is": [f"is {state} @e1" for state in ("visible", "hidden", "enabled", "disabled", "checked", "editable", "focused")],
    "scroll": ["scroll @e1", "scroll @e1 down 5"],
    "select": ["select @e1 One"],
    "select-text": ["select-text @e1", "select-text @e1 --from One"],
    "snapshot": ["snapshot -s @e1"],
    "text": ["text @e1", "text --markdown @e1"],
    "type": ["type --into @e1 words"],
    "upload": ["upload @e1 up.txt"],
    "wait": ["wait @e1", "wait @e1 200"],
}  # fmt: skip
"""Of commands whose target is not their only word, or goes into several places. Any other is called with the ref alone."""
TARGETS = {get_args(kind)[1] for kind in (Target, TargetOrTime, Shot)}


def with_target() -> list[str]:
    """A line for each command and place that takes a target, with the ref there."""
    takers = [
        name
        for name, command in REGISTRY.commands.items()
        if any(parameter.type in TARGETS for parameter in command.parameters)
    ]
    assert set(FORMS) <= set(takers)
    return [line for name in takers for line in FORMS.get(name, [f"{name} @e1"])]


@each(["navigated", "its frame removed"])
async def test_every_command_says_of_a_stale_ref_that_it_is(
    how: str, run: Run, fails: Fails, show: Show, web: Web, shell: Shell
) -> None:
    """Act on no other element."""
    (shell.cwd / "up.txt").write_text("x")
    element = "<button id=go>Go</button>"
    await show(element if how == "navigated" else f"<iframe src='{web.show_elsewhere(element)}'></iframe>")
    ref = refs_in(await run("snapshot -i"))["Go"]
    if how == "navigated":
        await show("<button>Other</button>")
    else:
        await run("js", "document.querySelector('iframe').remove()")
    why = "the page has navigated since" if how == "navigated" else "the element no longer exists"
    for line in with_target():
        reply = await fails(line.replace("@e1", ref), StaleRef)
        assert reply.message == f'Ref {ref} ([button] "Go") is stale — {why}', line
        assert "snapshot" in reply.hint, line
    assert await run(f"wait --hidden {ref}") == f"Element {ref} is gone"
    await fails("wait --hidden @e99", UnknownRef)


async def test_stale_ref_names_the_new_element_also_after_a_diff(run: Run, fails: Fails, show: Show) -> None:
    await show("<div id=box><button>Go</button></div><button>Stay</button>")
    ref = refs_in(await run("snapshot -i"))["Go"]
    await run("js", "box.innerHTML = '<form aria-label=F><button>Go</button></form>'; 1")
    assert f'{ref} [button] "Go"' in await run("snapshot -iD")
    stale = f'Ref {ref} ([button] "Go") is stale — the element no longer exists; a new [button] "Go" is @e'
    for _ in range(2):
        assert (await fails(f"click {ref}", StaleRef)).message.startswith(stale)


async def test_stale_ref_in_a_far_frame_names_the_new_one(run: Run, fails: Fails, show: Show, web: Web) -> None:
    await show(f"<iframe id=f src='{web.show_elsewhere('<button>Pay</button>')}'></iframe>")
    ref = refs_in(await run("snapshot -i"))["Pay"]
    await run("frame '#f'")
    await run("js", "document.body.innerHTML = '<nav><button>Pay</button></nav>'")
    assert (await fails(f"click {ref}", StaleRef)).message.endswith('; a new [button] "Pay" is @e2')
    await run("click @e2")


async def test_numbers_go_on_after_a_restart_and_with_another_user_agent(
    run: Run, fails: Fails, show: Show, shell: Shell
) -> None:
    await show(f"<button id=go {SAYS}>go</button><div onclick='1'>Div</div>")
    assert await run("snapshot -iC") == '@e1 [button] "go"\n@c1 [generic] "Div" [onclick]'
    await restart(shell)
    for ref in ("@e1", "@c1"):
        assert "has navigated since" in (await fails(f"click {ref}", StaleRef)).message
    assert await run("snapshot -iC") == '@e2 [button] "go"\n@c2 [generic] "Div" [onclick]'
    await run("useragent Probe")
    for _ in range(2):
        message = (await fails("click @e2", StaleRef)).message
        assert message.endswith(' is stale — the page has navigated since; a new [button] "go" is @e3')
    assert await run("snapshot -iC") == '@e3 [button] "go"\n@c3 [generic] "Div" [onclick]'
    assert await hits(run, "@e3") == "go"


async def test_an_id_of_one_document_means_nothing_in_the_next(show: Show, shell: Shell) -> None:
    """Take no other element for one that is gone by the time of the action."""
    ids = []
    for _ in range(2):
        await show("<button>Go</button>")
        world = shell.browser.tab().world
        ids.append((await world.call("matches", "button"))[0]["id"])
    assert await world.call("locate", ids[1])
    assert await world.call("locate", ids[0]) is None
