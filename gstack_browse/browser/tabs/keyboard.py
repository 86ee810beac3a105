"""Presses keys and types text into a page's focused element, over our own session with the page."""

import asyncio
from collections.abc import Sequence
from typing import Any

from gstack_browse.browser.cdp import keys
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.tabs.held_input import HeldInput
from gstack_browse.errors import UsageError


class Keyboard:
    """The keyboard of a tab, with the US layout.

    Events go to the page's session, and Chromium passes them to the frame that has the focus. Each is sent once the page has
    handled the one before. `held`: the keys that stay down between commands.
    """

    def __init__(self, world: World, held: HeldInput) -> None:
        self._world = world
        self._held = held

    async def press(self, key: str, *, pause: float = 0.0) -> None:
        """Press a key or chord, and release it after `pause` seconds. Raises UsageError for an unknown key."""
        is_repeated = keys.has_key(key) and keys.find_code(key) in self._held.codes
        events = keys.make_press(key, self._held.modifiers, is_repeated=is_repeated)
        if not events:
            raise _unknown_key(key)
        await self._send(events, pause)

    async def down(self, key: str, *, is_repeated: bool = False) -> None:
        """Press a key without releasing it. Raises UsageError for an unknown key.

        `is_repeated`: whether it is down already.
        """
        self.require(key)
        await self._send([keys.make_down(key, self._held.modifiers, is_repeated=is_repeated)])

    async def up(self, key: str) -> None:
        """Release a key. Raises UsageError for an unknown key."""
        self.require(key)
        await self._send([keys.make_up(key, self._held.modifiers)])

    async def type(self, text: str, *, pause: float = 0.0) -> None:
        """Press the key of each character; insert those that have none. `pause`: seconds that each is down."""
        for character in text:
            if keys.has_key(character):
                await self.press(character, pause=pause)
            else:
                await asyncio.sleep(pause)
                await self.insert_text(character)

    async def insert_text(self, text: str) -> None:
        """Insert a text without key events, as input methods do."""
        await self._world.session.send("Input.insertText", {"text": text})

    @staticmethod
    def require(key: str) -> None:
        """Raise UsageError for a key that a US keyboard does not have."""
        if not keys.has_key(key):
            raise _unknown_key(key)

    async def _send(self, events: Sequence[dict[str, Any]], pause: float = 0.0) -> None:
        for event in events:
            if pause and event["type"] == "keyUp":
                await asyncio.sleep(pause)
                pause = 0.0
            await self._world.session.send("Input.dispatchKeyEvent", event)


def _unknown_key(key: str) -> UsageError:
    return UsageError(f'Unknown key "{key}"', "A US keyboard has no such key: 'type' inserts the character")
