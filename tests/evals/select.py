"""Select the tasks that a change may have touched, each with its reason. Pure but for `changed`.

From the files changed since a base.
"""

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.evals.task import Task

ROOT = Path(__file__).parents[2]
TASKS, SITES, MACHINERY = "tests/evals/tasks/", "tests/evals/sites/", "tests/evals/"
APART = tuple(f"gstack_browse/{room}/" for room in ("agent/docgen", "cookies", "design", "local_pages"))
"""Rooms of which no task's command has anything."""
SOLVING = ("task.py", "solve.py", "shell.py")
"""Of the machinery, what every scripted solver goes through, besides the tools."""


def changed(base: str, root: Path = ROOT) -> list[str]:
    """Return the files that differ from where the base was left, committed or not.

    Raises ValueError for an unknown base.
    """
    point = _git(root, "merge-base", "--", base, "HEAD").strip()
    tracked = _git(root, "diff", "--name-only", "-z", point, "--")
    new = _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return sorted({name for name in (tracked + new).split("\0") if name})


def selected(
    files: Iterable[str], tasks: Iterable[Task], families: Mapping[str, str], *, is_scripted: bool = True
) -> dict[str, str]:
    """Return tasks, each with the file that selects it.

    `families`: of each command, the file that declares it.
    """
    every = list(tasks)
    chosen: dict[str, str] = {}
    for file in files:
        for task in _touched(file, every, families, is_scripted):
            chosen.setdefault(task.name, file)
    return chosen


def families() -> dict[str, str]:
    """Of each command, the file that declares it."""
    import gstack_browse.commands  # noqa: F401 - declares them
    from gstack_browse.registry import REGISTRY

    return {
        name: command.handler.__module__.replace(".", "/") + ".py"
        for name, command in REGISTRY.commands.items()
    }


def _touched(
    file: str, tasks: Sequence[Task], families: Mapping[str, str], is_scripted: bool
) -> Sequence[Task]:
    """The tasks that a file has to do with."""
    if file.startswith(TASKS):
        return [task for task in tasks if _file_of(task.check.__module__) == file] or tasks
    if file.startswith(SITES):
        # What is named for no site is shared by all.
        return [task for task in tasks if Path(file).stem in _names_of_site(task)] or tasks
    if file.startswith(MACHINERY):
        rest = file.removeprefix(MACHINERY)
        return tasks if is_scripted and (rest in SOLVING or rest.startswith("tools/")) else ()
    if file in families.values():
        return [task for task in tasks if any(families.get(name) == file for name in task.commands)]
    if file.startswith("gstack_browse/agent/skills/"):
        return tasks if not is_scripted and not file.endswith(".py") else ()
    is_ours = file.startswith("gstack_browse/") and not file.startswith(APART)
    return tasks if is_ours and not file.endswith(".md") else ()


def _names_of_site(task: Task) -> set[str]:
    """Return the names of files of the task's site: its module, its pages and their parts."""
    module: str = getattr(task.site, "__module__", "")
    return {module.rpartition(".")[2], *(Path(page).stem for _, page in getattr(task.site, "pages", ()))}


def _file_of(module: str) -> str:
    return module.replace(".", "/") + ".py"


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip() or f"git {words[0]} failed")
    return done.stdout
