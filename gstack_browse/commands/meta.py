"""Server: several commands at once, the daemon itself, help."""

import asyncio
import re
import shlex
from collections.abc import Sequence
from typing import Literal

import orjson

from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.errors import Refused, UsageError, from_reply
from gstack_browse.protocol import Reply
from gstack_browse.registry import META, READ, REGISTRY, WRITE, Requires, command, resolve_call
from gstack_browse.registry.arguments import Steps, Word
from gstack_browse.registry.completion import render_script
from gstack_browse.registry.usage import command_help, contents, family_help, first_steps, overview
from gstack_browse.text.sanitise import one_line, quote_unless_short
from gstack_browse.text.units import format_count

MOST_STEPS = 1000
_WAITS = frozenset({"wait", "expect"})
_STEP_LINE = re.compile(r"(?m)^[^\S\n]*[^\s#][^\n]*")
"""A line that is neither blank nor a comment."""
_IN_QUOTES = r"""(?:'[^']*+'|"(?:[^"\\]|\\.)*+")(?!\S)"""
_PLAIN_WORD = r"""[^\s'"](?:[^\s'"]|'[^'\n]*+'|"[^"\n]*+")*+(?!\S)"""
_STEP_OF_LINES = re.compile(rf"(?s)(?:[^\S\n]*+(?:{_IN_QUOTES}|{_PLAIN_WORD}))++[^\S\n]*+(?=\n|\Z)")
"""A step whose words in quotes may have line breaks. A quote that stands in a word, as in don't, opens none."""
_QUOTES = 'A text with line breaks, quotes or blanks is one word in quotes: fill @e3 "don\'t"'
MOST_COMPLETED = 500
"""Refs that a shell is offered."""


@command(
    META,
    examples=["chain < steps.txt", 'chain \'[["goto","https://example.com"],["text"]]\''],
    timeout=600,
    reads_stdin=True,
    aliases=["batch"],
)
async def chain(
    daemon: Daemon, steps: Steps | None = None, *, keep_going: bool = False, no_look: bool = False
) -> str:
    """Run several commands in one call, one a line, from a here-document on standard input or an argument.

    gbrowse chain <<'END', then fill @e3 Ann, click @e5 and expect text Saved, each on its line as one types it behind 'gbrowse', then END.
    A chain whose last step, but for 'wait' and 'expect', acts on a page ends in what changed on it ('snapshot -iD'). Wrong words in
    any step are found before the first one runs. Stops at the first failure and exits with its code; what was done
    until then is printed. A step that reads right after an action waits up to 150 ms until the page has stopped changing.
    A JSON object behind a command needs no quotes: fill-form {"@e3": "Ann"}. A line that begins with # is a comment.
    Text with line breaks stands in quotes that begin and end a word, over as many lines: fill @e3 "Dear Ann, and on the next line thanks".
    With --tab the steps are in that tab, until newtab or tab chooses another. Programs may write a JSON list: [["goto","https://example.com"],["fill-form",{"@e3":"Ann"}]].

    keep_going: go on after a failure; exits with the code of the first one
    no_look: print nothing of what changed
    """
    if not steps or not steps.strip():
        raise UsageError("chain needs steps, as an argument or on standard input")
    parsed = await asyncio.to_thread(parse_steps, steps)
    await _check_steps(daemon, parsed)
    failures: list[Reply] = []
    for words in parsed:
        reply = await _run_step(daemon, words, is_last_at_failure=not keep_going)
        if reply.code:
            failures.append(reply)
            if not keep_going:
                break
    if not failures:
        if not no_look and _ends_in_action(parsed):
            await _run_step(daemon, ["snapshot", "-iD"])
        return "\n".join(daemon.done)
    first = failures[0]
    message = f"{len(failures)} of {format_count(len(parsed), 'step')} failed" if keep_going else first.message
    raise from_reply(first.error, first.code, message, first.hint)


def _ends_in_action(steps: Sequence[Sequence[str]]) -> bool:
    """Return whether a chain's last step, apart from waits, acts on a page: changes are then printed.

    Steps that run scripts do not count, since they print their own result.
    """
    for words in reversed(steps):
        item = resolve_call(REGISTRY, words)[0]
        if item.name not in _WAITS:
            return item.kind is WRITE and item.requires is Requires.PAGE and not item.runs_code
    return False


