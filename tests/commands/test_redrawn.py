"""A ref whose element the page has drawn anew: acted on where just one element can be meant, and said."""

import pytest

from gstack_browse.errors import StaleRef
from tests.commands.conftest import Fails, Run, Show
from tests.each import each

pytestmark = pytest.mark.same_session

HITS = "onclick=\"hits.push(this.closest('li,section,div')?.id || this.id)\""
LIST = (
    "<ul id=l>"
    + "".join(f"<li id={name}>{name} <button {HITS}>Delete</button></li>" for name in ("Ann", "Bob", "Cy"))
    + "</ul>"
)
BOX = f"<div id=box><button id=old {HITS}>Go</button></div>"
AGAIN = "box.innerHTML = box.innerHTML"


async def ref_of(run: Run, words: str) -> str:
    line = next(line for line in (await run("snapshot -i")).splitlines() if words in line)
    return line.split()[0]


async def show_page(show: Show, page: str) -> None:
    await show(f"<script>hits = []</script>{page}")


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
async def test_element_that_was_drawn_anew_is_acted_on(
    case: tuple[str, str, str, str, str], run: Run, show: Show
) -> None:
    _, page, words, change, hit = case
    await show_page(show, page)
    ref = await ref_of(run, words)
    await run("js", f"{change}; 1")
    reply = await run(f"click {ref}")
    assert reply.splitlines()[0] == f"Clicked {ref}"
    assert reply.splitlines()[-1].startswith(f"→ {ref} was drawn anew: @e")
    assert await run("js hits.join()") == hit
    new = reply.split()[-1]
    assert f"{new} [button]" in await run("snapshot -i"), "it has that ref from now on"
    await run(f"click {ref}")
    assert await run("js hits.join()") == f"{hit},{hit}"


@each(
    [
        ("two of them in its place", BOX, "Go", f"{AGAIN} + box.innerHTML", "new ones like it are"),
        ("another record in its place", LIST, "(Bob)", "Bob.outerHTML = Bob.outerHTML.replaceAll('Bob', 'Dan')", "a new"),
        ("an older twin alone", f"{BOX}<p><button {HITS}>Go</button>", "Go", "old.remove()", "no longer exists"),
        ("an older twin beside it", f"{BOX}<p><button {HITS}>Go</button>", "Go", AGAIN, "a new"),
        ("a twin that was hidden", f"{BOX}<div id=twin hidden><button {HITS}>Go</button></div>", "Go",
         "box.remove(); twin.hidden = false", "a new"),
        ("in another part of the page", f"<section aria-label=A>{BOX}</section><section id=b aria-label=B></section>", "Go",
         "c = box.cloneNode(true); box.remove(); b.append(c)", "a new"),
        ("of another name", BOX, "Go", "box.innerHTML = '<button>Stop</button>'", "no longer exists"),
        ("in a list, several of one record", LIST, "(Bob)", "h = Bob.outerHTML; Bob.remove(); l.innerHTML += h + h", "there are"),
    ],
    name=lambda case: case[0],
)  # fmt: skip
async def test_what_may_be_something_else_is_not_acted_on(
    case: tuple[str, str, str, str, str], run: Run, fails: Fails, show: Show
) -> None:
    _, page, words, change, said = case
    await show_page(show, page)
    ref = await ref_of(run, words)
    await run("js", f"{change}; 1")
    for command in ("click", "hover", "text"):
        assert said in (await fails(f"{command} {ref}", StaleRef)).message, command
    assert await run("js hits.join()") == ""


async def test_several_new_ones_are_named_with_their_records(run: Run, fails: Fails, show: Show) -> None:
    await show_page(show, LIST)
    ref = await ref_of(run, "(Bob)")
    await run(
        "js", "l.innerHTML = ['Dan', 'Eve'].map(n => `<li>${n} <button>Delete</button></li>`).join(''); 1"
    )
    message = (await fails(f"click {ref}", StaleRef)).message
    assert message.endswith("; new ones like it are @e4 (Dan), @e5 (Eve)")


async def test_every_use_of_a_target_follows_and_says_so(run: Run, fails: Fails, show: Show) -> None:
    """Wait for the end of the element itself."""
    await show_page(show, "<div id=box><input aria-label=Name value=a></div>")
    ref = await ref_of(run, "Name")
    await run("js", f"{AGAIN}; 1")
    assert await run(f"fill {ref} b") == f"Filled {ref}\n→ {ref} was drawn anew: @e2"
    assert await run("value @e2") == "b"
    await run("js", f"{AGAIN}; 1")
    assert await run(f"count '{ref} >> xpath=.'") == "1"
    assert (await run(f"wait --hidden {ref}")).startswith(f"Element {ref} is gone")
    await fails(f"expect visible {ref}", StaleRef)
    await run("reload")
    assert "has navigated since" in (await fails(f"click {ref}", StaleRef)).message


async def test_what_is_taken_away_during_a_press_is_not_pressed_again(
    run: Run, fails: Fails, show: Show
) -> None:
    await show_page(
        show,
        f"<div id=box><button onmousedown='n = (window.n || 0) + 1; {AGAIN}' onclick='hits.push(1)'>Go</button></div>",
    )
    ref = await ref_of(run, "Go")
    await run(f"hover {ref}")
    await run(f"click {ref}")
    assert await run("js '[n, hits.length].join()'") == "1,0"
