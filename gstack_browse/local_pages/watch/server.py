"""Serve the page on which a person watches a tab and its commands, and acts in the tab.

The tab's commands wait while the person acts. One web socket carries everything. To the page: pictures as binary
messages, the rest as JSON. From the page: that a picture was drawn, the choice of a tab, and a person's turn with its
input.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import orjson
from aiohttp import WSCloseCode, WSMsgType, web

from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.context.screencast import Screencast
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.tab.tab import BUTTONS, PERSON, PRESSURE, Tab
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import BrowseError
from gstack_browse.flows.feed import CommandFeed, FeedCommand
from gstack_browse.flows.log import ACTIONS
from gstack_browse.local_pages.loopback.server import Guard, LoopbackPage

MOST_TEXT = 100_000
"""Characters of a text that is pasted."""
_MOST_KEY = 40
_MOST_WHEEL = 10_000.0
_CONTROL, _META = 2, 4
OPEN_SECONDS = 3600.0
"""How long the page stays open while no window shows it."""
FRAME_SECONDS = 0.08
"""Shortest time between two pictures."""
PAUSE_SECONDS = 0.2
"""The longest time without pictures while commands run: a person is to see a change within 0.3 s."""
BATCH_SECONDS = 0.03
"""How long messages are collected: commands that follow each other have the processor meanwhile."""
CHECK_SECONDS = 0.5
"""How often the tabs are looked at: pages open, close and navigate by themselves."""
MOST_UNSENT = 300
"""Messages that wait for a slow visitor; the oldest are dropped."""
MOST_KEPT = 50
"""The last commands, which a new window shows."""
MOST_REPLY = 4_000
MOST_MESSAGE = 1 << 18
MOST_TABS = 200
_CLOSE_SECONDS = 5.0
"""How long a window may take to read why the page closes. The daemon's end before that would take the reason from it."""
_BEAT_SECONDS = 20.0


class PersonTurn:
    """A person's control of a tab, from when they ask for it until they give it back.

    It begins once the command that runs there has ended. `on_change` is called when it begins and ends; `on_end` with
    its length in seconds once it is over, if it has begun.
    """

    def __init__(
        self,
        browser: OpenContext,
        tab: Tab,
        on_change: Callable[[], None],
        on_end: Callable[["PersonTurn", float], None],
    ) -> None:
        self.browser = browser
        self.tab = tab
        self.has_begun = False
        self.is_over = False
        self._is_given_back = False
        self._on_change = on_change
        self._on_end = on_end
        self._task = asyncio.get_running_loop().create_task(self._hold())

    async def end(self) -> None:
        """End the person's control of the tab, so that its commands go on."""
        self._is_given_back = True
        self.tab.wake_waiters()
        if not self.has_begun:
            self._task.cancel()
        await asyncio.wait([self._task])

    async def _hold(self) -> None:
        """Hold the tab's lock, so that its commands wait, until the person gives the tab back or it closes."""
        try:
            # a crashed page, or one that has closed, ends the turn
            with suppress(BrowseError, ProtocolError):
                async with self.tab.lock:
                    await self._wait_for_return()
        finally:
            self.is_over = True
            self.browser.visited.discard(self)
            self._on_change()

    async def _wait_for_return(self) -> None:
        """Wait until the person gives the tab back or it closes; record begin and end in a running film."""
        began = time.monotonic()
        self.has_begun = True
        self.browser.visited.add(self)  # the daemon does not leave meanwhile, for idleness or an update
        self._on_change()
        page = self.tab.page
        page.on("close", self._on_page_closed)
        if self.browser.film and self.browser.film.is_filming(self.tab):
            self.browser.film.add("person", {"has": True})
        try:
            with self.tab.running(PERSON):
                await self.tab.wait_until(lambda: self._is_given_back or page.is_closed())
        finally:
            page.off("close", self._on_page_closed)
            if self.browser.film:
                self.browser.film.add("person", {"has": False})
            self.tab.note_action(asyncio.get_running_loop().time())
            self._on_end(self, time.monotonic() - began)

    def _on_page_closed(self, page: Page) -> None:
        """End the person's control, as the page has closed: wake `_wait_for_return`."""
        self.tab.wake_waiters()


