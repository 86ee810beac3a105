"""Make a command's output and failures fit for a reply: truncate, sanitise, redact."""

import re
from collections.abc import Callable
from functools import cache

from gstack_browse.browser.command.page import PageOpener
from gstack_browse.errors import BrowseError, NoService, UnknownCommand, UsageError
from gstack_browse.protocol import Reply, failure
from gstack_browse.registry import REGISTRY, Bound, Command, Requires, with_usage
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line, sanitise
from gstack_browse.workspace import shortage

DEFAULT_CHARACTERS = 100_000


def truncate_start(text: str, limit: int = DEFAULT_CHARACTERS) -> str:
    """Keep whole lines at the end of `text`, at most `limit` characters.

    A longer last line is cut. 0: no limit.
    """
    if not limit or len(text) <= limit:
        return text
    cut = text.find("\n", len(text) - limit - 1)
    kept = text[cut + 1 :] if cut >= 0 else text[-limit:]
    return f"… only the last {len(kept)} of {len(text)} characters; all of it: --max {len(text)}\n{kept}"


def truncate(text: str, limit: int = DEFAULT_CHARACTERS) -> str:
    """Cut `text` after at most `limit` characters, near the end of a line if possible; 0: no limit."""
    if not limit or len(text) <= limit:
        return text
    cut = text.rfind("\n", limit - min(limit // 10, 2_000), limit)
    kept = text[: cut if cut > 0 else limit]
    return f"{kept}\n… cut after {len(kept)} of {len(text)} characters; all of it: --max {len(text)}"


_MESSAGE_CHARACTERS = 1000
_HINT_CHARACTERS = 4000


def truncate_page_text(text: str, bound: Bound) -> str:
    """Truncate page text to `--max` or the default; commands with a `--max` of their own do it themselves."""
    if "--max" not in bound.command.shared_options:
        return text
    limit = bound.max_characters
    cut = truncate_start if bound.command.keeps_end else truncate
    return cut(text, DEFAULT_CHARACTERS if limit is None else limit)


def error_reply(error: BrowseError, bound: Bound | None, context: str, tab: int | None) -> Reply:
    """Return the reply that reports `error`.

    Commands in its hint get `--as` and `--tab` of the request. `tab`: None if that tab is active.
    """
    if bound and isinstance(error, UsageError) and not isinstance(error, UnknownCommand | NoService):
        error = with_usage(error, bound.command)
    hidden = bound.secrets if bound else []
    hint = add_target_options(error.hint, context, tab)
    reply = failure(error)
    reply.message = redact(one_line(error.message, _MESSAGE_CHARACTERS), hidden)
    reply.hint = redact(sanitise(hint)[:_HINT_CHARACTERS], hidden)
    return reply


def internal_error(error: Exception, log: str) -> BrowseError:
    """Return a failure for an exception that no command raises on purpose: a shortage, or a bug.

    `log`: path of the log with the details.
    """
    return shortage.explain_shortage(error) or BrowseError(
        f"Internal error: {type(error).__name__}: {one_line(str(error), 200)}",
        f"This is a bug in gbrowse; {log} has the details",
    )


def add_target_options(hint: str, context: str = "", tab: int | None = None) -> str:
    """Add `--as` and `--tab` to the commands in a hint; without them they would act on another tab."""
    if tab is not None:
        hint = _command_pattern(_tab_commands()).sub(f"'--tab {tab} ", hint)
    return _command_pattern(_context_commands()).sub(rf"'--as {context} \1", hint) if context else hint


def _command_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that matches between the quote and the name in a hint such as `'goto <url>'`.

    It matches these commands only, and captures a `--tab 2` before the name.
    """
    return _compile_pattern("|".join(map(re.escape, names)))


@cache
def _compile_pattern(names: str) -> re.Pattern[str]:
    """Return a pattern that matches, in quotes, one of the command names (`a|b|c`)."""
    return re.compile(rf"'((?:--tab \d+ )?)(?=(?:{names})\b)")


@cache
def _tab_commands() -> tuple[str, ...]:
    """Return names of commands that act on a tab."""
    return _list_names(lambda item: item.requires is Requires.PAGE or item.need is PageOpener)


@cache
def _context_commands() -> tuple[str, ...]:
    """Return names of commands that act in a browser context."""
    own = (Requires.PAGE, Requires.BROWSER, Requires.DAEMON)
    return _list_names(lambda item: item.requires in own and not item.ends_daemon)


def _list_names(predicate: Callable[[Command], bool]) -> tuple[str, ...]:
    """Return the names of the commands that match `predicate`."""
    return tuple(name for item in REGISTRY.commands.values() if predicate(item) for name in item.names)
