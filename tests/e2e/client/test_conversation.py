"""Test one request and its reply: what a client sends, prints and exits with."""

import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from gstack_browse import __version__
from tests.e2e.client.conftest import ROOT, Client, scripted_daemon
from tests.e2e.conftest import make_workspace
from tests.each import each
from tests.faults import fault
from tests.other_user import OtherUser
from tests.processes import run_program

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def workspace(make_client: Client, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a workspace for each client."""
    return make_workspace(tmp_path_factory.mktemp("conversation"))


@pytest.fixture(scope="module")
def client(make_client: Client, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return make_client(tmp_path_factory.mktemp("client"), ROOT)


@pytest.fixture(scope="module", autouse=True)
def daemon(client: list[str], workspace: Path) -> Iterator[None]:
    """A scripted daemon for all tests with a client."""
    with scripted_daemon(workspace):
        yield


STALE = r'{"id":null,"ok":false,"code":5,"error":"stale-ref","text":"gone"}'
REPLIES = [
    (["play", r"send:http://localhost/\n\0000\n"], "http://localhost/\n", "", 0),
    (["play", r"send:[goto] done\n\x01Error: no\nhint\n\x02\0004\n"], "[goto] done\n", "Error: no\nhint\n", 4),
    (["play", "megabytes:20", r"send:\n\0000\n"], "ü" * 10_000_000 + "\n", "", 0),
    (["--json", "play", rf"send:\x16{STALE}\n"], STALE + "\n", "", 5),
    (["--version"], f"gbrowse {__version__}\n", "", 0),
]
"""Words, and standard output, standard error and exit code of the client. Others are in tests/unit/client/test_reply_printer.py."""


@each(REPLIES, lambda case: case[0])
def test_reply_goes_to_standard_output_and_error_and_is_ended_with_its_code(
    case: tuple[list[str], str, str, int], gbrowse: Run
) -> None:
    words, *ends = case
    done = gbrowse(*words)
    assert [done.stdout, done.stderr, done.returncode] == ends


def test_busy_daemon_is_asked_again(gbrowse: Run) -> None:
    """Ask again: a command that is answered with "busy" did not run."""
    seen = int(gbrowse("play", "count").stdout)
    done = gbrowse("play", f"busy:{seen + 3}", "count")
    assert (done.stdout, done.stderr, done.returncode) == (f"{seen + 4}\n", "", 0)


def test_bytes_for_standard_output_come_in_base64(gbrowse: Run) -> None:
    for reply, code, out in ((r"AAH/\r\n\0000\n", 0, b"\0\x01\xff"), (r"\x01Error: no\n\x02\0004\n", 4, b"")):
        done = gbrowse("screenshot", f"send:{reply}", "-", text=False)
        assert (done.stdout, done.returncode) == (out, code)


FORMS = [([], b"one\n"), (["--json"], b'{"id":null,"more":true,"text":"one"}\n')]


def test_remarks_and_parts_of_a_reply_are_printed_as_they_come(client: list[str], workspace: Path) -> None:
    """Print no heartbeats."""

    def first_line(stream: str, *words: str) -> bytes:
        with subprocess.Popen([*client, *words], cwd=workspace, stdout=-1, stderr=-1) as running:
            line: bytes = getattr(running, stream).readline()
            running.kill()
        return line

    assert first_line("stderr", "play", r"send:\x16\x01Note: starting\n\x02\x16", "hang") == b"Note: starting\n"
    for form, part in FORMS:
        said = "send:" + part.decode().replace("\n", r"\n")
        assert first_line("stdout", *form, "play", said, "hang", "--follow") == part


def test_the_request_is_what_was_typed(gbrowse: Run, workspace: Path) -> None:
    (workspace / "sub").mkdir()
    words = ["--tab", "3", "--timeout", "700", "play", "echo", '"quotes" \\ ü 🦊\n\t\x7f', "--flag", ""]
    done = gbrowse(*words, cwd=workspace / "sub")
    assert json.loads(done.stdout) == {
        "cmd": "play",
        "args": words[5:],
        "cwd": str(workspace / "sub"),
        "tab": 3,
        "timeout": 700,
        "status": True,
        "stderr": True,
    }


def test_the_workspace_is_found_from_below_and_its_path_may_be_long(gbrowse: Run, workspace: Path) -> None:
    deep = workspace / ("d" * 200) / ("e" * 200)
    deep.mkdir(parents=True)
    assert gbrowse("play", "count", cwd=deep).stdout.strip().isdecimal()


@fault("Planted files", "another user has put a .git above the directory", "that makes no workspace of it")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_git_directory_of_another_user_chooses_no_workspace(gbrowse: Run, workspace: Path) -> None:
    for what in ("directory", "file", "link"):
        planted = workspace / what / ".git"
        planted.mkdir(parents=True)
        if what != "directory":
            planted.rmdir()
        if what == "file":
            planted.write_text("gitdir: ../.git")
        elif what == "link":
            planted.symlink_to("../.git")
        os.chown(planted, 12345, 12345, follow_symlinks=False)
        answered = gbrowse("play", "count", cwd=planted.parent).stdout
        assert answered.strip().isdecimal(), f"{what}: the daemon of the workspace above"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_git_directory_of_the_owner_of_its_directory_chooses_the_workspace(
    gbrowse: Run, tmp_path: Path
) -> None:
    """Be root in another user's checkout, as in a container."""
    workspace = make_workspace(tmp_path)
    (workspace / "sub").mkdir()
    with scripted_daemon(workspace):
        for path in (workspace, workspace / ".git"):
            os.chown(path, 12345, 12345)
        assert gbrowse("play", "count", cwd=workspace / "sub").stdout == "1\n"


def test_standard_input_is_taken_where_the_command_takes_that(gbrowse: Run) -> None:
    """Take it for a chain without steps, and for a dash."""
    request = json.loads(gbrowse("chain", "--keep-going", input='[["url"]]\n').stdout)
    assert (request["args"], request["stdin"]) == (["--keep-going"], '[["url"]]\n')
    request = json.loads(gbrowse("eval", "--any-origin", "-", input="1 + 1").stdout)
    assert (request["args"], request["stdin"]) == (["--any-origin", "-"], "1 + 1")
    for words in (["chain", "[]"], ["press", "-"], ["eval", "a.js"], ["eval"]):
        assert "stdin" not in json.loads(gbrowse(*words, input="ignored").stdout)


def test_standard_input_that_is_no_text_or_too_long(gbrowse: Run) -> None:
    done = gbrowse("chain", input=b"ok\xff", text=False)
    assert (done.returncode, done.stderr) == (2, b"Error: Standard input is not UTF-8 (byte 2)\n")
    assert gbrowse("chain", input="x" * 2_000_000).returncode == 2


def test_other_commands_leave_standard_input_to_the_script(client: list[str], workspace: Path) -> None:
    loop = 'while read -r line; do "$@" play count; done'
    done = run_program(["sh", "-c", loop, "sh", *client], cwd=workspace, input="a\nb\nc\n")
    assert [line.isdecimal() for line in done.stdout.splitlines()] == [True] * 3


def test_a_terminal_is_not_waited_for(client: list[str], workspace: Path) -> None:
    ours, theirs = os.openpty()
    assert run_program([*client, "chain"], cwd=workspace, stdin=theirs).returncode == 0
    os.close(ours)
    os.close(theirs)


def test_daemon_that_ends_before_its_answer_is_said_and_never_asked_twice(gbrowse: Run, tmp_path: Path) -> None:
    ends = ["", r"\x16", "half", r"half\0", r"half\0oops\n", r"half\0\n", r"half\00012345\n"]
    workspace = make_workspace(tmp_path)
    with scripted_daemon(workspace):
        for words in (*([f"send:{end}", "close"] for end in ends), ["count"], ["die"]):
            done = gbrowse("play", *words, cwd=workspace)
            if words == ["count"]:
                assert done.stdout == f"{len(ends) + 1}\n"
                continue
            assert done.returncode == 9, words
            assert done.stdout == ("half" if "half" in words[0] else ""), words
            assert "'play' may or may not have run" in done.stderr


def test_a_line_that_was_not_taken_whole_did_not_run_so_it_is_sent_again(gbrowse: Run, tmp_path: Path) -> None:
    (tmp_path / "leaving/.gstack").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "leaving/.gstack/browse.sock"))
        server.listen()

        def hang_up_once() -> None:
            with server.accept()[0] as connection:
                connection.recv(1)
            with server.accept()[0] as connection, connection.makefile("rb") as lines:
                connection.sendall(b"%d bytes\n\x000\n" % len(lines.readline()))

        threading.Thread(target=hang_up_once).start()
        done = gbrowse("play", *["x" * 100_000] * 10, cwd=tmp_path / "leaving")
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout.split()[0]) > 1_000_000