async def _check_steps(daemon: Daemon, steps: Sequence[list[str]]) -> None:
    """Raise UsageError or Refused for the first step of a chain that cannot run, with its number."""
    for number, words in enumerate(steps, 1):
        await asyncio.sleep(0)  # others have their turn: a thousand steps take a while
        try:
            daemon.check(words)
        except (UsageError, Refused) as error:
            raise type(error)(f"Step {number}: {error.message}; nothing was run", error.hint) from None


async def _run_step(daemon: Daemon, words: list[str], *, is_last_at_failure: bool = False) -> Reply:
    """Run one step of a chain, and add its output to the chain's. Return its reply.

    `is_last_at_failure`: a failure ends the chain, whose error has the message, so the output does not repeat it.
    """
    try:
        reply = await daemon.run(words)
    except asyncio.CancelledError:
        daemon.done.append(f"[{words[0]}] was cut off")
        raise
    failure = "" if not reply.code else "failed" if is_last_at_failure else f"Error: {reply.message}"
    parts = [part for part in (*reply.notes, reply.text, failure) if part]
    daemon.done.append(f"[{words[0]}] " + "\n".join(parts))
    return reply


def parse_steps(text: str) -> list[list[str]]:
    """Parse the steps of a chain, each into words. Raises UsageError for a malformed step, or too many.

    `text`: a JSON list, or a step a line.
    """
    stripped = text.strip()
    steps = _parse_json_steps(stripped) if stripped.startswith("[") else _parse_line_steps(stripped)
    if not steps:
        raise UsageError("chain got no steps")
    return steps


def _parse_json_steps(text: str) -> list[list[str]]:
    """Parse the steps of a chain from a JSON list, each a string or a list of words. Raises UsageError."""
    try:
        steps = orjson.loads(text)  # the module json would keep all threads waiting for ten times as long
    except orjson.JSONDecodeError as error:
        raise UsageError(f"The steps are not JSON: {error}") from None
    _check_step_count(len(steps))
    found = []
    for number, step in enumerate(steps, 1):
        words = step.split() if isinstance(step, str) else step
        if not (
            isinstance(words, list)
            and words
            and all(isinstance(word, str | int | float | dict) for word in words)
        ):
            raise UsageError(f"Step {number} is not a list of words", 'Write for example ["click","@e3"]')
        found.append([orjson.dumps(word).decode() if isinstance(word, dict) else str(word) for word in words])
    return found


def _parse_line_steps(text: str) -> list[list[str]]:
    """Parse the steps of a chain from text, one a line, split as a shell does. Raises UsageError."""
    found: list[list[str]] = []
    end = 0
    while line := _STEP_LINE.search(text, end):
        try:
            words, end = _split_step(text, line)
        except ValueError as error:
            number = text.count("\n", 0, line.start()) + 1
            raise UsageError(f"Line {number}: {error}", _QUOTES) from None
        found.append(words)
        if len(found) > MOST_STEPS:  # at once: splitting all lines of a megabyte takes seconds
            _check_step_count(sum(1 for _ in _STEP_LINE.finditer(text)))
    return found


def _split_step(text: str, line: re.Match[str]) -> tuple[list[str], int]:
    """Return the words of the step that begins with a line of `text`, and the index at which it ends.

    Raises ValueError if a quotation mark is missing.
    """
    try:
        return _split_json_step(line[0]) or shlex.split(line[0]), line.end()
    except ValueError:
        if lines := _STEP_OF_LINES.match(text, line.start()):
            return shlex.split(lines[0]), lines.end()
        raise


def _split_json_step(line: str) -> list[str] | None:
    """Split a chain's line `fill-form {…}` into command and unquoted JSON; None for other lines."""
    name, _, rest = line.strip().partition(" ")
    if not (rest.startswith("{") and rest.endswith("}")):
        return None
    try:
        orjson.loads(rest)
    except orjson.JSONDecodeError:
        return None
    return [name, rest]


def _check_step_count(count: int) -> None:
    """Raise UsageError if a chain has more than MOST_STEPS steps."""
    if count > MOST_STEPS:
        raise UsageError(f"chain takes at most {MOST_STEPS} steps, not {count}")


