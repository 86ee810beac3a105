"""Test the native client with words and replies at random.

It is compiled with sanitizers, and with every warning an error.

That it does what the Python client does is seen in the tests beside this one; here, that what it sends and makes of a reply is the
same byte for byte, whatever the bytes. GBROWSE_FUZZ is how many of each are tried.
"""

import os
import random
import shutil
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from gstack_browse.client import reply_printer
from gstack_browse.command_names import ENDS_DAEMON, LOCAL, READS_STDIN
from gstack_browse.protocol import RULES, Request, encode_request, parse_context_name
from tests.each import each
from tests.processes import run_program

TIMES = int(os.environ.get("GBROWSE_FUZZ", "100"))
LEFT = (99, b"left to Python\n")
REPLY_PARTS = [
    b"\x16", b"\x01", b"\x02", b"\n", b"Error: ", b"no\nhint\n", b"result", "ü🦊".encode(), b"\xff\xfe", b"x" * 500,
    b"\x01Note: one\n\x02", b"\x01Note: more\n\x02", b"\x01Error: no\n\x02", b"\x01Error: or so\nhint\n\x02",
]  # fmt: skip
ENDS = [
    b"", b"\x000\n", b"\x004\n", b"\x00\x162\x1655\n", b"\x008\n",
    b"\x00", b"\x00\n", b"\x001", b"\x001234\n", b"\x00-1\n", b"\x00 1\n", b"\x000x\n", b"\x00\x000\n",
]  # fmt: skip
WORD_PARTS = [
    b"plain", b"@e3", b'"', b"\\", b"\n", b"\t", b"\x01", b"\x1f", b"\x7f", b" ", "ü".encode(), "\u07ff\u0800".encode(),
    "\ud7ff\ue000\uffff".encode(), "\U00010000🦊\U0010ffff".encode(), b"x" * 3000,
]  # fmt: skip
NO_TEXT = [
    b"\xff", b"\x80", b"\xc3", b"\xc0\xaf", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80",
]  # fmt: skip


class Daemon:
    """Notes down the line that a client sends, and answers with the pieces it was given."""

    def __init__(self, directory: Path) -> None:
        self.line = b""
        self.pieces: Sequence[bytes] = []
        directory.mkdir(mode=0o700)
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(str(directory / "browse.sock"))
        self.server.listen()
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                with self.server.accept()[0] as connection, suppress(BrokenPipeError):
                    self.line = connection.makefile("rb").readline()
                    for piece in self.pieces:
                        connection.sendall(piece)

    def close(self) -> None:
        self.server.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.server.close()


@pytest.fixture(scope="module")
def program(sanitized: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = Path(shutil.copy(sanitized, tmp_path_factory.mktemp("native") / "gbrowse"))
    script = program.with_name("gbrowse-python")
    script.write_text("#!/bin/sh\necho left to Python\nexit 99\n")
    script.chmod(0o755)
    return program


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path / ".gstack")
    yield daemon
    daemon.close()


Run = Callable[..., tuple[int, bytes, bytes]]


@pytest.fixture
def run(program: Path, tmp_path: Path, daemon: Daemon) -> Run:
    """Run the client beside a daemon, or another one of its kind elsewhere. Return its code, output and errors."""

    def run(
        *words: bytes | str, client: Path = program, cwd: Path = tmp_path, piped: bytes = b"", **env: str
    ) -> tuple[int, bytes, bytes]:
        where = {"BROWSE_STATE_FILE": str(tmp_path / ".gstack/browse.json")}
        done = run_program([client, *words], cwd=cwd, env=os.environ | where | env, text=False, input=piped)
        return done.returncode, done.stdout, done.stderr  # type: ignore[return-value]

    return run


