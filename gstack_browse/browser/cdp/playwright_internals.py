"""Facts about Playwright beyond its documentation.

No other module imports Playwright's private modules, but `errors` the one with its errors.

tests/browser/launch/test_playwright_internals.py asks the installed Playwright about each item; docs/upgrading.md says what to do when one
has changed. Two more things are known elsewhere, since they are too long for here: the events that the driver does not use (`diet`),
and the words of its failures (`engine.failures`).

A daemon needs some of this first, so slow imports are inside the functions.
"""

import os
import sys

import playwright
from playwright import _repo_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Iterable
    from typing import Any

VERSION = _repo_version.version
OLDEST, NEWEST = (1, 65), (1, 65)
"""The versions that the tests have passed with, the same as in pyproject.toml."""

WORLD_PREFIX = "__playwright_utility_world"
"""How the name of the isolated world begins that the driver makes in each frame. Our engine lives there, too."""
OWN_WORLD = f"{WORLD_PREFIX}_before_playwright"
"""The name of the isolated world that we make ourselves in documents from before the driver is there: see `adoption`."""

PAGE_IN_WORLD = b'"worldName":"' + f"{WORLD_PREFIX}_".encode()
"""What stands in the messages in which the driver names that world, before the name that driver and Python have for the page."""

DISABLED_FEATURES = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
)
"""Features of Chromium that Playwright's default flags disable. Chromium uses only the last such flag, so ours repeats them."""
ENABLED_FEATURES = ("CDPScreenshotNewSurface", "SkipListAccountsWithoutGaiaCookies")
"""Those that they enable, of which the same is true."""
KEPT_PROTECTIONS = ("--disable-ipc-flooding-protection", "--disable-popup-blocking")
"""Default flags of Playwright's that turn a protection of Chromium off, and that we take back."""

BLINK_SETTINGS = "primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"
"""The settings that Playwright gives a Chromium without a window. Chromium takes the last flag of that name only."""

FULL_FOLDER, SHELL_FOLDER = "chromium-", "chromium_headless_shell-"
"""How the folders begin that Playwright installs Chromium into; the same revision follows in both."""
SHELL_NAMES = ("headless_shell", "chrome-headless-shell")
"""What the program in the second one is called."""

_TRANSPORT = "_impl/out_of_process.py"
"""Where Playwright looks for the transport that starts its driver and speaks with it."""
_TASKS_OF_START = ("Connection.initialize_playwright", "PipeTransport.run")
"""What runs in a task of its own from a start on: being told of everything there is, and reading what the driver says."""


def is_known() -> bool:
    """Whether the installed Playwright is not newer than the newest one we know."""
    return tuple(int(part) for part in VERSION.split(".")[:2]) <= NEWEST


def driver_command() -> list[str]:
    """Return the driver's command line; [] if Playwright's transport is not in the known place."""
    package = playwright.__path__[0]
    if not os.path.exists(f"{package}/{_TRANSPORT}"):
        return []
    node = os.environ.get("PLAYWRIGHT_NODEJS_PATH") or f"{package}/driver/node"
    return [node, f"{package}/driver/package/cli.js", "run-driver"]


def driver_environment() -> dict[str, str]:
    """Return the variables that Playwright adds to the environment of its driver."""
    return {
        "PW_LANG_NAME": "python",
        "PW_LANG_NAME_VERSION": f"{sys.version_info.major}.{sys.version_info.minor}",
        "PW_CLI_DISPLAY_VERSION": VERSION,
    }


def name_of(page: "Any") -> str:
    """Return the id of a page between driver and Python; "" if Playwright has none in the known place."""
    return getattr(getattr(page, "_impl_obj", None), "_guid", "")


def cancel_start(since: "Iterable[asyncio.Task[Any]]") -> None:
    """Cancel the tasks that a cancelled start of Playwright leaves.

    `since`: the tasks that are new since the start's begin. Playwright does not await them, and they would fail when the driver ends.
    """
    for task in since:
        if getattr(task.get_coro(), "__qualname__", "") in _TASKS_OF_START:
            task.cancel()


class AdoptingTransport:
    """Makes a Playwright that starts in the block use the driver that `adopt` returns.

    `adopt` returns as much of an asyncio `Process` as the transport uses: `stdin`, `stdout`, `communicate`. A Playwright that looks for its
    transport elsewhere starts a driver as ever, and does not call `adopt`.
    """

    def __init__(self, adopt: "Callable[[], Awaitable[Any]]") -> None:
        self._adopt = adopt

    def __enter__(self) -> None:
        import asyncio

        from playwright._impl import out_of_process
        from playwright._impl.transport import PipeTransport

        adopt = self._adopt

        class Adopting(PipeTransport):
            async def connect(self) -> None:
                self._stopped_future = asyncio.get_running_loop().create_future()
                self._proc = await adopt()
                self._output = self._proc.stdin

        self._module, self._replaced = out_of_process, PipeTransport
        out_of_process.PipeTransport = Adopting  # type: ignore[attr-defined]

    def __exit__(self, *_: object) -> None:
        self._module.PipeTransport = self._replaced  # type: ignore[attr-defined]
