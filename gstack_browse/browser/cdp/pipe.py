"""The debugging pipe between Playwright's driver and Chromium: carries the driver's messages and our own.

The driver starts Chromium through `chromium_shim`, which hands both ends of the pipe to us. The pipe knows no method of
the protocol. Requests of ours have ids that the driver does not use, and their answers go to the session that asked. Events of
our own sessions go to those sessions. Everything else is the driver's: `forwards` is asked about each of its events,
and may keep it, or put another in its place.

A Chromium that we have started ourselves has no driver at first: what is meant for one is dropped until `join`.
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
"""Bytes that may wait for a reader before the side they come from is no longer read."""
READ_BYTES = 1 << 18
PIPE_BYTES = 1 << 20
"""What Linux lets everybody make a pipe hold: a screenshot goes through in a few turns."""
MOST_HELD = 4 << 20
"""Bytes that may be held for the driver; with more it gets them all."""
MOST_FAULTS = 20
"""Kinds of faults that one pipe logs."""
_END = b"\0"
_ANSWER = re.compile(rb'\{\s*"id"\s*:\s*([0-9]+)')
EVENT = b'{"method":"'
"""How Chromium begins an event. Another form is JSON all the same, and is rewritten into this one before anybody reads it."""
_F_SETPIPE_SZ = getattr(fcntl, "F_SETPIPE_SZ", 0)


class Between(Protocol):
    """Reads every message between driver and Chromium, and may change it: see `adoption`."""

    def from_driver(self, message: bytes) -> bool:
        """Whether Chromium gets a message of the driver's."""

    def from_browser(self, message: bytes) -> list[bytes]:
        """The message that the driver gets in place of one from Chromium."""