def test_native_client_sends_same_bytes_as_python_client(run: Run, tmp_path: Path, daemon: Daemon) -> None:
    chance = random.Random(1)
    daemon.pieces = [b"\x000\n"]
    for _ in range(TIMES):
        words = [
            b"".join(chance.choices(WORD_PARTS, k=chance.randrange(6))) for _ in range(chance.randrange(5))
        ]
        options = chance.choices(["--fence", "--no-fence"], k=chance.randrange(4))
        name, variable = chance.choices(["", "ann", "b-2_x", "default"], k=2)
        before = chance.choice([["--as", name], [f"--as={name}"]]) if name else []
        fence = chance.choice(["", "0", "1"])
        told = run(*before, *options, "play", *words, BROWSE_AS=variable, BROWSE_FENCE=fence)
        assert told == (0, b"", b"")
        typed = [word.decode() for word in words]
        request = Request(
            "play",
            typed,
            cwd=str(tmp_path),
            status=True,
            stderr=True,
            fence=options[-1] == "--fence" if options else fence == "1",
            as_=parse_context_name(name or variable),
        )
        assert daemon.line == encode_request(request)


def test_native_client_sends_what_is_piped_as_python_client_does(
    run: Run, tmp_path: Path, daemon: Daemon
) -> None:
    chance = random.Random(4)
    daemon.pieces = [b"\x000\n"]
    for piped in [b"", *(b"".join(chance.choices(WORD_PARTS, k=chance.randrange(60))) for _ in range(TIMES))]:
        command = chance.choice(sorted(READS_STDIN - LOCAL.keys()))
        options = chance.choice([[], ["--keep-going"]])
        assert run(command, *options, piped=piped) == (0, b"", b"")
        request = Request(command, options, cwd=str(tmp_path), stdin=piped.decode(), status=True, stderr=True)
        assert daemon.line == encode_request(request)


@each([b"\0", b"a\0b", b"x" * 2_000_000, *NO_TEXT])
def test_piped_text_that_is_unusual_is_left_to_python_which_reads_it_again(
    piped: bytes, run: Run, program: Path, daemon: Daemon
) -> None:
    script = program.with_name("gbrowse-python")
    before = script.read_text()
    script.write_text("#!/bin/sh\nhead -c 1000000\nexit 99\n")
    try:
        assert run("chain", piped=piped) == (LEFT[0], piped[:1_000_000], b"")
    finally:
        script.write_text(before)
    assert daemon.line == b""


def test_native_client_sends_rules_of_its_environment(run: Run, tmp_path: Path, daemon: Daemon) -> None:
    chance = random.Random(3)
    daemon.pieces = [b"\x000\n"]
    for number in range(2 ** len(RULES)):
        rules = {
            name: 'a.com, "*.corp" ü' if chance.random() < 0.5 else "b"
            for i, name in enumerate(RULES)
            if number >> i & 1
        }
        assert run("play", **dict.fromkeys(RULES, "") | rules)[0] == 0
        request = Request("play", cwd=str(tmp_path), status=True, stderr=True, rules=rules)
        assert daemon.line == encode_request(request)


