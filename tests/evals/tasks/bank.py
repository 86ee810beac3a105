"""Tasks in a bank, behind a password and sometimes a code."""

from tests.evals.posed import Posed, cents
from tests.evals.sites import words
from tests.evals.sites.bank import Bank
from tests.evals.sites.database import Row
from tests.evals.task import Case, Task, Told
from tests.evals.tools.browser import Browser


def sign_in(page: Browser, told: Told) -> None:
    page.expect("Password")
    page.look()
    page.fill_fields({"Email": told["email"], "Password": told["password"]})
    page.click_button("Sign in")


def pay(page: Browser, told: Told) -> None:
    page.look()
    page.fill_fields(
        {
            "Payee": told["payee"],
            "IBAN": told["iban"],
            "Amount in euros": told["amount"],
            "Purpose": told["purpose"],
        }
    )
    page.click_button("Pay")


def pose_payment(case: Case, user: Row) -> tuple[dict[str, str], Row]:
    """Return the facts of a payment, and the row that it makes."""
    random = case.random
    payment = {
        "payee": words.person(random),
        "iban": f"DE{random.randint(10, 99)}{random.randint(10**17, 10**18 - 1)}",
    }
    amount = f"{random.randint(1000, 90_000) / 100:.2f}"
    payment["purpose"] = f"Invoice {random.randint(1000, 9999)}"
    facts = {**payment, "amount": amount, "email": user["email"], "password": user["password"]}
    return facts, {**payment, "user": user["email"], "cents": cents(amount)}


class LoginCode(Task):
    """Sign in with a password and a one-time code, and change something that only the account's owner can."""

    site = Bank
    prompt = """\
Sign in on {url} as {email} with the password {password}. The one-time codes (TOTP) come from the secret {secret}. In the settings
set the phone number to {phone} and the language to {language}."""

    def pose(self, case: Case) -> Posed:
        user = case.database.one("SELECT * FROM users WHERE secret != ''")
        changes = {
            "phone": f"+49 40 {case.random.randint(100_000, 999_999)}",
            "language": case.random.choice(("Deutsch", "Français", "Polski")),
        }
        facts = {**{key: user[key] for key in ("email", "password", "secret")}, **changes}
        return Posed(facts, changed={"users": {user["id"]: changes}}, may_change=("logins",))

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(f"{told['url']}/settings", "Password")
        page.fill_fields({"Email": told["email"], "Password": told["password"]})
        page.click_button("Sign in", says="One-time code")
        page.look()
        page.one_time_code(page.find("textbox", "One-time code"), told["secret"], told["url"])
        page.click_button("Verify", says="Save settings")
        page.look()
        page.fill(page.find("textbox", "Phone"), told["phone"])
        page.select(page.find("combobox", "Language"), told["language"])
        page.click_button("Save settings", says="Your settings are saved")


class LoginSession(Task):
    """Sign in once, and stay signed in over many commands and pages."""

    site = Bank
    prompt = """\
Sign in on {url} as {email} with the password {password}, once. Then pay {amount} euros to {payee}, IBAN {iban}, purpose “{purpose}”,
on the page {url}/payments, and after that set the street to “{street}” on {url}/settings. The bank counts how often you sign in."""

    def pose(self, case: Case) -> Posed:
        user = case.random.choice(case.database.rows("SELECT * FROM users WHERE secret = '' ORDER BY id"))
        facts, payment = pose_payment(case, user)
        facts["street"] = f"{case.random.choice(words.LAST)} Square {case.random.randint(1, 90)}"
        new = {"payments": payment, "logins": {"user": user["email"]}}
        return Posed(facts, new=new, changed={"users": {user["id"]: {"street": facts["street"]}}})

    def solve(self, page: Browser, told: Told) -> None:
        page.open(f"{told['url']}/payments")
        sign_in(page, told)
        page.expect("Payee")
        pay(page, told)
        page.expect("The payment was made")
        page.visit(f"{told['url']}/settings", "Save settings")
        page.fill(page.find("textbox", "Street and number"), told["street"])
        page.click_button("Save settings", says="Your settings are saved")


class LoginExpired(Task):
    """Go on after a session has ended in the middle of the work, and do what was asked just once."""

    site = Bank
    prompt = """\
Sign in on {url} as {email} with the password {password}. On the page {url}/payments pay {amount} euros to {payee}, IBAN {iban},
purpose “{purpose}”. Pay once, whatever happens on the way. Should the bank want to know who you are again, tell it."""

    def pose(self, case: Case) -> Posed:
        user = case.random.choice(case.database.rows("SELECT * FROM users WHERE secret = '' ORDER BY id"))
        facts, payment = pose_payment(case, user)
        case.database.insert("ends_early", user=user["email"])
        return Posed(facts, new={"payments": payment}, may_change=("logins", "ends_early"))

    def solve(self, page: Browser, told: Told) -> str:
        page.open(f"{told['url']}/payments")
        sign_in(page, told)
        page.expect("Payee")
        pay(page, told)
        page.expect("Your session has ended")
        sign_in(page, told)
        page.expect("The payment was made")
        return page.text("main")
