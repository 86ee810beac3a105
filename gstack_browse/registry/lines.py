"""Find the commands in documents, and bind each as the daemon would bind it. Pure.

A command is a line of a shell block (` ```bash `, or ` ```console ` after a `$`). Or it is `code` that begins with gbrowse, $B, or a
command's name with words after it. What only the reader knows (`<url>`, `$name`, `…`, in running text also `N`) may be anything that fits.
"""

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gstack_browse.errors import BrowseError, FileFailed, UsageError
from gstack_browse.registry.binding import bind, resolve_call
from gstack_browse.registry.command import Command
from gstack_browse.registry.completion import GLOBAL_OPTIONS
from gstack_browse.registry.families import Registry
from gstack_browse.registry.paths import CallerPaths
from gstack_browse.registry.shell import UNKNOWN, simple_commands
from gstack_browse.registry.usage import usage

SAMPLES = ("https://example.com", "@e3", "1", "sample.png", "text")
"""What an unknown word may be."""
PIPED = '{"@e3": "text"}'
"""What standard input may be."""
MOST_UNKNOWN = 3

_FENCE = re.compile(r" *(```+|~~~+) *([\w-]*)")
_INLINE = re.compile(r"(?<!`)`([^`\n]+(?:\n[^`\n]+)?)`(?!`)")
_PROGRAM = re.compile(r"(?:\$B|(?:\S*/)?gbrowse)\Z")
_OPTIONAL = re.compile(r"\[[^\]]*[A-Z<\N{OBJECT REPLACEMENT CHARACTER}][^\]]*\]\Z")
_CAPITALS = re.compile(r"[A-Z][A-Z_]*\Z")
_SHELLS = ("bash", "sh", "shell", "zsh")


class CommandLine(NamedTuple):
    """The words after `gbrowse`, with the document's line number. `mentioned`: in running text."""

    line: int
    words: tuple[str, ...]
    mentioned: bool

    def __str__(self) -> str:
        return " ".join(["gbrowse", *self.words]).replace(UNKNOWN, "…")


def command_lines(markdown: str, registry: Registry) -> Iterator[CommandLine]:
    """Yield every call of gbrowse in a document, without usage lines of references."""
    prose, blocks = _parted(markdown)
    for first, text in blocks:
        yield from _calls(first, text, mentioned=False)
    for match in _INLINE.finditer(prose):
        text = match[1].strip().replace("\\|", "|").removeprefix("$ ")
        name, _, rest = text.partition(" ")
        command = registry.get(name)
        if command and rest and f"gbrowse {text}" != usage(command):
            text = f"gbrowse {text}"
        yield from _calls(prose.count("\n", 0, match.start()) + 1, text, mentioned=True)


def problem(registry: Registry, line: CommandLine, scratch: Path) -> str:
    """Return what is wrong with a line, as its reader would be told; "" if nothing is."""
    words: Sequence[str] = [word for word in line.words if not (line.mentioned and _OPTIONAL.match(word))]
    try:
        words = _after_options(words)
        if not words or words[0] == UNKNOWN:
            return ""
        command, words = resolve_call(registry, words)
        if line.mentioned and not words:
            return ""
        _bind_some_way(command, words, scratch)
        return _problem_inside(registry, command, words, scratch)
    except BrowseError as error:
        return f"{error.message} ({error.hint})" if error.hint else error.message


def _parted(markdown: str) -> tuple[str, list[tuple[int, str]]]:
    """Return the text with its blocks blanked, and each shell block with the number of its first line."""
    prose: list[str] = []
    blocks: list[tuple[int, list[str]]] = []
    fence = language = ""
    for number, line in enumerate(markdown.split("\n"), 1):
        match = _FENCE.match(line)
        if not fence and match:
            fence, language = match[1], match[2]
            blocks.append((number + 1, []))
        elif fence and line.strip() == fence:
            fence = ""
        elif fence:
            blocks[-1][1].append(_typed(line, language))
        prose.append("" if fence or match else line)
    return "\n".join(prose), [(first, "\n".join(lines)) for first, lines in blocks]


def _typed(line: str, language: str) -> str:
    """Return the part of a block's line that a person types; "" for anything else."""
    if language in _SHELLS:
        return line
    if language == "console":
        return line.lstrip()[2:] if line.lstrip().startswith("$ ") else ""
    if not language and re.match(r"\s*(?:\$B|(?:[\w./-]*/)?gbrowse) \S", line):
        return line
    return ""


def _calls(first: int, text: str, *, mentioned: bool) -> Iterator[CommandLine]:
    for simple in simple_commands(text):
        if _PROGRAM.match(simple.words[0]):
            plain = tuple(
                UNKNOWN if word in ("…", "...") or (mentioned and _CAPITALS.match(word)) else word
                for word in simple.words[1:]
            )
            yield CommandLine(first + simple.line, plain, mentioned)


def _after_options(words: Sequence[str]) -> list[str]:
    """Return the words without the options before the command."""
    left = list(words)
    while left and left[0].startswith("-"):
        name, equals, _ = left.pop(0).partition("=")
        if name not in GLOBAL_OPTIONS and name != "-h":
            raise UsageError(f"Unknown option {name}")
        if name in ("--as", "--share", "--tab", "--timeout") and not equals:
            del left[:1]
    return left


def _bind_some_way(command: Command, words: Sequence[str], scratch: Path) -> None:
    """Bind the words, trying values for the unknown ones. Raises the error of the last attempt."""
    unknown = sum(word == UNKNOWN for word in words)
    ways = (
        itertools.product(SAMPLES, repeat=unknown)
        if unknown <= MOST_UNKNOWN
        else ((word,) * unknown for word in SAMPLES)
    )
    failure: BrowseError | None = None
    for way in ways:
        values = iter(way)
        known = [next(values) if word == UNKNOWN else word.replace(UNKNOWN, "x") for word in words]
        try:
            _bind_with_files(command, [word.replace("$PWD", str(scratch)) for word in known], scratch)
        except BrowseError as error:
            failure = failure or error
        else:
            return
    if failure:
        raise failure


def _bind_with_files(command: Command, words: list[str], scratch: Path) -> None:
    """Bind the words, after creating the files and directories that they name."""
    for _ in words:
        try:
            bind(command, words, CallerPaths(scratch, scratch, stdin=PIPED))
        except FileFailed as error:
            named = (
                word.removeprefix("@") for word in words
            )  # the sign stands before a file in the place of a text
            name = max((word for word in named if word in error.message), key=len, default="")
            path = scratch / name.lstrip("/~")
            if not name or ".." in name or path.exists():
                raise
            path.parent.mkdir(parents=True, exist_ok=True)
            if error.message.startswith("Cannot read"):
                path.touch()
            words = [str(path) if word == name else word for word in words]
        else:
            return
    bind(command, words, CallerPaths(scratch, scratch, stdin=PIPED))


def _problem_inside(registry: Registry, command: Command, words: Sequence[str], scratch: Path) -> str:
    """Return what is wrong with the commands within an argument, as `chain` takes them."""
    takes_steps = any(argument.type and argument.type.metavar == "steps" for argument in command.arguments)
    text = " ".join(words)
    if not takes_steps or not text.startswith("["):
        return ""
    try:
        steps = json.loads(text)
    except ValueError as error:
        return f"the steps are not JSON: {error}"
    for step in steps:
        plain = tuple(UNKNOWN if word == "…" else str(word) for word in step)
        if wrong := problem(registry, CommandLine(0, plain, mentioned=False), scratch):
            return f"step {step}: {wrong}"
    return ""
