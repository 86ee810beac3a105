"""The debugging pipe between Playwright's driver and Chromium, with room for messages of our own.

The driver starts Chromium through `chromium_shim`, which hands both ends of the pipe to us. What the driver and Chromium say to
each other passes through unread; our own messages go in between, under numbers and in sessions that the driver has
not. So a question of ours is one hop from Chromium, not three, and costs a third (docs/decisions/0055).

Chromium's messages come in one order. What it told the driver before it answered us has passed here by then, but the
driver, and Playwright after it, may not have read it yet: see `Wire.caught_up`.
"""

import asyncio
import fcntl
import os
import re
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from playwright.async_api import Browser, CDPSession, Error

from gstack_browse.browser.cdp.session import Session, consume_exception, decode, encode
from gstack_browse.browser.cdp.targets import Target, Targets

FIRST_ID = 1_000_000_000
"""Our messages are numbered from here. The driver counts from 1, and a number has at most 31 bits."""
MOST_WAITING = 16 << 20
"""Bytes that may wait for a reader before the side they come from is no longer read."""
READ_BYTES = 1 << 18
PIPE_BYTES = 1 << 20
"""What Linux lets everybody make a pipe hold: a screenshot goes through in a few turns."""
_END = b"\0"
_ANSWER = re.compile(rb'\{\s*"id"\s*:\s*([0-9]+)')
_EVENT = b'{"method":"'
"""How Chromium begins an answer and an event. Another form is JSON all the same, and is read as such."""
_NO_NEWS = b'{"method":"Page.lifecycleEvent"'
"""From these Playwright learns nothing that a command of ours depends on, other than by waiting for it."""
RELIED_ON = ("Page", "Runtime", "Network", "Log")
"""Parts of the protocol whose events we read: enabled by us, too, since a driver need not need them for ever."""
MOST_FAULTS = 20
"""Kinds of faults that are logged of one wire."""
_F_SETPIPE_SZ = getattr(fcntl, "F_SETPIPE_SZ", 0)


