"""Test qa-only and qa, followed from start to end on two sites with planted bugs.

The test is the reader: it judges the output.
"""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.skills.follower import Follower, Project
from tests.e2e.skills.web import SITES, Site, serving

SWEEP = "4. Explore"
PLANTED = {
    "shop": {
        ("console", "/"), ("links", "/"), ("accessibility", "/"), ("performance", "/"), ("functional", "/product.html"),
        ("ux", "/checkout.html"),
    },
    "clinic": {
        ("visual", "/"), ("visual", "/doctors.html"), ("content", "/book.html"),
    },
}  # fmt: skip
"""Category and page of each planted bug."""


class Session:
    """A reader who follows the skill on one site, and writes down what the replies say."""

    def __init__(self, project: Project, skill: Follower, site: Site) -> None:
        self.project = project
        self.skill = skill
        self.site = site
        self.issues: list[dict[str, object]] = []
        self.console_errors = self.broken_links = 0
        self.pages: list[str] = []

    def sweep(self, page: str) -> None:
        """Follow the sweep on a page and judge what it prints."""
        self.pages.append(page)
        name = Path(page).stem or "start"
        printed = self.skill.follow(SWEEP, page=self.site.url + page, name=name).text
        errors = re.findall(r"\[error\] (?!Failed to load)(.*?) \(", printed)
        self.console_errors += len(errors)
        dead = re.findall(r'\[404,"([^"]+)"\]', printed)
        self.broken_links += len(dead)
        load = re.search(r"^load +(\d+)ms", printed, re.M)
        sideways = re.search(r"^-?\d+$", printed, re.M)
        assert load
        assert sideways
        self._add_issues("console", "high", page, name, errors)
        self._add_issues("links", "medium", page, name, [f"Dead link: {url}" for url in dead])
        missing = re.findall(r"GET (\S+\.jpg) → 404", printed)
        self._add_issues("visual", "medium", page, name, [f"Image is missing: {url}" for url in missing])
        silent = re.findall(r'<img (?![^>]*alt)[^>]*src=\\"([^"\\]+)', printed)
        self._add_issues(
            "accessibility", "medium", page, name, [f"Image without alt: {source}" for source in silent]
        )
        nameless = re.findall(r'\[\w+\] \(near "([^"]+)"\)', printed)
        self._add_issues(
            "accessibility", "medium", page, name, [f"Field without a label: near {near}" for near in nameless]
        )
        if int(load[1]) > 1000:
            self._add_issues("performance", "medium", page, name, [f"Takes {load[1]} ms to load"])
        if int(sideways[0]) > 0:
            self._add_issues("visual", "medium", page, name, [f"A phone scrolls sideways by {sideways[0]} px"])

    def act(self, page: str, field: tuple[str, str], value: str, button: str) -> str:
        """Fill in a field and press a button, as the skill says; what was printed."""
        self.project.gbrowse("goto", self.site.url + page)
        self.project.bash("$B snapshot -i")
        refs = {"@e1": field, "@e2": ("button", button)}
        return self.skill.follow(SWEEP, 2, refs, value=value).text

    def report(self, category: str, severity: str, page: str, title: str) -> None:
        """Take the picture that the skill asks for and write the issue down."""
        name = f"{Path(page).stem or 'start'}-{category}"
        assert "Screenshot saved" in self.skill.follow("5. Document at once", name=name).text
        self._add_issues(category, severity, page, name, [title])

    def _add_issues(self, category: str, severity: str, page: str, picture: str, titles: list[str]) -> None:
        for title in titles:
            shot = f".gstack/qa-reports/screenshots/{picture}.png"
            self.issues.append(
                {
                    "title": title, "severity": severity, "category": category, "page": page, "evidence": [shot],
                    "steps": [f"Open {page}", "Do what the title says"], "expected": "It works", "actual": title,
                }
            )  # fmt: skip

    def write(self) -> Path:
        """The findings, as the skill says."""
        fields = {
            "url": self.site.url, "mode": "full, standard", "pages": self.pages, "console_errors": self.console_errors,
            "broken_links": self.broken_links, "issues": self.issues,
        }  # fmt: skip
        path = self.project.path / ".gstack/qa-reports/findings.json"
        path.write_text(json.dumps(fields))
        return path


