"""Runs beside each other and over time: what is a regression, what is noise, and how that reads."""

from dataclasses import replace

from tests.each import each_row
from tests.evals.calls import command_of
from tests.evals.compare import baseline, compared, flaky, lines
from tests.evals.result import ToolCall
from tests.unit.evals.made import outcome, run_of


def test_task_that_fails_after_passing_is_a_regression() -> None:
    before = run_of(outcome("a"), outcome("b", passed=False), outcome("c"))
    failed = outcome("a", passed=False, calls=12)
    made = compared(before, run_of(failed, outcome("b"), outcome("c"), outcome("d"), after_minutes=1))
    assert [pair.key for pair in made.pairs if pair.is_regression] == ["gbrowse/a"]
    assert [pair.key for pair in made.pairs if pair.is_fixed] == ["gbrowse/b"]
    assert made.new == ("gbrowse/d",)
    assert made.is_worse
    said = lines(made)
    assert said[2] == "gbrowse/a  PASS → FAIL  calls 10→12 chars 4,000  REGRESSION"
    assert "gbrowse/b  FAIL → PASS  calls 10 chars 4,000  fixed" in said
    assert "gbrowse/d  new" in said


@each_row((12, 4400, False), (13, 4000, True), (10, 4900, True))
def test_far_more_calls_or_characters_are_a_scripted_regression(calls: int, chars: int, worse: bool) -> None:
    made = compared(run_of(outcome()), run_of(outcome(calls=calls, chars=chars), after_minutes=1))
    assert made.is_worse is worse
    assert lines(made)[2].endswith("REGRESSION in cost") is worse


def test_more_characters_turns_or_failures_are_no_regression_by_themselves() -> None:
    assert not compared(run_of(outcome(chars=100)), run_of(outcome(chars=400), after_minutes=1)).is_worse
    before, after = (run_of(outcome(calls=calls), agent="claude", after_minutes=calls) for calls in (10, 20))
    made = compared(before, after)
    assert not made.is_worse
    assert "turns of what was solved in both: 10 → 20 (+100%)" in lines(made)
    made = compared(run_of(outcome()), run_of(outcome(passed=False, calls=90), after_minutes=1))
    assert not any(pair.is_dearer for pair in made.pairs)
    assert not any("of what was solved" in line for line in lines(made))


def test_unsupported_task_and_failure_of_a_peer_do_not_make_a_run_worse() -> None:
    cannot = outcome("a", passed=False, exit_reason="cannot")
    peer = outcome("b", suite="agent-browser")
    before = run_of(outcome("a"), peer)
    after = run_of(cannot, replace(peer, passed=False), after_minutes=1)
    made = compared(before, after)
    assert [pair.key for pair in made.pairs if pair.is_regression] == ["agent-browser/b"]
    assert not made.is_worse
    assert "gbrowse/a  PASS → cannot  calls 10 chars 4,000" in lines(made)


def test_flaky_is_what_both_passed_and_failed_on_one_version() -> None:
    settings = {}, {"branch": "other"}, {}, {"partial": True}, {"tier": 1}, {"agent": "claude"}, {}
    older, other_branch, last, partial, tier, agent, now = (
        run_of(outcome(), after_minutes=at, **more) for at, more in enumerate(settings)
    )
    assert baseline([older, other_branch, last, partial, tier, agent, now], now) is last
    assert baseline([other_branch, now], now) is other_branch
    assert baseline([partial, tier, agent, now], now) is None
    assert baseline([replace(last, tests=()), now], now) is None
    assert baseline([older, replace(last, seed=8), now], now) is older, "of the same seed"
    outcomes = outcome("a"), outcome("a", passed=False), outcome("b"), outcome("b")
    runs = [run_of(one, after_minutes=at) for at, one in enumerate(outcomes)]
    assert flaky(runs) == ["gbrowse/a"]
    assert flaky([runs[0], replace(runs[1], setting=replace(runs[1].setting, git_sha="other"))]) == []
    assert flaky([replace(run, setting=replace(run.setting, git_dirty=True)) for run in runs]) == []
    late = [run_of(outcome(), after_minutes=100 + at) for at in range(10)]
    assert flaky([*runs, *late]) == []


@each_row(
    ("gbrowse", "gbrowse click @e3", "gbrowse click"),
    ("Bash", "cd /x && ./bin/gbrowse --no-fence snapshot -i | head", "gbrowse snapshot"),
    ("command_execution", "bash -lc 'gbrowse url'", "gbrowse url"),
    ("Read", '{"file_path": "/x/SKILL.md"}', "Read"),
    ("agent-browser", "agent-browser get text body", "agent-browser get"),
)
def test_a_call_is_counted_as_the_command_that_it_runs(tool: str, typed: str, counted: str) -> None:
    assert command_of(ToolCall(tool, typed)) == counted
