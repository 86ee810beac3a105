"""Forward a client's requests to Chromium, and responses and events to the client.

Request ids are replaced in both directions. Session ids are Chromium's, except that the client's browser session has an id for Chromium
and none for the client. A message that is forwarded unchanged is not decoded.
"""

import asyncio
import os
import re
import shutil
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath
from typing import Any, NamedTuple

from gstack_browse.browser.cdp.session import METHOD_START
from gstack_browse.browser.relay.client_channel import ClientChannel, DialogState
from gstack_browse.text.json_bytes import decode, encode

BEGIN, PROGRESS = "Browser.downloadWillBegin", "Browser.downloadProgress"
_BY_ID, _BY_NAME = "allowAndName", "allow"
"""Behaviours of the protocol: files are named by their ids, or as servers suggest."""


class ClientDownloads:
    """Reports the downloads of a client's browser context to it, and copies the files where it wants them.

    `source`: Chromium's download directory, with files named by their ids. `send_event`: sends an event to the client, in one of its sessions.
    """

    def __init__(self, source: str, send_event: Callable[[str, str, dict[str, Any]], None]) -> None:
        self._source = source
        self._send_event = send_event
        self._behavior = ""
        self._directory = ""
        self._sessions: set[str] = set()
        """Ids of the sessions that get events; "" for the first browser session."""
        self._names: dict[str, str] = {}
        """Running download, by its id → the name that the client's copy gets."""
        self._copying: set[asyncio.Task[None]] = set()

    def configure(self, session_id: str, params: dict[str, Any]) -> None:
        """Apply a client's `Browser.setDownloadBehavior`: where files go, whether that session gets events."""
        directory = params.get("downloadPath")
        self._behavior = str(params.get("behavior", ""))
        self._directory = directory if isinstance(directory, str) and os.path.isabs(directory) else ""
        if params.get("eventsEnabled"):
            self._sessions.add(session_id)
        else:
            self._sessions.discard(session_id)

    def on_begin(self, event: dict[str, Any]) -> None:
        """Handle `Browser.downloadWillBegin`: choose the file's name, and report the event."""
        suggested = PurePath(str(event.get("suggestedFilename", ""))).name
        by_name = self._behavior == _BY_NAME and suggested not in ("", "..")
        self._names[event["guid"]] = suggested if by_name else event["guid"]
        self._report(BEGIN, event)

    def on_progress(self, event: dict[str, Any]) -> None:
        """Forward `Browser.downloadProgress`, after copying a finished file to the client's directory."""
        if event["state"] == "inProgress":
            self._report(PROGRESS, event)
            return
        name = self._names.pop(event["guid"], "")
        wants_file = self._behavior in (_BY_ID, _BY_NAME) and self._directory and self._source
        if event["state"] != "completed" or not (name and wants_file):
            self._report(PROGRESS, event)
            return
        target = os.path.join(self._directory, name)
        final = {**event, "filePath": target} if "filePath" in event else event
        source = os.path.join(self._source, event["guid"])
        try:
            with suppress(FileNotFoundError):
                os.unlink(target)  # as Chromium does: a file of that name is replaced
            os.link(source, target, follow_symlinks=False)
        except OSError:
            self._copy(source, target, final)
        else:
            self._report(PROGRESS, final)

    def _copy(self, source: str, target: str, event: dict[str, Any]) -> None:
        """Copy a downloaded file to another disk in the background, then send `event` to the client.

        Opens it at once, since the daemon moves it next. If the file cannot be written, the client is told that the download was canceled.
        """
        canceled = {key: value for key, value in event.items() if key != "filePath"} | {"state": "canceled"}
        try:
            opened = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            self._report(PROGRESS, canceled)
            return

        def copy() -> None:
            with open(opened, "rb") as reader, open(target, "xb") as writer:
                shutil.copyfileobj(reader, writer)

        async def copy_and_report() -> None:
            try:
                await asyncio.to_thread(copy)
            except OSError:
                self._report(PROGRESS, canceled)
            else:
                self._report(PROGRESS, event)

        task = asyncio.ensure_future(copy_and_report())
        self._copying.add(task)
        task.add_done_callback(self._copying.discard)

    def _report(self, method: str, event: dict[str, Any]) -> None:
        """Send an event to the client's sessions that want events."""
        for session_id in self._sessions:
            self._send_event(session_id, method, event)


