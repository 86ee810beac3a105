"""Test the skills that review, ship and plan, in a repository with a remote.

Their commands run as printed.
"""

import re

import pytest

from tests.e2e.skills.follower import SKILLS, Follower, Project
from tests.e2e.skills.person import answer_board
from tests.e2e.skills.web import Site


@pytest.fixture(autouse=True)
def branch(project: Project, request: pytest.FixtureRequest) -> None:
    """A branch with a commit of its own, whose files no other test has reviewed, and a remote whose main it started from."""
    words = f"new, for {request.node.originalname}"
    done = project.bash(
        "git remote remove origin; rm -rf ../remote.git; git init -q --bare -b main ../remote.git"
        " && git checkout -q main && git remote add origin ../remote.git && git push -q origin main && git remote set-head origin main"
        f" && git checkout -q -B feature && echo {words} > page.txt && git add page.txt && git commit -qm 'Add a page'"
    )
    assert done.code == 0, done.text


def test_review_is_noted_and_ship_sees_it(project: Project, shop: Site) -> None:
    ship = Follower(project, "ship")
    ship.begin()
    assert ship.follow("1. Before anything").text.endswith("origin/main\n")
    assert "Add a page" in ship.follow("1. Before anything", 2, base="origin/main").text
    assert "page.txt\n" in ship.follow("1.5 Can users get it?", base="origin/main").text
    assert "NOT CLEARED" in ship.follow("2. Was it reviewed?").text
    follow_review(project, shop)
    assert re.search(r"^CLEARED", ship.follow("2. Was it reviewed?").text, re.M)
    assert "up to date" in ship.follow("3. Take in the base", base="origin/main").text
    looked = ship.follow("5. Look", url=f"{shop.url}/thanks.html", name="thanks").text
    assert "Screenshot saved" in looked
    assert ship.follow("7. Commit and push").code == 0
    assert project.bash("git log -1 --format=%s origin/feature").text == "Add a page\n"
    assert not ship.unfollowed_blocks()


def test_ship_sees_a_command_that_a_manifest_gains(project: Project) -> None:
    ship = Follower(project, "ship")
    ship.begin()
    heading = "1.5 Can users get it?"
    manifest = '[project]\nname = "shop"\n\n[project.scripts]\nold = "shop:old"\n'
    for branch, words in (("main", manifest), ("feature", f'{manifest}shop-sell = "shop:sell"\n')):
        done = project.bash(
            f"git checkout -q {branch} && cat > pyproject.toml <<'END'\n{words}END\ngit add pyproject.toml"
            " && git commit -qm 'Change a command' && git checkout -q -B feature && git push -q origin main"
        )
        assert done.code == 0, done.text
    seen = ship.follow(heading, base="origin/main").text
    assert " [project.scripts]\n" in seen
    assert '+shop-sell = "shop:sell"' in seen


def follow_review(project: Project, shop: Site) -> None:
    review = Follower(project, "review")
    review.begin()
    assert review.follow("1. The diff").text.endswith("origin/main\n")
    assert "+new" in review.follow("1. The diff", 2, base="origin/main").text
    assert "Cannot read properties of null" in review.follow("4. See it work", url=shop.url).text
    assert (project.path / ".gstack/evidence/review.png").exists()
    assert "Noted: review clean" in review.follow("6. Log").text
    assert not review.unfollowed_blocks()


def test_plan_eng_review(project: Project) -> None:
    plan = Follower(project, "plan-eng-review")
    plan.begin()
    assert "Add a page" in plan.follow("1. Scope, before details").text
    assert "Noted: plan-eng-review clean" in plan.follow("5. Write into the plan").text
    assert not plan.unfollowed_blocks()


def test_plan_ceo_review(project: Project, shop: Site) -> None:
    plan = Follower(project, "plan-ceo-review")
    plan.begin()
    assert plan.follow("1. Where we stand").text.endswith("origin/main\n")
    assert "Add a page" in plan.follow("1. Where we stand", 2, base="origin/main").text
    assert "Tea, by post" in plan.follow("1. Where we stand", 3, url=shop.url).text
    assert "Noted: plan-ceo-review clean (hold)" in plan.follow("6. Write into the plan").text
    assert not plan.unfollowed_blocks()


def test_plan_design_review(project: Project, clinic: Site) -> None:
    plan = Follower(project, "plan-design-review")
    plan.begin()
    assert plan.follow("1. Read", url=clinic.url).code == 0
    methodology = Follower(project, "plan-design-review", "references/methodology.md")
    assert methodology.follow("1. First impression", url=clinic.url).code == 0
    plan.follow("3. Sketch what words cannot settle", slug="plan")
    sketch = "3. Sketch what words cannot settle"
    for name in ("a", "b"):
        (project.path / f".gstack/designs/plan/{name}.html").write_text(
            f"<!doctype html><title>A</title><h1>{name}</h1>"
        )
        assert plan.follow(sketch, 2, slug="plan", name=name).text.count("Screenshot saved") == 2
    asked = plan.follow(sketch, 3, slug="plan", name="a", other="b", question="Which list?")
    answer_board(project, asked.text)
    assert plan.follow(sketch, 4).text.startswith("Chosen: B b.png")
    assert "Noted: plan-design-review clean" in plan.follow("5. Finish").text
    assert not plan.unfollowed_blocks()


def test_references_that_several_skills_share_are_followed(project: Project) -> None:
    """Follow each in one skill."""
    heading = "What the branch has changed"
    bootstrap = Follower(project, "ship", "references/test-bootstrap.md")
    changes = Follower(project, "qa", "references/base-branch.md")
    assert bootstrap.follow("A first test for a project that has none").code == 0
    assert changes.follow(heading).text.endswith("origin/main\n")
    assert changes.follow(heading, 2, base="origin/main").text == "page.txt\n"
    for reference, name in ((bootstrap, "test-bootstrap"), (changes, "base-branch")):
        assert not reference.unfollowed_blocks()
        files = list((project.path / SKILLS).glob(f"*/references/{name}.md"))
        assert (len(files) > 1, len({file.read_bytes() for file in files})) == (True, 1), name
