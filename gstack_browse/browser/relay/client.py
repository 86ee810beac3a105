"""Forward a client's requests to Chromium, and responses and events to the client.

Request ids are replaced in both directions. Session ids are Chromium's, except that the client's browser session has an id for Chromium
and none for the client. A message that is forwarded unchanged is not decoded.
"""

import asyncio
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from gstack_browse.browser.cdp.session import METHOD_START
from gstack_browse.browser.relay import rules
from gstack_browse.browser.relay.dialog_state import DialogState
from gstack_browse.browser.relay.downloads import ClientDownloads
from gstack_browse.browser.relay.wire import Wire
from gstack_browse.text.json_bytes import decode, encode

RELEASE_SECONDS = 5.0
"""How long a new target may wait for a client that does not resume it."""
MOST_PENDING = 64 << 20
"""Most bytes of requests without a response: above that, no further request is read."""
_PENDING_OVERHEAD = 1024
"""Bytes that each request counts in addition to its own."""
_ANSWER = re.compile(rb'\{\s*"id"\s*:\s*[0-9]+')
_NO_SESSION = -32001
_SERVER_ERROR = -32000
_MOST_DIALOGS = 50
_RESUME = "Runtime.runIfWaitingForDebugger"


class MalformedMessage(Exception):
    """A client has sent a message that is not a request of the protocol."""


@dataclass(frozen=True)
class ClientContext:
    """The browser context of ours that a client is attached to."""

    name: str
    """Its name for people."""
    id: str
    """Its id in Chromium."""
    wire: Wire
    downloads: str
    """Directory of its unfinished downloads, under their ids; "" if Chromium is on another machine."""
    is_acting: Callable[[], bool]
    """Returns whether a command runs on a page there: it answers dialogs then, and the client does not."""
    on_context_made: Callable[[str], object]
    """Called with the id of each browser context that the client creates for itself."""
    on_context_closed: Callable[[str], object]
    """Called with the id of each such context when the client has left."""


class _Session(NamedTuple):
    parent: str
    target: str
    is_browser: bool


