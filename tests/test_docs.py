"""Test that links of the documents lead somewhere, and paths exist.

`bin/test checks` compares the generated ones.
"""

import re
from pathlib import Path

from tests.each import each

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "gstack_browse"
DOCUMENTS = sorted([*ROOT.glob("*.md"), ROOT / ".github/SECURITY.md", *(ROOT / "docs").rglob("*.md")])
_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
_PATH = re.compile(r"`([a-z_]+/[A-Za-z0-9_./-]+)`")

_TEST = re.compile(r"\[(test_\w+)\]\(([^)#\s]+)\)")


@each(DOCUMENTS)
def test_links_lead_somewhere(document: Path) -> None:
    links = _LINK.findall(document.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (document.parent / link).exists()]
    assert not missing


@each(["security.md", "reliability.md", "contexts.md"])
def test_tests_that_show_a_promise_are_there(document: str) -> None:
    folder = ROOT / "docs"
    named = _TEST.findall((folder / document).read_text(encoding="utf-8"))
    assert named
    assert not [
        name for name, path in named if f"def {name}(" not in (folder / path).read_text(encoding="utf-8")
    ]


def list_roots(path: str) -> list[Path]:
    """Return the folders that a path may be relative to; [] if it is not one of ours."""
    first = path.split("/")[0]
    outer = [root for root in (ROOT, PACKAGE) if (root / first).is_dir()]
    return outer[-1:] or [folder.parent for folder in PACKAGE.rglob(first) if folder.is_dir()]


@each(DOCUMENTS)
def test_paths_of_ours_are_there(document: Path) -> None:
    """A path counts as ours when its first folder is one of the checkout or of the package, at any depth."""
    roots = {path: list_roots(path) for path in _PATH.findall(document.read_text(encoding="utf-8"))}
    assert not [
        path for path, found in roots.items() if found and not any((root / path).exists() for root in found)
    ]


def test_the_map_names_every_room() -> None:
    drawn = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    rooms = [path for path in PACKAGE.iterdir() if path.name not in ("__init__.py", "__pycache__", "py.typed")]
    assert not [path.name for path in rooms if path.name not in drawn and f"{path.name}/" not in drawn]


def test_changelog_has_the_form_of_keep_a_changelog() -> None:
    """Programs read it: a version is `## [1.2.3] - 2026-01-31`, and its kinds of change are six."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^##+ .*$", text, re.M)
    version = re.compile(r"## (\[Unreleased\]|\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d)")
    kind = re.compile(r"### (Added|Changed|Deprecated|Removed|Fixed|Security)")
    assert headings
    assert [one for one in headings if not version.fullmatch(one) and not kind.fullmatch(one)] == []
