"""After a full run nothing on this machine holds a cookie's value but the memory of the two browsers.

What is searched: everything under `.gstack/`, the temporary directory and the home directory but for the profile
the cookie came from; the words and the environment of every process; every reply.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.commands.web import Web
from tests.e2e.owner import Owner, needs_chromium, needs_keyring

VALUE = "v4lue-that-must-stay-secret"
NAME = "cookie-import-browser"


@pytest.fixture
def ann(tmp_path: Path, workspace: Path) -> Iterator[Owner]:
    """Ann, whose temporary directory is all her own, so that every file in it can be looked at."""
    owner = Owner(tmp_path / "ann")
    with tempfile.TemporaryDirectory(
        prefix="ann-"
    ) as short:  # Chromium's socket in it has a short name, or none
        owner.environment["TMPDIR"] = short
        yield owner
        owner.gbrowse(workspace, "stop")


def files_with(secrets: Iterable[bytes], *roots: Path) -> list[Path]:
    found = []
    for root in roots:
        for directory, _, names in os.walk(root):
            for path in (Path(directory, name) for name in names):
                if path.is_file() and any(secret in path.read_bytes() for secret in secrets):
                    found.append(path)
    return found


def processes_with(secret: bytes) -> list[str]:
    """Return the processes in whose words or environment the kernel shows the secret."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            try:
                if secret in (process / name).read_bytes():
                    found.append(f"{process.name}/{name}")
            except OSError:
                continue  # it has ended
    return found


@pytest.fixture
def keyring(ann: Owner) -> Iterator[None]:
    with ann.keyring():
        yield


@needs_chromium
@needs_keyring
@pytest.mark.usefixtures("keyring")
def test_imported_value_is_nowhere_and_scripts_stay_on_its_site(ann: Owner, workspace: Path, web: Web) -> None:
    login = web.show("In", Set_Cookie=f"session={VALUE}; Max-Age=9999; Path=/; HttpOnly")
    said: list[subprocess.CompletedProcess[str]] = []
    ann.visit(login, store="gnome-libsecret")
    said.append(ann.gbrowse(workspace, NAME, "--list"))
    said.append(ann.gbrowse(workspace, NAME, "--domain", "127.0.0.1"))
    assert "Imported 1 cookie for 127.0.0.1" in said[-1].stdout, said[-1].stderr
    for words in (
        ["goto", f"{web.url}/plain.html"], ["cookies"], ["network"], ["console"], ["storage"], ["html"],
        ["snapshot", "-i"], ["js", "document.cookie"], ["status"], ["restart"], ["cookies"], [NAME], ["tabs"],
    ):  # fmt: skip
        said.append(ann.gbrowse(workspace, *words))
        assert said[-1].returncode == 0, said[-1].stderr
    assert '"session"' in said[-3].stdout, "the cookie is there, also after a restart"
    profile = ann.home / ".config/chromium"
    secrets = (VALUE.encode(), VALUE.encode("utf-16-le"))
    everywhere = files_with(secrets, workspace, ann.home, Path(ann.environment["TMPDIR"]))
    assert [path for path in everywhere if profile not in path.parents] == []
    assert processes_with(VALUE.encode()) == []
    assert not any(VALUE in reply.stdout + reply.stderr for reply in said)

    other = web.show("Other", Set_Cookie="tracker=1").replace(web.url, web.other)
    assert ann.gbrowse(workspace, "goto", other).returncode == 0
    refused = ann.gbrowse(workspace, "js", "1")
    assert (refused.returncode, "--any-origin" in refused.stderr) == (7, True), "also after the restart"
