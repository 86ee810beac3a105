"""Let a person act in a tab from the watch page. The tab's commands wait meanwhile."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.session.session import BrowserSession
from gstack_browse.browser.tab.tab import BUTTONS, PERSON, Tab
from gstack_browse.errors import BrowseError

MOST_TEXT = 100_000
"""Characters of a text that is pasted."""
_MOST_KEY = 40
_MOST_WHEEL = 10_000.0
_ENTER = "\r"
_CONTROL, _META = 2, 4


class PersonTurn:
    """A person's turn in a tab, from when they ask for it until they give it back.

    It begins once the command that runs there has ended. `changed` is called when it begins and ends; `ended` with its
    length in seconds once it is over, if it has begun.
    """

    def __init__(
        self,
        session: BrowserSession,
        tab: Tab,
        changed: Callable[[], None],
        ended: Callable[["PersonTurn", float], None],
    ) -> None:
        self.session = session
        self.tab = tab
        self.has_begun = False
        self.is_over = False
        self._is_given_back = False
        self._changed = changed
        self._ended = ended
        self._task = asyncio.get_running_loop().create_task(self._hold())

    async def end(self) -> None:
        """Give the tab back to its commands."""
        self._is_given_back = True
        self.tab.wake_waiters()
        if not self.has_begun:
            self._task.cancel()
        await asyncio.wait([self._task])

    async def _hold(self) -> None:
        """Hold the tab's queue until the person gives it back, or the tab closes."""
        try:
            # a crashed page, or one that has closed, ends the turn
            with suppress(BrowseError, ProtocolError):
                async with self.tab.lane:
                    await self._keep_commands_out()
        finally:
            self.is_over = True
            self.session.visited.discard(self)
            self._changed()

    async def _keep_commands_out(self) -> None:
        """Wait until the person gives the tab back; note the turn in a film and for the next reply."""
        began = time.monotonic()
        self.has_begun = True
        self.session.visited.add(self)  # the daemon does not leave meanwhile, for idleness or an update
        self._changed()
        page = self.tab.page
        page.on("close", self._on_page_closed)
        if self.session.film and self.session.film.is_filming(self.tab):
            self.session.film.add("person", {"has": True})
        try:
            with self.tab.running(PERSON):
                await self.tab.wait_until(lambda: self._is_given_back or page.is_closed())
        finally:
            page.off("close", self._on_page_closed)
            if self.session.film:
                self.session.film.add("person", {"has": False})
            self.tab.note_action(asyncio.get_running_loop().time())
            self._ended(self, time.monotonic() - began)

    def _on_page_closed(self, page: Page) -> None:
        """Wake what waits for the tab."""
        self.tab.wake_waiters()


class PersonInput:
    """Input of a person for one session with a page. What is still down is released by `release`."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._keys: dict[str, dict[str, Any]] = {}
        self._button: dict[str, Any] | None = None

    def send(self, message: dict[str, Any], width: float, height: float) -> None:
        """Pass on an action of the watch page. What is not understood is left out.

        `width`, `height`: of the page in CSS pixels; places in messages are parts of these, from 0 to 1.
        """
        kind = message.get("do")
        if kind in ("down", "up", "move", "wheel"):
            self._send_mouse(kind, message, width, height)
        elif kind in ("keydown", "keyup"):
            self._send_key(kind, message)
        elif kind == "paste" and isinstance(text := message.get("text"), str):
            self.session.notify("Input.insertText", {"text": text[:MOST_TEXT]})

    def release(self) -> None:
        """Release the mouse button and the keys that are down."""
        if self._button:
            self.session.notify("Input.dispatchMouseEvent", {**self._button, "type": "mouseReleased"})
        for event in self._keys.values():
            self.session.notify("Input.dispatchKeyEvent", {**event, "type": "keyUp"})
        self._keys, self._button = {}, None

    def _send_mouse(self, kind: str, message: dict[str, Any], width: float, height: float) -> None:
        """Send a mouse event to the page. Positions are shares (0 to 1) of `width` and `height`."""
        button = message.get("button")
        event: dict[str, Any] = {
            "x": _clamp(message.get("x"), 0, 1) * width,
            "y": _clamp(message.get("y"), 0, 1) * height,
            "modifiers": _parse_modifiers(message),
            "button": button if kind in ("down", "up") and button in BUTTONS else "none",
            "buttons": int(_clamp(message.get("buttons"), 0, 31)),
            "clickCount": int(_clamp(message.get("clicks"), 0, 3)) if kind in ("down", "up") else 0,
        }
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
        """Send a key event to the page; keys that are down are kept, so that `release` can end them."""
        key, code = message.get("key"), message.get("code")
        if not (isinstance(key, str) and isinstance(code, str)) or len(key) + len(code) > _MOST_KEY:
            return
        modifiers = _parse_modifiers(message)
        is_typed = len(key) == 1 and not modifiers & (_CONTROL | _META)
        text = _ENTER if key == "Enter" else key if is_typed else ""
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
    """Return the modifier keys of a message as the protocol's bit mask."""
    return int(_clamp(message.get("modifiers"), 0, 15))


def _clamp(value: object, least: float, most: float) -> float:
    """Return a number of a message within limits; the least of them for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return least if least >= 0 else 0.0
    return float(min(max(value, least), most))
