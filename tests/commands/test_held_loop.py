"""Test that a megabyte that is hard to read, as any argument, does not hold up other clients.

Measured is the processor's time of each turn of the event loop: a busy machine changes that little.
"""

import asyncio
import shlex
import time
from collections.abc import Awaitable, Callable, Iterator

import pytest

from gstack_browse.commands.network.shaping import MOST_JSON_CHARACTERS
from gstack_browse.errors import UsageError
from gstack_browse.protocol import MAX_LINE_BYTES
from gstack_browse.registry import REGISTRY
from gstack_browse.registry.command import Command
from gstack_browse.registry.values.argument_type import MOST_CHARACTERS, MOST_WORDS, ArgumentType
from tests.commands.conftest import Shell
from tests.faults import fault

pytestmark = pytest.mark.same_session
MOST_SECONDS = 0.05
"""Processor time that one turn of the event loop may take: other clients wait as long."""
QUICKEST_OF = 4
"""Tries of which the quickest counts: beside other work on its core a processor is half as quick, and garbage may be collected."""
LENGTH = MAX_LINE_BYTES - 1_000


def filled(piece: str, end: str = "", length: int = LENGTH) -> str:
    return piece * (length // len(piece.encode())) + end


HOSTILE = {
    "letters": filled("a"),
    "lines": filled("url\n"),
    "blank lines": filled("\n"),
    "comments": filled("#\n"),
    "steps": "[" + filled('["url"],')[:-1] + "]",
    "list": "[" + filled('"a",')[:-1] + "]",
    "object": "{" + ",".join(f'"{number}":"a"' for number in range(LENGTH // 14)) + "}",
    "open lists": filled("["),
    "open objects": filled('{"a":'),
    "braces and a ref": filled("{", " @e1"),
    "quotes that nothing closes": filled("\\'", " @e1"),
    "comments that nothing closes": filled("/*", " @e1"),
    "templates": filled("`${", " @e1"),
    "pictures": filled("\U0001f600"),
}


async def longest_turn(work: Awaitable[object]) -> float:
    """Seconds of the processor in the longest turn of the event loop while `work` is done, in a task of its own."""
    longest, run = 0.0, asyncio.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        nonlocal longest
        begun = time.thread_time()
        run(handle)
        longest = max(longest, time.thread_time() - begun)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.Handle, "_run", timed)
        await asyncio.ensure_future(work)
    return longest


async def quickest_longest_turn(ask: Callable[[], Awaitable[object]]) -> float:
    for _ in range(QUICKEST_OF):
        quickest = await longest_turn(ask())
        if quickest < MOST_SECONDS:
            break
    return quickest


def is_long(kind: ArgumentType) -> bool:
    """Whether an argument may be as long as a request."""
    return kind.rest or kind.piped or kind.most > MOST_CHARACTERS


def calls() -> Iterator[tuple[str, list[str], bool]]:
    """Commands with a place for a long text, as words up to that place; and whether it is piped in."""
    for command in REGISTRY.commands.values():
        if not (command.is_local or command.ends_daemon or command.name in ("handoff", "connect")):
            yield from _calls_of(command)


def _calls_of(command: Command) -> Iterator[tuple[str, list[str], bool]]:
    example = [word for word in shlex.split(command.examples[0].partition(" < ")[0])[1:] if word[:2] != "--"]
    for place, argument in enumerate(command.arguments):
        if argument.type and is_long(argument.type):
            yield command.name, example[:place], False
            if argument.type.piped:
                yield command.name, [*example[:place], "-"], True
    for option in command.options:
        if option.type and is_long(option.type):
            yield command.name, [*example, option.long], False


@fault(
    "Hangs",
    "a megabyte that is hard to read is an argument, or piped in, of every command that takes so much",
    "each is answered; nobody else waits for more than 50 ms of the processor's time",
    slow=True,
)
async def test_a_hostile_megabyte_keeps_nobody_waiting(shell: Shell) -> None:
    slow = []
    for name, words, is_piped in calls():
        for what, text in HOSTILE.items():

            async def ask() -> None:
                last = [] if is_piped else [text]  # noqa: B023 - it is asked before the next round
                reply = await shell.send(name, *words, *last, stdin=text if is_piped else None, timeout=400)  # noqa: B023
                assert "Internal error" not in reply.message, reply.message

            # The first time it imports what it needs; and a collection of garbage may come.
            seconds = await quickest_longest_turn(ask)
            if seconds > MOST_SECONDS:
                slow.append(f"{name} {words} {what}: {seconds * 1000:.0f} ms")
    assert not slow, "\n".join(slow)


@pytest.mark.parametrize("steps", ["lines", "steps", "open lists"])
async def test_chain_of_too_many_steps_keeps_nobody_waiting(shell: Shell, steps: str) -> None:
    async def ask() -> None:
        assert (await shell.send("chain", stdin=HOSTILE[steps])).code == 2

    assert await quickest_longest_turn(ask) < MOST_SECONDS


def test_words_that_are_no_texts_are_bounded() -> None:
    """Every other argument is refused before anybody reads it."""
    kinds = {
        argument.type
        for command in REGISTRY.commands.values()
        for argument in (*command.arguments, *command.options)
        if argument.type and not is_long(argument.type)
    }
    assert len(kinds) > 50
    for kind in kinds:
        with pytest.raises(UsageError, match=f"at most {kind.most} characters"):
            kind.check_word("a" * (kind.most + 1))


async def test_input_beyond_a_limit_is_refused_with_its_number(shell: Shell) -> None:
    too_many = {
        f"A command has at most {MOST_WORDS} words, not {MOST_WORDS + 2}": await shell.send("count", *["-a"] * (MOST_WORDS + 1)),
        f"<json> has at most {MOST_JSON_CHARACTERS} characters, not {len(HOSTILE['list'])}": await shell.send("route", "**/held", "--json", HOSTILE["list"]),
    }  # fmt: skip
    for steps in ("url\n#\n\n" * 1_500, "[" + ",".join(['"url"'] * 1_500) + "]"):
        too_many["chain takes at most 1000 steps, not 1500"] = await shell.send("chain", stdin=steps)
        for message, reply in too_many.items():
            assert (reply.code, reply.message) == (2, message)


async def test_names_that_no_file_can_have_are_refused(shell: Shell) -> None:
    for name in ("a\0b", "a" * 5_000):
        reply = await shell.send("upload", "#file", name)
        assert reply.code in (1, 2), reply.message
        assert "Internal error" not in reply.message
