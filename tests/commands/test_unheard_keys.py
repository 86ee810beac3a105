"""Test that a text is written in one piece where the page listens for no keys, and hears of it all the same.

What Chromium keeps from a page is never called done.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from gstack_browse.browser.actions.input import keyboard, prepared_input
from gstack_browse.errors import ActionFailed
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.each import each
from tests.faults import fault

pytestmark = pytest.mark.same_session

FORM = """<div id=around><form><input id=f><textarea id=t></textarea><input id=n type=number><input id=m maxlength=3><button>Go</button></form></div><script>
heard = []; said = []; note = (event) => heard.push(event.key);
addEventListener('input', (event) => said.push([event.isTrusted, event.target.value, navigator.userActivation.isActive].join()));
</script>"""

LISTENING = {
    "document": "document.addEventListener('keyup', note)",
    "a frame's script": "const i = document.body.appendChild(document.createElement('iframe'));"
    "i.contentWindow.eval('(field, note) => field.addEventListener(`keydown`, note)')(f, note)",
    "a custom element's": "customElements.define('x-around', class extends HTMLElement { constructor() { super();"
    " const root = this.attachShadow({ mode: 'closed' }); root.innerHTML = '<p><slot></slot></p>';"
    " root.firstChild.addEventListener('keydown', note) } });"
    "const x = document.createElement('x-around'); around.before(x); x.append(around)",
}


@pytest.fixture
def pressed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the values that fields were given by keys, in their order."""
    values = list[str]()
    press = prepared_input.press_keys

    async def noted(element: Any, events: Any, value: str = "") -> Any:
        values.append(value)
        return await press(element, events, value)

    monkeypatch.setattr(prepared_input, "press_keys", noted)
    return values


async def test_nobody_is_told_of_a_key_that_nobody_hears(run: Run, show: Show, pressed: list[str]) -> None:
    """Write so into one field, and into those of a form."""
    await show(FORM)
    for target, value in [("#f", "one"), ("#f", "two"), ("#t", "three"), ("#n", "4.5"), ("#f", "é🎈")]:
        assert await run(f"fill '{target}' {value}") == f"Filled {target}"
        assert await run(f"value '{target}'") == value
    assert pressed == ["one"]
    assert await run("js said.at(-1)") == "true,é🎈,true"
    assert await run("""fill-form '{"#f": "a", "#t": "b", "#n": "7", "#m": "c"}'""") == "Filled 4 fields"
    assert await run("js", "[f, t, n, m].map((field) => field.value).join()") == "a,b,7,c"
    assert len(pressed) <= 2


@each(LISTENING)
async def test_late_key_listener_hears_the_next_text(who: str, run: Run, show: Show) -> None:
    """Listen in several places, after two unheard texts."""
    await show(FORM)
    for value in ("one", "two"):
        await run(f"fill '#f' {value}")
    await run("js", f"{LISTENING[who]}; 0")
    await run("fill '#f' new")
    assert await run("js", "[heard.join(), f.value]") == '["w","new"]'


async def test_a_page_hears_nothing_of_being_asked(run: Run, show: Show) -> None:
    await show(
        FORM + "<script>calls = 0; getEventListeners = $x = () => { calls++; return {} };"
        "Object.defineProperty(Document.prototype, 'activeElement', { get() { calls++; return document.body } })</script>"
        "<p id='$$'></p>"
    )
    for value in ("one", "two"):
        assert await run(f"fill '#f' {value}") == "Filled #f"
    assert await run("js calls") == "0"


async def test_value_changed_by_the_page_is_told_for_bulk_text(run: Run, show: Show) -> None:
    """Tell its other effects, too."""
    await show(FORM)
    for value in ("one", "two"):
        await run(f"fill '#f' {value}")
    for made, said in {
        "f.value = f.value.toUpperCase()": '→ the page made it "THREE"',
        "alert('no')": "→ alert",
        "location.hash = f.value": "→ now at",
        "setTimeout(() => { f.value = '12' })": '→ the page made it "12"',
        "f.replaceWith(Object.assign(f.cloneNode(), { value: f.value, oninput: f.oninput }))": "",
    }.items():
        await run("js", f"f.oninput = null; f.value = 'two'; f.oninput = () => {{ {made} }}; 0")
        reply = await run("fill '#f' three")
        assert reply.startswith("Filled #f")
        assert said in reply


