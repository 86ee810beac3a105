"""Select words in an editor and format them with its toolbar."""

import re
from collections.abc import Iterator

from tests.evals.sites.editor import Editor
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere
from tests.evals.tools.browser import Browser

SITE = Editor
PROMPT = "On {url} make the words “{words}” in the draft’s text bold, and nothing else, and save the draft."


def prepare(case: Case) -> Facts:
    article = case.database.one("SELECT * FROM articles")
    text = re.sub(r"<[^>]*>", " ", article["body"])
    choices = re.findall(r"The ([a-z]+ [a-z]+) of", text) + re.findall(r"by (\w+ \w+)\.", text)
    return {"words": case.random.choice(choices), "body": article["body"]}


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.select_text(page.find("textbox", "Text of the article"), told["words"])
    page.click(page.find("button", "Bold"))
    page.click(page.find("button", "Save draft"))
    page.expect("The draft is saved")
    return "Saved."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    body = case.database.value("SELECT body FROM articles")
    words = case.facts["words"]
    if re.sub(r"</?(b|strong)>", "", body) != case.facts["body"]:
        yield "the text was changed"
    if re.findall(r"<(?:b|strong)>(.*?)</", body) != [words]:
        yield f"not just {words!r} is bold: {body}"
    yield from elsewhere(case, "articles")
