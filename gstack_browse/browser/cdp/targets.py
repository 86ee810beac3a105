"""State of each target: its documents, whether they have loaded, the isolated worlds of its frames.

A target is the protocol's word for a page, a frame in a process of its own, or a worker. `target_events` updates the state here from
Chromium's events.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gstack_browse.browser.cdp import WORLD
from gstack_browse.browser.cdp.session import SESSION_ID, ProtocolError, Session, consume_exception
from gstack_browse.browser.cdp.throttling import ConsoleRateLimiter, CpuThrottle
from gstack_browse.text.addresses import site_of


@dataclass(slots=True, eq=False)
class ExecutionContext:
    """Our isolated world in one document of one frame. It ends with the document.

    `id` is unique over all processes, `number` only in the target's.
    """

    target: "Target"
    frame_id: str
    id: str
    number: int
    loaded: bool = False
    document: "asyncio.Future[dict[str, Any]] | None" = None
    """The page's own `document` object, if it was requested ahead of its first use."""
    hears_keys: bool | None = None
    """Whether the page has key listeners, by its last answer; None before the first."""
    runs_scripts: bool | None = None
    """Whether the page's own scripts may run (in a sandbox they may not); None: not asked yet."""
    has_suspects: bool = False
    """Whether the last query met elements that may have closed shadow roots unknown to the engine."""
    has_changed_fields: bool = False
    """Whether the page has changed a field's value after it lost focus, by its last answer: see `takeFieldsChangedAfterBlur`."""
    internals_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while the internals of custom elements are read."""
    attaching: dict[str, bool] = field(default_factory=dict)
    """Custom element name → whether its class attaches internals."""


@dataclass(eq=False)
class Target:
    """A page, or a frame in another process, with the frames that share its process; or a worker."""

    id: str
    page: str
    """Id of the page that contains it; the target's own id for a page, and for a worker without a page."""
    rate_limiter: ConsoleRateLimiter
    """Limits the console messages of the page with all its frames and workers."""
    session: Session
    """Our session with the target."""
    kind: str = "page"
    """`targetInfo.type`: page, iframe, worker, shared_worker, service_worker …"""
    opener: str = ""
    """Id of the page that opened this one; "" without an opener."""
    browser_context: str = ""
    """Id of its browser context."""
    contexts: dict[str, ExecutionContext] = field(default_factory=dict)
    """Frame id → its isolated world."""
    page_contexts: dict[str, str] = field(default_factory=dict)
    """Frame id → unique id of the main world there, in which the page's own scripts run."""
    foreign_contexts: set[int] = field(default_factory=set)
    """Execution contexts that are not the page's own: ours, and those of extensions."""
    kept_objects: int = 0
    """Number of objects in console messages that Chromium still keeps for us."""
    heap: int = 0
    """Bytes in the heap at the last measurement: see `heaps`."""
    is_given_engine: bool = False
    """Whether new documents get the engine by an init script: see `messages`."""
    on_window_open: Callable[[dict[str, Any]], None] = lambda event: None
    """Called with the parameters of `Page.windowOpen` when the page calls `window.open`."""
    on_window_opened: Callable[["Target"], None] = lambda window: None
    """Called with each window that the page has opened, in the order of their events."""
    on_load: Callable[[], None] = lambda: None
    """Called at the load event of each document that came after `call_on_load`."""
    on_change: Callable[[], None] = lambda: None
    """Called when the page gets a new document, and at its DOMContentLoaded and load events."""
    url: str = ""
    """URL of the main frame's document; "" before the first navigation event."""
    arrivals: int = 0
    """Number of documents that the main frame has had."""
    is_ready: bool = False
    """Whether the document is parsed (DOMContentLoaded)."""
    has_loaded: bool = False
    """Whether the document has had its load event."""
    throttle: CpuThrottle = field(init=False)
    """Slows the target's scripts down when its page floods the console."""
    _awaits_load: bool = False
    """Whether the document came after `call_on_load`, and has not loaded yet."""

    def __post_init__(self) -> None:
        self.throttle = CpuThrottle(self.session, self.kind)

    @property
    def has_documents(self) -> bool:
        """Return whether the target shows documents: a page, or a frame in a process of its own."""
        return self.kind in ("page", "iframe")

    async def ping(self) -> None:
        """Wait until the target's main thread answers a request. Raises ProtocolError.

        Events come in order, so all execution contexts that existed at the call are known on return.
        """
        await self.session.send("Runtime.evaluate", {"expression": "0"})

    def forget(self, context: ExecutionContext) -> None:
        """Forget an execution context of ours whose document was replaced."""
        if self.contexts.get(context.frame_id) is context:
            del self.contexts[context.frame_id]

    def run_in_documents(self, script: str, *, binding: str) -> None:
        """Run a script in the main world of every document; in future ones, before their own scripts.

        `binding`: name of a function with which the script sends us text: see `Subscriber.on_binding`.
        """
        if self.has_documents:
            self.session.notify("Runtime.addBinding", {"name": binding})
            parameters = {"source": script, "runImmediately": True}
            self.session.notify("Page.addScriptToEvaluateOnNewDocument", parameters)

    def run_in_isolated_world(self, script: str, *, binding: str) -> None:
        """Run a script in our isolated world of every document; in future ones, before their own scripts.

        `binding`: name of a function, unknown to the page, with which the script sends us text: see `Subscriber.on_binding`.
        """
        if self.has_documents:
            self.session.notify("Runtime.addBinding", {"name": binding, "executionContextName": WORLD})
            parameters = {"source": script, "worldName": WORLD, "runImmediately": True}
            self.session.notify("Page.addScriptToEvaluateOnNewDocument", parameters)

    def call_on_load(self, on_load: Callable[[], None]) -> None:
        """Call `on_load` at the load event of each document that follows the present one in the main frame."""
        self.on_load, self._awaits_load = on_load, False

    def on_loaded(self, _: dict[str, Any]) -> None:
        """Handle `Page.loadEventFired`: mark the document as loaded, and call `on_load`."""
        self.has_loaded = True
        if self._awaits_load:
            self._awaits_load = False
            self.on_load()
        self.on_change()

    def on_stopped(self, event: dict[str, Any]) -> None:
        """Handle `Page.frameStoppedLoading`: ask if the document is complete, which had no load event.

        Chromium sends no `DOMContentLoaded` if loading was stopped: by `window.stop()`, or by a navigation without a document
        (a download, a 204, a `mailto:`, a refused file). So this reads `document.readyState`, which stays "loading" if the
        body broke off.
        """
        if event["frameId"] == self.id and not self.has_loaded:
            state = self.session.send("Runtime.evaluate", {"expression": "document.readyState"})
            state.add_done_callback(partial(self._on_ready_state, self.arrivals))

    def _on_ready_state(self, arrivals: int, state: "asyncio.Future[dict[str, Any]]") -> None:
        """Mark the document as loaded if its `readyState` says so, and no other document has come since.

        `arrivals`: the value of `self.arrivals` when `readyState` was requested.
        """
        consume_exception(state)
        if state.cancelled() or state.exception() or arrivals != self.arrivals or self.has_loaded:
            return
        if state.result()["result"].get("value") in ("complete", "loading"):
            self.is_ready = True
            self.on_loaded({})

    def on_navigated(self, event: dict[str, Any]) -> None:
        """Handle `Page.frameNavigated` of the main frame: note a new document that has not loaded."""
        if event["frame"]["id"] == self.id:
            self.url = event["frame"]["url"] + event["frame"].get("urlFragment", "")
            self.arrivals += 1
            self.is_ready = self.has_loaded = False
            self._awaits_load = True
            self.on_change()

    def on_moved(self, event: dict[str, Any]) -> None:
        """Handle `Page.navigatedWithinDocument` of the main frame: update the URL."""
        if event["frameId"] == self.id:
            self.url = event["url"]

    def on_ready(self, _: dict[str, Any]) -> None:
        """Handle `Page.domContentEventFired`: mark the document as parsed."""
        self.is_ready = True
        self.on_change()

    def on_context_created(self, event: dict[str, Any]) -> None:
        """Handle `Runtime.executionContextCreated`: note our isolated world, the main world or a foreign one."""
        described = event["context"]
        about = described.get("auxData", {})  # a worker's context has no auxData
        if described["name"] == WORLD and "frameId" in about:
            frame_id = about["frameId"]
            self.contexts[frame_id] = ExecutionContext(self, frame_id, described["uniqueId"], described["id"])
        elif about.get("isDefault") and "frameId" in about:
            self.page_contexts[about["frameId"]] = described["uniqueId"]
        if about.get("isDefault") is False:
            self.foreign_contexts.add(described["id"])

    def on_context_destroyed(self, event: dict[str, Any]) -> None:
        """Handle `Runtime.executionContextDestroyed`: forget that execution context."""
        ended_id = event["executionContextUniqueId"]
        self.foreign_contexts.discard(event.get("executionContextId", 0))
        for frame_id, context in self.contexts.items():
            if context.id == ended_id:
                del self.contexts[frame_id]
                return
        for frame_id, unique_id in self.page_contexts.items():
            if unique_id == ended_id:
                del self.page_contexts[frame_id]
                return

    def on_contexts_cleared(self, _: dict[str, Any]) -> None:
        """Handle `Runtime.executionContextsCleared`: forget all execution contexts, as a new document comes."""
        self.contexts.clear()
        self.page_contexts.clear()
        self.foreign_contexts.clear()
        if self.id == self.page:
            self.rate_limiter.stop_dropping()


