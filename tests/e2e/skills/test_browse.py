"""Test the skills that need no judgement, followed from start to end.

browse, setup-browser-cookies, benchmark, canary, upgrade.
"""

import json
import re

import pytest

from tests.e2e.skills.follower import Follower, Project
from tests.e2e.skills.web import Site
from tests.pdf_files import Sheet, lines, pdf

BOARD = """<h1>Board</h1><button draggable=true>Card</button>
<button ondragover="event.preventDefault()" ondrop="event.preventDefault(); this.append('!')">Done</button>
<canvas width=200 height=100></canvas><article aria-label=Story><p>First words, and an end.</p></article>
<div role=region aria-label=Log tabindex=0 style="height: 50px; overflow: auto"><p style="height: 3000px">Lines</p></div>"""


def test_browse_skill_is_followed_to_its_end(project: Project, notes: Site) -> None:
    browse, set_up = Follower(project, "browse"), Follower(project, "browse", "references/setup.md")
    assert re.fullmatch(r"READY \S+ B=gbrowse --fence\n", set_up.follow("Set-up").text)
    assert set_up.follow("Set-up", 2).text in ("", "ASK first-run-update-check\n")
    assert not set_up.unfollowed_blocks()
    assert '[textbox] "Email" [required]' in browse.follow("One chain a page", url=notes.url).text
    project.bash(f"$B fill {project.ref('textbox', 'Password')} secret")
    told = browse.follow(
        "One chain a page",
        2,
        {"@e1": ("textbox", "Email"), "@e2": ("button", "Sign in")},
        text="ann@example.com",
        result="2 notes",
    ).text
    assert f"→ now at {notes.url}/notes.html" in told
    assert '[button] "Archive"' in told
    project.bash("$B js \"fetch('/save', { method: 'POST' })\"")
    checked = browse.follow("Waiting and checking", text="2 notes")
    assert (checked.code, checked.text.count("Expected: ")) == (0, 3), checked.text
    project.bash("$B click text=Archive")
    read = browse.follow("Read cheaply").text
    assert "Buy milk" in read
    assert "archive is not ready" in read
    shots = browse.follow("Evidence").text
    assert shots.count("Screenshot saved") == 2
    assert (project.path / ".gstack/evidence/page.png").stat().st_size > 1000
    assert not browse.unfollowed_blocks()


def test_patterns_of_browse(project: Project, notes: Site, clinic: Site) -> None:
    patterns = Follower(project, "browse", "references/patterns.md")
    project.bash(
        f"$B goto {notes.url}; $B fill label=Email ann@example.com; $B fill label=Password secret --submit"
    )
    assert project.gbrowse("wait", "--text", "2 notes")
    row = "One row of a long table"
    assert '[button] "Delete"' in patterns.follow(row, words_in_the_row="milk").text
    assert "Buy milk" in patterns.follow(row, 2, {"@e9": ("listitem", "milk")}).text
    project.bash(f"$B goto {clinic.url}/doctors.html")
    assert "Saved: " in patterns.follow("A table as data").text
    assert "Dr. Adams,Eyes" in (project.path / ".gstack/rows.csv").read_text()
    assert '[link] "Book"' in patterns.follow("A list that loads more at its end").text
    hovered = patterns.follow("What only appears under the pointer", refs={"@e4": ("link", "Book")})
    assert (hovered.code, "Hovered" in hovered.text) == (0, True)
    document = project.gbrowse("network", "--type", "document").partition("#")[2].split()[0]
    asked = patterns.follow("What a request was", request_number=document).text
    assert "initiator: other" in asked
    assert "Dr. Adams" in asked
    assert "HAR saved" in patterns.follow("What a request was", 2).text
    assert int(patterns.follow("Phone width").unfenced.split("\n")[1]) > 0
    routed = patterns.follow("A server that fails, is late, or says something else").text
    assert (routed.count("never hit"), routed.count("Removed route")) == (3, 3)
    assert "Throttled: nothing" in patterns.follow("A slow network, an old phone").text
    assert "Device: iPhone 15" in patterns.follow("Phone width", 2).text
    compared = patterns.follow(
        "Two versions of a page", url=clinic.url, other_url=f"{clinic.url}/doctors.html"
    ).text
    assert "-Care on the hill" in compared
    assert patterns.follow("Dark, printed, elsewhere, without network").code == 0
    (project.path / ".gstack/evidence").mkdir(mode=0o700, exist_ok=True)
    assert "No difference" in patterns.follow("What a change did to the look of a page").text
    assert "Design saved: .gstack/evidence/DESIGN.md" in patterns.follow("The design of a page").text
    audited = patterns.follow("What is wrong with a page")
    assert (audited.code, "axe-core found no problems (" in audited.text) == (0, True), audited.text
    project.bash("$B screenshot a.png; $B screenshot b.png")
    assert "board-answer 1" in patterns.follow("Which of these pictures", what_to_look_for="Calm?").text
    assert "none is broken" in patterns.follow("What is wrong with a page", 2).text
    (project.path / "report.pdf").write_bytes(pdf(*(Sheet(lines(f"Sheet {number}")) for number in range(1, 6))))
    read = patterns.follow("A document to be read", url=clinic.url, pdf="./report.pdf").text
    assert "a PDF, 5 pages" in read
    assert "Sheet 5" in read
    assert "(page 3)" in read
    project.bash(f"$B goto {clinic.url}")
    weak = patterns.follow("What is wrong with a page", 3)
    assert "medium csp" in weak.text
    assert "requests<80" in weak.text
    slow = patterns.follow("Why a page is slow, or looks so")
    assert (slow.code, "LCP" in slow.text, "Trace saved: " in slow.text) == (0, True, True), slow.text
    (project.path / "board.html").write_text(BOARD)
    (project.path / "photo.png").write_bytes(b"png")
    project.bash("$B goto file://$PWD/board.html; $B snapshot")
    card, done, story = ("button", "Card"), ("button", "Done"), ("article", "Story")
    moved = patterns.follow(
        "Drag, draw, drop, select",
        refs={"@e3": card, "@e9": done, "@e4": story, "@e5": ("region", "Log")},
        first_words="First",
        last_words="end.",
    )
    assert (moved.code, "Error" in moved.text) == (0, False), moved.text
    assert "Dropped photo.png" in moved.text
    assert not patterns.unfollowed_blocks()