@fault("Environments", "nobody reads standard output", "ends like a program that SIGPIPE ends, without a word")
def test_nobody_reads_the_output(client: list[str], workspace: Path) -> None:
    script = '"$@" play "send:$(printf "%*s" 100000 x)" "send:\\n\\0000\\n" | true; echo "${PIPESTATUS[0]}"'
    done = run_program(["bash", "-c", script, "-", *client], cwd=workspace)
    assert (done.stdout, done.stderr) == ("141\n", "")


@fault("Full disks", "standard output cannot be written", "said in one line (1)")
def test_output_that_cannot_be_written(gbrowse: Run) -> None:
    with open("/dev/full", "w") as full:
        done = gbrowse("play", r"send:done\n\0000\n", stdout=full, stderr=subprocess.PIPE, capture_output=False)
    said = "Error: The output cannot be written: No space left on device\n"
    assert (done.stderr, done.returncode) == (said, 1)


def test_standard_output_that_is_closed_does_not_become_the_socket(client: list[str], workspace: Path) -> None:
    done = run_program(["bash", "-c", '"$@" play count <&- >&- 2>&-', "-", *client], cwd=workspace)
    assert done.returncode == 0


def test_an_interrupt_ends_it_at_once_without_a_word(client: list[str], workspace: Path) -> None:
    words = ["play", r"send:\x01Note: begun\n\x02", "hang"]
    heeding = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # who runs the tests may ignore it
    command = [*client, *words]
    with subprocess.Popen(command, cwd=workspace, stdout=-1, stderr=-1, preexec_fn=heeding) as running:
        assert running.stderr is not None
        running.stderr.readline()
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == -signal.SIGINT
        assert running.stderr.read() == b""


