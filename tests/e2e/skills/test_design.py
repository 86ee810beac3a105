"""The design skills, followed from start to end on a site whose design has planted faults; the sketches are the tester's."""

import json
from pathlib import Path

from tests.e2e.skills.follower import Follower, Project
from tests.e2e.skills.web import Site

SKETCH = (
    "<!doctype html><html lang=en><title>{0}</title><meta name=viewport content=width=device-width><h1>{0}</h1>"
)


def test_design_review_finds_what_is_planted(project: Project, clinic: Site) -> None:
    review = Follower(project, "design-review")
    review.begin()
    assert review.follow("1. First impression", url=clinic.url).code == 0
    assert len(list((project.path / ".gstack/design-review").glob("first-*.png"))) == 3
    system, headings = map(json.loads, review.follow("2. The system in use").unfenced.splitlines())
    assert (system["sizes"]["9px"], "rgb(187, 187, 187)" in system["colors"]) == (1, True)
    assert [line.split()[0] for line in headings] == ["H1", "H4"]
    start = review.follow("3. Page by page", page=clinic.url, name="start").text
    assert '"i ' in start
    doctors = review.follow("3. Page by page", page=f"{clinic.url}/doctors.html", name="doctors").text
    assert max(int(line) for line in doctors.splitlines() if line.isdecimal()) > 400
    assert '"serif":' in review.follow("2. The system in use").text
    assert "Screenshot saved" in review.follow("7. Mend", name="doctors").text
    assert shots(project) >= {"start.png", "start-phone.png", "doctors-after.png", "doctors-phone-after.png"}
    assert not review.left()


def test_measuring_a_design(project: Project, clinic: Site) -> None:
    measure = Follower(project, "design-review", "references/measure.md")
    project.gbrowse("goto", clinic.url)
    assert json.loads(measure.follow("Contrast below 4.5").unfenced) == [
        ["1.9", "Monday to Friday, eight to six"]
    ]
    assert json.loads(measure.follow("Lines longer than 80 characters").unfenced) == []
    assert "24px" in json.loads(measure.follow("Distances in use").unfenced)
    assert measure.follow("The focus can be seen").code == 0
    assert not measure.left()


def test_design_shotgun(project: Project, clinic: Site) -> None:
    shotgun = Follower(project, "design-shotgun")
    shotgun.begin()
    assert "Screenshot saved" in shotgun.follow("1. The task in five lines", url=clinic.url).text
    shotgun.follow("2. Setup", slug="start")
    for name in ("a", "b"):
        sketch(project, f"start/{name}", f"Idea {name}")
        assert "Screenshot saved" in shotgun.follow("2. Setup", 2, slug="start", name=name).text
    board = project.path / ".gstack/designs/start/board.html"
    board.write_text("<!doctype html><title>Board</title><img src=a.png><img src=b.png>")
    assert "Screenshot saved" in shotgun.follow("3. The loop", slug="start").text
    assert project.gbrowse("js", "[...document.images].every(image => image.naturalWidth)") == "true\n"
    assert not shotgun.left()


def test_design_consultation(project: Project, clinic: Site) -> None:
    consultation = Follower(project, "design-consultation")
    consultation.begin()
    found = consultation.follow("2. Look around", url=clinic.url, name="clinic").text
    assert '"fonts":{"sans-serif"' in found
    consultation.follow("4. See it", slug="system")
    sketch(project, "system/preview", "Preview")
    assert "Screenshot saved" in consultation.follow("4. See it", 2, slug="system", name="preview").text
    assert not consultation.left()


def sketch(project: Project, name: str, words: str) -> None:
    (project.path / ".gstack/designs" / f"{name}.html").write_text(SKETCH.format(words))


def shots(project: Project) -> set[str]:
    return {path.name for path in Path(project.path / ".gstack/design-review").iterdir()}
