"""Go on after a session has ended in the middle of the work, and do what was asked just once."""

from collections.abc import Iterator

from tests.evals.sites.bank import Bank
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks import login_session
from tests.evals.tasks.checks import elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Bank
PROMPT = """\
Sign in on {url} as {email} with the password {password}. On the page {url}/payments pay {amount} euros to {payee}, IBAN {iban},
purpose “{purpose}”. Pay once, whatever happens on the way. Should the bank want to know who you are again, tell it."""


def prepare(case: Case) -> Facts:
    facts = login_session.prepare(case)
    case.database.insert("ends_early", user=facts["email"])
    return {key: value for key, value in facts.items() if key != "street"}


def solve(page: Browser, told: Told) -> str:
    page.open(f"{told['url']}/payments")
    login_session.sign_in(page, told)
    page.expect("Payee")
    login_session.pay(page, told)
    page.expect("Your session has ended")
    login_session.sign_in(page, told)
    page.expect("The payment was made")
    return page.text("main")


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    facts = case.facts
    expected = {key: facts[key] for key in ("payee", "iban", "purpose")}
    yield from one_new(
        case, "payments", {**expected, "user": facts["email"], "cents": float(facts["amount"]) * 100}
    )
    yield from elsewhere(case, "payments", "logins", "ends_early")
