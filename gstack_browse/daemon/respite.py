"""When to begin with what no command needs yet: behind the first answer, once nobody asks for anything, or as soon as somebody waits for it.

Importing Playwright and the rest of our own code, and having Playwright take the page over, keeps this process busy for a third of a second. An
agent that sends its next commands at once gets their answers first, as far as they can do without. Node, a process of its own that
loads for as long, is started with the first answer.
"""

import asyncio
from collections.abc import Callable

QUIET_SECONDS = 0.03
"""How long nothing may have run, and nobody have asked, after a command was answered."""
FIRST_SECONDS = 0.4
"""How long the first command may take before this does not wait for its answer any more."""
MOST_SECONDS = 1.0
"""How long commands that follow one another may put this off."""


class Respite:
    """`is_busy` says whether a command runs."""

    def __init__(self, is_busy: Callable[[], bool]) -> None:
        self._is_busy = is_busy
        self._ended = 0.0
        self._changed = asyncio.Event()
        self._is_wanted = False
        self._has_answered = False

    def answered(self) -> None:
        """A command has just been answered."""
        self._ended = asyncio.get_running_loop().time()
        self._has_answered = True
        self._changed.set()

    def end(self) -> None:
        """Somebody waits for what is put off."""
        self._is_wanted = True
        self._changed.set()

    async def first_answer(self) -> None:
        """Return when a command has been answered, or will not be for a while, or somebody waits."""
        now = asyncio.get_running_loop().time
        give_up = now() + FIRST_SECONDS
        while not (self._is_wanted or self._has_answered) and now() < give_up:
            await self._change(give_up - now())

    async def over(self) -> None:
        """Return when it is time to begin."""
        await self.first_answer()
        now = asyncio.get_running_loop().time
        give_up = now() + MOST_SECONDS
        while not self._is_wanted and (left := min(self._quiet_at(), give_up) - now()) > 0:
            await self._change(left)

    def _quiet_at(self) -> float:
        """When it is quiet, if nothing happens until then."""
        now = asyncio.get_running_loop().time()
        return (now if self._is_busy() else self._ended) + QUIET_SECONDS

    async def _change(self, seconds: float) -> None:
        self._changed.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return
