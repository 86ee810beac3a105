"""Files that are written through descriptors: never elsewhere, never half, never for others to read."""

import os
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

from gstack_browse.errors import BrowseError, FileFailed, Refused
from gstack_browse.registry.values.paths import CallerPaths, parse_file_for_page, parse_output_file
from gstack_browse.workspace import files
from tests.faults import fault


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of the workspace that another program swaps for a link to `outside`."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "outside").mkdir()
    shots = tmp_path / "workspace" / "shots"
    shots.mkdir(parents=True)
    return shots


def paths(inside: Path) -> CallerPaths:
    return CallerPaths(cwd=inside.parent, workspace=inside.parent)


def outside(inside: Path) -> Path:
    return inside.parents[1] / "outside"


@contextmanager
def swapping(directory: Path, elsewhere: Path) -> Iterator[None]:
    """A program that puts a link in the place of a directory, and the directory back, as fast as it can."""
    over = threading.Event()
    aside = directory.with_name("aside")

    def swap() -> None:
        while not over.is_set():
            directory.rename(aside)
            directory.symlink_to(elsewhere)
            directory.unlink()
            aside.rename(directory)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        yield
    finally:
        over.set()
        swapper.join()


def test_a_directory_swapped_for_a_link_after_the_check_is_refused_and_so_is_its_parent(inside: Path) -> None:
    path = parse_output_file("shots/a.png", paths(inside))
    inside.rmdir()
    inside.symlink_to(outside(inside))
    with pytest.raises(Refused, match="shots is no directory any more"):
        files.write_whole(str(path), b"picture")
    assert list(outside(inside).iterdir()) == []
    inside.parent.rename(inside.parents[1] / "aside")
    inside.parent.symlink_to(inside.parents[1] / "aside")
    with pytest.raises(Refused, match="workspace is no directory any more"):
        files.write_whole(str(path), b"picture")


@fault(
    "Races",
    "a program swaps the directory of a picture for a link, without pause",
    "nothing lands elsewhere; refused (7)",
)
def test_write_while_directories_are_swapped_never_lands_outside(inside: Path) -> None:
    written = 0
    with swapping(inside, outside(inside)):
        for number in range(300):
            with suppress(BrowseError):
                files.write_whole(str(parse_output_file(f"shots/{number}.png", paths(inside))), b"picture")
                written += 1
    assert len(list(inside.iterdir())) == written
    assert list(outside(inside).iterdir()) == []


def test_read_while_directories_are_swapped_never_reads_outside(inside: Path) -> None:
    (inside / "a.txt").write_text("mine")
    (outside(inside) / "a.txt").write_text("secret")
    read = set()
    with swapping(inside, outside(inside)):
        for _ in range(300):
            with suppress(BrowseError):
                path = str(parse_file_for_page("shots/a.txt", paths(inside)))
                with files.open_to_read(path) as file:
                    read.add(file.read())
    assert b"secret" not in read


def test_a_file_that_has_become_something_else_or_too_large_is_not_read(inside: Path) -> None:
    (inside / "a.txt").write_bytes(b"x" * 1001)
    assert len(files.read_limited(str(inside / "a.txt"), 1001)) == 1001
    with pytest.raises(FileFailed, match=r"^a\.txt is larger than "):
        files.read_limited(str(inside / "a.txt"), 1000)
    (outside(inside) / "a.txt").write_text("secret")
    (inside / "link").symlink_to(outside(inside) / "a.txt")
    os.mkfifo(inside / "fifo")
    for name, error in (("link", Refused), ("fifo", FileFailed), ("none", FileFailed), ("..", FileFailed)):
        with pytest.raises(error), files.open_to_read(str(inside / name)):
            pass


def test_a_file_is_ours_alone_whatever_the_umask_and_replaces_a_link(inside: Path) -> None:
    (outside(inside) / "precious").write_text("mine")
    (inside / "a.png").symlink_to(outside(inside) / "precious")
    before = os.umask(0)
    try:
        files.write_whole(str(inside / "a.png"), b"picture")
    finally:
        os.umask(before)
    assert stat.filemode((inside / "a.png").lstat().st_mode) == "-rw-------"
    assert (inside / "a.png").read_bytes() == b"picture"
    assert (outside(inside) / "precious").read_text() == "mine"


def test_failed_write_says_why_and_leaves_nothing(inside: Path) -> None:
    (inside / "a.png").mkdir()
    with pytest.raises(FileFailed, match=r"Cannot write .*a\.png: Is a directory"):
        files.write_whole(str(inside / "a.png"), b"picture")
    with pytest.raises(FileFailed, match="No such file or directory"):
        files.write_whole(str(inside / "gone" / "a.png"), b"picture")
    assert [entry.name for entry in inside.iterdir()] == ["a.png"]


def test_a_new_file_replaces_nothing_and_a_failed_one_leaves_its_name_unused(
    inside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (inside / "link.png").symlink_to("nowhere")
    assert files.create_whole(str(inside / "a.png"), b"first")
    assert not files.create_whole(str(inside / "a.png"), b"second")
    assert not files.create_whole(str(inside / "link.png"), b"second")
    assert (inside / "a.png").read_bytes() == b"first"

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.descriptors, "write_all", fail)
    with pytest.raises(FileFailed, match="No space left"):
        files.create_whole(str(inside / "b.png"), b"picture")
    assert sorted(entry.name for entry in inside.iterdir()) == ["a.png", "link.png"]


@pytest.mark.parametrize("is_near", [True, False])
def test_a_file_is_moved_under_the_first_free_name(inside: Path, tmp_path: Path, is_near: bool) -> None:
    """On the same file system, and from another one."""
    source = (tmp_path if is_near else Path("/dev/shm")) / f"source-{os.getpid()}"
    source.write_bytes(b"x" * 3_000_000)
    source.chmod(0o644)
    (inside / "r.csv").symlink_to("nowhere")
    directory = files.open_directory(str(inside))
    name = files.reserve(directory, (f"r-{number}.csv" if number > 1 else "r.csv" for number in count(1)))
    files.move_into(str(source), directory, name)
    os.close(directory)
    assert name == "r-2.csv"
    assert (inside / name).stat().st_size == 3_000_000
    assert stat.filemode((inside / name).stat().st_mode) == "-rw-------"
    assert not source.exists()
    assert sorted(entry.name for entry in inside.iterdir()) == ["r-2.csv", "r.csv"]