class PersonInput:
    """Sends a person's mouse and key events to a page. `release` ends what is still pressed."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._keys: dict[str, dict[str, Any]] = {}
        self._button: dict[str, Any] | None = None

    def send(self, message: dict[str, Any], width: float, height: float) -> None:
        """Send the mouse or key event in a message of the watch page to the controlled page.

        Ignore malformed ones. `width`, `height`: of the controlled page in CSS pixels; positions in messages are shares
        of these, from 0 to 1.
        """
        kind = message.get("do")
        if kind in ("down", "up", "move", "wheel"):
            self._send_mouse(kind, message, width, height)
        elif kind in ("keydown", "keyup"):
            self._send_key(kind, message)
        elif kind == "paste" and isinstance(text := message.get("text"), str):
            self.session.notify("Input.insertText", {"text": text[:MOST_TEXT]})

    def release(self) -> None:
        """Release the mouse button and the keys that are still pressed."""
        if self._button:
            self.session.notify("Input.dispatchMouseEvent", {**self._button, "type": "mouseReleased"})
        for event in self._keys.values():
            self.session.notify("Input.dispatchKeyEvent", {**event, "type": "keyUp"})
        self._keys, self._button = {}, None

    def _send_mouse(self, kind: str, message: dict[str, Any], width: float, height: float) -> None:
        """Send a mouse event (`kind`: down, up, move or wheel) to the controlled page; see `send`."""
        button = message.get("button")
        event: dict[str, Any] = {
            "x": _clamp(message.get("x"), 0, 1) * width,
            "y": _clamp(message.get("y"), 0, 1) * height,
            "modifiers": _parse_modifiers(message),
            "button": button if kind in ("down", "up") and button in BUTTONS else "none",
            "buttons": int(_clamp(message.get("buttons"), 0, 31)),
            "clickCount": int(_clamp(message.get("clicks"), 0, 3)) if kind in ("down", "up") else 0,
        }
        event["force"] = PRESSURE if event["buttons"] else 0
        if kind == "wheel":
            deltas = {
                f"delta{axis}": _clamp(message.get(f"d{axis.lower()}"), -_MOST_WHEEL, _MOST_WHEEL)
                for axis in "XY"
            }
            event |= {"type": "mouseWheel", **deltas}
        else:
            event["type"] = {"down": "mousePressed", "up": "mouseReleased", "move": "mouseMoved"}[kind]
        if kind in ("down", "up"):
            self._button = event if kind == "down" else None
        self.session.notify("Input.dispatchMouseEvent", event)

    def _send_key(self, kind: str, message: dict[str, Any]) -> None:
        """Send a key event (`kind`: keydown or keyup) to the controlled page.

        Remember pressed keys for `release`.
        """
        key, code = message.get("key"), message.get("code")
        if not (isinstance(key, str) and isinstance(code, str)) or len(key) + len(code) > _MOST_KEY:
            return
        modifiers = _parse_modifiers(message)
        is_typed = len(key) == 1 and not modifiers & (_CONTROL | _META)
        text = "\r" if key == "Enter" else key if is_typed else ""
        location = int(_clamp(message.get("location"), 0, 3))
        event: dict[str, Any] = {
            "type": "keyUp" if kind == "keyup" else "keyDown" if text else "rawKeyDown",
            "key": key,
            "code": code,
            "windowsVirtualKeyCode": int(_clamp(message.get("number"), 0, 255)),
            "modifiers": modifiers,
            "location": location,
            "isKeypad": location == 3,
        }
        if kind == "keydown":
            self._keys[code] = event
            event = event | {"text": text, "unmodifiedText": text} if text else event
        else:
            self._keys.pop(code, None)
        self.session.notify("Input.dispatchKeyEvent", event)


def _parse_modifiers(message: dict[str, Any]) -> int:
    """Return the pressed modifier keys in a message of the page, as the bit mask of Chromium's protocol."""
    return int(_clamp(message.get("modifiers"), 0, 15))