class _Way:
    """One direction of the pipe: reads one descriptor, writes whole messages to the other, and stops reading when that lags."""

    def __init__(
        self, source: int, target: int, sort: Callable[[bytes], bytes], ended: Callable[[], None]
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._source = source
        self._target = target
        self._sort = sort
        self._ended = ended
        self._begun: list[bytes] = []
        self._waiting: deque[bytes] = deque()
        self._size = 0
        for descriptor in (source, target):
            os.set_blocking(descriptor, False)
            if _F_SETPIPE_SZ:
                with suppress(OSError):  # a socket has no such size
                    fcntl.fcntl(descriptor, _F_SETPIPE_SZ, PIPE_BYTES)
        self._loop.add_reader(source, self._readable)

    def write(self, data: bytes) -> None:
        """Pass whole messages on, in order."""
        if self._waiting:
            self._wait(data)
            return
        try:
            written = os.write(self._target, data)
        except BlockingIOError:
            written = 0
        except OSError:
            return  # it has ended, as reading from it tells
        if written < len(data):
            self._loop.add_writer(self._target, self._writable)
            self._wait(data[written:])

    def close(self) -> None:
        self._loop.remove_reader(self._source)
        self._loop.remove_writer(self._target)
        for descriptor in (self._source, self._target):
            os.close(descriptor)

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
        end = data.rfind(_END) + 1
        if not end:
            self._begun.append(data)
            return
        whole = data if end == len(data) else data[:end]
        if self._begun:
            whole = b"".join([*self._begun, whole])
        self._begun = [data[end:]] if end < len(data) else []
        if forward := self._sort(whole):
            self.write(forward)

    def _wait(self, data: bytes) -> None:
        self._waiting.append(data)
        self._size += len(data)
        if self._size > MOST_WAITING:
            self._loop.remove_reader(self._source)

    def _writable(self) -> None:
        while self._waiting:
            data = self._waiting[0]
            try:
                written = os.write(self._target, data)
            except BlockingIOError:
                return
            except OSError:
                self._loop.remove_writer(self._target)
                return  # it has ended, as reading from it tells
            self._size -= written
            if written < len(data):
                self._waiting[0] = data[written:]
                return
            self._waiting.popleft()
        self._loop.remove_writer(self._target)
        self._loop.add_reader(self._source, self._readable)


class Wire:
    """The spliced pipe. Ends with whichever side ends first: the other then sees its pipe closed, as it would without us."""

    def __init__(self, from_driver: int, to_driver: int, to_browser: int, from_browser: int) -> None:
        self.loop = asyncio.get_running_loop()
        self.passed = 0
        """How many events with news have gone to the driver."""
        self._known = 0
        """How many of them Playwright is known to have heard of."""
        self._promised = 0
        """How many of them it will have heard of when `_catching_up` is done."""
        self.targets = Targets(partial(Session, self))
        """What there is in the browser, as the driver is told."""
        self._pulse: CDPSession | None = None
        self._catching_up: asyncio.Future[None] | None = None
        self._last_id = FIRST_ID
        self._asked: dict[int, Session] = {}
        self._sessions: dict[bytes, Session] = {}
        self._root: asyncio.Future[Session] | None = None
        self._said: list[bytes] = []
        self._is_open = True
        self._faults: set[str] = set()
        self.ended: Callable[[bool], None] = lambda by_browser: None
        """Called when a side ends, told whether that was Chromium, before anybody hears that nothing is answered any more."""
        self._to_browser = _Way(from_driver, to_browser, bytes, partial(self._end, by_browser=False))
        self._to_driver = _Way(from_browser, to_driver, self._sorted, partial(self._end, by_browser=True))

    async def follow(self, browser: Browser) -> None:
        """Be able to tell when Playwright, whose browser this is, has caught up."""
        self._pulse = await browser.new_browser_cdp_session()

    async def open(self) -> None:
        """Have a session of ours with the browser itself. Raises Playwright's Error."""
        await self._browser()

    async def caught_up(self) -> None:
        """When this returns, Playwright knows all that Chromium had told when it was called. Never raises.

        An answer to ourselves comes before that to Playwright; where nothing has passed there is nothing to wait for.
        """
        if self._known >= self.passed or self._pulse is None or not self._is_open:
            return
        if self._catching_up is None or self._promised < self.passed:
            self._promised = self.passed
            self._catching_up = asyncio.ensure_future(self._catch_up(self._pulse, self._promised))
        await asyncio.shield(self._catching_up)

    async def _catch_up(self, pulse: CDPSession, passed: int) -> None:
        with suppress(Error):  # the browser has ended
            await pulse.send("Browser.getVersion")
        self._known = max(self._known, passed)

    async def attach(self, target_id: str) -> Target:
        """A target, with a session of our own. Raises Playwright's Error when it is gone."""
        answer = await self.ask_browser("Target.attachToTarget", targetId=target_id, flatten=True)
        target = self.targets.get(target_id)
        target.session = self._session(answer["sessionId"])
        for domain in RELIED_ON:
            # In the driver's session, which is the one we overhear. Nobody waits: Chromium keeps the order.
            asyncio.ensure_future(target.drivers.send(f"{domain}.enable")).add_done_callback(consume_exception)
        return target

    async def ask_browser(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser itself. Raises Playwright's Error."""
        root = await self._browser()
        return await root.send(method, parameters)

    def next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def say(self, number: int, session: Session, message: bytes) -> None:
        """Send a message of ours to Chromium: in one piece with others of the same turn, which wakes it once."""
        if not self._is_open:
            session.end("Connection closed")
            return
        self._asked[number] = session
        if not self._said:
            self.loop.call_soon(self._flush)
        self._said += (message, _END)

    def unask(self, number: int) -> None:
        """Nobody waits for the answer to that message any more."""
        self._asked.pop(number, None)

    def _flush(self) -> None:
        said, self._said = b"".join(self._said), []
        if self._is_open:
            self._to_browser.write(said)

    async def let_go(self, number: str) -> None:
        """Have Chromium end a session of ours."""
        await self.ask_browser("Target.detachFromTarget", sessionId=number)

    def forget(self, number: str) -> None:
        """That session has ended."""
        self._sessions.pop(number.encode(), None)

    def _end(self, *, by_browser: bool) -> None:
        if self._is_open:
            self.ended(by_browser)
            self.close()

    def close(self) -> None:
        """Let both sides go."""
        if not self._is_open:
            return
        self._is_open = False
        self._to_browser.close()
        self._to_driver.close()
        for session in {*self._sessions.values(), *self._asked.values()}:
            session.end("Connection closed")

    async def _browser(self) -> Session:
        """Our session with the browser itself, on which those with its targets are opened."""
        if self._root is None:
            self._root = asyncio.ensure_future(self._attach_to_browser())
        return await asyncio.shield(self._root)

    async def _attach_to_browser(self) -> Session:
        first = Session(self, "")
        answer = await first.send("Target.attachToBrowserTarget")
        root = self._session(answer["sessionId"])
        root.on("Target.detachedFromTarget", self._detached)
        return root

    def _session(self, number: str) -> Session:
        session = self._sessions[number.encode()] = Session(self, number)
        return session

    def _detached(self, event: dict[str, Any]) -> None:
        if session := self._sessions.get(event["sessionId"].encode()):
            session.end("Target closed")

    def _sorted(self, messages: bytes) -> bytes:
        """Take out what is ours of Chromium's messages, and return the rest.

        Each message is on its own: one that we cannot deal with costs no other.
        """
        theirs = [message for message in messages.split(_END) if message and self._passes(message)]
        if not theirs:
            return b""
        theirs.append(b"")
        return _END.join(theirs)

    def _passes(self, message: bytes) -> bool:
        try:
            return self._is_theirs(message)
        except Exception as error:  # noqa: BLE001 - what we do not understand, the driver may
            self._fault(error)
            return True

    def _is_theirs(self, message: bytes) -> bool:
        """Whether a message of Chromium's is for the driver. What is ours, or is not for the driver, is dealt with here."""
        if found := _ANSWER.match(message):
            return not self._is_our_answer(int(found[1]), message)
        if not message.startswith(_EVENT):
            return self._is_theirs_in_another_form(message)
        if (session := self._sessions.get(message[-34:-2])) and message.endswith(b'"}'):
            self._tell(session, message)
            return False
        if not self.targets.overhear(message):
            return False
        if not message.startswith(_NO_NEWS):
            self.passed += 1
        return True

    def _is_our_answer(self, number: int, message: bytes) -> bool:
        """Whether that answers us. The driver, which ends on an answer that it has not asked for, never gets such a one."""
        if number < FIRST_ID:
            return False
        if session := self._asked.pop(number, None):
            try:
                session.answered(number, decode(message))
            except Exception as error:  # noqa: BLE001 - of this message only; whoever asked hears of it
                session.failed(number, f"the answer cannot be read ({error})")
                self._fault(error)
        return True

    def _tell(self, session: Session, message: bytes) -> None:
        try:
            session.happened(message)
        except Exception as error:  # noqa: BLE001 - of this message only
            self._fault(error)

    def _is_theirs_in_another_form(self, message: bytes) -> bool:
        """The same for a message that is not written as Chromium has always written its own: read whole, and slower."""
        read = decode(message)
        if isinstance(number := read.get("id"), int):
            return not self._is_our_answer(number, message)
        usual = encode({key: read[key] for key in ("method", "params", "sessionId") if key in read})
        return not usual.startswith(_EVENT) or self._is_theirs(usual)

    def _fault(self, error: Exception) -> None:
        """Have a fault logged: once of a kind, since what fails for one message fails for thousands."""
        kind = f"{type(error).__name__}: {error}"
        if kind not in self._faults and len(self._faults) < MOST_FAULTS:
            self._faults.add(kind)
            self.loop.call_exception_handler({"message": "a message of Chromium's", "exception": error})
