"""The steps of the wizard that both of its tasks take alike."""

from tests.evals.task import Told
from tests.evals.tools.browser import Browser


def begin(page: Browser, told: Told) -> None:
    """Choose a bicycle's cover and say whose.

    The third step, the bicycle, has been looked at when this returns.
    """
    page.visit(told["url"])
    page.check(page.find("radio", "Bicycle"))
    page.fill_date("First day of cover", told["start"])
    page.click(page.find("button", "Continue"))
    page.expect("Full name")
    page.look()
    page.fill_form(
        {page.find("textbox", "Full name"): told["name"], page.find("textbox", "Email"): told["email"]}
    )
    page.fill_date("Date of birth", told["birth"])
    page.click(page.find("button", "Continue"))
    page.expect("Frame number")
    page.look()


def agree(page: Browser) -> None:
    """Accept the terms in the last step, and order."""
    page.expect("I have read the terms")
    page.look()
    page.check(page.find("checkbox", "I have read the terms"))
    page.click(page.find("button", "Order policy"))
