"""Keeps the driver within our own targets in a browser that others use, too.

The driver attaches to every target, and would close them all, since it believes that it has started the browser. So it hears only of
targets in browser contexts that were made for us, and, in a shared context, of tabs that we have opened or attached to. Other targets are
released at once, unchanged. Requests that would end the browser, or a tab of others, never reach it.

docs/decisions/0013-remote-and-shared-browsers.md has the reasons.
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
"""Parts of the driver's requests that may concern others."""
PAGE = "page"


class Boundary:
    """Intercepts messages between the driver and a browser that others use, too.

    `shared`: id of the browser's own context if we use that; else "". `forward` passes an event on as without a boundary, `leave` ends the
    connection.
    """

    def __init__(self, pipe: Pipe, shared: str = "") -> None:
        self.shared = shared
        self.opened: set[str] = set()
        """Tabs in the shared context that we, or tabs of ours, have opened: we may close them."""
        self.attached: set[str] = set()
        """Tabs of others in the shared context that a command has attached to: we may act on them."""
        self.forward: Callable[[bytes], bytes] = lambda message: message
        self.leave: Callable[[], None] = pipe.close
        self._pipe = pipe
        self._contexts: set[str] = set()
        self._has_shared = False
        self._asked: dict[int, str] = {}
        """Id of a pending request of the driver's that makes something → "context" or "tab"."""
        self._held: list[bytes] = []
        """Events of targets that came while the driver was making one: the answer tells which one it is."""
        self._given: dict[str, str] = {}
        """Target that the driver knows → its session with it."""
        self._released_sessions: set[str] = set()
        """Sessions with targets of others, whose end is kept from the driver."""

    def is_own_tab(self, target_id: str) -> bool:
        """Return whether we may act on a tab of the shared context."""
        return target_id in self.opened or target_id in self.attached

    # what the driver asks

    def from_driver(self, message: bytes) -> bool:
        """Return whether to pass a request of the driver's on to the browser."""
        if not any(word in message for word in _JUDGED):
            return True
        request = decode(message)
        judge = getattr(self, f"_{request['method'].replace('.', '_')}", None)
        return judge is None or bool(judge(request))

    def _Browser_close(self, request: dict[str, Any]) -> bool:  # noqa: N802 - the protocol's name
        """End the connection: this is the driver's last request, and it ends when its pipe is closed."""
        asyncio.get_running_loop().call_soon(self.leave)
        return False

    _Browser_crash = _Browser_crashGpuProcess = _Browser_close

    def _Browser_setDownloadBehavior(self, request: dict[str, Any]) -> bool:  # noqa: N802
        """Leave the download directory of the shared context to the person, and enable the events only."""
        if not self._is_of_shared(request):
            return True
        asked = {"behavior": "default", "browserContextId": self.shared, "eventsEnabled": True}
        Session(self._pipe).notify(request["method"], asked)
        return self._answer(request)

    def _Target_createBrowserContext(self, request: dict[str, Any]) -> bool:  # noqa: N802
        """Answer the driver's first request for a context with the shared one, if there is one."""
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
        """Close tabs of ours only. An attached tab of others is detached, and stays open."""
        target_id = request["params"]["targetId"]
        if target_id in self._given and target_id not in self.attached:
            return True
        self.detach_tab(target_id)
        return self._answer(request, success=True)

    def _is_of_shared(self, request: dict[str, Any]) -> bool:
        return bool(self.shared) and request["params"].get("browserContextId") == self.shared

    def _answer(self, request: dict[str, Any], **result: Any) -> bool:
        """Answer the driver in the browser's place, and keep the request from the browser."""
        self._pipe.tell_driver(encode({"id": request["id"], "result": result}))
        return False

    # what the browser says

    def is_judged(self, method: bytes) -> bool:
        """Return whether `admits` decides about events of that name."""
        return method in (b"Target.attachedToTarget", b"Target.detachedFromTarget")

    def admits(self, message: bytes) -> bool:
        """Return whether to pass on an event of a new or closed target, to the driver and to us."""
        event = decode(message)
        if "sessionId" in event:
            return True  # a part of a page that is ours
        params = event["params"]
        if event["method"] == "Target.detachedFromTarget":
            return self._on_detached(params)
        info = params["targetInfo"]
        if info["type"] == "browser" or self.is_own_target(info):
            self._given[info["targetId"]] = params["sessionId"]
            return True
        if (
            "tab" in self._asked.values()
            and info["type"] == PAGE
            and info.get("browserContextId") == self.shared
        ):
            self._held.append(message)
        else:
            self._release(params)
        return False

    def from_browser(self, message: bytes) -> list[bytes]:
        """Return the messages for the driver.

        The answer to a request that makes a target tells which of the held ones is ours.
        """
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

    async def attach_tab(self, target_id: str) -> None:
        """Attach to a tab of others, which the driver sees as a new one.

        Raises ProtocolError if it has closed.
        """
        self.attached.add(target_id)
        try:
            await Session(self._pipe).send("Target.attachToTarget", {"targetId": target_id, "flatten": True})
        except BaseException:
            self.attached.discard(target_id)
            raise

    def detach_tab(self, target_id: str) -> None:
        """Detach from a tab, which stays open."""
        self.attached.discard(target_id)
        if session_id := self._given.get(target_id):
            Session(self._pipe).notify("Target.detachFromTarget", {"sessionId": session_id})

    def is_own_target(self, info: dict[str, Any]) -> bool:
        """Return whether a target is ours. `info`: the protocol's `TargetInfo`."""
        if info.get("browserContextId") in self._contexts:
            return True
        if info["type"] != PAGE or info.get("browserContextId") != self.shared:
            return False
        if self.is_own_tab(info.get("openerId", "")):
            self.opened.add(info["targetId"])
        return self.is_own_tab(info["targetId"])

    def _on_detached(self, params: dict[str, Any]) -> bool:
        if params["sessionId"] in self._released_sessions:
            self._released_sessions.discard(params["sessionId"])
            return False
        gone = params.get("targetId", "")
        self._given.pop(gone, None)
        self.opened.discard(gone)
        self.attached.discard(gone)
        return True

    def _release(self, params: dict[str, Any]) -> None:
        """Detach from a target of others, and let it run if it was stopped at its start."""
        session_id = params["sessionId"]
        self._released_sessions.add(session_id)
        if params["waitingForDebugger"]:
            Session(self._pipe, session_id).notify("Runtime.runIfWaitingForDebugger")
        Session(self._pipe).notify("Target.detachFromTarget", {"sessionId": session_id})
