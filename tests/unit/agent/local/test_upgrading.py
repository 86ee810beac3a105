import sys
from pathlib import Path

import pytest

from gstack_browse import __version__
from gstack_browse.agent.local import updates, upgrading
from gstack_browse.agent.local.upgrading import detect_installation
from gstack_browse.errors import SetupFailed
from tests.unit.agent.local.conftest import Place


@pytest.fixture
def environment(tmp_path: Path) -> tuple[Path, str]:
    """Return the package's folder and the Python of a virtual environment that has no modules of its own."""
    package = tmp_path / "venv/lib/python3.11/site-packages"
    package.mkdir(parents=True)
    python = tmp_path / "venv/bin/python"
    python.parent.mkdir()
    return package, str(python)


def python_that(path: str, script: str) -> None:
    Path(path).write_text(f"#!/bin/sh\n{script}\n")
    Path(path).chmod(0o755)


@pytest.mark.programs
def test_installation_is_upgraded_by_the_tool_that_made_it(
    environment: tuple[Path, str], place: Place, tmp_path: Path
) -> None:
    """Use pip of the same Python where no tool has left a mark, or uv where there is no pip."""
    (tmp_path / "checkout/bin").mkdir(parents=True)
    (tmp_path / "checkout/.git").touch()  # a worktree's is a file
    (tmp_path / "checkout/bin/gbrowse").touch()
    found = detect_installation(tmp_path / "checkout", environment[1], "")
    assert found == ("a checkout", ("git", "-C", str(tmp_path / "checkout"), "pull", "--ff-only"))
    tools = {"pipx_metadata.json": ("pipx", "upgrade"), "uv-receipt.toml": ("uv", "tool", "upgrade")}
    for mark, command in tools.items():
        (tmp_path / "venv" / mark).touch()
        assert detect_installation(*environment, "").command == (*command, "gstack-browse")
        (tmp_path / "venv" / mark).unlink()
    python_that(environment[1], "exit 0")
    words = (environment[1], "-m", "pip", "install", "--upgrade", "gstack-browse")
    assert detect_installation(*environment, "") == ("pip", words)
    python_that(environment[1], "exit 1")
    with pytest.raises(SetupFailed, match="has no pip, and there is no uv"):
        detect_installation(*environment, str(place.programs))
    place.program("uv", "exit 0")
    expected = ("uv", "pip", "install", "--python", environment[1])
    assert detect_installation(*environment, str(place.programs)).command[:5] == expected


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command that `upgrade` runs, for a test to fill in."""
    words: list[str] = []
    monkeypatch.setattr(
        upgrading, "detect_installation", lambda *_: upgrading.Installation("a test", tuple(words))
    )
    return words


def test_a_dry_run_only_says_it(place: Place, command: list[str]) -> None:
    command += ["touch", str(place.workspace / "ran")]
    expected = [f"gbrowse {__version__} was installed by a test", f"Would run: touch {place.workspace}/ran"]
    assert place("upgrade", "--dry-run").splitlines() == expected
    assert not (place.workspace / "ran").exists()


@pytest.mark.programs
def test_a_new_version_is_told_to_the_next_skill_and_none_said_so(
    place: Place, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command += ["true"]
    assert place("upgrade") == f"Ran: true\ngbrowse {__version__} is the newest there"
    assert not (place.home / updates.UPGRADED).exists()
    command += ["true"]
    monkeypatch.setattr(upgrading, "__version__", "0.0.1")  # the one that runs; the files say another by now
    assert f"gbrowse 0.0.1 → {__version__}" in place("upgrade")
    (place.home / updates.SNOOZED).write_text("999.0 3 1")
    told = f"JUST_UPGRADED 0.0.1 {__version__}"
    assert [told in place("preamble") for _ in range(2)] == [True, False]
    assert not (place.home / updates.SNOOZED).exists()


@pytest.mark.programs
def test_skills_that_are_installed_are_brought_up_to_date(
    place: Place, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place("skills-install", "browse", "--host", "claude")
    skill = place.workspace / ".claude/skills/browse/SKILL.md"
    now = skill.read_bytes()
    skill.unlink()
    command += ["true"]
    monkeypatch.setattr(upgrading, "__version__", "0.0.1")
    assert ".claude/skills" in place("upgrade")
    assert skill.read_bytes() == now
    assert not (place.workspace / ".claude/skills/qa").exists(), "what was not installed stays so"


@pytest.mark.programs
def test_a_failure_shows_the_last_words(place: Place, command: list[str]) -> None:
    command += [sys.executable, "-c", "print('no network'); raise SystemExit(3)"]
    reply = place.reply("upgrade")
    assert (reply.code, reply.text) == (1, "no network")
    assert reply.message.endswith("ended with exit code 3")
    command[:] = ["no-such-program"]
    assert place.reply("upgrade").message == "no-such-program is not there"


def test_a_version_is_put_off_for_longer_each_time(place: Place) -> None:
    assert place("update-snooze") == "No newer version is known: nothing to put off"
    place("config", "update_check", "true")
    (place.home / updates.CHECKED).write_text(f"UPGRADE_AVAILABLE {__version__} 999.0\n")
    assert place("preamble") == f"UPGRADE_AVAILABLE {__version__} 999.0"
    assert [place("update-snooze") for _ in range(3)] == [
        f"Put off: 999.0, for {hours} hours" for hours in (24, 48, 168)
    ]
    assert place("preamble") == ""
