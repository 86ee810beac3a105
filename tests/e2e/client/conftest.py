"""A client to run, a workspace to run it in, and a scripted daemon for it to talk to.

The tests in this folder see only an executable, its output and its exit code, so they hold for every client: each runs
with the Python client and with the native one, but for what the native one leaves to Python. GBROWSE_CLIENT names another one instead.
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NAMED = os.environ.get("GBROWSE_CLIENT")
KINDS = [NAMED] if NAMED else ["python", "native"]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
SANITIZERS = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

Completed = subprocess.CompletedProcess[str]
Client = Callable[[Path, Path], list[str]]


@pytest.fixture(scope="session")
def native(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The native client, compiled as for an installation. It looks for `gbrowse-python` beside itself."""
    program = tmp_path_factory.mktemp("native") / "gbrowse"
    command = [sys.executable, ROOT / "bin/build_native.py", program, "gbrowse-python"]
    if subprocess.run(command, check=False).returncode:
        pytest.skip("there is no C compiler")
    return program


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The native client, compiled with every warning an error and with sanitizers, alone in its directory."""
    if not (compiler := shutil.which("cc")):
        pytest.skip("there is no C compiler")
    program = tmp_path_factory.mktemp("sanitized") / "gbrowse"
    sources = sorted((ROOT / "gstack_browse/client").glob("native*.c"))
    command = [compiler, "-std=c11", *WARNINGS, *SANITIZERS, "-o", program, *sources]
    done = subprocess.run(command, capture_output=True, text=True)
    if "cannot find -l" in done.stderr or "ld: cannot find" in done.stderr:
        pytest.skip("this compiler has no sanitizers")
    assert (done.returncode, done.stderr) == (0, "")
    return program


@pytest.fixture(scope="module", params=KINDS)
def make_client(request: pytest.FixtureRequest) -> Client:
    """Return a function that makes a client for a package.

    `make_client(directory_for_programs, ROOT)` returns the client's words.
    """
    return partial(client_of, request, request.param)


@pytest.fixture(scope="module")
def make_python_client(request: pytest.FixtureRequest) -> Client:
    """Make Python's client alone, for what the native client leaves to it: see test_native.py."""
    return partial(client_of, request, KINDS[0])


def client_of(
    request: pytest.FixtureRequest, kind: str, directory: Path, package_place: Path = ROOT
) -> list[str]:
    """Return the words that run a client of one of KINDS."""
    code = f"import sys; sys.path.append({str(package_place)!r}); from gstack_browse.client.main import main; main()"
    python = [sys.executable, "-I", "-S", "-X", "utf8", "-c", code]
    if kind != "native":
        return [NAMED] if NAMED else python
    program = shutil.copy(request.getfixturevalue("native"), directory)
    script = directory / "gbrowse-python"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(python)} "$@"\n')
    script.chmod(0o755)
    return [str(program)]


@pytest.fixture
def client(make_client: Client, tmp_path: Path) -> list[str]:
    """The words that run the client under test."""
    return make_client(tmp_path, ROOT)


@pytest.fixture
def gbrowse(client: list[str], workspace: Path) -> Callable[..., Completed]:
    """Run the client in the workspace: `gbrowse("url").stdout`."""
    return partial(run_client, client, workspace)


def run_client(client: list[str], workspace: Path, *words: str | bytes, **options: object) -> Completed:
    settings: dict[str, object] = {"cwd": workspace, "capture_output": True, "text": True, "timeout": 60}
    if "input" not in options and "stdin" not in options:
        settings["stdin"] = subprocess.DEVNULL
    return subprocess.run([*client, *words], **(settings | options))


@pytest.fixture
def start_daemon(workspace: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a scripted daemon and wait until it listens."""
    with ExitStack() as started:
        yield lambda *words: started.enter_context(scripted_daemon(workspace, *words))


@contextmanager
def scripted_daemon(workspace: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A scripted daemon that listens, until the block ends."""
    script = Path(__file__).with_name("scripted_daemon.py")
    with subprocess.Popen([sys.executable, script, workspace, *words], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield process
        finally:
            process.kill()


@pytest.fixture
def daemon(start_daemon: Callable[..., subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    return start_daemon()
