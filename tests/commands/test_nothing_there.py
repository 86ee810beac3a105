"""Test which code a command ends with that names something missing, or asks for the present state."""

import pytest

from gstack_browse.errors import ActionFailed, BrowseError, TabGone
from tests.commands.conftest import Fails, Run, Show

pytestmark = pytest.mark.same_session

MISSING: dict[type[BrowseError], list[str]] = {
    ActionFailed: [
        "board-answer 77", "context-close nobody", "cookie-delete nothing", "header X-Nothing", "init-script --remove 77", "request 7777",
        "secret-delete nothing", "storage-delete nothing", "unroute 77", "unroute **/nothing", "coverage", "har-stop a.har", "resume",
    ],
    TabGone: ["closetab 77", "tab 77", "tab nothing"],
}  # fmt: skip
"""Lines that name one thing, or are to bring something back. A tab has a code of its own, as commands run in one."""
IS_SO = (
    "console --clear", "cookies-clear", "device off", "disconnect", "downloads --clear", "emulate --reset",
    "har-replay off", "network --clear", "storage-clear", "throttle off", "unroute", "unroute --all",
)  # fmt: skip
"""Lines that ask for a state that holds already."""


async def test_command_that_names_something_missing_fails_with_its_code(show: Show, fails: Fails) -> None:
    await show("")
    for error, lines in MISSING.items():
        for line in lines:
            assert (await fails(line, error)).hint, f"{line}: where to see what there is"


async def test_command_that_asks_for_the_present_state_succeeds(run: Run, show: Show) -> None:
    await show("")
    for line in IS_SO:
        await run(line)
        await run(line)
