"""Bind words to typed arguments, by a command's declaration. Pure but for path rules."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from gstack_browse.errors import FileFailed, UnknownCommand, UsageError
from gstack_browse.registry.argument_type import MOST_WORDS, ArgumentType, OpenWord
from gstack_browse.registry.command import Command, Kind, Parameter
from gstack_browse.registry.completion import GLOBAL_OPTIONS
from gstack_browse.registry.families import Registry
from gstack_browse.registry.form_fields import FormFields
from gstack_browse.registry.paths import CallerPaths
from gstack_browse.registry.suggest import find_equivalent, nearest
from gstack_browse.registry.theirs import in_our_words
from gstack_browse.registry.usage import usage

_LONG = r"--[A-Za-z][\w-]*"


class Bound:
    """A command with its arguments: `handler(need, *positional, **options)`.

    `timeout`: the value of `--timeout` in seconds; `max_characters`: of `--max`; `secrets`: values that must not be
    repeated.
    """

    def __init__(self, command: Command) -> None:
        self.command = command
        self.positional: list[Any] = []
        self.options: dict[str, Any] = {}
        self.timeout: float | None = None
        self.max_characters: int | None = None
        self.wants_help = False
        self.secrets: list[str] = []

    def named_values(self) -> dict[str, Any]:
        """Return the given arguments and options by name. A variadic argument has its first word."""
        names = [parameter.name for parameter in self.command.arguments]
        return dict(zip(names, self.positional, strict=False)) | self.options

    @property
    def kind(self) -> Kind:
        """The kind of this call: `console` reads, `console --clear` does not."""
        if not self.command.kinds:
            return self.command.kind
        values = self.named_values()
        return next(
            (kind for name, kind in self.command.kinds if values.get(name) is not None), self.command.kind
        )


def resolve_call(registry: Registry, words: Sequence[str]) -> tuple[Command, Sequence[str]]:
    """Return the command that words call, and the words after its name.

    The words may be another tool's. Raises UnknownCommand.
    """
    if len(words) > MOST_WORDS:
        raise UsageError(f"A command has at most {MOST_WORDS} words, not {len(words)}")
    ours = in_our_words(words)
    return find(registry, ours[0]), ours[1:]


def find(registry: Registry, name: str) -> Command:
    """Return the command with that name or alias. Raises UnknownCommand with the nearest name."""
    if found := registry.get(name):
        return found
    shown = name if len(name) <= 60 else name[:60] + "…"
    ours = find_equivalent(name)
    near = "" if ours else nearest(name, registry.names())
    hint = f"Use '{ours}'. " if ours else f"Did you mean '{near}'? " if near else ""
    raise UnknownCommand(f"Unknown command: {shown}", hint + "Run 'gbrowse help' for the list")


def bind(command: Command, words: Sequence[str], paths: CallerPaths) -> Bound:
    """Bind the words after the command's name to its handler's arguments.

    Raises UsageError, with the usage line as its hint.
    """
    try:
        return _Binder(command, words, paths).bind()
    except UsageError as error:
        raise with_usage(error, command) from None


def with_usage(error: UsageError, command: Command) -> UsageError:
    """Return the error with the command's usage line at the end of its hint."""
    line = f"Usage: {usage(command)}"
    if error.hint.endswith(line):
        return error
    return type(error)(error.message, f"{error.hint}\n{line}" if error.hint else line)


def local_command_error(command: Command) -> UsageError:
    """Return the error for a local command that is sent to a daemon, or is a step of a chain."""
    return UsageError(
        f"{command.name} runs in the client, not in the daemon",
        f"Type it by itself: gbrowse {command.examples[0]}",
    )


