"""Test commands that run in the client.

No daemon is asked, none is started, and the reply has the form of every reply.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from gstack_browse import __version__
from gstack_browse.client import connect
from gstack_browse.errors import UsageError
from tests.e2e.client.conftest import ROOT, Client
from tests.e2e.daemon.harness import until
from tests.each import each
from tests.processes import run_program

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def client(make_python_client: Client, tmp_path: Path) -> list[str]:
    return make_python_client(tmp_path, ROOT)


@pytest.fixture
def env(tmp_path: Path) -> Mapping[str, str]:
    return {**os.environ, "GSTACK_HOME": str(tmp_path / "home")}


@pytest.mark.usefixtures("daemon")
def test_daemon_is_not_asked_and_reply_has_form_of_every_reply(gbrowse: Run, env: Mapping[str, str]) -> None:
    done = gbrowse("config", "local_traces", env=env)
    assert (done.stdout, done.stderr, done.returncode) == ("true\n", "", 0)
    refused = gbrowse("config", "update_chek", env=env)
    assert (refused.stdout, refused.returncode) == ("", 2)
    hint = "Did you mean update_check?\nUsage: gbrowse config [<setting>] [<value>]\n"
    assert refused.stderr.partition("\n")[2] == hint
    done = gbrowse("--json", "config", "local_traces", env=env)
    assert json.loads(done.stdout) == {"id": None, "ok": True, "code": 0, "text": "true"}
    refused = gbrowse("--json", "config", "local_traces", "perhaps", env=env)
    assert refused.returncode == 2
    assert json.loads(refused.stdout).keys() == {"id", "ok", "code", "error", "text", "hint"}


def test_no_daemon_is_started_and_nothing_is_left_in_the_directory(
    gbrowse: Run, env: Mapping[str, str], workspace: Path
) -> None:
    assert gbrowse("config", "update_check", "false", env=env).stdout == "update_check = false\n"
    assert gbrowse("config", "update_check", env=env).stdout == "false\n"
    shown = gbrowse("config", "--help", env=env).stdout
    assert shown.startswith("Usage: gbrowse config [<setting>] [<value>]\n")
    assert "Runs in the client: no daemon, no browser, any directory" in shown
    for name in ("demo", "run"):
        assert "Runs in the client: it runs commands in the browser" in gbrowse(name, "--help", env=env).stdout
    assert not (workspace / ".gstack").exists()
    assert gbrowse("config", "local_traces", cwd="/proc", env=env).stdout == "true\n", "it cannot be written"


def test_unusable_home_is_said_and_left_as_it_is(gbrowse: Run, env: Mapping[str, str], tmp_path: Path) -> None:
    done = gbrowse("config", env={**env, "GSTACK_HOME": "", "HOME": "nowhere"})
    assert done.returncode == 1
    assert (
        done.stderr
        == "Error: There is no home directory for ~/.gstack\nName another place: GSTACK_HOME=<directory>\n"
    )
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    home.symlink_to(elsewhere)
    assert gbrowse("config", "update_check", "false", env=env).returncode == 7
    assert list(elsewhere.iterdir()) == []
    home.unlink()
    elsewhere.rename(home)
    file = home / "config.toml"
    file.write_text("update_check = perhaps\n")
    for words in (["config"], ["config", "local_traces", "false"]):
        done = gbrowse(*words, env=env)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("Error: config.toml is not TOML: ")
    assert file.read_text() == "update_check = perhaps\n"


def test_a_script_runs_it_without_a_daemon_too(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GSTACK_HOME", str(tmp_path / "home"))
    with connect(workspace=workspace, start=False) as browse:
        assert browse("config", "update_check", "true") == "update_check = true"
        with pytest.raises(UsageError, match="is not one of"):
            browse("config", "nothing")


@pytest.fixture
def index() -> Iterator[socket.socket]:
    """A package index that takes connections; what it answers is the test's to send."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.fixture
def asking(env: Mapping[str, str], index: socket.socket) -> Mapping[str, str]:
    """The environment of a person whose pip asks that index alone."""
    asking = {**env, "PIP_CONFIG_FILE": "/dev/null"}
    asking["PIP_INDEX_URL"] = f"http://127.0.0.1:{index.getsockname()[1]}/simple"
    asking.pop("PIP_EXTRA_INDEX_URL", None)
    return asking


def test_a_newer_version_is_looked_up_beside_it_and_said_the_next_time(
    gbrowse: Run, asking: Mapping[str, str], tmp_path: Path, index: socket.socket
) -> None:
    found = tmp_path / "home/last-update-check"
    assert gbrowse("preamble", "qa", env=asking).stdout == "ASK first-run-update-check\n"
    gbrowse("config", "update_check", "true", env=asking)
    done = gbrowse("preamble", "qa", env=asking)  # the index has not answered yet
    assert (done.stdout, done.stderr, done.returncode, found.exists()) == ("", "", 0, False)

    page = b'<a href="gstack_browse-999.0.tar.gz">'
    with index.accept()[0] as connection:
        connection.recv(65536)
        connection.sendall(
            b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(page), page)
        )
        connection.recv(1)  # it has read all, and closes
    until(found.exists)
    said = f"UPGRADE_AVAILABLE {__version__} 999.0\n"
    assert (gbrowse("preamble", "qa", env=asking).stdout, found.read_text()) == (said, said)


@each([["config"], ["preamble", "qa"]])
def test_local_command_loads_neither_daemon_nor_slow_modules(words: list[str], env: Mapping[str, str]) -> None:
    code = (
        f"import sys; sys.path.append({str(ROOT)!r})\n"
        "from gstack_browse.client.main import run\n"
        "run(sys.argv[1:])\nprint(*sys.modules)"
    )
    loaded = run_program([sys.executable, "-I", "-S", "-c", code, *words], env=env).stdout.split()
    slow = [
        "asyncio",
        "playwright",
        "orjson",
        "subprocess",
        "inspect",
        "dataclasses",
        "tempfile",
        "ssl",
        "tomllib",
    ]
    assert not set(slow) & set(loaded)
    assert not [name for name in loaded if name.startswith(("gstack_browse.browser", "gstack_browse.daemon"))]
