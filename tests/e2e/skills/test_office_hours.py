"""Test office-hours, followed from an idea to sketches that a person chose and a document's place.

The image service is a stand-in; the sketches are the tester's.
"""

from tests.commands.image_stand_in import StandIn, answer_with_words, drawn
from tests.e2e.skills.follower import Follower, Project
from tests.e2e.skills.person import answer_board
from tests.e2e.skills.web import Site

SKETCH = "<!doctype html><html lang=en><title>{0}</title><h1>{0}</h1><button>Order</button>"


def test_office_hours_skill_is_followed_to_its_end(project: Project, shop: Site) -> None:
    office = Follower(project, "office-hours")
    office.begin()
    assert "Install the skills" in office.follow("1. Listen").text
    assert "Tea, by post" in office.follow("3. Look around", url=shop.url, name="shop").text
    for name in ("list", "map"):
        office.follow("A sketch", slug="tea", name=name)  # makes the directory; the file is not there yet
        (project.path / f".gstack/designs/tea/{name}.html").write_text(SKETCH.format(name))
        assert "Screenshot saved" in office.follow("A sketch", slug="tea", name=name).text
    asked = office.follow("A sketch", 2, slug="tea", name="list", other="map", question="Which start?")
    answer_board(project, asked.text)
    assert office.follow("A sketch", 3).text.startswith("Chosen: B map.png")
    follow_mockup(project, office)
    assert "Kept: " in office.follow("7. The design document").text
    assert not office.unfollowed_blocks()


def follow_mockup(project: Project, office: Follower) -> None:
    """Follow the block for mockups without an image service, then with one."""
    assert "No image service is set" in office.follow("A mockup").text
    service = StandIn()
    project.bash(f"$B design-service {service.url} --model draws --vision-model looks")
    assert "model draws" in office.follow("A mockup").text
    service.next = [drawn(), drawn(), answer_with_words('{"verdict": "Nearly", "findings": []}')]
    told = office.follow("A mockup", 2, slug="tea", name="look", brief="A shop for tea")
    assert (told.code, told.text.count("Picture saved: ")) == (0, 2), told.text
    assert "→ Nearly" in told.text
    project.gbrowse("design-service", "--off")
    service.close()
