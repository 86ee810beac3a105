"""Test handing the browser to a person and taking it back, on a virtual display.

Client and daemon are the real ones.
"""

import ctypes
import ctypes.util
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import psutil
import pytest

from tests.e2e.daemon.harness import until
from tests.faults import fault
from tests.processes import setting

ROOT = Path(__file__).parents[2]
XWD_HEADER_BYTES = 4096
"""More than the header and the colours of an XWD file; the rest are pixels."""

needs_display = pytest.mark.skipif(not shutil.which("Xvfb"), reason="needs Xvfb: apt-get install xvfb")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        return


class Screen:
    """An X server without a screen. `shows_something` looks at its pixels."""

    def __init__(self, folder: Path) -> None:
        read, write = os.pipe()
        arguments = [
            "Xvfb",
            "-displayfd",
            str(write),
            "-screen",
            "0",
            "1280x800x24",
            "-fbdir",
            str(folder),
            "-nolisten",
            "tcp",
        ]
        self.process = subprocess.Popen(arguments, pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            self.name = f":{pipe.readline().strip()}"
        self._pixels = folder / "Xvfb_screen0"

    def shows_something(self) -> bool:
        return len(set(self._pixels.read_bytes()[XWD_HEADER_BYTES:])) > 2

    def shows_a_question(self) -> bool:
        """Whether the border of `pick`'s banner is there: blue, green, red."""
        return b"\xd0\x57\x0b" in self._pixels.read_bytes()

    def press(self, x: int, y: int) -> None:
        """Click there, as a mouse does."""
        with self._input() as (_, xtest, display):
            xtest.XTestFakeMotionEvent(display, -1, x, y, 0)
            for is_down in (1, 0):
                xtest.XTestFakeButtonEvent(display, 1, is_down, 0)

    def press_keys(self, *keys: str) -> None:
        """Press keys one after the other, as a keyboard does."""
        with self._input() as (x11, xtest, display):
            for key in keys:
                code = x11.XKeysymToKeycode(display, x11.XStringToKeysym(key.encode()))
                for is_down in (1, 0):
                    xtest.XTestFakeKeyEvent(display, code, is_down, 0)

    @contextmanager
    def _input(self) -> Iterator[tuple[ctypes.CDLL, ctypes.CDLL, ctypes.c_void_p]]:
        """Connect for input that looks like a person's (XTEST)."""
        x11, xtest = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        display = ctypes.c_void_p(x11.XOpenDisplay(self.name.encode()))
        yield x11, xtest, display
        x11.XSync(display, 0)
        x11.XCloseDisplay(display)

    def windows(self) -> int:
        """Return how many windows are shown."""
        with self._input() as (x11, _, display):
            x11.XDefaultRootWindow.restype = ctypes.c_ulong
            root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
            windows, count, other = ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint(), ctypes.c_ulong()
            ignored = ctypes.byref(other)
            x11.XQueryTree(display, root, ignored, ignored, ctypes.byref(windows), ctypes.byref(count))
            attributes = (ctypes.c_int * 64)()  # XWindowAttributes; where map_state stands at 23
            shown = 0
            for index in range(count.value):
                x11.XGetWindowAttributes(display, ctypes.c_ulong(windows[index]), attributes)
                shown += attributes[23] == 2
            return shown

    def browsers(self) -> list[psutil.Process]:
        """The browser processes (not their children) that show themselves here."""
        return [
            process
            for process in psutil.process_iter(["cmdline"])
            if "--ozone-platform-hint=auto" in (words := process.info["cmdline"] or [])
            and not any(word.startswith("--type=") for word in words)
            and setting(process, "DISPLAY") == self.name
        ]

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


Gbrowse = Callable[..., Any]


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(ROOT / "tests/site")))
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    screen = Screen(tmp_path_factory.mktemp("screen"))
    yield screen
    screen.close()


@pytest.fixture
def gbrowse(tmp_path: Path) -> Iterator[Gbrowse]:
    """The client in a workspace of its own, whose daemon has no display in its environment."""
    workspace = tmp_path / "work"
    (workspace / ".git").mkdir(parents=True)
    unset = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSE_STATE_FILE")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment["PYTHONPATH"] = str(ROOT)

    def run(*words: str, begin: Callable[..., Any] = subprocess.run, **more: str) -> Any:
        command = [sys.executable, "-m", "gstack_browse.client", *words]
        waits = {"timeout": 90, "check": False} if begin is subprocess.run else {}
        pipe = subprocess.PIPE
        return begin(
            command, cwd=workspace, env=environment | more, stdout=pipe, stderr=pipe, text=True, **waits
        )

    yield run
    run("stop")


needs_input = pytest.mark.skipif(
    not ctypes.util.find_library("Xtst"), reason="needs libXtst: apt-get install libxtst6"
)
ON_SCREEN = "const box = document.querySelector('{}').getBoundingClientRect(); \
  `${{screenX + box.x + box.width / 2}} ${{screenY + outerHeight - innerHeight + box.y + box.height / 2}}`"


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n")


