"""Test targets by words: printed ones are found, visible ones come first, a part of a text is named."""

import pytest

from gstack_browse.errors import ManyMatches, NoMatch
from tests.commands.conftest import Fails, Run, Shell, Show

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
