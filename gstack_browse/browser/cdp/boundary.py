"""What of a browser that others use, too, is ours: between the driver and that browser.

The driver attaches to every target there is, and would close them all: it believes that it has started the browser. So it hears only of
targets in browser contexts that were made for us and, where the browser's own context is shared, of tabs that we have opened or taken.
A target that is none of those is let go at once, as it was. What would end the browser, or a tab of others, never reaches it.

docs/decisions/0301-a-browser-that-is-not-ours.md has the reasons.
"""

import asyncio
import re
from collections.abc import Callable
from typing import Any

from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.cdp.session import Session
from gstack_browse.text.json_bytes import decode, encode

_ANSWER = re.compile(rb'\{\s*"id"\s*:\s*([0-9]+)')
_JUDGED = (b'"Browser.', b'"Target.')
"""In a request of the driver's that may reach beyond what is ours."""
PAGE = "page"


class Boundary:
    """Between driver and browser (see `pipe.Between`). `shared`: the browser's own context, where we go into that; else "".

    `forward` gives an event to whoever would have had it without us, `leave` ends the connection.
    """

    def __init__(self, pipe: Pipe, shared: str = "") -> None:
        self.shared = shared
        self.opened: set[str] = set()
        """Tabs in the shared context that we have opened, or that those have opened: ours to close."""
        self.taken: set[str] = set()
        """Tabs in the shared context that we were told to take: ours to act on."""
        self.forward: Callable[[bytes], bytes] = lambda message: message
        self.leave: Callable[[], None] = pipe.close
        self._pipe = pipe
        self._contexts: set[str] = set()
        self._has_shared = False
        self._asked: dict[int, str] = {}
        """Requests of the driver's that make something, by their ids: what they are."""
        self._held: list[bytes] = []
        """Targets that have come while the driver was making one: the answer tells which of them it is."""
        self._given: dict[str, str] = {}
        """Targets that the driver was told of → its sessions with them."""
        self._strangers: set[str] = set()
        """Sessions that were let go, whose end the driver is not told of."""

    def is_ours(self, target_id: str) -> bool:
        """Whether we may act on a tab of the shared context."""
        return target_id in self.opened or target_id in self.taken

    # what the driver asks

    def from_driver(self, message: bytes) -> bool:
        """Whether the browser gets a request of the driver's."""
        if not any(word in message for word in _JUDGED):
            return True
        request = decode(message)
        judge = getattr(self, f"_{request['method'].replace('.', '_')}", None)
        return judge is None or bool(judge(request))

    def _Browser_close(self, request: dict[str, Any]) -> bool:  # noqa: N802 - the protocol's name
        """The driver's last request: it ends when its pipe is closed."""
        asyncio.get_running_loop().call_soon(self.leave)
        return False

    _Browser_crash = _Browser_crashGpuProcess = _Browser_close

    def _Browser_setDownloadBehavior(self, request: dict[str, Any]) -> bool:  # noqa: N802
        """In the shared context files go where the person has them go; we only hear of those."""
        if not self._is_of_shared(request):
            return True
        asked = {"behavior": "default", "browserContextId": self.shared, "eventsEnabled": True}
        Session(self._pipe).notify(request["method"], asked)
        return self._answer(request)

    def _Target_createBrowserContext(self, request: dict[str, Any]) -> bool:  # noqa: N802
        """The first context that the driver wants is the shared one, where there is one."""
        if self.shared and not self._has_shared:
            self._has_shared = True
            return self._answer(request, browserContextId=self.shared)
        self._asked[request["id"]] = "context"
        return True

    def _Target_disposeBrowserContext(self, request: dict[str, Any]) -> bool:  # noqa: N802
        return self._answer(request) if self._is_of_shared(request) else True

    def _Target_createTarget(self, request: dict[str, Any]) -> bool:  # noqa: N802
        if self._is_of_shared(request):
            self._asked[request["id"]] = "tab"
        return True

    def _Target_closeTarget(self, request: dict[str, Any]) -> bool:  # noqa: N802
        """A tab that was only taken is let go, and lives on. One that the driver was never told of is none of its own."""
        target_id = request["params"]["targetId"]
        if target_id in self._given and target_id not in self.taken:
            return True
        self.let_go(target_id)
        return self._answer(request, success=True)

    def _is_of_shared(self, request: dict[str, Any]) -> bool:
        return bool(self.shared) and request["params"].get("browserContextId") == self.shared

    def _answer(self, request: dict[str, Any], **result: Any) -> bool:
        """Answer the driver in the browser's place, which does not get the request."""
        self._pipe.tell_driver(encode({"id": request["id"], "result": result}))
        return False

    # what the browser says

    def judges(self, method: bytes) -> bool:
        """Whether `admits` is to be asked about an event of that name."""
        return method in (b"Target.attachedToTarget", b"Target.detachedFromTarget")

    def admits(self, message: bytes) -> bool:
        """Whether the driver, and everybody else here, hears of a target that has come or gone."""
        event = decode(message)
        if "sessionId" in event:
            return True  # a part of a page that is ours
        params = event["params"]
        if event["method"] == "Target.detachedFromTarget":
            return self._has_gone(params)
        info = params["targetInfo"]
        if info["type"] == "browser" or self.belongs(info):
            self._given[info["targetId"]] = params["sessionId"]
            return True
        if (
            "tab" in self._asked.values()
            and info["type"] == PAGE
            and info.get("browserContextId") == self.shared
        ):
            self._held.append(message)
        else:
            self._let_go(params)
        return False

    def from_browser(self, message: bytes) -> list[bytes]:
        """See `pipe.Between`. The answer to a request that makes something tells what of what has come is ours."""
        if not self._asked or not (found := _ANSWER.match(message)):
            return [message]
        if (made := self._asked.pop(int(found[1]), "")) == "":
            return [message]
        result = decode(message).get("result", {})
        if made == "tab" and "targetId" in result:
            self.opened.add(result["targetId"])
        elif made == "context" and "browserContextId" in result:
            self._contexts.add(result["browserContextId"])
        held, self._held = self._held, []
        return [*(given for event in held if self.admits(event) and (given := self.forward(event))), message]

    async def take(self, target_id: str) -> None:
        """Act on a tab of others from now on: the driver hears of it as of a new one. Raises Playwright's Error where it is gone."""
        self.taken.add(target_id)
        try:
            await Session(self._pipe).send("Target.attachToTarget", {"targetId": target_id, "flatten": True})
        except BaseException:
            self.taken.discard(target_id)
            raise

    def let_go(self, target_id: str) -> None:
        """Act on that tab no more."""
        self.taken.discard(target_id)
        if session_id := self._given.get(target_id):
            Session(self._pipe).notify("Target.detachFromTarget", {"sessionId": session_id})

    def belongs(self, info: dict[str, Any]) -> bool:
        """Whether a target is ours, by what the browser says of it."""
        if info.get("browserContextId") in self._contexts:
            return True
        if info["type"] != PAGE or info.get("browserContextId") != self.shared:
            return False
        if self.is_ours(info.get("openerId", "")):
            self.opened.add(info["targetId"])
        return self.is_ours(info["targetId"])

    def _has_gone(self, params: dict[str, Any]) -> bool:
        if params["sessionId"] in self._strangers:
            self._strangers.discard(params["sessionId"])
            return False
        gone = params.get("targetId", "")
        self._given.pop(gone, None)
        self.opened.discard(gone)
        self.taken.discard(gone)
        return True

    def _let_go(self, params: dict[str, Any]) -> None:
        """Leave a target as it was: it was stopped in its first moment, where it is new."""
        session_id = params["sessionId"]
        self._strangers.add(session_id)
        if params["waitingForDebugger"]:
            Session(self._pipe, session_id).notify("Runtime.runIfWaitingForDebugger")
        Session(self._pipe).notify("Target.detachFromTarget", {"sessionId": session_id})
