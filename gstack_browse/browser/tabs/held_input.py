"""Keeps what is held down in a tab between commands: keys, a mouse button, a drag. Sends nothing."""

import asyncio
import time
from typing import Any

from gstack_browse.browser.cdp import keys
from gstack_browse.browser.cdp.session import Session

BUTTONS = {"left": 1, "right": 2, "middle": 4}


class HeldInput:
    """Of one page: another page in the tab begins with nothing held."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        """Keys that are down, by the names that the user gave, in the order in which they were pressed."""
        self.button = ""
        """The button of the mouse that is down; "" for none."""
        self.at: tuple[float, float] | None = None
        """The pointer's place in the viewport; None if no command has moved it."""
        self.home: tuple[float, float] | None = None
        """The place where the button was pressed."""
        self.cargo: dict[str, Any] | None = None
        """Chromium's data of an HTML5 drag that is under way."""
        self.intercepting: Session | None = None
        """The session that intercepts such drags."""
        self.ending: asyncio.Future[Any] | None = None
        """Done when a cancelled action has ended: the page got the end of a drag, or the text of a field."""

    @property
    def modifiers(self) -> int:
        """Return the protocol's bit mask of the modifier keys that are down."""
        return sum({keys.find_modifier(key) for key in self.keys})

    @property
    def codes(self) -> set[str]:
        """Return the codes of the keys that are down."""
        return {keys.find_code(key) for key in self.keys}

    @property
    def buttons(self) -> int:
        """Return the protocol's bit mask of the mouse buttons that are down."""
        return BUTTONS.get(self.button, 0)

    async def until_ended(self, seconds: float) -> None:
        """Wait at most `seconds` until a cancelled action has ended, before another one begins."""
        give_up = time.monotonic() + seconds
        while (ending := self.ending) and (left := give_up - time.monotonic()) > 0:
            done, _ = await asyncio.wait([ending], timeout=left)
            if done and self.ending is ending:
                self.ending = None

    def lines(self) -> list[str]:
        """Describe what is held and the command that releases it, a line each, for every reply until then."""
        lines = []
        if self.button:
            lines.append(f"the {self.button} mouse button is down: 'mouse up' releases it")
        if self.keys:
            ways = ", ".join(f"'keyup {key}'" for key in self.keys)
            lines.append(f"{' and '.join(self.keys)} held down: {ways} to release")
        return lines
