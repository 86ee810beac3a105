"""The container's steps, each run on a new Debian: an ordinary user opens a page with the sandbox on."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.machines import debian
from tests.machines.containerfile import FILE, Image, read_steps

pytestmark = pytest.mark.slow


RELEASE = "trixie"


@pytest.fixture
def image(tmp_path: Path) -> Iterator[Image]:
    """Carry out the whole file; the last stage is the image."""
    if why := debian.why_not():
        pytest.skip(why)
    try:
        debian.base(RELEASE)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no new Debian could be made: {error}")
    base, *steps = read_steps(FILE.read_text(encoding="utf-8"))
    assert base == ("ARG", f"DEBIAN={RELEASE}-slim")
    stages: dict[str, Image] = {}
    with ExitStack() as stack:
        for step in steps:
            if step.instruction == "FROM":
                source, *name = step.words.split(" AS ")
                assert source == "debian:${DEBIAN}"
                stage = Image(stack.enter_context(debian.machine(RELEASE, tmp_path / f"{len(stages)}")))
                stages[name[0] if name else ""] = stage
            else:
                stage.apply(step, stages)
        yield stages[""]


def test_container_opens_a_page_as_an_ordinary_user_in_the_sandbox(image: Image) -> None:
    assert image.run("id -un") == "agent\n"
    assert image.run("gbrowse goto about:blank") == "Navigated to about:blank\n"
    report = image.run(image.health_check())
    assert "ok       sandbox: on" in report
    assert "ok       client: native" in report
    assert "problem" not in report
    assert image.run("find /home/agent /src -name .git -o -name .venv 2>/dev/null || true").strip() == ""
    assert "org.opencontainers.image.title" in image.words["LABEL"]
