"""Load a daemon for hours with random commands, kills, floods and downloads.

`python -m tests.bench.endurance --hours 1` prints a line of figures now and then. Each line is measured at rest, with one tab on one page, so that lines can be compared: what a fault leaves behind is seen as growth.
"""

import argparse
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from gstack_browse import commands
from gstack_browse.client import Browse, connect
from gstack_browse.daemon.base import memory
from gstack_browse.errors import BrowseError
from gstack_browse.registry import REGISTRY
from tests.bench.pages import served

KINDS = ("daemon", "browser", "pages")
COMMANDS = (("goto",), ("snapshot", "-i"), ("text",), ("url",))
READS = (("snapshot", "-i"), ("text",), ("links",), ("html",), ("forms",), ("accessibility",), ("console",))
AT_REST = (
    *(("dialog-accept",), ("dialog-accept",), ("viewport", "1280x720"), ("throttle", "off")),
    *(("har-replay", "off"), ("unroute",), ("emulate", "--reset")),
)
"""What takes back what words at random have asked for. The first answers a dialog that is held open, the second holds for later ones."""
PAGES = ("/form", "/news", "/table-1000")
END_SECONDS = 300.0
ROUNDS = 15
EXPECTED = {1, 3, 4, 5, 6, 9}
"""Exit codes with which a command may end among these faults; never 2, 7 or 8."""
OF_ANY_WORDS = EXPECTED | {2, 7}

ENDS_OR_WAITS = {"stop", "restart", "handoff", "cookie-import-browser", "confirm"}
"""Left out: what ends the browser, or waits for a person."""
ODD = (
    "", " ", "--", "-", "-1", "0", "99999999999999999999", "1e309", "NaN", "@e0", "@e999999", "@c1", "*",
    "html", "//*", ":::", "[[", "text=", "role=", ">>", "label=a >> nth=-1", "\x00", "\x1b[2J", "\ud800",
    "𝕏" * 500, "../../etc/passwd", "/dev/zero", "/proc/self/mem", "file:///etc/passwd", "file://workspace",
    "http://[::1", "http://0:0/", "about:blank", "javascript:1", "data:text/html,<p>x", "throw null",
    "undefined", "({get a() { throw 1 }})", "[].concat(document)", "new Promise(() => 0)", "--timeout",
    "--json", "--tab", "--help",
)  # fmt: skip
assert commands.__all__  # imported for its declarations


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.endurance", description=__doc__)
    parser.add_argument("--hours", type=float, default=1, help="how long to go on (default 1)")
    parser.add_argument("--seed", type=int, default=1, help="what is done at random")
    options = parser.parse_args()
    sys.exit(load(options.hours, options.seed))


def load(hours: float, seed: int) -> int:
    """Run for so long, and print the table. Returns how many promises were broken."""
    dice = random.Random(seed)
    print(f"seed {seed}; MB: proportional set size; fds: of the daemon; files: temporary; median ms at rest")
    columns = ("age", *KINDS, "processes", "fds", "files", "state kB", *(words[0] for words in COMMANDS))
    print(f"{'minute':>7}" + "".join(f"{name:>10}" for name in columns))
    with _place() as place, served() as base, connect(workspace=place) as browse:
        company = _Adversary(browse, base, dice, place)
        begun, ended = time.monotonic(), time.monotonic()
        next_line = begun
        try:
            while (now := time.monotonic()) < begun + hours * 3600:
                if now >= next_line:
                    company.print_line((now - begun) / 60)
                    next_line = now + hours * 3600 / ROUNDS
                if now - ended > END_SECONDS:
                    company.end()
                    ended = now
                company.disturb()
            company.print_line((time.monotonic() - begun) / 60)
        finally:
            company.detach()
            with suppress(BrowseError):
                browse("stop")
        return company.report()


