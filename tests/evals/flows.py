"""Save each task as a flow once, and run it again on a fresh site.

    python -m tests.evals.flows [--same | --redesigned | --exported pytest | --exported playwright-test] [TASK …]

A task is solved by commands alone (`solve.py`), and what was done is saved as a flow: what the prompt says becomes variables. Then
the flow runs on a site that another seed has made: other names, numbers and order, and another address. `--same`: the same seed.
`--redesigned`: the same seed, but other ids, classes and boxes, and lists, tables and forms in another order (`redesign.py`).
No model takes part. A task is `done` if the flow passes and the task's own check of the site says so. It has `passed` if the flow
does, and the check wants an answer in words, which no flow gives.
"""

import argparse
import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gstack_browse.security.vault import parse_totp_key
from tests.evals import shell
from tests.evals.redesign import opened_redesigned
from tests.evals.shell import OutOfTimeError, Shell
from tests.evals.solve import program
from tests.evals.task import GBROWSE, Case, Outcome, Task, opened
from tests.evals.tasks import every, named
from tests.evals.tools.browser import CannotError, CommandFailedError, LostError
from tests.evals.tools.gbrowse import Gbrowse
from tests.exported import run_exported, run_playwright_test

FIRST, SECOND = 11, 12
"""Seeds of the site on which a flow is made, and of the one on which it runs."""
KEEP = Path(os.environ["GBROWSE_KEEP_FLOWS"]) if "GBROWSE_KEEP_FLOWS" in os.environ else None
"""Where flows that stopped are kept, to look at."""
SHORTEST = 3
"""Shorter values of a prompt stand in too many words to become variables."""
IN_SMALL_LETTERS = "_lower"
"""Ends the name of a variable for a word of the prompt that the page writes in small letters."""
NUMBERS_IN_NAMES = {"quantity": "Cart ({})", "stars": "{} stars"}
"""Variables whose values are too short for `--as-var` to find them in names, and the names."""


@dataclass(frozen=True)
class Replay:
    """How a flow runs again. `export`: the format of the test that it runs as; "" for none."""

    seed: int
    is_redesigned: bool = False
    export: str = ""


@dataclass(frozen=True)
class Played:
    """The result of one task. `outcome`: unsolved, unsaved, stopped, passed or done."""

    name: str
    outcome: str
    steps: int = 0
    why: str = ""
    exports: str = ""
    """Steps that cannot be written for pytest, or "" for none."""


def play(task: Task, replay: "Replay") -> Played:
    """Solve a task, save the flow, and run it on a fresh site."""
    with shell.opened(program(GBROWSE), 120) as work, opened(task, FIRST) as case:
        case.lay_out(work.workspace)
        try:
            task.solver_for(GBROWSE)(Gbrowse(work), case.told)
        except (CannotError, CommandFailedError, LostError, OutOfTimeError) as error:
            return Played(task.name, "unsolved", why=str(error)[:300])
        flow = work.workspace / "task.flow"
        told = dict(case.told)
        if problem := _save(work, flow, told):
            return Played(task.name, "unsaved", why=problem)
    text = flow_text = _texts.pop()
    steps = sum(1 for line in text.splitlines() if line and not line.startswith("#"))
    again = opened_redesigned(task, replay.seed) if replay.is_redesigned else opened(task, replay.seed)
    with shell.opened(program(GBROWSE), 120) as work, again as case:
        case.lay_out(work.workspace)
        (work.workspace / "task.flow").write_text(flow_text)
        if "--secret otp" in flow_text:  # the vault is the workspace's: a person would fill it once, too
            work.tool("secret-set", "otp", "--origin", case.url, "--totp", stdin=case.told["secret"])
        played = (
            _run_exported(task, case, work, steps, replay) if replay.export else _run(task, case, work, steps)
        )
        if KEEP and played.outcome == "stopped":
            (KEEP / f"{task.name}.flow").write_text(flow_text)
        return played


_texts: list[str] = []


def _save(work: Shell, flow: Path, told: dict[str, str]) -> str:
    """Save the flow with variables for what the prompt says. Return what went wrong; "" for nothing."""
    saved = work.tool("flow-save", str(flow))
    if saved.code or "→ left out" in saved.output:
        return saved.complaint[:300] or saved.output[:300]
    text = "\n".join(line for line in flow.read_text().splitlines() if not line.startswith("#@"))
    declared = set(re.findall(r"^# secret (\w+)", text, re.M))
    words = []
    for name, value in told.items():
        shown = value.replace("'", "'\\''")
        is_typed = re.search(rf"^(?:fill|select) .* {re.escape(value)}(?: --submit)?$", text, re.M)
        is_there = len(value) >= SHORTEST and (value in text or shown in text)
        if value.isprintable() and (is_there or is_typed):
            words += ["--as-var", f"{value}={name if name not in declared else f'{name}_told'}"]
        expected = "\n".join(line for line in text.splitlines() if line.startswith("expect"))
        if value.lower() != value and len(value) >= SHORTEST and value.lower() in expected:
            words += ["--as-var", f"{value.lower()}={name}{IN_SMALL_LETTERS}"]
    saved = work.tool("flow-save", str(flow), *words)
    if saved.code:
        return f"{saved.complaint[:300]} {words}"
    _texts.append(_review(flow.read_text(), told))
    return ""