class PipePump:
    """One direction of the pipe: reads one descriptor, writes whole messages to the other, and stops reading when that lags."""

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
        """Pass whole messages on, in order. Without anybody to pass them to they are dropped."""
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
        """Read no more, until the target has taken what waits."""
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
    """Both directions. Ends with whichever side closes first: the other side then sees its pipe closed, as without us."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self.forwards: Callable[[bytes], bytes] = lambda message: message
        """Asked what the driver gets of one of its events; b"" for nothing. An exception is logged, and the driver gets the event."""
        self.ended: Callable[[bool], None] = lambda by_browser: None
        """Called with `by_browser` when either side closes, before pending requests fail."""
        self.holds: Callable[[bytes], bool] | None = None
        """Asked, where it is set, whether a message may wait until `release`, or until the driver gets one that may not."""
        self._held: list[bytes] = []
        self._held_bytes = 0
        self.awaited: dict[int, Callable[[bytes], object]] = {}
        """Id of a request of the driver's → what is called once with its answer, which the driver gets all the same."""
        self.overhears: Callable[[bytes], object] = lambda messages: None
        """Called with whole messages of the driver's to Chromium, of which nothing may be changed."""
        self.between: Between | None = None
        self.renamed: tuple[bytes, bytes] | None = None
        """What the driver's requests say, and what Chromium gets in its place: see `adoption`."""
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
        """What carries messages to Chromium."""
        pump = PipePump(self._from_driver, partial(self.end, by_browser=False))
        pump.write_to(to_browser)
        return pump

    def _pump_back(self, from_browser: int) -> PipePump:
        """What carries messages from Chromium."""
        pump = PipePump(self._routed, partial(self.end, by_browser=True))
        pump.read_from(from_browser)
        return pump

    def join(self, from_driver: int, to_driver: int, stand_in: socket.socket | None = None) -> None:
        """The driver is there, and speaks with Chromium from now on. `stand_in` is closed with the pipe."""
        self._stand_in = stand_in
        self._to_driver.write_to(to_driver)
        self._to_browser.read_from(from_driver)

    def take(self, messages: bytes) -> None:
        """Messages of Chromium's that somebody has read before us."""
        self._to_driver.take(messages)

    def tell_driver(self, *messages: bytes) -> None:
        """Say something to the driver in Chromium's name."""
        self._to_driver.write(_END.join([*messages, b""]))

    # our sessions

    def session(self, session_id: str, parent: Session) -> Session:
        """Begin to route the events of a session that `parent` has just opened."""
        session = self._sessions[session_id.encode()] = Session(self, session_id, parent)
        return session

    def find(self, session_id: str) -> Session | None:
        """The session of ours with that id."""
        return self._sessions.get(session_id.encode())

    def send(self, session: Session, method: str, params: dict[str, Any]) -> int:
        """Send a request: in one write with others of the same event-loop turn, which wakes Chromium once."""
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
        """Nobody waits for the answer to that request any more."""
        self._asked.pop(request_id, None)

    def forget(self, session_id: str) -> None:
        """That session has ended."""
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
        """One side has ended, or counts as ended."""
        if self.is_open:
            self.ended(by_browser)
            self.close()

    def release(self) -> None:
        """Let the driver have what was held."""
        held = self._take_held()
        if held and self.is_open:
            self._to_driver.write(_END.join([*held, b""]))

    # Chromium's messages

    def _routed(self, messages: bytes) -> bytes:
        """Deliver what is ours of Chromium's messages, and return the rest."""
        theirs: list[bytes] = []
        for message in messages.split(_END):
            try:
                if message and (given := self._for_driver(message)):
                    theirs.append(given)
            except Exception as error:  # noqa: BLE001 - costs no other message; what we do not understand, the driver may
                self._log_fault(error)
                theirs.append(message)
        if self.between:
            theirs = [given for message in theirs for given in self._changed(message)]
        if self.holds or self._held:
            theirs = self._without_held(theirs)
        if not theirs:
            return b""
        theirs.append(b"")
        return _END.join(theirs)

    def _without_held(self, theirs: list[bytes]) -> list[bytes]:
        """What the driver gets now of its messages, in the order of all: what was held goes before what may not wait."""
        now: list[bytes] = []
        for message in theirs:
            self._held.append(message)
            self._held_bytes += len(message)
            if self._held_bytes > MOST_HELD or not (self.holds and self.holds(message)):
                now += self._take_held()
        return now

    def _take_held(self) -> list[bytes]:
        held, self._held, self._held_bytes = self._held, [], 0
        return held

    def _changed(self, message: bytes) -> list[bytes]:
        try:
            return self.between.from_browser(message) if self.between else [message]
        except Exception as error:  # noqa: BLE001 - of this message only
            self._log_fault(error)
            return [message]

    def _from_driver(self, messages: bytes) -> bytes:
        try:
            self.overhears(messages)
        except Exception as error:  # noqa: BLE001 - costs no message
            self._log_fault(error)
        if self.between is not None:
            passing = [message for message in messages.split(_END) if message and self._passes(message)]
            messages = _END.join([*passing, b""]) if passing else b""
        return messages.replace(*self.renamed) if self.renamed else messages

    def _passes(self, message: bytes) -> bool:
        """Whether Chromium gets a message of the driver's."""
        try:
            return self.between is None or self.between.from_driver(message)
        except Exception as error:  # noqa: BLE001 - of this message only
            self._log_fault(error)
            return True

    def _for_driver(self, message: bytes) -> bytes:
        """What the driver gets of a message; b"" for nothing."""
        if found := _ANSWER.match(message):
            return b"" if self._is_our_answer(int(found[1]), message) else message
        if not message.startswith(EVENT):
            return self._for_driver_in_another_form(message)
        if (session := self._sessions.get(message[-34:-2])) and message.endswith(b'"}'):
            self._deliver(session, message)
            return b""
        return self.forwards(message)

    def _is_our_answer(self, request_id: int, message: bytes) -> bool:
        """Whether that answers us. The driver, which ends on an answer to no request of its own, never gets such a one."""
        if request_id < FIRST_ID:
            if self.awaited and (heard := self.awaited.pop(request_id, None)):
                heard(message)
            return False
        if session := self._asked.pop(request_id, None):
            try:
                session.answered(request_id, decode(message))
            except Exception as error:  # noqa: BLE001 - of this message only; whoever asked hears of it
                session.failed(request_id, f"the answer cannot be read ({error})")
                self._log_fault(error)
        return True

    def _deliver(self, session: Session, event: bytes) -> None:
        try:
            session.happened(event)
        except Exception as error:  # noqa: BLE001 - of this message only
            self._log_fault(error)

    def _for_driver_in_another_form(self, message: bytes) -> bytes:
        """The same for a message that is not written as Chromium has always written its own: decoded whole, and slower."""
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
