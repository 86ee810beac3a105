"""A ref whose element the page has drawn anew: acted on where just one element can be meant, and said."""

import re

import pytest

from gstack_browse.errors import StaleRef
from tests.commands.conftest import Fails, Run, Show
from tests.commands.replies import ref_of
from tests.each import each

pytestmark = pytest.mark.same_session

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
        ("a record that has moved", LIST, "(Bob)", "l.innerHTML = l.innerHTML; l.append(l.children[1])", "Bob"),
        ("only its own record is new", LIST, "(Bob)", "Bob.outerHTML = Bob.outerHTML", "Bob"),
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


NEW, NONE = r'; a new \[button\] "(Go|Delete)".* is @e\d+', ""
DAN_AND_EVE = "l.innerHTML = ['Dan', 'Eve'].map(n => `<li>${n} <button>Delete</button></li>`).join('')"


@each(
    [
        ("two of them in its place", BOX, "Go", f"{AGAIN} + box.innerHTML", r"; new ones like it are @e\d+, @e\d+"),
        ("four of them", BOX, "Go", f"{AGAIN} + box.innerHTML; {AGAIN} + box.innerHTML", "; there are 4 new ones like it"),
        ("another record in its place", LIST, "(Bob)", "Bob.outerHTML = Bob.outerHTML.replaceAll('Bob', 'Dan')", NEW),
        ("several other records", LIST, "(Bob)", DAN_AND_EVE, r"; new ones like it are @e\d+ \(Dan\), @e\d+ \(Eve\)"),
        ("an older twin alone", f"{BOX}<p><button {HITS}>Go</button>", "Go", "old.remove()", NONE),
        ("an older twin beside it", f"{BOX}<p><button {HITS}>Go</button>", "Go", AGAIN, NEW),
        ("a twin that was hidden", f"{BOX}<div id=twin hidden><button {HITS}>Go</button></div>", "Go", "box.remove(); twin.hidden = false", NEW),
        ("in another part of the page", f"<section aria-label=A>{BOX}</section><section id=b aria-label=B></section>", "Go",
         "c = box.cloneNode(true); box.remove(); b.append(c)", NEW),
        ("of another name", BOX, "Go", "box.innerHTML = '<button>Stop</button>'", NONE),
        ("of another role", BOX, "Go", "box.innerHTML = '<a href=/>Go</a>'", NONE),
        ("in a list, several of one record", LIST, "(Bob)", "h = Bob.outerHTML; Bob.remove(); l.innerHTML += h + h", "; there are 4 new ones like it"),
    ],
    name=lambda case: case[0],
)  # fmt: skip
async def test_what_may_be_something_else_is_not_acted_on(
    case: tuple[str, str, str, str, str], run: Run, fails: Fails, show: Show
) -> None:
    _, page, words, change, said = case
    ref = await show_ref(run, show, page, words)
    await run("js", f"{change}; 1")
    for command in ("click", "hover", "text"):
        message = (await fails(f"{command} {ref}", StaleRef)).message
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


async def test_what_is_taken_away_during_a_press_is_not_pressed_again(run: Run, show: Show) -> None:
    button = f"<button onmousedown='n = (window.n || 0) + 1; {AGAIN}' onclick='hits.push(1)'>Go</button>"
    ref = await show_ref(run, show, f"<div id=box>{button}</div>", "Go")
    await run(f"hover {ref}")
    await run(f"click {ref}")
    assert await run("js '[n, hits.length].join()'") == "1,0"
