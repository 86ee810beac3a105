"""Test JSON arguments that are malformed or of the wrong kind: a usage error says so."""

import pytest

from tests.commands.conftest import Shell

pytestmark = pytest.mark.same_session

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


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        (["route", "**/api", "--json"], BROKEN),
        (["fill-form"], BROKEN + UNEXPECTED + NO_FIELDS),
        (["chain"], [text for text in BROKEN + UNEXPECTED if text.lstrip()[:1] == "["]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
async def test_broken_json_is_a_usage_error(shell: Shell, words: list[str], texts: tuple[str, ...]) -> None:
    failed = []
    for text in texts:
        reply = await shell.send(*words, text)
        if reply.code != 2 or "Internal error" in reply.message:
            failed.append(f"{words} {text[:40]!a}: {reply.code} {reply.message[:200]}")
    assert not failed, "\n".join(failed)


async def test_route_says_what_is_no_json(shell: Shell) -> None:
    reply = await shell.send("route", "**/api", "--json", "{'a': 1}")
    assert reply.code == 2
    assert reply.message.startswith("--json is no JSON: ")
    assert "--body" in reply.hint
