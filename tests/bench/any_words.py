"""Make commands at random, with words at random, as a user might type who knows no command."""

import random
import shlex
from collections.abc import Iterator

from gstack_browse import commands
from gstack_browse.registry import REGISTRY

assert commands.__all__  # imported for its declarations

ENDS_OR_WAITS = {"stop", "restart", "handoff", "cookie-import-browser", "confirm"}
"""Left out: what ends the browser, or waits for a person."""
ODD = (
    "", " ", "--", "-", "-1", "0", "99999999999999999999", "1e309", "NaN", "@e0", "@e999999", "@c1", "*",
    "html", "//*", ":::", "[[", "text=", "role=", ">>", "label=a >> nth=-1", "\x00", "\x1b[2J", "\ud800",
    "𝕏" * 500, "../../etc/passwd", "/dev/zero", "/proc/self/mem", "file:///etc/passwd", "file://workspace",
    "http://[::1", "http://0:0/", "about:blank", "javascript:1", "data:text/html,<p>x", "throw null",
    "undefined", "({get a() { throw 1 }})", "[].concat(document)", "new Promise(() => 0)", "--timeout",
    "--json", "--tab", "--help",
)  # fmt: skip


def words_at_random(dice: random.Random) -> list[str]:
    """An example out of the reference, or a command with any words after it."""
    if dice.random() < 0.3:
        return dice.choice(_EXAMPLES)
    name = dice.choice(_NAMES)
    pool = ODD if dice.random() < 0.5 else _WORDS
    return [name, *dice.choices(pool, k=dice.randrange(4))]


def _examples() -> Iterator[list[str]]:
    for command in REGISTRY.commands.values():
        if not command.is_local and command.name not in ENDS_OR_WAITS:
            for example in command.examples:
                yield shlex.split(example)


_EXAMPLES = list(_examples())
_NAMES = sorted({words[0] for words in _EXAMPLES})
_WORDS = sorted({word for words in _EXAMPLES for word in words[1:]})
