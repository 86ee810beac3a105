"""Test what a page hears of our keyboard, with Playwright's as the oracle.

Meant to differ:
- F13 to F24, which Playwright does not know.
- A letter that a US keyboard lacks, such as é, is a key without a code. Playwright inserts it.
- A chord leaves alone a modifier that is held down already. Playwright presses it again, and then lets it go.
- Playwright leaves the modifiers of a chord down whose last key it does not know. We send nothing.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from operator import methodcaller
from typing import Any

import pytest
import pytest_asyncio

from gstack_browse.browser.command.page import Keyboard
from gstack_browse.browser.tab.tab import HeldInput
from gstack_browse.errors import UsageError
from gstack_browse.registry.values.measures import KEYS
from tests.browser.conftest import Show

PAGE = """<textarea id=t></textarea><input><script>
let heard;
for (const type of ['keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'copy', 'cut', 'paste', 'compositionend'])
  addEventListener(type, e => heard.push([type, e.target.localName, e.key, e.code, e.keyCode, e.which, e.location, e.repeat, e.isComposing,
    e.shiftKey, e.ctrlKey, e.altKey, e.metaKey, e.inputType, e.data].join()), true);
const begin = () => { t.value = 'one two\\nthree four'; t.focus(); t.setSelectionRange(5, 5); heard = [] };
const found = () => [...heard, t.value, t.selectionStart, t.selectionEnd, document.activeElement.localName].join('\\n');
const take = () => { const all = found(); begin(); return all };
begin();
</script>"""
CHARACTERS = [chr(code) for code in range(32, 127)]
CHORDS = [
    "Control+a", "Control+A", "Control+KeyA", "Control+c", "Control+v", "Control+x", "Control+z",
    "Control+Shift+Z", "ControlOrMeta+a", "Alt+a", "Meta+a", "Control++", "Shift+A", "Shift+Digit1",
    "Shift+Slash", "Shift+!", "Shift+Tab", "Shift+Enter", "Control+Enter", "Shift+Space", "Control+Home",
    "Control+End", "Control+Backspace", "Control+Delete", "Shift+Home", "Shift+ArrowLeft", "Shift+ArrowUp",
    "Control+ArrowLeft", "Control+Shift+ArrowRight", "Shift+Numpad1", "Shift+NumpadDecimal",
    "Control+NumpadAdd", "Control+Numpad4", "Control+Alt+Shift+Meta+F2", "Alt+ArrowDown", "Shift+F10",
    "Control+Insert", "Shift+Insert", "Shift+Delete",
]  # fmt: skip
HELD = (
    "+Shift +a +a a ArrowLeft -Shift -a +ShiftRight Digit1 Numpad1 +Alt x -ShiftRight -Alt +Control a -Control"
)
FUNCTION_KEYS = [f"F{number}" for number in range(13, 25)]
TEXT = "Ab 1!\n\r\t😀e\u0301"
pytestmark = pytest.mark.same_session
Press = Callable[[Any], Awaitable[object]]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def oracle() -> AsyncIterator[Any]:
    """A page of Playwright's own browser."""
    from tests.playwright_browser import playwright_browser

    async with playwright_browser() as browser:
        page = await browser.new_page()
        await page.set_content(PAGE)
        yield page


async def _record_events(page: Any, keyboard: Any, press: Press) -> str:
    await press(keyboard)
    heard: str = await page.evaluate("take()")
    return heard


def _press(*keys: str) -> Press:
    async def press_all(keyboard: Any) -> None:
        for key in keys:
            await keyboard.press(key)

    return press_all


async def _hold(held: HeldInput, keyboard: Any) -> None:
    """Type with modifiers down, let a key repeat, and let go in another order."""
    for step in HELD.split():
        how, key = re.fullmatch(r"([+-]?)(.+)", step).groups()  # type: ignore[union-attr]
        if how == "+" and isinstance(keyboard, Keyboard):
            is_repeated = key in held.keys
            held.keys += [] if is_repeated else [key]
            await keyboard.down(key, is_repeated=is_repeated)
        elif how == "+":
            await keyboard.down(key)
        elif how == "-":
            if isinstance(keyboard, Keyboard):
                held.keys.remove(key)
            await keyboard.up(key)
        else:
            await keyboard.press(key)


@pytest.mark.playwright
async def test_every_key_and_chord_is_heard_as_playwrights(show: Show, oracle: Any) -> None:
    tab = await show(PAGE)
    held = HeldInput()
    ours = Keyboard(tab.world, held)
    alone = [*(key for key in KEYS if key not in FUNCTION_KEYS), "\r", "\n"]
    presses = {
        **{" ".join(keys): _press(*keys) for keys in (alone[at : at + 8] for at in range(0, len(alone), 8))},
        **{chord: _press(chord) for chord in CHORDS},
        "characters": _press(*CHARACTERS),
        "text": methodcaller("type", TEXT),
        "held": partial(_hold, held),
    }
    different = {}
    for what, press in presses.items():
        theirs = (await _record_events(oracle, oracle.keyboard, press)).split("\n")
        heard = (await _record_events(tab.page, ours, press)).split("\n")
        assert len(theirs) > 5, what
        if heard != theirs:
            different[what] = heard, theirs
    assert different == {}, list(different.items())[:3]


async def test_keys_that_playwright_does_not_know(show: Show) -> None:
    tab = await show(PAGE)
    held = HeldInput()
    ours = Keyboard(tab.world, held)
    for number, key in enumerate(FUNCTION_KEYS, 13):
        heard = await _record_events(tab.page, ours, methodcaller("press", key))
        assert f"keydown,textarea,{key},{key},{111 + number}," in heard
    held.keys.append("Control")
    heard = await _record_events(tab.page, ours, methodcaller("press", "Control+Shift+F2"))
    assert re.findall(r"^(key\w+),textarea,(\w+)", heard, re.MULTILINE) == [
        ("keydown", "Shift"), ("keydown", "F2"), ("keyup", "F2"), ("keyup", "Shift")
    ]  # fmt: skip
    for letter in "é漢":
        heard = await _record_events(tab.page, ours, methodcaller("press", letter))
        assert f"keydown,textarea,{letter},," in heard
        assert f"insertText,{letter}" in heard
    for key in ("😀", "Alt+é", "NoKey"):
        with pytest.raises(UsageError, match="Unknown key"):
            await ours.press(key)
    assert "keydown" not in await _record_events(tab.page, ours, methodcaller("insert_text", "é"))
