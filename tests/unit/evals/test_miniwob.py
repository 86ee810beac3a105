"""Test MiniWoB++: how its pages are served, and the reports of them read.

No package is fetched here.
"""

from pathlib import Path
from random import Random

import pytest

from tests.each import each_row
from tests.evals import miniwob
from tests.evals.miniwob import figures, pages
from tests.evals.miniwob.site import Miniwob
from tests.evals.miniwob.solvers import SOLVERS
from tests.evals.sites.site import Reply, Request
from tests.evals.task import Outcome, make_case
from tests.unit.evals.made import outcome, run_of


def test_pages_are_served_with_a_problem_for_each_seed_and_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in {"core/core.js": "var core = {};", "miniwob/one.html": "<title>ü"}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.setattr(pages, "root", lambda: tmp_path)

    def answered(path: str, seed: int = 3, number: int = 1) -> Reply:
        site = Miniwob("one", number)
        site.fill(Random(seed))
        return site.answer(Request("GET", "127.0.0.1", path))

    page = answered("/miniwob/one.html")
    assert (page.body.decode(), page.kind) == ("<title>ü", "text/html; charset=utf-8")
    assert answered(f"/../{Path(__file__).name}").status == answered("/miniwob/none.html").status == 404

    def core(seed: int, number: int) -> bytes:
        return answered("/core/core.js", seed, number).body

    assert core(3, 1) == core(3, 1)
    assert len({core(3, 1), core(3, 2), core(4, 1)}) == 3


@each_row(
    ([], ["the page gave no reward: nothing ended its episode"]),
    ([-1.0, 1.0], ["the page's reward is -1.00"]),
    ([1.0, -1.0], []),
)
def test_the_first_reward_counts(
    rewards: list[float], problems: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(miniwob, "REWARD_SECONDS", 0)
    task = miniwob.MiniwobTask("one")
    case = make_case(task, 3, task.make_site())
    for reward in rewards:
        case.site.answer(Request("POST", "127.0.0.1", "/-/episode", body=f'{{"reward": {reward}}}'.encode()))
    assert case.problems(Outcome("It is done.", tmp_path)) == problems
    assert "/miniwob/one.html" in case.prompt


def test_each_task_has_a_solver_or_a_reason_and_no_reward_without_a_number() -> None:
    site = Miniwob("one")
    reply = site.answer(Request("POST", "127.0.0.1", "/-/episode", body=b'{"reward": "1"}'))
    assert (reply.status, site.database.content()["episodes"], site.ended.is_set()) == (400, [], False)
    assert not set(SOLVERS) & set(miniwob.UNSOLVED)
    assert len(SOLVERS) + len(miniwob.UNSOLVED) == 130


def test_a_run_of_all_pages_is_put_into_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = tmp_path / "page.md"
    document.write_text(f"before\n{figures.BEGIN}old\n{figures.END}after\n")
    monkeypatch.setattr(figures, "DOCUMENT", document)
    tests = [outcome(f"miniwob-{name}", chars=100) for name in SOLVERS if name != "daily-calendar"]
    reason = {"passed": False, "exit_reason": "cannot"}
    with pytest.raises(ValueError, match="a whole scripted run"):
        figures.write(run_of(*tests, tasks="miniwob"))
    tests += [outcome(f"miniwob-{name}", **reason) for name in ("daily-calendar", *miniwob.UNSOLVED)]
    figures.write(run_of(*tests, tasks="miniwob"))
    rows = document.read_text().splitlines()
    assert (rows[0], rows[-1]) == ("before", "after")
    assert "| `dates` | 7 | 6 | 0 | 1 | 0 | 100 |" in rows
    assert "| all | 130 | 127 | 0 | 3 | 0 | 100 |" in rows
    assert "Not solved: `daily-calendar`, `click-checkboxes-soft`, `hover-shape`." in rows