PAGE = """<button id=save onclick="heard.push('save')">Save</button><label>Agree <input type=checkbox id=agree></label>
<input id=field><div id=far style="animation: far 1s infinite alternate linear; width: 90px" onclick="heard.push('far')">Far</div>
<style>@keyframes far { to { margin-left: 2px } }</style><iframe srcdoc="<button>Inner</button><input>"></iframe>
<script>heard = []</script>"""
KEPT = "Chromium keeps all input from the page, as while it asks something in a window of its own"


@asynccontextmanager
async def held_back(shell: Shell) -> AsyncIterator[None]:
    """Have Chromium keep all input from the page."""
    session = shell.browser.tab().world.session
    await session.send("Input.setIgnoreInputEvents", {"ignore": True})
    try:
        yield
    finally:
        await session.send("Input.setIgnoreInputEvents", {"ignore": False})


@pytest.mark.both_browsers
async def test_press_that_chromium_keeps_back_fails(run: Run, fails: Fails, show: Show, shell: Shell) -> None:
    """Press in a frame, too."""
    await show(PAGE)
    for pressed in ("click #save --button right", "click #far", "check #agree"):
        async with held_back(shell):
            reply = await fails(pressed, ActionFailed)
        assert KEPT in reply.message, pressed
        assert reply.hint == "Run 'restart': tabs and logins stay"
        assert await run("js 'heard.length + String(agree.checked)'") == "0false", pressed
        await run(pressed)
        await run("js", "heard = []")
    await run("frame iframe")
    async with held_back(shell):
        reply = await fails("click button", ActionFailed)
    assert reply.message.endswith("was not pressed: no press came into its frame")
    await run("frame main")


async def test_input_that_chromium_drops_once_is_sent_again(
    run: Run, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chromium drops the input of a moment in which a dialog or a window of the page opens by itself."""
    click, press = prepared_input.click_prepared_point, prepared_input.press_button

    async def drop_click(*words: Any, **options: Any) -> prepared_input.PressOutcome:
        monkeypatch.undo()
        async with held_back(shell):
            return await click(*words, **options)

    async def drop_press(*words: Any, **options: Any) -> None:
        monkeypatch.undo()
        async with held_back(shell):
            await press(*words, **options)

    await show(PAGE)
    for pressed, heard in {"click #save": 1, "dblclick #save": 2, "click #save --modifiers Shift": 1}.items():
        monkeypatch.setattr(prepared_input, "click_prepared_point", drop_click)
        monkeypatch.setattr(prepared_input, "press_button", drop_press)
        assert (await run(pressed)).startswith("Clicked #save")
        assert await run("js heard.splice(0).length") == str(heard), pressed
    send = keyboard.send_keys

    async def drop_keys(page: Any, sending: Any) -> None:
        monkeypatch.undo()
        async with held_back(shell):
            await send(page, sending)

    await run("focus #field")
    for keys, value in {"press a": "a", "keydown b": "ab", "press Shift+c": "abC"}.items():
        monkeypatch.setattr(keyboard, "send_keys", drop_keys)
        await run(keys)
        assert await run("value #field") == value, keys
        await run("keyup b")


@fault(
    "Hangs",
    "Chromium keeps input from a page that answers, as while it asks a person something",
    "presses and keys fail (1) and say so; none is called done, nothing arrives later",
)
@pytest.mark.both_browsers
async def test_key_that_chromium_keeps_back_fails(run: Run, fails: Fails, show: Show, shell: Shell) -> None:
    await show(PAGE)
    await run("focus #field")
    for keys in ("press a", "press Enter", "press Control+a", "keydown Shift", "type hello"):
        async with held_back(shell):
            assert KEPT in (await fails(keys, ActionFailed)).message, keys


@pytest.mark.both_browsers
async def test_page_that_keeps_presses_from_every_listener_has_heard_them(run: Run, show: Show) -> None:
    await show("""
        <button>Go</button><script>count = 0; for (const type of ['pointerdown', 'mousedown', 'keydown'])
        window.addEventListener(type, (event) => { count++; event.stopImmediatePropagation() }, true)</script>""")
    assert await run("click button") == "Clicked button"
    assert await run("press a") == "Pressed a"
    assert await run("js count") == "3"