def _review(text: str, told: dict[str, str]) -> str:
    """Return a flow as its author would edit it: numbers of the prompt in names become variables."""
    for name, words in NUMBERS_IN_NAMES.items():
        number = told.get(name, "")
        if number and words.format(number) in text:
            if f"# var {name} = " not in text:
                text = text.replace("\n", f"\n# var {name} = {number}\n", 1)
            lines = [
                line if line.startswith("#") else line.replace(words.format(number), words.format(f"${name}"))
                for line in text.splitlines()
            ]
            text = "\n".join(_double_quoted(line) for line in lines) + "\n"
    return text


def _double_quoted(line: str) -> str:
    """Return a line with double quotes around words with variables."""
    return re.sub(r"'([^']*\$[^']*)'", lambda word: '"' + re.sub(r'(["\\`])', r"\\\1", word[1]) + '"', line)


def _run(task: Task, case: Case, work: Shell, steps: int) -> Played:
    values = _values(case, (work.workspace / "task.flow").read_text())
    (work.workspace / "values.json").write_text(json.dumps(values))
    exported = work.tool("flow-export", "task.flow", "task.py", "--to", "pytest")
    losses = exported.output.strip().replace("\n", "; ") if exported.code else ""
    done = work.tool("flow-run", "task.flow", "--vars", "values.json", "--heal", "yes")
    if done.code:
        return Played(task.name, "stopped", steps, done.complaint.strip().partition("\n")[0][:300], losses)
    verdict = task.judge(case, Outcome(done.output, work.workspace))
    return Played(
        task.name, "done" if verdict.passed else "passed", steps, "; ".join(verdict.problems)[:200], losses
    )


def _values(case: Case, text: str) -> dict[str, str]:
    """Return the values of a flow's variables on a site."""
    declared = re.findall(r"^# (?:var|secret) (\w+)", text, re.M)
    values = {name: case.told.get(name.removesuffix("_told"), "") for name in declared}
    values |= {
        name: case.told.get(name.removesuffix(IN_SMALL_LETTERS), "").lower()
        for name in declared
        if name.endswith(IN_SMALL_LETTERS)
    }
    return values | {
        name: value for name, value in _secrets(case).items() if name in declared and not values.get(name)
    }


def _run_exported(task: Task, case: Case, work: Shell, steps: int, replay: Replay) -> Played:
    is_python = replay.export == "pytest"
    file = work.workspace / ("test_task.py" if is_python else "task.spec.ts")
    done = work.tool("flow-export", "task.flow", str(file), "--to", replay.export)
    if done.code:
        return Played(task.name, "unexported", steps, done.output.strip().replace("\n", "; ")[:300])
    values = _values(case, (work.workspace / "task.flow").read_text())
    if "--secret otp" in (work.workspace / "task.flow").read_text():  # a person would read it off their device
        values["otp"] = parse_totp_key(case.told["secret"]).code(time.time())
    environment = {f"FLOW_{name.upper()}": value for name, value in values.items()}
    environment = {**os.environ, **environment, "EXPECT_MS": "5000"}
    if problem := (run_exported if is_python else run_playwright_test)(file, environment):
        return Played(task.name, "stopped", steps, " ".join(problem.split())[-300:])
    verdict = task.judge(case, Outcome("", work.workspace))
    return Played(task.name, "done" if verdict.passed else "passed", steps, "; ".join(verdict.problems)[:200])


NAMES = {"card_number": "number", "security_code": "cvc"}
"""Names of fields for secrets → what prompts call them."""


def _secrets(case: Case) -> dict[str, str]:
    """Return what the prompt says of secrets, by names that fields for them have."""
    return {name: case.told[said] for name, said in NAMES.items() if said in case.told}


def plays(tasks: list[Task], replay: Replay) -> Iterator[Played]:
    for task in tasks:
        if task.cannot.get(GBROWSE) or task.name.startswith("hunt-"):
            continue
        yield play(task, replay)


def main() -> None:
    """Print a line for each task, and how many there are of each outcome."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--same", action="store_true", help="the same seed: a fresh site with the same names and numbers"
    )
    parser.add_argument(
        "--redesigned", action="store_true", help="the same seed, other ids, boxes and order of the page"
    )
    parser.add_argument(
        "--exported",
        choices=("pytest", "playwright-test"),
        default="",
        help="run what flow-export writes, on a fresh site of the same seed",
    )
    parser.add_argument("names", nargs="*", metavar="TASK")
    options = parser.parse_args()
    tasks = [named(name) for name in options.names] or list(every())
    counts: dict[str, int] = {}
    exported = 0
    has_same_data = options.same or options.redesigned or options.exported
    replay = Replay(FIRST if has_same_data else SECOND, options.redesigned, options.exported)
    for played in plays(tasks, replay):
        counts[played.outcome] = counts.get(played.outcome, 0) + 1
        exported += not played.exports and played.outcome not in ("unsolved", "unsaved")
        print(f"{played.name:<24} {played.outcome:<9} {played.steps:>3} steps  {played.why}", flush=True)
        if played.exports:
            print(f"{'':<24} not for pytest: {played.exports[:200]}", flush=True)
    print(
        ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())),
        f"; {exported} can be written for pytest",
    )


if __name__ == "__main__":
    main()
