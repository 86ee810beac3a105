from pathlib import Path

import pytest

import gstack_browse.commands  # noqa: F401 - the names of commands
from gstack_browse.daemon.request import policy
from gstack_browse.daemon.request.policy import (
    CONFIRM_SECONDS,
    MOST_WAITING,
    ConfirmableCommand,
    Confirmations,
    describe_request,
    is_at_terminal,
)
from gstack_browse.errors import Refused, UsageError
from gstack_browse.protocol import RULES, Request
from gstack_browse.registry import REGISTRY, bind, find
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.settings import read
from tests.each import each, each_row

UPLOAD = ConfirmableCommand("upload", ("@e1", "a.txt"), "/w", "", 1, "https://a.com/", ((1, 2, 3),))


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def confirmations(clock: Clock) -> Confirmations:
    return Confirmations(["upload", "js"], clock)


def _token(confirmations: Confirmations, asked: ConfirmableCommand = UPLOAD) -> str:
    with pytest.raises(Refused) as refused:
        confirmations.require_confirmation(asked, "upload @e1 a.txt")
    return refused.value.message.rpartition(": ")[2]


def test_a_command_goes_through_once_and_soon_after_a_person_has_said_so(
    confirmations: Confirmations, clock: Clock
) -> None:
    token = _token(confirmations)
    assert _token(confirmations) == token
    assert [waiting.token for waiting in confirmations.list_pending()] == [token]
    assert confirmations.confirm(token.lower()).shown == "upload @e1 a.txt"
    confirmations.require_confirmation(UPLOAD, "")
    with pytest.raises(UsageError, match="Nothing waits"):
        confirmations.confirm(token)
    late = _token(confirmations)
    assert late != token
    clock.now += CONFIRM_SECONDS + 1
    with pytest.raises(UsageError):
        confirmations.confirm(late)
    tokens = [_token(confirmations, UPLOAD._replace(tab=number)) for number in range(MOST_WAITING + 5)]
    assert [waiting.token for waiting in confirmations.list_pending()] == tokens[5:]


@each([
        UPLOAD._replace(words=("@e1", "b.txt")), UPLOAD._replace(tab=2), UPLOAD._replace(page="https://evil.com/"), UPLOAD._replace(name="js"),
        UPLOAD._replace(cwd="/other"), UPLOAD._replace(files=((1, 2, 4),)),
    ])  # fmt: skip
def test_another_command_page_or_file_does_not(other: ConfirmableCommand, confirmations: Confirmations) -> None:
    confirmations.confirm(_token(confirmations))
    assert _token(confirmations, other)
    confirmations.require_confirmation(UPLOAD, "")


def describe(folder: Path, name: str, *words: str) -> tuple[ConfirmableCommand, str]:
    bound = bind(find(REGISTRY, name), words, CallerPaths(folder, folder))
    return describe_request(bound, Request(name, words, cwd=str(folder)), None)


@each_row(
    ("1;" + " " * 20_000 + "evil()", "js '1;…"),
    ("// note\nevil()", "js '// note ⏎ evil()'"),
    ('a="http://x:";evil();b="@"', """js 'a="http://x:";evil();b="@"'"""),
)
def test_a_person_reads_what_runs_or_that_it_is_cut(code: str, shown: str, tmp_path: Path) -> None:
    assert describe(tmp_path, "js", code)[1] == shown


@each([("upload", "@e1", "folder"), ("fill-form", '{"#cv": {"file": "folder/a.txt"}}')])
def test_a_changed_file_in_a_folder_or_form_is_noticed(words: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "folder/a.txt"
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    before, _ = describe(tmp_path, *words)
    assert describe(tmp_path, *words)[0] == before
    file.write_text("another's")
    assert describe(tmp_path, *words)[0] != before


def test_names_are_those_of_commands_and_a_terminal_is_a_person_s() -> None:
    assert Confirmations(["eval", "upload"]).names == {"eval", "upload"}
    for name in ("uplaod", "confirm", "skills-install", ""):
        with pytest.raises(UsageError, match="BROWSE_CONFIRM"):
            Confirmations([name])
    assert not is_at_terminal(0)


OURS = {"BROWSE_ALLOW": "a.com, *.corp", "BROWSE_CONFIRM": "js"}


def test_only_a_caller_with_the_daemon_s_rules_or_none_passes() -> None:
    for said in [{}, {"BROWSE_ALLOW": "a.com,*.corp"}, {"BROWSE_CONFIRM": "js"}, OURS]:
        policy.check_policy_matches(said, read(OURS).rules)
    for name in RULES:
        with pytest.raises(Refused, match=f"started without {name}, not with {name}=upload") as refused:
            policy.check_policy_matches({name: "upload"}, read({}).rules)
        assert "gbrowse stop" in refused.value.hint
    with pytest.raises(Refused, match=r"with BROWSE_ALLOW=a\.com,\*\.corp, not with BROWSE_ALLOW=a\.com$"):
        policy.check_policy_matches({"BROWSE_ALLOW": "a.com"}, read(OURS).rules)
