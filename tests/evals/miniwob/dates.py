"""Solve tasks with days and hours.

A calendar to pick from, a day to write an event into, a flight on a date.
"""

import re
from collections.abc import Iterable

from tests.evals.miniwob.general import box, field, look_and_submit, minutes
from tests.evals.miniwob.looking import exactly
from tests.evals.miniwob.sentences import quoted
from tests.evals.miniwob.solvers import found, solves
from tests.evals.tools.browser import Browser, CannotError, Line, LostError

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip


@solves("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
def choose_date(page: Browser, asked: str) -> None:
    page.look()
    pick_date(page, field(page), asked)
    look_and_submit(page)


def pick_date(page: Browser, line: Line, asked: str) -> None:
    """Open the calendar of a field, go to the month, click the day."""
    wanted = found(r"(\d\d)/(\d\d)/(\d{4})", asked)
    month, day, year = (int(part) for part in wanted.groups())
    page.click(line)
    page.run("expect", "text", r"/\d{4}/", "--in", ".ui-datepicker-title")
    for _ in range(24):
        name, shown = page.text(".ui-datepicker-title").split()
        away = (year - int(shown)) * 12 + month - 1 - MONTHS.index(name)
        page.look()
        if not away:
            page.click(exactly(page, str(day), "link")[0])
            return
        page.click(page.find("link|generic|button", "Next" if away > 0 else "Prev"))
    raise LostError("the month was not reached")


@solves("daily-calendar")
def make_event(page: Browser, asked: str) -> None:
    length, unit = re.search(r"(?:a|an) ([\d.]+) (min|hour)", asked).groups()  # type: ignore[union-attr]
    halves = round(float(length) * (2 if unit == "hour" else 1 / 30))
    cell, label = (box(page, f"{part} >> nth=0")[1] for part in (".half-hour", ".hour-label"))
    if cell > label + 10:
        raise CannotError(
            "the calendar is drawn for a font as wide as Arial: its events are not where its hours are"
        )
    begin, end = (_half_hour(time) for time in re.findall(r"\d+[AP]M", asked))
    taken = set(_busy_half_hours(page.run("html", "#area")))
    start = next(each for each in range(begin, end) if not taken & set(range(each, each + halves)))
    page.look()
    cells = [line for line in page.all("generic") if ".half-hour" in line.raw]
    # The event grows under the pointer, and has to be below it when the button is let go.
    page.hover(cells[start])
    page.run("mouse", "down")
    page.hover(cells[start + halves - 1])
    page.run("hover", "text=New event")
    page.run("mouse", "up")
    page.look()
    page.fill(page.find("textbox", "Event name"), quoted(asked)[0])
    page.click_button("Create")


def _half_hour(time: str) -> int:
    return int(time[:-2]) % 12 * 2 + (24 if time.endswith("PM") else 0)


def _busy_half_hours(markup: str) -> Iterable[int]:
    """Yield the half hours that have an event: 20 pixels and a line each."""
    for top, height in re.findall(r'class="event[^>]*top: ([\d.]+)px; height: ([\d.]+)px', markup):
        first = round((float(top) - 4) / 20.42)
        yield from range(first, first + max(1, round(float(height) / 20)))


@solves("book-flight", "book-flight-nodelay")
def book(page: Browser, asked: str) -> None:
    trip = found(r"Book the (shortest|cheapest) .*flight from: (.+) to: (.+) on (\S+)", asked)
    for label, place in (("From:", trip[2]), ("To:", trip[3])):
        page.look()
        page.click(page.find("textbox", label))
        page.type(place)
        page.run("wait", ".ui-autocomplete .ui-menu-item >> visible=true")
        page.look()
        offered = page.all("menuitem|option|listitem|generic", place)
        page.click(next(line for line in offered if place in line.name))  # SHV is offered Nashville, too
    page.look()
    pick_date(page, page.find("textbox", nth=2), trip[4])
    page.look()
    page.click_button("Search")
    flights = [
        (int(price), minutes(spent))
        for spent, price in re.findall(r"Duration:?\s+(.+?)\n.*?\$(\d+)", page.text("#area"), re.S)
    ]
    rank = 1 if trip[1] == "shortest" else 0
    best = min(range(len(flights)), key=lambda number: flights[number][rank])
    page.look()
    page.click(page.find("button", "Book", nth=best))
