import os
from pathlib import Path

import pytest

from gstack_browse.agent.skills.manifest import MAX_BYTES, FileTree
from gstack_browse.errors import FileFailed, Refused


@pytest.fixture
def tree(tmp_path: Path) -> FileTree:
    (tmp_path / "root").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/file").write_text("theirs")
    return FileTree(str(tmp_path / "root"))


def test_files_are_written_over_and_removed_with_their_empty_directories(tree: FileTree) -> None:
    for content in (b"text", b"other"):
        tree.write("a/c.md", content)
        assert tree.read("a/c.md") == content
    assert os.listdir(f"{tree.root}/a") == ["c.md"]
    assert os.stat(f"{tree.root}/a/c.md").st_mode & 0o111 == 0
    tree.prune("a")
    assert tree.exists("a")
    for _ in range(2):
        tree.remove("a/c.md")
        tree.prune("a")
        assert not tree.exists("a")
    assert tree.read("a/c.md") is None


@pytest.mark.parametrize("path", ["link", "a/link", "link/file", "a/link/file"])
def test_no_link_is_followed(tree: FileTree, path: str) -> None:
    outside = Path(tree.root).parent / "outside"
    link = Path(tree.root, path.removesuffix("/file"))
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(outside / "file" if path.endswith("link") else outside)
    for call in (tree.read, tree.remove, lambda path: tree.write(path, b"ours")):
        with pytest.raises(Refused, match="is a symbolic link"):
            call(path)
    assert (outside / "file").read_text() == "theirs"
    assert link.is_symlink()


@pytest.mark.parametrize("path", ["../outside/file", "a/../../outside/file", "a/.."])
def test_no_path_leads_out(tree: FileTree, path: str) -> None:
    for call in (tree.read, tree.remove, lambda path: tree.write(path, b"")):
        with pytest.raises(Refused, match="leads out of"):
            call(path)


def test_writing_over_anything_but_a_small_file_is_refused(tree: FileTree) -> None:
    os.mkfifo(f"{tree.root}/fifo")
    Path(tree.root, "directory").mkdir()
    Path(tree.root, "large").write_bytes(b"x" * (MAX_BYTES + 1))
    Path(tree.root, "file").touch()
    for path in ("fifo", "directory", "large", "file/below"):
        with pytest.raises(Refused):
            tree.write(path, b"ours")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_cannot_be_written_is_told(tree: FileTree) -> None:
    os.chmod(tree.root, 0o500)
    with pytest.raises(FileFailed, match="cannot be changed"):
        tree.write("a/b", b"")