def try_shop(session: Session) -> None:
    for page in ("/", "/product.html", "/checkout.html"):
        session.sweep(page)
    session.project.bash(f"$B goto {session.site.url}/product.html; $B snapshot -i")
    covered = session.project.bash(f"$B click {session.project.ref('button', 'Add to basket')}")
    if covered.code == 4 and "is covered by" in covered.text:
        session.report(
            "functional", "critical", "/product.html", "Add to basket cannot be pressed: it is covered"
        )
    printed = session.act("/checkout.html", ("textbox", "Name"), "Ann", "Order now")
    if "[alert]: Enter a postcode" in printed and "Ann" not in session.project.gbrowse("forms"):
        session.report("ux", "high", "/checkout.html", "Checkout forgets what was typed after an error")


def try_clinic(session: Session) -> None:
    for page in ("/", "/doctors.html", "/book.html"):
        session.sweep(page)
    session.project.bash("$B snapshot -i")
    session.project.bash(f"$B click {session.project.ref('button', 'Confirm')}")
    if "Booked for undefined" in session.project.gbrowse("snapshot"):
        session.report("content", "high", "/book.html", "Books a visit without a day: undefined")


@pytest.mark.parametrize(("name", "explore"), [("shop", try_shop), ("clinic", try_clinic)])
def test_qa_only_finds_what_is_planted_and_reports_it(
    project: Project, request: pytest.FixtureRequest, name: str, explore: Callable[[Session], None]
) -> None:
    site: Site = request.getfixturevalue(name)
    skill = Follower(project, "qa-only")
    skill.begin()
    assert "Navigated" in skill.follow("1. Initialise", url=site.url).text
    oriented = skill.follow("3. Orient").text
    assert "Screenshot saved" in oriented
    session = Session(project, skill, site)
    explore(session)
    found = {(issue["category"], issue["page"]) for issue in session.issues}
    slow = {("performance", page) for page in session.pages}  # on a busy machine any page is, and is told
    assert PLANTED[name] <= found <= PLANTED[name] | slow
    session.write()
    told = skill.follow("6. Wrap up").text
    assert re.search(r"^health: \d+$", told, re.M)
    a_person_would_accept(Path(re.findall(r"^report: (.*)", told, re.M)[0]), session)
    skipped = [block for block in skill.unfollowed_blocks() if name == "clinic" and block.heading == SWEEP]
    assert skill.unfollowed_blocks() == skipped
    assert project.bash("git status --porcelain").text == ""


def a_person_would_accept(report: Path, session: Session) -> None:
    """The report names the site, the score, every issue, and shows a picture that is there for each."""
    text = report.read_text(encoding="utf-8")
    plain = re.sub(r"\\(.)", r"\1", text)
    assert session.site.url in plain
    assert [issue["title"] for issue in session.issues if str(issue["title"]) not in plain] == []
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", text)
    assert len(pictures) == len(session.issues)
    assert all((report.parent / picture).stat().st_size > 1000 for picture in pictures)
    kept = json.loads((report.parent / "baseline.json").read_text(encoding="utf-8"))
    assert len(kept["issues"]) == len(session.issues)
    assert 0 <= kept["health"] < 100


def test_qa_mends_a_bug_and_shows_that_it_is_gone(project: Project) -> None:
    """The site is the project's own: the test mends what it has found, as the skill says."""
    shutil.copytree(SITES / "shop", project.path / "site")
    commit(project, "Add the shop")
    skill = Follower(project, "qa")
    skill.begin()
    assert skill.follow("0. A clean tree").text == ""
    with serving(project.path / "site") as site:
        skill.follow("1. Initialise", url=site.url)
        skill.follow("3. Orient")
        session = Session(project, skill, site)
        session.sweep("/checkout.html")
        assert "Enter a postcode" in session.act("/checkout.html", ("textbox", "Name"), "Ann", "Order now")
        session.report("ux", "high", "/checkout.html", "Checkout forgets what was typed after an error")
        session.write()
        assert "1 high" in skill.follow("6. Score before").text
        skill.follow("6. Score before", 2)
        page = project.path / "site/checkout.html"
        page.write_text(page.read_text().replace("    order.reset();\n", ""))
        skill.follow("7. Fix, worst first", page=f"{site.url}/checkout.html", name="checkout-ux")
        assert "Enter a postcode" in session.act("/checkout.html", ("textbox", "Name"), "Ann", "Order now")
        assert '"Name": Ann' in project.gbrowse("forms")
        commit(project, "Keep what was typed when the postcode is wrong")
        session.issues = []
        session.write()
        told = skill.follow("8. Score after").text
        assert re.search(r"since the baseline: \+\d+, 1 fixed, 0 new", told)
        assert not skill.unfollowed_blocks()
    assert (project.path / ".gstack/qa-reports/screenshots/checkout-ux-after.png").exists()


def commit(project: Project, subject: str) -> None:
    done = project.bash(f"git add -A && git commit -qm '{subject}'")
    assert done.code == 0, done.text
