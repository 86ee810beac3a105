"""Tasks in two tabs."""

import re

from tests.evals.posed import Posed
from tests.evals.sites import words
from tests.evals.sites.vouchers import Vouchers
from tests.evals.task import Case, Task, Told
from tests.evals.tools.browser import Browser


class VoucherTab(Task):
    """Fetch something from a tab that a link opens, and use it in the first one."""

    site = Vouchers
    prompt = (
        "On {url} redeem the voucher “{offer}” for {name}. Its code is shown by its own page; redeem no other."
    )

    def pose(self, case: Case) -> Posed:
        offer = case.random.choice(case.database.rows("SELECT * FROM offers ORDER BY id"))
        name = words.person(case.random)
        return Posed(
            {"offer": offer["name"], "name": name}, new={"redeemed": {"offer": offer["id"], "name": name}}
        )

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(told["url"])
        page.fill(page.find("textbox", "Your name"), told["name"])
        field, redeem = page.find("textbox", "Code"), page.find("button", "Redeem")
        page.click(page.find("link", f"Code for {told['offer']}"))
        code = read_code(page)
        page.fill(field, code)
        page.click(redeem)
        page.expect("is yours")

    def solve_agent_browser(self, page: Browser, told: Told) -> None:
        """References hold until the next snapshot only, of whatever tab."""
        page.visit(told["url"])
        page.fill(page.find("textbox", "Your name"), told["name"])
        page.click(page.find("link", f"Code for {told['offer']}"))
        code = read_code(page)
        page.look()
        page.fill(page.find("textbox", "Code"), code)
        page.click_button("Redeem", says="is yours")


def read_code(page: Browser) -> str:
    """The code in the tab that was opened; afterwards the first one is active again."""
    page.tab("2")
    page.look()
    page.click_button("Show the code")
    code = str(re.findall(r"[A-Z]{4}-\d{4}", page.text("main"))[0])
    page.tab("1")
    return code
