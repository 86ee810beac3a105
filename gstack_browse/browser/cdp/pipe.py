"""Carries the messages of Playwright's driver and our own over Chromium's debugging pipe.

The driver starts Chromium through `chromium_shim`, which passes both ends of the pipe to us. This module knows no method of
the protocol. Our requests have ids that the driver does not use, and their answers go to the session that asked. Events of
our own sessions go to those sessions. All other messages are the driver's: `filter_event` may drop or replace its events.

A Chromium that we have started ourselves has no driver at first: messages for the driver are dropped until `connect_driver`.
"""

import asyncio
import fcntl
import os
import re
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from gstack_browse.browser.cdp.session import Session
from gstack_browse.text.json_bytes import decode, encode

FIRST_ID = 1_000_000_000
"""Ids of our requests begin here. The driver counts from 1, and an id has at most 31 bits."""
MOST_WAITING = 16 << 20
"""Bytes that may wait for a slow reader before the other side is no longer read."""
READ_BYTES = 1 << 18
PIPE_BYTES = 1 << 20
"""Capacity of a pipe, the most that Linux gives any user: a screenshot takes a few event-loop turns."""
MOST_HELD = 4 << 20
"""Bytes that may be held back from the driver. With more, it gets all held messages."""
MOST_FAULTS = 20
"""Kinds of faults that one pipe logs."""
_END = b"\0"
_ANSWER = re.compile(rb'\{\s*"id"\s*:\s*([0-9]+)')
EVENT = b'{"method":"'
"""How Chromium begins an event. Another form is JSON all the same, and is rewritten into this one before anybody reads it."""
_F_SETPIPE_SZ = getattr(fcntl, "F_SETPIPE_SZ", 0)


class MessageInterceptor(Protocol):
    """Reads each message between driver and Chromium, and may drop or replace it (`adoption`, `boundary`)."""

    def from_driver(self, message: bytes) -> bool:
        """Return whether to pass a message of the driver's on to Chromium."""

    def from_browser(self, message: bytes) -> list[bytes]:
        """Return the messages that the driver gets in place of one of Chromium's."""


