"""Tasks of WebVoyager (`data/WebVoyager_data.jsonl`): a question, and a site of the public web.

Its evaluation is a model that looks at screenshots; there are no rules. Results are `unjudged`, with the answer to read.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tests.evals.benchmarks.places import Elsewhere, Places
from tests.evals.benchmarks.webarena import BY_AGENTS, LIMITS, no_solver
from tests.evals.task import TOOLS, Case, Facts, Outcome, Task, Verdict

PROMPT = """\
{question}

Begin at {start}, which is open in the browser. Your last message is the answer."""
MOST_ANSWER = 500


def tasks(text: str, places: Places, folder: Path) -> Iterator[Task]:
    """The tasks of a file: a JSON object a line."""
    for line in text.splitlines():
        if line.strip():
            yield _task(json.loads(line))


def _task(raw: Mapping[str, Any]) -> Task:
    start = raw["web"]
    if not re.match(r"https?://", start):
        raise ValueError(f"{start} is no address")
    return Task(
        name=f"webvoyager-{re.sub(r'[^A-Za-z0-9]+', '-', raw['id'])}",
        kind="webvoyager",
        site=Elsewhere,
        prompt=PROMPT,
        pose=partial(_pose, raw),
        check=lambda case, outcome: (),
        solver=no_solver,
        commands=frozenset({"goto", "snapshot", "click", "fill"}),
        limits=LIMITS,
        cannot=dict.fromkeys(TOOLS, BY_AGENTS),
        verdict=_verdict,
    )


def _pose(raw: Mapping[str, Any], case: Case) -> Facts:
    case.opening.append(("goto", raw["web"]))
    return {"question": raw["ques"], "start": raw["web"]}


def _verdict(case: Case, outcome: Outcome) -> Verdict:
    if not outcome.answer.strip():
        return Verdict(("there is no answer",))
    return Verdict((f"takes a judge: {outcome.answer.strip()[:MOST_ANSWER]}",), is_open=True)
