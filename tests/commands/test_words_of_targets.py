"""Test targets by words: printed ones are found, visible ones come first, a part of a text is named.

What is said of a custom element holds for the control in its shadow tree.
"""

import json
import re

import pytest

from gstack_browse.errors import ManyMatches, NoMatch, NotInteractable, StaleRef, TimedOut, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.replies import ref_of
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

WORDS = """<style>button{margin:2px}</style><script>window.L = it => log.textContent = it.id</script>
<button id=br onclick=L(this)>Line<br>break</button>
<button id=blocks onclick=L(this)><div>Two</div><div>blocks</div></button>
<button id=soft onclick=L(this)>Donau&shy;dampf&shy;schiff</button>
<button id=ligature onclick=L(this)>Save &#xfb01;le</button>
<button id=sharp onclick=L(this) style='text-transform:uppercase'>Straße</button>
<button id=accent onclick=L(this)>Cafe&#x301;</button>
<button id=flex onclick=L(this) style='display:flex'><span>New</span><span>&#9654;</span></button>
<label>Prix re&#x301;duit <input id=price></label><p id=log></p>"""


async def test_text_as_it_is_printed_is_found(run: Run, show: Show) -> None:
    await show(WORDS)
    for name, words in {
        "br": "Line break", "blocks": "Two blocks", "soft": "Donaudampfschiff", "ligature": "Save file", "sharp": "STRASSE",
        "accent": "Café", "flex": "New ▶",
    }.items():  # fmt: skip
        for target in (f'text="{words}"', f"text={words}", f'role=button[name="{words}"]'):
            await run("click", target)
            assert await run("text #log") == name, target
    assert await run("text", "text=line BREAK") == "Line\nbreak"
    for target in ('label="Prix réduit"', "label=réduit"):
        await run("fill", target, "3")
    assert await run("count", "text=Line break") == "1"


SAVES = """<div style='position:absolute;left:-5000px'><button onclick="log.textContent='off'">Save</button></div>
<div style='opacity:0'><button onclick="log.textContent='clear'">Save</button></div>
<button onclick="log.textContent='seen'">Save draft</button><p id=log></p>"""


async def test_text_on_the_page_is_preferred_and_a_part_is_named(run: Run, shell: Shell, show: Show) -> None:
    await show(SAVES)
    reply = await shell.send("click text=Save")
    assert await run("text #log") == "seen"
    assert reply.notes == ['text=Save is a part of <button> "Save draft"']
    assert (await shell.send("click 'text=Save draft'")).notes == []


MARKED = """<label>Action: <input id=action></label><label><input type=checkbox id=one>Pick one for an action</label>
<label>Name * <input id=name></label><label>Surname <input id=surname></label><label>Street<i aria-hidden=true> *</i><input id=street></label>
<label>Street of work <input id=work></label><label>Town <input id=town></label><label>Town of birth* <input id=birth></label>
<label>zip <input id=zip></label><label>Zip: <input id=marked></label><label for=due>Due</label><input id=due aria-label="Change date">
<style>.tiny { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0) }</style>
<input type=radio id=two class=tiny><label for=two>Two</label><a href=# aria-label="Tab two">2</a>
<div role=radio tabindex=0 id=ring>Ring</div><div role=button tabindex=0>Ring</div>"""


async def test_label_before_a_colon_or_a_star_is_the_whole_label(run: Run, shell: Shell, show: Show) -> None:
    """Take for whole also a label that ARIA replaces, and the label or text of a radio button."""
    await show(MARKED)
    for target, field in {
        "label=Action": "action", 'label="Action"': "action", "label=action:": "action", "label=Action*": "action",
        "label=Name": "name", 'label="Name"': "name", "label=street": "street", "label=Street*": "street", 'label="Street:"': "street",
        "label=Town": "town", "label='Town:'": "town", "label=Town of birth": "birth",
        "label=zip": "zip", "label=Zip": "zip", "label=Zip:": "marked", 'label="Zip"': "marked",
        "label=Due": "due", "label=two": "two", "label=ring": "ring",
    }.items():  # fmt: skip
        reply = await shell.send("focus", target)
        assert (reply.message, reply.notes) == ("", []), target
        assert await run("js document.activeElement.id") == field, target
    assert (await shell.send("focus label=birth")).notes == [
        'label=birth is a part of <input#birth> "Town of birth*"'
    ]


