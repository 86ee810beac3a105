"""Starts Playwright's driver, a Node process, before anything of Playwright's is imported.

Node takes as long to load the driver as Python takes to import Playwright and all of ours, so a daemon that will need
a browser begins with this and imports meanwhile; for that reason this module imports next to nothing. `driver` hands
the process to Playwright.
"""

import os

from gstack_browse.browser.cdp import playwright_internals
from gstack_browse.browser.launch.scratch import Scratch, cache
from gstack_browse.errors import BrowseError, SetupFailed
from gstack_browse.shortage import ROOM, explain

NODE_OPTIONS = ["--max-semi-space-size=4"]
"""MB for new objects: Node's own 16 would take 11 MB more, most of it never used."""

HEAP = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "131072"}
"""For glibc: Node's threads share a heap, and what is free of it goes back. Saves 6 MB (decision 0411); other systems do not look at it."""


class Driver:
    """A running driver without a client yet. The driver ends when its standard input closes, as ours does."""

    def __init__(self, pid: int, stdin: int, stdout: int, scratch: Scratch) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self.scratch = scratch
        self._is_ours = True

    def hand_over(self) -> None:
        """From here on somebody else speaks with the driver, and ends it."""
        self._is_ours = False

    def end(self) -> None:
        """Kill the driver, unless it was handed over.

        A driver that is asked to end writes its compiled code down for the next one, and this one has run too little of that.
        """
        if not self._is_ours:
            return
        self._is_ours = False
        from signal import SIGKILL

        os.kill(self.pid, SIGKILL)  # nobody has waited for it, so the number is still its own
        os.waitpid(self.pid, 0)
        os.close(self.stdin)
        os.close(self.stdout)

    def give_up(self) -> None:
        """End the driver, and remove what it may have left on disk."""
        self.end()
        self.scratch.remove()


def spawn(within: Scratch | None = None) -> Driver | None:
    """Start a driver, whose temporary directory is `within`; None where it cannot be had. Whoever then asks Playwright for one hears why.

    It inherits standard error and the current directory, and no other descriptor.
    """
    command = playwright_internals.driver_command()
    if not command:
        return None
    try:
        place = within or Scratch()
    except OSError:
        return None  # `scratch` says why, when the browser is started
    their_stdin, stdin = os.pipe()
    stdout, their_stdout = os.pipe()
    command[1:1] = NODE_OPTIONS
    standard = [(os.POSIX_SPAWN_DUP2, their_stdin, 0), (os.POSIX_SPAWN_DUP2, their_stdout, 1)]
    try:
        pid = os.posix_spawn(command[0], command, environment(place), file_actions=standard)
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


def scratch() -> Scratch:
    """A new temporary directory for a driver and its browser. Raises SetupFailed."""
    try:
        return Scratch()
    except OSError as error:
        raise _no_scratch(error) from None


def _no_scratch(error: OSError) -> BrowseError:
    if error.errno in ROOM and (found := explain(error)):
        return found
    return SetupFailed(
        f"No temporary directory can be made: {error.strerror}: {error.filename}",
        "Make room there, or take another one: export TMPDIR=<directory>; gbrowse stop",
    )


def environment(scratch: Scratch) -> dict[str, str]:
    """What Playwright would give its driver, and what we add to it."""
    return {**os.environ, **playwright_internals.driver_environment(), **_ca_cert_for_node(), **ours(scratch)}


def _ca_cert_for_node() -> dict[str, str]:
    """Return the variable that makes Node trust BROWSE_CA_CERT: to a Playwright server, the driver itself connects."""
    named = os.environ.get("BROWSE_CA_CERT")
    if not named or not os.environ.get("BROWSE_REMOTE", "").startswith("playwright+wss:"):
        return {}
    return {"NODE_EXTRA_CA_CERTS": os.path.abspath(os.path.expanduser(named))}


def ours(scratch: Scratch) -> dict[str, str]:
    """Variables of a driver: TMPDIR, where it makes profiles, NODE_COMPILE_CACHE, which saves a quarter of its start, and HEAP."""
    return {"TMPDIR": scratch.name, **HEAP, **compiled_code()}


def compiled_code() -> dict[str, str]:
    """Where Node keeps compiled code; nothing where it cannot."""
    folder = cache("driver")
    return {"NODE_COMPILE_CACHE": folder} if folder else {}
