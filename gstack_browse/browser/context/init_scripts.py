"""Run the scripts of `init-script` in every document before its own, also in frames and windows.

Each target gets them before it may run.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.cdp.target_events import TargetEvents
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.errors import ActionFailed

MOST_SCRIPTS = 50
MOST_CHARACTERS = 10_000_000
"""Limit for all scripts together: they are kept with the context's state."""


TARGET_SECONDS = 2.0
"""Time limit for targets to answer. A page that hangs is told once it goes on."""


@dataclass
class InitScript:
    """A script of `init-script`, and the name of its file.

    `added`: target → Chromium's answer, with its id of the script there.
    """

    name: str
    source: str = field(repr=False)
    added: "WeakKeyDictionary[Target, asyncio.Future[dict[str, Any]]]" = field(
        default_factory=WeakKeyDictionary, repr=False
    )

    def add_to(self, target: Target, *, at_once: bool) -> "asyncio.Future[dict[str, Any]]":
        """Add the script to a target, such as a page, and return the future of Chromium's answer.

        `at_once`: run it in the present document, too.
        """
        params = {"source": self.source, "runImmediately": at_once}
        self.added[target] = answer = target.session.send("Page.addScriptToEvaluateOnNewDocument", params)
        answer.add_done_callback(consume_exception)
        return answer

    async def remove_from(self, target: Target) -> None:
        """Remove the script from a target, which may have closed."""
        with suppress(ProtocolError):
            identifier = (await self.added[target])["identifier"]
            params = {"identifier": identifier}
            await target.session.send("Page.removeScriptToEvaluateOnNewDocument", params)


class InitScripts:
    """The init scripts of a context, by number. A number is never used again."""

    def __init__(self) -> None:
        self.scripts: dict[int, InitScript] = {}
        self.next_number = 1
        self._targets: Callable[[], list[Target]] = list

    def follow(self, events: TargetEvents, subscriber: Subscriber) -> None:
        """Run all scripts in each new document of the targets whose events `subscriber` gets."""
        self._targets = partial(events.targets_of, subscriber)
        for script in self.scripts.values():
            script.added.clear()  # in the browser context before
        events.call_for_targets(subscriber, self._add_scripts)

    def _add_scripts(self, target: Target) -> None:
        """Add all scripts to a new target."""
        if target.has_documents:
            for script in self.scripts.values():
                script.add_to(target, at_once=True)

    async def add(self, name: str, source: str) -> int:
        """Add a script for all documents that load from now on, and return its number. `name`: of its file.

        Raises ActionFailed if there are too many scripts or characters.
        """
        if len(self.scripts) >= MOST_SCRIPTS:
            raise ActionFailed(
                f"{MOST_SCRIPTS} scripts run in every page, as many as may",
                "'init-scripts' lists them, 'init-script --remove <n>' removes one",
            )
        if sum(len(script.source) for script in self.scripts.values()) + len(source) > MOST_CHARACTERS:
            raise ActionFailed(f"The scripts would have more than {MOST_CHARACTERS:,} characters together")
        number, self.next_number = self.next_number, self.next_number + 1
        self.scripts[number] = script = InitScript(name, source)
        documents = [target for target in self._targets() if target.has_documents]
        if adding := [script.add_to(target, at_once=False) for target in documents]:
            await asyncio.wait(adding, timeout=TARGET_SECONDS)
        return number

    async def remove(self, number: int) -> InitScript:
        """Remove script `number`, so that it runs in no later document. Raises ActionFailed if it is unknown."""
        if not (script := self.scripts.pop(number, None)):
            raise ActionFailed(f"There is no script {number}", "Run 'init-scripts' to see which there are")
        with suppress(TimeoutError):
            async with asyncio.timeout(TARGET_SECONDS):
                await asyncio.gather(*map(script.remove_from, list(script.added)))
        return script

    def state(self) -> list[list[Any]]:
        """Return [[number, name, source]] of the scripts, to add them to the next browser."""
        return [[number, script.name, script.source] for number, script in self.scripts.items()]

    def restore(self, state: list[list[Any]], next_number: int) -> None:
        """Restore the scripts that `state` returned in an earlier browser, and its next number.

        Call it before `follow`.
        """
        self.scripts = {number: InitScript(name, source) for number, name, source in state}
        self.next_number = max([next_number, *(number + 1 for number in self.scripts)])
