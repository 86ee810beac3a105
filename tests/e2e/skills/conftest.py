"""A project for each file of tests, with one daemon, and the fixture sites."""

from collections.abc import Iterator

import pytest

from tests.e2e.skills.follower import Project
from tests.e2e.skills.web import SITES, Site, serving


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """Return an empty repository in which the skills are installed."""
    path = tmp_path_factory.mktemp("skills") / "work"
    path.mkdir()
    found = Project(path)
    begun = found.bash(
        "git init -q -b main && git config user.name A && git config user.email a@b.c"
        " && $B skills-install --host claude && git add -A && git commit -qm 'Install the skills'"
    )
    assert begun.code == 0, begun.text
    yield found
    found.gbrowse("stop")


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