CONTEXT = "browserContextId"
_TAKES_CONTEXT = frozenset(
    {
        "Target.createTarget",
        "Browser.setDownloadBehavior",
        "Browser.cancelDownload",
        "Browser.setPermission",
        "Browser.grantPermissions",
        "Browser.resetPermissions",
        "Storage.getCookies",
        "Storage.setCookies",
        "Storage.clearCookies",
    }
)
"""Methods that act on the browser's default context without a `browserContextId`: they get the session's."""
DOWNLOADS = "Browser.setDownloadBehavior"
DISPOSE = "Target.disposeBrowserContext"
MAKE_CONTEXT = "Target.createBrowserContext"
_WINDOW_OF_TARGET = "Browser.getWindowForTarget"
NAMES_TARGET = frozenset(
    {
        "Target.activateTarget",
        "Target.attachToTarget",
        "Target.autoAttachRelated",
        "Target.closeTarget",
        "Target.getTargetInfo",
        "Target.getDevToolsTarget",
        "Target.openDevTools",
        _WINDOW_OF_TARGET,
    }
)
"""Methods whose parameter `targetId` may name any target of the browser."""
_NAMES_WINDOW = frozenset({"Browser.getWindowBounds", "Browser.setWindowBounds", "Browser.setContentsSize"})
"""Methods whose parameter `windowId` may name any window of the browser."""
_TRACES = frozenset({"Tracing.start", "Tracing.end"})
"""Methods of a trace, which has the URLs of all browser contexts: they need that there is no other one."""
_BROWSER_METHODS = frozenset(
    {
        *_TAKES_CONTEXT,
        *NAMES_TARGET,
        *_NAMES_WINDOW,
        *_TRACES,
        DISPOSE,
        MAKE_CONTEXT,
        "Browser.getVersion",
        "Browser.setDockTile",
        "Emulation.getScreenInfos",
        "IO.close",
        "IO.read",
        "Runtime.runIfWaitingForDebugger",
        "Target.attachToBrowserTarget",
        "Target.detachFromTarget",
        "Target.getBrowserContexts",
        "Target.getTargets",
        "Target.setAutoAttach",
        "Target.setDiscoverTargets",
        "Tracing.getCategories",
    }
)
"""The methods that sessions with the browser may use, and all that there are of _BROWSER_DOMAINS.

Chromium has more there, and most of them (`Fetch`, `Security`, `SystemInfo`) are about all browser contexts. Each of these is about one, or
its requests, responses and events are filtered here.
"""
_BROWSER_DOMAINS = frozenset({"Browser", "Extensions", "PWA", "SystemInfo", "Target", "Tethering"})
"""Domains that are about the whole browser in sessions with pages, too."""
_BROWSER_WIDE = frozenset(
    {
        "Emulation.addScreen",
        "Emulation.removeScreen",
        "Emulation.setPrimaryScreen",
        "Emulation.updateScreen",
        "Memory.getBrowserSamplingProfile",
        "Memory.setPressureNotificationsSuppressed",
        "Memory.simulatePressureNotification",
    }
)
"""Methods about the whole browser, in domains that are otherwise about the session's page."""
_REFUSED = {
    "Browser.close": "gbrowse keeps the browser: disconnect instead, or run 'gbrowse stop'",
    "Emulation.setVirtualTimePolicy": "the page's clock would stay as it is set when the program has left",
    "Target.sendMessageToTarget": "only flat sessions are supported: attach with flatten",
}
_OPENS_SESSIONS = frozenset({"Target.attachToTarget", "Target.setAutoAttach", "Target.autoAttachRelated"})


class RequestRefused(Exception):
    """A request that is not forwarded. The message is for the client."""


