"""Which tasks a changed file has to do with."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.each import each_row
from tests.evals import select
from tests.evals.sites.shop import Shop
from tests.evals.sites.wizard import Wizard
from tests.evals.task import Case, Facts, Outcome, Task

FAMILIES = {
    "goto": "gstack_browse/commands/acting/navigation.py",
    "upload": "gstack_browse/commands/files.py",
    "click": "gstack_browse/commands/acting.py",
}


def pose(case: Case) -> Facts:
    return {}


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from ()


def task(name: str, site: type, *commands: str) -> Task:
    return Task(name, "fill", site, "", pose, check, lambda browser, told: "", frozenset(commands))


TASKS = [task("order", Shop, "goto", "click"), task("policy", Wizard, "goto", "upload")]
BOTH = ["order", "policy"]


def test_files_of_tasks_and_for_agents_select_their_tasks() -> None:
    assert [room for room in select.APART if not (select.ROOT / room).is_dir()] == []
    files = ["gstack_browse/agent/skills/browse/SKILL.md", "tests/evals/tools/gbrowse.py"]
    assert select.selected(files, TASKS, FAMILIES, is_scripted=False) == dict.fromkeys(BOTH, files[0])
    from tests.evals.tasks import every, named

    one = named("wizard-complete")
    assert list(select.selected(["tests/evals/tasks/wizard_complete.py"], every(), {})) == [one.name]
    assert len(select.selected(["tests/evals/tasks/checks.py"], every(), {})) == len(every())


@each_row(
    ("gstack_browse/commands/files.py", ["policy"]),
    ("gstack_browse/commands/acting/navigation.py", BOTH),
    ("gstack_browse/commands/__init__.py", BOTH),
    ("gstack_browse/browser/actions/pointer/pointer.py", BOTH),
    ("gstack_browse/client/native.c", BOTH),
    ("tests/evals/sites/shop.py", ["order"]),
    ("tests/evals/sites/static/wizard.js", ["policy"]),
    ("tests/evals/sites/static/app.css", BOTH),
    ("tests/evals/sites/server.py", BOTH),
    ("tests/evals/tools/gbrowse.py", BOTH),
    ("tests/evals/solve.py", BOTH),
    ("tests/evals/report.py", []),
    ("gstack_browse/agent/skills/browse/SKILL.md", []),
    ("gstack_browse/agent/docgen/templates.py", []),
    ("gstack_browse/local_pages/board/answer.py", []),
    ("docs/commands.md", []),
    ("tests/commands/test_click.py", []),
)
def test_a_file_selects_tasks(file: str, names: list[str]) -> None:
    assert list(select.selected([file], TASKS, FAMILIES)) == names


def test_every_command_that_tasks_name_is_declared_somewhere() -> None:
    from tests.evals.tasks import every

    files = select.families()
    assert {name for each in every() for name in each.commands} <= set(files)
    assert all((select.ROOT / file).exists() for file in files.values())


@pytest.mark.programs
def test_changes_are_those_since_the_base_was_left_committed_or_not(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        names = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *names, *words], cwd=tmp_path, check=True, capture_output=True)

    def commit(name: str) -> None:
        (tmp_path / name).write_text("x")
        git("add", ".")
        git("commit", "-m", name)

    git("init", "-b", "main")
    commit("old")
    git("checkout", "-b", "mine")
    commit("committed")
    git("checkout", "main")
    commit("theirs")
    git("checkout", "mine")
    (tmp_path / "new file").write_text("x")
    (tmp_path / "old").write_text("changed")
    assert select.changed("main", tmp_path) == ["committed", "new file", "old"]
    with pytest.raises(ValueError, match="no-such-base"):
        select.changed("no-such-base", tmp_path)
