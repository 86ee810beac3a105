"""A client to run, a workspace to run it in, and a scripted daemon for it to talk to.

The tests in this folder see only an executable, its output and its exit code, so they hold for every client:
GBROWSE_CLIENT names another one than the checkout's.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LAUNCH = f"""\
import sys
sys.path.append({str(ROOT)!r})
from gstack_browse.client.main import main
main()"""

Completed = subprocess.CompletedProcess[str]


@pytest.fixture(scope="session")
def client() -> list[str]:
    """The words that run the client under test."""
    if named := os.environ.get("GBROWSE_CLIENT"):
        return [named]
    return [sys.executable, "-I", "-S", "-X", "utf8", "-c", LAUNCH]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    (path / ".git").mkdir(parents=True)
    return path


@pytest.fixture
def gbrowse(client: list[str], workspace: Path) -> Callable[..., Completed]:
    """Run the client in the workspace: `gbrowse("url").stdout`."""

    def run(*words: str | bytes, **options: object) -> Completed:
        settings: dict[str, object] = {"cwd": workspace, "capture_output": True, "text": True, "timeout": 60}
        if "input" not in options and "stdin" not in options:
            settings["stdin"] = subprocess.DEVNULL
        return subprocess.run([*client, *words], **(settings | options))

    return run


@pytest.fixture
def start_daemon(workspace: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a scripted daemon and wait until it listens."""
    started = []

    def start(*words: str) -> subprocess.Popen[bytes]:
        script = Path(__file__).with_name("scripted_daemon.py")
        process = subprocess.Popen([sys.executable, script, workspace, *words], stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def daemon(start_daemon: Callable[..., subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    return start_daemon()
