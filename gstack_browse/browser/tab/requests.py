"""The requests that a tab's page has under way, and the documents that its main frame has asked for."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from gstack_browse.errors import Refused
from gstack_browse.network.logs.entries import ABORTED, NetworkEntry
from gstack_browse.security.policy.hosts import Refusal
from gstack_browse.text.sanitise import one_line

_BACKGROUND = frozenset({"eventsource", "websocket", "ping", "media", "beacon", "cspviolationreport"})
"""Kinds of request that a page may keep open for ever, so commands do not wait for them."""
MOST_REFUSED_LINES = 3
MOST_DOCUMENTS = 10
"""Limit for documents whose status is remembered."""


@dataclass(slots=True)
class PageRequest:
    """A request under way.

    `began` is Chromium's clock in seconds; `head` is the size of the response's head in bytes.
    """

    entry: NetworkEntry
    began: float
    frame: str
    loader: str
    """The loader id of the requesting document, or of the requested one."""
    is_document: bool
    """Whether the request is for the document of the main frame."""
    head: float = 0.0
    is_from_service_worker: bool = False
    """Whether a service worker responds. Chromium's number of network bytes is not the size then."""
    has_arrived: bool = False
    """Whether that document is in the frame now."""


@dataclass(slots=True)
class RefusedRequest:
    """A request that a rule forbids. `is_page`: for a document of the main frame, or a download.

    `after`: what became of the tab. `is_told`: a tab knows of it.
    """

    url: str
    refusal: Refusal
    is_page: bool
    after: str = ""
    is_told: bool = False

    def line(self) -> str:
        """Return the line about the refusal for a reply."""
        return f"refused: {one_line(self.url, 150)} {self.refusal.why}"

    def failure(self) -> Refused:
        """Return the error for the command whose page made the request."""
        hint = ". ".join(words for words in (self.refusal.hint, self.after) if words)
        return Refused(f"{one_line(self.url, 300)} {self.refusal.why}", hint)


def refused_lines(refused: Sequence[RefusedRequest]) -> list[str]:
    """Return the lines about refused requests for a reply: the first ones, and how many more there are."""
    lines = [*dict.fromkeys(item.line() for item in refused)]
    if len(lines) > MOST_REFUSED_LINES:
        more = len(lines) - MOST_REFUSED_LINES
        lines = [*lines[:MOST_REFUSED_LINES], f"refused: {more} more, see 'network --failed'"]
    return lines


class Requests:
    """Requests under way by their id in the protocol."""

    def __init__(self) -> None:
        self.inflight: dict[str, PageRequest] = {}
        self.documents = 0
        """Number of documents that the main frame has requested."""
        self._asked: deque[tuple[str, PageRequest]] = deque(maxlen=MOST_DOCUMENTS)

    def begin(self, request_id: str, request: PageRequest) -> None:
        """Note that the page has made a request."""
        self.inflight[request_id] = request
        if request.is_document:
            self.documents += 1
            self._asked.append((request_id, request))

    def end(self, request_id: str) -> None:
        """Note that a request was answered or failed."""
        self.inflight.pop(request_id, None)

    def abandon(self) -> None:
        """Mark all requests of a page that is gone as aborted."""
        for request in self.inflight.values():
            request.entry.error = request.entry.error or ABORTED
        self.inflight.clear()

    def status_of(self, loader: str) -> int:
        """Return the HTTP status of a loader's document; 0 if it came without a request."""
        asked = (request.entry for request_id, request in reversed(self._asked) if request_id == loader)
        return next((entry.status for entry in asked), 0)

    def failed_since(self, documents: int) -> NetworkEntry | None:
        """Return the failed request for the document that an action led to; None if one arrived or loads.

        documents: number of documents that the frame had requested before
        """
        before = max(len(self._asked) - (self.documents - documents), 0)
        asked = [request for _, request in self._asked][before:]
        if not asked or any(request.has_arrived for request in asked):
            return None
        return asked[-1].entry if asked[-1].entry.error else None

    @property
    def awaited(self) -> NetworkEntry | None:
        """Return the document the main frame waits for, or None.

        Until it arrives Chromium runs no script of ours in the page.
        """
        for request in self.inflight.values():
            if request.is_document and not request.has_arrived:
                return request.entry
        return None

    @property
    def is_navigating(self) -> bool:
        """Return whether the main frame has requested a document that has not arrived."""
        return bool(self.inflight) and self.awaited is not None

    @property
    def awaits_server(self) -> bool:
        """Return whether the main frame waits for a document that the server has not answered yet."""
        awaited = self.awaited
        return awaited is not None and not awaited.status

    @property
    def for_frames(self) -> list[NetworkEntry]:
        """Return the documents that frames in the page wait for."""
        requests = (request for request in self.inflight.values() if not request.is_document)
        return [request.entry for request in requests if request.entry.kind == "document"]

    @property
    def pending(self) -> list[NetworkEntry]:
        """Return the requests under way, except kinds that pages keep open for ever (`_BACKGROUND`)."""
        entries = (request.entry for request in self.inflight.values())
        return [entry for entry in entries if entry.kind not in _BACKGROUND]
