"""Tasks in a rich text editor."""

import re
from collections.abc import Iterator

from tests.evals.posed import Posed, differences
from tests.evals.sites import words
from tests.evals.sites.editor import Editor
from tests.evals.task import Case, Outcome, Task, Told
from tests.evals.tools.browser import Browser


class EditorFormat(Task):
    """Select words in an editor and format them with its toolbar."""

    site = Editor
    prompt = "On {url} make the words “{words}” in the draft’s text bold, and nothing else, and save the draft."

    def pose(self, case: Case) -> Posed:
        article = case.database.one("SELECT * FROM articles")
        text = re.sub(r"<[^>]*>", " ", article["body"])
        choices = re.findall(r"The ([a-z]+ [a-z]+) of", text) + re.findall(r"by (\w+ \w+)\.", text)
        return Posed({"words": case.random.choice(choices), "body": article["body"]}, may_change=("articles",))

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(told["url"])
        page.select_text(page.find("textbox", "Text of the article"), told["words"])
        page.click_button("Bold")
        page.click_button("Save draft", says="The draft is saved")

    def check(self, case: Case, outcome: Outcome) -> Iterator[str]:
        body = case.database.value("SELECT body FROM articles")
        if re.sub(r"</?(b|strong)>", "", body) != case.facts["body"]:
            yield "the text was changed"
        if re.findall(r"<(?:b|strong)>(.*?)</", body) != [case.facts["words"]]:
            yield f"not just {case.facts['words']!r} is bold: {body}"
        yield from super().check(case, outcome)


class EditorWrite(Task):
    """Replace the text in an editor that is no field, add tags, and publish."""

    site = Editor
    prompt = """\
On {url} there is a draft. Set its title to “{title}”, replace its whole text by “{text}”, give it the tags {tag} and {other}, and
publish it."""

    def pose(self, case: Case) -> Posed:
        tag, other = case.random.sample(words.NOUNS, 2)
        facts = {
            "title": f"News from {case.random.choice(words.CITIES)}",
            "text": f"{words.person(case.random)} has counted {case.random.randint(100, 999)} ships, which is a record.",
            "tag": tag.lower(),
            "other": other.lower(),
        }
        return Posed(facts, may_change=("articles",))

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(told["url"])
        page.fill(page.find("textbox", "Title"), told["title"])
        page.fill(page.find("textbox", "Text of the article"), told["text"])
        _publish(page, told)

    def solve_agent_browser(self, page: Browser, told: Told) -> None:
        """Choose all of the text and type over it, as a person would.

        `fill` leaves the old text of such an editor in its place there.
        """
        page.visit(told["url"])
        page.fill(page.find("textbox", "Title"), told["title"])
        page.click(page.find("textbox", "Text of the article"))
        page.press("Control+a")
        page.type(told["text"])
        _publish(page, told)

    def check(self, case: Case, outcome: Outcome) -> Iterator[str]:
        facts, article = case.facts, case.database.one("SELECT * FROM articles")
        text = " ".join(re.sub(r"<[^>]*>|&nbsp;", " ", article["body"]).split())
        tags = f"{facts['tag']},{facts['other']}"
        expected = {"title": facts["title"], "text": facts["text"], "tags": tags, "state": "published"}
        yield from differences(expected, {**article, "text": text})
        yield from super().check(case, outcome)


def _publish(page: Browser, told: Told) -> None:
    tag = page.find("textbox", "New tag")
    page.submit(tag, told["tag"])
    page.submit(tag, told["other"])
    page.click_button("Publish", says="The article is published")
