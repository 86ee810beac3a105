"""The record of a command, used by dispatch, help, completion, reference and tests.

`declaration` creates it from a documented function.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

from gstack_browse.registry.values.argument_type import ArgumentType


class Kind(Enum):
    """The effect of a command on the browser's state."""

    READ = "read"
    WRITE = "write"
    META = "meta"

    @property
    def meaning(self) -> str:
        """Return, in words, what commands of this kind do: "reads only" or the like."""
        return _MEANINGS[self]


_MEANINGS = {
    Kind.READ: "reads only",
    Kind.WRITE: "changes the page",
    Kind.META: "acts on the browser, the daemon or gbrowse itself",
}

READ, WRITE, META = Kind.READ, Kind.WRITE, Kind.META


class Requires(Enum):
    """The precondition of a handler."""

    NOTHING = "nothing"
    DAEMON = "daemon"
    BROWSER = "browser"
    PAGE = "page"
    LOCAL = "local"


class Need:
    """Base of everything a handler can ask for as its first parameter."""

    requires = Requires.NOTHING


class PageNeed(Need):
    """Need of a tab's page. Commands queue for the tab; Chromium is started for them."""

    requires = Requires.PAGE


class BrowserNeed(Need):
    """Need of the browser as a whole (tabs, context). Chromium is started; does not queue for a tab."""

    requires = Requires.BROWSER


class DaemonNeed(Need):
    """Need of the daemon itself. Starts no browser."""

    requires = Requires.DAEMON


class LocalNeed(Need):
    """Need of the caller's process only. The command runs there, without daemon and browser."""

    requires = Requires.LOCAL


MOST_SHOWN_CHOICES = 12


class Parameter(NamedTuple):
    """An argument or option of a command."""

    name: str
    type: ArgumentType | None
    help: str
    option: bool = False
    flag: bool = False
    variadic: bool = False
    repeatable: bool = False
    required: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()
    short: str = ""

    @property
    def long(self) -> str:
        """Return the long name of an option, as typed: `--name`."""
        return "--" + self.name.rstrip("_").replace("_", "-")

    @property
    def metavar(self) -> str:
        """Return what stands for the value in the usage line: the choices, or a word of its type.

        For a parameter with many choices it is the parameter's name.
        """
        if self.choices:
            return "|".join(self.choices) if len(self.choices) <= MOST_SHOWN_CHOICES else self.name
        return self.type.metavar if self.type else ""


class _Declared(NamedTuple):
    """The declared fields of a command."""

    name: str
    kind: Kind
    requires: Requires
    handler: Callable[..., Any]
    """A coroutine function, or a plain one where the command is local."""
    family: str
    summary: str
    details: str
    parameters: tuple[Parameter, ...]
    examples: tuple[str, ...]
    kinds: tuple[tuple[str, Kind], ...] = ()
    """Parameters with which a call is of another kind."""
    aliases: tuple[str, ...] = ()
    page_text: bool = False
    """The output comes from the page: it is bounded, and fenced on request."""
    is_tree: bool = False
    """The output is a tree of roles and refs, which may be coloured."""
    secret: tuple[str, ...] = ()
    """Parameters whose values must not appear anywhere else."""
    timeout: float = 30.0
    """The command's deadline in seconds, kept by the daemon."""
    fresh: bool = False
    """The command makes sense on a browser whose state was just lost."""
    keeps_end: bool = False
    """Of output that is too long the end is printed, as of a log whose newest entries come last."""
    recalls: bool = False
    """The command has no page, but reads what the daemon remembers of the browser, so it fails where that was just lost."""
    waits: bool = False
    """The command has the option `--timeout`."""
    runs_code: bool = False
    """What takes its time is code of the caller's: `--timeout` is the command's whole deadline."""
    offline: str | None = None
    """The answer when no daemon runs; None: one is started."""
    starts_offline: bool = False
    """A daemon is started behind the answer `offline`."""
    ends_daemon: bool = False
    """The daemon is gone afterwards. Where it does not answer, the client ends it by a signal and gives the answer `offline`."""
    asks_web: bool = False
    """The daemon itself requests an address that the caller names, so the caller's rules for pages hold for it."""
    reads_stdin: bool = False
    """What is piped into the client takes the place of an argument that is missing."""
    needs_stdin: bool = False
    """What is piped into the client is the last argument, whatever else is given."""
    forms: str = ""
    """The usage line's arguments and options, where some of them exclude others."""
    need: type[Need] | None = None
    """The type of the handler's first parameter."""


