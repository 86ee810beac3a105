"""Bug hunts are weighed by rules: place, symptom, and a trace in the site's log."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any

from tests.evals.sites.library import Library
from tests.evals.sites.site import Request
from tests.evals.task import Case, Outcome, Verdict, make_case
from tests.evals.tasks import hunt_library, named
from tests.evals.tasks.hunt_clinic import BUGS

TASK = named("hunt-clinic")

RIGHT = {
    "picture": ("pictures of the doctors", "do not load", "GET /pictures/doctor-1.svg 404"),
    "total": ("total", "extras are counted twice", "€ 120"),
    "cancel": ("Cancel button", "does nothing", "TypeError"),
    "search": ("search", "is case sensitive", "ann"),
    "hours": ("link Opening hours", "leads to a page that is not found", "404"),
    "label": ("email field", "has no label", "a textbox without a name"),
    "email": ("email field", "accepts what is no address", "Booked with ann.example.com"),
    "phone": ("phone number in the list", "the leading zero is lost", "301234567"),
    "day": ("date of the appointment", "one day early", "2027-05-19"),
}


def hunted(case: Case, findings: list[dict[str, Any]], workspace: Path) -> Verdict:
    return TASK.judge(case, Outcome(f"Found:\n```json\n{json.dumps(findings)}\n```", workspace))


def visited() -> Case:
    case = make_case(TASK, 3, TASK.site())
    for method, path in (("GET", "/"), ("GET", "/api/appointments")):
        case.site.answer(Request(method, "site.test", path))
    visit = {"name": "A", "email": "a@example.com", "phone": "1", "day": "2027-01-02", "doctor": "Dr. B"}
    case.site.answer(Request("POST", "site.test", "/api/appointments", body=json.dumps(visit).encode()))
    return case


def planted(case: Case) -> list[str]:
    return [bug["id"] for bug in case.facts["answer"]["bugs"]]


def findings_of(ids: list[str]) -> list[dict[str, Any]]:
    return [dict(zip(("where", "symptom", "evidence"), RIGHT[name], strict=True)) for name in ids]


def test_three_planted_bugs_with_evidence_are_enough_and_two_or_all_are_not(tmp_path: Path) -> None:
    case = visited()
    verdict = hunted(case, findings_of(planted(case)[:3]), tmp_path)
    assert verdict.passed
    assert (verdict.detected_bugs, verdict.false_positives) == (tuple(planted(case)[:3]), 0)
    assert verdict.missed_bugs == tuple(planted(case)[3:])
    case = visited()
    assert not hunted(case, findings_of(planted(case)[:2]), tmp_path).passed
    case = visited()
    verdict = hunted(case, findings_of([bug.id for bug in BUGS]), tmp_path)
    assert verdict.detected_bugs == tuple(planted(case))
    assert not verdict.passed


def test_bug_without_a_visit_or_its_symptom_is_not_counted(tmp_path: Path) -> None:
    case = make_case(TASK, 3, TASK.site())
    verdict = hunted(case, findings_of(planted(case)), tmp_path)
    assert (verdict.detected_bugs, verdict.passed) == ((), False)
    case = visited()
    said = [{"where": RIGHT[name][0], "symptom": "could look nicer", "evidence": ""} for name in planted(case)]
    verdict = hunted(case, said, tmp_path)
    assert (verdict.detected_bugs, verdict.false_positives) == ((), len(said))


def test_every_bug_can_be_found_in_plain_words() -> None:
    assert set(RIGHT) == {bug.id for bug in BUGS}
    for bug in hunt_library.BUGS:
        where, symptom, evidence = LIBRARY[bug.id]
        for pattern, words in ((bug.where, where), (bug.symptom, symptom), (bug.evidence, evidence)):
            assert re.search(pattern, words, re.I), (bug.id, pattern, words)


LIBRARY = {
    "sort": ("sorting by pages", "the order is wrong: 1090 stands before 124", "1090, 124"),
    "repeat": ("second page", "the last book of the first page stands there again", "The Amber Jug"),
    "count": ("number of books", "one more than there are", "43 instead of 42"),
    "filter": ("genre filter", "lost on the second page", "a Travel book under Novel"),
    "details": ("details of travel books", "fail with an error", "500 Internal server error"),
    "compact": ("setting Compact list", "is not kept after a reload", "not checked after the reload"),
    "reserve": ("reserving", "a book of which no copy is left is given away", "Copies here: -1"),
}


def test_a_wrong_order_can_be_seen_on_the_first_page() -> None:
    for seed in range(20):
        site = Library()
        site.planted = frozenset({"sort"})
        site.fill(Random(seed))
        reply = site.answer(Request("GET", "site.test", "/api/books", {"sort": "pages"}))
        pages = [book["pages"] for book in json.loads(reply.body)["rows"]]
        assert pages != sorted(pages), seed
