"""Hunts for planted bugs."""

import json
import re

from tests.evals.hunt import ANSWER, Bug, Findings, Hunt
from tests.evals.posed import Posed
from tests.evals.sites.clinic import Clinic
from tests.evals.sites.library import GENRES, Library
from tests.evals.task import Case, Told
from tests.evals.tools.browser import Browser

VISIT = ("POST", "/api/appointments")
PAGE = ("GET", "/")
CLINIC_BUGS = (
    Bug("picture", "The pictures of the doctors do not load",
        "picture|image|photo|doctor", "404|load|broken|missing", PAGE),
    Bug("total", "Extras are counted twice in the total",
        "total|price|sum|extra", "wrong|twice|double|not |instead|too", PAGE),
    Bug("cancel", "Cancel does nothing but throw",
        "cancel", "error|nothing|throw|not ", PAGE),
    Bug("search", "The search tells upper from lower case",
        "search", "case|not find|nothing|finds? no", ("GET", "/api/appointments")),
    Bug("hours", "The link to the opening hours is dead",
        "hours|link|menu", "404|not found|dead|broken", PAGE),
    Bug("label", "The email field has no label",
        "email", "label|name", PAGE),
    Bug("email", "An email without @ is taken",
        "email", "accept|taken|valid|without @", VISIT),
    Bug("phone", "Zeros at the front of a phone number are lost",
        "phone", "zero|lost|changed|differ|cut", VISIT),
    Bug("day", "The appointment is saved for the day before",
        "day|date", "before|early|earlier|shift|differ|wrong", VISIT),
)  # fmt: skip


class HuntClinic(Hunt):
    """Find planted bugs in a form with a price and a list."""

    site = Clinic
    prompt = (
        """\
Test the appointments of the clinic at {url}. Use your own data, such as the name {name}; what you book there hurts nobody. Check
what is typed in, what comes of it in the list, prices, search, links and pictures, and what screen readers get to know of the fields.
"""
        + ANSWER
    )
    bugs = CLINIC_BUGS

    def pose(self, case: Case) -> Posed:
        planted = self.plant(case, 5)
        return Posed({"name": f"Test {case.random.randint(1000, 9999)}"}, answer=planted)

    def solve(self, page: Browser, told: Told) -> str:
        """Try each function once, and compare."""
        findings = Findings()
        page.visit(told["url"], "Cancel")
        failed = re.findall(r"\S*/pictures/\S*|.*\b404\b.*", page.problems())
        if failed:
            findings.report("pictures of the doctors", "they do not load", failed[0])
        if not any(line.name == "Email" for line in page.all("textbox")):
            findings.report(
                "the field Email", "it has no label, a screen reader says no name", "a textbox without a name"
            )
        _book(page, told["name"], findings)
        _use_list(page, told["name"], findings)
        page.look()
        page.click(page.find("link", "Opening hours"))
        page.look()
        if "Not found" in (text := page.text()):
            findings.report("link Opening hours", "dead: Not found (404)", text.strip()[:60])
        return json.dumps(findings)


def _book(page: Browser, name: str, findings: Findings) -> None:
    boxes = page.all("textbox")
    page.fill_form({boxes[0]: name, boxes[1]: "nobody.example.com", boxes[2]: "0301234567"})
    page.fill_date("Day", "2027-05-20")
    page.check(page.find("checkbox", "Blood test"))
    page.check(page.find("checkbox", "Vaccination"))
    page.click_button("Book")
    page.follow("no email address", f"Booked for {name}")
    page.look()
    text = page.text("main")
    total = int(re.findall(r"Total:\s*€\s*(\d+)", text)[0])
    if total != 80:
        findings.report("total price", "extras are added wrong", f"€ {total} instead of € 80")
    if "no email address" not in text:
        findings.report("email field", "an address without @ is accepted", "Booked with nobody.example.com")
        return
    page.fill(page.all("textbox")[1], "nobody@example.com")
    page.click_button("Book", says=f"Booked for {name}")


def _use_list(page: Browser, name: str, findings: Findings) -> None:
    page.look()
    row = page.text("main").rpartition(name)[2]
    if "2027-05-20" not in row:
        findings.report("day in the list", "differs from what was typed", row.strip()[:60])
    if "0301234567" not in row:
        findings.report("phone in the list", "the leading zero is lost", row.strip()[:60])
    search = page.find("searchbox", "Search by name")
    page.fill(search, name.lower())
    page.follow()
    page.look()
    if not page.all("button", "Cancel"):
        findings.report("search", "does not find a name in lower case", name.lower())
        page.fill(search, name)
        page.follow()
        page.look()
    page.click_button("Cancel")
    said = page.problems()
    if "not a function" in said:
        findings.report(
            "button Cancel", "nothing happens but an error", "TypeError: visit.cancel is not a function"
        )


