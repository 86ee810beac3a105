"""Sign in with a password and a one-time code, and change something that only the account's owner can."""

from collections.abc import Iterator

from tests.evals.sites.bank import Bank
from tests.evals.task import Case, Facts, Outcome, Told
from tests.evals.tasks.checks import changed_only, elsewhere
from tests.evals.tools.browser import Browser

SITE = Bank
PROMPT = """\
Sign in on {url} as {email} with the password {password}. The one-time codes (TOTP) come from the secret {secret}. In the settings
set the phone number to {phone} and the language to {language}."""


def prepare(case: Case) -> Facts:
    user = case.database.one("SELECT * FROM users WHERE secret != ''")
    return {
        **{key: user[key] for key in ("id", "email", "password", "secret")},
        "phone": f"+49 40 {case.random.randint(100_000, 999_999)}",
        "language": case.random.choice(("Deutsch", "Français", "Polski")),
    }


def solve(page: Browser, told: Told) -> str:
    page.visit(f"{told['url']}/settings", "Password")
    page.fill_form(
        {page.find("textbox", "Email"): told["email"], page.find("textbox", "Password"): told["password"]}
    )
    page.click(page.find("button", "Sign in"))
    page.expect("One-time code")
    page.look()
    page.one_time_code(page.find("textbox", "One-time code"), told["secret"], told["url"])
    page.click(page.find("button", "Verify"))
    page.expect("Save settings")
    page.look()
    page.fill(page.find("textbox", "Phone"), told["phone"])
    page.select(page.find("combobox", "Language"), told["language"])
    page.click(page.find("button", "Save settings"))
    page.expect("Your settings are saved")
    return "The settings are saved."


def check(case: Case, outcome: Outcome) -> Iterator[str]:
    facts = case.facts
    expected = {facts["id"]: {"phone": facts["phone"], "language": facts["language"]}}
    yield from changed_only(case, "users", expected)
    yield from elsewhere(case, "users", "logins")
