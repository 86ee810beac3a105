import posix
import time
from contextlib import nullcontext

import pytest

from gstack_browse.client import main
from gstack_browse.client.main import BUSY, parse
from gstack_browse.client.reply_printer import ReplyPrinter
from gstack_browse.errors import Busy, UsageError
from tests.each import each, each_row


def test_options_for_all_commands_come_before_the_command() -> None:
    request = parse(["fill", "@e3", "--not", "-our", "option"])
    assert (request.cmd, request.args) == ("fill", ["@e3", "--not", "-our", "option"])
    assert (request.status, request.stderr, request.reply) == (True, True, "text")
    request = parse(
        ["--tab", "3", "--timeout=500", "--json", "--fence", "--any-download", "click", "@e1", "--tab", "9"]
    )
    assert (request.tab, request.timeout, request.reply, request.fence) == (3, 500, "json", True)
    assert request.any_download
    assert (request.cmd, request.args) == ("click", ["@e1", "--tab", "9"])
    assert not parse(["--fence", "--no-fence", "url"]).fence
    assert parse(["--no-fence", "--fence", "url"]).fence
    assert Busy.code == BUSY


def test_options_go_before_variables_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(posix.environ, b"BROWSE_FENCE", b"1")
    assert [parse(words).fence for words in (["url"], ["--no-fence", "url"])] == [True, False]
    monkeypatch.setitem(posix.environ, b"BROWSE_AS", b"bob")
    meant = [parse([*words, "url"]).as_ for words in ([], ["--as", "ann"], ["--as=default"])]
    assert meant == ["bob", "ann", ""]
    assert parse(["--share", "default", "url"]).share == "default"


@each_row(
    ([], ["--first"]), (["--json"], ["--first"]), (["--help"], []), (["--json", "--help", "click"], ["click"])
)
def test_no_command_and_help_ask_for_help(words: list[str], args: list[str]) -> None:
    request = parse(words)
    assert (request.cmd, request.args) == ("help", args)


@each_row(
    (["--tab"], "--tab needs a number above 0"),
    (["--tab", "x", "url"], "--tab needs a number above 0"),
    (["--timeout", "-5", "url"], "--timeout needs a number above 0"),
    (["--timeout", "99999999999999999999", "url"], "--timeout needs a number above 0"),
    (["--tabs", "3"], "Unknown option '--tabs'"),
    (["--json=yes", "url"], "Unknown option '--json=yes'"),
    (["--as"], "--as needs a name"),
    (["--as", "../x", "url"], "'../x' is no name of a browser context"),
    (["--as", "\N{CYRILLIC SMALL LETTER A}", "url"], "'\\u0430' is no name of a browser context"),
    (["--as", "a" * 99, "url"], f"'{'a' * 40}' is no name of a browser context"),
    (["--share", "bob", "url"], "--share is for a context of your own"),
    (["--as", "bob", "--share", "bob", "url"], "A context cannot share with itself: 'bob'"),
)
def test_wrong_words_are_usage_errors(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(words)
    assert caught.value.message == message
    assert caught.value.hint


@each([["fill-form", "--help"], ["secret-set", "-h"], ["fill", "#x", "-", "--help"]])
def test_help_leaves_what_is_piped_in_to_others(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "_read_stdin", lambda: pytest.fail("it was read"))
    assert main._read_piped(parse(words)) is None


class Clock:
    """Clock whose time passes only in `wait`."""

    now = 100.0

    def wait(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    monkeypatch.setattr(time, "sleep", clock.wait)
    return clock


@pytest.mark.parametrize("raises", [False, True])
@pytest.mark.parametrize("answer_seconds", [0.0, 0.1, 7.0])
def test_the_limit_is_time_whatever_an_answer_takes(clock: Clock, answer_seconds: float, raises: bool) -> None:
    asked = []

    def busy(_: ReplyPrinter) -> bool:
        asked.append(clock.now)
        clock.wait(answer_seconds)
        if raises:
            raise Busy("full")
        return False

    began = clock.now
    with pytest.raises(Busy) if raises else nullcontext():
        main.retry_while_busy(busy, ReplyPrinter)
    assert len(asked) > 1
    assert asked[-1] - began <= main.BUSY_SECONDS, "no question is asked after the limit"