class _Binder:
    def __init__(self, command: Command, words: Sequence[str], paths: CallerPaths) -> None:
        self._command = command
        self._words = list(words)
        self._paths = paths
        self._plain: list[str] = []
        self._bound = Bound(command)
        self._options = command.long_options
        self._shorts = command.short_options
        self._seen: set[str] = set()

    def bind(self) -> Bound:
        self._sort_words()
        if self._bound.options.get("any_file"):
            self._paths = self._paths._replace(any_file=True)
        if not self._bound.wants_help:
            self._fill_positionals()
            if self._command.secret:
                self._collect_secrets()
        return self._bound

    def _sort_words(self) -> None:
        """Split the words into options and plain ones. `--` ends the options."""
        words = iter(self._words)
        for word in words:
            if word == "--":
                self._plain.extend(words)
            elif word.startswith("-") and self._is_option(word):
                self._take_option(word, words)
            else:
                self._plain.append(word)

    def _is_option(self, word: str) -> bool:
        """Return whether a word that begins with a dash is an option, or must be refused as one."""
        if word == "-" or _is_number(word):
            return False
        name = word.partition("=")[0]
        first, blank, _ = name.partition(" ")
        if (
            blank
            and self._kind_of_next()
            and first not in self._options
            and first not in self._command.shared_options
        ):
            return False  # options have no blank in their names: "-- Please select --" is a value
        known = name in self._options or name in ("--help", "-h") or name in self._command.shared_options
        return known or not self._may_be_plain(name)

    def _may_be_plain(self, name: str) -> bool:
        """Return whether the next argument takes words that begin with a dash."""
        kind = self._kind_of_next()
        return (
            kind is not None and (kind.rest or kind.dashes) and not (kind.options and re.fullmatch(_LONG, name))
        )

    def _kind_of_next(self) -> ArgumentType | None:
        arguments = self._command.arguments
        return arguments[min(len(self._plain), len(arguments) - 1)].type if arguments else None

    def _take_option(self, word: str, words: Iterator[str]) -> None:
        name, equals, inline = word.partition("=")
        value = inline if equals else None
        if name in ("--help", "-h") and name not in self._shorts:
            self._bound.wants_help = True
        elif name == "--timeout" and name in self._command.shared_options:
            self._bound.timeout = _parse_timeout(self._value(name, value, words))
        elif name == "--max" and name in self._command.shared_options:
            self._bound.max_characters = _parse_character_limit(self._value(name, value, words))
        elif parameter := self._options.get(name):
            self._set(parameter, name, value, words)
        elif name.startswith("--") or not self._take_shorts(word, words):
            self._refuse_flag(name)

    def _take_shorts(self, word: str, words: Iterator[str]) -> bool:
        """Take combined short flags such as -ic; the last may have a value (-d 3, -d3)."""
        letters = word[1:]
        for index, letter in enumerate(letters):
            parameter = self._shorts.get(letter)
            if parameter is None:
                return False
            if not parameter.flag:
                self._set(parameter, f"-{letter}", letters[index + 1 :] or None, words)
                return True
            self._set(parameter, f"-{letter}", None, words)
        return True

    def _set(self, parameter: Parameter, typed: str, value: str | None, words: Iterator[str]) -> None:
        if parameter.flag:
            if value is not None:
                raise UsageError(f"{typed} takes no value")
            self._bound.options[parameter.name] = True
            return
        parsed = self._parse(parameter, self._value(typed, value, words))
        if parameter.repeatable:
            self._bound.options.setdefault(parameter.name, []).append(parsed)
            return
        if parameter.name in self._seen:
            raise UsageError(f"{typed} is given twice")
        self._seen.add(parameter.name)
        self._bound.options[parameter.name] = parsed

    def _value(self, typed: str, value: str | None, words: Iterator[str]) -> str:
        if value is None:
            value = next(words, None)
        if value is None:
            raise UsageError(f"{typed} needs a value")
        return value

    def _refuse_flag(self, name: str) -> None:
        from gstack_browse.registry.flags import advice  # late: most calls have no such flag

        said = advice(self._command, name, self._command.shared_options)
        hints = [said] if said else []
        if name in GLOBAL_OPTIONS:
            hints = [f"{name} stands before the command, right after 'gbrowse'"]
        if (kind := self._kind_of_next()) and kind.rest:
            hints.append("What is no flag goes after '--'")
        raise UsageError(f"Unknown flag: {name[:60]}", " ".join(hints))

    def _fill_positionals(self) -> None:
        remaining = list(self._plain)
        self._refuse_surplus()
        if not remaining and self._command.reads_stdin and self._paths.stdin is not None:
            remaining = ["-"]
        if self._command.needs_stdin and self._paths.stdin is not None and self._lacks_only_last(remaining):
            remaining.append("-")
        for parameter in self._command.arguments:
            if parameter.variadic:
                self._require(parameter, remaining)
                self._bound.positional.extend(self._parse(parameter, word) for word in remaining)
                return
            if not remaining:
                self._require(parameter, remaining)
                self._bound.positional.append(parameter.default)
            elif parameter.type and parameter.type.rest:
                self._bound.positional.append(self._parse(parameter, " ".join(remaining)))
                return
            else:
                self._bound.positional.append(self._parse(parameter, remaining.pop(0)))

    def _lacks_only_last(self, words: Sequence[str]) -> bool:
        """Whether there is a word for every argument but the last."""
        return len(words) == len(self._command.arguments) - 1

    def _refuse_surplus(self) -> None:
        arguments = self._command.arguments
        if len(self._plain) <= len(arguments):
            return
        if not any(argument.variadic or (argument.type and argument.type.rest) for argument in arguments):
            raise UsageError(f'Unexpected argument "{self._plain[len(arguments)][:60]}"')

    def _require(self, parameter: Parameter, remaining: Sequence[str]) -> None:
        if parameter.required and not remaining:
            raise UsageError(
                f"{self._command.name} needs <{parameter.metavar}>", f"For example: {self._example()}"
            )

    def _example(self) -> str:
        return f"gbrowse {self._command.examples[0]}"

    def _parse(self, parameter: Parameter, word: str) -> Any:
        if parameter.choices:
            if word not in parameter.choices:
                near = nearest(word, parameter.choices)
                listed = ", ".join(parameter.choices)
                raise UsageError(
                    f'"{word[:60]}" is not one of {listed}', f"Did you mean {near}?" if near else ""
                )
            return word
        assert parameter.type is not None
        try:
            return parameter.type.parse(parameter.type.check_word(word), self._paths)
        except OSError as error:  # such as a path that is too long for the system
            raise FileFailed(f"Cannot use {word[:60]}: {error.strerror}") from None

    def _collect_secrets(self) -> None:
        values = self._bound.named_values()
        given = [values.get(name) for name in self._command.secret]
        self._bound.secrets = [secret for value in given for secret in _find_secrets(value)]


def _find_secrets(value: Any) -> list[str]:
    """Return the values of a secret argument that must not be repeated."""
    if isinstance(value, FormFields):
        return value.secrets
    if isinstance(value, tuple | list):  # names and values of headers
        return [secret for _, secret in value if secret]
    return [value] if isinstance(value, str) and value and not isinstance(value, OpenWord) else []


def _is_number(word: str) -> bool:
    """Return whether a word is one number, or several separated by commas: "-4", "-40,12.5"."""
    parts = word.split(",")
    return not word.startswith("--") and all(
        part.removeprefix("-").replace(".", "", 1).isdigit() for part in parts
    )


def _parse_character_limit(word: str) -> int:
    if not word.isascii() or not word.isdigit() or len(word) > 9:
        raise UsageError(f'"{word[:60]}" is not a number of characters')
    return int(word)


def _parse_timeout(word: str) -> float:
    if not word.isascii() or not word.isdigit() or not 1 <= int(word[:9]) <= 600_000 or len(word) > 9:
        raise UsageError(f'"{word[:60]}" is not a timeout', "Give milliseconds, 1 to 600000")
    return int(word) / 1000
