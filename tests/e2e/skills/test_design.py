"""Test the design skills, followed from start to end on a site with planted faults of design.

The sketches are the tester's.
"""

import json
from pathlib import Path

from tests.e2e.skills.follower import Follower, Project
from tests.e2e.skills.person import answer_board
from tests.e2e.skills.web import Site

SKETCH = (
    "<!doctype html><html lang=en><title>{0}</title><meta name=viewport content=width=device-width><h1>{0}</h1>"
)


WITHOUT_DISPLAY = ("There is no display", "snapshot -i -a")


def test_design_review_finds_what_is_planted(project: Project, clinic: Site) -> None:
    review = Follower(project, "design-review")
    review.begin()
    shown = review.follow("What the user means", url=clinic.url)
    assert shown.code == 1
    assert [words for words in WITHOUT_DISPLAY if words not in shown.text] == []
    assert review.follow("1. First impression", url=clinic.url).code == 0
    assert len(list((project.path / ".gstack/design-review").glob("first-*.png"))) == 3
    system = review.follow("2. The system in use").unfenced
    assert "| `#bbbbbb` | `#ffffff` | 1.9 |" in system
    assert "9 px" in system
    assert [line.split()[0] for line in json.loads(system.splitlines()[-1])] == ["H1", "H4"]
    start = review.follow("3. Page by page", page=clinic.url, name="start").text
    assert '"i ' in start
    doctors = review.follow("3. Page by page", page=f"{clinic.url}/doctors.html", name="doctors").text
    assert max(int(line) for line in doctors.splitlines() if line.isdecimal()) > 400
    assert "Screenshot saved" in review.follow("7. Mend", name="doctors").text
    project.gbrowse("screenshot", "--viewport", "mockup.png")
    verified = review.follow("The mockup", url=f"{clinic.url}/doctors.html", mockup="mockup.png")
    assert (verified.code, "Score: " in verified.text) == (0, True), verified.text
    measured = review.follow("8. Report", url=f"{clinic.url}/doctors.html")
    assert measured.code == 1, measured.text
    assert "token" in measured.text
    assert shots(project) >= {"start.png", "start-phone.png", "doctors-after.png", "doctors-phone-after.png"}
    assert not review.unfollowed_blocks()


def test_measuring_a_design(project: Project, clinic: Site) -> None:
    measure = Follower(project, "design-review", "references/measure.md")
    (project.path / ".gstack/design-review").mkdir(parents=True, exist_ok=True)
    project.gbrowse("goto", clinic.url)
    assert json.loads(measure.follow("Contrast below 4.5").unfenced) == [
        ["1.9", "Monday to Friday, eight to six"]
    ]
    assert json.loads(measure.follow("Lines longer than 80 characters").unfenced) == []
    assert "| 24 px |" in measure.follow("Distances, corners, looks of components").text
    assert measure.follow("The focus can be seen").code == 0
    assert not measure.unfollowed_blocks()


def test_design_shotgun_skill_is_followed_to_its_end(project: Project, clinic: Site) -> None:
    shotgun = Follower(project, "design-shotgun")
    shotgun.begin()
    assert "Screenshot saved" in shotgun.follow("1. The task in five lines", url=clinic.url).text
    assert "No image service is set" in shotgun.follow("2. Setup", slug="start").text
    for name in ("a", "b"):
        sketch(project, f"start/{name}", f"Idea {name}")
        assert "Screenshot saved" in shotgun.follow("2. Setup", 2, slug="start", name=name).text
    asked = shotgun.follow("3. The loop", slug="start", name="a", other="b", question="Which start?")
    answer_board(project, asked.text)
    told = shotgun.follow("3. The loop", 2)
    assert told.text.startswith('Chosen: B b.png (board 1: "Which start?")'), told.text
    assert "Calmer" in told.text
    assert len(list((project.path / ".gstack/designs/start").glob("board-*.json"))) == 1
    kept = shotgun.follow("3. The loop", 3).text
    assert "Kept: " in kept
    assert "left out" not in kept
    assert not shotgun.unfollowed_blocks()


def test_design_consultation_skill_is_followed_to_its_end(project: Project, clinic: Site) -> None:
    consultation = Follower(project, "design-consultation")
    consultation.begin()
    found = consultation.follow("2. Look around", url=clinic.url, name="clinic").text
    assert "| body | sans-serif |" in found
    consultation.follow("4. See it", slug="system")
    sketch(project, "system/preview", "Preview")
    assert "Screenshot saved" in consultation.follow("4. See it", 2, slug="system", name="preview").text
    said = consultation.follow("4. See it", 3).text
    assert "Design saved: .gstack/designs/system/DESIGN.md" in said
    assert not consultation.unfollowed_blocks()


def sketch(project: Project, name: str, words: str) -> None:
    (project.path / ".gstack/designs" / f"{name}.html").write_text(SKETCH.format(words))


def shots(project: Project) -> set[str]:
    return {path.name for path in Path(project.path / ".gstack/design-review").iterdir()}