@pytest.fixture
def busy(gbrowse: Gbrowse, site: str) -> Gbrowse:
    """A browser in the middle of its work: two tabs, cookies, storage."""
    output_of(gbrowse("goto", f"{site}/plain.html"))
    output_of(
        gbrowse("js", "localStorage.a = 'local'; sessionStorage.b = 'session'; document.cookie = 'c=kept'; 1")
    )
    output_of(gbrowse("newtab", f"{site}/form.html"))
    return gbrowse


@needs_display
def test_a_window_from_the_start(gbrowse: Gbrowse, screen: Screen, site: str) -> None:
    told = gbrowse("goto", f"{site}/plain.html", BROWSE_HEADED="1")
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith("Error: There is no display to show a window on")
    output_of(gbrowse("stop"))
    output_of(gbrowse("goto", f"{site}/plain.html", BROWSE_HEADED="1", DISPLAY=screen.name))
    assert screen.shows_something()
    size = "`${innerWidth}x${innerHeight}`"
    assert output_of(gbrowse("js", size)) == "1280x720"
    output_of(gbrowse("viewport", "800x600"))
    assert "Mode: visible\n" in gbrowse("status").stdout
    output_of(gbrowse("handoff"))
    assert "Mode: visible, with a person for " in output_of(gbrowse("status"))
    see_that_file_choosers_are_the_persons(gbrowse, screen)
    assert output_of(gbrowse("resume")).startswith("Resumed in a window of its own\n")
    assert output_of(gbrowse("js", size)) == "800x600"


HELD = "localStorage.a + ' ' + sessionStorage.b + ' ' + document.cookie"


@needs_display
@needs_input
def test_session_comes_back_from_a_person_and_other_agents_go_on_meanwhile(
    busy: Gbrowse, screen: Screen, site: str
) -> None:
    """Tell it as one story: each window costs more than all commands in it."""
    see_that_it_fails_without_a_display(busy)
    tabs = output_of(busy("tabs"))
    output_of(busy("--as", "ann", "goto", f"{site}/plain.html"))
    output_of(busy("--as", "ann", "js", "localStorage.who = 'ann'; document.cookie = 'who=ann'; 1"))
    assert "handoff" in busy("pick", "Which?").stderr
    assert output_of(busy("handoff", "--display", screen.name, "Solve", "the captcha")).splitlines() == [
        f"Handed over: a window shows {site}/form.html",
        "→ 2 tabs and 1 cookie carried over",
        "→ reason: Solve the captcha",
        "Run 'resume' when the person is done",
    ]
    assert screen.shows_something()
    assert "Mode: visible, with a person for " in output_of(busy("status"))
    assert output_of(busy("tabs")) == tabs
    assert output_of(busy("--tab", "1", "js", HELD)) == "local session c=kept"
    for words in (["viewport", "500x500"], ["responsive"]):
        assert "the person's to resize" in busy(*words).stderr
    again = busy("handoff", "--display", screen.name)
    assert (again.returncode, "with a person already" in again.stderr) == (1, True)

    see_an_element_pointed_at_with_a_real_mouse(busy, screen)
    output_of(busy("js", f"document.cookie = 'login=done'; window.open('{site}/plain.html?theirs'); 1"))
    output_of(busy("wait", "--load"))
    lost = see_that_tabs_which_close_and_dialogs_are_the_persons(busy, site)
    see_that_the_others_go_on_and_one_person_quits(busy, screen, site)

    resumed = output_of(busy("resume"))
    assert resumed.startswith("Resumed without a window\n→ 3 tabs and 2 cookies carried over")
    assert f"→ {lost}" in resumed
    assert "@e" in resumed
    assert busy("resume").returncode == 1
    assert f"[4] Plain — {site}/plain.html?theirs" in output_of(busy("tabs"))
    assert output_of(busy("--tab", "1", "js", HELD)) == "local session c=kept; login=done"
    assert "Mode: headless" in output_of(busy("status"))
    until(lambda: screen.browsers() == [])
    output_of(busy("js", FILE_FIELD))
    assert "→ asks for a file: upload @e" in output_of(busy("click", "#cv"))
    assert output_of(busy("text", "#asked")) == "cancelled"
    assert output_of(busy("--as", "carl", "url")) == f"{site}/form.html"


FILE_FIELD = """document.body.insertAdjacentHTML('afterbegin', '<input type=file id=cv><p id=asked>'),
  document.querySelector('#cv').oncancel = () => document.querySelector('#asked').append('cancelled'), 1"""


def see_that_file_choosers_are_the_persons(gbrowse: Gbrowse, screen: Screen) -> None:
    """See the person's chooser open, and leave it so."""
    output_of(gbrowse("js", FILE_FIELD))
    windows = screen.windows()
    assert output_of(gbrowse("click", "#cv")) == "Clicked #cv"
    until(lambda: screen.windows() > windows)
    assert output_of(gbrowse("text", "#asked")) == ""


