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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests import chromiums
from tests.e2e.daemon.harness import DaemonHarness, until
from tests.e2e.serving import serving_site
from tests.faults import fault
from tests.processes import setting
from tests.processes import words as words_of

XWD_HEADER_BYTES = 4096
"""More than the header and the colours of an XWD file; the rest are pixels."""

needs_display = pytest.mark.skipif(not shutil.which("Xvfb"), reason="needs Xvfb: apt-get install xvfb")


class Screen:
    """An X server without a screen. `shows_something` looks at its pixels."""

    def __init__(self, folder: Path) -> None:
        read, write = os.pipe()
        size = ["-screen", "0", "1280x800x24"]
        arguments = ["Xvfb", "-displayfd", str(write), *size, "-fbdir", str(folder), "-nolisten", "tcp"]
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
        found = [(process, words_of(process)) for process in psutil.process_iter()]
        return [
            process
            for process, its in found
            if "--ozone-platform-hint=auto" in its
            and "--type=" not in " ".join(its)
            and setting(process, "DISPLAY") == self.name
        ]

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


@pytest.fixture
def site() -> Iterator[str]:
    with serving_site() as site:
        yield site


@pytest.fixture(scope="module")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    screen = Screen(tmp_path_factory.mktemp("screen"))
    yield screen
    screen.close()


@pytest.fixture
def headless(home: DaemonHarness) -> DaemonHarness:
    """A workspace whose daemon has no display in its environment, and a browser with windows."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        home.env.pop(name, None)
    home.env["BROWSE_CHROMIUM"] = chromiums.named_with_windows()
    return home


needs_input = pytest.mark.skipif(
    not ctypes.util.find_library("Xtst"), reason="needs libXtst: apt-get install libxtst6"
)
ON_SCREEN = "const box = document.querySelector('{}').getBoundingClientRect(); \
  `${{screenX + box.x + box.width / 2}} ${{screenY + outerHeight - innerHeight + box.y + box.height / 2}}`"


def said(home: DaemonHarness, *words: str) -> str:
    """Return what a command prints that must work, without notes beside it."""
    done = home.run(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n")


@pytest.fixture
def busy(headless: DaemonHarness, site: str) -> DaemonHarness:
    """A browser in the middle of its work: two tabs, cookies, storage."""
    said(headless, "goto", f"{site}/plain.html")
    said(
        headless, "js", "localStorage.a = 'local'; sessionStorage.b = 'session'; document.cookie = 'c=kept'; 1"
    )
    said(headless, "newtab", f"{site}/form.html")
    return headless


@needs_display
def test_a_window_from_the_start(headless: DaemonHarness, screen: Screen, site: str) -> None:
    home = headless
    home.env["BROWSE_HEADED"] = "1"
    told = home.fails(1, "goto", f"{site}/plain.html")
    assert told.startswith("Error: There is no display to show a window on")
    said(home, "stop")
    home.env["DISPLAY"] = screen.name
    said(home, "goto", f"{site}/plain.html")
    assert screen.shows_something()
    size = "`${innerWidth}x${innerHeight}`"
    assert said(home, "js", size) == "1280x720"
    said(home, "viewport", "800x600")
    assert "Mode: visible\n" in home.status()
    said(home, "handoff")
    assert "Mode: visible, with a person for " in home.status()
    see_that_file_choosers_are_the_persons(home, screen)
    assert said(home, "resume").startswith("Resumed in a window of its own\n")
    assert said(home, "js", size) == "800x600"


ORDER = """<title>Order</title><label>Name <input id=who></label><label>Pin <input type=password id=pin></label>
<label>Gift <input type=checkbox id=gift></label><button onclick="document.title = who.value + gift.checked">Save</button>
<iframe id=inner width=200 height=60 srcdoc="<body style='margin: 0'><form onsubmit='parent.document.title = q.value; return false'>
<input id=q aria-label=Find style='width: 100%; height: 50px'><button>Go</button></form>"></iframe><a href="done.html">Done</a>"""