def check_method(method: str, *, is_browser_session: bool) -> None:
    """Raise RequestRefused if a method would reach beyond the client's contexts.

    `is_browser_session`: the request's session is with the browser, not with a target.
    """
    if why := _REFUSED.get(method):
        raise RequestRefused(f"{method} is refused: {why}")
    if method in _BROWSER_METHODS:
        return
    if is_browser_session or method.partition(".")[0] in _BROWSER_DOMAINS or method in _BROWSER_WIDE:
        raise RequestRefused(f"{method} is refused: it would reach all browser contexts")


def adapt_request(
    method: str, params: dict[str, Any], *, context: str, created: Collection[str], session_context: str
) -> dict[str, Any]:
    """Return the parameters with which a client's request is forwarded, limited to the client's contexts.

    Args:
        context: id of the browser context that the client is attached to
        created: ids of the browser contexts that the client has created
        session_context: id of the browser context that requests without one are about

    Raises RequestRefused.
    """
    context_id = params.get(CONTEXT)
    if method == DISPOSE and (context_id is None or context_id == context):
        raise RequestRefused(f"{method} is refused: the browser context is gbrowse's, with its tabs and logins")
    if context_id is not None and not (
        isinstance(context_id, str) and (context_id == context or context_id in created)
    ):
        raise RequestRefused(f"Failed to find browser context with id {context_id!s:.60}")
    if method in _OPENS_SESSIONS:
        return {**params, "flatten": True}
    if method == MAKE_CONTEXT:
        return {**params, "disposeOnDetach": True}
    if context_id is None and method in _TAKES_CONTEXT and session_context:
        return {**params, CONTEXT: session_context}
    return params


RELEASE_SECONDS = 5.0
"""How long a new target may wait for a client that does not resume it."""
MOST_PENDING = 64 << 20
"""Most bytes of requests without a response: above that, no further request is read."""
_PENDING_OVERHEAD = 128 << 10
"""Bytes that each request counts in addition to its own: no more than 512 wait, and requests of gbrowse behind them for a moment only."""
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
    channel: ClientChannel
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
    context: str
    """Id of the browser context of the target; of a browser session, the client's."""
    is_browser: bool


