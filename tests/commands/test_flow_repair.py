"""Test the candidates that a stopped run lists, and the healed flow that it writes."""

import re
from typing import NamedTuple

import pytest

from gstack_browse.errors import ActionFailed
from tests.commands.conftest import Fails, Run, Save, Shell
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session


class Stop(NamedTuple):
    """A step, the page that it was saved on, the page on which its run stops, and the lines of the hint."""

    step: str
    before: str
    after: str
    hint: list[str]


ROWS = (
    "<table><tr><th>Name<th>Price<th></tr>"
    + 3 * "<tr><td>{}<td>{}<td><button>Edit</button><button>Remove</button></tr>"
    + "</table>"
)
BOOK = """<main><h2>Book</h2><form aria-label=Book><label>{0} <input id={1} name={1}></label>
<label>Pages <input name=pages></label><button>Save</button></form>
<form aria-label=Search><label>Words <input name=q></label></form></main>"""
SENDS = "<form onsubmit='return false'><input type=submit name=_save value='{}'><input type=submit name=_add value='Save and add another'></form>"
SAVE_BUTTON = "click 'role=button[name=\"Save\"]'"
ITSELF = "Act on it yourself"
STOPS = {
    "other rows are told with their rows, and none is proposed": Stop(
        "click 'tr:nth-of-type(3) button:nth-of-type(2)'", ROWS.format("Brisk Globe", 7, "Quiet Kettle", 9, "Jade Drum", 8),
        ROWS.format("Brisk Globe", 7, "Loud Kettle", 12, "Jade Drum", 8),
        [
            "Candidates:",
            '  @ button "Remove" in row "Loud Kettle": another one, beside "Loud Kettle 12 Edit Remove", not "Quiet Kettle 9 Edit Remove"',
            '  @ button "Remove" in row "Brisk Globe": another one, beside "Brisk Globe 7 Edit Remove", not "Quiet Kettle 9 Edit Remove"',
            '  @ button "Remove" in row "Jade Drum": another one, beside "Jade Drum 8 Edit Remove", not "Quiet Kettle 9 Edit Remove"',
            f"{ITSELF} and go on with --from 3; or write into step 2 what 'locator <ref>' prints of the right one, and remove the note (#@)",
        ],
    ),
    "the note alone is to be removed where the selector finds the candidate": Stop(
        "click '#save'", "<button id=save>Save</button>", "<button id=save>Keep it</button>",
        [
            "Candidates:", '  @ button "Keep it": name "Keep it", not "Save"', f"{ITSELF} and go on with --from 3",
            "To take @, remove the note (#@) of step 2, and go on with --from 2",
        ],
    ),
    "a line is proposed for a button that has kept what the server is told": Stop(
        SAVE_BUTTON, SENDS.format("Save"), SENDS.format("Keep it"),
        [
            "Candidates:", '  @ button "Keep it": name "Keep it", not "Save"',
            '  @ button "Save and add another": name "Save and add another", not "Save", field name "_add", not "_save"',
            f"{ITSELF} and go on with --from 3", "To take @, write step 2 so, without its note (#@), and go on with --from 2:",
            "  click 'role=button[name=\"Keep it\"]'",
        ],
    ),
    "the nearest is told with what speaks against it": Stop(
        "fill label=Title Dune", BOOK.format("Title", "t-1"), BOOK.format("Headline", "h-1"),
        [
            "Nothing on the page is certain; the nearest:", '  @ textbox "Headline" in form "Book": name "Headline", not "Title"',
            f"{ITSELF} and go on with --from 3; or write into step 2 what 'locator <ref>' prints of the right one, and remove the note (#@)",
        ],
    ),
    "nothing is like it": Stop(
        "fill label=Title Dune", BOOK.format("Title", "t-1"), "<p>Gone</p>",
        ["Nothing on the page is like it", f"{ITSELF} and go on with --from 3"],
    ),
}  # fmt: skip


@each(STOPS)
async def test_stopped_run_lists_candidates_with_what_speaks_against_them_and_what_to_write(
    name: str, run: Run, fails: Fails, web: Web, save: Save
) -> None:
    step, before, after, hint = STOPS[name]
    web.pages["/stop"] = before, {}
    file = await save("/stop?", step, "press Tab")
    web.pages["/stop"] = after, {}
    reply = await fails(f"flow-run {file} --wait 50 --heal yes", ActionFailed)
    lines = [re.sub(r"@e\d+", "@", line) for line in reply.hint.splitlines() if "handoff" not in line]
    assert lines == hint
    if lines[-1].startswith("  click"):
        file.write_text(re.sub(r"click .*\n#@.*", lambda _: lines[-1].strip(), file.read_text()))
        assert "2 steps passed" in await run(f"flow-run {file} --from 2")


