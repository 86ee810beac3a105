"""The process that runs a local command, as its handler sees it."""

from collections.abc import Callable, Mapping

from gstack_browse.errors import Unreachable
from gstack_browse.registry.command import LocalNeed
from gstack_browse.registry.values.paths import CallerPaths


def no_daemon(*words: str) -> str:
    """Raise Unreachable: the stand-in for `ask_daemon` where a command's process can ask no daemon."""
    raise Unreachable("There is no daemon to ask")


class Caller(LocalNeed):
    """The process that runs a local command, with its directory, environment and standard input.

    A command that sets `reads_stdin` gets `stdin`. `deadline_seconds` limits all programs that the command starts together. Lines added to
    `notes` are printed on standard error.
    """

    def __init__(
        self,
        paths: CallerPaths,
        environment: Mapping[str, str],
        *,
        stdin: str | None = None,
        deadline_seconds: float = 30.0,
        ask_daemon: Callable[..., str] = no_daemon,
        streams: bool = False,
        fence: bool = False,
    ) -> None:
        self.paths = paths
        self.environment = environment
        self.stdin = stdin
        self.deadline_seconds = deadline_seconds
        self.ask_daemon = ask_daemon
        """Runs a command on the daemon, for the same context and tab, and returns its result. Raises BrowseError."""
        self.streams = streams
        """Whether the command may write to standard output at once; else all goes into its reply."""
        self.fence = fence
        """Whether text of pages is to be fenced."""
        self.notes: list[str] = []
