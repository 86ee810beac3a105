"""Tasks with files: downloads, uploads, a file manager."""

import hashlib
import json
from collections.abc import Mapping

from tests.evals.posed import Posed, cents
from tests.evals.sites import words
from tests.evals.sites.drive import Drive
from tests.evals.sites.files import BY_PERSON, MONTHS, Files, export_of, report_of
from tests.evals.task import AGENT_BROWSER, Case, Task, Told
from tests.evals.tools.browser import Browser


class DownloadExport(Task):
    """Have an export made, which takes a while, and download it when it is ready."""

    site = Files
    prompt = """\
On {url}/reports have the export by person made for {month}, download it as people.csv into the working directory, and answer with a
JSON object: most (who spent most in that month), euros (how much that person spent)."""

    def pose(self, case: Case) -> Posed:
        month = case.random.choice(MONTHS)
        rows = case.database.rows(f"{BY_PERSON} ORDER BY cents DESC", month)
        return Posed(
            {"month": month},
            answer={"most": rows[0]["person"], "euros": rows[0]["cents"] / 100},
            asked=f"/exports/{month}.csv",
            files={"people.csv": export_of(case.database, month)},
            may_change=("jobs",),
        )

    def solve(self, page: Browser, told: Told) -> str:
        page.visit(f"{told['url']}/reports")
        page.select(page.find("combobox", "Month"), told["month"])
        page.click_button("Make export", says="Your export is ready")
        page.look_again()
        page.download(page.find("link", "Download export"), "people.csv")
        rows = [row.split(",") for row in page.shell.program("cat", "people.csv").output.splitlines()[1:]]
        most = max(rows, key=lambda row: float(row[1]))
        return json.dumps({"most": most[0], "euros": most[1]})


class DownloadReport(Task):
    """Download a file, keep it where it was asked for, and read a sum out of it."""

    site = Files
    prompt = """\
Download the spendings of {month} from {url}/reports and keep them as report.csv in the working directory. Answer with a JSON object:
rows (how many spendings there are), total (their sum in euros)."""

    def pose(self, case: Case) -> Posed:
        month = case.random.choice(MONTHS)
        spent = case.database.column("SELECT cents FROM spendings WHERE month = ?", month)
        return Posed(
            {"month": month},
            answer={"rows": len(spent), "total": sum(spent) / 100},
            asked=f"/reports/{month}.csv",
            files={"report.csv": report_of(case.database, month)},
        )

    def solve(self, page: Browser, told: Told) -> str:
        page.visit(f"{told['url']}/reports")
        page.download(page.find("link", f"Spendings of {told['month']}"), "report.csv")
        rows = page.shell.program("cat", "report.csv").output.splitlines()[1:]
        return json.dumps({"rows": len(rows), "total": sum(float(row.rpartition(",")[2]) for row in rows)})


class UploadReceipt(Task):
    """Upload a file by a button that opens a chooser."""

    site = Files
    prompt = """\
On {url} save the receipt {file}, which lies in the working directory, with the title “{title}” and the amount
{amount} euros."""

    def pose(self, case: Case) -> Posed:
        file = f"receipt-{case.random.randint(1000, 9999)}.pdf"
        content = b"%PDF-1.4\n" + case.random.randbytes(3000)
        case.files = {file: content, "receipt-old.pdf": b"%PDF-1.4\n" + case.random.randbytes(500)}
        title = f"Train to {case.random.choice(words.CITIES)}"
        amount = f"{case.random.randint(1000, 30_000) / 100:.2f}"
        sha256 = hashlib.sha256(content).hexdigest()
        receipt = {"title": title, "name": file, "sha256": sha256, "cents": cents(amount)}
        return Posed({"file": file, "title": title, "amount": amount}, new={"receipts": receipt})

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(told["url"])
        page.upload(page.find("button", "Choose file"), told["file"])
        _save(page, told)


def _save(page: Browser, told: Told) -> None:
    page.fill_fields({"Title": told["title"], "Amount in euros": told["amount"]})
    page.click_button("Save receipt", says="The receipt was saved")


class UploadDrop(UploadReceipt):
    """Drop a file from the desktop on a page."""

    prompt = """\
On {url} drop the receipt {file}, which lies in the working directory, on the place for it (the button “Choose file” is out of order
on some machines), and save it with the title “{title}” and the amount {amount} euros."""
    cannot: Mapping[str, str] = {AGENT_BROWSER: "agent-browser has no command that drops a file on a page"}

    def solve(self, page: Browser, told: Told) -> None:
        page.open(told["url"])
        page.look_for("Drop a receipt here")
        zone = page.find("group", "Drop a receipt here")
        page.look()
        page.drop(zone, told["file"])
        page.expect("Chosen")
        _save(page, told)


class DriveMove(Task):
    """Rename a file in its row of a file manager, and move it to another folder by a dialog."""

    site = Drive
    prompt = """\
In the files at {url} there is “{file}” in the folder “{folder}”. Rename it to “{name}”, then move it to the folder “{to}”. Change nothing
else."""

    def pose(self, case: Case) -> Posed:
        folders = case.database.rows("SELECT * FROM entries WHERE is_folder = 1 ORDER BY id")
        folder, to = case.random.sample(folders, 2)
        files = case.database.rows("SELECT * FROM entries WHERE folder = ? ORDER BY id", folder["id"])
        file = case.random.choice(files)
        name = f"final-{case.random.randint(100, 999)}.{file['name'].rpartition('.')[2]}"
        facts = {"file": file["name"], "folder": folder["name"], "to": to["name"], "name": name}
        return Posed(facts, changed={"entries": {file["id"]: {"name": name, "folder": to["id"]}}})

    def solve(self, page: Browser, told: Told) -> None:
        page.visit(told["url"], told["folder"])
        page.click_button(told["folder"], says=told["file"])
        page.look_again()
        page.check(page.find("checkbox", f"Choose {told['file']}"))
        page.click_button("Rename")
        page.look_again()
        page.submit(page.find("textbox", f"New name of {told['file']}"), told["name"])
        page.expect(f"It is called {told['name']}")
        page.look_again()
        page.check(page.find("checkbox", f"Choose {told['name']}"))
        page.click_button("Move", says="Move here")
        page.look_again()
        page.check(page.find("radio", told["to"]))
        page.click_button("Move here", says=f"is in {told['to']}")
