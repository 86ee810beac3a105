"""Replace the text in an editor that is no field, add tags, and publish."""

import re
from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.editor import Editor
from tests.evals.task import AGENT_BROWSER, Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere
from tests.evals.tools.browser import Browser

SITE = Editor
PROMPT = """\
On {url} there is a draft. Set its title to “{title}”, replace its whole text by “{text}”, give it the tags {tag} and {other}, and
publish it."""


def prepare(case: Case) -> Facts:
    tag, other = case.random.sample(words.NOUNS, 2)
    return {
        "title": f"News from {case.random.choice(words.CITIES)}",
        "text": f"{words.person(case.random)} has counted {case.random.randint(100, 999)} ships, which is a record.",
        "tag": tag.lower(),
        "other": other.lower(),
    }


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.fill(page.find("textbox", "Title"), told["title"])
    page.fill(page.find("textbox", "Text of the article"), told["text"])
    return _finish(page, told)


def _finish(page: Browser, told: Told) -> str:
    tag = page.find("textbox", "New tag")
    page.submit(tag, told["tag"])
    page.submit(tag, told["other"])
    page.click(page.find("button", "Publish"))
    page.expect("The article is published")
    return "Published."


def solve_by_keys(page: Browser, told: Told) -> str:
    """Choose all of the text and type over it, as a person would.

    `fill` leaves the old text of such an editor in its place there.
    """
    page.visit(told["url"])
    page.fill(page.find("textbox", "Title"), told["title"])
    page.click(page.find("textbox", "Text of the article"))
    page.press("Control+a")
    page.type(told["text"])
    return _finish(page, told)


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    facts, article = case.facts, case.database.one("SELECT * FROM articles")
    text = " ".join(re.sub(r"<[^>]*>|&nbsp;", " ", article["body"]).split())
    if text != facts["text"]:
        yield f"the text is {text!r}"
    if article["title"] != facts["title"]:
        yield f"the title is {article['title']!r}"
    if article["tags"] != f"{facts['tag']},{facts['other']}":
        yield f"the tags are {article['tags']!r}"
    if article["state"] != "published":
        yield f"the article is a {article['state']}"
    yield from elsewhere(case, "articles")


SOLVERS = {AGENT_BROWSER: solve_by_keys}
