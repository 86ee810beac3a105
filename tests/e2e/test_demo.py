"""Test `gbrowse demo`: what a stranger types first."""

import re
from pathlib import Path
from xml.etree import ElementTree

from tests.e2e.daemon.harness import DaemonHarness, Site


def test_demo_shows_each_command_films_it_and_leaves_no_tab(home: DaemonHarness, site: Site) -> None:
    home.must("goto", site("/form"))
    before = home.must("tabs")
    shown = home.must("demo")
    assert 'Expected: text "Thank you, Ann: Sencha, as a gift"' in shown
    assert " is stale " in shown
    assert len([line for line in shown.splitlines() if line.startswith("$ gbrowse ")]) == 9
    film = re.match(r"Film saved: (.+\.webm) \([\d.]+ s, 6 actions, ", shown.splitlines()[-1])
    assert film
    assert Path(film[1]).stat().st_size > 10_000
    assert home.must("tabs") == before
    refused = home.run("--tab", "1", "demo")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert home.must("tabs") == before


def test_demo_leaves_a_film_alone_that_is_taken(home: DaemonHarness, site: Site) -> None:
    home.must("goto", site("/form"))
    home.must("film-start", "own.webp", "--size", "320x180")
    assert "Film" not in home.must("demo")
    assert "Noted" in home.must("film-note", "still there")
    assert "own.webp" in home.must("film-stop")


PICTURE = Path(__file__).parents[2] / "docs/images/session.svg"


def test_picture_in_readme_shows_what_demo_prints(home: DaemonHarness) -> None:
    """Demo may print more. tests/terminal_picture.py says how the picture is made."""
    drawn = ElementTree.parse(PICTURE).iter("{http://www.w3.org/2000/svg}text")
    printed = iter(forget_times(home.must("demo")).splitlines())
    missing = [line for text in drawn if (line := forget_times("".join(text.itertext()))) not in printed]
    assert missing == []


def forget_times(text: str) -> str:
    return re.sub(r"\(\d+ ms\)", "(… ms)", text)
