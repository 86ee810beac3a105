"""Has the driver adopt a page that was made, and used, before the driver was there.

In a cold start we make the first browser context and page ourselves, in the very way in which the driver would: attached to in the root
session, which the driver shares with us (`launch.ahead`). So there is one session with the page from the beginning, the tap reads it as
ever, and nothing is heard twice. What is left to do is to show the driver a world in which it has made both:

- Before it asks for them it hears nothing of our context. Its first `Target.createBrowserContext` is answered with ours; at its first
  `Target.createTarget` it is told that the page has been attached to, and then given our page's id.
- It enables what is enabled. Chromium tells then of the scripts' contexts and the frames and workers that there are, but only once: so
  we keep what it told us, and tell the driver just before the answer to `Runtime.enable` or `Target.setAutoAttach`.
- The isolated world that we have made in a document it takes for its own: it is told of that under the name that it has chosen, and where
it
  asks for such a world in the document this is the one. So what is known by then of the document's nodes stays known. Chromium never hears
  of the driver's name, and the page has our world for as long as it lives: with two, a frame that loads later would be in another one than
  the document around it, and scripts of one world see nothing of the other.
- What it would tell its own page's listeners, of whom there are none yet, waits until `finish`: windows that the page has opened. Dialogs
  are handled by `listeners` until then.

docs/decisions/0007-cold-start-without-playwright.md has the reasons.
"""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gstack_browse.browser.cdp.pipe import EVENT, Pipe
from gstack_browse.browser.cdp.playwright_internals import OWN_WORLD
from gstack_browse.browser.cdp.session import Session, consume_exception
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.text.json_bytes import decode, encode

SCRIPT = "1"
"""The number of the script that makes this world in new documents: Chromium counts in each session."""
ENABLED = ("Page", "Runtime", "Network", "Log")
"""Parts of the protocol that are enabled in each session, as the driver would."""
AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
"""How the driver attaches to parts of a page, and to pages."""
ONCE = frozenset({"Page.setFontFamilies", "Emulation.setDeviceMetricsOverride", "Browser.setWindowBounds"})
"""What the driver must not send again: Chromium takes fonts once in a session, and a command may have set another size since."""
KEEPS_BODIES = "Network.enable"
"""Asked once more, Chromium forgets the bodies of all answers until then."""
GIVING_SECONDS = 5.0
"""How long after `finish` the driver may take to ask for what it has not been told yet."""
WORLD_MADE = b"Runtime.executionContextCreated"
_PARTS = frozenset({"iframe", "worker"})
_METHOD = len(EVENT)
_WITHHELD = frozenset({b"Page.javascriptDialogOpening", b"Page.javascriptDialogClosed"})
"""Events of the page that the driver does not get before `finish`: `listeners` handle them."""

Listener = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class FirstPage:
    """A page that exists without the driver: ids of its browser context, target, and session."""

    context: str
    target: str
    session: str