def test_request_that_cannot_be_sent_is_refused_in_the_form_that_was_asked_for(gbrowse: Run) -> None:
    """Take `--json` behind the command for a word of the command."""
    for words in (["play", b"send:\xff"], ["play", "--json", b"\xff"]):
        done = gbrowse(*words)
        assert (done.returncode, done.stdout, r"\udcff' is not valid UTF-8" in done.stderr) == (2, "", True), (
            done
        )
    done = gbrowse("--tab", "2", "--json", "play", b"\xff")
    assert (done.returncode, json.loads(done.stdout)["error"], done.stderr) == (2, "usage", "")
    done = gbrowse("play", *["x" * 100_000] * 11)
    assert (done.returncode, "at most 1048576 fit" in done.stderr) == (2, True)


@fault("Environments", "the working directory is removed", "said in one line (2), with what to type")
def test_a_directory_that_is_gone(client: list[str], workspace: Path) -> None:
    gone = workspace / "gone"
    gone.mkdir()
    done = run_program(["sh", "-c", 'rmdir "$PWD"; "$@" url', "sh", *client], cwd=gone)
    assert done.returncode == 2
    assert "Error: The current directory no longer exists\n" in done.stderr  # beside a shell's own remark


@fault("Planted files", "another user serves the socket", "refused before a byte is exchanged")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can serve as another user")
def test_a_socket_served_by_another_user_is_refused_before_a_byte(gbrowse: Run, tmp_path: Path) -> None:
    (tmp_path / "shared/.gstack").mkdir(parents=True)
    path = tmp_path / "shared/.gstack/browse.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        os.chown(path, 0, 0)
        ready, go = os.pipe()

        def serve() -> bytes:
            server.listen()  # the kernel notes who did
            os.close(go)
            connection, _ = server.accept()
            return connection.recv(100)

        stranger = OtherUser(serve, user=12345)
        os.close(go)
        os.read(ready, 1)
        done = gbrowse("url", cwd=tmp_path / "shared")
        assert done.returncode == 7
        assert "another user (uid 12345)" in done.stderr
        assert stranger.result() == b"", "it was sent nothing"
        os.close(ready)