def test_setup_browser_cookies(project: Project, notes: Site) -> None:
    """On a machine without a browser profile: the user has exported a file."""
    cookies = Follower(project, "setup-browser-cookies")
    cookies.begin()
    project.env["HOME"], home = str(project.path.parent / "nobody"), project.env["HOME"]
    listed, imported = cookies.follow("1. What is there"), cookies.follow("2. Import", domain="example.com")
    project.env["HOME"] = home
    assert (listed.code, imported.code) == (1, 1), listed.text + imported.text
    cookie = {"name": "session", "value": "open", "domain": "127.0.0.1", "path": "/"}
    (project.path / "cookies.json").write_text(json.dumps([cookie]))
    assert "Loaded 1 cookie" in project.bash("$B cookie-import cookies.json").text
    told = cookies.follow("3. See that it works", url=f"{notes.url}/notes.html").text
    assert '[button] "Archive"' in told
    assert (project.path / ".gstack/login.png").exists()
    assert not cookies.unfollowed_blocks()


def test_benchmark_skill_is_followed_to_its_end(
    project: Project, shop: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shop, "slow_seconds", 0.3)
    benchmark = Follower(project, "benchmark")
    benchmark.begin()
    benchmark.follow("1. Choose pages and conditions")
    url = f"{shop.url}/product.html"
    assert benchmark.follow("2. Measure", url=url, name="product").text.split()[-1] == "5"
    medians = benchmark.follow("2. Measure", 2, name="product").text
    runs = dict(line.split()[:2] for line in medians.splitlines()[1:])
    assert {"ttfb": "5", "domReady": "5", "load": "5"}.items() <= runs.items()
    assert "tin.svg → " in benchmark.follow("3. See what it is made of", name="product").text
    assert benchmark.follow("4. Compare", name="product").text == "baseline made\n"
    assert "load" in benchmark.follow("4. Compare", name="product").text
    benchmark.follow("2. Measure", url=shop.url, name="product")
    benchmark.follow("2. Measure", 2, name="product")
    assert re.search(r"load +5 +\d+ms +\d+ms +SLOWER", benchmark.follow("4. Compare", name="product").text)
    slowest = benchmark.follow("3. See what it is made of", name="product").text.split("\n")[1]
    assert "recommendations.js" in slowest
    assert not benchmark.unfollowed_blocks()


def test_canary_skill_is_followed_to_its_end(project: Project, shop: Site) -> None:
    canary = Follower(project, "canary")
    canary.begin()
    for name, url in (("start", f"{shop.url}/thanks.html"), ("product", f"{shop.url}/product.html")):
        canary.follow("2. Baseline, before the deployment", name=name, url=url)
    kept = project.path / ".gstack/canary/baseline"
    assert {path.suffix for path in kept.iterdir()} == {".text", ".errors", ".failed", ".perf", ".png"}
    canary.follow("3. One round", name="start", url=f"{shop.url}/thanks.html")
    assert canary.follow("3. One round", 2, name="start").text == ""
    canary.follow("3. One round", name="start", url=shop.url)
    news = canary.follow("3. One round", 2, name="start").text
    assert "Cannot read properties of null" in news
    assert "< The order is on its way." in news
    assert re.search(r"^load +1 +\d+ms +\d+ms +SLOWER$", news, re.M)
    alarm = canary.follow("4. Watch", name="start").text
    assert "Screenshot saved" in alarm
    assert not canary.unfollowed_blocks()


def test_upgrade_skill_is_followed_without_the_upgrade_itself(project: Project) -> None:
    """Leave the upgrade itself out: it would change the checkout that is under test."""
    upgrade = Follower(project, "upgrade")
    upgrade.begin()
    assert "Would run: git -C" in upgrade.follow("1. What would happen").text
    upgrade.leave_out("3. Upgrade")
    checked = upgrade.follow("4. The skills").text
    assert "unchanged: " in checked
    assert re.search(r"^upgrade +\S+ +fresh", checked, re.M)
    assert "Version: " in upgrade.follow("5. See that it works").text
    assert not upgrade.unfollowed_blocks()