def _clamp(value: object, least: float, most: float) -> float:
    """Return a number from a message of the page, limited to the range `least` to `most`.

    For anything but a number: `least`, or 0 if that is negative.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return least if least >= 0 else 0.0
    return float(min(max(value, least), most))


class Visitor:
    """The person's window. Queues messages for it, and sends a picture when it has drawn the last one."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self.socket = socket
        self.has_drawn = True
        self.state: dict[str, Any] = {}
        """The state that it was sent last."""
        self._unsent: deque[bytes] = deque(maxlen=MOST_UNSENT)
        self._wake = asyncio.Event()

    def queue_message(self, message: dict[str, Any]) -> None:
        """Queue a message for the window, to be sent as JSON."""
        self._unsent.append(orjson.dumps(message))
        self._wake.set()

    def wake(self) -> None:
        """Wake `write`: there is a new picture, or the window has drawn the last one."""
        self._wake.set()

    async def write(self, screencast: Screencast) -> None:
        """Send queued messages and the newest picture to the window, again and again, until the socket closes."""
        with suppress(ConnectionError):
            while not self.socket.closed:
                await self._wake.wait()
                if not screencast.newest:
                    await asyncio.sleep(BATCH_SECONDS)
                self._wake.clear()
                while self._unsent:
                    await self.socket.send_str(self._unsent.popleft().decode())
                if self.has_drawn and (picture := screencast.take_newest()):
                    self.has_drawn = False
                    await self.socket.send_bytes(picture.decode())