MOST_ORIGINS = 1_000
"""Most origins that are remembered of one browser context."""
MOST_CONTEXTS = 200
"""Most browser contexts whose origins are remembered."""


class Targets:
    """The attached targets of a browser, by target id and by session id; and the frames in them."""

    def __init__(self) -> None:
        self.visited: dict[str, set[str]] = {}
        """Browser context id → origins of the documents it has shown. It contains "" if there were more than MOST_ORIGINS."""
        self._by_id: dict[str, Target] = {}
        self._by_session: dict[bytes, Target] = {}
        self._frames: dict[str, Target] = {}
        """Frame id → the target in whose process the frame is."""

    def __iter__(self) -> Iterator[Target]:
        return iter(list(self._by_id.values()))

    def get(self, target_id: str) -> Target:
        """Return the target with that id. Raises ProtocolError if it has closed."""
        if target := self._by_id.get(target_id):
            return target
        raise ProtocolError("Target closed")

    def is_open(self, target_id: str) -> bool:
        """Return whether a target with that id is open."""
        return target_id in self._by_id

    def page_with_frame(self, frame_id: str) -> Target | None:
        """Return the page that contains a frame; None if no open page does."""
        target = (
            self._by_id.get(frame_id)
            or self._frames.get(frame_id)
            or next(
                (
                    target
                    for target in self._by_id.values()
                    if frame_id in target.page_contexts or frame_id in target.contexts
                ),
                None,
            )
        )
        return self._by_id.get(target.page) if target else None

    def page_of(self, target: Target) -> Target:
        """Return the page that contains a target; the target itself if the page has closed."""
        return self._by_id.get(target.page, target)

    def first_opener(self, page_id: str) -> str:
        """Return the id of the page that began the chain of `window.open`; `page_id` if no page opened it."""
        while (page := self._by_id.get(page_id)) and page.opener:
            page_id = page.opener
        return page_id

    def add_frame(self, target: Target, frame_id: str) -> None:
        """Note that a new frame is in a document of `target`."""
        self._frames[frame_id] = target

    def remove_frame(self, target: Target, frame_id: str) -> None:
        """Note that a frame has left a target: it was removed, or has moved to another process."""
        if self._frames.get(frame_id) is target:
            del self._frames[frame_id]

    def note_origin(self, target: Target, url: str) -> None:
        """Add the origin of a new document to those that the target's browser context has visited."""
        if not url.startswith("http"):
            return
        if target.browser_context not in self.visited and len(self.visited) >= MOST_CONTEXTS:
            del self.visited[next(iter(self.visited))]
        seen = self.visited.setdefault(target.browser_context, set())
        seen.add(site_of(url) if len(seen) < MOST_ORIGINS else "")

    def target_of(self, event: bytes) -> Target | None:
        """Return the target that an undecoded event comes from, by its session id; None for other sessions."""
        return self._by_session.get(event[SESSION_ID])

    def add(self, target: Target) -> None:
        """Add a target that was just attached to."""
        self._by_id[target.id] = target
        self._by_session[target.session.id.encode()] = target

    def remove(self, session_id: str) -> Target | None:
        """Remove and return the target whose session has ended; None if no target has this session."""
        target = self._by_session.pop(session_id.encode(), None)
        if target is None:
            return None
        self._by_id.pop(target.id, None)
        self._frames = {frame: of for frame, of in self._frames.items() if of is not target}
        return target


AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
"""Parameters of `Target.setAutoAttach`, for the browser and for each target: new targets wait for RESUME."""
RESUME = "Runtime.runIfWaitingForDebugger"
_NETWORK: tuple[str, dict[str, Any]] = ("Network.enable", {})
"""Asked once of each target: asked again, Chromium drops the bodies of all responses so far."""
_OWN_WORLD = ("Page.addScriptToEvaluateOnNewDocument", {"source": "", "worldName": WORLD})
_DOCUMENTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Page.enable", {}),
    ("Log.enable", {}),
    ("Runtime.enable", {}),
    _OWN_WORLD,
    _NETWORK,
    ("Target.setAutoAttach", AUTO_ATTACH),
)
_WORKER: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Runtime.enable", {}),
    _NETWORK,
    ("Target.setAutoAttach", AUTO_ATTACH),
)
_SHARED_WORKER: tuple[tuple[str, dict[str, Any]], ...] = (_NETWORK, ("Runtime.enable", {}))
SETUP_REQUESTS = {
    "page": _DOCUMENTS,
    "iframe": _DOCUMENTS,
    "worker": _WORKER,
    "service_worker": _SHARED_WORKER,
    "shared_worker": _SHARED_WORKER,
}
"""Kind of target (`targetInfo.type`) → methods and parameters. We attach to no other kinds."""


