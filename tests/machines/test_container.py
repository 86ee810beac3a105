"""The container's steps, each run on a new Debian: an ordinary user opens a page with the sandbox on."""

from collections.abc import Callable

import pytest

from tests.machines.containerfile import FILE, Image, read_steps
from tests.machines.debian import Machine

pytestmark = pytest.mark.slow
RELEASE = "trixie"


@pytest.fixture
def image(make_machine: Callable[..., Machine]) -> Image:
    """Carry out the whole file; the last stage is the image."""
    base, *steps = read_steps(FILE.read_text(encoding="utf-8"))
    assert base == ("ARG", f"DEBIAN={RELEASE}-slim")
    stages: dict[str, Image] = {}
    for step in steps:
        if step.instruction == "FROM":
            source, *name = step.words.split(" AS ")
            assert source == "debian:${DEBIAN}"
            stage = stages[name[0] if name else ""] = Image(make_machine(RELEASE))
        else:
            stage.apply(step, stages)
    return stages[""]


def test_container_opens_a_page_as_an_ordinary_user_in_the_sandbox(image: Image) -> None:
    assert image.run("id -un") == "agent\n"
    assert image.run("gbrowse goto about:blank") == "Navigated to about:blank\n"
    report = image.run(image.health_check())
    assert "ok       sandbox: on" in report
    assert "ok       client: native" in report
    assert "problem" not in report
    assert image.run("find /home/agent /src -name .git -o -name .venv 2>/dev/null || true").strip() == ""
    assert "org.opencontainers.image.title" in image.words["LABEL"]
