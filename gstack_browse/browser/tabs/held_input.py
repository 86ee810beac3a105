"""What a tab's pointer and keyboard hold between two commands: keys, a button of the mouse, what is dragged. Sends nothing."""

import asyncio
import time
from typing import Any

from gstack_browse.browser.cdp.session import Session

_BITS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
"""Modifier keys as the protocol counts them."""
BUTTONS = {"left": 1, "right": 2, "middle": 4}


class HeldInput:
    """Of one page: another page in the tab begins with nothing held."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        """Keys that are down, in the order in which they were pressed, in Playwright's spelling."""
        self.button = ""
        """The button of the mouse that is down; "" for none."""
        self.at: tuple[float, float] | None = None
        """Where the pointer is in the viewport; None where no command has said."""
        self.home: tuple[float, float] | None = None
        """Where the button went down."""
        self.cargo: dict[str, Any] | None = None
        """What Chromium has said of a drag of its own (HTML5 drag and drop) that is under way."""
        self.intercepting: Session | None = None
        """The session that hears of such drags."""
        self.ending: asyncio.Future[Any] | None = None
        """Done when what was cut off is over: the page has had the end of a drag, or Playwright has ended an action."""

    @property
    def modifiers(self) -> int:
        """The modifier keys that are down, as the protocol has them."""
        return sum({_BITS.get(key.removesuffix("Left").removesuffix("Right"), 0) for key in self.keys})

    @property
    def buttons(self) -> int:
        """The buttons that are down, as the protocol has them."""
        return BUTTONS.get(self.button, 0)

    async def until_ended(self, seconds: float) -> None:
        """Wait until what was cut off is over, before another action begins; so long at most."""
        give_up = time.monotonic() + seconds
        while (ending := self.ending) and (left := give_up - time.monotonic()) > 0:
            done, _ = await asyncio.wait([ending], timeout=left)
            if done and self.ending is ending:
                self.ending = None

    def lines(self) -> list[str]:
        """What is held, and how to let it go: a remark of every reply, until that is done."""
        lines = []
        if self.button:
            lines.append(f"the {self.button} mouse button is down: 'mouse up' releases it")
        if self.keys:
            ways = ", ".join(f"'keyup {key}'" for key in self.keys)
            lines.append(f"{' and '.join(self.keys)} held down: {ways} to release")
        return lines