def enable_events(target: "Target") -> None:
    """Send the requests that enable a target's events. Does not wait: Chromium handles requests in order."""
    for method, parameters in SETUP_REQUESTS.get(target.kind, ()):
        target.session.notify(method, parameters)


Handler = Callable[[Target, dict[str, Any]], object]
Reader = Callable[[Target, bytes], object]


class Subscriber:
    """Event handlers for the targets of one browser context, or of all without their own subscriber."""

    def __init__(self, serve: Callable[[str], None]) -> None:
        """Make a subscriber without handlers. `serve` is called with the name of each event that gets one."""
        self.on_messages_lost: Callable[[str, str], None] = lambda page, words: None
        """Called with a page's id and a line for the console log when messages are dropped."""
        self.on_target: list[Callable[[Target], None]] = []
        """Each is called with every target that is new, before it may run."""
        self.on_page_gone: list[Callable[[str], object]] = []
        """Each is called with the id of a page that has closed."""
        self.on_frame_left: Callable[[Target, str, str], None] = lambda target, frame, loader: None
        """Called with target, frame id and the next document's loader id when a frame leaves its document; "" for a removed frame."""
        self.on_navigated: Handler = lambda target, event: None
        """Called with each `Page.frameNavigated`."""
        self.on_moved: Callable[[Target], None] = lambda page: None
        """Called with a page whose main frame has another URL, by a new document or within the same one."""
        self.on_console_event: Callable[[Target, str, dict[str, Any]], None] = lambda target, method, event: (
            None
        )
        """Called with target, event name and parameters of console messages, exceptions and revoked exceptions."""
        self.on_download_begin: Callable[[dict[str, Any]], object] = lambda event: None
        """Called with each `Browser.downloadWillBegin`."""
        self.on_download_progress: Callable[[dict[str, Any]], object] = lambda event: None
        """Called with each `Browser.downloadProgress`."""
        self.handlers: dict[str, Handler] = {}
        """Event name → handler of target and parameters."""
        self.readers: dict[str, Reader] = {}
        """Event name → handler of target and undecoded message."""
        self._serve = serve
        self._bindings: dict[str, Callable[[Target, str, int], None]] = {}

    def on_binding(self, name: str, handler: Callable[[Target, str, int], None]) -> None:
        """Call `handler` when a page calls the function `name` that `Runtime.addBinding` has given it.

        `handler` gets the target, the text argument, and the number of the execution context that has called.
        """
        self._bindings[name] = handler
        self.on("Runtime.bindingCalled", self._on_binding_called)

    def _on_binding_called(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Runtime.bindingCalled`: call the handler for the binding's name."""
        if handler := self._bindings.get(event["name"]):
            handler(target, event["payload"], event["executionContextId"])

    def on(self, method: str, handler: Handler) -> None:
        """Call `handler` with target and parameters of each event named `method` in the subscriber's context."""
        self.handlers[method] = handler
        self._serve(method)

    def on_message(self, method: str, reader: Reader) -> None:
        """Call `reader(target, undecoded message)` for each event `method` in the subscriber's context."""
        self.readers[method] = reader
        self._serve(method)
