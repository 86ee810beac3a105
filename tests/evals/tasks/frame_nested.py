"""Use one of two equal forms, each in a frame in a frame."""

from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.frames import Frames
from tests.evals.task import AGENT_BROWSER, Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Frames
PROMPT = "On {url}/rooms add the note “{words}” in the room {room}, and in no other room."


def prepare(case: Case) -> Facts:
    said = f"{case.random.choice(words.NOUNS)} for {words.person(case.random)}, {case.random.randint(2, 40)} pieces"
    return {"room": case.random.choice(("north", "south")), "words": said}


def solve(page: Browser, told: Told) -> str:
    page.open(f"{told['url']}/rooms")
    page.look_until("textbox", "New note")
    which = ("north", "south").index(told["room"])
    page.fill(page.find("textbox", "New note", nth=which), told["words"])
    page.click(page.find("button", "Add note", nth=which))
    page.look_for(told["words"])
    return "The note is there."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from one_new(case, "notes", {"room": case.facts["room"], "words": case.facts["words"]})
    yield from elsewhere(case, "notes")


CANNOT = {AGENT_BROWSER: "agent-browser shows no frames in frames: there is no reference to act on"}
