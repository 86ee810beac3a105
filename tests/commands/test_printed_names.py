"""Test names in selectors that snapshots print and the markup does not have."""

import json
import re

import pytest

from gstack_browse.errors import ManyMatches, NoMatch, StaleRef, TimedOut, UsageError
from tests.commands.conftest import Fails, Run, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

BODY = """<style>.u { text-transform: uppercase } .c { text-transform: capitalize } .l { text-transform: lowercase }</style>
<button class=u id=create>Create</button><button class=u id=all><span id=words>Save  all</span></button><a href="#x" class=c id=docs>read the docs</a>
<button class=l id=cancel>CANCEL</button><label class=u>Email <input id=email></label><button id=more>CREATE more</button>
<button class=u id=street>straße</button><button class=u id=close aria-label="Close it">x</button><h2 class=u id=title>Big title</h2>
<div class=u onclick="this.title = 'hit'" style="cursor: pointer" id=open>Open it</div>
<button class=u id=hidden hidden>Gone</button><button class=u id=soft>Delete</button><button id=hard>DELETE</button>
<button class=u id=rooted>Beside<i><span style='display: inline-block; width: 9px; height: 9px'></span></i></button>
<form onsubmit='title = `sent`; return false'><input type=submit id=sub><input type=reset id=res><input type=button value=Other></form>
<map name=m><area shape=rect coords="0,0,50,50" href="#a" alt=A id=areaA><area shape=rect coords="50,0,100,50" href="#b" alt=B id=areaB><area alt=C></map>
<img usemap="#m" width=100 height=50 src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='100' height='50'/>">
<div role=dialog aria-label="one" class=u id=dialog><h3 id=sign>Sign in</h3><button class=u id=ok>Go on</button></div>"""

MEANT = {
    'role=button[name="CREATE"]': "create", "role=button[name=CREATE]": "create", "role=button[name='CREATE']": "create",
    'text="CREATE"': "create", "text=CREATE": "create", 'role=button[name="SAVE ALL"]': "all", "role=button[name=SAVE ALL]": "all", 'text="SAVE ALL"': "words", "'SAVE ALL'": "words",
    'role=link[name="Read The Docs"]': "docs", 'text="Read The Docs"': "docs", 'role=button[name="cancel"]': "cancel",
    'label="EMAIL"': "email", "label=EMAIL": "email", 'text="OPEN IT"': "open", 'role=button[name="STRASSE"]': "street",
    'role=heading[name="BIG TITLE"][level=2]': "title", 'role=dialog >> role=button[name="GO ON"]': "ok",
    'role=button[name="GO ON"] >> nth=0': "ok", 'text="GO ON" >> visible=true': "ok", 'role=button[name="DELETE"]': "hard", 'text="DELETE"': "hard",
    'role=button[name="Create"]': "create", 'role=button[name="create" i]': "create", 'text="BESIDE"': "rooted", "text=Submit": "sub", "text=submit": "sub",
    'text="Submit"': "sub", "'Submit'": "sub", "form >> text=Submit": "sub", "text=Reset": "res", 'role=link[name="B"]': "areaB",
}  # fmt: skip
NOBODY = [
    'role=button[name="cREATE"]', 'role=button[name="CLOSE IT"]', 'role=button[name="GONE"]', 'text="cREATE"', 'role=link[name="CREATE"]',
    'role=heading[name="BIG TITLE"][level=3]', 'label="emaiL"', 'role=button[name="CREAT"]', 'text="OPEN"', 'text="submit"', 'role=link[name="C"]',
]  # fmt: skip


async def _check(run: Run, fails: Fails, *, is_whole: bool = False) -> None:
    """Find each name that is meant, all of them where `is_whole`, else every fourth."""
    step = 1 if is_whole else 4
    for target, name in list(MEANT.items())[::step]:
        assert (target, re.findall('"id": "(.*?)"', await run("attrs", target))) == (target, [name])
        assert (target, await run("is", "visible", target)) == (target, "true")
        assert target == "text=CREATE" or await run("count", target) == "1"
    for target in NOBODY[::step]:
        await fails("attrs", NoMatch, target)
        assert (target, await run("count", target)) == (target, "0")


async def test_in_the_letters_that_are_shown(run: Run, fails: Fails, show: Show, web: Web) -> None:
    """Print names as shown, and locators in the letters of the markup: other programs compare these."""
    await show(BODY)
    await _check(run, fails, is_whole=True)
    await run("click", 'text="OPEN IT"')
    assert await run("js", "document.querySelector('#open').title") == "hit"
    assert await run("wait", 'role=button[name="CREATE"]') == 'Element role=button[name="CREATE"] appeared'
    assert "CREATE" in await run("snapshot", "-s", 'role=button[name="CREATE"]')
    ref = (await run("snapshot", "-s", "#dialog")).split()[0]
    assert '"id": "ok"' in await run("attrs", f'{ref} >> role=button[name="GO ON"]')
    assert await run("locator #close") == 'role=button[name="Close it"]'
    await run("click text=Submit")
    assert await run("js document.forms[0].title") == "sent"
    assert "#b" in await run("click", 'role=link[name="B"]')
    in_shadow = web.show_elsewhere(f"<div><template shadowrootmode=open>{BODY}</template></div>")
    await show(f"<iframe src='{in_shadow}'></iframe>")
    await run("frame iframe")
    await _check(run, fails)


