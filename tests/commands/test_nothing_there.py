"""Test exit codes of commands that name something missing, ask for the present state, or get bad JSON."""

import pytest

from gstack_browse.errors import ActionFailed, BrowseError, TabGone
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.each import each

pytestmark = pytest.mark.same_session

MISSING: dict[type[BrowseError], list[str]] = {
    ActionFailed: [
        "board-answer 77", "context-close nobody", "cookie-delete nothing", "header X-Nothing", "init-script --remove 77", "request 7777",
        "secret-delete nothing", "storage-delete nothing", "unroute 77", "unroute **/nothing", "coverage", "har-stop a.har", "film-note x",
        "film-stop", "resume",
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


BROKEN = (
    "{", "[", "}", '{"a"', '{"a":}', '{"a":1,}', "{'a': 1}", "[1,]", "[1 2]", "[nul]", "[tru]", "[.5]", "[01]",
    '["\\x"]', '["', '["\\ud8"]', "[NaN]", "[Infinity]", "[1] [2]", '[["url"]', '[["url"]] trailing', "[//]\n",
    "[\0]", '["\0"]', "[\udce9]", '["\udce9"]', "[" * 2_000, '{"a":' * 2_000, "[]" * 2_000,
)  # fmt: skip
UNEXPECTED = (
    "null", "1", '"a"', "[]", "{}", "[1]", "[null]", "[[]]", "[{}]", '[["url",null]]', '[["url",{}]]', '[["\\ud800"]]',
)  # fmt: skip
NO_FIELDS = (
    '{"#name": null}', '{"#name": {}}', '{"#name": {"file": null}}', '{"#name": {"secret": null}}', '{"#name": [[]]}',
    '{"#name": {"a": {"b": [1]}}}', '{"": ""}', '{"#name": "a", "#name": "b"}',
)  # fmt: skip


@each([
    ("route **/api --json", BROKEN),
    ("fill-form", BROKEN + UNEXPECTED + NO_FIELDS),
    ("chain", [text for text in BROKEN + UNEXPECTED if text.lstrip()[:1] == "["]),
])  # fmt: skip
async def test_broken_json_is_a_usage_error(case: tuple[str, tuple[str, ...]], shell: Shell) -> None:
    line, texts = case
    failed = []
    for text in texts:
        reply = await shell.send(line, text)
        if reply.code != 2 or "Internal error" in reply.message:
            failed.append(f"{line} {text[:40]!a}: {reply.code} {reply.message[:200]}")
    assert not failed, "\n".join(failed)
    if "--json" in line:
        assert reply.message.startswith("--json is no JSON: ")
        assert "--body" in reply.hint