BOOKS, DETAILS = ("GET", "/api/books"), ("GET", "/api/books/%")
LIBRARY_BUGS = (
    Bug("sort", "Sorting by pages sorts them as text",
        "sort", "text|order|wrong|not sorted", BOOKS),
    Bug("repeat", "Each page begins with the last book of the page before",
        "page|paging|pagination", "repeat|twice|again|duplicate|same", BOOKS),
    Bug("count", "The number of books is one too many",
        "count|number|total|books", "wrong|more|too many|instead|differ", BOOKS),
    Bug("filter", "The genre filter is lost on the second page",
        "filter|genre", "lost|ignored|other genres|not kept|gone", BOOKS),
    Bug("details", "Details of travel books fail",
        "detail|travel", "500|error|fail", BOOKS),
    Bug("compact", "The compact list is not kept",
        "compact|setting", "kept|forgot|lost|reload", BOOKS),
    Bug("reserve", "A book without copies can be reserved",
        "reserv|cop(y|ies)", "negative|-1|without|none left|zero|no cop", DETAILS),
)  # fmt: skip


class HuntLibrary(Hunt):
    """Find planted bugs in a catalogue: in sorting, paging, counting, filters, details, settings."""

    site = Library
    prompt = (
        """\
Test the library's catalogue at {url} (it had {before} books last year and may have more or fewer now). Check the number of
books, pages, sorting, the genre filter on all of its pages, the details of some books of every genre, reserving, and whether the
setting “Compact list” is kept.
"""
        + ANSWER
    )
    bugs = LIBRARY_BUGS

    def pose(self, case: Case) -> Posed:
        planted = self.plant(case, 4)
        return Posed({"before": case.random.randint(20, 60)}, answer=planted)

    def solve(self, page: Browser, told: Told) -> str:
        """Read all pages, then try each function once."""
        findings = Findings()
        page.open(told["url"])
        _count(page, findings)
        page.visit(told["url"])
        page.select(page.find("combobox", "Sort by"), "Pages")
        page.follow()
        numbers = [int(row[1]) for row in _rows(page.text("table"))]
        if numbers != sorted(numbers):
            findings.report("sorting by pages", "sorted as text, the order is wrong", str(numbers))
        _genres(page, findings)
        _reserve(page, findings)
        page.visit(told["url"])
        page.check(page.find("checkbox", "Compact list"))
        page.reload()
        page.look()
        if not page.find("checkbox", "Compact list").has("checked"):
            findings.report("setting Compact list", "is not kept", "gone after a reload")
        return json.dumps(findings)


def _rows(text: str) -> list[tuple[str, str, str, str]]:
    """Genre, pages, copies and title of each row."""
    pattern = rf"(The \w+ \w+).*?({'|'.join(GENRES)})\s+(\d+)\s+(-?\d+)"
    return [(genre, pages, copies, title) for title, genre, pages, copies in re.findall(pattern, text, re.S)]


def _count(page: Browser, findings: Findings) -> None:
    titles: list[str] = []
    repeated, number, pages = "", 1, 1
    while number <= pages:
        page.expect(f"Page {number} of")
        text = page.text("main")
        pages, said = int(re.findall(r"Page \d+ of (\d+)", text)[0]), int(re.findall(r"(\d+) books", text)[0])
        found = [row[3] for row in _rows(text)]
        repeated = found[0] if found and found[0] in titles else repeated
        titles += found
        number += 1
        if number <= pages:
            if number == 2:
                page.look()
            else:
                page.renew()
            page.click_button("Next")
    if repeated:
        findings.report("paging", "the last book of a page is repeated on the next", repeated)
    if said != len(set(titles)):
        findings.report("number of books", "one more than there are", f"{said} instead of {len(set(titles))}")


def _genres(page: Browser, findings: Findings) -> None:
    """Details of a book of each genre, and the second page of the first genre that has one."""
    is_paged = False
    page.look()
    for genre in GENRES:
        page.select(page.find("combobox", "Genre"), genre)
        page.follow()
        page.look()
        page.click(page.all("button", "Details")[0])
        page.follow("Copies here", "Internal server error")
        page.look()
        if close := page.all("button", "Close"):
            page.click(close[0])
        elif "500" in page.problems():
            findings.report(f"details of {genre}", "they fail", "500 Internal server error")
        following = page.find("button", "Next")
        if not is_paged and not following.has("disabled"):
            is_paged = True
            page.click(following)
            page.expect("Page 2 of")
            if others := [row[0] for row in _rows(page.text("table")) if row[0] != genre]:
                findings.report("filter by genre", "lost on the second page: other genres", others[0])
        page.renew()


def _reserve(page: Browser, findings: Findings) -> None:
    """Reserve a History book, if one on the first page has no copies."""
    page.select(page.find("combobox", "Genre"), "History")
    page.follow()
    page.look()
    rows = _rows(page.text("table"))
    index = next((number for number, row in enumerate(rows) if row[2] == "0"), None)
    if index is None:
        return
    page.click(page.all("button", "Details")[index])
    page.follow("Copies here")
    page.look()
    page.click_button("Reserve")
    page.follow("Reserved", "All copies are out")
    page.look()
    if match := re.search(r"Copies here:\s*(-\d+)", page.text("[role=dialog]")):
        findings.report("reserving", "a book without copies can be reserved, copies are negative", match[1])
