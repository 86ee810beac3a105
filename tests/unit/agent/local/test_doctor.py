import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gstack_browse import __version__
from gstack_browse.agent.local import subprocesses
from gstack_browse.agent.local.caller import Caller
from gstack_browse.agent.local.checks import doctor
from gstack_browse.agent.local.reports import Finding
from gstack_browse.agent.skills import manifest
from gstack_browse.agent.skills.manifest import FileTree, InstalledSkill, Manifest
from gstack_browse.errors import ActionFailed, BrowseError
from gstack_browse.registry.values.paths import CallerPaths
from tests.unit.agent.local.conftest import Place
from tests.unit.planting import plant

pytestmark = pytest.mark.programs


@pytest.fixture
def place(place: Place) -> Place:
    """A workspace in the environment of the tests, which knows where Playwright's browsers are."""
    browsers = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", f"{os.path.expanduser('~')}/.cache/ms-playwright")
    theirs = {name: value for name, value in os.environ.items() if not name.startswith("BROWSE_")}
    place.environment = theirs | place.environment | {"PLAYWRIGHT_BROWSERS_PATH": browsers}
    (place.workspace / ".gstack").mkdir(mode=0o700)
    return place


@pytest.fixture
def workspace(place: Place) -> Path:
    return place.workspace


@pytest.fixture
def caller(place: Place) -> Caller:
    return Caller(CallerPaths(place.workspace, place.workspace), place.environment)


def lines(look: Callable[[Caller], Iterator[doctor.Finding]], caller: Caller) -> list[str]:
    return [finding.line() for finding in doctor._run_check(look, caller)]


