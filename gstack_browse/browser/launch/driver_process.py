"""Starts Playwright's driver, a Node process, before Playwright is imported.

Node takes as long to load the driver as Python takes to import Playwright and gbrowse. So a daemon that needs a browser starts the
driver first and imports meanwhile; this module imports next to nothing. `driver` gives the process to Playwright.
"""

import os

from gstack_browse.browser.cdp import playwright_internals
from gstack_browse.browser.launch.scratch import Scratch, cache_folder
from gstack_browse.errors import BrowseError, SetupFailed
from gstack_browse.shortage import ROOM, explain

NODE_OPTIONS = ["--max-semi-space-size=4"]
"""4 MB for new objects. Node's default of 16 would cost 11 MB more memory, most of it never used."""

HEAP = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "131072"}
"""Makes glibc use one heap for Node's threads and return free memory. Saves 6 MB. Other C libraries ignore it."""


class Driver:
    """A running driver before Playwright uses it.

    It ends when its standard input closes, so it ends with the daemon.
    """

    def __init__(self, pid: int, stdin: int, stdout: int, scratch: Scratch) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self.scratch = scratch
        self._is_ours = True

    def hand_over(self) -> None:
        """Give the process to the caller: `end` does nothing afterwards."""
        self._is_ours = False

    def end(self) -> None:
        """Kill the driver, unless it was handed over.

        It is not asked to end, since it would then save its compiled code for the next driver, and it has compiled too little yet.
        """
        if not self._is_ours:
            return
        self._is_ours = False
        from signal import SIGKILL

        os.kill(self.pid, SIGKILL)  # not reaped yet, so the pid cannot be another process's
        os.waitpid(self.pid, 0)
        os.close(self.stdin)
        os.close(self.stdout)

    def discard(self) -> None:
        """Kill the driver, and remove its temporary directory."""
        self.end()
        self.scratch.remove()


def spawn(within: Scratch | None = None) -> Driver | None:
    """Start a driver; None if that fails, which a later start by Playwright explains.

    Args:
        within: temporary directory of the driver; None: make one

    The driver inherits standard error and the current directory, and no other descriptor.
    """
    command = playwright_internals.driver_command()
    if not command:
        return None
    try:
        place = within or Scratch()
    except OSError:
        return None  # `make_scratch` explains it when the browser is started
    their_stdin, stdin = os.pipe()
    stdout, their_stdout = os.pipe()
    command[1:1] = NODE_OPTIONS
    standard = [(os.POSIX_SPAWN_DUP2, their_stdin, 0), (os.POSIX_SPAWN_DUP2, their_stdout, 1)]
    try:
        pid = os.posix_spawn(command[0], command, driver_environment(place), file_actions=standard)
    except OSError:
        os.close(stdin)
        os.close(stdout)
        if not within:
            place.remove()
        return None
    finally:
        os.close(their_stdin)
        os.close(their_stdout)
    return Driver(pid, stdin, stdout, place)


def make_scratch() -> Scratch:
    """Make a temporary directory for a driver and its browser. Raises SetupFailed."""
    try:
        return Scratch()
    except OSError as error:
        raise _scratch_error(error) from None


def _scratch_error(error: OSError) -> BrowseError:
    if error.errno in ROOM and (found := explain(error)):
        return found
    return SetupFailed(
        f"No temporary directory can be made: {error.strerror}: {error.filename}",
        "Make room there, or take another one: export TMPDIR=<directory>; gbrowse stop",
    )


def driver_environment(scratch: Scratch) -> dict[str, str]:
    """Return the environment that Playwright would give its driver, with our own variables added."""
    return {
        **os.environ,
        **playwright_internals.driver_environment(),
        **_ca_cert_for_node(),
        **own_variables(scratch),
    }


def _ca_cert_for_node() -> dict[str, str]:
    """Return the variable that makes Node trust BROWSE_CA_CERT.

    Only for a Playwright server, to which the driver itself connects; {} otherwise.
    """
    named = os.environ.get("BROWSE_CA_CERT")
    if not named or not os.environ.get("BROWSE_REMOTE", "").startswith("playwright+wss:"):
        return {}
    return {"NODE_EXTRA_CA_CERTS": os.path.abspath(os.path.expanduser(named))}


def own_variables(scratch: Scratch) -> dict[str, str]:
    """Return our variables for a driver.

    TMPDIR is the place of profiles. NODE_COMPILE_CACHE saves a quarter of the driver's start.
    """
    return {"TMPDIR": scratch.name, **HEAP, **compile_cache_variable()}


def compile_cache_variable() -> dict[str, str]:
    """Return the variable for Node's cache of compiled code; {} if there is no directory for it."""
    folder = cache_folder("driver")
    return {"NODE_COMPILE_CACHE": folder} if folder else {}