class VisibleTargets:
    """The targets and browser contexts that a client may see.

    They are those of its context, and of contexts that it creates.
    """

    def __init__(self, context: ClientContext) -> None:
        self.created_contexts: set[str] = set()
        """Ids of the browser contexts that the client has created."""
        self._context = context
        self._ids: set[str] = set()
        self._windows: list[object] = []
        """Ids of the windows of targets that the client may see, once it has asked for them."""
        self.result_adapters: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "Target.getTargets": self._select_targets,
            "Target.getBrowserContexts": self._select_contexts,
            MAKE_CONTEXT: self._add_context,
            "Target.createTarget": self._add_target,
            _WINDOW_OF_TARGET: self._add_window,
        }
        """Method → function that converts Chromium's result to the client's."""

    def __contains__(self, target_id: str) -> bool:
        """Return whether the client was told of a target."""
        return target_id in self._ids

    def add(self, target_id: str) -> None:
        """Note a target as one that the client has been told of."""
        self._ids.add(target_id)

    def may_see(self, info: dict[str, Any]) -> bool:
        """Return whether the client may see a target. `info`: the protocol's `TargetInfo`."""
        context_id = info.get(CONTEXT)
        return context_id is None or context_id == self._context.id or context_id in self.created_contexts

    def filter_info(self, session_id: str, event: dict[str, Any]) -> bool:
        """Return whether to forward `Target.targetCreated` or `targetInfoChanged` to the client.

        Note the target as one that the client knows, if so.
        """
        may_see = self.may_see(event["targetInfo"])
        if may_see:
            self._ids.add(event["targetInfo"]["targetId"])
        return may_see

    def filter_end(self, session_id: str, event: dict[str, Any]) -> bool:
        """Return whether to forward `Target.targetDestroyed` or `targetCrashed`: the client knows the target."""
        was_visible = event["targetId"] in self._ids
        if event["method"] == "Target.targetDestroyed":
            self._ids.discard(event["targetId"])
        return was_visible

    def check_window(self, method: str, params: dict[str, Any]) -> None:
        """Raise RequestRefused if a request names a window that is not of a target the client has asked about."""
        if method in _NAMES_WINDOW and params.get("windowId") not in self._windows:
            raise RequestRefused("Browser window not found: ask for it by Browser.getWindowForTarget")

    def _select_targets(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a `Target.getTargets` result with only the targets that the client may see; note those."""
        visible = [info for info in result.get("targetInfos", []) if self.may_see(info)]
        self._ids.update(info["targetId"] for info in visible)
        return {**result, "targetInfos": visible}

    def _select_contexts(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result of `Target.getBrowserContexts` with only the contexts that the client has created.

        Its default context becomes the one that the client is attached to.
        """
        visible = [each for each in result.get("browserContextIds", []) if each in self.created_contexts]
        default = {"defaultBrowserContextId": self._context.id} if "defaultBrowserContextId" in result else {}
        return {**result, "browserContextIds": visible, **default}

    def _add_context(self, result: dict[str, Any]) -> dict[str, Any]:
        """Note the browser context that a client has created, from the response. Return the result unchanged."""
        self.created_contexts.add(result[CONTEXT])
        self._context.on_context_made(result[CONTEXT])
        return result

    def _add_window(self, result: dict[str, Any]) -> dict[str, Any]:
        """Note the window of a target of the client's, from the response. Return the result unchanged."""
        if result["windowId"] not in self._windows:
            self._windows.append(result["windowId"])
        return result

    def _add_target(self, result: dict[str, Any]) -> dict[str, Any]:
        """Note the target that a client has created, from the response. Return the result unchanged."""
        self._ids.add(result["targetId"])
        return result


@dataclass
class _ClientDialog:
    """A dialog of a page, reported in each session of the client that has enabled `Page`."""

    is_hidden: bool
    """Whether a command answers it, and the client is not told of it."""
    state: DialogState = DialogState.OPEN
    sessions: set[str] = field(default_factory=set)
    """The client's sessions in which it was reported as open, and not yet as closed."""


class ClientDialogs:
    """The dialogs of pages that a client has sessions with: it answers them, unless a command runs there."""

    def __init__(self, is_acting: Callable[[], bool]) -> None:
        self._is_acting = is_acting
        self._open: dict[str, _ClientDialog] = {}
        """Page → its open dialog."""
        self._untaken: dict[str, deque[_ClientDialog]] = {}
        """Page → dialogs that the client has to answer and `take` has not returned, oldest first."""

    def take(self, page_id: str) -> DialogState | None:
        """Remove and return the state of a page's oldest dialog that the client answers; None without one."""
        dialogs = self._untaken.get(page_id)
        return dialogs.popleft().state if dialogs else None

    def open(self, session_id: str, page_id: str, *, is_own: bool) -> bool:
        """Note that a page has opened a dialog. Return whether to forward that event to the client.

        It is not forwarded while a command runs there, which answers the dialog.

        Args:
            session_id: the client's session with the page
            is_own: the page is in a browser context that the client has created, where no command runs
        """
        dialog = self._open.get(page_id)
        if dialog is None or session_id in dialog.sessions:
            dialog = self._open[page_id] = _ClientDialog(is_hidden=not is_own and self._is_acting())
            if not (dialog.is_hidden or is_own):
                self._untaken.setdefault(page_id, deque(maxlen=_MOST_DIALOGS)).append(dialog)
        dialog.sessions.add(session_id)
        return not dialog.is_hidden

    def close(self, session_id: str, page_id: str, *, is_accepted: bool) -> bool:
        """Note that a page's dialog was closed. Return whether to forward that event to the client."""
        dialog = self._open.get(page_id)
        if dialog is None:
            return True
        dialog.state = DialogState.ACCEPTED if is_accepted else DialogState.DISMISSED
        self._end_report(session_id, page_id)
        return not dialog.is_hidden

    def forget_session(self, session_id: str, page_id: str) -> None:
        """Handle the end of a session: forget the page's dialog unless another session has reported it."""
        dialog = self._open.get(page_id)
        self._end_report(session_id, page_id)
        if dialog and page_id not in self._open:
            self._untaken.pop(page_id, None)

    def _end_report(self, session_id: str, page_id: str) -> None:
        """Note that a page's dialog is over in a session. After the last one, the page has none open."""
        if dialog := self._open.get(page_id):
            dialog.sessions.discard(session_id)
            if not dialog.sessions:
                del self._open[page_id]


class AttachedClient:
    """A client that is attached to the browser: forwards its requests, and events and responses to it.

    `send` sends a message to the client, `end` ends its connection with a reason.
    """

    def __init__(
        self, context: ClientContext, send: Callable[[bytes], None], end: Callable[[str], None]
    ) -> None:
        self.context = context
        self.downloads = ClientDownloads(context.downloads, self._send_event)
        self.targets = VisibleTargets(context)
        self.dialogs = ClientDialogs(context.is_acting)
        self.pending_bytes = 0
        self.has_room = asyncio.Event()
        """Set while the client may send further requests."""
        self.has_room.set()
        self._channel = context.channel
        self._send = send
        self._end = end
        self._root = ""
        """Chromium's id of the client's browser session."""
        self._root_suffix = b""
        """End of the messages of that session."""
        self._sessions: dict[str, _Session] = {}
        self._hidden_sessions: set[str] = set()
        """Sessions with targets that the client may not see."""
        self._release_timers: dict[str, asyncio.TimerHandle] = {}
        """Session with a target that waits for the client → timer that resumes it."""
        self._pending: dict[int, tuple[str, int]] = {}
        """Request without a response, by our id → its session, and the bytes that it counts."""
        self._is_closed = False
        self._event_filters: dict[bytes, Callable[[str, dict[str, Any]], bool]] = {
            b"Target.attachedToTarget": self._filter_attached,
            b"Target.detachedFromTarget": self._filter_detached,
            b"Target.targetCreated": self.targets.filter_info,
            b"Target.targetInfoChanged": self.targets.filter_info,
            b"Target.targetDestroyed": self.targets.filter_end,
            b"Target.targetCrashed": self.targets.filter_end,
            b"Page.javascriptDialogOpening": self._filter_dialog,
            b"Page.javascriptDialogClosed": lambda session_id, event: self.dialogs.close(
                session_id, self._sessions[session_id].target, is_accepted=bool(event["result"])
            ),
        }
        """Event name → method that returns whether the client gets the event."""

    @property
    def is_flooding(self) -> bool:
        """Return whether half as many requests are under way as the client may have."""
        return self.pending_bytes > MOST_PENDING // 2

    async def open(self) -> None:
        """Open a session with the browser for the client. Raises ProtocolError."""
        self._root = await self._channel.open_session(self.on_event, self._on_browser_end)
        self._root_suffix = f',"sessionId":"{self._root}"}}'.encode()
        self._sessions[self._root] = _Session("", "", self.context.id, is_browser=True)

    def close(self) -> None:
        """End the client's sessions and browser contexts when it has left. Waiting targets run on."""
        self._is_closed = True
        for timer in self._release_timers.values():
            timer.cancel()
        for request_id in self._pending:
            self._channel.abandon(request_id)
        self.has_room.set()
        self._channel.close_session(self._root)
        for session_id in [*self._sessions, *self._hidden_sessions]:
            self._channel.forget_session(session_id)
        for (
            context
        ) in self.targets.created_contexts:  # in case Chromium has not disposed of it with the session
            self._channel.notify_browser(DISPOSE, browserContextId=context)
            self.context.on_context_closed(context)

    def _on_browser_end(self) -> None:
        """Handle the end of the browser: end the connection to the client, unless it is closed already."""
        if not self._is_closed:
            self._end("the browser has ended")

    # requests

    def handle_request(self, message: str | bytes) -> None:
        """Handle a message of the client: forward the request to Chromium, or answer it here.

        Raises MalformedMessage.
        """
        request_id, session_id, method, params = _parse_request(message)
        if session_id == self._root or (session_id and session_id not in self._sessions):
            self._answer_error(request_id, session_id, _NO_SESSION, "Session with given id not found.")
            return
        session = self._sessions[session_id or self._root]
        try:
            check_method(method, is_browser_session=session.is_browser)
            self.targets.check_window(method, params)
            if method in _TRACES and not self._channel.has_only(
                {self.context.id, *self.targets.created_contexts}
            ):
                raise RequestRefused(
                    f"{method} is refused: the trace would show what other browser contexts do"
                )
            params = adapt_request(
                method,
                params,
                context=self.context.id,
                created=self.targets.created_contexts,
                session_context=session.context,
            )
        except RequestRefused as refusal:
            self._answer_error(request_id, session_id, _SERVER_ERROR, str(refusal))
            return
        if method == DOWNLOADS and params.get(CONTEXT) in (None, self.context.id):
            self.downloads.configure(session_id, params)
            self._answer(request_id, session_id, {"result": {}})
            return
        if method == _RESUME:
            self._cancel_release(session_id)
        forward = partial(self._forward, request_id, session_id, method, params, len(message))
        target_id = params.get("targetId")
        if (
            method in NAMES_TARGET
            and isinstance(target_id, str)  # Chromium refuses any other value
            and target_id not in self.targets
        ):
            self._forward_if_visible(request_id, session_id, target_id, forward)
        else:
            forward()

    def _forward(
        self, request_id: int, session_id: str, method: str, params: dict[str, Any], size: int
    ) -> None:
        """Send a client's request to Chromium. `size`: bytes of the client's message."""

        def on_response(message: bytes) -> None:
            self._end_request(sent)
            if not self._is_closed:
                self._pass_response(request_id, session_id, method, message)

        try:
            sent = self._channel.send(session_id or self._root, method, params, on_response)
        except (TypeError, ValueError, RecursionError):
            raise MalformedMessage("its parameters are no JSON") from None
        self._begin_request(sent, session_id, size)

    def _begin_request(self, sent: int, session_id: str, size: int) -> None:
        """Count a request as pending. `sent`: its id for Chromium; `size`: bytes of the client's message."""
        self._pending[sent] = session_id, size + _PENDING_OVERHEAD
        self.pending_bytes += size + _PENDING_OVERHEAD
        if self.pending_bytes > MOST_PENDING:
            self.has_room.clear()

    def _end_request(self, sent: int) -> None:
        """Note that a request is over, so that it no longer counts as pending. `sent`: its id for Chromium."""
        self.pending_bytes -= self._pending.pop(sent, ("", 0))[1]
        if self.pending_bytes <= MOST_PENDING:
            self.has_room.set()

    def _forward_if_visible(
        self, request_id: int, session_id: str, target_id: str, forward: Callable[[], None]
    ) -> None:
        """Ask Chromium about a target. Call `forward` if the client may see it, else answer with an error."""

        def on_response(message: bytes) -> None:
            self._end_request(sent)
            info = decode(message).get("result", {}).get("targetInfo")
            if self._is_closed:
                return
            if info is not None and self.targets.may_see(info):
                forward()
            else:
                self._answer_error(request_id, session_id, _SERVER_ERROR, "No target with given id found")

        sent = self._channel.send(self._root, "Target.getTargetInfo", {"targetId": target_id}, on_response)
        self._begin_request(sent, "", 0)

    # answers

    def _pass_response(self, request_id: int, session_id: str, method: str, message: bytes) -> None:
        """Forward Chromium's response to the client, under the client's request id."""
        if adapt := self.targets.result_adapters.get(method):
            answer = decode(message)
            if "result" in answer:
                answer["result"] = adapt(answer["result"])
            self._answer(request_id, session_id, answer)
            return
        replaced, count = _ANSWER.subn(b'{"id":%d' % request_id, message, count=1)
        if count and (session_id or replaced.endswith(self._root_suffix)):
            self._send(replaced if session_id else replaced[: -len(self._root_suffix)] + b"}")
        else:  # the fields are in another order than Chromium's
            self._answer(request_id, session_id, decode(message))

    def _answer(self, request_id: int, session_id: str, answer: dict[str, Any]) -> None:
        """Send a response to the client. `answer` has `result` or `error`."""
        fields = {key: value for key, value in answer.items() if key not in ("id", "sessionId")}
        session = {"sessionId": session_id} if session_id else {}
        self._send(encode({"id": request_id, **fields, **session}))

    def _answer_error(self, request_id: int, session_id: str, code: int, why: str) -> None:
        """Answer a client's request with an error. `code`: the protocol's; `why`: its message."""
        self._answer(request_id, session_id, {"error": {"code": code, "message": why}})

    # events

    def on_event(self, message: bytes) -> None:
        """Forward an undecoded event to the client, unless the filter for its name drops it."""
        if self._is_closed:
            return
        if filter_event := self._event_filters.get(message[METHOD_START : message.find(b'"', METHOD_START)]):
            event = decode(message)
            if not filter_event(event["sessionId"], {"method": event["method"], **event["params"]}):
                return
        if message.endswith(self._root_suffix):
            message = message[: -len(self._root_suffix)] + b"}"
        self._send(message)

    def _send_event(self, session_id: str, method: str, params: dict[str, Any]) -> None:
        """Send the client an event that gbrowse makes or changes; `on_event` forwards Chromium's own.

        `session_id`: the client's session; "" for the first browser session. Do nothing if it has ended.
        """
        if not self._is_closed and (not session_id or session_id in self._sessions):
            session = {"sessionId": session_id} if session_id else {}
            self._send(encode({"method": method, "params": params, **session}))

    def _filter_attached(self, parent: str, event: dict[str, Any]) -> bool:
        """Return whether to forward `Target.attachedToTarget`. Detach if the client may not see the target.

        `parent`: id of the session in which the event came.
        """
        child, info = event["sessionId"], event["targetInfo"]
        if not self.targets.may_see(info):
            self._hidden_sessions.add(child)
            self._channel.route_events(child, _ignore_event)
            if event["waitingForDebugger"]:
                self._channel.notify(child, _RESUME, {})
            self._channel.notify(parent, "Target.detachFromTarget", {"sessionId": child})
            return False
        self.targets.add(info["targetId"])
        context = info.get(CONTEXT) or self.context.id
        self._sessions[child] = _Session(parent, info["targetId"], context, info["type"] == "browser")
        self._channel.route_events(child, self.on_event)
        if event["waitingForDebugger"]:
            loop = asyncio.get_running_loop()
            self._release_timers[child] = loop.call_later(RELEASE_SECONDS, self._resume_forgotten, child)
        return True

    def _filter_dialog(self, session_id: str, event: dict[str, Any]) -> bool:
        """Return whether to forward `Page.javascriptDialogOpening`: the client answers the dialog."""
        session = self._sessions[session_id]
        is_own = session.context in self.targets.created_contexts
        return self.dialogs.open(session_id, session.target, is_own=is_own)

    def _resume_forgotten(self, session_id: str) -> None:
        """Resume a target that the client has left waiting for RELEASE_SECONDS: all other clients wait, too."""
        del self._release_timers[session_id]
        self._channel.notify(session_id, _RESUME, {})

    def _cancel_release(self, session_id: str) -> None:
        """Stop the timer that would resume the waiting target of a session."""
        if timer := self._release_timers.pop(session_id, None):
            timer.cancel()

    def _filter_detached(self, parent: str, event: dict[str, Any]) -> bool:
        """Return whether to forward `Target.detachedFromTarget`, and forget the session that has ended.

        `parent`: id of the session in which the event came.
        """
        child = event["sessionId"]
        if child in self._hidden_sessions:
            self._hidden_sessions.discard(child)
            self._channel.forget_session(child)
            return False
        self._drop_session(child)
        return True

    def _drop_session(self, session_id: str) -> None:
        """Forget a session that has ended, and the sessions that were opened in it."""
        for child in [each for each, session in self._sessions.items() if session.parent == session_id]:
            self._drop_session(child)
        if (session := self._sessions.pop(session_id, None)) is not None:
            self.dialogs.forget_session(session_id, session.target)
        for sent in [each for each, (requester, _) in self._pending.items() if requester == session_id]:
            self._channel.abandon(sent)  # Chromium responds in open sessions only
            self._end_request(sent)
        self._cancel_release(session_id)
        self._channel.forget_session(session_id)


def _ignore_event(message: bytes) -> None:
    """Ignore an event of a target that the client may not see."""


def _parse_request(message: str | bytes) -> tuple[int, str, str, dict[str, Any]]:
    """Return a message's id, session id ("" for the browser session), method and parameters.

    Raises MalformedMessage.
    """
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
