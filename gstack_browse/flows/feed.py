"""Tell listeners when commands begin and end: the watch page, and traces.

Secrets are taken out before a command gets here.
"""

import shlex
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from gstack_browse.flows.log import FlowLog
from gstack_browse.text.redact import REDACTED, redact
from gstack_browse.text.sanitise import one_line

MOST_LINE = 500
MOST_REPLY = 20_000


@dataclass(eq=False)
class FeedCommand:
    """A command that runs or has ended. `depth`: 1 for a step of another command, 0 for one of a client."""

    number: int
    context: str
    """The name of its browser context; "" for the default one."""
    name: str
    line: str
    tab: int | None
    """The tab that the client named; None for the active one."""
    depth: int = 0
    at: float = field(default_factory=time.time)
    """When it began, in seconds since the epoch."""
    began: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    code: int | None = None
    """The exit code; None while it runs."""
    reply: str = ""

    @property
    def has_ended(self) -> bool:
        """Return whether the command has its reply."""
        return self.code is not None


class TypedSecrets:
    """The values that one context has typed into fields for secrets, as far as its flow log has them."""

    def __init__(self, log: FlowLog) -> None:
        self._log = log
        self._seen = 0
        self._values: set[str] = set()

    def hide(self, text: str) -> str:
        """Mask the secrets that were typed in a text, except those of fewer than 4 characters."""
        count, self._seen = self._log.total - self._seen, self._log.total
        new = islice(reversed(self._log.done), count)
        if any(each.secrets or each.fields or each.command == "press" for each in new):
            from gstack_browse.flows import saving  # only while somebody watches

            self._values.update(saving.collect_secrets(self._log, ()).values)
        for value in sorted(self._values, key=len, reverse=True):
            text = text.replace(value, REDACTED)
        return text


PageWork = Callable[[FeedCommand], Awaitable[None]]
"""Awaited after a command has succeeded on a page, before the next one may have that page. Must not raise."""
Listener = Callable[[FeedCommand], object]
"""Called twice for each command: when it begins and when it has ended. Must not raise."""


class CommandFeed:
    """Calls listeners when a command of the daemon begins and ends. False while it has none."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self.page_work: list[PageWork] = []
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._listeners)

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with each command, when it begins and when it has ended, from now on."""
        self._listeners.append(listener)

    def unsubscribe(self, listener: Listener) -> None:
        """Call a listener no longer; do nothing if it was not subscribed."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def begin(
        self, words: Sequence[str], context: str, *, tab: int | None, depth: int, secrets: Iterable[str]
    ) -> FeedCommand:
        """Tell the listeners that a command begins, and return it.

        `words`: name and arguments; `secrets`: what is masked in them; `depth`: 1 for a step of another command, 0
        for a client's.
        """
        self._count += 1
        command = FeedCommand(self._count, context, words[0], render_line(words, secrets), tab, depth)
        self._notify_listeners(command)
        return command

    def end(self, command: FeedCommand, reply: str, code: int) -> None:
        """Tell the listeners that a command has ended.

        reply: its output, or the message of its failure. code: its exit code
        """
        command.seconds = time.monotonic() - command.began
        command.reply, command.code = reply[:MOST_REPLY], code
        self._notify_listeners(command)

    def _notify_listeners(self, command: FeedCommand) -> None:
        """Call each listener with a command that begins or has ended."""
        for listener in list(self._listeners):
            listener(command)


def render_line(words: Sequence[str], secrets: Iterable[str]) -> str:
    """Render a command as it was typed, with its secrets masked, however short they are."""
    hidden = set(secrets)
    shown = [REDACTED if word in hidden else word[: 4 * MOST_LINE] for word in words]
    return one_line(redact(shlex.join(shown), hidden), MOST_LINE)
