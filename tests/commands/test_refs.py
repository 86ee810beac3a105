"""Test that a ref means one element, or is stale.

What the page has drawn anew in the element's place is acted on where just one can be meant, and the reply says so.
"""

import re
from typing import get_args

import pytest

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.state.context_state import ContextState
from gstack_browse.browser.transfer import capture, restore
from gstack_browse.errors import StaleRef, UnknownRef
from gstack_browse.registry import REGISTRY
from gstack_browse.registry.arguments import Shot, Target, TargetOrTime
from gstack_browse.text.json_bytes import decode, encode
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.replies import ref_of
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


BEFORE = [
    "hover '#del'", "frame '#f'", "click '#safe'", "frame main", "snapshot -i", "js 'add(\"new\")'", "hover '#new'",
    "snapshot -i", "js 'add(\"newer\")'", "text '#newer'", "hover '#place'", "snapshot -s '#place'",
]  # fmt: skip


@each(["near", "far"])
async def test_no_number_is_two_elements(place: str, run: Run, show: Show, web: Web) -> None:
    """Print of the page and of a frame of its site or of another before."""
    shows = web.show_elsewhere if place == "far" else web.show
    inner = shows(f"<button id=safe {NOTES}>safe</button><button id=more {NOTES}>more</button>")
    await show(f"""{HEARS}<button id=del {SAYS}>del</button><iframe id=f src='{inner}'></iframe><p id=place></p>
        <script>const add = id => place.insertAdjacentHTML('beforeend', `<button id=${{id}} {SAYS}>${{id}}</button>`)</script>""")
    for line in BEFORE:
        await run(line)
    text = await run("snapshot -i")
    refs = refs_in(text)
    assert len(set(refs.values())) == len(refs) == text.count("\n") + 1 == 5
    for name, ref in refs.items():
        assert await hits(run, ref) == name


ASKS = ["fill '#field' x", "click '#go'", "css '#go' color", "snapshot -s '#go'"]


async def test_refs_after_a_command_on_the_next_page_are_new(run: Run, show: Show) -> None:
    url = await show(f"<button id=go {SAYS}>go</button><input id=field>")
    given = set(refs_in(await run("snapshot -i")).values())
    for asked in ASKS:
        await run(f"goto {url}")
        await run(asked)
        refs = refs_in(await run("snapshot -i"))
        assert not given.intersection(refs.values()), asked
        assert await hits(run, refs["go"]) == "go", asked
        given.update(refs.values())


