"""Pages of more elements, or longer ones, than a command can read in its time: what there is, and a line that says so."""

import time

import pytest

from gstack_browse.browser.command import observer
from gstack_browse.browser.reading import read
from tests.commands.conftest import Run, Shell, Show
from tests.commands.web import Web
from tests.faults import Seen, fault

pytestmark = pytest.mark.same_session

USUAL = {"elements": 250_000, "milliseconds": 5_000, "characters": 20_000_000}


async def limit(shell: Shell, **limits: int) -> None:
    """Have the page that is shown read less than it would."""
    tab = shell.browser.tabs.get()
    assert tab
    await tab.world.call("setReadingLimits", {**USUAL, **limits})


ROWS = "<table>" + "".join(f"<tr><td><a href=/{n}>link {n}</a><input name=f{n}></td></tr>" for n in range(200))
CUT = "cut: the page is enormous or slow; only its first 100 elements and lines were read"


@fault(
    "Enormous pages",
    "a page of more elements than are read at a time",
    "each reading shows what it has read, and says how much that is",
)
async def test_reading_of_an_enormous_page_shows_its_first_elements(shell: Shell, show: Show) -> None:
    await show(f"<title>many</title>{ROWS}")
    for command in ("text", "links", "forms", "snapshot", "snapshot -i", "accessibility"):
        await limit(shell, elements=100)
        reply = await shell.send(*command.split())
        assert reply.code == 0, reply.message
        assert CUT in reply.notes, command
        assert ("f3" if command == "forms" else "link 3") in reply.text, command
        assert ("f150" if command == "forms" else "link 150") not in reply.text, command
        await limit(shell)
        assert CUT not in (await shell.send(*command.split())).notes, command


async def test_lines_time_and_characters_are_cut(
    shell: Shell, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "MOST_CHARACTERS", 1000)
    await show("<pre>" + "\n".join(f"line {number}" for number in range(300)))
    await limit(shell, elements=100)
    reply = await shell.send("snapshot")
    assert CUT in reply.notes
    assert "line 90" in reply.text
    assert "line 100" not in reply.text
    await show(f"{ROWS * 5}<p>{'word ' * 400}")
    await limit(shell, milliseconds=0)
    reply = await shell.send("text")
    assert "only its first 1,023 elements and lines were read" in reply.notes[0]
    await limit(shell, characters=1000)
    for command in ("text", "html"):
        reply = await shell.send(command)
        assert len(reply.text) <= 1000
        assert reply.notes == ["cut: the page is enormous; only its first 1,000 characters were read"]


@fault("Hostile pages", "a script nests 3,000 inline elements", "their text is read, and none that is hidden")
async def test_text_of_absurdly_deep_elements_is_read(show: Show, run: Run) -> None:
    await show("<p id=a><p id=b style='visibility:hidden'>")
    await run(
        "js",
        """for (const top of [a, b]) {
          let at = top;
          for (let level = 0; level < 3000; level++) at = at.appendChild(document.createElement('b'));
          at.append(`${top === a ? 'deep' : 'hidden'} words`);
        } 1""",
    )
    assert await run("text") == "deep words"
    assert (await run("text --markdown")).strip("*") == "deep words"


@fault("Hostile pages", "a page removes its root element", "each reading says that there is nothing")
async def test_a_document_without_a_root(show: Show, run: Run) -> None:
    await show("<p>x")
    await run("js", "document.documentElement.remove(); 1")
    for command in ("text", "html", "links", "forms", "snapshot", "snapshot -i"):
        assert len(await run(command)) < 40, command
    for options in ("", "--viewport", "--clip 0,0,9,9"):
        assert await run(f"screenshot a.png {options}")
    assert await run("scroll bottom")


@fault(
    "Enormous pages",
    "a document that is not read to its end within the deadline of goto, reload or back",
    "the command says in time that the page was cut (0); what was read is shown; nothing arrives later",
)
@pytest.mark.parametrize("how", ["goto --timeout 300", "reload", "back"])
async def test_a_document_that_is_not_read_in_time(shell: Shell, show: Show, web: Web, how: str) -> None:
    half = f"{web.url}/half"
    done = f"Navigated to {half} (200)"
    if how in ("reload", "back"):
        while (await shell.send("url")).text != half:  # on a busy machine nothing of it may be there in time
            await shell.send("goto", half, timeout=500)
        done = f"{'Reloaded' if how == 'reload' else 'Back →'} {half}"
    if how == "back":
        await show("<h1>Between</h1>")
    command, *options = how.split()
    reply = await shell.send(command, *([half] if command == "goto" else []), *options, timeout=2500)
    while options and (reply.code or not (await shell.send("text")).text):  # a busy machine has nothing yet
        options[-1] = str(int(options[-1]) * 2)
        reply = await shell.send(command, half, *options)
    assert (reply.code, reply.text) == (0, f"{done}\n{observer.CUT}"), reply.message
    assert (await shell.send("text")).text == "The first half"
    assert (await shell.send("js", "document.readyState")).text == "complete"
    assert (await shell.send("goto", web.show("<h1>After</h1>"))).text.endswith("(200)")


ENORMOUS = "<title>big</title><table>" + "".join(
    f"<tr><td>cell {n}</td><td><a href=/{n}>link {n}</a></td><td>some more words {n}</td></tr>"
    for n in range(30_000)
)


@fault(
    "Enormous pages",
    "a table of 150,000 elements",
    "text, html, links, forms, snapshot and accessibility answer within their deadlines; other tabs go on",
    slow=True,
)
async def test_a_table_of_many_elements(shell: Shell, web: Web, seen: Seen) -> None:
    assert (await shell.send("goto", web.show(ENORMOUS), timeout=90_000)).code == 0
    for command in ("text", "html", "links", "forms", "snapshot", "snapshot -i", "accessibility"):
        began = time.monotonic()
        reply = await shell.send(*command.split())
        assert reply.code == 0, (command, reply.message)
        seen(f"{command}: {time.monotonic() - began:.1f} s{', cut' if reply.notes else ''}")
