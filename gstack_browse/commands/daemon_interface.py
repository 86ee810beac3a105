"""Declare the interface through which commands reach the daemon. The package `daemon` implements it."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gstack_browse.browser.downloads import Downloads
from gstack_browse.browser.session.listener import Logs
from gstack_browse.browser.session.session import BrowserSession
from gstack_browse.errors import from_reply
from gstack_browse.flows.feed import CommandFeed
from gstack_browse.flows.log import FlowLog
from gstack_browse.protocol import Reply
from gstack_browse.registry.command import DaemonNeed
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from gstack_browse.film.take import TakeFile
    from gstack_browse.local_pages.board.registry import BoardRegistry

Send = Callable[[str], Awaitable[None]]
"""Sends a part of a reply to the caller, once that has read what was sent before."""


class ClosedContext(NamedTuple):
    """A context that was closed.

    `contents`: what it had, as in "2 tabs". `aborted_work`: recordings that were cut off; "" for none.
    """

    contents: str
    aborted_work: str


class ContextFacts(NamedTuple):
    """Facts about a browser context. `memory`: bytes in its pages' heaps; `last`: its last command."""

    name: str
    tabs: int
    memory: int
    last: str
    idle_seconds: float
    state: str = ""
    """Why it is not open; "" where it is."""


class OpenAddress(NamedTuple):
    """The address at which a program attaches, with what it finds there."""

    address: str
    page: str
    """Chromium's id of the caller's page."""
    fence: bool
    """Whether the daemon marks text of pages."""


class WatchedPage(Protocol):
    """The page on which a person watches what agents do."""

    async def open(self, context: str, *, control: bool) -> str:
        """Serve a new page, which shows this browser context first. Return its address."""

    async def close(self, reason: str) -> bool:
        """Close the page, whose window shows the reason. Return whether there was one."""


class Daemon(DaemonNeed):
    """The running daemon as control commands see it."""

    logs: Logs
    downloads: Downloads
    cwd: str
    """The directory in which the command was typed."""
    context: str
    """The name of the caller's browser context (`--as`); "" for the default one."""
    done: list[str]
    """What the command has to show so far. It is printed even when the command fails or is cut off."""

    paths: CallerPaths
    """The caller's directories, for paths in words."""
    flow: FlowLog
    """What the commands of the caller's context did."""
    take: "TakeFile"
    """What is filmed of the caller's context, or was when its last daemon ended."""
    feed: CommandFeed
    """The commands of all contexts, as they come."""
    hide_from_watchers: Callable[[str], str]
    """Returns a text without the secrets that pages were given, and without cookies that were set from here."""
    patience: float | None
    """Seconds for which the caller wants to wait (`--timeout`); None where nothing was said."""

    @property
    @abstractmethod
    def settings(self) -> Settings:
        """Return the daemon's settings."""

    @property
    @abstractmethod
    def boards(self) -> "BoardRegistry":
        """Return the boards (pages on which a person compares pictures and answers)."""

    @property
    @abstractmethod
    def watch(self) -> WatchedPage:
        """Return the page on which a person watches the browser live."""

    @abstractmethod
    def say(self, note: str) -> None:
        """Print a note on the caller's standard error at once, before the reply."""

    @property
    @abstractmethod
    def browser(self) -> BrowserSession | None:
        """Return the caller's browser context; None if no browser is running. Never starts one."""

    @abstractmethod
    async def collect_facts(self) -> dict[str, str]:
        """Return the facts that `status` prints about the daemon: label → value, in order."""

    @abstractmethod
    def list_recent_commands(self) -> list[str]:
        """Return a line for each of the last commands: how it ended, without what was typed into it."""

    @property
    @abstractmethod
    def context_tabs(self) -> dict[str, int]:
        """Return the number of tabs by context name, without asking the browser."""

    @abstractmethod
    async def list_contexts(self) -> list[ContextFacts]:
        """Return facts of all browser contexts, the default one first."""

    @abstractmethod
    async def close_context(self, name: str) -> ClosedContext:
        """Close a browser context. Raises ActionFailed if that fails, or there is no such context."""

    @abstractmethod
    async def stop(self) -> str:
        """End the browser, remove the socket, release the lock; the process ends after its reply.

        Return a text on the work that was aborted.
        """

    @abstractmethod
    async def restart(self) -> str:
        """Hand over to a new daemon. Return a text on what was carried over; the process ends after its reply."""

    @abstractmethod
    async def connect(self, address: str) -> str:
        """Use a browser that runs already, in place of the daemon's own. Return a text on its tabs."""

    @abstractmethod
    async def disconnect(self, *, keep: bool) -> str:
        """Leave the browser of `connect`; `keep` leaves our tabs open. Return a sentence for the reply."""

    @abstractmethod
    async def attach(self, *, tcp: bool, once: bool) -> OpenAddress:
        """Open an address at which programs drive the caller's browser context by the DevTools protocol.

        `tcp`: a port, in place of a Unix socket. `once`: for one program. Raises Refused by policy, ActionFailed and SetupFailed.
        """

    @abstractmethod
    async def detach(self) -> int | None:
        """Close the address of `attach`. Return how many programs were detached; None if it was not open."""

    @abstractmethod
    async def run(self, words: Sequence[str], *, tab: int | None = None) -> Reply:
        """Run another command for the same caller, in that tab; None: the caller's."""

    @abstractmethod
    def check(self, words: Sequence[str]) -> None:
        """Raise UsageError or Refused if `run` would fail for these words in any case."""

    @abstractmethod
    async def complete_flow_now(self) -> None:
        """Wait until `flow` has the facts on elements that are collected after a command's reply."""

    @abstractmethod
    def caller_environment(self, prefix: str) -> Mapping[str, str]:
        """Return the variables of the caller's environment whose names begin with a prefix."""

    @abstractmethod
    def list_pending_confirmations(self) -> list[str]:
        """Return a line for each command that waits for a person's `confirm`."""

    @abstractmethod
    def confirm(self, token: str) -> str:
        """Permit a command that waits for a person. Return its text for people. Raises Refused, UsageError."""

    @abstractmethod
    def stream(self) -> Send:
        """Return a function that sends parts of the reply at once; the command then has no deadline.

        Raises UsageError if the reply cannot be streamed.
        """

    @property
    @abstractmethod
    def tab(self) -> int | None:
        """Return the number of the tab in `--tab N` before the command; None without one."""


async def open_browser(daemon: Daemon) -> BrowserSession:
    """Open the caller's context with a tab, as the first command in it does. Raises what that raises."""
    reply = await daemon.run(["url"])
    if reply.code:
        raise from_reply(reply.error, reply.code, reply.message, reply.hint)
    assert daemon.browser
    return daemon.browser
