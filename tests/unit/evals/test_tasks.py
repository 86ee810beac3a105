"""Tasks are honest: who does nothing fails, who only talks fails, and no two seeds ask or expect the same. No browser."""

import json
import string
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.registry import REGISTRY
from tests.evals.task import TOOLS, Case, Outcome, Task, posed
from tests.evals.tasks import every

assert commands
each_task = pytest.mark.parametrize("task", every(), ids=lambda task: task.name)


@contextmanager
def case_of(task: Task, seed: int) -> Iterator[Case]:
    site = task.site()
    try:
        yield posed(task, seed, site)
    finally:
        site.database.close()


@each_task
def test_who_does_nothing_fails(task: Task, tmp_path: Path) -> None:
    with case_of(task, 1) as case:
        case.lay_out(tmp_path)
        assert task.judge(case, Outcome("", tmp_path)).problems


@each_task
def test_who_has_the_right_words_and_did_nothing_fails(task: Task, tmp_path: Path) -> None:
    with case_of(task, 2) as case:
        case.lay_out(tmp_path)
        words = f"Done. {case.prompt}\n```json\n{json.dumps(case.facts.get('answer', case.facts), default=str)}\n```\n"
        assert task.judge(case, Outcome(words, tmp_path)).problems


@each_task
def test_two_seeds_ask_and_expect_something_else(task: Task) -> None:
    with case_of(task, 3) as one, case_of(task, 4) as other:
        assert one.facts != other.facts
        assert one.prompt != other.prompt or one.facts["answer"] != other.facts["answer"]


@each_task
def test_one_seed_asks_and_expects_the_same_again(task: Task) -> None:
    with case_of(task, 5) as one, case_of(task, 5) as again:
        assert (one.prompt, one.facts, one.files) == (again.prompt, again.facts, again.files)


@each_task
def test_a_solver_is_told_what_the_prompt_says(task: Task) -> None:
    with case_of(task, 6) as case:
        assert set(case.told) == {name for _, name, _, _ in string.Formatter().parse(task.prompt) if name}
        assert all(value in case.prompt for value in case.told.values())


@each_task
def test_it_names_commands_and_tools_that_there_are(task: Task) -> None:
    assert task.commands
    assert task.commands <= set(REGISTRY.commands)
    assert set(task.cannot) | set(task.solvers) <= set(TOOLS)


def test_no_two_tasks_have_one_name() -> None:
    names = [task.name for task in every()]
    assert len(names) == len(set(names))
