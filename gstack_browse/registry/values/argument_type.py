"""The definition of an argument type, and the markers that a parameter's annotation may carry."""

from collections.abc import Callable
from typing import Any, NamedTuple

from gstack_browse.errors import UsageError
from gstack_browse.registry.values.paths import CallerPaths

MOST_WORDS = 10_000
"""Words of one command."""
MOST_CHARACTERS = 10_000
"""Characters of one word, unless its type says otherwise. A selector of a megabyte would keep the daemon and Chromium busy for seconds."""


class OpenWord(str):
    """A value of an otherwise secret argument that replies and logs may repeat."""


class ArgumentType(NamedTuple):
    """How one kind of word is named in usage, explained in help, and turned into a value.

    `parse` raises UsageError for a malformed word, Refused for one that policy forbids. `rest` takes all
    remaining words, joined by spaces. `hint` tells shell completion what to offer. `dashes`: words may begin
    with a dash without being options. `options`: of the rest, a word that looks like `--option` is one all the same.
    `piped`: the word `-` stands for what is piped into the client; `or_piped` makes such a `parse`. `is_output`: it stands
    for standard output, to which the client writes the bytes that the reply holds in base64. `most`: the maximum of
    characters; it does not hold for a type that takes all remaining words or what is piped in.
    """

    metavar: str
    summary: str
    parse: Callable[[str, CallerPaths], Any]
    rest: bool = False
    hint: str = ""
    dashes: bool = False
    options: bool = False
    piped: bool = False
    is_output: bool = False
    most: int = MOST_CHARACTERS

    def check_word(self, word: str) -> str:
        """Return the word. Raises UsageError if it is too long, or names a file and has a NUL in it."""
        if len(word) > self.most and not (self.rest or self.piped):
            raise UsageError(f"<{self.metavar}> has at most {self.most} characters, not {len(word)}")
        if self.hint == "file" and "\0" in word:
            raise UsageError(f"<{self.metavar}> has a character in it that no name of a file has")
        return word


class Piped(str):
    """The text piped into the client, in place of a word `-`."""


def or_piped(
    parse: Callable[[str, CallerPaths], Any], *, is_parsed: bool = False
) -> Callable[[str, CallerPaths], Any]:
    """Return a parser that takes standard input for the word `-`, and calls `parse` for other words.

    `is_parsed`: `parse` is called for standard input, too; else that is returned as it is, as Piped.
    """

    def parse_either(word: str, paths: CallerPaths) -> Any:
        if word != "-":
            return parse(word, paths)
        if paths.stdin is None:
            raise UsageError("Nothing was piped in for '-'", "For example: gbrowse … - < file")
        return parse(paths.stdin, paths) if is_parsed else Piped(paths.stdin)

    return parse_either


class AtLeastOne:
    """Marks a variadic parameter that must not be empty."""


class Repeatable:
    """Marks an option that may be given several times; its value is the list of them."""
