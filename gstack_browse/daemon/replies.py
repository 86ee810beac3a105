"""What a command printed, and how it failed, as text that is fit to be sent: bounded, clean, without secrets, marked as a page's."""

import os
import re
from collections.abc import Sequence
from functools import cache

from gstack_browse import shortage
from gstack_browse.browser.tabs.page import PageOpener
from gstack_browse.errors import BrowseError, UnknownCommand, UsageError
from gstack_browse.protocol import Reply, failure
from gstack_browse.registry import REGISTRY, Bound, Requires, with_usage
from gstack_browse.text.fence import fence
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line, sanitise
from gstack_browse.text.truncate import DEFAULT_CHARACTERS, truncate

_MESSAGE_CHARACTERS = 1000
_HINT_CHARACTERS = 4000


def bounded(text: str, bound: Bound) -> str:
    """Text of a page, no longer than `--max` or the default; a command with a `--max` of its own keeps to that itself."""
    if "--max" not in bound.command.shared_options:
        return text
    limit = bound.max_characters
    return truncate(text, DEFAULT_CHARACTERS if limit is None else limit)


def fenced(text: str, sources: Sequence[str]) -> str:
    """`text` in a fence that names the page it is of; as it is where no page has a part in it (`sources` is empty)."""
    if not sources:
        return text
    source = sources[0] if len(set(sources)) == 1 else ""
    return fence(text, os.urandom(8).hex(), one_line(source, 200) or "the browser")


def failed(error: BrowseError, bound: Bound | None, tab: int | None) -> Reply:
    """The reply that reports `error`. `tab` is the one that `--tab` named, unless that is the active one."""
    if bound and isinstance(error, UsageError) and not isinstance(error, UnknownCommand):
        error = with_usage(error, bound.command)
    hidden = bound.secrets if bound else []
    hint = error.hint if tab is None else aimed(error.hint, tab)
    reply = failure(error)
    reply.message = redact(one_line(error.message, _MESSAGE_CHARACTERS), hidden)
    reply.hint = redact(sanitise(hint)[:_HINT_CHARACTERS], hidden)
    return reply


def fault(error: Exception, log: str) -> BrowseError:
    """An exception that no command raises on purpose, as a failure: a shortage of the system's, or a bug. `log` has more."""
    return shortage.explain(error) or BrowseError(
        f"Internal error: {type(error).__name__}: {one_line(str(error), 200)}",
        f"This is a bug in gbrowse; {log} has the details",
    )


def aimed(hint: str, tab: int) -> str:
    """The hint with `--tab` in its commands: typed without, 'goto' and 'closetab' would harm the active tab."""
    return _before_tab_commands().sub(f"'--tab {tab} ", hint)


@cache
def _before_tab_commands() -> re.Pattern[str]:
    """The place in a hint before a command that works on a tab."""
    on_tab = [
        item for item in REGISTRY.commands.values() if item.requires is Requires.PAGE or item.need is PageOpener
    ]
    return re.compile(rf"'(?=(?:{'|'.join(name for item in on_tab for name in item.names)})\b)")