class _Adversary:
    """Do harm to a daemon, and record the results."""

    def __init__(self, browse: Browse, base: str, dice: random.Random, place: str) -> None:
        self._browse = browse
        self._base = base
        self._dice = dice
        self._place = Path(place)
        self._done: Counter[str] = Counter()
        self._codes: Counter[int] = Counter()
        self._broken: list[str] = []
        self._program: subprocess.Popen[bytes] | None = None
        """The program that is attached, if any."""

    def disturb(self) -> None:
        """Do one thing, chosen at random."""
        name, (_, deed) = self._dice.choices(list(DEEDS.items()), [weight for weight, _ in DEEDS.values()])[0]
        self._done[name] += 1
        if callable(deed):
            deed(self)
        else:
            self.ask(*deed)

    def ask(self, *words: str, timeout: int | None = None, expected: set[int] = EXPECTED) -> str:
        """Run a command. One that fails in a way that is not among the promises is kept."""
        try:
            text = self._browse(*words, timeout=timeout)
        except BrowseError as error:
            self._codes[error.code] += 1
            if error.code not in expected or "Internal error" in error.message:
                self._broken.append(f"{' '.join(words)[:80]}: {error.code}: {error.message[:200]}")
            return ""
        self._codes[0] += 1
        return text

    def go(self) -> None:
        self.ask("goto", self._base + self._dice.choice(PAGES))

    def read(self) -> None:
        self.ask(*self._dice.choice(READS))

    def tabs(self) -> None:
        self.ask("newtab", self._base + "/form") if self._dice.random() < 0.5 else self.ask("closetab")

    def type_anything(self) -> None:
        self.ask(*words_at_random(self._dice), timeout=2000, expected=OF_ANY_WORDS)

    def take_picture(self) -> None:
        self.ask("screenshot", str(self._place / "page.png"))

    def hang(self) -> None:
        self.ask("js", "while (true);", timeout=500)

    def leave(self) -> None:
        """Go away in the middle of a command."""
        with connect(workspace=self._place) as other:
            timer = threading.Timer(self._dice.random() / 10, other.interrupt)
            timer.start()
            with suppress(BrowseError):
                other("goto", self._base + "/table-1000")
            timer.join()

    def attach(self) -> None:
        """Start a program that attaches and works beside the commands. The one before is killed."""
        self.detach()
        if address := self.ask("attach"):
            self._program = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, address], stderr=subprocess.DEVNULL
            )

    def detach(self) -> None:
        if self._program:
            self._program.kill()
            self._program.wait()
        self._program = None

    def forget_connections(self) -> None:
        others = [connect(workspace=self._place) for _ in range(100)]
        for other in others:
            with suppress(BrowseError):
                other("status")
        self.ask("url")
        for other in others:
            other.close()

    def end(self) -> None:
        """Kill the daemon or a process of Chromium's, or have a successor take over."""
        if self._dice.random() < 0.25:
            self._done["restart"] += 1
            self.ask("restart")
            return
        daemon = self._daemon()
        victims = [daemon, *daemon.children()[:1], *daemon.children(recursive=True)[1:2]]
        self._done["kill"] += 1
        with suppress(psutil.Error):
            self._dice.choice(victims).kill()

    # figures

    def print_line(self, minute: float) -> None:
        """Bring everything to rest, and print what is there."""
        self.detach()
        while self.ask("tabs").count("\n"):
            self.ask("closetab")
        for command in AT_REST:
            self.ask(*command)
        self.ask("goto", self._base + "/form")
        times: dict[str, list[float]] = {words[0]: [] for words in COMMANDS}
        for _ in range(15):
            for words in COMMANDS:
                begun = time.perf_counter()
                self.ask(*words, *([self._base + "/form"] if words[0] == "goto" else []))
                times[words[0]].append((time.perf_counter() - begun) * 1000)
        daemon = self._daemon()
        family = [daemon, *daemon.children(recursive=True)]
        cells = [
            f"{time.time() - daemon.create_time():9.0f}s",
            *(f"{size:10.1f}" for size in _sizes(daemon, family)),
        ]
        state = sum(file.stat().st_size for file in (self._place / ".gstack").iterdir()) / 1000
        files = sum(len(names) for _, _, names in os.walk(tempfile.gettempdir()))
        cells += [f"{len(family):10}", f"{daemon.num_fds():10}", f"{files:10}", f"{state:10.0f}"]
        cells += [f"{statistics.median(times[words[0]]):10.1f}" for words in COMMANDS]
        print(f"{minute:7.1f}" + "".join(cells), flush=True)

    def report(self) -> int:
        """Print what was done and what was broken. Returns how many promises that were."""
        print("done: " + ", ".join(f"{name} {count}" for name, count in self._done.most_common()))
        print("exit codes: " + ", ".join(f"{code}: {count}" for code, count in sorted(self._codes.items())))
        _, left = psutil.wait_procs(list(filter(_belongs, psutil.process_iter())), timeout=5)
        self._broken += [f"left running: {process}" for process in left]
        self._broken += [f"left on disk: {path}" for path in Path(tempfile.gettempdir()).rglob("gbrowse-run-*")]
        print("\n".join(f"BROKEN {line}" for line in self._broken) or "no promise was broken")
        return len(self._broken)

    def _daemon(self) -> psutil.Process:
        status = self.ask("status")
        return psutil.Process(int(next(line[5:] for line in status.splitlines() if line.startswith("PID: "))))


