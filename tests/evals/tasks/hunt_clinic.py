"""Find planted bugs in a form with a price and a list."""

import json
import re
from collections.abc import Callable

from tests.evals.hunt import ANSWER, Bug, ground_truth, plant
from tests.evals.sites.clinic import Clinic
from tests.evals.task import Case, Facts, Limits, Told
from tests.evals.tools.browser import Browser

SITE = Clinic
LIMITS = Limits(turns=80, seconds=600)
PROMPT = (
    """\
Test the appointments of the clinic at {url}. Use your own data, such as the name {name}; what you book there hurts nobody. Check
what is typed in, what comes of it in the list, prices, search, links and pictures, and what screen readers get to know of the fields.
"""
    + ANSWER
)
VISIT = ("POST", "/api/appointments")
PAGE = ("GET", "/")
BUGS = (
    Bug("picture", "The pictures of the doctors do not load",
        "picture|image|photo|doctor", "404|load|broken|missing", r"/pictures/|404", PAGE),
    Bug("total", "Extras are counted twice in the total",
        "total|price|sum|extra", "wrong|twice|double|not |instead|too", r"\d", PAGE),
    Bug("cancel", "Cancel does nothing but throw",
        "cancel", "error|nothing|throw|not ", "TypeError|not a function", PAGE),
    Bug("search", "The search tells upper from lower case",
        "search", "case|not find|nothing|finds? no", r"\w", ("GET", "/api/appointments")),
    Bug("hours", "The link to the opening hours is dead",
        "hours|link|menu", "404|not found|dead|broken", "404|opening-hours", PAGE),
    Bug("label", "The email field has no label",
        "email", "label|name", "textbox|label|near|name", PAGE),
    Bug("email", "An email without @ is taken",
        "email", "accept|taken|valid|without @", "Booked|@|accept", VISIT),
    Bug("phone", "Zeros at the front of a phone number are lost",
        "phone", "zero|lost|changed|differ|cut", r"\d{4}", VISIT),
    Bug("day", "The appointment is saved for the day before",
        "day|date", "before|early|earlier|shift|differ|wrong", r"\d{4}-\d\d-\d\d", VISIT),
)  # fmt: skip


Report = Callable[[str, str, str], None]


def prepare(case: Case) -> Facts:
    planted = plant(case.random, BUGS, 5)
    site = case.site
    assert isinstance(site, Clinic)
    site.planted = frozenset(bug.id for bug in planted)
    return {"name": f"Test {case.random.randint(1000, 9999)}", "answer": ground_truth(planted)}


def solve(page: Browser, told: Told) -> str:
    """Try each function once, and compare."""
    findings: list[dict[str, str]] = []

    def report(where: str, symptom: str, evidence: str) -> None:
        findings.append({"where": where, "symptom": symptom, "evidence": evidence})

    page.visit(told["url"], "Cancel")
    failed = re.findall(r"\S*/pictures/\S*|.*\b404\b.*", page.problems())
    if failed:
        report("pictures of the doctors", "they do not load", failed[0])
    if not any(line.name == "Email" for line in page.all("textbox")):
        report("the field Email", "it has no label, a screen reader says no name", "a textbox without a name")
    _book(page, told["name"], report)
    _use_list(page, told["name"], report)
    page.look()
    page.click(page.find("link", "Opening hours"))
    page.look()
    if "Not found" in (text := page.text()):
        report("link Opening hours", "dead: Not found (404)", text.strip()[:60])
    return json.dumps(findings)


def _book(page: Browser, name: str, report: Report) -> None:
    boxes = page.all("textbox")
    page.fill_form({boxes[0]: name, boxes[1]: "nobody.example.com", boxes[2]: "0301234567"})
    page.fill_date("Day", "2027-05-20")
    page.check(page.find("checkbox", "Blood test"))
    page.check(page.find("checkbox", "Vaccination"))
    page.click(page.find("button", "Book"))
    page.follow("no email address", f"Booked for {name}")
    page.look()
    text = page.text("main")
    total = int(re.findall(r"Total:\s*€\s*(\d+)", text)[0])
    if total != 80:
        report("total price", "extras are added wrong", f"€ {total} instead of € 80")
    if "no email address" not in text:
        report("email field", "an address without @ is accepted", "Booked with nobody.example.com")
        return
    page.fill(page.all("textbox")[1], "nobody@example.com")
    page.click(page.find("button", "Book"))
    page.expect(f"Booked for {name}")


def _use_list(page: Browser, name: str, report: Report) -> None:
    page.look()
    row = page.text("main").rpartition(name)[2]
    if "2027-05-20" not in row:
        report("day in the list", "differs from what was typed", row.strip()[:60])
    if "0301234567" not in row:
        report("phone in the list", "the leading zero is lost", row.strip()[:60])
    search = page.find("searchbox", "Search by name")
    page.fill(search, name.lower())
    page.follow()
    page.look()
    if not page.all("button", "Cancel"):
        report("search", "does not find a name in lower case", name.lower())
        page.fill(search, name)
        page.follow()
        page.look()
    page.click(page.find("button", "Cancel"))
    said = page.problems()
    if "not a function" in said:
        report("button Cancel", "nothing happens but an error", "TypeError: visit.cancel is not a function")