NAMED = """<a href=#x title="Import lists"><svg width=9 height=9></svg></a><a href=#y aria-label="Export lists"><svg width=9 height=9></svg></a>
<button onclick="log.textContent='photo'"><img alt=Photo src=data:, width=9 height=9></button><button title=Copy>✂</button><p>copy</p><p id=log></p>"""


async def test_text_means_name_where_nothing_says_it(run: Run, shell: Shell, fails: Fails, show: Show) -> None:
    await show(NAMED)
    reply = await shell.send("click 'text=import lists'")
    assert (reply.notes, await run("js location.hash")) == ([], "#x")
    await run("""click 'text="Export lists"'""")
    assert await run("js location.hash") == "#y"
    await run("click text=Photo")
    assert await run("text #log") == "photo"
    assert await run("text text=Copy") == "copy"
    counts = [await run("count", f"text={words}") for words in ("Photo", "Copy", "lists", '"import lists"')]
    assert counts == ["1", "1", "0", "0"]
    assert "Import lists" in (await fails("click 'text=Import list' --timeout 50", NoMatch)).hint


BEHIND = """<button onclick="log.textContent='page'">Delete</button><p>Behind</p><a class=x onclick=1>Close</a><p id=log></p>
<dialog id=d><button onclick="log.textContent='dialog'">Delete it</button><a class=x onclick="d.close()">Close</a></dialog>
<p hidden>Behind</p><main inert><button>Save</button></main><button onclick="log.textContent='saved'">Save</button><script>d.showModal()</script>"""


async def test_inert_match_beside_a_usable_one_is_not_meant(run: Run, fails: Fails, show: Show) -> None:
    """Find a part of a text in the modal dialog before the whole text behind it."""
    await show(BEHIND)
    for target in ("text=Delete", 'role=button[name*="Delete"]'):
        await run("js", "log.textContent = ''")
        await run("click", target)
        assert await run("text #log") == "dialog"
    assert await run("count text=Delete") == "2"
    assert await run("is visible text=Behind") == "true"
    await run("click .x")
    assert await run("js d.open") == "false"
    for target in ("text=Save", "button:has-text('Save')"):
        await run("js", "log.textContent = ''")
        await run("click", target)
        assert await run("text #log") == "saved"
    await run("js d.show()")
    assert "2 elements" in (await fails("click .x --timeout 50", ManyMatches)).message


SEVERAL = """<div class=x hidden>one</div><input class=y hidden><div class=x style='display:none'>two</div>
<input class=y id=seen><input class=y style='visibility:hidden'><div class=x id=third>three</div><div class=x hidden>four</div>
<button onclick="document.querySelectorAll('.x').forEach(it => it.hidden = true)">Hide</button>"""


async def test_several_matches_mean_the_only_visible_one(run: Run, fails: Fails, show: Show) -> None:
    await show(SEVERAL)
    assert "appeared" in await run("wait .x --timeout 2000")
    for target in (".y", "xpath=//input", "body >> .y"):
        await run("fill", target, "v")
    assert await run("value #seen") == "v"
    await run("click button")
    assert "hidden" in await run("wait --hidden .x --timeout 2000")
    await show("<p class=x>1</p><p class=x>2</p><p class=x hidden>3</p>")
    await fails("click .x --timeout 50", ManyMatches)
    assert "appeared" in await run("wait .x --timeout 2000")


