import re
from pathlib import Path
from xml.etree import ElementTree

from tests.e2e.daemon.harness import DaemonHarness, Site

PICTURE = Path(__file__).parents[2] / "docs/images/session.svg"


def test_demo_shows_each_command_as_the_readme_s_picture_films_it_and_leaves_no_tab(
    lasting: DaemonHarness, site: Site
) -> None:
    """Demo may print more than the picture shows. tests/terminal_picture.py says how that is made."""
    lasting.begin(site("/form"))
    before = lasting.ask("tabs")
    shown = lasting.must("demo")
    assert 'Expected: text "Thank you, Ann: Sencha, as a gift"' in shown
    assert " is stale " in shown
    assert len([line for line in shown.splitlines() if line.startswith("$ gbrowse ")]) == 9
    film = re.match(r"Film saved: (.+\.webm) \([\d.]+ s, 6 actions, ", shown.splitlines()[-1])
    assert film
    assert Path(film[1]).stat().st_size > 10_000
    assert lasting.ask("tabs") == before
    drawn = ElementTree.parse(PICTURE).iter("{http://www.w3.org/2000/svg}text")
    printed = iter(forget_times(shown).splitlines())
    missing = [line for text in drawn if (line := forget_times("".join(text.itertext()))) not in printed]
    assert missing == []
    refused = lasting.run("--tab", "1", "demo")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert lasting.ask("tabs") == before


def forget_times(text: str) -> str:
    return re.sub(r"\(\d+ ms\)", "(… ms)", text)


def test_demo_leaves_a_film_alone_that_is_taken(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/form"))
    lasting.must("film-start", "own.webp", "--size", "320x180")
    assert "Film" not in lasting.must("demo")
    assert "Noted" in lasting.must("film-note", "still there")
    assert "own.webp" in lasting.must("film-stop")
