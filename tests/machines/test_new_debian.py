"""The README's two commands on a new Debian, for root and for an ordinary user: `bin/test --slow`."""

import os
import re
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.serving import Answering, serving
from tests.machines.debian import USER, Machine

pytestmark = pytest.mark.slow

RELEASES = {"12": "bookworm", "13": "trixie"}
PROGRAMS = {"python3 and git": (), "chromium": ("chromium",)}
MOST_COMMANDS = 5
"""So many things a user may be told to install, one after the other."""
SECONDS = 3 * 3600


@pytest.fixture(params=[f"Debian {number}, {has}" for number in RELEASES for has in PROGRAMS])
def machine(request: pytest.FixtureRequest, make_machine: Callable[..., Machine]) -> Machine:
    release, has = request.param.removeprefix("Debian ").split(", ")
    return make_machine(RELEASES[release], PROGRAMS[has])


class Page(Answering):
    """A page on this machine."""

    def get(self) -> None:
        self.answer(b"<title>Hello</title><p>It works")


@pytest.fixture(scope="module")
def page() -> Iterator[str]:
    with serving(Page) as port:
        yield f"http://127.0.0.1:{port}/"


def test_first_command_of_a_user_works_after_typing_what_it_says(machine: Machine, page: str) -> None:
    """An ordinary user has no right to install: each failure says in a command what root is to do."""
    typed = []
    while (
        done := machine.run(f"gbrowse/bin/gbrowse goto {page} && gbrowse/bin/gbrowse text", user=USER)
    ).returncode:
        [command] = re.findall(r"sudo (apt-get install [\w .+-]*\w)", done.stderr.splitlines()[-1]) or [""]
        assert command, done.stderr
        assert command not in typed, done.stderr
        typed.append(command)
        machine.must(f"apt-get update && {command} -y")
        assert len(typed) <= MOST_COMMANDS
    assert done.stdout == f"Navigated to {page} (200)\nIt works\n"
    assert "ok       sandbox: on" in machine.run("gbrowse/bin/gbrowse doctor", user=USER).stdout


def test_both_commands_of_root_work(machine: Machine, page: str) -> None:
    """Type nothing in between: root may install.

    `bin/test checks` is run, or the part that GBROWSE_MACHINE_TESTS names; "" is everything.
    """
    assert machine.must(f"gbrowse/bin/gbrowse goto {page}") == f"Navigated to {page} (200)\n"
    assert "problem" not in machine.must("gbrowse/bin/gbrowse doctor")
    machine.must(f"cd gbrowse && bin/test {os.environ.get('GBROWSE_MACHINE_TESTS', 'checks')}", timeout=SECONDS)
