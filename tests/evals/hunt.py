"""Weigh bug hunts: which bugs a case has, and which of them were found.

Pure rules, no judgement of prose.

A finding is a place, a symptom and what was seen. It counts when place and symptom are those of a planted bug, and when the site's
log shows that somebody was there: who has not been there cannot have seen it. Every other finding is a false positive.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tests.evals.task import Case, Limits, Outcome, Task

LEAST_FOUND, MOST_WRONG = 3, 2
ANSWER = """\
Answer with a JSON array of findings, each an object with the fields where (the part of the page), symptom (what is wrong there) and
evidence (what you saw: a message, numbers, an address). Report functions that do not do what they say, not taste. There are \
several; who reports what is none loses."""


@dataclass(frozen=True)
class Bug:
    """A bug that can be planted. `where` and `symptom` are patterns for the words of a finding."""

    id: str
    description: str
    where: str
    symptom: str
    trace: tuple[str, str]
    """Method and path of a request that nobody can do without who sees the bug."""


class Findings(list[dict[str, str]]):
    """Collects what a solver reports."""

    def report(self, where: str, symptom: str, evidence: str) -> None:
        self.append({"where": where, "symptom": symptom, "evidence": evidence})


class Hunt(Task):
    """A task on a site with planted bugs."""

    limits = Limits(turns=80, seconds=600)
    bugs: ClassVar[Sequence[Bug]]
    """Those that may be there."""

    def plant(self, case: Case, count: int) -> list[str]:
        """Choose the bugs of a case, by their names, and have its site show them."""
        chosen = case.random.sample(self.bugs, count)
        case.site.planted = frozenset(bug.id for bug in chosen)
        return [bug.id for bug in self.bugs if bug in chosen]

    def check(self, case: Case, outcome: Outcome) -> Iterator[str]:
        """Weigh the findings of an answer against what was planted."""
        found, wrong = self.weigh(case, outcome)
        if len(found) < LEAST_FOUND:
            missed = ", ".join(bug for bug in case.posed.answer if bug not in found)
            yield f"{len(found)} bugs were found, at least {LEAST_FOUND} were asked for; missed: {missed}"
        if wrong > MOST_WRONG:
            yield f"{wrong} findings are none, at most {MOST_WRONG} are let pass"

    def weigh(self, case: Case, outcome: Outcome) -> tuple[set[str], int]:
        """Return the names of the bugs that were found, and how many findings are none."""
        planted = [bug for bug in self.bugs if bug.id in case.posed.answer]
        found, wrong = set(), 0
        for finding in _findings(outcome):
            bug = next((bug for bug in planted if _is_about(bug, finding)), None)
            if bug is None or not case.count_requests(bug.trace[1], bug.trace[0]):
                wrong += 1
            else:
                found.add(bug.id)
        return found, wrong


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