@needs_display
@needs_input
def test_actions_of_a_person_are_saved_as_steps_of_a_flow(headless: DaemonHarness, screen: Screen) -> None:
    home = headless
    page = home.workspace / "order.html"
    page.write_text(ORDER)
    said(home, "goto", page.as_uri())
    said(home, "handoff", "--display", screen.name, "Please order")
    assert said(home, "js", "typeof __gbrowsePerson + typeof __gbrowseFollows") == "undefinedundefined"

    def press(selector: str) -> None:
        x, y = (int(float(number)) for number in said(home, "js", ON_SCREEN.format(selector)).split())
        screen.press(x, y)

    def press_until(selector: str, holds: str) -> None:
        """Press there, and again as a person would who sees that a window that is new has not heard it."""
        until(lambda: press(selector) or said(home, "js", holds) == "true")

    press_until("#who", "document.activeElement.id === 'who'")
    screen.press_keys("a", "n", "n")
    press_until("#pin", "document.activeElement.id === 'pin'")
    screen.press_keys("4", "8", "2", "9", "1")
    until(lambda: said(home, "js", "pin.value.length") == "5")
    press("label:nth-of-type(3)")
    until(lambda: said(home, "js", "gift.checked") == "true")
    press("button")
    until(lambda: said(home, "title") == "anntrue")
    press_until("#inner", "document.activeElement.id === 'inner'")
    screen.press_keys("h", "a", "t", "Return")
    until(lambda: said(home, "title") == "hat")
    (home.workspace / "done.html").write_text("<title>Done</title>")
    press("a")
    until(lambda: said(home, "title") == "Done")
    assert "→ the person did 6 steps, which 'flow-save' keeps" in said(home, "resume")
    said(home, "flow-save", "order.flow", "--last", "6")  # what this test asked of the page comes before
    lines = (home.workspace / "order.flow").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#@")] == [
        "# gbrowse flow 1",
        "# secret pin",
        f"goto {page.as_uri()}",
        "fill 'role=textbox[name=\"Name\"]' ann",
        "fill 'role=textbox[name=\"Pin\"]' $pin",
        "check 'role=checkbox[name=\"Gift\"]'",
        "click 'role=button[name=\"Save\"]'",
        "frame '#inner'",
        "fill 'role=textbox[name=\"Find\"]' hat --submit",
        "frame main",
        "click 'role=link[name=\"Done\"]'",
    ]
    home.env["FLOW_PIN"] = "31415"
    assert "9 steps passed" in said(home, "flow-run", "order.flow")
    assert said(home, "title") == "Done"


HELD = "localStorage.a + ' ' + sessionStorage.b + ' ' + document.cookie"


@needs_display
@needs_input
def test_session_comes_back_from_a_person_and_other_agents_go_on_meanwhile(
    busy: DaemonHarness, screen: Screen, site: str
) -> None:
    """Tell it as one story: each window costs more than all commands in it."""
    see_that_it_fails_without_a_display(busy)
    tabs = said(busy, "tabs")
    said(busy, "--as", "ann", "goto", f"{site}/plain.html")
    said(busy, "--as", "ann", "js", "localStorage.who = 'ann'; document.cookie = 'who=ann'; 1")
    assert "handoff" in busy.run("pick", "Which?").stderr
    assert said(busy, "handoff", "--display", screen.name, "Solve", "the captcha").splitlines() == [
        f"Handed over: a window shows {site}/form.html",
        "→ 2 tabs and 1 cookie carried over",
        "→ reason: Solve the captcha",
        "Run 'resume' when the person is done",
    ]
    assert screen.shows_something()
    assert "Mode: visible, with a person for " in busy.status()
    assert said(busy, "tabs") == tabs
    assert said(busy, "--tab", "1", "js", HELD) == "local session c=kept"
    for words in (["viewport", "500x500"], ["responsive"]):
        assert "the person's to resize" in busy.run(*words).stderr
    assert "with a person already" in busy.fails(1, "handoff", "--display", screen.name)

    see_an_element_pointed_at_with_a_real_mouse(busy, screen)
    said(busy, "js", f"document.cookie = 'login=done'; window.open('{site}/plain.html?theirs'); 1")
    said(busy, "wait", "--load")
    lost = see_that_tabs_which_close_are_told(busy, site)
    see_that_the_others_go_on_and_one_person_quits(busy, screen, site)

    resumed = said(busy, "resume")
    assert resumed.startswith("Resumed without a window\n→ 3 tabs and 2 cookies carried over")
    assert f"→ {lost}" in resumed
    assert "@e" in resumed
    assert busy.run("resume").returncode == 1
    assert f"[4] Plain — {site}/plain.html?theirs" in said(busy, "tabs")
    assert said(busy, "--tab", "1", "js", HELD) == "local session c=kept; login=done"
    assert "Mode: headless" in busy.status()
    until(lambda: screen.browsers() == [])
    said(busy, "js", FILE_FIELD)
    assert "→ asks for a file: upload @e" in said(busy, "click", "#cv")
    assert said(busy, "text", "#asked") == "cancelled"
    assert said(busy, "--as", "carl", "url") == f"{site}/form.html"


FILE_FIELD = """document.body.insertAdjacentHTML('afterbegin', '<input type=file id=cv><p id=asked>'),
  document.querySelector('#cv').oncancel = () => document.querySelector('#asked').append('cancelled'), 1"""