class PipePump:
    """Copies whole messages from one descriptor to another. Stops reading while the other side lags."""

    def __init__(self, route: Callable[[bytes], bytes], ended: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._source = -1
        self._target = -1
        self._route = route
        self._ended = ended
        self._partial: list[bytes] = []
        self._waiting: deque[bytes] = deque()
        self._size = 0

    def read_from(self, source: int) -> None:
        """Begin to read that descriptor."""
        self._source = _prepared(source)
        self._loop.add_reader(source, self._readable)

    def write_to(self, target: int) -> None:
        """Write to that descriptor from now on."""
        self._target = _prepared(target)

    def write(self, data: bytes) -> None:
        """Write whole messages in order. Drop them while there is no target."""
        if self._target < 0:
            return
        if self._waiting:
            self._wait(data)
            return
        try:
            written = os.write(self._target, data)
        except BlockingIOError:
            written = 0
        except OSError:
            return  # the target has closed, as reading from it tells
        if written < len(data):
            self._loop.add_writer(self._target, self._writable)
            self._wait(data[written:])

    def close(self) -> None:
        """Close both descriptors."""
        if self._source >= 0:
            self._loop.remove_reader(self._source)
            os.close(self._source)
        if self._target >= 0:
            self._loop.remove_writer(self._target)
            os.close(self._target)

    def _readable(self) -> None:
        try:
            data = os.read(self._source, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._ended()
            return
        self.take(data)

    def take(self, data: bytes) -> None:
        """Route what was read."""
        end = data.rfind(_END) + 1
        if not end:
            self._partial.append(data)
            return
        whole = data if end == len(data) else data[:end]
        if self._partial:
            whole = b"".join([*self._partial, whole])
        self._partial = [data[end:]] if end < len(data) else []
        if forward := self._route(whole):
            self.write(forward)

    def _wait(self, data: bytes) -> None:
        self._waiting.append(data)
        self._size += len(data)
        if self._size > MOST_WAITING:
            self._hold_source()

    def _hold_source(self) -> None:
        """Stop reading, until the target has taken the waiting messages."""
        if self._source >= 0:
            self._loop.remove_reader(self._source)

    def _free_source(self) -> None:
        """Read again."""
        if self._source >= 0:
            self._loop.add_reader(self._source, self._readable)

    def _writable(self) -> None:
        while self._waiting:
            data = self._waiting[0]
            try:
                written = os.write(self._target, data)
            except BlockingIOError:
                return
            except OSError:
                self._loop.remove_writer(self._target)
                return  # the target has closed, as reading from it tells
            self._size -= written
            if written < len(data):
                self._waiting[0] = data[written:]
                return
            self._waiting.popleft()
        self._loop.remove_writer(self._target)
        self._free_source()


def _prepared(descriptor: int) -> int:
    os.set_blocking(descriptor, False)
    if _F_SETPIPE_SZ:
        with suppress(OSError):  # a socket has no such size
            fcntl.fcntl(descriptor, _F_SETPIPE_SZ, PIPE_BYTES)
    return descriptor


class Pipe:
    """The pipe with its two directions. When one side closes, the other side's pipe is closed, too."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self.filter_event: Callable[[bytes], bytes] = lambda message: message
        """Returns the event that the driver gets in place of one; b"" for none. On an exception the driver gets the event."""
        self.on_end: Callable[[bool], None] = lambda by_browser: None
        """Called with `by_browser` when either side closes, before pending requests fail."""
        self.can_hold: Callable[[bytes], bool] | None = None
        """Returns whether a message may be held until `release`, or until a message that may not. None: hold nothing."""
        self._held: list[bytes] = []
        self._held_bytes = 0
        self.answer_handlers: dict[int, Callable[[bytes], object]] = {}
        """Id of a request of the driver's → function called once with the answer, which the driver gets, too."""
        self.on_driver_messages: Callable[[bytes], object] = lambda messages: None
        """Called with whole messages of the driver's to Chromium, to read only."""
        self.interceptor: MessageInterceptor | None = None
        self.driver_replacement: tuple[bytes, bytes] | None = None
        """Bytes in the driver's requests, and their replacement for Chromium: see `adoption`."""
        self._loop = asyncio.get_running_loop()
        self._last_id = FIRST_ID
        self._asked: dict[int, Session] = {}
        self._sessions: dict[bytes, Session] = {}
        self._unsent: list[bytes] = []
        self._faults: set[str] = set()
        self._stand_in: socket.socket | None = None
        self._to_browser = self._pump_out(to_browser)
        self._to_driver = self._pump_back(from_browser)
        self.is_open = True

    def _pump_out(self, to_browser: int) -> PipePump:
        """Make the pump of messages to Chromium."""
        pump = PipePump(self._route_driver_messages, partial(self.end, by_browser=False))
        pump.write_to(to_browser)
        return pump

    def _pump_back(self, from_browser: int) -> PipePump:
        """Make the pump of messages from Chromium."""
        pump = PipePump(self._route_browser_messages, partial(self.end, by_browser=True))
        pump.read_from(from_browser)
        return pump

    def connect_driver(self, from_driver: int, to_driver: int, stand_in: socket.socket | None = None) -> None:
        """Connect the driver's descriptors. `stand_in`: the shim's socket, closed with the pipe."""
        self._stand_in = stand_in
        self._to_driver.write_to(to_driver)
        self._to_browser.read_from(from_driver)

    def take(self, messages: bytes) -> None:
        """Route messages of Chromium's that were read before."""
        self._to_driver.take(messages)

    def tell_driver(self, *messages: bytes) -> None:
        """Send messages to the driver as if from Chromium."""
        self._to_driver.write(_END.join([*messages, b""]))

    # our sessions

    def session(self, session_id: str, parent: Session) -> Session:
        """Begin to route the events of a session that `parent` has just opened."""
        session = self._sessions[session_id.encode()] = Session(self, session_id, parent)
        return session

    def find(self, session_id: str) -> Session | None:
        """Return our session with that id; None without one."""
        return self._sessions.get(session_id.encode())

    def send(self, session: Session, method: str, params: dict[str, Any]) -> int:
        """Send a request. Those of one event-loop turn are written together, which wakes Chromium once."""
        if not self.is_open:
            session.end("Connection closed")
            return 0
        self._last_id = request_id = self._last_id + 1
        message: dict[str, Any] = {"id": request_id, "method": method, "params": params}
        if session.id:
            message["sessionId"] = session.id
        self._asked[request_id] = session
        if not self._unsent:
            self._loop.call_soon(self._flush)
        self._unsent += (encode(message), _END)
        return request_id

    def abandon(self, request_id: int) -> None:
        """Forget a request, whose answer is no longer needed."""
        self._asked.pop(request_id, None)

    def forget(self, session_id: str) -> None:
        """Forget a session that has ended."""
        self._sessions.pop(session_id.encode(), None)

    def _flush(self) -> None:
        unsent, self._unsent = b"".join(self._unsent), []
        if self.is_open:
            self._to_browser.write(unsent)

    # ends

    def close(self) -> None:
        """Close both sides."""
        if not self.is_open:
            return
        self.is_open = False
        self._to_browser.close()
        self._to_driver.close()
        if self._stand_in:
            self._stand_in.close()
        for session in {*self._sessions.values(), *self._asked.values()}:
            session.end("Connection closed")

    def end(self, *, by_browser: bool) -> None:
        """Report the end of one side, and close both."""
        if self.is_open:
            self.on_end(by_browser)
            self.close()

    def release(self) -> None:
        """Send the held messages to the driver."""
        held = self._take_held()
        if held and self.is_open:
            self._to_driver.write(_END.join([*held, b""]))

    # Chromium's messages

    def _route_browser_messages(self, messages: bytes) -> bytes:
        """Deliver our own messages of Chromium's, and return the driver's."""
        theirs: list[bytes] = []
        for message in messages.split(_END):
            try:
                if message and (given := self._for_driver(message)):
                    theirs.append(given)
            except Exception as error:  # noqa: BLE001 - costs no other message; what we do not understand, the driver may
                self._log_fault(error)
                theirs.append(message)
        if self.interceptor:
            theirs = [given for message in theirs for given in self._intercept(message)]
        if self.can_hold or self._held:
            theirs = self._hold_back(theirs)
        if not theirs:
            return b""
        theirs.append(b"")
        return _END.join(theirs)

    def _hold_back(self, theirs: list[bytes]) -> list[bytes]:
        """Hold messages back, and return those to send now. Held ones go before the next that may not wait."""
        now: list[bytes] = []
        for message in theirs:
            self._held.append(message)
            self._held_bytes += len(message)
            if self._held_bytes > MOST_HELD or not (self.can_hold and self.can_hold(message)):
                now += self._take_held()
        return now

    def _take_held(self) -> list[bytes]:
        held, self._held, self._held_bytes = self._held, [], 0
        return held

    def _intercept(self, message: bytes) -> list[bytes]:
        try:
            return self.interceptor.from_browser(message) if self.interceptor else [message]
        except Exception as error:  # noqa: BLE001 - of this message only
            self._log_fault(error)
            return [message]

    def _route_driver_messages(self, messages: bytes) -> bytes:
        try:
            self.on_driver_messages(messages)
        except Exception as error:  # noqa: BLE001 - costs no message
            self._log_fault(error)
        if self.interceptor is not None:
            passing = [message for message in messages.split(_END) if message and self._is_passed_on(message)]
            messages = _END.join([*passing, b""]) if passing else b""
        return messages.replace(*self.driver_replacement) if self.driver_replacement else messages

    def _is_passed_on(self, message: bytes) -> bool:
        """Whether Chromium gets a message of the driver's."""
        try:
            return self.interceptor is None or self.interceptor.from_driver(message)
        except Exception as error:  # noqa: BLE001 - of this message only
            self._log_fault(error)
            return True

    def _for_driver(self, message: bytes) -> bytes:
        """Return the driver's version of a message; b"" for none."""
        if found := _ANSWER.match(message):
            return b"" if self._is_our_answer(int(found[1]), message) else message
        if not message.startswith(EVENT):
            return self._for_driver_in_another_form(message)
        if (session := self._sessions.get(message[-34:-2])) and message.endswith(b'"}'):
            self._deliver(session, message)
            return b""
        return self.filter_event(message)

    def _is_our_answer(self, request_id: int, message: bytes) -> bool:
        """Deliver an answer to a request of ours. Return whether it was one.

        The driver never gets it: it would end on an answer to an unknown request.
        """
        if request_id < FIRST_ID:
            if self.answer_handlers and (heard := self.answer_handlers.pop(request_id, None)):
                heard(message)
            return False
        if session := self._asked.pop(request_id, None):
            try:
                session.on_answer(request_id, decode(message))
            except Exception as error:  # noqa: BLE001 - of this message only; whoever asked hears of it
                session.fail_request(request_id, f"the answer cannot be read ({error})")
                self._log_fault(error)
        return True

    def _deliver(self, session: Session, event: bytes) -> None:
        try:
            session.on_event(event)
        except Exception as error:  # noqa: BLE001 - of this message only
            self._log_fault(error)

    def _for_driver_in_another_form(self, message: bytes) -> bytes:
        """Return the driver's version of a message in another layout than Chromium's. Slow: it is decoded."""
        read = decode(message)
        if isinstance(request_id := read.get("id"), int):
            return b"" if self._is_our_answer(request_id, message) else message
        usual = encode({key: read[key] for key in ("method", "params", "sessionId") if key in read})
        given = self._for_driver(usual) if usual.startswith(EVENT) else usual
        return message if given == usual else given

    def _log_fault(self, error: Exception) -> None:
        """Log a fault, once of a kind: what fails for one message fails for thousands."""
        kind = f"{type(error).__name__}: {error}"
        if kind not in self._faults and len(self._faults) < MOST_FAULTS:
            self._faults.add(kind)
            self._loop.call_exception_handler({"message": "a message of Chromium's", "exception": error})
