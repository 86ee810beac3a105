import os

import pytest

from gstack_browse.agent.local import reviews
from gstack_browse.agent.local.reviews import DAY, Review, judge
from gstack_browse.errors import UsageError
from tests.each import each, each_row
from tests.unit.agent.local.conftest import Place

NOW = 2_000_000_000.0


def record(
    skill: str = "review", *, days: float = 1, status: str = "clean", tree: str = "t", **more: int
) -> Review:
    return Review(skill, NOW - days * DAY, status, tree=tree, **more)


CLEARED = "review was clean, of these very files, 24 h ago"
CHANGED = "the files have changed since review looked at them"
PLAN = "plan-eng-review"


@each_row(
    ([], "t", False, "no engineering review was recorded"),
    ([record()], "t", True, CLEARED),
    ([record(PLAN, days=6.9)], "t", True, f"{PLAN} was clean, of these very files, 6 d ago"),
    ([record(days=7)], "t", False, "review is 7 d old; below 7 days is needed"),
    ([record(tree="u")], "t", False, CHANGED),
    ([record(tree="")], "", False, CHANGED),
    ([record(status="issues", unresolved=2)], "t", False, "review is not clean: issues, 2 unresolved"),
    ([record(critical=1)], "t", False, "review is not clean: clean, 1 critical"),
    ([record(), record("plan-ceo-review", status="issues")], "t", True, CLEARED),
    ([record(), record(PLAN, status="stopped")], "t", False, f"{PLAN} is not clean: stopped"),
    ([record(status="issues"), record()], "t", True, CLEARED),
    ([record(days=-2)], "t", False, "review is 0 min old; below 7 days is needed"),
)
def test_the_last_engineering_review_decides(
    records: list[Review], tree: str, is_cleared: bool, why: str
) -> None:
    assert judge(records, tree, NOW) == (is_cleared, why)


def test_a_row_for_each_review_the_last_run_of_each() -> None:
    mine = record("mine", status="issues", unresolved=3, tree="u")
    records = [record(status="issues"), record(days=0.01), mine]
    rows = [line.split("  ") for line in reviews.render_dashboard(records, "t", NOW).splitlines()]
    by_name = {row[0]: [cell.strip() for cell in row[1:] if cell.strip()] for row in rows}
    assert by_name["review"] == ["2", "14 min ago", "clean", "-", "as now"]
    assert by_name["mine"] == ["1", "24 h ago", "issues, 3 unresolved", "-", "changed since"]
    assert by_name["plan-ceo-review"] == ["0", "-", "not run", "-", "-"]


@each([
        b"", b"{", b"[]", b"3", b"\xff", b'{"skill": "review"}', b'{"skill": 1, "time": 1, "status": "clean"}',
        b'{"skill": "review", "time": "x", "status": "clean"}', b'{"skill": "review", "time": 1e400, "status": "clean"}',
        b'{"skill": "review", "time": 1, "status": "clean", "critical": true}', b"[" * 100_000,
    ])  # fmt: skip
def test_lines_that_are_no_record_are_left_out(line: bytes) -> None:
    whole = Review("qa", NOW, "issues", 3, 1, "quick", "abc", "t")
    assert reviews.parse_records(line + b"\n" + whole.to_line()) == [whole]


def last_line(text: str) -> str:
    return text.splitlines()[-1]


@pytest.mark.programs
def test_a_review_holds_for_the_files_it_saw_committed_or_not_and_changes_nothing(repository: Place) -> None:
    (repository.workspace / "a.txt").write_text("two\n")
    (repository.workspace / "new.txt").write_text("new\n")
    before = repository.git("count-objects", "-v"), repository.git("status", "--porcelain")
    repository("review-log", "review", "clean")
    assert last_line(repository("review-dashboard")).startswith("CLEARED: ")
    assert (repository.git("count-objects", "-v"), repository.git("status", "--porcelain")) == before
    repository.git("add", "--all")
    repository.git("commit", "-qm", "two")
    assert last_line(repository("review-dashboard")).startswith("CLEARED: ")
    (repository.workspace / "new.txt").write_text("changed\n")
    assert last_line(repository("review-dashboard")).startswith("NOT CLEARED: the files have changed")


@pytest.mark.programs
def test_a_change_in_the_very_tick_of_the_index_is_seen(repository: Place) -> None:
    """Git tells such a file by the index's time alone: its size and its own time are those of the index."""
    tick = (1_700_000_000_000_000_000,) * 2
    file, index = repository.workspace / "a.txt", repository.workspace / ".git/index"
    repository.git("config", "core.trustctime", "false")
    file.write_text("uno\n")
    os.utime(file, ns=tick)
    repository.git("commit", "-qam", "uno")
    repository("review-log", "review", "clean")
    file.write_text("two\n")
    os.utime(file, ns=tick)
    os.utime(index, ns=tick)
    assert last_line(repository("review-dashboard")).startswith("NOT CLEARED: the files have changed")


@pytest.mark.programs
def test_worktrees_of_a_repository_share_their_reviews_and_no_other_directory_is_cleared(
    repository: Place,
) -> None:
    repository("review-log", "review", "clean")
    repository.git("worktree", "add", "-q", "../other")
    repository.workspace = repository.workspace.with_name("other")
    assert last_line(repository("review-dashboard")).startswith("CLEARED: ")
    repository.workspace = repository.workspace.with_name("none")
    repository.workspace.mkdir()
    repository("review-log", "review", "clean")
    assert last_line(repository("review-dashboard")).startswith("NOT CLEARED: the files have changed")


@pytest.mark.programs
def test_critical_or_untraced_reviews_are_not_noted(repository: Place) -> None:
    with pytest.raises(UsageError, match="is not clean"):
        repository("review-log", "review", "clean", "--critical", "1")
    repository("config", "local_traces", "false")
    assert repository("review-log", "review", "clean") == "Nothing was noted: local_traces is false"
    assert [path.name for path in repository.home.iterdir()] == ["config.toml"]