@contextmanager
def listener(workspace: Path, reply: bytes | None) -> Iterator[None]:
    """Somebody at browse.sock who gives this answer and closes, or says nothing at all."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(workspace / ".gstack/browse.sock"))
        server.listen()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                if reply is not None:
                    connection.sendall(reply)
                    return
                connection.recv(1000)  # ends when the other side gives up

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        thread.join()


def test_doctor_prints_a_line_for_each_thing_that_is_well(place: Place) -> None:
    reply = place.reply("doctor")
    assert reply.code == 0, reply.text
    begins = "ok       gbrowse: ", "ok       chromium: ", "-        daemon: none runs"
    for part in (*begins, "client: ", "sandbox: ", "disk: ", "limits: "):
        assert part in reply.text


def test_a_chromium_that_cannot_run_is_a_problem(place: Place) -> None:
    place.environment |= {"BROWSE_CHROMIUM": "/bin/false", "BROWSE_PORT": "1"}
    reply = place.reply("doctor")
    assert reply.code == 1
    assert "problem  browser: /bin/false cannot be run: exit code 1\n         → " in reply.text
    assert "problem  environment: set, but without meaning: BROWSE_PORT" in reply.text
    for_programs = place.reply("doctor", "--json")
    found = {item["check"]: item for item in json.loads(for_programs.text)}["environment"]
    assert (found["state"], found["next"], for_programs.code) == ("problem", "unset it", 1)


@pytest.mark.parametrize("there", [b"", b"#!/bin/sh\n", b"\x7fELF"])
def test_which_client_commands_go_through(
    caller: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bytes
) -> None:
    """Without a native one everything works, so that is no problem; what to type for it is said."""
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    if there:
        (tmp_path / "gbrowse").write_bytes(there)
    [line] = [item for item in lines(doctor._check_client, caller) if "client: " in item]
    assert ("native" in line) == (there == b"\x7fELF")
    assert ("apt-get install gcc" in line) == (there != b"\x7fELF")


def test_a_daemon_that_answers_is_named_and_one_of_another_version_to_be_restarted(
    caller: Caller, workspace: Path
) -> None:
    with listener(workspace, f"Version: {__version__}\nPID: 7\n".encode()):
        found = lines(doctor._check_workspace, caller)[1:]
    socket_file = workspace / ".gstack/browse.sock"
    assert found == [f"ok       socket: {socket_file}", f"ok       daemon: version {__version__}, process 7"]
    socket_file.unlink()
    with listener(workspace, b"Version: 0.0.1\nPID: 7\n"):
        assert lines(doctor._check_workspace, caller)[2].endswith("→ gbrowse restart")


@pytest.mark.parametrize("reply", [None, b"", b"Error: busy\n", b"\xff"])
def test_a_daemon_that_does_not_answer_is_a_problem_soon(
    caller: Caller, workspace: Path, monkeypatch: pytest.MonkeyPatch, reply: bytes | None
) -> None:
    monkeypatch.setattr(doctor, "ANSWER_SECONDS", 0.2)
    with listener(workspace, reply):
        found = lines(doctor._check_workspace, caller)[2]
    assert found.startswith("problem  daemon: does not answer")
    assert found.endswith("→ gbrowse restart")


def test_a_socket_nobody_listens_at_is_none_and_a_state_directory_that_is_a_link_a_problem(
    caller: Caller, workspace: Path
) -> None:
    plant(workspace / ".gstack/browse.sock", "socket")
    assert "daemon: none runs here" in lines(doctor._check_workspace, caller)[1]
    (workspace / ".gstack/browse.sock").unlink()
    (workspace / ".gstack").rmdir()
    (workspace / ".gstack").symlink_to(workspace.parent)
    found = lines(doctor._check_workspace, caller)[1]
    assert found.startswith("problem  ")
    assert "is a symbolic link" in found
    assert "→ Look at it" in found


def test_skills_that_are_out_of_date_are_a_problem(caller: Caller, workspace: Path) -> None:
    remedy = "\n         → gbrowse skills-install"
    assert lines(doctor._check_skills, caller) == [f"-        skills: none is installed here{remedy}"]
    for version, state in ((__version__, "ok "), ("0.0.1", "problem")):
        record = Manifest(["claude"], {"qa": InstalledSkill(version, {})})
        manifest.save_manifest(FileTree(str(workspace)), ".claude/skills", record)
        assert lines(doctor._check_skills, caller)[0].startswith(state)
    assert lines(doctor._check_skills, caller) == [f"problem  skills: out of date: qa{remedy}"]


def test_problem_is_checked_again_after_it_is_mended_and_failed_repair_says_why(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    mended: list[str] = []

    def fail() -> None:
        raise ActionFailed("there is no network")

    def wrong(_: Caller) -> Iterator[Finding]:
        if mended:
            yield Finding("ok", "thing", "is well")
        else:
            yield Finding("problem", "thing", "is broken", "mend it", lambda: mended.append("thing"))
        yield Finding("problem", "chromium", "is missing", "gbrowse setup", fail)

    monkeypatch.setattr(doctor, "_check_browser_start", wrong)
    reply = place.reply("doctor", "--fix")
    assert reply.code == 1
    assert {"thing: mended", "chromium: not mended: there is no network"} <= set(reply.notes)
    assert "ok       thing: is well" in reply.text


def test_flag_that_a_command_of_a_repair_does_not_know_is_told(caller: Caller) -> None:
    with pytest.raises(BrowseError, match="Unknown flag: --nobody"):
        subprocesses.run_command(caller, "skills-install", "--nobody")


def test_settings_that_are_not_allowed_or_cannot_be_read_are_a_problem(
    caller: Caller, place: Place, workspace: Path
) -> None:
    (workspace / "gbrowse.toml").write_text("chromium = '/bin/sh'")
    found = lines(doctor._check_settings, caller)[0]
    assert found.startswith(f"problem  settings: {workspace}/gbrowse.toml: chromium may not be set here")
    place.home.mkdir(mode=0o700)
    (place.home / "config.toml").write_text("x = perhaps")
    assert lines(doctor._check_settings, caller)[0].startswith("problem  settings: config.toml")
