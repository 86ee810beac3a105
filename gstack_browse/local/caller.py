"""The process that runs a local command, as its handler sees it."""

from collections.abc import Mapping

from gstack_browse.registry.needs import LocalNeed
from gstack_browse.registry.paths import CallerPaths


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
    ) -> None:
        self.paths = paths
        self.environment = environment
        self.stdin = stdin
        self.deadline_seconds = deadline_seconds
        self.notes: list[str] = []