FORMS = {
    "click": ["click @e1", "click @e1 --new-tab"],
    "css": ["css @e1 color"],
    "drag": ["drag @e1 body", "drag body @e1", "drag @e1 5,5"],
    "drop": ["drop @e1 up.txt", "drop @e1 --text words"],
    "expect": ["expect hidden @e1", "expect --not visible @e1", "expect value @e1 words", "expect text words --in @e1"],
    "fill": ["fill @e1 words"],
    "is": ["is visible @e1", "is checked @e1"],
    "scroll": ["scroll @e1", "scroll @e1 down 5"],
    "select": ["select @e1 One"],
    "select-text": ["select-text @e1"],
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


async def test_every_command_says_of_a_stale_ref_that_it_is(
    run: Run, fails: Fails, show: Show, web: Web, shell: Shell
) -> None:
    """Act on no other element. Say why it is stale: its frame was removed, or its page has navigated."""
    (shell.cwd / "up.txt").write_text("x")
    element = "<button id=go>Go</button>"
    await show(f"<iframe src='{web.show_elsewhere(element)}'></iframe>{element}")
    framed, here = re.findall(r"@e\d+", await run("snapshot --role button"))
    await run("js", "document.querySelector('iframe').remove()")
    for line in ("click @e1", "text @e1", "is visible @e1"):
        reply = await fails(line.replace("@e1", framed), StaleRef)
        assert reply.message == f'Ref {framed} ([button] "Go") is stale — the element no longer exists', line
    assert await run(f"wait --hidden {framed}") == f"Element {framed} is gone"
    await show("<button>Other</button>")
    for line in with_target():
        reply = await fails(line.replace("@e1", here), StaleRef)
        assert reply.message == f'Ref {here} ([button] "Go") is stale — the page has navigated since', line
        assert "snapshot" in reply.hint, line
    assert await run(f"wait --hidden {here}") == f"Element {here} is gone"
    await fails("wait --hidden @e99", UnknownRef)


async def test_stale_ref_names_the_new_element_also_after_a_diff(run: Run, fails: Fails, show: Show) -> None:
    await show("<div id=box><button>Go</button></div><button>Stay</button>")
    ref = refs_in(await run("snapshot -i"))["Go"]
    await run("js", "box.innerHTML = '<form aria-label=F><button>Go</button></form>'; 1")
    assert f'{ref} [button] "Go"' in await run("snapshot -iD")
    stale = f'Ref {ref} ([button] "Go") is stale — the element no longer exists; a new [button] "Go" is @e'
    for _ in range(2):
        assert (await fails(f"click {ref}", StaleRef)).message.startswith(stale)


def begin_session_beside(shell: Shell) -> OpenContext:
    """Give the service a session without tabs in the place of its present one."""
    context, before = shell.service.default_context, shell.browser
    context.browser = OpenContext(
        before.running, context.logs, context.downloads, pictures=before.pictures, on_change=lambda: None
    )
    return shell.browser


async def restart(shell: Shell) -> None:
    """Restart as a successor does with the state from its predecessor."""
    before = shell.browser
    told = encode((await capture.capture_state(before)).as_dict())
    await restore.restore_context(begin_session_beside(shell), ContextState.from_dict(decode(told)))
    await before.context.close()


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


HITS = "onclick=\"hits.push(this.closest('li,section,div')?.id || this.id)\""
ROW = f"<li id={{0}}>{{0}} <button {HITS}>Delete</button></li>"
LIST = f"<ul id=l>{''.join(map(ROW.format, ('Ann', 'Bob', 'Cy')))}</ul>"
BOX = f"<div id=box><button id=old {HITS}>Go</button></div>"
AGAIN = "box.innerHTML = box.innerHTML"


async def show_ref(run: Run, show: Show, page: str, words: str) -> str:
    """Show a page, and return the ref of the line with these words."""
    await show(f"<script>hits = []</script>{page}")
    return await ref_of(run, words)


@each(
    [
        ("the only one of its name", BOX, "Go", AGAIN, "box"),
        ("with a box more around it", BOX, "Go", "box.innerHTML = `<p>${box.innerHTML}</p>`", "box"),
        ("in a list, that of its record", LIST, "(Bob)", "l.innerHTML = l.innerHTML", "Bob"),
        ("with another query", BOX, "Go", f"history.pushState(0, '', '?page=2#top'); {AGAIN}", "box"),
        ("a record that has moved", LIST, "(Bob)", "l.innerHTML = l.innerHTML; l.append(l.children[1])", "Bob"),
        ("in a shadow tree", "<x-a></x-a><script>r = document.querySelector('x-a').attachShadow({ mode: 'open' });"
         f"r.innerHTML = `<div id=in><button {HITS}>Go</button></div>`</script>", "Go", "r.innerHTML = r.innerHTML", "in"),
    ],
    name=lambda case: case[0],
)  # fmt: skip
async def test_redrawn_element_is_acted_on(case: tuple[str, str, str, str, str], run: Run, show: Show) -> None:
    _, page, words, change, hit = case
    ref = await show_ref(run, show, page, words)
    await run("js", f"{change}; 1")
    reply = await run(f"click {ref}")
    assert re.fullmatch(rf"Clicked {ref}\n(→ .*\n)*→ {ref} was drawn anew: @e\d+", reply)
    assert await run("js hits.join()") == hit
    assert f"{reply.split()[-1]} [button]" in await run("snapshot -i"), "it has that ref from now on"
    await run(f"click {ref}")
    assert await run("js hits.join()") == f"{hit},{hit}"


HEADS = (
    f"<table id=t><tr>{''.join(f'<th>{name} <button>Delete</button>' for name in ('city', 'pop'))}</tr></table>"
)
NEW, NONE = r'; a new \[button\] "(Go|Delete)".* is @e\d+', ""
DAN_AND_EVE = "l.innerHTML = ['Dan', 'Eve'].map(n => `<li>${n} <button>Delete</button></li>`).join('')"


@each(
    [
        ("two of them in its place", BOX, "Go", f"{AGAIN} + box.innerHTML", r"; new ones like it are @e\d+, @e\d+"),
        ("another record in its place", LIST, "(Bob)", "Bob.outerHTML = Bob.outerHTML.replaceAll('Bob', 'Dan')", NEW),
        ("several other records", LIST, "(Bob)", DAN_AND_EVE, r"; new ones like it are @e\d+ \(Dan\), @e\d+ \(Eve\)"),
        ("in the cells of one row", HEADS, "(pop)", "t.innerHTML = t.innerHTML.replace('pop', 'pop 9')", r"; new ones like it are @e\d+ \(city\), @e\d+ \(pop 9\)"),
        ("an older twin alone", f"{BOX}<p><button {HITS}>Go</button>", "Go", "old.remove()", NONE),
        ("an older twin beside it", f"{BOX}<p><button {HITS}>Go</button>", "Go", AGAIN, NEW),
        ("a twin that was hidden", f"{BOX}<div id=twin hidden><button {HITS}>Go</button></div>", "Go", "box.remove(); twin.hidden = false", NEW),
        ("in another part of the page", f"<section aria-label=A>{BOX}</section><section id=b aria-label=B></section>", "Go",
         "c = box.cloneNode(true); box.remove(); b.append(c)", NEW),
        ("on what a router shows for another path", BOX, "Go", f"history.pushState(0, '', 'other'); {AGAIN}", NEW),
        ("of another role", BOX, "Go", "box.innerHTML = '<a href=/>Go</a>'", NONE),
    ],
    name=lambda case: case[0],
)  # fmt: skip
async def test_element_that_may_be_another_is_not_acted_on(
    case: tuple[str, str, str, str, str], run: Run, fails: Fails, show: Show
) -> None:
    _, page, words, change, said = case
    ref = await show_ref(run, show, page, words)
    await run("js", f"{change}; 1")
    message = (await fails(f"click {ref}", StaleRef)).message
    assert re.search(f"no longer exists{said}$", message), message
    assert await run("js hits.join()") == ""


async def test_every_use_of_a_target_follows_and_says_so(run: Run, fails: Fails, show: Show) -> None:
    """Wait for the end of the element itself."""
    ref = await show_ref(run, show, "<div id=box><input aria-label=Name value=a></div>", "Name")
    await run("js", f"{AGAIN}; 1")
    assert await run(f"fill {ref} b") == f"Filled {ref}\n→ {ref} was drawn anew: @e2"
    assert await run("value @e2") == "b"
    await run("js", f"{AGAIN}; 1")
    assert await run(f"count '{ref} >> xpath=.'") == "1"
    assert (await run(f"wait --hidden {ref}")).startswith(f"Element {ref} is gone")
    await fails(f"expect visible {ref}", StaleRef)
    await run("reload")
    assert "has navigated since" in (await fails(f"click {ref}", StaleRef)).message


async def test_element_removed_during_a_press_is_not_pressed_again(run: Run, show: Show) -> None:
    button = f"<button onmousedown='n = (window.n || 0) + 1; {AGAIN}' onclick='hits.push(1)'>Go</button>"
    ref = await show_ref(run, show, f"<div id=box>{button}</div>", "Go")
    await run(f"hover {ref}")
    await run(f"click {ref}")
    assert await run("js '[n, hits.length].join()'") == "1,0"
