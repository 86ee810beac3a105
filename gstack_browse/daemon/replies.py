"""What a command printed, and how it failed, as text that is fit to be sent: bounded, clean, without secrets, marked as a page's."""

import re
from collections.abc import Callable, Sequence
from functools import cache

from gstack_browse import shortage
from gstack_browse.browser.tabs.page import PageOpener
from gstack_browse.errors import BrowseError, NoService, UnknownCommand, UsageError
from gstack_browse.protocol import Reply, failure
from gstack_browse.registry import REGISTRY, Bound, Command, Requires, with_usage
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
    return fence(text, one_line(source, 200) or "the browser")


def failed(error: BrowseError, bound: Bound | None, context: str, tab: int | None) -> Reply:
    """The reply that reports `error` in a browser context; `tab` is the one that `--tab` named, unless that is the active one."""
    if bound and isinstance(error, UsageError) and not isinstance(error, UnknownCommand | NoService):
        error = with_usage(error, bound.command)
    hidden = bound.secrets if bound else []
    hint = aimed(error.hint, context, tab)
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


def aimed(hint: str, context: str = "", tab: int | None = None) -> str:
    """The hint with `--as` and `--tab` in its commands: typed without, they would mean another context or the active tab."""
    if tab is not None:
        hint = _before(_on_tab()).sub(f"'--tab {tab} ", hint)
    return _before(_in_context()).sub(rf"'--as {context} \1", hint) if context else hint


def _before(names: tuple[str, ...]) -> re.Pattern[str]:
    """The place in a hint before one of these commands, with what stands between: `--tab 2`."""
    return _compiled("|".join(map(re.escape, names)))


@cache
def _compiled(names: str) -> re.Pattern[str]:
    return re.compile(rf"'((?:--tab \d+ )?)(?=(?:{names})\b)")


@cache
def _on_tab() -> tuple[str, ...]:
    """What is done on a tab."""
    return _names(lambda item: item.requires is Requires.PAGE or item.need is PageOpener)


@cache
def _in_context() -> tuple[str, ...]:
    """What is done in a browser context."""
    own = (Requires.PAGE, Requires.BROWSER, Requires.DAEMON)
    return _names(lambda item: item.requires in own and not item.ends_daemon)


def _names(is_meant: Callable[[Command], bool]) -> tuple[str, ...]:
    return tuple(name for item in REGISTRY.commands.values() if is_meant(item) for name in item.names)
