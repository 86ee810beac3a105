"""New machines for the tests of this folder; each is removed after its test."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.machines import debian
from tests.machines.debian import Machine


@pytest.fixture
def make_machine(tmp_path: Path) -> Iterator[Callable[..., Machine]]:
    """Yield a function (release, programs) that makes a machine with these packages of Debian.

    It skips the test where none can be made.
    """
    if why := debian.why_not():
        pytest.skip(why)
    with ExitStack() as machines:
        made: list[Machine] = []

        def make(release: str, programs: tuple[str, ...] = ()) -> Machine:
            try:
                debian.base(release)
            except subprocess.CalledProcessError as error:
                pytest.skip(f"no new Debian could be made: {error}")
            place = tmp_path / f"machine{len(made)}"
            made.append(machines.enter_context(debian.machine(release, place, programs)))
            return made[-1]

        yield make
