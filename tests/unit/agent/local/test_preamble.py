"""Test what a skill is told, in-process.

Files lie below a home of the test's own, and the update check is not started.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gstack_browse import __version__
from gstack_browse.agent.local import preamble, settings, updates
from gstack_browse.agent.skills import MANIFEST
from tests.unit.planting import plant

Lines = Callable[[], list[str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir(mode=0o700)
    return tmp_path / "home"


@pytest.fixture
def begun_checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    begun_checks: list[str] = []
    monkeypatch.setattr(preamble, "_start_update_check", lambda place: begun_checks.append(place.path))
    return begun_checks


@pytest.fixture
def lines(home: Path, begun_checks: list[str]) -> Lines:
    (workspace := home.with_name("work")).mkdir()
    return lambda: list(preamble.preamble_lines({"GSTACK_HOME": str(home)}, str(workspace)))


def allow(home: Path, *others: str) -> None:
    (home / "config.toml").write_text("\n".join(["update_check = true", *others]) + "\n")


def test_preamble_asks_once_before_the_first_update_check_and_begins_none_twice(
    home: Path, lines: Lines, begun_checks: list[str]
) -> None:
    assert (lines(), lines(), begun_checks) == (["ASK first-run-update-check"], [], [])
    allow(home)
    assert (lines(), lines(), begun_checks) == ([], [], [str(home)])


def test_result_of_an_update_check_is_told(home: Path, lines: Lines, begun_checks: list[str]) -> None:
    allow(home)
    available = f"UPGRADE_AVAILABLE {__version__} 999.0"
    (home / updates.CHECKED).write_text(f"{available}\n")
    assert lines() == [available]
    for version, told in (("999.0", []), ("998.0", [available])):
        (home / updates.SNOOZED).write_text(f"{version} 1 {int(time.time())}")
        assert lines() == told
    (home / updates.CHECKED).write_text("CHECK_FAILED it answered 503\n")
    assert (lines(), begun_checks) == (["CHECK_FAILED it answered 503"], [])
    (home / "config.toml").write_text("update_check = false\n")
    (home / updates.CHECKED).write_text(f"{available}\n")
    assert (lines(), begun_checks) == ([], [])


@pytest.mark.programs
def test_from_three_sessions_on_their_number_is_said(home: Path, lines: Lines) -> None:
    allow(home)
    lines()
    waiting = [sys.executable, "-S", "-c", "input()"]
    others = [subprocess.Popen(waiting, stdin=subprocess.PIPE) for _ in range(2)]
    one, two = (home / f"sessions/{other.pid}" for other in others)
    (home / "sessions/notes.txt").touch()
    try:
        one.touch()
        assert lines() == []
        two.touch()
        assert lines() == ["SESSIONS 3"]
        long_ago = time.time() - settings.RECENT_SECONDS - 5
        os.utime(two, (long_ago, long_ago))
        assert lines() == []
        assert not two.exists()
    finally:
        for other in others:
            other.communicate()
    two.touch()
    lines()
    left = {path.name for path in (home / "sessions").iterdir()}
    assert left == {str(settings.find_agent_process()), "notes.txt"}


def test_one_switch_stops_every_trace(home: Path, lines: Lines, begun_checks: list[str]) -> None:
    (home / updates.UPGRADED).write_text("0.0.1\n")
    allow(home, "gstack_contributor = true", "local_traces = false")
    assert (lines(), begun_checks) == ([], [])
    assert sorted(path.name for path in home.iterdir()) == ["config.toml", updates.UPGRADED]
    (home / updates.UPGRADED).unlink()
    allow(home, "gstack_contributor = true")
    assert lines() == ["CONTRIBUTOR on"]


def test_a_broken_configuration_is_taken_for_a_no(home: Path, lines: Lines, begun_checks: list[str]) -> None:
    (home / "config.toml").write_text("local_traces = perhaps")
    (line,) = lines()
    assert line.startswith("CONFIG_BROKEN config.toml is not TOML: ")
    assert begun_checks == []
    assert [path.name for path in home.iterdir()] == ["config.toml"]


PLANTED_NAMES = updates.CHECKED, updates.SNOOZED, updates.UPGRADED, updates.BEGUN, updates.ASKED, "sessions"


@pytest.mark.parametrize("name", PLANTED_NAMES)
@pytest.mark.parametrize("what", ["directory", "link", "fifo", b"x" * 10_000, bytes(range(256))])
def test_whatever_lies_there_nothing_fails(home: Path, lines: Lines, name: str, what: str | bytes) -> None:
    allow(home)
    if isinstance(what, bytes):
        (home / name).write_bytes(what)
    else:
        plant(home / name, what, Path("/etc/passwd"))
    assert [line for line in lines() if not line.startswith("CHECK_FAILED")] == []


HOMES = [{"GSTACK_HOME": home} for home in ("/proc/none", "/dev/null", "/dev/null/x")]


@pytest.mark.parametrize("environment", [*HOMES, {"HOME": "relative"}])
def test_without_a_home_that_can_be_written_nothing_is_said(
    environment: dict[str, str], begun_checks: list[str], tmp_path: Path
) -> None:
    said = preamble.preamble_lines(environment, str(tmp_path))
    assert [line for line in said if not line.startswith("CONFIG_BROKEN ")] == begun_checks == []


@pytest.mark.programs
def test_the_agent_is_the_first_ancestor_that_is_no_shell(tmp_path: Path) -> None:
    root = Path(__file__).parents[4]
    code = f"import sys; sys.path.append({str(root)!r}); from gstack_browse.agent.local.settings import find_agent_process as find; print(find())"
    script = f"sh -c '{sys.executable} -c \"$CODE\"; :'; :"
    environment = {"CODE": code, "PATH": "/usr/bin:/bin"}
    assert int(subprocess.check_output(["sh", "-c", script], env=environment)) == os.getpid()


def skill(root: Path, name: str, version: str) -> None:
    folder = root / ".claude/skills"
    folder.mkdir(parents=True, exist_ok=True)
    record = {"hosts": ["claude"], "skills": {name: {"version": version, "files": {}}}}
    (folder / MANIFEST).write_text(json.dumps(record, indent=2))


def test_skills_that_an_older_version_installed_are_named(tmp_path: Path) -> None:
    def outdated(work: Path) -> list[str]:
        environment = {"HOME": str(tmp_path / "me"), "GSTACK_HOME": "/dev/null/none"}
        return list(preamble.preamble_lines(environment, str(work)))

    work, planted = tmp_path / "work", tmp_path / "planted/.claude/skills"
    skill(work, "qa", __version__)
    planted.mkdir(parents=True)
    os.mkfifo(planted / MANIFEST)
    assert outdated(work) == outdated(tmp_path / "planted") == []
    skill(work, "qa", "0.0.1")
    skill(tmp_path / "me", "browse", "0.0.2")
    assert outdated(work) == ["SKILLS_OUTDATED browse qa"]
    skill(work, "qa", "999.0")
    assert outdated(work) == ["SKILLS_OUTDATED browse"]
