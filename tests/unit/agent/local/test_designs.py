"""Test keeping designs beyond a checkout, and bringing them back."""

import shutil
from pathlib import Path

import pytest

from gstack_browse.errors import Refused
from tests.unit.agent.local.conftest import Place

pytestmark = pytest.mark.programs


@pytest.fixture
def designs(place: Place) -> Path:
    place.git("init", "-q")
    place.git("remote", "add", "origin", "https://example.com/ann/shop.git")
    folder = place.workspace / ".gstack/designs"
    (folder / "start").mkdir(parents=True, mode=0o700)
    (folder / "start/a.html").write_text("<h1>A")
    (folder / "notes.md").write_text("Chosen: A")
    return folder


def test_designs_outlive_their_checkout(place: Place, designs: Path) -> None:
    (designs / "start/a.html").chmod(0o664)  # as an editor writes it where a group may write
    kept = place.home / "projects/ann-shop/designs"
    assert place("design-keep") == f"Kept: 2 files\n→ {kept}"
    assert (kept / "start/a.html").stat().st_mode & 0o777 == 0o600
    assert place("design-keep").startswith("Kept: 0 files")
    (designs / "notes.md").write_text("Chosen: B")
    assert place("design-keep").startswith("Kept: 1 file\n")
    assert (kept / "notes.md").read_text() == "Chosen: B"
    shutil.rmtree(designs)
    assert place("design-keep").startswith("Kept: 0 files"), "what is missing here stays kept"
    assert place("design-keep", "--restore") == f"Restored: 2 files\n→ {designs}"
    assert (designs / "start/a.html").read_text() == "<h1>A"
    (designs / "notes.md").write_text("Mine")
    assert place("design-keep", "--restore").startswith("Restored: 0 files")
    assert (designs / "notes.md").read_text() == "Mine"


def test_links_are_passed_by_and_enormous_files_are_named(place: Place, designs: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (designs / "link.html").symlink_to(tmp_path / "secret.txt")
    (designs / "folder").symlink_to(tmp_path)
    with (designs / "huge.png").open("wb") as file:
        file.truncate(30_000_000)
    said = place("design-keep")
    assert said.startswith("Kept: 2 files\n")
    assert "→ left out: huge.png: " in said
    kept = place.home / "projects/ann-shop/designs"
    assert sorted(path.name for path in kept.rglob("*") if path.is_file()) == ["a.html", "notes.md"]


@pytest.mark.parametrize("name", [".gstack", ".gstack/designs"])
def test_a_link_in_the_place_of_the_folder_is_refused(
    place: Place, designs: Path, tmp_path: Path, name: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (place.workspace / name).rename(elsewhere)
    (place.workspace / name).symlink_to(elsewhere)
    with pytest.raises(Refused, match="is a symbolic link"):
        place("design-keep")
    assert not (place.home / "projects").exists()


def test_a_link_in_the_place_of_what_is_kept_is_not_written_through(
    place: Place, designs: Path, tmp_path: Path
) -> None:
    kept = place.home / "projects/ann-shop/designs"
    place("design-keep")
    precious = tmp_path / "precious"
    precious.write_text("untouched")
    (kept / "notes.md").unlink()
    (kept / "notes.md").symlink_to(precious)
    (designs / "notes.md").write_text("other")
    assert "left out: notes.md: " in place("design-keep")
    assert precious.read_text() == "untouched"