class AttachedClient:
    """An attached client with its sessions.

    `send` sends a message to the client, `end` ends its connection with a reason.
    """

    def __init__(
        self, context: ClientContext, send: Callable[[bytes], None], end: Callable[[str], None]
    ) -> None:
        self.context = context
        self.downloads = ClientDownloads(
            context.downloads, lambda method, event: self._send_event(method, event)
        )
        self.own_contexts: set[str] = set()
        """Ids of the browser contexts that the client has created."""
        self.pending_bytes = 0
        self.has_room = asyncio.Event()
        """Set while the client may send further requests."""
        self.has_room.set()
        self._wire = context.wire
        self._send = send
        self._end = end
        self._root = ""
        """Chromium's id of the client's browser session."""
        self._root_suffix = b""
        """End of the messages of that session."""
        self._sessions: dict[str, _Session] = {}
        self._hidden_sessions: set[str] = set()
        """Sessions with targets that the client may not see."""
        self._visible_targets: set[str] = set()
        self._release_timers: dict[str, asyncio.TimerHandle] = {}
        """Session with a target that waits for the client → timer that resumes it."""
        self._client_dialogs: dict[str, deque[DialogState]] = {}
        """Page → dialogs that the client has to answer and `take_dialog` has not returned, oldest first."""
        self._hidden_dialogs: set[str] = set()
        """Sessions whose open dialog is answered by a command."""
        self._pending: dict[int, tuple[str, int]] = {}
        """Request without a response, by our id → its session, and the bytes that it counts."""
        self._is_closed = False
        self._event_filters: dict[bytes, Callable[[str, dict[str, Any]], bool]] = {
            b"Target.attachedToTarget": self._filter_attached,
            b"Target.detachedFromTarget": self._filter_detached,
            b"Target.targetCreated": self._filter_target,
            b"Target.targetInfoChanged": self._filter_target,
            b"Target.targetDestroyed": self._filter_target_end,
            b"Target.targetCrashed": self._filter_target_end,
            b"Page.javascriptDialogOpening": self._filter_dialog,
            b"Page.javascriptDialogClosed": self._filter_dialog_closed,
        }
        """Event name → method that returns whether the client gets the event."""

    async def open(self) -> None:
        """Open the client's browser session. Raises ProtocolError."""
        self._root = await self._wire.open_session(self.receive, self._on_browser_end)
        self._root_suffix = f',"sessionId":"{self._root}"}}'.encode()
        self._sessions[self._root] = _Session("", "", is_browser=True)

    async def close(self) -> None:
        """End the client's sessions and browser contexts. Targets that wait for it run on."""
        self._is_closed = True
        for timer in self._release_timers.values():
            timer.cancel()
        for request_id in self._pending:
            self._wire.abandon(request_id)
        self.has_room.set()
        await self._wire.close_session(self._root)
        for session_id in [*self._sessions, *self._hidden_sessions]:
            self._wire.unfollow(session_id)
        for context in self.own_contexts:  # in case Chromium has not disposed of it with the session
            self._wire.ask_browser(rules.DISPOSE, browserContextId=context)
            self.context.on_context_closed(context)

    def _on_browser_end(self) -> None:
        if not self._is_closed:
            self._end("the browser has ended")

    def take_dialog(self, page_id: str) -> "DialogState | None":
        """Return the state of the oldest dialog of a page that the client has to answer; None without one.

        Each dialog is returned once.
        """
        dialogs = self._client_dialogs.get(page_id)
        return dialogs.popleft() if dialogs else None

    # requests

    def request(self, message: str | bytes) -> None:
        """Forward a request, or answer it here. Raises MalformedMessage."""
        request_id, session_id, method, params = _parse_request(message)
        if session_id == self._root or (session_id and session_id not in self._sessions):
            self._fail(request_id, session_id, _NO_SESSION, "Session with given id not found.")
            return
        session = self._sessions[session_id or self._root]
        try:
            params = rules.adapt_request(
                method,
                params,
                context=self.context.id,
                own=self.own_contexts,
                is_browser_session=session.is_browser,
            )
        except rules.RequestRefused as refusal:
            self._fail(request_id, session_id, _SERVER_ERROR, str(refusal))
            return
        if method == rules.DOWNLOADS and params.get(rules.CONTEXT) in (None, self.context.id):
            self.downloads.configure(params)
            self._answer(request_id, session_id, {"result": {}})
            return
        if method == _RESUME:
            self._cancel_release(session_id)
        forward = partial(self._forward, request_id, session_id, method, params, len(message))
        target_id = params.get("targetId")
        if (
            method in rules.NAMES_TARGET
            and isinstance(target_id, str)  # Chromium refuses any other value
            and target_id not in self._visible_targets
        ):
            self._forward_if_visible(request_id, session_id, target_id, forward)
        else:
            forward()

    def _forward(
        self, request_id: int, session_id: str, method: str, params: dict[str, Any], size: int
    ) -> None:
        """Send a request to Chromium. `size`: bytes of the client's message."""

        def on_response(message: bytes) -> None:
            self._end_request(sent)
            if not self._is_closed:
                self._pass_response(request_id, session_id, method, message)

        try:
            sent = self._wire.send(session_id or self._root, method, params, on_response)
        except (TypeError, ValueError, RecursionError):
            raise MalformedMessage("its parameters are no JSON") from None
        self._pending[sent] = session_id, size + _PENDING_OVERHEAD
        self.pending_bytes += size + _PENDING_OVERHEAD
        if self.pending_bytes > MOST_PENDING:
            self.has_room.clear()

    def _end_request(self, sent: int) -> None:
        """Stop counting a request. `sent`: its id in Chromium."""
        self.pending_bytes -= self._pending.pop(sent, ("", 0))[1]
        if self.pending_bytes <= MOST_PENDING:
            self.has_room.set()

    def _forward_if_visible(
        self, request_id: int, session_id: str, target_id: str, forward: Callable[[], None]
    ) -> None:
        """Ask Chromium about a target.

        Forward the request if the client may see it, else answer with an error.
        """

        def on_response(message: bytes) -> None:
            self._end_request(sent)
            info = decode(message).get("result", {}).get("targetInfo")
            if self._is_closed:
                return
            if info is not None and self._is_visible(info):
                forward()
            else:
                self._fail(request_id, session_id, _SERVER_ERROR, "No target with given id found")

        sent = self._wire.send(self._root, "Target.getTargetInfo", {"targetId": target_id}, on_response)
        self._pending[sent] = "", 0

    # answers

    def _pass_response(self, request_id: int, session_id: str, method: str, message: bytes) -> None:
        """Forward Chromium's response under the client's request id."""
        if adapt := self._result_adapters.get(method):
            answer = decode(message)
            if "result" in answer:
                answer["result"] = adapt(self, answer["result"])
            self._answer(request_id, session_id, answer)
            return
        replaced, count = _ANSWER.subn(b'{"id":%d' % request_id, message, count=1)
        if count and (session_id or replaced.endswith(self._root_suffix)):
            self._send(replaced if session_id else replaced[: -len(self._root_suffix)] + b"}")
        else:  # the fields are in another order than Chromium's
            self._answer(request_id, session_id, decode(message))

    def _answer(self, request_id: int, session_id: str, answer: dict[str, Any]) -> None:
        """Send a response. `answer` has `result` or `error`."""
        fields = {key: value for key, value in answer.items() if key not in ("id", "sessionId")}
        session = {"sessionId": session_id} if session_id else {}
        self._send(encode({"id": request_id, **fields, **session}))

    def _fail(self, request_id: int, session_id: str, code: int, why: str) -> None:
        self._answer(request_id, session_id, {"error": {"code": code, "message": why}})

    def _select_targets(self, result: dict[str, Any]) -> dict[str, Any]:
        visible = rules.select_targets(result, context=self.context.id, own=self.own_contexts)
        self._visible_targets.update(info["targetId"] for info in visible["targetInfos"])
        return visible

    def _select_contexts(self, result: dict[str, Any]) -> dict[str, Any]:
        return rules.select_contexts(result, context=self.context.id, own=self.own_contexts)

    def _add_context(self, result: dict[str, Any]) -> dict[str, Any]:
        self.own_contexts.add(result[rules.CONTEXT])
        self.context.on_context_made(result[rules.CONTEXT])
        return result

    def _add_target(self, result: dict[str, Any]) -> dict[str, Any]:
        self._visible_targets.add(result["targetId"])
        return result

    _result_adapters: dict[str, Callable[["AttachedClient", dict[str, Any]], dict[str, Any]]] = {  # noqa: RUF012 - never changed
        "Target.getTargets": _select_targets,
        "Target.getBrowserContexts": _select_contexts,
        rules.MAKE_CONTEXT: _add_context,
        "Target.createTarget": _add_target,
    }
    """Method → function that converts Chromium's result to the client's."""

    # events

    def receive(self, message: bytes) -> None:
        """Forward an event of one of the client's sessions, unless its filter says no."""
        if self._is_closed:
            return
        if filter_event := self._event_filters.get(message[METHOD_START : message.find(b'"', METHOD_START)]):
            event = decode(message)
            if not filter_event(event["sessionId"], {"method": event["method"], **event["params"]}):
                return
        if message.endswith(self._root_suffix):
            message = message[: -len(self._root_suffix)] + b"}"
        self._send(message)

    def _send_event(self, method: str, params: dict[str, Any]) -> None:
        """Send an event of our making in the client's browser session."""
        if not self._is_closed:
            self._send(encode({"method": method, "params": params}))

    def _is_visible(self, info: dict[str, Any]) -> bool:
        return rules.is_visible(info, context=self.context.id, own=self.own_contexts)

    def _filter_attached(self, parent: str, event: dict[str, Any]) -> bool:
        child, info = event["sessionId"], event["targetInfo"]
        if not self._is_visible(info):
            self._hidden_sessions.add(child)
            self._wire.follow(child, _ignore_event)
            if event["waitingForDebugger"]:
                self._wire.notify(child, _RESUME, {})
            self._wire.notify(parent, "Target.detachFromTarget", {"sessionId": child})
            return False
        self._visible_targets.add(info["targetId"])
        self._sessions[child] = _Session(parent, info["targetId"], info["type"] == "browser")
        self._wire.follow(child, self.receive)
        if event["waitingForDebugger"]:
            loop = asyncio.get_running_loop()
            self._release_timers[child] = loop.call_later(RELEASE_SECONDS, self._resume_forgotten, child)
        return True

    def _resume_forgotten(self, session_id: str) -> None:
        """Resume a target that the client has not resumed in time: it waits for all clients, and for us."""
        del self._release_timers[session_id]
        self._wire.notify(session_id, _RESUME, {})

    def _cancel_release(self, session_id: str) -> None:
        if timer := self._release_timers.pop(session_id, None):
            timer.cancel()

    def _filter_detached(self, parent: str, event: dict[str, Any]) -> bool:
        child = event["sessionId"]
        if child in self._hidden_sessions:
            self._hidden_sessions.discard(child)
            self._wire.unfollow(child)
            return False
        self._drop_session(child)
        return True

    def _drop_session(self, session_id: str) -> None:
        """Forget a session that has ended, and the sessions that were opened in it."""
        for child in [each for each, session in self._sessions.items() if session.parent == session_id]:
            self._drop_session(child)
        if (session := self._sessions.pop(session_id, None)) is not None:
            self._client_dialogs.pop(session.target, None)
        for sent in [each for each, (requester, _) in self._pending.items() if requester == session_id]:
            self._wire.abandon(sent)  # Chromium responds in open sessions only
            self._end_request(sent)
        self._hidden_dialogs.discard(session_id)
        self._cancel_release(session_id)
        self._wire.unfollow(session_id)

    def _filter_target(self, session_id: str, event: dict[str, Any]) -> bool:
        is_visible = self._is_visible(event["targetInfo"])
        if is_visible:
            self._visible_targets.add(event["targetInfo"]["targetId"])
        return is_visible

    def _filter_target_end(self, session_id: str, event: dict[str, Any]) -> bool:
        is_visible = event["targetId"] in self._visible_targets
        if event["method"] == "Target.targetDestroyed":
            self._visible_targets.discard(event["targetId"])
        return is_visible

    def _filter_dialog(self, session_id: str, event: dict[str, Any]) -> bool:
        if self.context.is_acting():
            self._hidden_dialogs.add(session_id)
            return False
        page_id = self._sessions[session_id].target
        self._client_dialogs.setdefault(page_id, deque(maxlen=_MOST_DIALOGS)).append(DialogState.OPEN)
        return True

    def _filter_dialog_closed(self, session_id: str, event: dict[str, Any]) -> bool:
        is_hidden = session_id in self._hidden_dialogs
        self._hidden_dialogs.discard(session_id)
        dialogs = self._client_dialogs.get(self._sessions[session_id].target)
        if dialogs and not is_hidden:
            dialogs[-1] = DialogState.ACCEPTED if event["result"] else DialogState.DISMISSED
        return not is_hidden


def _ignore_event(message: bytes) -> None:
    """Ignore an event of a hidden session."""


def _parse_request(message: str | bytes) -> tuple[int, str, str, dict[str, Any]]:
    """Return id, session id ("" for the browser session), method and parameters. Raises MalformedMessage."""
    try:
        request = decode(message)
    except ValueError:
        raise MalformedMessage("it is no JSON") from None
    if not isinstance(request, dict):
        raise MalformedMessage("it is no object")
    request_id, method = request.get("id"), request.get("method")
    session_id, params = request.get("sessionId") or "", request.get("params")
    params = {} if params is None else params
    if not (
        type(request_id) is int
        and isinstance(method, str)
        and isinstance(session_id, str)
        and isinstance(params, dict)
    ):
        raise MalformedMessage("it has no id, method and params as the protocol wants them")
    return request_id, session_id, method, params
