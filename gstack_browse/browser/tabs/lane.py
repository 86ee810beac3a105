"""The lane of a tab: one page command runs in it, the others queue in order."""

import asyncio
from typing import Self


class Lane:
    """The lock of a tab. Held by the command that runs in the tab, or to keep commands out of it."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self.command = ""
        """The name of the running command."""
        self.task: asyncio.Task[object] | None = None
        """The task that runs the command."""
        self.is_cut = False
        """Whether the command was cancelled by `cut`."""
        self.waiting = 0
        """Number of commands waiting for the lane."""

    async def acquire(self) -> None:
        """Wait for the lane. Commands get it in the order in which they asked."""
        self.waiting += 1
        try:
            await self._lock.acquire()
        finally:
            self.waiting -= 1

    def release(self) -> None:
        """Let the next command have the lane."""
        self._lock.release()

    async def __aenter__(self) -> Self:
        await self.acquire()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()

    def begin(self, command: str) -> None:
        """Note that the current task, which holds the lane, runs `command`."""
        self.command = command
        self.task = asyncio.current_task()
        self.is_cut = False

    def end(self) -> None:
        """Note that the command is done."""
        self.command = ""
        self.task = None

    def cancel(self) -> None:
        """Cancel the command that runs, if one does."""
        if self.task:
            self.task.cancel()

    def cut(self, task: asyncio.Task[object] | None) -> None:
        """Cancel the command of that task, if it still runs, because its page will not answer."""
        if task and task is self.task:
            self.is_cut = True
            task.cancel()
