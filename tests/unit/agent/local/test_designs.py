import shutil
from pathlib import Path

import pytest

from gstack_browse.errors import Refused
from tests.each import each_row
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


@pytest.fixture
def kept(place: Place) -> Path:
    return place.home / "projects/ann-shop/designs/example.com"


def test_designs_outlive_their_checkout(place: Place, designs: Path, kept: Path) -> None:
    (designs / "start/a.html").chmod(0o664)  # as an editor writes it where a group may write
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


def test_links_enormous_files_and_folders_too_far_down_are_named(
    place: Place, designs: Path, kept: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (designs / "link.html").symlink_to(tmp_path / "secret.txt")
    (designs / "folder").symlink_to(tmp_path)
    with (designs / "huge.png").open("wb") as file:
        file.truncate(30_000_000)
    deepest = designs / "a/b/c/d"
    (deepest / "e/f").mkdir(parents=True, mode=0o700)
    for path in (deepest / "kept.md", deepest / "e/1.md", deepest / "e/2.md", deepest / "e/f/3.md"):
        path.write_text("x")
    said = place("design-keep")
    assert said.startswith("Kept: 3 files\n")
    too_far = "a/b/c/d/e: 3 entries more than 4 folders down\n"
    for words in ("huge.png: ", "link.html: a link", "folder: a link", too_far):
        assert f"→ left out: {words}" in f"{said}\n"
    assert {path.name for path in kept.rglob("*") if path.is_file()} == {"a.html", "notes.md", "kept.md"}


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
    place: Place, designs: Path, kept: Path, tmp_path: Path
) -> None:
    place("design-keep")
    precious = tmp_path / "precious"
    precious.write_text("untouched")
    (kept / "notes.md").unlink()
    (kept / "notes.md").symlink_to(precious)
    (designs / "notes.md").write_text("other")
    assert "left out: notes.md: " in place("design-keep")
    assert precious.read_text() == "untouched"


def test_keeping_nothing_but_links_fails(place: Place, designs: Path, tmp_path: Path) -> None:
    shutil.rmtree(designs)
    designs.mkdir(mode=0o700)
    assert place("design-keep").startswith("Kept: 0 files"), "there is nothing to keep"
    (designs / "a.html").symlink_to(tmp_path / "elsewhere")
    reply = place.reply("design-keep")
    assert reply.code == 1
    assert "→ left out: a.html: a link" in reply.text


@each_row(
("https://me:pw@Example.com:8443/ann/shop.git", True), ("git@example.com:ann/shop.git", True), ("ssh://git@example.com:22/ann/shop", True),
        ("https://gitlab.com/ann/shop.git", False), ("git@gitlab.com:ann/shop.git", False), ("/srv/git/ann/shop.git", False),
        ("../../ann/shop", False), ("../ann:b/ann/shop", False), ("https://../ann/shop", False),
)  # fmt: skip
def test_projects_of_one_name_on_two_hosts_are_kept_apart(
    remote: str, is_same: bool, place: Place, designs: Path
) -> None:
    place.git("remote", "set-url", "origin", "https://example.com/ann/shop.git")
    place("design-keep")
    place.git("remote", "set-url", "origin", remote)
    shutil.rmtree(designs)
    assert place("design-keep", "--restore").startswith(f"Restored: {2 if is_same else 0} files")
    designs.mkdir(exist_ok=True, parents=True, mode=0o700)
    for name in ("start/a.html", "notes.md"):
        (designs / name).parent.mkdir(exist_ok=True, mode=0o700)
        (designs / name).write_text("x")
