"""What a local command may ask of the process that runs it."""

from collections.abc import Mapping

from gstack_browse.registry.needs import LocalNeed
from gstack_browse.registry.paths import CallerPaths


class Caller(LocalNeed):
    """The process that typed a local command: where, with which environment, and what was piped in (`reads_stdin`).

    `deadline_seconds` is how long programs that the command starts may take together. What the command adds to `notes`
    is printed beside its result, on standard error.
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
