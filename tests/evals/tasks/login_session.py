"""Sign in once, and stay signed in over many commands and pages."""

from collections.abc import Iterator

from tests.evals.sites import words
from tests.evals.sites.bank import Bank
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import changed_only, elsewhere, one_new
from tests.evals.tools.browser import Browser

SITE = Bank
PROMPT = """\
Sign in on {url} as {email} with the password {password}, once. Then pay {amount} euros to {payee}, IBAN {iban}, purpose “{purpose}”,
on the page {url}/payments, and after that set the street to “{street}” on {url}/settings. The bank counts how often you sign in."""


def prepare(case: Case) -> Facts:
    user = case.random.choice(case.database.rows("SELECT * FROM users WHERE secret = '' ORDER BY id"))
    return {
        **{key: user[key] for key in ("id", "email", "password")},
        "payee": words.person(case.random),
        "iban": f"DE{case.random.randint(10, 99)}{case.random.randint(10**17, 10**18 - 1)}",
        "amount": f"{case.random.randint(1000, 90_000) / 100:.2f}",
        "purpose": f"Invoice {case.random.randint(1000, 9999)}",
        "street": f"{case.random.choice(words.LAST)} Square {case.random.randint(1, 90)}",
    }


def sign_in(page: Browser, told: Told) -> None:
    page.expect("Password")
    page.look()
    page.fill_form(
        {page.find("textbox", "Email"): told["email"], page.find("textbox", "Password"): told["password"]}
    )
    page.click(page.find("button", "Sign in"))


def pay(page: Browser, told: Told) -> None:
    page.look()
    page.fill_form(
        {
            page.find("textbox", "Payee"): told["payee"],
            page.find("textbox", "IBAN"): told["iban"],
            page.find("spinbutton", "Amount in euros"): told["amount"],
            page.find("textbox", "Purpose"): told["purpose"],
        }
    )
    page.click(page.find("button", "Pay"))


def solve(page: Browser, told: Told) -> str:
    page.open(f"{told['url']}/payments")
    sign_in(page, told)
    page.expect("Payee")
    pay(page, told)
    page.expect("The payment was made")
    page.visit(f"{told['url']}/settings", "Save settings")
    page.fill(page.find("textbox", "Street and number"), told["street"])
    page.click(page.find("button", "Save settings"))
    page.expect("Your settings are saved")
    return "The payment is made and the street is set."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    facts = case.facts
    expected = {key: facts[key] for key in ("payee", "iban", "purpose")}
    yield from one_new(
        case, "payments", {**expected, "user": facts["email"], "cents": float(facts["amount"]) * 100}
    )
    yield from changed_only(case, "users", {facts["id"]: {"street": facts["street"]}})
    yield from one_new(case, "logins", {"user": facts["email"]})
    yield from elsewhere(case, "users", "payments", "logins")
