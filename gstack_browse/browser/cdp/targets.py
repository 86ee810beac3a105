"""State of each target: its documents, whether they have loaded, the isolated worlds of its frames.

A target is the protocol's word for a page, a frame in a process of its own, or a worker. `tap` keeps these up to date.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.pace import CpuThrottle
from gstack_browse.browser.cdp.playwright_internals import WORLD_PREFIX
from gstack_browse.browser.cdp.session import Session, consume_exception
from gstack_browse.browser.cdp.valve import ConsoleRateLimiter


@dataclass(slots=True, eq=False)
class ExecutionContext:
    """The isolated world of one document of one frame. `id` ends with the document."""

    target: "Target"
    frame_id: str
    id: str
    number: int
    world: str = ""
    """What the driver calls the world."""
    loaded: bool = False
    document: "asyncio.Future[dict[str, Any]] | None" = None
    """The page's own object for the document, where that was asked for before anybody needs it."""
    hears_keys: bool | None = None
    """Whether the page listened for keys when that was asked last; None where it never was."""
    has_suspects: bool = False
    """Whether elements that the last question met may have closed shadow roots of which the engine does not know yet."""
    has_changed_fields: bool = False
    """Whether the page had changed the value of a field since that was left, when it answered last: see `changedAsLeft`."""
    internals_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while the internals of custom elements are read."""
    attaching: dict[str, bool] = field(default_factory=dict)
    """Custom elements whose class was looked at, and whether that says that it attaches internals."""


@dataclass(eq=False)
class Target:
    """A page, or a frame in another process, with the frames that share its process; or a worker."""

    id: str
    page: str
    """Id of the page that it is a part of; its own for a page and for what belongs to none."""
    rate_limiter: ConsoleRateLimiter
    """What it says goes through this, with what all of its page says."""
    observed: Session
    """The session whose events we read: the driver's, or one of ours where we have no pipe. We may send requests in it."""
    kind: str = "page"
    """The protocol's word for it: page, iframe, worker, shared_worker, service_worker …"""
    opener: str = ""
    """Id of the page that opened this one; "" where none did."""
    name: str = ""
    """What the driver calls the page: see `playwright_internals.name_of`."""
    browser_context: str = ""
    """Id of the browser context that a page belongs to, once it was attached to."""
    contexts: dict[str, ExecutionContext] = field(default_factory=dict)
    """Frame → its isolated world."""
    frame_documents: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Of a page: frame in it → loader and address of its document, both "" before the frame has come anywhere."""
    page_contexts: dict[str, str] = field(default_factory=dict)
    """Frame → unique id of the page's own context there."""
    foreign_contexts: set[int] = field(default_factory=set)
    """Contexts that are not the page's own: ours, the driver's, those of extensions."""
    kept_objects: int = 0
    """Objects in console messages since Chromium was last told to release them."""
    heap: int = 0
    """Bytes in its heap, when it was last asked: see `heaps`."""
    speaks_for_driver: bool = False
    """Whether `observed` is the session in which the driver has made its isolated worlds."""
    engine_in: str = ""
    """The world in which new documents are given the engine: see `messages`."""
    has_lifecycle: bool = True
    """Whether Chromium tells the driver of its lifecycle events: see `diet`."""
    spares_contexts: bool = False
    """Whether documents without a script may be left without contexts of scripts: see `contexts`."""
    has_all_contexts: bool = True
    """Whether Chromium makes such contexts in every document that comes."""
    forwarded_requests: set[bytes] = field(default_factory=set)
    """Requests under way that the driver was told of."""
    on_window_open: Callable[[dict[str, Any]], None] = lambda event: None
    """Called when the page asks for a window, with the parameters of `Page.windowOpen`."""
    on_window_opened: Callable[["Target"], None] = lambda window: None
    """Called with each window that the page has opened, in the order in which they came."""
    on_load: Callable[[], None] = lambda: None
    """Called when a document has loaded that came into the page after `awaits_load`."""
    on_change: Callable[[], None] = lambda: None
    """Called when the page has got another document, or that is ready, or has loaded."""
    url: str = ""
    """Where its main frame is, once it has come anywhere while somebody listened."""
    arrivals: int = 0
    """How many documents have come into the page."""
    is_ready: bool = False
    """Whether the last one has been read to its end."""
    has_loaded: bool = False
    """Whether it has had its load event."""
    throttle: CpuThrottle = field(init=False)
    """How fast its scripts run."""
    _is_new: bool = False
    _session: Session | None = None
    _next_session: Session | None = None
    _conversations: int = 0

    def __post_init__(self) -> None:
        self.throttle = CpuThrottle(self.observed, self.kind)

    @property
    def session(self) -> Session:
        """Our session with the target. Raises ProtocolError before the first one."""
        if self._session is None:
            raise ProtocolError("The target has not been attached to")
        return self._session

    @session.setter
    def session(self, session: Session) -> None:
        if self._conversations:
            self._next_session = session
        else:
            self._session = session

    @property
    def has_documents(self) -> bool:
        """Whether it shows documents: it is a page, or a frame with a process of its own."""
        return self.kind in ("page", "iframe")

    @contextmanager
    def conversation(self) -> Iterator[None]:
        """Keep the session during the block: its messages name objects that are valid in one session only.

        A new session takes effect after the last such block.
        """
        self._conversations += 1
        try:
            yield
        finally:
            self._conversations -= 1
            if self._next_session and not self._conversations:
                self._session, self._next_session = self._next_session, None

    async def ping(self) -> None:
        """Ping the main thread. Raises ProtocolError.

        On return, all contexts that existed at the call are known.
        """
        await self.session.send("Runtime.evaluate", {"expression": "0"})

    def forget(self, context: ExecutionContext) -> None:
        """Forget a context whose document has gone, so that the frame's next one is looked up."""
        if self.contexts.get(context.frame_id) is context:
            del self.contexts[context.frame_id]

    def run_in_documents(self, script: str, *, telling_by: str) -> None:
        """Run a script in the page's own world of every document, before its scripts.

        It runs at once in the documents that are there.

        telling_by: the name of a function that tells us a text: see `Subscriber.on_binding`
        """
        if self.has_documents:
            self.observed.notify("Runtime.addBinding", {"name": telling_by})
            parameters = {"source": script, "runImmediately": True}
            self.observed.notify("Page.addScriptToEvaluateOnNewDocument", parameters)

    def call_on_load(self, loads: Callable[[], None]) -> None:
        """Have `loads` called once the next document has loaded."""
        self.on_load, self._is_new = loads, False

    def loaded(self, _: dict[str, Any]) -> None:
        """`Page.loadEventFired`."""
        self.has_loaded = True
        if self._is_new:
            self._is_new = False
            self.on_load()
        self.on_change()

    def stopped(self, event: dict[str, Any]) -> None:
        """`Page.frameStoppedLoading`, the last word on a document.

        Chromium tells of no `DOMContentLoaded` where the document was stopped while it was loading: by `window.stop()`, or by a
        navigation that led to no other document (a download, a 204, a `mailto:`, a refused file). So it is asked. One whose
        body broke off stays "loading" for ever.
        """
        if event["frameId"] == self.id and not self.has_loaded and self._session:
            state = self._session.send("Runtime.evaluate", {"expression": "document.readyState"})
            state.add_done_callback(partial(self._on_ready_state, self.arrivals))

    def _on_ready_state(self, arrivals: int, state: "asyncio.Future[dict[str, Any]]") -> None:
        consume_exception(state)
        if state.cancelled() or state.exception() or arrivals != self.arrivals or self.has_loaded:
            return
        if state.result()["result"].get("value") in ("complete", "loading"):
            self.is_ready = True
            self.loaded({})

    def navigated(self, event: dict[str, Any]) -> None:
        """`Page.frameNavigated`."""
        if event["frame"]["id"] == self.id:
            self.url = event["frame"]["url"] + event["frame"].get("urlFragment", "")
            self.arrivals += 1
            self.is_ready = self.has_loaded = False
            self._is_new = True
            self.on_change()

    def moved(self, event: dict[str, Any]) -> None:
        """`Page.navigatedWithinDocument`."""
        if event["frameId"] == self.id:
            self.url = event["url"]

    def ready(self, _: dict[str, Any]) -> None:
        """`Page.domContentEventFired`."""
        self.is_ready = True
        self.on_change()

    def created(self, event: dict[str, Any]) -> None:
        """`Runtime.executionContextCreated`."""
        described = event["context"]
        about = described.get("auxData", {})  # a worker has none
        if described["name"].startswith(WORLD_PREFIX):
            frame_id = about["frameId"]
            self.contexts[frame_id] = ExecutionContext(
                self, frame_id, described["uniqueId"], described["id"], described["name"]
            )
        elif about.get("isDefault") and "frameId" in about:
            self.page_contexts[about["frameId"]] = described["uniqueId"]
        if about.get("isDefault") is False:
            self.foreign_contexts.add(described["id"])

    def destroyed(self, event: dict[str, Any]) -> None:
        """`Runtime.executionContextDestroyed`."""
        gone = event["executionContextUniqueId"]
        self.foreign_contexts.discard(event.get("executionContextId", 0))
        for frame_id, context in self.contexts.items():
            if context.id == gone:
                del self.contexts[frame_id]
                return
        for frame_id, unique_id in self.page_contexts.items():
            if unique_id == gone:
                del self.page_contexts[frame_id]
                return

    def cleared(self, _: dict[str, Any]) -> None:
        """`Runtime.executionContextsCleared`: another document takes the place of the last one."""
        self.contexts.clear()
        self.page_contexts.clear()
        self.foreign_contexts.clear()
        if self.id == self.page:
            self.rate_limiter.open()


