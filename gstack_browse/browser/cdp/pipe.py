"""Carry messages over Chromium's debugging pipe (`--remote-debugging-pipe`).

A response goes to the session that sent the request, an event to its session and then to the handler for its name. What methods and
events mean is not known here: see `target_events`.
"""

import asyncio
import fcntl
import os
import re
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.session import EVENT_PREFIX, METHOD_START, SESSION_FIELD, SESSION_ID, Session
from gstack_browse.text.json_bytes import decode, encode

READ_BYTES = 1 << 18
PIPE_BYTES = 1 << 20
"""Capacity of a pipe, the most that Linux gives any user: a screenshot takes a few event-loop turns."""
MOST_LOGGED_ERRORS = 20
"""How many different errors one pipe logs."""
_END = b"\0"
_RESPONSE_ID = re.compile(rb'\{\s*"id"\s*:\s*([0-9]+)')
_F_SETPIPE_SZ = getattr(fcntl, "F_SETPIPE_SZ", 0)


class MessageWriter:
    """Writes whole messages to a descriptor, in order, as fast as its reader takes them."""

    def __init__(self, descriptor: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor = _prepare_descriptor(descriptor)
        self._queue: deque[bytes] = deque()

    def write(self, data: bytes) -> None:
        """Write whole messages; queue what the pipe has no room for."""
        if self._queue:
            self._queue.append(data)
            return
        try:
            written = os.write(self._descriptor, data)
        except BlockingIOError:
            written = 0
        except OSError:
            return  # Chromium has closed the pipe: `MessageReader` reports that
        if written < len(data):
            self._loop.add_writer(self._descriptor, self._on_writable)
            self._queue.append(data[written:])

    def close(self) -> None:
        """Stop writing, and close the pipe's descriptor."""
        self._loop.remove_writer(self._descriptor)
        os.close(self._descriptor)

    def _on_writable(self) -> None:
        """Write as much of the queue as the pipe takes without blocking."""
        while self._queue:
            data = self._queue[0]
            try:
                written = os.write(self._descriptor, data)
            except BlockingIOError:
                return
            except OSError:
                self._queue.clear()
                break  # Chromium has closed the pipe: `MessageReader` reports that
            if written < len(data):
                self._queue[0] = data[written:]
                return
            self._queue.popleft()
        self._loop.remove_writer(self._descriptor)


class MessageReader:
    """Reads a descriptor, and calls `route` with whole messages. Calls `on_end` when it is closed."""

    def __init__(self, descriptor: int, route: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor = _prepare_descriptor(descriptor)
        self._on_end = on_end
        self.feed = MessageSplitter(route).feed
        """Takes bytes that were read elsewhere."""
        self._loop.add_reader(descriptor, self._on_readable)

    def close(self) -> None:
        """Stop reading, and close the pipe's descriptor."""
        self._loop.remove_reader(self._descriptor)
        os.close(self._descriptor)

    def _on_readable(self) -> None:
        """Read the bytes that the pipe has, and pass on whole messages. At the end of file, call `on_end`."""
        try:
            data = os.read(self._descriptor, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.feed(data)
        else:
            self._on_end()


class MessageSplitter:
    """Collects parts of messages until they are whole, and calls `route` with those."""

    def __init__(self, route: Callable[[bytes], None]) -> None:
        self._route = route
        self._partial: list[bytes] = []

    def feed(self, data: bytes) -> None:
        """Pass on all messages that are complete with `data`, each with its NUL byte; keep the rest for later."""
        end = data.rfind(_END) + 1
        if not end:
            self._partial.append(data)
            return
        whole = data if end == len(data) else data[:end]
        if self._partial:
            whole = b"".join([*self._partial, whole])
        self._partial = [data[end:]] if end < len(data) else []
        self._route(whole)


def _prepare_descriptor(descriptor: int) -> int:
    """Make a pipe non-blocking, and as large as Linux allows. Return the descriptor."""
    os.set_blocking(descriptor, False)
    if _F_SETPIPE_SZ:
        with suppress(OSError):  # a socket has no such size
            fcntl.fcntl(descriptor, _F_SETPIPE_SZ, PIPE_BYTES)
    return descriptor


class Pipe:
    """Chromium's debugging pipe: sends requests, delivers responses and events. A `Channel` of sessions."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self.handlers: Mapping[bytes, Callable[[bytes], object]] = {}
        """Event name → function called with the undecoded event, after the handlers of its session."""
        self.on_end: Callable[[], None] = lambda: None
        """Called when Chromium closes the pipe, before pending requests fail."""
        self._loop = asyncio.get_running_loop()
        self._last_id = 0
        self._requesters: dict[int, Session] = {}
        """Request without a response → the session that has sent it."""
        self._sessions: dict[bytes, Session] = {}
        self.client_events: dict[bytes, Callable[[bytes], object]] = {}
        """Session of an attached client → function called with each of its events, undecoded: see `relay`."""
        self._client_requests: dict[int, Callable[[bytes], object]] = {}
        self._unsent: list[bytes] = []
        self._logged_errors: set[str] = set()
        self.root = Session(self)
        """The session with the browser itself."""
        self._sessions[b""] = self.root
        self._out, self._in = self._open_streams(to_browser, from_browser)
        self.is_open = True

    def _open_streams(self, to_browser: int, from_browser: int) -> "tuple[Any, Any]":
        """Return writer and reader for the two file descriptors."""
        return MessageWriter(to_browser), MessageReader(from_browser, self._route, self.end)

    def feed(self, messages: bytes) -> None:
        """Deliver messages of Chromium that were read from the pipe before this object was made."""
        self._in.feed(messages)

    # our sessions

    def add_session(self, session_id: str, parent: Session) -> Session:
        """Return a `Session` for an id that Chromium has just given. Its events are delivered from now on."""
        session = self._sessions[session_id.encode()] = Session(self, session_id, parent)
        return session

    def find_session(self, session_id: str) -> Session | None:
        """Return our session with that id; None for an attached client's session (`relay`) or an ended one."""
        return self._sessions.get(session_id.encode())

    def send(self, session: Session, method: str, params: dict[str, Any]) -> int:
        """Send a request, and return its id; 0 if the pipe is closed.

        Requests of one event-loop turn are written together, which wakes Chromium once.
        """
        if not self.is_open:
            session.end("Connection closed")
            return 0
        message: dict[str, Any] = {"method": method, "params": params}
        if session.id:
            message["sessionId"] = session.id
        request_id = self._queue_request(message)
        self._requesters[request_id] = session
        return request_id

    def send_for_client(
        self, message: dict[str, Any], on_response: Callable[[bytes], object] | None = None
    ) -> int:
        """Send a request of an attached client (see `relay`) under a new id, and return that.

        `on_response` is called with the undecoded response, unless the session ends before. Raises TypeError if the message cannot be
        encoded as JSON.
        """
        request_id = self._queue_request(message)
        if on_response:
            self._client_requests[request_id] = on_response
        return request_id

    def abandon(self, request_id: int) -> None:
        """Drop the response to a request when it comes."""
        self._requesters.pop(request_id, None)
        self._client_requests.pop(request_id, None)

    def remove_session(self, session_id: str) -> None:
        """Forget a session that has ended."""
        self._sessions.pop(session_id.encode(), None)

    def _queue_request(self, message: dict[str, Any]) -> int:
        """Queue a request and return its id. Requests of one turn of the event loop are written at once."""
        self._last_id = request_id = self._last_id + 1
        encoded = encode({"id": request_id, **message})
        if not self._unsent:
            self._loop.call_soon(self._flush)
        self._unsent += (encoded, _END)
        return request_id

    def _flush(self) -> None:
        """Write the queued requests to the pipe."""
        unsent, self._unsent = b"".join(self._unsent), []
        if self.is_open:
            self._out.write(unsent)

    # ends

    def close(self) -> None:
        """Close the pipe in both directions. Requests without a response fail."""
        if not self.is_open:
            return
        self.is_open = False
        self._out.close()
        self._in.close()
        for session in {*self._sessions.values(), *self._requesters.values()}:
            session.end("Connection closed")

    def end(self) -> None:
        """Handle that Chromium has closed the pipe: call `on_end`, and close our side."""
        if self.is_open:
            self.on_end()
            self.close()

    # Chromium's messages

    def _route(self, messages: bytes) -> None:
        """Deliver Chromium's messages, each of which ends with a NUL byte."""
        for message in messages.split(_END):
            if not message:
                continue
            try:
                self._deliver(message)
            except Exception as error:  # noqa: BLE001 - an error in one message must not lose the others
                self._log_error(error)

    def _deliver(self, message: bytes) -> None:
        """Deliver a message by how its text begins, which is cheaper than decoding it."""
        if response := _RESPONSE_ID.match(message):
            self._deliver_response(int(response[1]), message)
        elif message.startswith(EVENT_PREFIX):
            self._deliver_event(message)
        else:
            self._deliver_reformatted(message)

    def _deliver_response(self, request_id: int, message: bytes) -> None:
        """Deliver a response to the session or client that sent the request.

        Drop it if nobody waits for it: the request was abandoned, or `launch.ahead` has sent it.
        """
        if session := self._requesters.pop(request_id, None):
            try:
                session.on_response(request_id, decode(message))
            except Exception as error:  # noqa: BLE001 - the request fails, and other messages go on
                session.fail_request(request_id, f"the answer cannot be read ({error})")
                self._log_error(error)
        elif on_response := self._client_requests.pop(request_id, None):
            on_response(message)

    def _deliver_event(self, message: bytes) -> None:
        """Deliver an event to its session, then to the handler for its name.

        Hot path: a page causes hundreds of events.
        """
        session_id = message[SESSION_ID] if message[-47:-34] == SESSION_FIELD else b""
        if self.client_events and (forward := self.client_events.get(session_id)):
            forward(message)
            return
        if session := self._sessions.get(session_id):
            session.on_event(message)
        if handler := self.handlers.get(message[METHOD_START : message.find(b'"', METHOD_START)]):
            handler(message)

    def _deliver_reformatted(self, message: bytes) -> None:
        """Deliver a message whose fields are in another order than Chromium's, as a proxy may send. Slow."""
        fields = decode(message)
        if isinstance(request_id := fields.get("id"), int):
            self._deliver_response(request_id, message)
            return
        ordered = encode({key: fields[key] for key in ("method", "params", "sessionId") if key in fields})
        if ordered.startswith(EVENT_PREFIX):
            self._deliver_event(ordered)

    def _log_error(self, error: Exception) -> None:
        """Report an error in the handling of a message to the event loop, but each error only once."""
        kind = f"{type(error).__name__}: {error}"
        if kind not in self._logged_errors and len(self._logged_errors) < MOST_LOGGED_ERRORS:
            self._logged_errors.add(kind)
            self._loop.call_exception_handler({"message": "a message of Chromium's", "exception": error})