@dataclass
class _Part:
    """The part of one session's state that the driver does not know yet: of the page, a frame, a worker."""

    contexts: dict[str, bytes] = field(default_factory=dict)
    """Scripts' contexts that there are, by their unique ids."""
    parts: dict[str, bytes] = field(default_factory=dict)
    """Sessions that were opened in this one."""
    loaded: list[bytes] = field(default_factory=list)
    """That a worker has its script."""
    worlds: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Frame → unique id and number of the isolated world that we have made in its document."""
    has_contexts: bool = False
    has_parts: bool = False

    def note_context(self, method: bytes, message: bytes) -> None:
        """Note a `Runtime.executionContextCreated`, `…Destroyed` or `…sCleared`."""
        event = decode(message)["params"]
        if method.endswith(b"Created"):
            described = event["context"]
            self.contexts[described["uniqueId"]] = message
            if described["name"] == OWN_WORLD:
                self.worlds[described["auxData"]["frameId"]] = described["uniqueId"], described["id"]
        elif method.endswith(b"Destroyed"):
            gone = event["executionContextUniqueId"]
            self.contexts.pop(gone, None)
            self.worlds = {frame: world for frame, world in self.worlds.items() if world[0] != gone}
        else:
            self.contexts.clear()
            self.worlds.clear()


class Adoption:
    """Intercepts messages between driver and Chromium until the driver knows the page.

    Call `finish` once Playwright has the page.
    """

    def __init__(self, pipe: Pipe, first: FirstPage) -> None:
        self.first = first
        self.listeners: dict[str, Listener] = {}
        """What to call with events of the page that nobody else handles before `finish`."""
        self.on_target_kept: Callable[[], None] = lambda: None
        """Called when Chromium keeps a window or a service worker of the page until the driver lets it run."""
        self.target: Target
        """The page's target."""
        self.is_gone = False
        """Whether the page has closed or crashed."""
        self.has_replacement = False
        """Whether it had when the driver asked for a page, and got another one."""
        self.page = Session(pipe, first.session)
        self.browser = Session(pipe)
        self._pipe = pipe
        self._attached_event = b""
        """That the page was attached to, as Chromium said it."""
        self._parts: dict[bytes, _Part] = {first.session.encode(): _Part()}
        self._later: dict[str, bytes] = {}
        """What the driver gets at the end, in this order, by session or by a number."""
        self._numbers = itertools.count()
        self._visited: dict[str, str] = {}
        """Where documents of the page have come from, as the driver has not seen them come: origin → an address."""
        self._asked: dict[int, tuple[bytes, str]] = {}
        self._world = ""
        """What the driver calls its isolated world."""
        self._unanswered: dict[bytes, bytes] = {}
        """Session → the answer to `Runtime.enable` there, which the driver gets once `_world` is known."""
        self._listening = {first.session.encode()}
        """The sessions in which everything of ENABLED is enabled already."""
        self.page_asked = asyncio.Event()
        """Set when the driver has asked for its first page."""
        self._has_context = self._has_page = self._is_finished = False
        pipe.interceptor = self

    def finish(self) -> None:
        """Send the driver the events that were kept for Playwright's listeners, after these were added."""
        self._is_finished = True
        self._tell_visited()
        if self._later:
            self._pipe.tell_driver(*self._later.values())
            self._later.clear()
        self.listeners.clear()
        asyncio.get_running_loop().call_later(GIVING_SECONDS, self._leave)
        self._leave_if_done()

    def _tell_visited(self) -> None:
        """Have the driver know the origins whose storage the page may have used.

        It notes the origin of each document that it sees come, and asks only those for their storage when a session moves to another
        browser. So it sees one come for each of these, in a frame that is there for no longer than that.
        """
        for number, (origin, url) in enumerate(self._visited.items()):
            frame = f"{number:032X}"
            document = {
                "id": frame,
                "parentId": self.first.target,
                "loaderId": frame,
                "url": url,
                "securityOrigin": origin,
                "mimeType": "",
            }
            self._tell_page("Page.frameAttached", frameId=frame, parentFrameId=self.first.target)
            self._tell_page("Page.frameNavigated", frame=document, type="Navigation")
            self._tell_page("Page.frameDetached", frameId=frame, reason="remove")
        self._visited.clear()

    def _tell_page(self, method: str, **params: Any) -> None:
        event = {"method": method, "params": params, "sessionId": self.first.session}
        self._pipe.tell_driver(encode(event))

    def _leave(self) -> None:
        if self._pipe.interceptor is self:
            self._pipe.interceptor = None

    def _leave_if_done(self) -> None:
        if self._is_finished and all(part.has_contexts and part.has_parts for part in self._parts.values()):
            self._leave()

    # what the driver asks

    def from_driver(self, message: bytes) -> bool:
        """See `pipe.MessageInterceptor`."""
        request = decode(message)
        method, session = request["method"], request.get("sessionId", "").encode()
        if method in ("Runtime.enable", "Target.setAutoAttach") and session in self._parts:
            self._asked[request["id"]] = session, method
        elif method == "Page.addScriptToEvaluateOnNewDocument" and not self._world:
            self._name_world(request["params"].get("worldName", ""))
        elif method == "Page.createIsolatedWorld" and (number := self._own_world(session, request["params"])):
            answer = {"id": request["id"], "result": {"executionContextId": number}}
            self._pipe.tell_driver(encode({**answer, "sessionId": session.decode()}))
            return False
        elif self._is_done(method, session):
            self._pipe.tell_driver(encode({"id": request["id"], "result": {}, "sessionId": session.decode()}))
            return False
        elif method == "Target.createBrowserContext" and not self._has_context:
            self._has_context = True
            self._answer(request, browserContextId=self.first.context)
            return False
        elif method == "Target.createTarget" and self._has_context and not self._has_page:
            self._has_page = True
            self.page_asked.set()
            return self._give_page(request)
        return True

    def _is_done(self, method: str, session: bytes) -> bool:
        """Return whether we have made that request already, and Chromium must not get it again."""
        return (method in ONCE and session == self.first.session.encode()) or (
            method == KEEPS_BODIES and session in self._listening
        )

    def _name_world(self, name: str) -> None:
        """Note the driver's name for its isolated world, and send the contexts that waited for it."""
        self._world = name
        theirs, ours = (f'"worldName":"{world}"'.encode() for world in (name, OWN_WORLD))
        self._pipe.driver_replacement = theirs, ours
        for session, answer in self._unanswered.items():
            self._pipe.tell_driver(*self._contexts_of(self._parts.get(session)), answer)
        self._unanswered.clear()
        self._leave_if_done()

    def _own_world(self, session: bytes, wanted: dict[str, Any]) -> int:
        """Return the number of our world in the document where the driver wants its own; 0 without one."""
        part = self._parts.get(session)
        if part is None or wanted.get("worldName") != self._world:
            return 0
        return part.worlds.get(wanted["frameId"], ("", 0))[1]

    def _contexts_of(self, part: _Part | None) -> list[bytes]:
        """Return the events of a session's contexts for the driver, with our world under the driver's name."""
        if part is None:
            return []
        part.has_contexts = True
        return [*map(self._renamed, part.contexts.values()), *part.loaded]

    def _renamed(self, message: bytes) -> bytes:
        """`Runtime.executionContextCreated`, with our world under the name of the driver's."""
        ours, theirs = (f'"name":"{name}"'.encode() for name in (OWN_WORLD, self._world))
        return message.replace(ours, theirs, 1)

    def rename_world(self, message: bytes) -> bytes:
        """Rename our world in an event after the adoption; `from_browser` does it before."""
        return message if self._pipe.interceptor is self else self._renamed(message)

    def _give_page(self, request: dict[str, Any]) -> bool:
        """Give the driver the page, or have Chromium make it another one where that is gone."""
        if self.is_gone:
            self.has_replacement = True
            self._parts.clear()
            return True
        for session in self._parts:
            removing = Session(self._pipe, session.decode()).send(
                "Page.removeScriptToEvaluateOnNewDocument", {"identifier": SCRIPT}
            )
            removing.add_done_callback(consume_exception)
        self._pipe.tell_driver(self._attached_event)
        self._answer(request, targetId=self.first.target)
        return False

    def _answer(self, request: dict[str, Any], **result: str) -> None:
        self._pipe.tell_driver(encode({"id": request["id"], "result": result}))

    # what Chromium says

    def from_browser(self, message: bytes) -> list[bytes]:
        """See `pipe.MessageInterceptor`."""
        if not message.startswith(EVENT):
            return self._on_answer(decode(message).get("id", 0), message)
        session = message[-34:-2] if message.endswith(b'"}') else b""
        method = message[_METHOD : message.find(b'"', _METHOD)]
        if part := self._parts.get(session):
            if not self._is_news(session, part, method, message):
                return []
            return [self._renamed(message) if method == WORLD_MADE else message]
        return [message] if self._is_news_of_browser(method, message) else []

    def _on_answer(self, request_id: int, answer: bytes) -> list[bytes]:
        """Return an answer for the driver, after the events that Chromium would have sent before it."""
        session, method = self._asked.pop(request_id, (b"", ""))
        part = self._parts.get(session)
        if part is None:
            return [answer]
        if method == "Runtime.enable" and part.worlds and not self._world:
            self._unanswered[session] = answer
            return []
        if method == "Runtime.enable":
            owed = self._contexts_of(part)
        else:
            part.has_parts = True
            owed = list(part.parts.values())
        self._leave_if_done()
        return [*owed, answer]

    def _is_news(self, session: bytes, part: _Part, method: bytes, message: bytes) -> bool:
        """Return whether the driver gets an event of the page, or of a part of it, now."""
        if method in (b"Target.attachedToTarget", b"Target.detachedFromTarget"):
            return self._is_part_news(part, method, message)
        if session == self.first.session.encode() and not self._is_finished:
            self._tell_listener(method, message)
        if method == b"Page.frameNavigated" and not self._is_finished:
            self._note_visited(decode(message)["params"]["frame"])
        if method.startswith(b"Runtime.executionContext"):
            part.note_context(method, message)
            return part.has_contexts
        if method == b"Inspector.workerScriptLoaded" and not part.has_contexts:
            part.loaded.append(message)
            return False
        if method == b"Page.windowOpen" and not self._has_page:
            self._keep(message)
            return False
        return self._has_page and (self._is_finished or method not in _WITHHELD)

    def _note_visited(self, frame: dict[str, Any]) -> None:
        url = frame["url"]
        if url.startswith("http"):
            self._visited["/".join(url.split("/", 3)[:3])] = url

    def _is_part_news(self, part: _Part, method: bytes, message: bytes) -> bool:
        event = decode(message)["params"]
        opened = event["sessionId"]
        if method == b"Target.detachedFromTarget":
            self._parts.pop(opened.encode(), None)
            return part.parts.pop(opened, None) is None or part.has_parts
        if part.has_parts:
            return True
        part.parts[opened] = message
        self._parts[opened.encode()] = _Part()
        if event["targetInfo"]["type"] in _PARTS:
            self._listening.add(opened.encode())
            self._listen(Session(self._pipe, opened))
        return False

    def _is_news_of_browser(self, method: bytes, message: bytes) -> bool:
        if self._is_finished or not method.startswith(b"Target."):
            return True
        event = decode(message)["params"]
        if method == b"Target.attachedToTarget":
            return self._is_target_news(event, message)
        if event.get("sessionId") == self.first.session:
            self._lose("Target closed")
            self._tell_listener(method, message)
            return self._has_page
        return self._later.pop(event.get("sessionId", ""), None) is None

    def _is_target_news(self, event: dict[str, Any], message: bytes) -> bool:
        if event["targetInfo"].get("browserContextId") != self.first.context:
            return True
        if event["sessionId"] == self.first.session:
            self._attached_event = message
        elif self._has_page:
            return True
        else:
            self._later[event["sessionId"]] = message
            self.on_target_kept()
        return False

    def _keep(self, message: bytes) -> None:
        self._later[f"event {next(self._numbers)}"] = message

    def _tell_listener(self, method: bytes, message: bytes) -> None:
        if method == b"Inspector.targetCrashed":
            self._lose("Target crashed")
        if listener := self.listeners.get(method.decode()):
            listener(decode(message)["params"])

    def _lose(self, why: str) -> None:
        self.is_gone = True
        self.page.end(why)

    def _listen(self, session: Session) -> None:
        """Enable all events in a session with a part of the page, and let it run, as the driver would.

        The answers are not awaited: Chromium keeps the order.
        """
        world = {"source": "", "worldName": OWN_WORLD}
        requests: list[tuple[str, dict[str, Any]]] = [(f"{domain}.enable", {}) for domain in ENABLED]
        requests += [("Page.addScriptToEvaluateOnNewDocument", world), ("Target.setAutoAttach", AUTO_ATTACH)]
        requests += [("Runtime.runIfWaitingForDebugger", {})]
        for method, params in requests:
            session.send(method, params).add_done_callback(consume_exception)
