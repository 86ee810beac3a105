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
from collections import Counter
from dataclasses import dataclass, replace

from gstack_browse.security.vault import parse_totp_key
from tests.evals import shell
from tests.evals.hunt import Hunt
from tests.evals.redesign import redesigned
from tests.evals.shell import OutOfTimeError, Shell
from tests.evals.solve import program
from tests.evals.task import GBROWSE, Case, Outcome, Task, Told, opened
from tests.evals.tasks import every, named
from tests.evals.tools.browser import CannotError, CommandFailedError, LostError
from tests.evals.tools.gbrowse import Gbrowse
from tests.exported import run_exported, run_playwright_test

FIRST, SECOND = 11, 12
"""Seeds of the site on which a flow is made, and of the one on which it runs."""
SHORTEST = 3
"""Shorter values of a prompt stand in too many words to become variables."""
IN_SMALL_LETTERS = "_lower"
"""Ends the name of a variable for a word of the prompt that the page writes in small letters."""
NUMBERS_IN_NAMES = {"quantity": "Cart ({})", "stars": "{} stars"}
"""Variables whose values are too short for `--as-var` to find them in names, and the names."""
SECRETS = {"card_number": "number", "security_code": "cvc"}
"""Names of fields for secrets → what prompts call them."""


@dataclass(frozen=True)
class Replay:
    """How a flow runs again. `export`: the format of the test that it runs as; "" for none."""

    seed: int
    is_redesigned: bool = False
    export: str = ""


@dataclass(frozen=True)
class Played:
    """The result of one task. `outcome`: unsolved, unsaved, unexported, stopped, passed or done."""

    outcome: str
    why: str = ""
    steps: int = 0


class UnsavedError(Exception):
    """The flow could not be saved with all that was done; the words say why."""


def play(task: Task, how: Replay) -> Played:
    """Solve a task, save the flow, and run it on a fresh site."""
    with shell.opened(program(GBROWSE), 120) as work, opened(task, FIRST) as case:
        case.lay_out(work.workspace)
        try:
            task.solve_with(Gbrowse(work), case.told)
            flow = _save(work, case.told)
        except (CannotError, CommandFailedError, LostError, OutOfTimeError) as error:
            return Played("unsolved", str(error)[:300])
        except UnsavedError as error:
            return Played("unsaved", str(error))
    site = redesigned(task.make_site()) if how.is_redesigned else None
    with shell.opened(program(GBROWSE), 120) as work, opened(task, how.seed, site) as case:
        case.lay_out(work.workspace)
        (work.workspace / "task.flow").write_text(flow)
        values = _values(case, flow)
        if "--secret otp" in flow:  # the vault is the workspace's: a person would fill it once, too
            work.tool("secret-set", "otp", "--origin", case.url, "--totp", stdin=case.told["secret"])
            if how.export:  # a person would read it off their device
                values["otp"] = parse_totp_key(case.told["secret"]).code(time.time())
        played = _run_exported(case, work, values, how.export) if how.export else _run(case, work, values)
        return replace(played, steps=sum(1 for line in flow.splitlines() if line and not line.startswith("#")))


def _save(work: Shell, told: Told) -> str:
    """Save the flow with variables for what the prompt says, and return it. Raises UnsavedError."""
    flow = work.workspace / "task.flow"
    saved = work.tool("flow-save", str(flow))
    if saved.code or "→ left out" in saved.output:
        raise UnsavedError(saved.complaint[:300] or saved.output[:300])
    text = "\n".join(line for line in flow.read_text().splitlines() if not line.startswith("#@"))
    expected = "\n".join(line for line in text.splitlines() if line.startswith("expect"))
    declared = set(re.findall(r"^# secret (\w+)", text, re.M))
    words = []
    for name, value in told.items():
        shown = value.replace("'", "'\\''")
        is_typed = re.search(rf"^(?:fill|select) .* {re.escape(value)}(?: --submit)?$", text, re.M)
        is_there = len(value) >= SHORTEST and (value in text or shown in text)
        if value.isprintable() and (is_there or is_typed):
            words += ["--as-var", f"{value}={name if name not in declared else f'{name}_told'}"]
        if value.lower() != value and len(value) >= SHORTEST and value.lower() in expected:
            words += ["--as-var", f"{value.lower()}={name}{IN_SMALL_LETTERS}"]
    saved = work.tool("flow-save", str(flow), *words)
    if saved.code:
        raise UnsavedError(f"{saved.complaint[:300]} {words}")
    return _review(flow.read_text(), told)


def _review(text: str, told: Told) -> str:
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


def _values(case: Case, text: str) -> dict[str, str]:
    """Return the values of a flow's variables on a site."""
    values = {}
    for name in re.findall(r"^# (?:var|secret) (\w+)", text, re.M):
        said = case.told.get(name.removesuffix("_told"), "")
        if name.endswith(IN_SMALL_LETTERS):
            said = case.told.get(name.removesuffix(IN_SMALL_LETTERS), "").lower()
        values[name] = said or case.told.get(SECRETS.get(name, ""), "")
    return values


def _run(case: Case, work: Shell, values: dict[str, str]) -> Played:
    (work.workspace / "values.json").write_text(json.dumps(values))
    done = work.tool("flow-run", "task.flow", "--vars", "values.json", "--heal", "yes")
    if done.code:
        return Played("stopped", done.complaint.strip().partition("\n")[0][:300])
    return _judged(case, work, done.output)


def _run_exported(case: Case, work: Shell, values: dict[str, str], export: str) -> Played:
    is_python = export == "pytest"
    file = work.workspace / ("test_task.py" if is_python else "task.spec.ts")
    done = work.tool("flow-export", "task.flow", str(file), "--to", export)
    if done.code:
        return Played("unexported", done.output.strip().replace("\n", "; ")[:300])
    environment = {f"FLOW_{name.upper()}": value for name, value in values.items()}
    environment = {**os.environ, **environment, "EXPECT_MS": "5000"}
    if problem := (run_exported if is_python else run_playwright_test)(file, environment):
        return Played("stopped", " ".join(problem.split())[-300:])
    return _judged(case, work, "")


def _judged(case: Case, work: Shell, answer: str) -> Played:
    problems = case.problems(Outcome(answer, work.workspace))
    return Played("passed" if problems else "done", "; ".join(problems)[:200])


def main() -> None:
    """Print a line for each task, and how many there are of each outcome."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--same", action="store_true", help="the same seed: the same names and numbers")
    parser.add_argument("--redesigned", action="store_true", help="the same seed, other ids, boxes and order")
    parser.add_argument(
        "--exported",
        choices=("pytest", "playwright-test"),
        default="",
        help="run what flow-export writes, on a fresh site of the same seed",
    )
    parser.add_argument("names", nargs="*", metavar="TASK")
    options = parser.parse_args()
    has_same_data = options.same or options.redesigned or options.exported
    how = Replay(FIRST if has_same_data else SECOND, options.redesigned, options.exported)
    counts: Counter[str] = Counter()
    for task in [named(name) for name in options.names] or every():
        if task.cannot.get(GBROWSE) or isinstance(task, Hunt):
            continue
        played = play(task, how)
        counts[played.outcome] += 1
        print(f"{task.name:<24} {played.outcome:<9} {played.steps:>3} steps  {played.why}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
