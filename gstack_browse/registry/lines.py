"""Find calls of gbrowse in Markdown documents, and check each by binding its arguments. Pure.

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
from gstack_browse.registry.command import Command, Registry
from gstack_browse.registry.completion import GLOBAL_OPTIONS
from gstack_browse.registry.usage import usage
from gstack_browse.registry.values.paths import CallerPaths

UNKNOWN = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands in a word for what only the running shell knows, and for a placeholder such as `<url>`."""

_PLACEHOLDER = re.compile(r"<[A-Za-z][^<>\n;&]*>")
_EXPANSION = re.compile(r"\$(?:\{(\w+)[^}]*\}|(\w+)|([?#@*!$-]))")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_ENDS = "\n;|&()"
"""What ends a simple command."""
_RESERVED = {
    "if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "command", "exec", "sudo", "env",
}  # fmt: skip
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


class SimpleCommand(NamedTuple):
    """A simple command of a shell: the line on which it begins, from 0, and its words without quotes."""

    line: int
    words: tuple[str, ...]


def parse_simple_commands(text: str) -> Iterator[SimpleCommand]:
    """Yield all simple commands (program and its words) of a shell script, also those inside `$(…)`.

    Reserved words, assignments and redirections are left out.
    """
    reader = _ShellReader(text)
    reader.read("")
    for line, words in reader.found:
        typed = tuple(
            itertools.dropwhile(lambda word: word in _RESERVED or bool(_ASSIGNMENT.match(word)), words)
        )
        if typed:
            yield SimpleCommand(line, typed)


