"""A workspace with a real daemon and a real Chromium, a client, the raw socket, and a site."""

import contextlib
import fcntl
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from gstack_browse.workspace.directory import LOCK
from tests.e2e.serving import Answering, serving
from tests.processes import Completed, run_program, words

ROOT = Path(__file__).parents[3]
LAUNCH = "import sys; sys.path.append(sys.argv.pop(1)); from gstack_browse.client.main import main; main()"


class Wire:
    """A raw connection."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        directory = os.open(path.parent, os.O_RDONLY)
        self.socket.connect(f"/proc/self/fd/{directory}/{path.name}")
        os.close(directory)
        self._file = self.socket.makefile("rb")

    def send(self, *requests: dict[str, Any] | bytes) -> None:
        lines = [item if isinstance(item, bytes) else json.dumps(item).encode() + b"\n" for item in requests]
        self.socket.sendall(b"".join(lines))

    def line(self) -> dict[str, Any]:
        """The next JSON reply."""
        return json.loads(self._file.readline().replace(b"\x16", b""))

    def ask(self, cmd: str, *args: str, **fields: Any) -> dict[str, Any]:
        self.send({"cmd": cmd, "args": args, "reply": "json", **fields})
        return self.line()

    def rest(self) -> bytes:
        """Everything up to the end of the connection."""
        return self._file.read()

    def close(self) -> None:
        self._file.close()
        self.socket.close()

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class DaemonHarness:
    """A workspace with its daemon and browser.

    Its temporary directory is its own too, so that leftovers are seen.
    """

    def __init__(self, path: Path, package: Path) -> None:
        self.workspace = path / "work"
        (self.workspace / ".git").mkdir(parents=True)
        self.temporary = path / "tmp"
        self.temporary.mkdir()
        self.runtime = path / "run"
        self.runtime.mkdir(mode=0o700)
        self.package = package
        self.env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("BROWSE_")},
            "XDG_CONFIG_HOME": str(path / "config"),
            **{name: os.environ.get(name, "") for name in ("BROWSE_CHROMIUM", "BROWSE_SANDBOX")},
            "TMPDIR": str(self.temporary),
            "XDG_RUNTIME_DIR": str(self.runtime),
        }
        self.socket = self.workspace / ".gstack/browse.sock"
        self._seen: dict[int, psutil.Process] = {}

    def client(self) -> list[str]:
        """Return the words that run the client."""
        return [sys.executable, "-I", "-S", "-X", "utf8", "-c", LAUNCH, str(self.package)]

    def start(self, *words: str, client: list[str] | None = None, **options: Any) -> subprocess.Popen[str]:
        """Begin a command, by another client if one is given."""
        usual = {
            "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
            "cwd": self.workspace, "env": self.env, "text": True,
        }  # fmt: skip
        return subprocess.Popen([*(client or self.client()), *words], **(usual | options))

    def run(self, *words: str, stdin: str | None = None, seconds: float = 60) -> Completed:
        """Run a command as a user would: `home.run("url").stdout`."""
        with self.start(*words, **({} if stdin is None else {"stdin": subprocess.PIPE})) as process:
            out, err = process.communicate(stdin, timeout=seconds)
        return Completed(words, process.returncode, out, err)

    def must(self, *words: str, **options: Any) -> str:
        """Run a command that must work. Returns what it printed."""
        done = self.run(*words, **options)
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout.removesuffix("\n")

    def fails(self, code: int, *words: str, **options: Any) -> str:
        """Run a command that must fail with that exit code, and print nothing else. Returns what it said."""
        done = self.run(*words, **options)
        assert (done.returncode, done.stdout) == (code, ""), done
        return done.stderr

    def python(self, script: str, *words: str) -> str:
        """Run a script that may import the package. It must work; returns what it printed."""
        env = {**self.env, "PYTHONPATH": str(self.package)}
        done = run_program([sys.executable, "-c", script, *words], cwd=self.workspace, env=env)
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    def begin(self, address: str) -> None:
        """Show a page in the only tab.

        The daemon of the test before goes on, where it has one tab; else a new one starts.
        """
        if not self._goes_on():
            self.run("stop")
        done = self.run("goto", address)  # which may note what the last test has lost
        assert done.returncode == 0, done

    def _goes_on(self) -> bool:
        """Whether a daemon answers that has one tab, and whose losses were told."""
        with contextlib.suppress(OSError), self.connect() as wire:
            tabs = wire.ask("tabs")
            return tabs["ok"] and len(tabs["text"].splitlines()) == 1
        return False

    def connect(self) -> Wire:
        return Wire(self.socket)

    def ask(self, command: str, *words: str, **fields: Any) -> str:
        """Return the answer to a command, sent without a client. A client costs a hundred times as much."""
        text: str = self.reply(command, *words, **fields)["text"]
        return text

    def reply(self, command: str, *words: str, **fields: Any) -> dict[str, Any]:
        """Return all fields of the reply to a command, sent without a client."""
        with self.connect() as wire:
            return wire.ask(command, *words, **fields)

    def status(self) -> str:
        """Return the answer to `status`."""
        return self.ask("status")

    def daemon(self) -> psutil.Process:
        """The process that listens, as the kernel knows it."""
        with self.connect() as wire:
            peer = wire.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            pid = int.from_bytes(peer[:4], sys.byteorder)
        return psutil.Process(pid)

    def kill_daemon(self) -> None:
        """Kill the daemon, and wait until it is dead.

        A command before that would be sent to it, and not be answered (9).
        """
        daemon = self.daemon()
        daemon.kill()
        with contextlib.suppress(psutil.NoSuchProcess):
            until(lambda: daemon.status() == psutil.STATUS_ZOMBIE)
        until(lambda: not self.listens())  # its first thread is dead before the last one lets go of the socket

    def listens(self) -> bool:
        try:
            self.connect().close()
        except OSError:
            return False
        return True

    def processes(self) -> dict[str, psutil.Process]:
        """Return the daemon and Chromium, once both run."""
        until(lambda: "Browser: Chromium" in self.ask("status"))
        daemon = self.daemon()
        everybody = self.remember(daemon)
        chromium = next(
            process
            for process in everybody
            if "--remote-debugging-pipe" in words(process) and process.name() != "sh"
        )
        return {"daemon": daemon, "chromium": chromium}

    def remember(self, daemon: psutil.Process) -> list[psutil.Process]:
        """Everything that belongs to the daemon now, the daemon too."""
        everybody = [daemon, *daemon.children(recursive=True)]
        self._seen.update((process.pid, process) for process in everybody)
        return everybody

    def leftovers(self) -> list[psutil.Process]:
        """Processes of any daemon of this workspace that still run."""
        found = []
        for pid in filter(self._owns, psutil.pids()):
            with contextlib.suppress(psutil.NoSuchProcess):
                found.append(psutil.Process(pid))
        return found

    def until_gone(self, seconds: float = 60) -> None:
        """Wait until none of them runs.

        To look at all processes of the machine each time would keep a core busy.
        """
        give_up = time.monotonic() + seconds
        while left := self.leftovers():
            until(lambda left=left: not any(self._owns(one.pid) for one in left), give_up - time.monotonic())
        until(lambda: not self.is_locked(), give_up - time.monotonic())

    def is_locked(self) -> bool:
        """Return whether a daemon holds its lock.

        A thread that reads the disk holds it a while after the first thread, by whose environment `leftovers` knows the process.
        """
        try:
            with (self.workspace / ".gstack" / LOCK).open() as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False  # there is no such file, or it cannot be opened
        return False

    def _owns(self, pid: int) -> bool:
        """Return whether a process belongs to a daemon of this workspace.

        One that has ended, or is another user's, does not.
        """
        with contextlib.suppress(OSError):
            return _mentions(pid, os.fsencode(self.temporary))
        return False

    def remove(self, path: Path) -> None:
        """Remove a directory in which a daemon may still be writing: new files would keep the directory."""
        while path.exists():
            with contextlib.suppress(OSError):
                shutil.rmtree(path)

    def close(self) -> None:
        for process in self.leftovers():
            with contextlib.suppress(psutil.Error):
                process.kill()
        shutil.rmtree(self.temporary, ignore_errors=True)


def is_daemon(process: psutil.Process) -> bool:
    return "gbrowse-daemon" in words(process)


def _mentions(pid: int, temporary: bytes) -> bool:
    """Return whether a process has the directory in its environment or in its words.

    Chromium overwrites its environment.

    A process that has ended and was not waited for has neither.
    """
    return any(temporary in Path(f"/proc/{pid}/{file}").read_bytes() for file in ("environ", "cmdline"))


def until(condition: Callable[[], Any], seconds: float = 60) -> Any:
    """Look again and again until the condition holds. Returns its value; fails after `seconds`.

    The longer it has waited the longer it pauses: to look costs up to 20 ms of the processor, as for `status`.
    """
    begun = time.monotonic()
    pause = threading.Event()
    while not (value := condition()):
        waited = time.monotonic() - begun
        assert waited < seconds, "it did not come true in time"
        pause.wait(min(max(0.01, waited / 5), 0.1))
    return value


PAGES = {
    "/": "<title>Home</title><h1>Welcome</h1><a href=/two>two</a>",
    "/form": "<title>Form</title><form action=/two><label>Name <input name=name></label>"
    "<label>Country <select name=country><option>Germany<option>France</select></label>"
    "<label><input type=checkbox name=terms> I agree</label><button>Send</button></form>",
    "/two": "<title>Two</title><h1>Second</h1>",
    "/late": "<button disabled onclick=\"fetch('/clicked')\">Go</button>"
    "<script>window.enable = () => document.querySelector('button').disabled = false</script>",
    "/clicked": "",
    "/noise": "<script>for (let i = 0; i < 20; i++) console.log('line', i)</script>",
}


class Site:
    """A small site. `/hold` is not answered until `release` is set; `hits` are the paths of all requests."""

    def __init__(self) -> None:
        self.hits: list[str] = []
        self.release = threading.Event()
        site = self

        class Handler(Answering):
            def get(self) -> None:
                site.hits.append(self.path)
                if self.path.startswith("/hold"):
                    site.release.wait(120)
                body = PAGES.get(self.path.partition("?")[0], "held").encode()
                with contextlib.suppress(ConnectionError):  # the browser has ended meanwhile
                    if self.path.startswith("/two"):
                        self.answer(body, Set_Cookie="session=chocolate-chip")
                    else:
                        self.answer(body)

        self._end = contextlib.ExitStack()
        self._port = self._end.enter_context(serving(Handler))

    def __call__(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self._port}{path}"

    def close(self) -> None:
        self.release.set()
        self._end.close()
