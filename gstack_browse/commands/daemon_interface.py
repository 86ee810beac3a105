"""Declare the interface through which commands reach the daemon. The package `daemon` implements it."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gstack_browse.browser.context.listener import Logs
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.downloads import Downloads
from gstack_browse.errors import from_reply
from gstack_browse.flows.feed import CommandFeed
from gstack_browse.flows.log import FlowLog
from gstack_browse.protocol import Reply
from gstack_browse.registry.command import DaemonNeed
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from gstack_browse.documents.film.take import TakeFile
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
        """Serve a new watch page, which shows the browser context `context` first. Return its URL.

        `control`: whether the person may act in the browser.
        """

    async def close(self, reason: str) -> bool:
        """Close the watch page, whose window then shows the reason. Return whether there was one."""


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
        """Return the registry of boards (pages on which a person compares pictures and answers)."""

    @property
    @abstractmethod
    def watch(self) -> WatchedPage:
        """Return the watch page, on which a person sees the browser live."""

    @abstractmethod
    def say(self, note: str) -> None:
        """Print a note on the caller's standard error at once, before the reply."""

    @property
    @abstractmethod
    def browser(self) -> OpenContext | None:
        """Return the caller's open context; None if no browser is running. Never starts one."""

    @abstractmethod
    async def collect_facts(self) -> dict[str, str]:
        """Return the facts that `status` prints about the daemon: label → value, in order."""

    @abstractmethod
    def list_recent_commands(self) -> list[str]:
        """Return a line for each of the last commands, with its exit code and without texts typed into it."""

    @property
    @abstractmethod
    def context_tabs(self) -> dict[str, int]:
        """Return the number of tabs of each browser context, by its name. Asks no page, so it is fast."""

    @abstractmethod
    async def list_contexts(self) -> list[ContextFacts]:
        """Return facts of all browser contexts, the default one first."""

    @abstractmethod
    async def close_context(self, name: str) -> ClosedContext:
        """Close the browser context `name`. Return how many tabs it had, and which recordings were cut off.

        Raises ActionFailed if that fails, or there is no such context.
        """

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
        """Use the running browser at `address` in place of the daemon's own. Return the output of `connect`."""

    @abstractmethod
    async def disconnect(self, *, keep: bool) -> str:
        """Leave the browser that `connect` joined. Return the output of `disconnect`.

        `keep`: leave our tabs open there.
        """

    @abstractmethod
    async def attach(self, *, tcp: bool, once: bool) -> OpenAddress:
        """Open an address at which programs can use the caller's browser context by the DevTools protocol.

        `tcp`: a port, in place of a Unix socket. `once`: for one program. Raises Refused by policy, ActionFailed and SetupFailed.
        """

    @abstractmethod
    async def detach(self) -> int | None:
        """Close the address opened by `attach`. Return how many programs were detached; None if none was open."""

    @abstractmethod
    async def run(self, words: Sequence[str], *, tab: int | None = None) -> Reply:
        """Run another command (`words`: name and arguments) for the same caller, and return its reply.

        `tab`: number of the tab on which it acts; None for the caller's.
        """

    @abstractmethod
    def check(self, words: Sequence[str]) -> None:
        """Raise UsageError or Refused if `run` would certainly fail for these words (name and arguments)."""

    @abstractmethod
    async def complete_flow_now(self) -> None:
        """Wait until the flow log has its details on elements, which are collected after a command's reply."""

    @abstractmethod
    def caller_environment(self, prefix: str) -> Mapping[str, str]:
        """Return the variables in the caller's environment whose names begin with `prefix`."""

    @abstractmethod
    def list_pending_confirmations(self) -> list[str]:
        """Return a line (token and command) for each command that waits for a person's `confirm`."""

    @abstractmethod
    def confirm(self, token: str) -> str:
        """Permit the command with that token, which waits for a person. Return its command line.

        Raises Refused unless a person is at a terminal, UsageError for an unknown token.
        """

    @abstractmethod
    def stream(self) -> Send:
        """Return a function that sends parts of the reply at once; the command then has no deadline.

        Raises UsageError if the reply cannot be streamed.
        """

    @property
    @abstractmethod
    def tab(self) -> int | None:
        """Return the number of the tab that the caller named by `--tab N`; None without one."""


async def open_browser(daemon: Daemon) -> OpenContext:
    """Return the caller's open context; open it with a tab if it is not open.

    Raises what the first command in a context raises.
    """
    reply = await daemon.run(["url"])
    if reply.code:
        raise from_reply(reply.error, reply.code, reply.message, reply.hint)
    assert daemon.browser
    return daemon.browser
