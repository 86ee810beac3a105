"""Bug hunts are weighed by rules: place, symptom, and a trace in the site's log."""

import json
import re
from pathlib import Path

from tests.evals.sites.site import Request
from tests.evals.task import Case, Outcome, make_case
from tests.evals.tasks.hunts import HuntClinic, HuntLibrary

TASK = HuntClinic()

RIGHT = {
    "picture": ("pictures of the doctors", "do not load"),
    "total": ("total", "extras are counted twice"),
    "cancel": ("Cancel button", "does nothing"),
    "search": ("search", "is case sensitive"),
    "hours": ("link Opening hours", "leads to a page that is not found"),
    "label": ("email field", "has no label"),
    "email": ("email field", "accepts what is no address"),
    "phone": ("phone number in the list", "the leading zero is lost"),
    "day": ("date of the appointment", "one day early"),
}


def weighed(case: Case, *ids: str, symptom: str = "") -> tuple[set[str], int, bool]:
    """Weigh findings: return the bugs found, how many findings are wrong, and whether it is enough."""
    findings = [{"where": RIGHT[name][0], "symptom": symptom or RIGHT[name][1]} for name in ids]
    outcome = Outcome(f"Found:\n```json\n{json.dumps(findings)}\n```", Path("/work"))
    return *TASK.weigh(case, outcome), not case.problems(outcome)


def visited() -> Case:
    case = make_case(TASK, 3, TASK.make_site())
    for method, path in (("GET", "/"), ("GET", "/api/appointments")):
        case.site.answer(Request(method, "site.test", path))
    visit = {"name": "A", "email": "a@example.com", "phone": "1", "day": "2027-01-02", "doctor": "Dr. B"}
    case.site.answer(Request("POST", "site.test", "/api/appointments", body=json.dumps(visit).encode()))
    return case


def test_three_planted_bugs_are_enough_and_two_or_all_or_other_symptoms_are_not() -> None:
    case = visited()
    planted = case.posed.answer
    assert weighed(case, *planted[:3]) == (set(planted[:3]), 0, True)
    assert weighed(case, *planted[:2]) == (set(planted[:2]), 0, False)
    found, _, is_enough = weighed(case, *RIGHT)
    assert (found, is_enough) == (set(planted), False)
    assert weighed(case, *planted, symptom="could look nicer") == (set(), len(planted), False)
    unseen = make_case(TASK, 3, TASK.make_site())
    assert weighed(unseen, *unseen.posed.answer) == (set(), len(planted), False), "nobody has been there"


def test_every_bug_can_be_found_in_plain_words() -> None:
    assert set(RIGHT) == {bug.id for bug in TASK.bugs}
    for bug in HuntLibrary.bugs:
        for pattern, words in zip((bug.where, bug.symptom), LIBRARY[bug.id], strict=True):
            assert re.search(pattern, words, re.I), (bug.id, pattern, words)


LIBRARY = {
    "sort": ("sorting by pages", "the order is wrong: 1090 stands before 124"),
    "repeat": ("second page", "the last book of the first page stands there again"),
    "count": ("number of books", "one more than there are"),
    "filter": ("genre filter", "lost on the second page"),
    "details": ("details of travel books", "fail with an error"),
    "compact": ("setting Compact list", "is not kept after a reload"),
    "reserve": ("reserving", "a book of which no copy is left is given away"),
}