HIDDEN_FIRST = """<div role=dialog id=one hidden>One<form><input aria-label=Code></form></div>
<div role=dialog>Two<form><input aria-label=Name></form></div>
<details><summary>More</summary><p class=folded>Folded</p></details><p class=veiled style="visibility:hidden">Veiled</p>
<div id=found hidden=until-found>Later</div><div class=skipped style="content-visibility:hidden;height:9px"><i>In</i></div><p class=empty>&nbsp;</p>"""


HIDES = {
    "#one": "<div#one> has display: none", "#one form": "<div#one> has display: none", ".folded": "<details> is closed",
    ".veiled": "<p.veiled> has visibility: hidden", "#found": "<div#found> has content-visibility: hidden",
    ".skipped": "<div.skipped> has content-visibility: hidden", "i": "<div.skipped> has content-visibility: hidden",
}  # fmt: skip


async def test_reading_a_selector_means_the_visible_match_or_says_why_it_is_hidden(
    run: Run, shell: Shell, show: Show
) -> None:
    await show(HIDDEN_FIRST)
    assert (await run("text [role=dialog]")).split() == ["Two"]
    for command in ("snapshot -s", "forms", "html"):
        assert "Name" in await run(f"{command} [role=dialog]")
    for target, reason in HIDES.items():
        texts = (
            [] if target in (".folded", "i") else ["text", "text --markdown"]
        )  # 'text' prints what a target folds away, and counts what is not drawn
        for command in ("snapshot -s", "snapshot -is", "forms", *texts):
            assert (await shell.send(*command.split(), target)).notes == [f"{target} is hidden: {reason}"]
    assert (await shell.send("text", ".empty")).notes == []
    assert [await run(f"is visible {target}") for target in ("#found", ".skipped")] == ["false", "true"]


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
    for number, (target, name) in enumerate(list(MEANT.items())[::step]):
        assert (target, re.findall('"id": "(.*?)"', await run("attrs", target))) == (target, [name])
        if number % 4 == 2:
            assert (target, await run("is", "visible", target)) == (target, "true")
            assert (target, await run("count", target)) == (target, "1")
    for target in NOBODY[::step]:
        assert (target, await run("count", target)) == (target, "0")
    await fails("attrs", NoMatch, NOBODY[0])


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
    <input type=checkbox id=agree> <span>Agree</span><style>.must::before { content: '* ' }</style>
    <table><tr><th aria-label=State tabindex=0>State</table><label class=must for=state>State</label><input id=state>"""


async def test_words_beside_a_field_without_a_name_are_a_label(run: Run, fails: Fails, show: Show) -> None:
    await show(BESIDE)
    assert '[textbox] (near "Username")' in await run("snapshot -i")
    named = {"Username": "user", "user": "user", "City": "city", "Town": "real", "State": "state"}
    for words, name in named.items():
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


HOSTS = """<style>x-card { display: block; padding: 0 0 200px }</style><script>
  const define = (name, markup) => customElements.define(name, class extends HTMLElement {
    connectedCallback() {
      const off = this.hasAttribute('disabled') || this.hasAttribute('off') ? 'disabled' : ''
      this.attachShadow({mode: 'open'}).innerHTML = markup.replaceAll('OFF', off) } })
  define('x-button', '<button OFF><slot></slot></button>')
  define('x-outer', '<x-button OFF><slot></slot></x-button>')
  define('x-check', '<label><input type=checkbox OFF><b><slot></slot></b></label>')
  define('x-field', '<label for=i style="display:block">Name</label><p></p><input id=i OFF><button OFF>Clear</button>')
  define('x-read', '<input readonly>')
  define('x-list', '<input role=combobox aria-expanded=false OFF><input tabindex=-1 aria-hidden=true>')
  define('x-slide', '<div role=slider tabindex=0 aria-valuenow=1 aria-disabled=true>1</div>')
  define('x-card', '<p>Long words</p><slot></slot><button disabled>Close</button>')
  define('x-pair', '<button disabled>One</button><button>Two</button>')
