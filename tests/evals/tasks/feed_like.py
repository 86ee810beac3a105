"""Find a post in a feed that grows as one scrolls."""

from collections.abc import Iterator

from tests.evals.sites.tables import Tables
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import changed_only, elsewhere
from tests.evals.tools.browser import Browser, LostError

SITE = Tables
PROMPT = "In the feed on {url}/feed like the post of {author} that says “{words}”. Like no other."
SCROLLS = 14
"""The post is always on the same page of the feed: what the task costs is not for the seed to say."""


def prepare(case: Case) -> Facts:
    row = case.random.choice(case.database.rows("SELECT * FROM posts WHERE id BETWEEN 91 AND 105"))
    return {"author": row["author"], "words": row["words"], "id": row["id"]}


def solve(page: Browser, told: Told) -> str:
    page.open(f"{told['url']}/feed")
    for _ in range(SCROLLS):
        if page.shows(told["words"]):
            if not page.all("button", "Like", near=told["words"]):
                page.look_for(told["words"])
            page.click(page.find("button", "Like", near=told["words"]))
            page.expect("Liked")
            return "Liked."
        page.scroll()
        page.settle()
    raise LostError("the feed does not show the post")


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    yield from changed_only(case, "posts", {case.facts["id"]: {"liked": 1}})
    yield from elsewhere(case, "posts")
