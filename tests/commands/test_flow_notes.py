"""Test the notes that flow-save writes below a step that acts, and what a run compares with them."""

import pytest

from gstack_browse.errors import ActionFailed
from tests.commands.conftest import Fails, Run, Shell
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

SEVERAL = """<h2>Publish</h2><button onclick="document.title = 'published'">Publish</button>
<div role=group aria-label=Place><label>Place <input></label></div>{}"""
FILLERS = "".join(f"<button>b{number}</button>" for number in range(70))


async def test_step_whose_words_several_elements_have_is_saved_with_a_selector_and_a_note_of_its_own(
    run: Run, fails: Fails, web: Web, shell: Shell
) -> None:
    """A press takes the only one that can be pressed, `fill` the only field. Try few elements, and many."""
    file = shell.workspace / "several.flow"
    for fillers in ("", FILLERS):
        web.pages["/several"] = SEVERAL.format(fillers), {}
        await run("goto", f"{web.url}/several?")
        await run("click text=Publish")
        await run("fill label=Place Rome")
        await run(f"flow-save {file} --last 3")
        lines = file.read_text().splitlines()
        assert lines[2] == "click 'role=button[name=\"Publish\"]'", lines
        assert lines[3].startswith('#@ button "Publish" tag=button'), lines
        assert lines[5].startswith('#@ textbox "Place" tag=input'), lines
        await run(f"flow-run {file} --wait 50")
        assert await run("title") == "published"
        web.pages["/several"] = SEVERAL.replace(">Publish</b", ">Delete</b").format(fillers), {}
        assert ": changed: " in (await fails(f"flow-run {file} --wait 50", ActionFailed)).message
        assert await run("title") == ""


async def test_field_that_words_stand_beside_is_saved_with_a_selector_of_its_own(
    run: Run, web: Web, shell: Shell
) -> None:
    """The page's own resolution of `label=` finds nothing: the text is no label."""
    web.pages["/beside"] = "<p>Town</p><input id=town><p><b>Colour</b></p><input name=colour>", {}
    file = shell.workspace / "beside.flow"
    await run("goto", f"{web.url}/beside")
    await run("fill label=Town Rome")
    await run("fill label=Colour red")
    await run(f"flow-save {file} --last 3")
    assert [line for line in file.read_text().splitlines() if line.startswith("fill")] == [
        "fill '#town' Rome",
        "fill 'input[name=\"colour\"]' red",
    ]
    assert "3 steps passed" in await run(f"flow-run {file}")
