"""Test that a Chromium that lacks a library is started once more when the library is there."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from gstack_browse.browser.launch import chromium, launch
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings
from tests import chromiums
from tests.faults import fault


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """With a Chromium that starts as soon as there is a file `library`."""
    monkeypatch.setattr(chromium, "has_apt", lambda: True)
    program = tmp_path / "chromium-headless"
    message = f"chrome: {chromium.LOADER_MESSAGE}: libplanted.so.9: cannot open shared object file: No such file or directory"
    program.write_text(
        f"#!/bin/sh\n[ -e {shlex.quote(str(tmp_path))}/library ] || {{ echo '{message}' >&2; exit 127; }}\n"
        f'exec {shlex.quote(str(chromiums.usual()))} "$@"\n'
    )
    program.chmod(0o755)
    return Settings(chromium=program)


async def test_missing_library_is_installed(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def install(command: Sequence[str], progress: chromium.Progress) -> str:
        (tmp_path / "library").touch()
        return ""

    monkeypatch.setattr(chromium, "as_root", list)
    monkeypatch.setattr(chromium, "find_packages", lambda libraries: dict.fromkeys(libraries, ""))
    monkeypatch.setattr(chromium, "run_installer", install)
    said: list[str] = []
    running = await launch.start(settings, said.append, on_death=lambda _: None)
    await running.close()
    assert said == ["Chromium lacks libplanted.so.9: installing"]


@fault(
    "Environments",
    "a library of the system is missing",
    "it is installed where the user may do that, else named with the command to type (1)",
)
async def test_missing_library_is_named(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "as_root", lambda command: None)
    with pytest.raises(SetupFailed) as told:
        await launch.start(settings, chromium.ignore_line, on_death=lambda _: None)
    assert told.value.message == "Chromium lacks a library of the system: libplanted.so.9"
    assert told.value.hint.startswith("Install it: sudo ")
    assert told.value.hint.endswith(" -m playwright install-deps chromium-headless-shell")