def see_that_file_choosers_are_the_persons(home: DaemonHarness, screen: Screen) -> None:
    """See the person's chooser open, and leave it so."""
    said(home, "js", FILE_FIELD)
    windows = screen.windows()
    assert said(home, "click", "#cv") == "Clicked #cv"
    until(lambda: screen.windows() > windows)
    assert said(home, "text", "#asked") == ""


def see_an_element_pointed_at_with_a_real_mouse(busy: DaemonHarness, screen: Screen) -> None:
    x, y = (int(float(number)) for number in said(busy, "js", ON_SCREEN.format("h1")).split())
    asked = busy.start("pick", "Which heading?")

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


def see_that_tabs_which_close_are_told(busy: DaemonHarness, site: str) -> str:
    """Returns what is said of a tab that has closed itself."""
    said(busy, "--tab", "2", "js", f"window.open('{site}/plain.html'); 1")
    said(busy, "tab", "5")
    said(busy, "js", "setTimeout(() => window.close(), 100); 1")
    lost = f"Tab 5 was closed in the person's window; the active tab is now 2: {site}/form.html"
    until(lambda: f"Lost: {lost}" in busy.status())
    return lost


def see_that_the_others_go_on_and_one_person_quits(busy: DaemonHarness, screen: Screen, site: str) -> None:
    """See two persons at once, of whom ann's quits the program, and agents beside them."""
    (window,) = screen.browsers()
    assert said(busy, "--as", "ann", "url") == f"{site}/plain.html"
    said(busy, "--as", "bob", "newtab")
    said(busy, "--as", "ann", "handoff", "--display", screen.name)
    (hers,) = set(screen.browsers()) - {window}
    assert "Mode: headless" in said(busy, "--as", "bob", "status")
    assert "'--as ann resume'" in busy.run("--as", "ann", "handoff").stderr
    said(busy, "context-close", "bob")
    said(busy, "--as", "carl", "goto", f"{site}/form.html")

    hers.send_signal(signal.SIGTERM)
    hers.wait(60)
    assert busy.fails(6, "--as", "ann", "url").startswith("Error: The person closed the window\n")
    assert busy.run("--as", "ann", "newtab").returncode == 6
    assert "the person has closed the window" in said(busy, "--as", "ann", "status")
    assert said(busy, "--as", "ann", "resume").startswith(
        "Resumed without a window\n→ 1 tab and 1 cookie carried over\n→ the person had closed the window"
    )
    assert said(busy, "--as", "ann", "js", "localStorage.who + document.cookie") == "annwho=ann"

    said(busy, "--as", "ann", "handoff", "--display", screen.name)
    (hers,) = set(screen.browsers()) - {window}
    hers.suspend()
    with busy.connect() as wire:
        wire.send({"cmd": "resume", "reply": "json", "as": "ann"})
        busy.status()  # so that it has begun
        hers.kill()
        assert "the person had closed the window" in wire.line()["text"]
    assert said(busy, "--as", "ann", "url") == f"{site}/plain.html"

    said(busy, "--as", "ann", "handoff", "--display", screen.name)
    (hers,) = set(screen.browsers()) - {window}
    hers.suspend()
    assert "lost, as the browser did not tell: what was done just before" in said(busy, "--as", "ann", "resume")
    assert said(busy, "--as", "ann", "js", "localStorage.who + document.cookie") == "annwho=ann"


@needs_display
@fault(
    "Files and hosts that pages must not reach",
    "a page leads to a file outside and to a metadata service after a restart, in a person's window, and after resume",
    "refused (7) in all of them",
    slow=True,
)
def test_rules_for_pages_hold_wherever_the_session_goes(headless: DaemonHarness, screen: Screen) -> None:
    home = headless
    (home.workspace.parent / "secret.txt").write_text("what nobody may see")
    page = home.workspace / "page.html"
    cloud = "<button onclick=\"location = 'http://169.254.169.254/'\">Cloud</button>"
    page.write_text(f"<a href=../secret.txt>File</a>{cloud}")
    said(home, "goto", page.as_uri())
    for way in (["restart"], ["handoff", "--display", screen.name], ["resume"]):
        said(home, *way)
        assert "secret.txt is outside the workspace" in home.fails(7, "click", "a")
        assert said(home, "url") == page.as_uri()
        assert "is a cloud metadata service" in home.fails(7, "click", "button")
        said(home, "goto", page.as_uri())


def see_that_it_fails_without_a_display(busy: DaemonHarness) -> None:
    refused = busy.fails(1, "handoff", "Help")
    assert "There is no display" in refused
    assert "Xvfb" in refused
    assert "'watch --control' needs none" in refused
    assert "display :4711" in busy.fails(1, "handoff", "--display", ":4711")
    assert busy.fails(1, "resume").startswith("Error: The browser was not handed to anybody\n")
    assert said(busy, "--tab", "1", "js", HELD) == "local session c=kept"