CARD = """<div><h3>{0}</h3><div><button onclick="document.title = 'buy {0}'">Buy</button>
<button onclick="document.title = 'wish {0}'">Wish</button></div></div>"""


async def test_card_without_a_role_is_told_by_its_text(run: Run, fails: Fails, web: Web, shell: Shell) -> None:
    """Give all cards the same two buttons, and nothing else beside them."""
    file = shell.workspace / "cards.flow"
    names = ["Red Lamp", "Blue Lamp", "Green Lamp"]
    web.pages["/cards"] = "".join(map(CARD.format, names)), {}
    await run("goto", f"{web.url}/cards?")
    await run("click", re.findall(r'(@e\d+) \[button\] "Buy"', await run("snapshot -i"))[1])
    await run(f"flow-save {file} --last 2")
    assert 'around="Blue Lamp Wish"' in file.read_text()
    for others, told, bought in (
        (["New Lamp", *names], ": moved: ", "buy Blue Lamp"), ([names[0], "Pink Lamp", names[2]], ": changed: ", ""),
    ):  # fmt: skip
        web.pages["/cards"] = "".join(map(CARD.format, others)), {}
        assert told in (await fails(f"flow-run {file} --wait 50", ActionFailed)).message
        assert await run("title") == ""
        await shell.send(f"flow-run {file} --wait 50 --heal yes")
        assert await run("title") == bought


MANY = """{0}<p>Bins <button {1} onclick="document.title += ' bins'">Empty</button></p>
<p>Carts <button onclick="document.title += ' carts'">Empty</button></p>"""


async def test_run_from_a_later_step_heals_and_writes_the_whole_flow_with_its_comments(
    run: Run, web: Web, shell: Shell, save: Save
) -> None:
    """The page has so many elements that a selector is only likely until all of them were looked at."""
    fillers = "".join(f"<button>b{number}</button>" for number in range(70))
    web.pages["/many"] = MANY.format(fillers, "id=bin data-testid=b"), {}
    healed = shell.workspace / "many.healed.flow"
    file = await save("/many", "click '#bin'", "click 'role=button[name=b7]'")
    text = file.read_text().replace("click '#bin'", '# Empty the bins first\nclick "#bin"\n# as said')
    file.write_text(text)
    web.pages["/many"] = MANY.format(fillers, "id=other"), {}
    await run("goto", f"{web.url}/many")
    said = await run(f"flow-run {file} --from 2 --wait 50 --heal yes")
    assert said.endswith(
        f"2 steps passed in {said.rpartition(' in ')[2].partition(chr(10))[0]}\n→ 1 healed: {healed}"
    )
    assert await run("title") == "bins"
    lines, before = healed.read_text().splitlines(), text.splitlines()
    assert [line for line in lines if "#other" not in line and "id=other" not in line] == [
        line for line in before if "#bin" not in line and "id=bin" not in line
    ]
    assert "click '#other'" in lines, lines
    assert "7 steps" not in await run(f"flow-run {healed} --wait 50")
    assert await run("title") == "bins"


async def test_healed_flow_keeps_variables_and_knows_the_marks_that_others_share(
    run: Run, web: Web, shell: Shell, save: Save
) -> None:
    row = '<li>{0} <button data-testid=row id="{1}" onclick="document.title = this.textContent">Open {0}</button></li>'
    names = ("Red", "Green", "Blue")

    def page(prefix: str) -> str:
        return "<ul>" + "".join(row.format(name, f"{prefix}{name}") for name in names) + "</ul>"

    web.pages["/list"] = page("a-"), {}
    healed = shell.workspace / "list.healed.flow"
    file = await save("/list", "click '#a-Green'", options="--as-var Green=colour")
    assert 'click "#a-$colour"' in file.read_text()
    web.pages["/list"] = page("b-"), {}
    await run(f"flow-run {file} --var colour=Blue --wait 50 --heal yes")
    assert await run("title") == "Open Blue"
    text = healed.read_text()
    assert "shared=testid" in text
    assert "Blue" not in text
    await run(f"flow-run {healed} --var colour=Red --wait 50")
    assert await run("title") == "Open Red"