class WatchPage:
    """Serves one watch page until it is closed.

    Args:
        open_contexts: returns the open contexts.
        hide: takes secrets out of a text.
        notify: called with a context's name and a note for its next reply, after a person's turn.
        context: the browser context that is shown first.
        may_control: whether the person may act.
        on_close: called when the page is closed.
    """

    def __init__(
        self,
        open_contexts: Callable[[], Sequence[OpenContext]],
        feed: CommandFeed,
        hide: Callable[[str], str],
        *,
        notify: Callable[[str, str], None],
        context: str,
        may_control: bool,
        on_close: Callable[[], None],
    ) -> None:
        self._open_contexts = open_contexts
        self._feed = feed
        self._hide = hide
        self._notify = notify
        self._on_close = on_close
        self.may_control = may_control
        self._followed: tuple[str, int | None] = context, None
        """Context and tab of the last command; None: its active tab."""
        self._chosen = 0
        """The number of the tab that the person has chosen; 0: the one in which commands run."""
        self._commands: deque[dict[str, Any]] = deque(maxlen=MOST_KEPT)
        self._visitor: Visitor | None = None
        self._screencast = Screencast(self._on_picture, interval=FRAME_SECONDS, most_pause=PAUSE_SECONDS)
        self._turn: PersonTurn | None = None
        self._input: PersonInput | None = None
        self._note = ""
        """How the person has lost their tab; "" where they have not."""
        self._look = asyncio.Event()
        self.page = LoopbackPage(
            "gstack_browse.local_pages.watch",
            ("style.css", "script.js"),
            [web.get("live", self._serve_live)],
            guard=Guard("watch", "watch --control" if may_control else "watch"),
            seconds=OPEN_SECONDS,
            on_close=self._on_page_closed,
            on_window_change=lambda is_seen: None,
        )

    @property
    def is_seen(self) -> bool:
        """Return whether a window shows the page."""
        return self._visitor is not None

    @property
    def has_control(self) -> bool:
        """Return whether the person controls a tab, or waits until its command ends."""
        return self._turn is not None

    async def open(self) -> str:
        """Serve the page and return its address, which admits one visitor."""
        self._feed.subscribe(self._on_command)
        return await self.page.listen()

    async def close(self, reason: str) -> None:
        """Close the watch page, and end the person's control of a tab.

        `reason`: shown in the window; 120 bytes at most.
        """
        visitor = self._visitor
        await self._end_turn()
        if visitor:
            with suppress(TimeoutError, ConnectionError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await visitor.socket.close(code=WSCloseCode.GOING_AWAY, message=reason.encode())
        await self.page.close()

    def _on_page_closed(self) -> None:
        """Stop listening to commands, as the page has closed."""
        self._feed.unsubscribe(self._on_command)
        self._on_close()

    # what is shown

    def _on_picture(self) -> None:
        """Send a new picture to the window; if the shown tab has closed, look for another one."""
        if self._visitor:
            self._visitor.wake()
        if self._screencast.session is None:
            self._look.set()

    def _on_command(self, command: FeedCommand) -> None:
        """Show in the window that a command of the daemon has begun or ended, and follow its tab."""
        if command.depth == 0:
            self._followed = command.context, command.tab
            if command.has_ended:
                self._screencast.resume_soon()
            else:
                self._screencast.pause(acts=command.name in ACTIONS)
        active_tab = next(
            (each.tabs.active for each in self._open_contexts() if each.name == command.context), None
        )
        message = {
            "command": command.number,
            "context": command.context,
            "line": command.line,
            "depth": command.depth,
            "tab": command.tab or active_tab or 0,
            "at": command.at,
            "seconds": round(command.seconds, 3),
            "code": command.code,
            "reply": self._hide(command.reply)[:MOST_REPLY],
        }
        if command.has_ended:
            self._commands.append(message)
        self._look.set()
        if self._visitor:
            self._visitor.queue_message(message)

    def _find_tab(self) -> tuple[OpenContext | None, Tab | None]:
        """Return context and tab to show.

        That is the tab that the person controls, else the one chosen in the window, else that of the last command.
        (None, None) for none; the tab alone is None if the context has no tab.
        """
        if self._turn and not self._turn.is_over:
            return self._turn.browser, self._turn.tab
        for context in self._open_contexts():
            if self._chosen and (chosen := context.tabs.get(self._chosen)):
                return context, chosen
        self._chosen = 0
        name, number = self._followed
        followed = next((each for each in self._open_contexts() if each.name == name), None)
        return followed, (followed.tabs.get(number) or followed.tabs.get()) if followed is not None else None

    def _make_state(self, shown: Tab | None) -> dict[str, Any]:
        """Return the state for the window, as JSON: all tabs, the shown tab, who controls it."""
        tabs = [
            {
                "tab": tab.id,
                "context": context.name,
                "url": self._hide(shown_url(tab.url)),
                "active": tab.id == context.tabs.active,
            }
            for context in self._open_contexts()
            for tab in context.tabs
        ]
        gone = shown.gone_error() if shown else None
        turn = self._turn
        control = "off" if not self.may_control else "none"
        if turn and self.may_control:
            control = "person" if turn.has_begun else "waiting"
        return {
            "tabs": tabs[:MOST_TABS],
            "shown": shown.id if shown else 0,
            "url": self._hide(shown_url(shown.url)) if shown else "",
            "follows": not self._chosen,
            "gone": gone.message if gone else "",
            "control": control,
            "note": self._note,
        }

    async def _keep_showing(self, visitor: Visitor) -> None:
        """Keep a window up to date, until cancelled: send changes of the state, and show the right tab."""
        while True:
            session, tab = self._find_tab()
            await self._show_tab(session, tab)
            state = self._make_state(tab)
            if state != visitor.state:
                visitor.state = state
                visitor.queue_message({"state": state})
            self._look.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(CHECK_SECONDS):
                    await self._look.wait()
            await asyncio.sleep(BATCH_SECONDS)

    async def _show_tab(self, browser: OpenContext | None, tab: Tab | None) -> None:
        """Start the screencast of a tab unless it runs; stop it if there is no tab to show."""
        if browser is None or tab is None or tab.gone_error():
            await self._screencast.stop()
        elif not self._screencast.is_showing(tab.page.target):
            with suppress(ProtocolError, TimeoutError):  # it has just closed: the next look finds another
                await self._screencast.start(browser.running, tab.page.target)

    # the window

    async def _serve_live(self, request: web.Request) -> web.WebSocketResponse:
        """Serve the web socket of a window until it closes. A second window of the visitor replaces the first."""
        socket = web.WebSocketResponse(
            timeout=_CLOSE_SECONDS, heartbeat=_BEAT_SECONDS, max_msg_size=MOST_MESSAGE, compress=False
        )
        await socket.prepare(request)
        if earlier := self._visitor:
            await self._end_turn()
            await earlier.socket.close(code=WSCloseCode.POLICY_VIOLATION, message=b"another window")
        visitor = self._visitor = Visitor(socket)
        for command in self._commands:
            visitor.queue_message(command)
        await self._screencast.stop()  # shown anew, so that the window gets a first picture
        tasks = [
            asyncio.ensure_future(visitor.write(self._screencast)),
            asyncio.ensure_future(self._keep_showing(visitor)),
        ]
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    await self._on_message(visitor, message.data)
        finally:
            for task in tasks:
                task.cancel()
            if self._visitor is visitor:
                self._visitor = None
                await self._end_turn()
                await self._screencast.stop()
        return socket

    async def _on_message(self, visitor: Visitor, text: str) -> None:
        """Handle a message of the window: picture drawn, tab chosen, control taken or given back, or input."""
        try:
            message = orjson.loads(text)
        except orjson.JSONDecodeError:
            return
        if not isinstance(message, dict) or self._visitor is not visitor:
            return
        kind = message.get("do")
        if kind == "drawn":
            visitor.has_drawn = True
            visitor.wake()
        elif kind == "show" and isinstance(number := message.get("tab"), int):
            await self._end_turn()
            self._chosen = number
        elif kind == "take" and self.may_control:
            await self._begin_turn()
        elif kind == "give":
            await self._end_turn()
        elif self._turn and self._turn.has_begun and not self._turn.is_over:
            self._send_input(message)
            return
        self._look.set()

    # the person's turn

    async def _begin_turn(self) -> None:
        """Give the person control of the shown tab, once its running command has ended."""
        session, tab = self._find_tab()
        self._note = ""
        if session and tab and not self._turn:
            self._turn = PersonTurn(session, tab, self._on_turn_changed, self._on_turn_ended)

    async def _end_turn(self) -> None:
        """End the person's control of the tab."""
        turn, self._turn = self._turn, None
        if self._input:
            self._input.release()
            self._input = None
        if turn:
            await turn.end()

    def _on_turn_changed(self) -> None:
        """Update the window as the person's control has begun, or has ended because the tab closed or crashed."""
        if self._turn and self._turn.is_over:  # the tab has closed or crashed
            tab = self._turn.tab
            how = "has crashed" if tab.crashed else "was closed"
            self._note = f"Tab {tab.id} {how}: it is not yours any more."
            self._turn = self._input = None
        self._look.set()

    def _on_turn_ended(self, turn: PersonTurn, seconds: float) -> None:
        """Note for the next reply in the tab's context that a person has had it for so many seconds."""
        length = max(round(seconds), 1)
        self._notify(
            turn.browser.name,
            f"A person had tab {turn.tab.id} for {length} s, in 'watch': look at the page again",
        )

    def _send_input(self, message: dict[str, Any]) -> None:
        """Send a person's mouse or key event in a message of the window to the shown page."""
        session = self._screencast.session
        if session is None:
            return
        if self._input is None or self._input.session is not session:
            self._input = PersonInput(session)
        self._input.send(message, self._screencast.width, self._screencast.height)