</script>
<x-button disabled id=b1>Save</x-button><x-button id=b2>Go</x-button><x-button off id=b3>Late</x-button><x-outer disabled id=b4>Deep</x-outer>
<x-check id=c1>Agree</x-check><x-check disabled id=c2>Off</x-check><x-check id=c3>Twice</x-check><x-check id=c4><i>Twice</i></x-check>
<x-field id=f1></x-field><x-field disabled id=f2></x-field><x-read id=f3></x-read><x-list disabled id=l1></x-list><x-list id=l2></x-list>
<x-slide id=s1></x-slide><x-card id=d1 onclick="pressed = 1">Card</x-card><x-pair id=d2></x-pair>"""

DISABLED = ("b1", "b3", "b4", "c2", "f2", "l1", "s1")
ENABLED = ("b2", "c1", "f1", "f3", "l2", "d1", "d2")


async def test_a_host_is_in_the_state_of_its_control(run: Run, show: Show, fails: Fails) -> None:
    await show(HOSTS)
    said = {host: await run(f"is disabled '#{host}'") for host in DISABLED + ENABLED}
    assert said == dict.fromkeys(DISABLED, "true") | dict.fromkeys(ENABLED, "false")
    assert (await run("expect disabled '#b1'")).startswith("Expected: ")
    assert await run("is enabled '#b1'") == "false"
    for host in ("b1", "b3", "b4"):
        assert "is disabled" in (await fails(f"click '#{host}' --timeout 50", NotInteractable)).message
    await run("click '#d1'")
    assert await run("js pressed") == "1"
    editable = [host for host in (*DISABLED, *ENABLED) if await run(f"is editable '#{host}'") == "true"]
    assert editable == ["f1", "l2"]
    assert await run("is checked #c1") == "false"
    assert await run("check #c1") == "Checked #c1"
    assert await run("is checked #c1") == "true"
    assert (await run("expect checked '#c1'")).startswith("Expected: ")


async def test_a_label_is_found_by_words_put_into_its_slot(run: Run, show: Show, fails: Fails) -> None:
    """Find it beside others, and inside of a ref."""
    await show(
        HOSTS
        + "<div role=group tabindex=0 aria-label=Both><x-check id=g>Mine</x-check></div><label>Mine <input type=checkbox id=h></label>"
    )
    for words in ("agree", '"Agree"'):
        assert (await run(f"check 'label={words}'")).startswith(f"Checked label={words}")
    assert await run("is checked label=Agree") == "true"
    assert await run("is disabled label=Off") == "true"
    await fails("check 'label=\"agree\"' --timeout 50", NoMatch)
    for label in ("Twice", "Mine"):
        await fails(f"check label={label} --timeout 600", ManyMatches)
    await run(f"check '{await ref_of(run, 'Both', '')} >> label=Mine'")
    assert await run("js", "[g.shadowRoot.querySelector('input').checked, h.checked].join()") == "true,false"
    assert await run("is disabled 'x-check >> nth=1'") == "true"


async def test_label_is_found_whose_field_calls_itself_otherwise(run: Run, show: Show, fails: Fails) -> None:
    """As in Handsontable's filters and Form.io's dates. An element of that name comes first, as in Playwright."""
    await show("""<label><input type=checkbox aria-label=Checked id=t><span>Tesla</span></label><b id=d>Day</b>
        <label for=m>Month</label><select id=m aria-labelledby=d><option>Jan<option>Feb</select>
        <label for=h style='display: none'>Year</label><input id=h aria-label=Other>""")
    assert await run("check label=Tesla") == "Checked label=Tesla"
    assert await run("select label=Month Feb") == 'Selected "Feb" in label=Month'
    assert await run("attrs label=Day") == await run("attrs '#m'")
    await fails("check 'label=\"tesla\"' --timeout 50", NoMatch)
    await fails("fill label=Year 1 --timeout 50", NoMatch)
