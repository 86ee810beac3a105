import os
from pathlib import Path
from urllib.parse import quote

import pytest

from gstack_browse.security.policy.files import refuse_url
from tests.each import each, each_row

OUTSIDE, OWN, AMBIGUOUS = "outside the workspace", "the daemon's own", "ambiguous"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace beside a file that is not to be seen."""
    (tmp_path / "secret.txt").write_text("secret")
    root = tmp_path / "work space"
    own = ".gstack/browse.json", ".gstack/boards/b.html", ".gstack/boards/.draft"
    for name in ("a.html", ".env", ".git/config", "docs/ü#?.html", *own):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    return root


def _refused(path: str, workspace: Path, *, is_document: bool = True) -> str:
    found = refuse_url(f"file://{quote(path, safe='/%?')}", workspace, is_document=is_document)
    return found.why if found else ""


@each(["a.html", "", "docs", "docs/ü%23%3F.html", "no such.html", ".gstack/boards/b.html"])
def test_files_of_the_workspace_are_shown(name: str, workspace: Path) -> None:
    assert _refused(f"{workspace}/{name}", workspace) == ""


@each_row(
("../secret.txt", OUTSIDE), ("../no such file", OUTSIDE), ("/etc/passwd", OUTSIDE), ("..", OUTSIDE),
        ("%2e%2e/secret.txt", OUTSIDE), ("a%2f..%2f..%2fsecret.txt", AMBIGUOUS), ("..%5csecret.txt", AMBIGUOUS),
        ("a.html%00", AMBIGUOUS), (".gstack/browse.json", OWN), (".gstack", OWN), (".gstack/boards/.draft", "is hidden (.draft)"),
        (".env", "is hidden (.env)"), (".git/config", "is hidden (.git)"), ("%2egit/config", "is hidden (.git)"),
)  # fmt: skip
def test_other_files_are_not(name: str, why: str, workspace: Path) -> None:
    for host in ("localhost", "LOCALHOST", "server"):
        refused = refuse_url(f"file://{host}{quote(str(workspace))}/a.html", workspace, is_document=True)
        assert (refused is None) == (host != "server")
    assert why in _refused(name if name.startswith("/") else f"{workspace}/{name}", workspace)


def test_links_fifos_and_hidden_workspaces_are_what_they_lead_to(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leads_to = {"out.html": workspace.parent / "secret.txt", "up": workspace.parent}
    for name, target in (leads_to | {"in.html": workspace / "a.html", "env.html": workspace / ".env"}).items():
        (workspace / name).symlink_to(target)
    assert OUTSIDE in _refused(f"{workspace}/out.html", workspace)
    assert OUTSIDE in _refused(f"{workspace}/up/secret.txt", workspace)
    assert _refused(f"{workspace}/in.html", workspace) == ""
    assert "hidden" in _refused(f"{workspace}/env.html", workspace)
    (workspace.parent / "short").symlink_to(workspace)
    assert _refused(f"{workspace}/a.html", workspace.parent / "short") == ""
    inner = workspace / ".git"
    assert _refused(f"{inner}/config", inner) == ""
    os.link(workspace.parent / "secret.txt", workspace / "hard.js")
    assert "hard link" in _refused(f"{workspace}/hard.js", workspace)
    assert _refused(f"{workspace}/hard.js", workspace, is_document=False) == ""
    os.mkfifo(workspace / "fifo.html")
    assert "regular" in _refused(f"{workspace}/fifo.html", workspace)

    def raise_not_found(path: object) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(os.path, "realpath", raise_not_found)
    assert "changed" in _refused(f"{workspace}/a.html", workspace), "a link that goes while it is followed"