async def test_mark_of_the_record_of_then_proves_nothing_of_another_value(
    run: Run, fails: Fails, web: Web, save: Save
) -> None:
    row = """<li>{0} <button id="remove-{1}" onclick="document.title = '{0}'">Remove</button>
        <a href="/item/{1}" onclick="document.title = 'open {0}'; return false">{0}</a></li>"""
    names = ["Quiet Kettle", "Red Mug", "Jade Drum"]

    def page(names: list[str]) -> str:
        return "<ul>" + "".join(row.format(name, name.lower().replace(" ", "-")) for name in names) + "</ul>"

    web.pages["/list"] = page(names), {}
    file = await save(
        "/list",
        'click \'li:has-text("Quiet Kettle") >> role=button[name="Remove"]\'',
        "click 'role=link[name=\"Quiet Kettle\"]'",
        options="--as-var 'Quiet Kettle=item'",
    )
    assert "id=remove-quiet-kettle" in file.read_text()
    assert "href=/item/quiet-kettle" in file.read_text()
    assert "healed" not in await run(f"flow-run {file} --var", "item=Red Mug")
    assert await run("title") == "open Red Mug"
    for step in (2, 3):
        web.pages["/list"] = page(["Quiet Kettle", "Jade Drum"]), {}
        await run("goto", f"{web.url}/list")
        await fails(f"flow-run {file} --from {step} --wait 50 --heal yes --var", ActionFailed, "item=Red Mug")
        assert await run("title") == ""


async def test_run_from_a_later_step_acts_in_the_tabs_of_the_run_before_or_not_at_all(
    run: Run, fails: Fails, web: Web, shell: Shell
) -> None:
    web.pages["/one"] = "<title>One</title><a href=/two target=_blank>Two</a><button>Go</button>", {}
    web.pages["/two"] = "<title>Two</title><button>Go</button>", {}
    file = shell.workspace / "tabs.flow"
    await run("newtab about:blank")
    await run("goto", f"{web.url}/one")
    opened = await run("click text=Two")
    await run("tab", opened.rsplit("opened tab ")[1].split(":")[0])
    await run("click text=Go")
    await run("closetab")
    await run(f"flow-save {file} --last 5")
    text = file.read_text()
    file.write_text(text + "tab 1\nexpect title =One\n")
    assert "7 steps passed" in await run(f"flow-run {file}")
    other = shell.workspace / "other.flow"
    other.write_text(file.read_text())
    await run("newtab", f"{web.url}/two")
    reply = await fails(f"flow-run {other} --from 6", ActionFailed)
    assert "Which tab is tab 1 of the flow is not known" in reply.message
    assert "7 steps passed" in await run(f"flow-run {other}")
    await run("newtab", f"{web.url}/two")
    assert "2 steps passed" in await run(f"flow-run {other} --from 6")


SAVES = """<button onclick="{}fetch('/save', {{method: 'POST'}})">Save</button>"""


async def test_request_that_fails_stops_the_run_unless_it_failed_then_or_went_to_another_server(
    run: Run, fails: Fails, web: Web, save: Save
) -> None:
    web.pages["/edit"] = SAVES.format(""), {}
    file = await save("/edit", "click text=Save")
    noted = file.read_text()
    assert "\n#@ fails POST **/save\n" in noted
    assert "2 steps passed" in await run(f"flow-run {file}")
    web.pages["/save"] = "done", {}
    assert "2 steps passed" in await run(f"flow-run {file}"), "it need not fail again"
    file = await save("/edit", "click text=Save")
    web.pages["/edit"] = SAVES.format(f"fetch('{web.other}/status/503', {{method: 'POST'}});"), {}
    assert "2 steps passed" in await run(f"flow-run {file}")
    del web.pages["/save"]
    stopped = await fails(f"flow-run {file}", ActionFailed)
    assert "changed: POST /save failed (404), and did not when the flow was saved" in stopped.message
    assert stopped.hint == "If it may fail, write '#@ fails POST **/save' below the step"


async def test_question_that_did_not_come_when_the_flow_was_saved_stops_the_run_unanswered(
    run: Run, fails: Fails, web: Web, save: Save
) -> None:
    asks = "<button onclick=\"{}document.title = 'saved'\">Save</button>"
    web.pages["/edit"] = asks.format(""), {}
    file = await save("/edit", "click text=Save")
    web.pages["/edit"] = asks.format("if (confirm('Overwrite?')) "), {}
    stopped = await fails(f"flow-run {file}", ActionFailed)
    assert 'changed: the page asked "Overwrite?", and did not when the flow was saved' in stopped.message
    assert await run("title") != "saved"
    await run("click text=Save")
    assert await run("title") == "saved", "what is done by hand is accepted"
    file.write_text(file.read_text().replace("click ", "dialog-accept\nclick "))
    assert "3 steps passed" in await run(f"flow-run {file}")
    other = await save("/edit", "dialog-accept", "click text=Save")
    assert "expect dialog '=Overwrite?'" in other.read_text()
    assert "passed" in await run(f"flow-run {other}")