def test_native_client_prints_a_reply_as_the_python_client_does(
    run: Run, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(2)
    for _ in range(TIMES):
        parts = chance.choices(REPLY_PARTS, k=chance.randrange(12))
        complete, *expected = taken_apart(b"".join(parts) + chance.choice(ENDS), monkeypatch)
        cuts = sorted(chance.choices(range(len(complete) + 1), k=chance.randrange(4)))
        daemon.pieces = [complete[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)]
        assert run("play") == tuple(expected), daemon.pieces


def taken_apart(reply: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[bytes, int, bytes, bytes]:
    """Return the reply as far as it is one, then the Python client's exit code, standard output and error."""
    written = {1: b"", 2: b""}
    monkeypatch.setattr(reply_printer, "write_all", lambda fd, piece: written.update({fd: written[fd] + piece}))
    ours = reply_printer.ReplyPrinter()
    for at in range(len(reply)):
        if ours.feed(reply[at : at + 1]):
            if ours.code == 8:
                return reply[: at + 1], LEFT[0], LEFT[1], written[2]
            ours.finish()
            return reply[: at + 1], ours.code % 256, written[1], written[2]
    ours.print_incomplete()
    said = b"Error: The daemon ended before it had answered; 'play' may or may not have run\n"
    return reply, 9, written[1], written[2] + said + b"See where things stand: gbrowse status\n"


NO_NAMES = ["Ann", "-ann", "_", "a/b", "..", "ä", "a" * 41, "a b", "a.b"]
UNUSUAL: list[list[str] | list[bytes]] = [
    [], ["--json", "url"], ["--tab", "2", "url"], ["-h"], ["--version"], ["--fence"], ["--fence", "--tab", "2", "url"],
    ["--fence=1", "url"], ["--as"], ["--as", "ann"], ["--as=", "url"], ["--as", "ann", "--share", "bob", "url"], [""], ["it's"],
    ["ü"], ["a\nb"], ["play", "-"], ["play", *["x" * 100_000] * 11],
    ["chain", "-"], *([cmd] for cmd in sorted(ENDS_DAEMON.keys() | LOCAL.keys())),
    *(["--as", name, "url"] for name in NO_NAMES), *([f"--as={name}", "url"] for name in NO_NAMES),
    *([b"play", b"fine", before + no + after] for no in NO_TEXT for before, after in ((b"", b""), (b"before", b""), (b"", b"after"))),
    *([b"play", b"\xf0\x9f\xa6\x8a" + no_text] for no_text in NO_TEXT),
]  # fmt: skip


@each(UNUSUAL)
def test_unusual_options_names_and_bytes_are_left_to_python(words: list[str], run: Run, daemon: Daemon) -> None:
    assert run(*words) == (*LEFT, b"")
    assert daemon.line == b""


@each(NO_NAMES)
def test_variable_that_is_no_name_of_a_context_is_left_to_python(name: str, run: Run, daemon: Daemon) -> None:
    assert run("url", BROWSE_AS=name) == (*LEFT, b"")
    assert daemon.line == b""


def test_client_sends_nothing_where_others_may_write_or_nobody_listens(
    run: Run, tmp_path: Path, daemon: Daemon
) -> None:
    (tmp_path / ".gstack").chmod(0o770)
    assert run("url") == (*LEFT, b"")
    (tmp_path / "link").symlink_to(".gstack")
    (tmp_path / ".gstack").chmod(0o700)
    for moved in ("link/browse.json", "link//browse.json", ".gstack/other.json", ".gstack/", ".gstack/.."):
        assert run("url", BROWSE_STATE_FILE=f"{tmp_path}/{moved}") == (*LEFT, b"")
    assert daemon.line == b""
    (tmp_path / ".gstack/browse.sock").unlink()
    assert run("url") == (*LEFT, b"")
    (tmp_path / ".gstack").rename(tmp_path / "moved")
    assert run("url") == (*LEFT, b"")


MOVED = {
    "{}/.gstack/browse.json": "browse.sock", "{}/.gstack//mine.json": "mine.sock", "/{}/.gstack/x": "x.sock", "{}/.gstack/.json": ".json.sock",
}  # fmt: skip


def test_the_state_may_be_elsewhere(run: Run, tmp_path: Path, daemon: Daemon) -> None:
    daemon.pieces = [b"found\n\x000\n"]
    socket_file = tmp_path / ".gstack/browse.sock"
    for moved, name in MOVED.items():
        socket_file = socket_file.rename(tmp_path / ".gstack" / name)
        assert run("url", cwd=Path("/"), BROWSE_STATE_FILE=moved.format(tmp_path)) == (0, b"found\n", b"")


def test_without_the_python_client_it_says_so(run: Run, program: Path, tmp_path: Path, daemon: Daemon) -> None:
    (tmp_path / ".gstack/browse.sock").unlink()
    code, out, said = run("url", client=shutil.copy(program, tmp_path / "gbrowse"))
    assert (code, out) == (1, b"")
    assert said.startswith(b"Error: The Python client beside gbrowse cannot be run")


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs util-linux, to mount")
def test_without_proc_it_says_so(program: Path) -> None:
    hidden = 'mount -t tmpfs none /proc && exec "$0" url'
    done = run_program(["unshare", "--mount", "sh", "-c", hidden, program])
    if "mount:" in done.stderr or "unshare:" in done.stderr:
        pytest.skip("nothing may be mounted here")
    assert done.returncode == 1
    assert "Error: There is no /proc here, which gbrowse and Chromium need\n" in done.stderr
