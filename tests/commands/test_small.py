"""Test small ways to save a call: several boxes and roles, a canvas, newest lines, a note said once."""

import re

import pytest

from tests.commands.conftest import Run, Shell, Show

pytestmark = pytest.mark.same_session


async def test_several_roles_and_rows_counted_from_nought(run: Run, show: Show) -> None:
    await show("<input aria-label=A><input type=number aria-label=N><button>Go</button><ul>" + "<li>words" * 8)
    lines = (await run("snapshot --role textbox,spinbutton")).splitlines()
    assert [line.split()[1] for line in lines] == ["[textbox]", "[spinbutton]"]
    assert "1-3 of" in (await run("snapshot --rows 0-3")).splitlines()[0]


async def test_of_a_long_log_the_newest_entries_are_printed(run: Run, show: Show) -> None:
    await show("<script>for (let n = 0; n < 90; n++) console.log('entry ' + n)</script>")
    said = await run("console --max 200")
    assert said.startswith("… only the last ")
    assert re.findall(r"entry (\d+)", said)[-1] == "89"
    assert "entry 0" not in said


async def test_hidden_text_is_noted_once(run: Run, show: Show, shell: Shell) -> None:
    """Note it again where there is more of it, and in the next document."""
    await show("<p>Seen</p><p style='opacity:0'>Not</p><p id=p></p>")
    notes = []
    change = ["js", "p.style.opacity = 0, p.textContent = 'More'"]
    for words in (["text"], ["snapshot"], ["text"], change, ["text"], ["reload"], ["text"]):
        await run(*words)
        notes += shell.replies[-1].notes
    assert notes == [f"{count} characters hidden: text --hidden" for count in (3, 7, 3)]