def see_an_element_pointed_at_with_a_real_mouse(busy: Gbrowse, screen: Screen) -> None:
    x, y = (int(float(number)) for number in output_of(busy("js", ON_SCREEN.format("h1"))).split())
    asked = busy("pick", "Which heading?", begin=subprocess.Popen)

    until(screen.shows_a_question)

    looks = itertools.count()

    def is_answered() -> bool:
        if next(looks) % 40 == 0:  # again, as a person would who sees that a slow machine has not heard it
            screen.press(x, y)
        screen.press_keys("Return")
        return asked.poll() is not None

    until(is_answered)
    out, error = asked.communicate()
    assert re.fullmatch(r'Picked: @e\d+ \[heading\] "A form"\n', out), error


def see_that_tabs_which_close_and_dialogs_are_the_persons(busy: Gbrowse, site: str) -> str:
    """Returns what is said of a tab that has closed itself."""
    output_of(busy("--tab", "2", "js", f"window.open('{site}/plain.html'); 1"))
    output_of(busy("tab", "5"))
    output_of(busy("js", "setTimeout(() => window.close(), 100); 1"))
    lost = f"Tab 5 was closed in the person's window; the active tab is now 2: {site}/form.html"
    until(lambda: f"Lost: {lost}" in output_of(busy("status")))

    script = "asks = new BroadcastChannel('asks'); asks.onmessage = () => confirm('Really?'); 1"
    output_of(busy("--tab", "2", "js", script))
    with ThreadPoolExecutor() as beside:
        waiting = beside.submit(busy, "--tab", "2", "wait", "#never")
        until(lambda: "wait on tab 2" in output_of(busy("status")))
        output_of(busy("--tab", "1", "js", "new BroadcastChannel('asks').postMessage(1); 1"))
        waited = waiting.result()
    assert (waited.returncode, waited.stderr.partition("\n")[0]) == (
        4,
        'Error: wait did not finish: confirm "Really?" is open in tab 2',
    )
    assert '"Really?" → left to the person' in output_of(busy("dialog"))
    return lost


def see_that_the_others_go_on_and_one_person_quits(busy: Gbrowse, screen: Screen, site: str) -> None:
    """See two persons at once, of whom ann's quits the program, and agents beside them."""
    (window,) = screen.browsers()
    assert output_of(busy("--as", "ann", "url")) == f"{site}/plain.html"
    output_of(busy("--as", "bob", "newtab"))
    output_of(busy("--as", "ann", "handoff", "--display", screen.name))
    (hers,) = set(screen.browsers()) - {window}
    assert "Mode: headless" in output_of(busy("--as", "bob", "status"))
    assert "'--as ann resume'" in busy("--as", "ann", "handoff").stderr
    output_of(busy("context-close", "bob"))
    output_of(busy("--as", "carl", "goto", f"{site}/form.html"))

    hers.send_signal(signal.SIGTERM)
    hers.wait(60)
    lost = busy("--as", "ann", "url")
    assert (lost.returncode, lost.stderr.splitlines()[0]) == (6, "Error: The person closed the window")
    assert busy("--as", "ann", "newtab").returncode == 6
    assert "the person has closed the window" in output_of(busy("--as", "ann", "status"))
    assert output_of(busy("--as", "ann", "resume")).startswith(
        "Resumed without a window\n→ 1 tab and 1 cookie carried over\n→ the person had closed the window"
    )
    assert output_of(busy("--as", "ann", "js", "localStorage.who + document.cookie")) == "annwho=ann"


@needs_display
@fault(
    "Files and hosts that pages must not reach",
    "a page leads to a file outside and to a metadata service after a restart, in a person's window, and after resume",
    "refused (7) in all of them",
    slow=True,
)
def test_rules_for_pages_hold_wherever_the_session_goes(
    gbrowse: Gbrowse, screen: Screen, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("what nobody may see")
    page = tmp_path / "work" / "page.html"
    page.write_text(
        "<a href=../secret.txt>File</a><button onclick=\"location = 'http://169.254.169.254/'\">Cloud</button>"
    )
    output_of(gbrowse("goto", page.as_uri()))
    for way in (["restart"], ["handoff", "--display", screen.name], ["resume"]):
        output_of(gbrowse(*way))
        done = gbrowse("click", "a")
        assert (done.returncode, "secret.txt is outside the workspace" in done.stderr) == (7, True), done
        assert output_of(gbrowse("url")) == page.as_uri()
        done = gbrowse("click", "button")
        assert (done.returncode, "is a cloud metadata service" in done.stderr) == (7, True), done
        output_of(gbrowse("goto", page.as_uri()))


def see_that_it_fails_without_a_display(busy: Gbrowse) -> None:
    refused = busy("handoff", "Help")
    assert refused.returncode == 1
    assert "There is no display" in refused.stderr
    assert "Xvfb" in refused.stderr
    nobody = busy("handoff", "--display", ":4711")
    assert nobody.returncode == 1
    assert "display :4711" in nobody.stderr
    resumed = busy("resume")
    assert (resumed.returncode, resumed.stderr.splitlines()[0]) == (
        1, "Error: The browser was not handed to anybody",
    )  # fmt: skip
    assert output_of(busy("--tab", "1", "js", HELD)) == "local session c=kept"
