"""Test clients where no daemon listens: they start exactly one, or let the starter answer.

The starter here is a scripted one in a copy of the package that consists of links to the client and what it needs.
"""

import os
import select
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults import fault

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
STARTER = f"""\
import json, os, subprocess, sys
request = json.loads(sys.stdin.readline())
assert sys.stdin.read() == ""
workspace = sys.argv[1]
with open(os.environ["STARTS"], "a") as starts:
    print(request["cmd"], os.listdir("/proc/self/fd"), file=starts)
print("Starting ...", file=sys.stderr)
match request["cmd"]:
    case "help":
        sys.stdout.write("reply\\nUsage\\n\\0000\\n")
    case "nonsense":
        sys.stdout.write("reply\\n\\x01Error: no such command\\n\\x02\\0002\\n")
    case "broken":
        sys.exit(3)
    case "killed":
        os.kill(os.getpid(), 9)
    case _:
        script = [sys.executable, "-E", {str(HERE / "scripted_daemon.py")!r}, workspace]
        daemon = subprocess.Popen(script, stdout=-1, stderr=-3, start_new_session=True)
        assert daemon.stdout.readline() == b"ready\\n"
        with open(os.environ["STARTS"] + ".pids", "a") as pids:
            print(daemon.pid, file=pids)
        sys.stdout.write("ready\\n")
        sys.stdout.flush()
        os._exit(0)
"""

Run = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def starts(tmp_path: Path) -> Path:
    """A line for each time the starter ran: the command, and the descriptors it was left with."""
    return tmp_path / "starts"


@pytest.fixture
def run(
    make_python_client: Callable[[Path, Path], list[str]], tmp_path: Path, workspace: Path, starts: Path
) -> Iterator[Run]:
    package = tmp_path / "place/gstack_browse"
    package.mkdir(parents=True)
    real = ROOT / "gstack_browse"
    for path in (real / "client", real / "workspace", *real.glob("*.py")):
        (package / path.name).symlink_to(path)
    (package / "daemon").mkdir()
    (package / "daemon/__init__.py").write_text("")
    (package / "daemon/__main__.py").write_text(STARTER)
    client = make_python_client(tmp_path, package.parent)
    env = {**os.environ, "STARTS": str(starts), "XDG_RUNTIME_DIR": ""}

    def popen(*words: str, **options: object) -> subprocess.Popen[str]:
        settings: dict[str, object] = {"cwd": workspace, "env": env, "text": True}
        pipes = {"stdin": subprocess.DEVNULL, "stdout": -1, "stderr": -1}
        return subprocess.Popen([*client, *words], **(settings | pipes | options))

    yield popen
    pids = Path(f"{starts}.pids")
    for pid in pids.read_text().split() if pids.exists() else ():
        with suppress(ProcessLookupError):
            os.kill(int(pid), 9)


def test_twenty_at_once_make_one_daemon(run: Run, starts: Path) -> None:
    running = [run("play", "count") for _ in range(20)]
    answers = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0] * 20
    assert sorted(map(int, answers)) == list(range(1, 21))
    assert len(starts.read_text().splitlines()) == 1


def test_a_command_without_need_of_a_daemon_is_answered_by_the_starter(run: Run, workspace: Path) -> None:
    with run("help") as asked:
        assert asked.communicate() == ("Usage\n", "Starting ...\n")
        assert asked.returncode == 0
    with run("nonsense") as asked:
        assert asked.communicate() == ("", "Starting ...\nError: no such command\n")
        assert asked.returncode == 2
    assert not (workspace / ".gstack/browse.sock").exists()


def test_a_daemon_that_does_not_start(run: Run) -> None:
    for cmd, how, hint in (
        ("broken", "it ended with exit code 3", "Its reason is above, or in "),
        ("killed", "it was killed by signal 9", "The kernel kills processes (signal 9) where memory is short"),
    ):
        with run(cmd) as asked:
            _, said = asked.communicate()
        assert asked.returncode == 8
        assert said.startswith(f"Starting ...\nError: The daemon did not start: {how}\n{hint}")


def test_open_files_of_the_caller_are_not_open_in_the_daemon(run: Run, starts: Path) -> None:
    ours, theirs = os.pipe()
    with run("play", "count", pass_fds=[theirs]) as asked:
        asked.communicate()
    os.close(theirs)
    assert os.read(ours, 1) == b"", "nobody else holds the pipe"
    os.close(ours)


@fault("Planted files", "modules with the names of ours lie in the workspace", "none of them is run")
def test_modules_in_the_workspace_are_not_run(run: Run, workspace: Path) -> None:
    for name in ("os.py", "runpy.py", "json.py", "gstack_browse.py", "sitecustomize.py"):
        (workspace / name).write_text("raise SystemExit('hostile code ran')")
    env_hostile = {"PYTHONPATH": str(workspace)}
    with run("play", "count", env={**os.environ, **env_hostile, "STARTS": str(workspace / "starts")}) as asked:
        assert asked.communicate() == ("1\n", "Starting ...\n")
    for pid in (workspace / "starts.pids").read_text().split():
        os.kill(int(pid), 9)


def test_a_daemon_that_is_just_leaving_is_followed_by_a_new_one(run: Run, starts: Path) -> None:
    with run("play", "count") as first:
        assert first.communicate() == ("1\n", "Starting ...\n")
    with run("play", "leave-if-second", "count") as asked:
        assert asked.communicate()[0] == "1\n", "the new daemon's first request"
    with run("play", "count") as later:
        assert later.communicate() == ("2\n", ""), "no other one was started"
    assert len(starts.read_text().splitlines()) == 2


def test_a_refusal_costs_no_start(run: Run, workspace: Path, starts: Path) -> None:
    (workspace / ".gstack").mkdir()
    (workspace / ".gstack/browse-console.log").symlink_to("/etc/passwd")
    with run("url") as asked:
        _, said = asked.communicate()
    assert asked.returncode == 7
    assert said.startswith(f"Error: {workspace}/.gstack/browse-console.log is a symbolic link")
    assert not starts.exists()


@fault("Environments", "the workspace is read-only", "it works, and says once where the state is")
def test_read_only_workspace_is_told_once_where_the_state_is(
    run: Run, workspace: Path, tmp_path: Path, starts: Path
) -> None:
    workspace.chmod(0o500)
    where = workspace if not os.access(workspace, os.W_OK) else Path("/sys/kernel")
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    env = {**os.environ, "STARTS": str(starts), "XDG_RUNTIME_DIR": str(runtime)}
    with run("play", "count", cwd=where, env=env) as first:
        out, said = first.communicate()
        assert (out, said.count(f"it is in {runtime}/gbrowse/")) == ("1\n", 1)
    with run("play", "count", cwd=where, env=env) as second:
        assert second.communicate() == ("2\n", "")


def test_a_killed_daemon_is_followed_by_a_new_one(run: Run, starts: Path) -> None:
    with run("play", "count") as first:
        first.communicate()
    pid = int(Path(f"{starts}.pids").read_text())
    death = os.pidfd_open(pid)
    os.kill(pid, 9)
    select.select([death], [], [])
    os.close(death)
    with run("play", "count") as after:
        assert after.communicate()[0] == "1\n"
    assert len(starts.read_text().splitlines()) == 2