def words_at_random(dice: random.Random) -> list[str]:
    """Return an example, or a command with any words after it, as a user might type who knows none."""
    if dice.random() < 0.3:
        return dice.choice(_EXAMPLES)
    name = dice.choice(_NAMES)
    pool = ODD if dice.random() < 0.5 else _WORDS
    return [name, *dice.choices(pool, k=dice.randrange(4))]


def _examples() -> Iterator[list[str]]:
    for command in REGISTRY.commands.values():
        if not command.is_local and command.name not in ENDS_OR_WAITS:
            for example in command.examples:
                yield shlex.split(example)


_EXAMPLES = list(_examples())
_NAMES = sorted({words[0] for words in _EXAMPLES})
_WORDS = sorted({word for words in _EXAMPLES for word in words[1:]})

PROGRAM = """
import sys
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    context = playwright.chromium.connect_over_cdp(sys.argv[1]).contexts[0]
    while True:
        page = context.new_page()
        page.goto(context.pages[0].url)
        page.evaluate("confirm('go on?')")
        page.close()
"""
DOWNLOADS = (
    "for (let i = 0; i < 5; i++) { const a = document.createElement('a'); a.download = `f${i}.bin`;"
    " a.href = URL.createObjectURL(new Blob(['x'.repeat(200000)])); a.click() } 1"
)
DEEDS: dict[str, tuple[int, Sequence[str] | Callable[[_Adversary], None]]] = {
    "go": (30, _Adversary.go),
    "read": (30, _Adversary.read),
    "tabs": (8, _Adversary.tabs),
    "anything": (15, _Adversary.type_anything),
    "picture": (4, _Adversary.take_picture),
    "flood of messages": (3, ("js", "for (let i = 0; i < 20000; i++) console.log('flood', i); 1")),
    "flood of requests": (3, ("js", "for (let i = 0; i < 300; i++) fetch('/form?' + i).catch(() => 0); 1")),
    "dialogs": (3, ("js", "for (let i = 0; i < 5; i++) alert(i); 1")),
    "popups": (3, ("js", "for (let i = 0; i < 5; i++) window.open('/form'); 1")),
    "downloads": (3, ("js", DOWNLOADS)),
    "hang": (2, _Adversary.hang),
    "leave": (2, _Adversary.leave),
    "attach": (2, _Adversary.attach),
    "forget connections": (1, _Adversary.forget_connections),
}
"""What is done, by its weight: a command, or more."""


def _sizes(daemon: psutil.Process, family: list[psutil.Process]) -> list[float]:
    sizes = dict.fromkeys(KINDS, 0.0)
    for process in family:
        with suppress(psutil.Error):
            is_page = "--type=renderer" in " ".join(process.cmdline())
            kind = "daemon" if process == daemon else "pages" if is_page else "browser"
            sizes[kind] += memory.measure([process]).size / 1e6
    return list(sizes.values())


def _belongs(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        is_ours = process.pid != os.getpid() and process.environ().get("TMPDIR") == tempfile.gettempdir()
        return is_ours and process.status() != psutil.STATUS_ZOMBIE
    return False


@contextmanager
def _place() -> Iterator[str]:
    """A workspace, with temporary and runtime directories of its own beside it."""
    with tempfile.TemporaryDirectory(prefix="gs-", ignore_cleanup_errors=True) as place:
        for name in ("work/.git", "tmp", "run"):
            Path(place, name).mkdir(mode=0o700, parents=True)
        tempfile.tempdir = f"{place}/tmp"
        os.environ |= {"TMPDIR": f"{place}/tmp", "XDG_RUNTIME_DIR": f"{place}/run"}
        yield f"{place}/work"


if __name__ == "__main__":
    main()
