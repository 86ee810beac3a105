"""A project for each file of tests, with one daemon, and the fixture sites."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.skills.follower import Project
from tests.e2e.skills.web import SITES, Site, serving


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    path = tmp_path_factory.mktemp("skills") / "work"
    path.mkdir()
    _git(path, "init", "-q", "-b", "main")
    _git(path, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "Begin")
    found = Project(path)
    yield found
    found.gbrowse("stop")


def _git(path: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=path, check=True)


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serving(SITES / "shop") as site:
        yield site


@pytest.fixture(scope="module")
def notes() -> Iterator[Site]:
    with serving(SITES / "notes") as site:
        yield site


@pytest.fixture(scope="module")
def clinic() -> Iterator[Site]:
    with serving(SITES / "clinic") as site:
        yield site
