"""Test which code a command ends with that names something missing, or asks for the present state."""

import pytest

from gstack_browse.errors import ActionFailed, BrowseError, TabGone
from tests.commands.conftest import Run, Shell, Show

pytestmark = pytest.mark.same_session

NAMED: dict[str, type[BrowseError]] = {
    "board-answer 77": ActionFailed,
    "context-close nobody": ActionFailed,
    "cookie-delete nothing": ActionFailed,
    "header X-Nothing": ActionFailed,
    "init-script --remove 77": ActionFailed,
    "request 7777": ActionFailed,
    "secret-delete nothing": ActionFailed,
    "storage-delete nothing": ActionFailed,
    "unroute 77": ActionFailed,
    "unroute **/nothing": ActionFailed,
    "closetab 77": TabGone,
    "tab 77": TabGone,
    "tab nothing": TabGone,
}
"""Lines that name one thing. A tab has a code of its own, as commands run in one."""
DELIVERS = {"coverage": ActionFailed, "har-stop a.har": ActionFailed, "resume": ActionFailed}
"""Lines that are to bring something back, of which there is nothing."""
IS_SO = (
    "console --clear",
    "cookies-clear",
    "device off",
    "disconnect",
    "downloads --clear",
    "emulate --reset",
    "har-replay off",
    "network --clear",
    "storage-clear",
    "throttle off",
    "unroute",
    "unroute --all",
)
"""Lines that ask for a state that holds already."""


async def test_command_that_names_something_missing_fails_with_its_code(show: Show, shell: Shell) -> None:
    await show("")
    for line, error in (NAMED | DELIVERS).items():
        reply = await shell.send(line)
        assert (reply.code, line) == (error.code, line), reply.message
        assert reply.hint, f"{line}: where to see what there is"


async def test_command_that_asks_for_the_present_state_succeeds(run: Run, show: Show) -> None:
    await show("")
    for line in IS_SO:
        await run(line)
        await run(line)