async def test_several_of_a_printed_name_are_listed(run: Run, fails: Fails, show: Show) -> None:
    buttons = "<p>1 <button>Copy</button></p><p>2 <button>copy</button></p>"
    await show(f"<style>button {{ text-transform: uppercase }}</style>{buttons}")
    copy = 'role=button[name="COPY"]'
    assert "2 elements" in (await fails("click --timeout 50", ManyMatches, copy)).message
    assert await run("count", copy) == "2"
    assert await run("click", f"{copy} >> nth=1") == f"Clicked {copy} >> nth=1"


async def test_target_without_words_or_element_is_refused(run: Run, fails: Fails, show: Show) -> None:
    """Try several ways to write it, and several commands."""
    await show("<button>Delete all</button>")
    for target in (
        "text=", "text= ", 'text=""', "text=''", "text=//", "body >> text=", 'button:has-text("")', ":text('')",
    ):  # fmt: skip
        assert "no words" in (await fails("count", UsageError, target)).message
    for command in ("click --timeout 50", "is visible", "text"):
        assert "no words" in (await fails(command, UsageError, "text=")).message
    for escape in ("ffffff", "d800", "0"):
        assert await run("count", f'button:has-text("\\{escape}")') == "0"
    for target in ("nth=0", "xpath=/", "xpath=//text()", "xpath=//@id"):
        for command in ("click --timeout 50", "attrs"):
            await fails(command, NoMatch, target)


async def test_no_break_space_is_printed_and_typed_blank(run: Run, fails: Fails, show: Show, web: Web) -> None:
    """Give programs what the page has: `--json`."""
    inside = web.show_elsewhere("<button>In&nbsp;a frame</button>")
    await show(
        "<button onclick='out.textContent = 1'>Save&nbsp;&nbsp;all <b>&nbsp;now </b></button><a href=#x>&nbsp;Next&nbsp;</a>"
        f"<h1>One two</h1><iframe src='{inside}'></iframe><input aria-label='Unit&nbsp;price'><p id=out>0</p>"
    )
    shown = await run("snapshot -i")
    assert re.findall(r'"(.*?)"', shown) == ["Save all now", "Next", "In a frame", "Unit price"]
    names = [found["name"] for found in json.loads(await run("snapshot -i --json")) if "name" in found]
    assert names == ["Save\xa0\xa0all \xa0now", "\xa0Next\xa0", "In\xa0a frame", "Unit\xa0price"]
    assert (await run("click 'role=button[name=\"Save all now\"]'")).startswith("Clicked")
    assert await run("text '#out'") == "1"
    assert "Save all now" in await run("snapshot --find 'all now'")
    assert await run("fill 'label=Unit price' 3") == "Filled label=Unit price"
    await run("js", "save = document.querySelector('button'); save.replaceWith(save.cloneNode(true), save.cloneNode(true))")  # fmt: skip
    message = (await fails(f"click {shown.split()[0]}", StaleRef)).message
    assert re.search(r'\(\[button\] "Save all now"\) is stale .*; new ones like it are @e\d+, @e\d+$', message)


BESIDE = """<div><label>Username</label><input id=user></div><table><tr><td>City<td><input id=city></table>
    <p><label for=real>Town</label><input id=real></p><div>Town <input id=other></div><div>Code <input id=one></div><div>Code <input id=two></div>
    <input type=checkbox id=agree> <span>Agree</span>"""


async def test_words_beside_a_field_without_a_name_are_a_label(run: Run, fails: Fails, show: Show) -> None:
    await show(BESIDE)
    assert '[textbox] (near "Username")' in await run("snapshot -i")
    for words, name in {"Username": "user", "user": "user", "City": "city", "Town": "real"}.items():
        await run("fill", f"label={words}", name)
        assert await run("js", f"{name}.value") == name
    assert await run("check", 'label="Agree"') == 'Checked label="Agree"'
    assert await run("fill-form", '{"label=Username": "Ann", "label=City": "Rome"}') == "Filled 2 fields"
    for words, count in {"Username": "1", "Code": "2", "Price:": "0"}.items():
        assert await run("count", f"label={words}") == count
    assert (await run("expect count label=Code 2")).startswith("Expected: 2 elements")
    await fails("fill --timeout 300", NoMatch, 'label="User"', "x")
    await fails("wait --hidden label=City --timeout 300", TimedOut)
    assert (await fails("fill", ManyMatches, "label=Code", "x")).hint.count('(near "Code")') == 2
