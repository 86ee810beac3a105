"""Upload a file by a button that opens a chooser."""

import hashlib
from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.files import Files
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Files
PROMPT = """\
On {url} save the receipt {file}, which lies in the working directory, with the title “{title}” and the amount
{amount} euros."""


def prepare(case: Case) -> Facts:
    file = f"receipt-{case.random.randint(1000, 9999)}.pdf"
    content = b"%PDF-1.4\n" + case.random.randbytes(3000)
    case.files = {file: content, "receipt-old.pdf": b"%PDF-1.4\n" + case.random.randbytes(500)}
    return {
        "file": file,
        "sha256": hashlib.sha256(content).hexdigest(),
        "title": f"Train to {case.random.choice(words.CITIES)}",
        "amount": f"{case.random.randint(1000, 30_000) / 100:.2f}",
    }


def fill_in(page: Browser, told: Told) -> str:
    page.fill_form(
        {
            page.find("textbox", "Title"): told["title"],
            page.find("spinbutton", "Amount in euros"): told["amount"],
        }
    )
    page.click(page.find("button", "Save receipt"))
    page.expect("The receipt was saved")
    return "The receipt is saved."


def solve(page: Browser, told: Told) -> str:
    page.visit(told["url"])
    page.upload(page.find("button", "Choose file"), told["file"])
    return fill_in(page, told)


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    facts = case.facts
    expected = {"title": facts["title"], "name": facts["file"], "sha256": facts["sha256"]}
    yield from one_new(case, "receipts", {**expected, "cents": float(facts["amount"]) * 100})
    yield from elsewhere(case, "receipts")
