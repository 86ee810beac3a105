"""Drop a file from the desktop on a page."""

from tests.evals.sites.files import Files
from tests.evals.task import AGENT_BROWSER, Told
from tests.evals.tasks import upload_receipt
from tests.evals.tools.browser import Browser

SITE = Files
PROMPT = """\
On {url} drop the receipt {file}, which lies in the working directory, on the place for it (the button “Choose file” is out of order
on some machines), and save it with the title “{title}” and the amount {amount} euros."""


def solve(page: Browser, told: Told) -> str:
    page.open(told["url"])
    page.look_for("Drop a receipt here")
    zone = page.find("group", "Drop a receipt here")
    page.look()
    page.drop(zone, told["file"])
    page.expect("Chosen")
    return upload_receipt.fill_in(page, told)


prepare = upload_receipt.prepare
check = upload_receipt.check
CANNOT = {AGENT_BROWSER: "agent-browser has no command that drops a file on a page"}
