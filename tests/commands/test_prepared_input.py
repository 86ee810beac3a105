"""Test clicks and fills without a wait: once, never another element, not where waiting is due."""

import asyncio

import pytest

from gstack_browse.browser.actions.input import prepared_input
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.errors import ActionFailed, NotInteractable
from tests.commands.conftest import Run, Shell, Show
from tests.commands.in_page import Mouse
from tests.commands.web import Web

pytestmark = pytest.mark.same_session


JUMPING = """<body style="margin:0"><button id="b" style="position:absolute;left:0;top:0">B</button>
<div id="field" style="width:1000px;height:700px" onclick="wrong = (window.wrong || 0) + 1">field</div><script>
let x = 0, hits = 0;
b.onclick = event => { hits++; event.stopPropagation(); };
(function jump() { x = (x + 97) % 900; b.style.left = x + "px"; requestAnimationFrame(jump); })();
</script>"""


async def test_jumping_target_is_clicked_or_said_not_to_be(run: Run, shell: Shell, show: Show) -> None:
    await show(JUMPING)
    reply = await shell.send("click #b --timeout 300")
    said = {"": "1", NotInteractable.kind: "0", ActionFailed.kind: "0"}
    assert await run("js hits") == said[reply.error], "what the reply says is what happened"
    assert await run("js 'window.wrong || 0'") == "0"


async def test_selection_takes_one_question(run: Run, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(prepared_input, "select_options")
    await show(LISTS)
    assert await run("select '#one' b") == 'Selected "Beta" in #one'
    assert await run("select '#one'", "  Gamma ray ") == 'Selected "Gamma ray" in #one'
    assert await run("select '#many' a Gamma") == 'Selected "Alpha", "Gamma" in #many'
    ref = next(line.split()[0] for line in (await run("snapshot -i")).splitlines() if "listbox" in line)
    assert await run(f"select {ref} b") == f'Selected "Beta" in {ref}'


LISTS = """<select id=one><option value=a>Alpha<option value=b>Beta<option value=c>Gamma
 ray</select><select id=many multiple><option value=a>Alpha<option value=b>Beta<option value=c>Gamma</select>"""


async def test_selection_that_had_to_wait_is_made_once(run: Run, show: Show) -> None:
    """Wait until the list is enabled, has the option, or is there."""
    changes = ("off.disabled = false", "short.add(new Option('Beta', 'b'))", "document.body.append(list)")
    names = ("off", "short", "gone")
    lists = "".join(f"<select id={name}><option value=a>Alpha<option value=b>Beta</select>" for name in names)
    await show(f"""{lists}<script>const told = [], list = gone; off.disabled = true; short.options[1].remove(); gone.remove()
        document.onchange = event => told.push(event.target.id + event.target.value)</script>""")
    for name, later in zip(names, changes, strict=True):
        await run("js", f"told.length = 0; setTimeout(() => {{ {later} }}, 200); 0")
        assert await run(f"select '#{name}' b") == f'Selected "Beta" in #{name}'
        assert await run("js told.join()") == f"{name}b"


async def test_a_selection_that_leads_elsewhere_is_made_once(run: Run, show: Show, web: Web) -> None:
    await show("<select id=one onchange=\"location = '/plain.html?' + this.value\"><option>a<option>b</select>")
    assert await run("select '#one' b") == f'Selected "b" in #one\n→ now at {web.url}/plain.html?b'
    assert (await run("network --all-pages")).count("plain.html?b") == 1


async def test_turn_of_a_script_ends_after_its_value(run: Run, show: Show, shell: Shell) -> None:
    """The page is busy until the value is there; an end of the turn asked for before comes right behind."""
    await show("<p>Here")
    leaves = "setTimeout(() => { location.hash = 'there' }); 1"
    busy = f"for (const end = Date.now() + 60; Date.now() < end;); {leaves}"
    for code in (
        f"await new Promise(done => setTimeout(done, 50)); {leaves}",
        f"await new Promise(done => setTimeout(done)); {busy}",
        f"var ready = new Promise(done => setTimeout(done)); ready.then(() => {{ {busy} }})",
    ):
        await run("js", "location.hash = ''")
        reply = await shell.send("js", code)
        assert reply.code == 0
        assert "#there" in " ".join(reply.notes)


async def test_a_press_that_never_came_guards_nothing(run: Run, shell: Shell, show: Show) -> None:
    """Give way to a later click where the guarded press was lost: at the latest after the guard's time."""
    await show(
        "<button id=go>Go</button><button id=other onclick='others = (window.others || 0) + 1'>Other</button>"
    )
    reply = await shell.browser.tab().world.call(
        "findAndCall", {"selector": "#go"}, "probeElement", "press", "press"
    )
    assert reply["answer"]["prepared"]
    await run("click #other")
    assert await run("js others") == "1"


async def test_end_of_an_earlier_press_is_not_taken_for_the_click(shell: Shell, run: Run, show: Show) -> None:
    """Cut a drag off just before: its end may reach the page during the click."""
    await show("""<style>body { margin: 0 } #a, #b { position: absolute; top: 0; width: 100px; height: 100px } #b { left: 300px }</style>
        <div id=a>A</div><div id=b>B</div><script>heard = []
        for (const type of ['mousedown', 'mouseup', 'click']) addEventListener(type, event => heard.push(event.type + event.target.id))</script>""")
    deadline = asyncio.get_running_loop().time() + 10
    page = PageCommand(shell.browser, shell.browser.tab(), deadline=deadline, seconds=10, patience=None)
    mouse = Mouse(shell.browser.tab().page)
    await mouse.move(50, 50)
    await mouse.down()
    look = (await page.world.call("findAndCall", {"selector": "#b"}, "probeElement", "press", "press"))[
        "answer"
    ]
    await mouse.up()
    assert await prepared_input.click_prepared_point(page, look["prepared"]), (
        "it is the press that is looked at"
    )
    assert await run("js 'heard.join(\" \")'") == "mousedowna mouseupa clicka mousedownb mouseupb clickb"


@pytest.fixture
def late_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Input that the page hears of only when it has given it up: as on a machine that is busy."""
    at_once = Session.send

    def send(session: Session, method: str, params: object = None) -> "asyncio.Future[dict[str, object]]":
        if not method.startswith("Input."):
            return at_once(session, method, params)  # type: ignore[arg-type]
        answer = asyncio.get_running_loop().create_future()

        def say() -> None:
            said = at_once(session, method, params)  # type: ignore[arg-type]
            said.add_done_callback(lambda done: answer.set_result(done.result()))

        asyncio.get_running_loop().call_later(0.3, say)
        return answer

    monkeypatch.setattr(Session, "send", send)


@pytest.mark.usefixtures("late_input")
async def test_input_that_comes_late_is_waited_for_and_guarded(run: Run, show: Show) -> None:
    """Keep a press from what comes under the pointer before the page hears of it."""
    await show("""<input id=f type=search value=old><input id=g role=combobox>
        <button id=a onclick="count = (window.count || 0) + 1">A</button><button id=b onclick="wrong = 1">B</button>""")
    for name in "fg":
        assert await run(f"fill #{name} shoes") == f"Filled #{name}"
        assert await run(f"js {name}.value") == "shoes"
    await run("js", "setTimeout(() => a.before(b), 220); 0")  # after the page has been asked
    await run("click #a")
    assert await run("js 'window.count + String(window.wrong)'") == "1undefined"
