"""Scripts that run in every document before its own: in frames, windows and new tabs, too.

Playwright installs them.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gstack_browse.browser.cdp.audience import Subscriber
from gstack_browse.browser.cdp.driver_types import BrowserContext
from gstack_browse.browser.cdp.tap import TargetEvents
from gstack_browse.errors import ActionFailed

MOST_SCRIPTS = 50
MOST_CHARACTERS = 10_000_000
"""Limit for all scripts together: they are kept with the session's state."""


@dataclass
class InitScript:
    """A script and what its file was called. `held` is what Playwright takes the script out by."""

    name: str
    source: str = field(repr=False)
    held: AbstractAsyncContextManager[Any, Any] | None = None


class InitScripts:
    """Of one session, whichever browser it is in. A number is never used again."""

    def __init__(self) -> None:
        self.scripts: dict[int, InitScript] = {}
        self._next = 1
        self._changed: Callable[[], None] = lambda: None

    def follow(self, tap: TargetEvents, heard: Subscriber) -> None:
        """Have `heard` get contexts of documents without own scripts, too, while there are init scripts."""
        heard.has_scripts = lambda: bool(self.scripts)
        self._changed = partial(tap.scripts_changed, heard)

    async def attach(self, context: BrowserContext) -> None:
        """Run all scripts in the documents of this context from now on. Raises ProtocolError."""
        for script in self.scripts.values():
            script.held = await context.add_init_script(script.source)

    async def add(self, context: BrowserContext, name: str, source: str) -> int:
        """Add a script and return its number.

        Raises ProtocolError, and ActionFailed if there are too many scripts or characters.
        """
        if len(self.scripts) >= MOST_SCRIPTS:
            raise ActionFailed(
                f"{MOST_SCRIPTS} scripts run in every page, as many as may",
                "'init-scripts' lists them, 'init-script --remove <n>' removes one",
            )
        if sum(len(script.source) for script in self.scripts.values()) + len(source) > MOST_CHARACTERS:
            raise ActionFailed(f"The scripts would have more than {MOST_CHARACTERS:,} characters together")
        number, self._next = self._next, self._next + 1
        self.scripts[number] = InitScript(name, source, await context.add_init_script(source))
        self._changed()
        return number

    async def remove(self, number: int) -> InitScript:
        """Remove script `number`, so that it runs in no later document. Raises ActionFailed if it is unknown."""
        if not (script := self.scripts.pop(number, None)):
            raise ActionFailed(f"There is no script {number}", "Run 'init-scripts' to see which there are")
        if script.held:
            async with script.held:  # leaving this context removes the script
                pass
        self._changed()
        return script

    def state(self) -> list[list[Any]]:
        """Return number, name and source of each script, for the next browser."""
        return [[number, script.name, script.source] for number, script in self.scripts.items()]

    def restore(self, state: list[list[Any]]) -> None:
        """Restore what `state` returned, before `attach`."""
        self.scripts = {number: InitScript(name, source) for number, name, source in state}
        self._next = max(self.scripts, default=0) + 1
