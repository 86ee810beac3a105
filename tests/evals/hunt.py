"""Weigh bug hunts: which bugs a case has, and which of them were found.

Pure rules, no judgement of prose.

A finding is a place, a symptom and what was seen. It counts when place and symptom are those of a planted bug, and when the site's
log shows that somebody was there: who has not been there cannot have seen it. Every other finding is a false positive.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.evals.task import Case, Outcome, Verdict

MINIMUM_DETECTION = 3
MAX_FALSE_POSITIVES = 2
ANSWER = """\
Answer with a JSON array of findings, each an object with the fields where (the part of the page), symptom (what is wrong there) and
evidence (what you saw: a message, numbers, an address). Report functions that do not do what they say, not taste. There are \
several; who reports what is none loses."""


@dataclass(frozen=True)
class Bug:
    """A bug that can be planted.

    `where`, `symptom` and `evidence` are patterns for the words of a finding.
    """

    id: str
    description: str
    where: str
    symptom: str
    evidence: str
    trace: tuple[str, str]
    """Method and path of a request that nobody can do without who sees the bug."""


def plant(random: Random, possible: Sequence[Bug], count: int) -> list[Bug]:
    """Choose the bugs of a case."""
    chosen = random.sample(possible, count)
    return [bug for bug in possible if bug in chosen]


def ground_truth(bugs: Sequence[Bug]) -> dict[str, Any]:
    """Return the planted bugs, and how many of them are to be found."""
    return {
        "bugs": [{"id": bug.id, "description": bug.description, "where": bug.where} for bug in bugs],
        "minimum_detection": MINIMUM_DETECTION,
        "max_false_positives": MAX_FALSE_POSITIVES,
    }


def verdict(case: Case, outcome: Outcome, possible: Sequence[Bug]) -> Verdict:
    """Weigh the findings of an answer against what was planted (`facts["answer"]`)."""
    truth = case.facts["answer"]
    ids = {bug["id"] for bug in truth["bugs"]}
    planted = [bug for bug in possible if bug.id in ids]
    found: dict[str, bool] = {}
    wrong = 0
    for finding in _findings(outcome):
        bug = next((bug for bug in planted if _is_about(bug, finding)), None)
        if bug is None or not case.count_requests(bug.trace[1], bug.trace[0]):
            wrong += 1
        else:
            found[bug.id] = found.get(bug.id, False) or _matches(bug.evidence, finding, "evidence")
    return Verdict(
        tuple(_problems(len(found), wrong, truth)),
        detected_bugs=tuple(bug.id for bug in planted if bug.id in found),
        missed_bugs=tuple(bug.id for bug in planted if bug.id not in found),
        false_positives=wrong,
        evidence_quality=sum(found.values()) / len(found) if found else 0.0,
    )


def _problems(found: int, wrong: int, truth: Mapping[str, Any]) -> Iterator[str]:
    if found < truth["minimum_detection"]:
        yield f"{found} of {len(truth['bugs'])} bugs were found, at least {truth['minimum_detection']} were asked for"
    if wrong > truth["max_false_positives"]:
        yield f"{wrong} findings are none, at most {truth['max_false_positives']} are let pass"


def _findings(outcome: Outcome) -> list[Mapping[str, Any]]:
    data = outcome.data()
    if isinstance(data, Mapping):
        data = next((value for value in data.values() if isinstance(value, list)), [])
    return [each for each in data or [] if isinstance(each, Mapping)]


def _is_about(bug: Bug, finding: Mapping[str, Any]) -> bool:
    return _matches(bug.where, finding, "where") and _matches(bug.symptom, finding, "symptom", "evidence")


def _matches(pattern: str, finding: Mapping[str, Any], *keys: str) -> bool:
    words = " ".join(str(finding.get(key, "")) for key in keys)
    return re.search(pattern, words, re.I) is not None
