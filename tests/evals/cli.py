"""Parse the words of `bin/evals`, and run its subcommands.

What they print has passed the sanitiser.
"""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial

from gstack_browse.errors import BrowseError
from gstack_browse.text.sanitise import sanitise
from tests.evals import show, store
from tests.evals.agents import AGENTS
from tests.evals.compare import SCRIPTED, baseline, compared, flaky
from tests.evals.compare import lines as comparison
from tests.evals.run import Run
from tests.evals.store import directory
from tests.evals.task import TOOLS

FAILED, USAGE = 1, 2
NO_RUNS = "There are no runs; the first one: bin/evals run"
SEED = 7
"""Makes the same names and numbers in each run, so that their costs can be compared."""


class UnknownRunError(Exception):
    """The run is not there, or the request may not be done; the words say what to type."""


def main(words: Sequence[str] | None = None) -> int:
    """Do what was asked. Returns the exit code."""
    options = parser().parse_args(words)
    try:
        code: int = options.act(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # As of `bin/evals show | head`: who read has enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (UnknownRunError, ValueError, BrowseError, OSError) as error:
        print(f"bin/evals: {sanitise(str(error))}", file=sys.stderr)
        return USAGE
    return code


def parser() -> argparse.ArgumentParser:
    """The words of bin/evals."""
    made = argparse.ArgumentParser(
        prog="bin/evals", description="Does an agent get its work done with gbrowse? docs/evals.md"
    )
    commands = made.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, act: Callable[[argparse.Namespace], int], words: str) -> argparse.ArgumentParser:
        command: argparse.ArgumentParser = commands.add_parser(name, help=words, description=words + ".")
        command.set_defaults(act=act)
        return command

    each = add("run", _run, "run tasks (tier 2), or have the skills judged (3)")
    _add_shared(each)
    each.add_argument("--tier", type=int, choices=(2, 3), default=2, help="which tests (default 2)")
    tools = "what scripted solvers use; all: peers too, newly installed from npm (default gbrowse)"
    each.add_argument("--tool", default="gbrowse", choices=[*TOOLS, "all"], help=tools)
    each = add("miniwob", _miniwob, "run the tasks of MiniWoB++, whose pages are fetched from PyPI")
    _add_shared(each)
    seeds = "how many problems of each task, at most 64 (default 1)"
    each.add_argument("--seeds", type=int, choices=range(1, 65), metavar="N", default=1, help=seeds)
    each.set_defaults(tier=2, tool="gbrowse")
    add("list", _list, "list runs, newest first; partial ones too")
    each = add("show", _show, "show a run, test by test, also while it goes on")
    each.add_argument("run", nargs="?", help="its name, or the end of it (default: the newest)")
    each = add("compare", _compare, "compare two runs; exit 1 on a regression")
    each.add_argument("before", nargs="?", help="a run (default: the one before of the same tier and agent)")
    each.add_argument("after", nargs="?", help="a run (default: the newest finished one)")
    return made


def _add_shared(each: argparse.ArgumentParser) -> None:
    """Add the options that every run of tests takes."""
    solvers = (
        "commands alone, which costs nothing, or an agent's program, which needs EVALS=1 (default scripted)"
    )
    each.add_argument("--solver", default=SCRIPTED, choices=[SCRIPTED, *AGENTS], help=solvers)
    model = "for an agent (default: EVALS_MODEL, or its own)"
    each.add_argument("--model", default=os.environ.get("EVALS_MODEL"), help=model)
    names = "only tests whose names fit; may be repeated"
    each.add_argument("--task", action="append", metavar="GLOB", help=names)
    seed = f"makes names and numbers; runs of different ones cannot be compared (default {SEED})"
    each.add_argument("--seed", type=int, default=SEED, help=seed)
    docs = "put the run into the documents that show one; wants all tasks, and of our own all tools"
    each.add_argument("--write-docs", action="store_true", help=docs)


def _run(options: argparse.Namespace) -> int:
    from tests.evals import tasks
    from tests.evals.start import start

    options.tasks, options.every = "", tasks.every
    return start(options)


def _miniwob(options: argparse.Namespace) -> int:
    """A task may be named as its page is: `click-*` for `miniwob-click-*`."""
    from tests.evals import miniwob
    from tests.evals.start import start

    options.tasks, options.every = "miniwob", partial(miniwob.every, options.seeds)
    options.task = options.task and [each for name in options.task for each in (name, miniwob.PREFIX + name)]
    return start(options)


def _list(_: argparse.Namespace) -> int:
    say(show.listed(store.runs(directory()), datetime.now(UTC)) or [NO_RUNS])
    return 0


def _show(options: argparse.Namespace) -> int:
    runs = store.runs(directory())
    run = _named(runs, options.run) if options.run else _newest(runs)
    say([*show.shown(run), "", f"Transcripts and pictures: {store.folder(directory(), run.name)}"])
    return 0


def _compare(options: argparse.Namespace) -> int:
    runs = store.runs(directory())
    finished = [run for run in runs if not run.is_partial]
    after = _named(runs, options.after) if options.after else _newest(finished)
    before = _named(runs, options.before) if options.before else baseline(runs, after)
    if before is None:
        say([f"There is no run before {after.name} of the same tier and agent to compare it with"])
        return 0
    if before.seed != after.seed:
        raise UnknownRunError(
            f"{before.name} has the seed {before.seed} and {after.name} {after.seed}: their tasks have other names and numbers. "
            f"Run one again with the other's: bin/evals run --seed {after.seed if before.seed is None else before.seed}"
        )
    made = compared(before, after)
    say(comparison(made, flaky(runs)))
    return FAILED if made.is_worse else 0


def say(lines: Iterable[str]) -> None:
    """Print lines, some of whose words come from pages and models."""
    for line in lines:
        print(sanitise(line))


def _newest(runs: Sequence[Run]) -> Run:
    if not runs:
        raise UnknownRunError(NO_RUNS)
    return runs[-1]


def _named(runs: Sequence[Run], name: str) -> Run:
    """The run of that name, or the only one whose name ends so. Raises Unknown."""
    exact = [run for run in runs if run.name == name.removesuffix(".json")]
    found = exact or [run for run in runs if run.name.endswith(name.removesuffix(".json"))]
    if len(found) != 1:
        raise UnknownRunError(
            f"{'No run is' if not found else 'Several runs are'} called {name}; bin/evals list shows them"
        )
    return found[0]