class Command(_Declared):
    """A command: its declaration, and what follows from it (computed once)."""

    @cached_property
    def arguments(self) -> tuple[Parameter, ...]:
        """Return the parameters that are arguments: given by position, without a name."""
        return tuple(parameter for parameter in self.parameters if not parameter.option)

    @cached_property
    def options(self) -> tuple[Parameter, ...]:
        """Return the parameters that are options: given as `--name`."""
        return tuple(parameter for parameter in self.parameters if parameter.option)

    @cached_property
    def long_options(self) -> dict[str, Parameter]:
        """Return the options by their long names (`--name`)."""
        return {parameter.long: parameter for parameter in self.options}

    @cached_property
    def short_options(self) -> dict[str, Parameter]:
        """Return the options with a short name, by that letter."""
        return {parameter.short: parameter for parameter in self.options if parameter.short}

    @cached_property
    def shared_options(self) -> dict[str, tuple[str, str]]:
        """Return options that many commands have, such as `--timeout`: name → (as shown in help, help text).

        They are not in the handler's signature.
        """
        shared: dict[str, tuple[str, str]] = {}
        if self.waits:
            shared["--timeout"] = ("--timeout <ms>", "how long to wait, in place of the default")
        prints_at_once = self.is_local and self.uses_daemon  # nothing can be cut off then
        if self.page_text and not prints_at_once and "--max" not in self.long_options:
            shared["--max"] = ("--max <n>", "print at most n characters, in place of 100000; 0: all")
        return shared

    @property
    def names(self) -> tuple[str, ...]:
        """Return all names of the command: its name and the aliases."""
        return (self.name, *self.aliases)

    @property
    def reads_dash(self) -> bool:
        """Return whether an argument may be the word `-`, which stands for standard input."""
        return any(parameter.type is not None and parameter.type.piped for parameter in self.parameters)

    @property
    def writes_dash(self) -> bool:
        """Return whether an argument may be the word `-`, which stands for standard output."""
        return any(parameter.type is not None and parameter.type.is_output for parameter in self.parameters)

    @property
    def every_kind(self) -> tuple[Kind, ...]:
        """Return the effects (READ, WRITE, META) that calls of the command may have.

        The first is that of a call without options.
        """
        return tuple(dict.fromkeys((self.kind, *(kind for _, kind in self.kinds))))

    @property
    def needs_browser(self) -> bool:
        """Return whether the command needs a browser: its handler takes a page or a session."""
        return self.requires in (Requires.PAGE, Requires.BROWSER)

    @property
    def needs_previous_state(self) -> bool:
        """Return whether the command needs state that a browser crash loses, so that it must fail then."""
        return self.recalls or (self.needs_browser and not self.fresh)

    @property
    def is_local(self) -> bool:
        """Return whether the command runs in the client's process, without the daemon."""
        return self.requires is Requires.LOCAL

    @property
    def uses_daemon(self) -> bool:
        """Return whether the command needs the daemon: all do, except local ones that change no page."""
        return not self.is_local or self.kind is Kind.WRITE


class Family(NamedTuple):
    """The commands of one module, whose docstring `Title: what they are for.` names the family."""

    title: str
    summary: str


class Registry:
    """All commands by name, in the order of their modules, and within each in the order of declaration."""

    def __init__(self) -> None:
        self._commands: dict[str, Command] = {}
        self._families: dict[str, Family] = {}
        self._aliases: dict[str, str] = {}
        self._modules: Sequence[str] = ()
        self._where: Mapping[str, str] = {}

    def set_modules(self, modules: Sequence[str], where: Mapping[str, str]) -> None:
        """Set the modules that declare commands, to be imported when a command is needed.

        `where`: command name → its module; commands may be missing.
        """
        self._modules, self._where = modules, where

    def add(self, command: Command, family: Family) -> None:
        """Add a command of a family (one module's commands). Raises ValueError if a name of it is in use."""
        for name in command.names:
            if name in self._commands or name in self._aliases:
                raise ValueError(f"two commands are called {name}")
        self._commands[command.name] = command
        self._families.setdefault(family.title, family)
        self._aliases.update(dict.fromkeys(command.aliases, command.name))

    def get(self, name: str) -> Command | None:
        """Return the command with this name or alias; None for an unknown one.

        Imports the module that declares it.
        """
        found = self._find_imported(name)
        if not self._modules:
            return found
        # Also of a declared command: a thread may be importing it (`import_all`), and its handler uses names that come behind it.
        if module := found.handler.__module__ if found else self._where.get(name):
            import_module(module)
        if self._find_imported(name) is None:
            self.import_all()
        return self._find_imported(name)

    @property
    def commands(self) -> dict[str, Command]:
        """Return all commands: name → command. Imports all modules."""
        self.import_all()
        return self._commands

    def names(self) -> list[str]:
        """Return all names of the commands, including aliases."""
        return [*self.commands, *self._aliases]

    def by_family(self) -> list[tuple[Family, list[Command]]]:
        """Return each family (one module's commands) with its commands, in the order of their declaration."""
        every = list(self.commands.values())
        return [
            (family, [command for command in every if command.family == title])
            for title, family in self._families.items()
        ]

    def import_all(self) -> None:
        """Import all modules that declare commands (`set_modules`), sort the commands. May run in a thread."""
        if not self._modules:
            return
        for module in self._modules:
            import_module(module)
        place = {module: number for number, module in enumerate(self._modules)}
        ordered = sorted(
            self._commands.items(), key=lambda item: place.get(item[1].handler.__module__, len(place))
        )
        self._commands = dict(ordered)
        self._families = {command.family: self._families[command.family] for command in self._commands.values()}
        self._modules = ()

    def _find_imported(self, name: str) -> Command | None:
        """Return the command with this name or alias if its module has been imported; else None."""
        return self._commands.get(self._aliases.get(name, name))


REGISTRY = Registry()