MOST_ORIGINS = 1_000
"""Of one browser context, that are remembered."""
MOST_CONTEXTS = 200
"""Browser contexts of which that is remembered."""


class Targets:
    """The targets of a browser, by their ids and by the ids of the sessions whose events we read."""

    def __init__(self) -> None:
        self.visited: dict[str, set[str]] = {}
        """Browser context → the origins that documents in its frames have come from; "" among them stands for more of those."""
        self._known: dict[str, Target] = {}
        self._by_session: dict[bytes, Target] = {}
        self._frames: dict[str, Target] = {}
        """Frame in a page → the target that it is in the process of."""

    def __iter__(self) -> Iterator[Target]:
        return iter(list(self._known.values()))

    def get(self, target_id: str) -> Target:
        """Return the target with that id. Raises ProtocolError if it has closed."""
        if found := self._known.get(target_id):
            return found
        raise ProtocolError("Target closed")

    def knows(self, target_id: str) -> bool:
        """Whether there is a target of that id."""
        return target_id in self._known

    def page_with_frame(self, frame_id: str) -> Target | None:
        """The page that a frame is in."""
        target = (
            self._known.get(frame_id)
            or self._frames.get(frame_id)
            or next(
                (
                    target
                    for target in self._known.values()
                    if frame_id in target.page_contexts or frame_id in target.contexts
                ),
                None,
            )
        )
        return self._known.get(target.page) if target else None

    def page_of(self, target: Target) -> Target:
        """The page that a target is a part of, as long as that is there."""
        return self._known.get(target.page, target)

    def first_opener(self, page_id: str) -> str:
        """Return the id of the first page in the chain of openers of a window; its own without an opener."""
        while (page := self._known.get(page_id)) and page.opener:
            page_id = page.opener
        return page_id

    def frame_attached(self, target: Target, frame_id: str) -> None:
        """A frame has come into a document of that target."""
        self._frames[frame_id] = target
        self.page_of(target).frame_documents.setdefault(frame_id, ("", ""))

    def frame_navigated(self, target: Target, frame: dict[str, Any]) -> None:
        """A frame has got a document: one in a page, or the main frame, whose frames are gone then."""
        documents = self.page_of(target).frame_documents
        if frame["id"] == target.page:
            documents.clear()
        else:
            documents[frame["id"]] = frame["loaderId"], frame.get("url", "") + frame.get("urlFragment", "")

    def frame_detached(self, target: Target, frame_id: str) -> None:
        """A frame has left that target: it is gone, or in another process now."""
        if self._frames.get(frame_id) is target:
            del self._frames[frame_id]
            if frame_id not in self._known:  # a frame in a process of its own is a target
                self.page_of(target).frame_documents.pop(frame_id, None)

    def lacks_contexts(self, target: Target) -> bool:
        """Whether a frame of that target has no context of its page's own, or none of the driver's world."""
        frames = [frame for frame, of in self._frames.items() if of is target]
        return any(frame not in target.contexts or frame not in target.page_contexts for frame in frames)

    def note_origin(self, target: Target, url: str) -> None:
        """A frame of that target has got a document from there."""
        if not url.startswith("http"):
            return
        if target.browser_context not in self.visited and len(self.visited) >= MOST_CONTEXTS:
            del self.visited[next(iter(self.visited))]
        seen = self.visited.setdefault(target.browser_context, set())
        seen.add("/".join(url.split("/", 3)[:3]) if len(seen) < MOST_ORIGINS else "")

    def target_of(self, event: bytes) -> Target | None:
        """The target of the session that an event is of: its id ends the message."""
        return self._by_session.get(event[-34:-2])

    def set_name(self, session_id: bytes, name: str) -> None:
        """The driver calls the page so that it speaks with in that session."""
        target = self._by_session.get(session_id)
        if target and target.id == target.page:  # its frames in other processes are told the same name
            target.name = name

    def find_by_name(self, name: str) -> Target | None:
        """The page that the driver calls so, if it has said that."""
        return next((target for target in self._known.values() if target.name == name), None) if name else None

    def attached(self, target_id: str, session_id: str, make: Callable[[], Target]) -> None:
        """A session with that target has begun. `make` is called for a target that is new."""
        if target_id not in self._known:
            self._known[target_id] = make()
        self._by_session[session_id.encode()] = self._known[target_id]

    def detached(self, session_id: str) -> Target | None:
        """Forget a session that has ended. Return its target if it was the last one."""
        target = self._by_session.pop(session_id.encode(), None)
        if target is None or target in self._by_session.values():
            return None
        self._known.pop(target.id, None)
        self._frames = {frame: of for frame, of in self._frames.items() if of is not target}
        return target
