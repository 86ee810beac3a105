"""Find planted bugs in a catalogue: in sorting, paging, counting, filters, details, settings."""

import json
import re
from collections.abc import Callable

from tests.evals.hunt import ANSWER, Bug, ground_truth, plant
from tests.evals.sites.library import GENRES, Library
from tests.evals.task import Case, Facts, Limits, Told
from tests.evals.tools.browser import Browser

SITE = Library
LIMITS = Limits(turns=80, seconds=600)
PROMPT = (
    """\
Test the library's catalogue at {url} (it had {before} books last year and may have more or fewer now). Check the number of
books, pages, sorting, the genre filter on all of its pages, the details of some books of every genre, reserving, and whether the
setting “Compact list” is kept.
"""
    + ANSWER
)
BOOKS, DETAILS = ("GET", "/api/books"), ("GET", "/api/books/%")
Report = Callable[[str, str, str], None]
BUGS = (
    Bug("sort", "Sorting by pages sorts them as text",
        "sort", "text|order|wrong|not sorted", r"\d{2}", BOOKS),
    Bug("repeat", "Each page begins with the last book of the page before",
        "page|paging|pagination", "repeat|twice|again|duplicate|same", "The ", BOOKS),
    Bug("count", "The number of books is one too many",
        "count|number|total|books", "wrong|more|too many|instead|differ", r"\d", BOOKS),
    Bug("filter", "The genre filter is lost on the second page",
        "filter|genre", "lost|ignored|other genres|not kept|gone", "|".join(GENRES), BOOKS),
    Bug("details", "Details of travel books fail",
        "detail|travel", "500|error|fail", "500|Internal", BOOKS),
    Bug("compact", "The compact list is not kept",
        "compact|setting", "kept|forgot|lost|reload", "reload|compact", BOOKS),
    Bug("reserve", "A book without copies can be reserved",
        "reserv|cop(y|ies)", "negative|-1|without|none left|zero|no cop", r"-\s?1|−1", DETAILS),
)  # fmt: skip


def prepare(case: Case) -> Facts:
    planted = plant(case.random, BUGS, 4)
    site = case.site
    assert isinstance(site, Library)
    site.planted = frozenset(bug.id for bug in planted)
    return {"before": case.random.randint(20, 60), "answer": ground_truth(planted)}


def solve(page: Browser, told: Told) -> str:
    """Read all pages, then try each function once."""
    findings: list[dict[str, str]] = []

    def report(where: str, symptom: str, evidence: str) -> None:
        findings.append({"where": where, "symptom": symptom, "evidence": evidence})

    page.open(told["url"])
    _count(page, report)
    page.visit(told["url"])
    page.select(page.find("combobox", "Sort by"), "Pages")
    page.follow()
    numbers = [int(row[1]) for row in _rows(page.text("table"))]
    if numbers != sorted(numbers):
        report("sorting by pages", "sorted as text, the order is wrong", str(numbers))
    _genres(page, report)
    _reserve(page, report)
    page.visit(told["url"])
    page.check(page.find("checkbox", "Compact list"))
    page.reload()
    page.look()
    if not page.find("checkbox", "Compact list").has("checked"):
        report("setting Compact list", "is not kept", "gone after a reload")
    return json.dumps(findings)


def _rows(text: str) -> list[tuple[str, str, str, str]]:
    """Genre, pages, copies and title of each row."""
    pattern = rf"(The \w+ \w+).*?({'|'.join(GENRES)})\s+(\d+)\s+(-?\d+)"
    return [(genre, pages, copies, title) for title, genre, pages, copies in re.findall(pattern, text, re.S)]


def _count(page: Browser, report: Report) -> None:
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
            page.click(page.find("button", "Next"))
    if repeated:
        report("paging", "the last book of a page is repeated on the next", repeated)
    if said != len(set(titles)):
        report("number of books", "one more than there are", f"{said} instead of {len(set(titles))}")


def _genres(page: Browser, report: Report) -> None:
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
            report(f"details of {genre}", "they fail", "500 Internal server error")
        following = page.find("button", "Next")
        if not is_paged and not following.has("disabled"):
            is_paged = True
            page.click(following)
            page.expect("Page 2 of")
            if others := [row[0] for row in _rows(page.text("table")) if row[0] != genre]:
                report("filter by genre", "lost on the second page: other genres", others[0])
        page.renew()


def _reserve(page: Browser, report: Report) -> None:
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
    page.click(page.find("button", "Reserve"))
    page.follow("Reserved", "All copies are out")
    page.look()
    if match := re.search(r"Copies here:\s*(-\d+)", page.text("[role=dialog]")):
        report("reserving", "a book without copies can be reserved, copies are negative", match[1])