class _ShellReader:
    """Split a shell script into commands and words. `found`: (line from 0, words) of each command."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._bodies: list[str] = []
        self.found: list[tuple[int, list[str]]] = []

    def read(self, until: str) -> None:
        """Read the script up to the character `until` ("": to its end), and add its commands to `found`."""
        words: list[str] = []
        line = self._line_index()
        while self._at < len(self._text) and not (until and self._text[self._at] == until):
            if self._skip_between():
                continue
            if self._text[self._at] in _ENDS:
                self.found += [(line, words)] if words else []
                words = []
                self._at += 1
                if self._text[self._at - 1] == "\n":
                    self._skip_bodies()
                continue
            line = line if words else self._line_index()
            words.append(self._read_word(until))
        self.found += [(line, words)] if words else []

    def _skip_between(self) -> bool:
        """Skip blanks, a comment or a redirection at the current position. Return whether there was any."""
        character = self._text[self._at]
        if character in " \t":
            self._at += 1
        elif self._text.startswith("\\\n", self._at):
            self._at += 2
        elif character == "#":
            end = self._text.find("\n", self._at)
            self._at = len(self._text) if end < 0 else end
        elif self._text.startswith("&>", self._at) or self._is_redirection():
            self._skip_redirection()
        else:
            return False
        return True

    def _read_word(self, until: str) -> str:
        """Read a word of the script, up to a blank, a separator, a redirection or the character `until`."""
        pieces: list[str] = []
        while self._at < len(self._text):
            character = self._text[self._at]
            if character in " \t" or character in _ENDS or (until and character == until):
                break
            if character == "<" and (placeholder := _PLACEHOLDER.match(self._text, self._at)):
                pieces.append(UNKNOWN)
                self._at = placeholder.end()
            elif character in "<>":
                break
            else:
                pieces.append(self._read_piece(character))
        return "".join(pieces)

    def _read_piece(self, character: str) -> str:
        """Read the quoted text, escape, expansion or character at the current place, and return its text.

        Move behind it. `character`: the one at the place. Quotes are left out; expansions except `$B` and `$PWD` give UNKNOWN.
        """
        if character == "'":
            inside, _, _ = self._text[self._at + 1 :].partition("'")
            self._at += len(inside) + 2
            return inside
        if character == '"':
            return self._read_double_quoted()
        if character == "\\":
            self._at += 2
            escaped = self._text[self._at - 1 : self._at]
            return "" if escaped == "\n" else escaped
        if character in "$`":
            return self._read_expansion()
        self._at += 1
        return character

    def _read_double_quoted(self) -> str:
        """Read a text in double quotes, with expansions and escapes, and return it without the quotes."""
        self._at += 1
        pieces = []
        while self._at < len(self._text) and (character := self._text[self._at]) != '"':
            if character in "$`":
                pieces.append(self._read_expansion())
            elif character == "\\" and self._text[self._at + 1 : self._at + 2] in ('"', "\\", "$", "`", "\n"):
                pieces.append(self._text[self._at + 1].strip("\n"))
                self._at += 2
            else:
                pieces.append(character)
                self._at += 1
        self._at += 1
        return "".join(pieces)

    def _read_expansion(self) -> str:
        """Read an expansion such as `$name` or `$(…)`. Return `$B` and `$PWD` by name, UNKNOWN for all others."""
        if self._text.startswith("$(", self._at) or self._text[self._at] == "`":
            closing = "`" if self._text[self._at] == "`" else ")"
            self._at += 1 if closing == "`" else 2
            self.read(closing)
            self._at += 1
            return UNKNOWN
        match = _EXPANSION.match(self._text, self._at)
        self._at = match.end() if match else self._at + 1
        name = (match[1] or match[2]) if match else ""
        return "$" if not match else f"${name}" if name in ("B", "PWD") else UNKNOWN

    def _is_redirection(self) -> bool:
        """Return whether a redirection is next in the script, not a placeholder such as `<file>`."""
        is_placeholder = _PLACEHOLDER.match(self._text, self._at)
        return not is_placeholder and bool(re.compile(r"\d*[<>]").match(self._text, self._at))

    def _skip_redirection(self) -> None:
        """Skip a redirection in the script: the operator and the file that it names."""
        if heredoc := _HEREDOC.match(self._text, self._at):
            self._bodies.append(heredoc[2])
            self._at = heredoc.end()
            return
        operator = re.compile(r"&?\d*(?:>>|>&|<&|>\||[<>])\s*").match(self._text, self._at)
        self._at = operator.end() if operator else self._at + 1
        self._read_word("")

    def _skip_bodies(self) -> None:
        """Skip the bodies of the here-documents that the last line has announced."""
        for delimiter in self._bodies:
            body = re.compile(rf"(?:.*\n)*?\t*{delimiter}(?:\n|\Z)").match(self._text, self._at)
            self._at = body.end() if body else len(self._text)
        self._bodies.clear()

    def _line_index(self) -> int:
        """Return the index of the current line in the script, counted from 0."""
        return self._text.count("\n", 0, self._at)


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


def find_command_lines(markdown: str, registry: Registry) -> Iterator[CommandLine]:
    """Yield every call of gbrowse in a document, in code blocks and in running text.

    Usage lines of a reference, such as `click <target>`, are not calls.
    """
    prose, blocks = _split_shell_blocks(markdown)
    for first, text in blocks:
        yield from _find_calls(first, text, mentioned=False)
    for match in _INLINE.finditer(prose):
        text = match[1].strip().replace("\\|", "|").removeprefix("$ ")
        name, _, rest = text.partition(" ")
        command = registry.get(name)
        if command and rest and f"gbrowse {text}" != usage(command):
            text = f"gbrowse {text}"
        yield from _find_calls(prose.count("\n", 0, match.start()) + 1, text, mentioned=True)


def find_problem_in_call(registry: Registry, line: CommandLine, scratch: Path) -> str:
    """Return what is wrong with a call of gbrowse in a Markdown document; "" if its arguments are valid.

    Nothing runs. The steps of `chain` are checked, too. UNKNOWN, and "…" in a step, stand for any value. `scratch`: directory in
    which files are created that the call would read.
    """
    words: Sequence[str] = [word for word in line.words if not (line.mentioned and _OPTIONAL.match(word))]
    try:
        words = _skip_options(words)
        if not words or words[0] == UNKNOWN:
            return ""
        command, words = resolve_call(registry, words)
        if line.mentioned and not words:
            return ""
        _bind_with_samples(command, words, scratch)
        return _find_problem_in_steps(registry, command, words, scratch)
    except BrowseError as error:
        return f"{error.message} ({error.hint})" if error.hint else error.message


def _split_shell_blocks(markdown: str) -> tuple[str, list[tuple[int, str]]]:
    """Return a document's text with its code blocks blanked, and the code blocks.

    Of each block: number of its first line, and the script in it.
    """
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
            blocks[-1][1].append(_typed_part(line, language))
        prose.append("" if fence or match else line)
    return "\n".join(prose), [(first, "\n".join(lines)) for first, lines in blocks]


def _typed_part(line: str, language: str) -> str:
    """Return what a person types in a line of a shell code block; "" for output or another language.

    `language`: that of the block.
    """
    if language in _SHELLS:
        return line
    if language == "console":
        return line.lstrip()[2:] if line.lstrip().startswith("$ ") else ""
    if not language and re.match(r"\s*(?:\$B|(?:[\w./-]*/)?gbrowse) \S", line):
        return line
    return ""


def _find_calls(first: int, text: str, *, mentioned: bool) -> Iterator[CommandLine]:
    """Yield the calls of gbrowse in a shell script. `first`: number of its first line in the document.

    `mentioned`: it is an example in prose, where words in capitals and "…" stand for any value.
    """
    for simple in parse_simple_commands(text):
        if _PROGRAM.match(simple.words[0]):
            plain = tuple(
                UNKNOWN if word in ("…", "...") or (mentioned and _CAPITALS.match(word)) else word
                for word in simple.words[1:]
            )
            yield CommandLine(first + simple.line, plain, mentioned)


def _skip_options(words: Sequence[str]) -> list[str]:
    """Return the words without the global options before the command's name."""
    left = list(words)
    while left and left[0].startswith("-"):
        name, equals, _ = left.pop(0).partition("=")
        if name not in GLOBAL_OPTIONS and name != "-h":
            raise UsageError(f"Unknown option {name}")
        if name in ("--as", "--share", "--tab", "--timeout") and not equals:
            del left[:1]
    return left


def _bind_with_samples(command: Command, words: Sequence[str], scratch: Path) -> None:
    """Check that a call's words are valid for the command. Raises BrowseError if they are not.

    Words that stand for any value (UNKNOWN) are replaced by SAMPLES, one combination after the other, until it is valid. `scratch`:
    where files are created that the words name.
    """
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
    """Check that a call's words are valid for the command, with files for those that name one.

    They are created below the directory `scratch`. Raises BrowseError.
    """
    for _ in words:
        try:
            bind(command, words, CallerPaths(scratch, scratch, stdin=PIPED))
        except FileFailed as error:
            # The sign @ stands before a file in the place of a text.
            named = (word.removeprefix("@") for word in words)
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


def _find_problem_in_steps(registry: Registry, command: Command, words: Sequence[str], scratch: Path) -> str:
    """Return what is wrong with a `chain` call's JSON steps; "" for valid ones and for other commands."""
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
        if wrong := find_problem_in_call(registry, CommandLine(0, plain, mentioned=False), scratch):
            return f"step {step}: {wrong}"
    return ""