@command(READ, examples=["status"])
async def status(daemon: Daemon) -> str:
    """Print how the daemon and its browser are doing. Answers even when the page hangs."""
    facts = await daemon.collect_facts()
    return "\n".join(f"{label}: {value}" for label, value in facts.items())


@command(META, examples=["confirm", "confirm K7QXM2PA"], offline="No daemon is running: nothing waits")
async def confirm(daemon: Daemon, token: Word | None = None) -> str:
    """Let a command through, once, that waits for a person (BROWSE_CONFIRM).

    Without a token, list what waits. For people: it works only where standard input is a terminal. The very
    same command then goes through within ten minutes, on the same page and with the same files. A page's own
    dialog is answered by 'dialog-accept'.
    """
    if token is None:
        return "\n".join(daemon.list_pending_confirmations()) or "Nothing waits for a person"
    return f"Let through once: {daemon.confirm(token)}"


@command(READ, examples=["recent"], offline="No daemon is running: there are no commands")
async def recent(daemon: Daemon) -> str:
    """Print the last commands and their exit codes.

    Typed texts, addresses and selectors are left out.
    """
    return "\n".join(daemon.list_recent_commands()) or "There are no commands yet"


@command(META, examples=["stop"], offline="Server stopped", ends_daemon=True)
async def stop(daemon: Daemon) -> str:
    """Stop the daemon and its browser. Tabs and logins are gone, those that BROWSE_PERSIST keeps, too."""
    ended = await daemon.stop()
    return f"Server stopped\n→ ended: {ended}" if ended else "Server stopped"


@command(
    META, examples=["restart"], timeout=60, offline="Server restarted", starts_offline=True, ends_daemon=True
)
async def restart(daemon: Daemon) -> str:
    """Replace the running daemon and browser by new ones; tabs, logins and open boards are carried over."""
    carried = await daemon.restart()
    return f"Server restarted\n→ {carried}" if carried else "Server restarted"


@command(
    READ,
    name="help",
    examples=["help", "help click", "help logs", "help flow runs", "help --all"],
    forms="[<word>…|--all|--first]",
)
async def help_(*topic: Word, all: bool = False, first: bool = False) -> str:
    """Print the names of all commands by family, or everything about a command or a family.

    Needs no browser and no daemon.

    topic: a command, or a family of commands; the first word of several families: all of them
    all: what each command does, a line each
    first: only the ten commands to begin with, as 'gbrowse' alone does
    """
    if topic and (all or first):
        raise UsageError(f"{'--all' if all else '--first'} goes without a topic")
    if topic:
        if command := REGISTRY.get(topic[0] if len(topic) == 1 else "-".join(topic).lower()):
            return command_help(command)
        title = " ".join(topic)
        return family_help(REGISTRY, title) or command_help(resolve_call(REGISTRY, [title])[0])
    return first_steps(REGISTRY) if first else overview(REGISTRY) if all else contents(REGISTRY)


@command(READ, examples=["completion bash > ~/.local/share/bash-completion/completions/gbrowse"])
async def completion(shell: Literal["bash", "zsh", "fish"]) -> str:
    """Print a completion script for a shell.

    Refs, numbers of tabs and names of contexts are completed, too, by what 'complete' says: as the context of the line (--as).

    shell: the shell that will run the script
    """
    return render_script(REGISTRY, shell)


@command(READ, examples=["complete refs", "complete tabs", "complete contexts"], offline="")
async def complete(daemon: Daemon, what: Literal["refs", "tabs", "contexts"]) -> str:
    """Print the refs that were printed last, the tabs, or the contexts, for completion in a shell.

    Each line is a word and what it means. Asks no page, and starts nothing.

    what: what to list
    """
    if what == "contexts":
        return "\n".join(f"{name}\t{format_count(tabs, 'tab')}" for name, tabs in daemon.context_tabs.items())
    browser = daemon.browser
    if browser is None:
        return ""
    if what == "tabs":
        return "\n".join(f"{tab.name or tab.id}\t{shown_url(tab.url)}" for tab in browser.tabs)
    tab = browser.tabs.get() if daemon.tab is None else browser.tab(daemon.tab)
    printed = tab.refs.numbers.printed_last(MOST_COMPLETED) if tab else []
    return "\n".join(
        f"{ref}\t[{one_line(role, 30)}] {quote_unless_short(name, 60) if name else ''}".rstrip()
        for ref, role, name in printed
    )
