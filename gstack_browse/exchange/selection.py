"""Conditions that choose requests of the log. Pure."""

from dataclasses import dataclass

from gstack_browse.logs.entries import NetworkEntry
from gstack_browse.text.requests import RequestGlob, StatusPattern


@dataclass(frozen=True)
class Selection:
    """Conditions on a request, all of which must hold. An empty one or None holds for every request."""

    glob: RequestGlob | None = None
    method: str = ""
    status: StatusPattern | None = None
    kinds: frozenset[str] = frozenset()
    since: int = 0
    """Only requests with a higher number."""
    failed: bool = False
    """Only requests that failed, or got status 4xx or 5xx."""

    def matches(self, entry: NetworkEntry) -> bool:
        """Return whether a request meets all conditions."""
        return (
            entry.number > self.since
            and (not self.failed or entry.is_failed)
            and self.method in ("", entry.method)
            and (not self.kinds or entry.kind in self.kinds)
            and (self.status is None or self.status.matches(entry.status, entry.error))
            and (self.glob is None or self.glob.matches(entry.method, entry.url))
        )
