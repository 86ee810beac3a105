"""The declaration of a command: `@command` turns a documented function into the record that everything reads.

From a Command come dispatch, usage errors, help, completion, the reference in `docs/` and the tests that hold
for every command. The function's signature is the command's syntax:

    positional parameter      argument, optional when it has a default
    `*words`                  any number of arguments (at least one with `AtLeastOne` in its annotation)
    keyword-only parameter    `--option`; `bool` is a flag, `Literal` a choice; several times with `Repeatable`
    type of the first one     what the command needs (see `needs`)
    docstring                 summary line; explanation; `name: help` lines for the options
"""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cached_property
from importlib import import_module
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from gstack_browse.registry.argument_type import ArgumentType, AtLeastOne, Repeatable
from gstack_browse.registry.needs import BrowserNeed, DaemonNeed, LocalNeed, Need, PageNeed
from gstack_browse.registry.signature import NO_DEFAULT, Item, docstring, is_coroutine, items, module_docstring


class Kind(Enum):
    """What a command does to the browser's state."""

    READ = "read"
    WRITE = "write"
    META = "meta"

    @property
    def meaning(self) -> str:
        """What that is in words."""
        return _MEANINGS[self]


_MEANINGS = {
    Kind.READ: "reads only",
    Kind.WRITE: "changes the page",
    Kind.META: "acts on the browser, the daemon or gbrowse itself",
}

READ, WRITE, META = Kind.READ, Kind.WRITE, Kind.META


class Requires(Enum):
    """What must exist before the handler can run."""

    NOTHING = "nothing"
    DAEMON = "daemon"
    BROWSER = "browser"
    PAGE = "page"
    LOCAL = "local"


MOST_SHOWN_CHOICES = 12


class Parameter(NamedTuple):
    """One argument or option, as bound from words."""

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
        """The option as typed: `--name`."""
        return "--" + self.name.rstrip("_").replace("_", "-")

    @property
    def metavar(self) -> str:
        """What stands for the value in usage: a type's own word, or the choices; of many choices the parameter's name."""
        if self.choices:
            return "|".join(self.choices) if len(self.choices) <= MOST_SHOWN_CHOICES else self.name
        return self.type.metavar if self.type else ""


class _Declared(NamedTuple):
    """What is declared of a command. `timeout` is its deadline in seconds, kept by the daemon.

    `kinds` names parameters with which a call is of another kind. `page_text` says that the output comes from the page, `is_tree` that it is one of refs and roles; `secret` names parameters whose values must not
    appear anywhere else; `fresh` says that it makes sense on a browser whose state was just lost; `waits` gives it
    `--timeout`; `reads_stdin`: what is piped into the client takes the place of an argument that is missing;
    `needs_stdin`: it is the last argument, whatever else is given. `offline` is the
    answer when no daemon runs, and `starts_offline` says that one is started all the same; `ends_daemon`: the daemon is
    gone afterwards, and where it does not answer, the client ends it by a signal and gives the answer `offline`. `forms` is
    the usage line's arguments and options where some of them exclude others. `need` is the type of the handler's first
    parameter. The handler is a coroutine function, or a plain one where the command is local.
    """

    name: str
    kind: Kind
    requires: Requires
    handler: Callable[..., Any]
    family: str
    summary: str
    details: str
    parameters: tuple[Parameter, ...]
    examples: tuple[str, ...]
    kinds: tuple[tuple[str, Kind], ...] = ()
    aliases: tuple[str, ...] = ()
    page_text: bool = False
    is_tree: bool = False
    secret: tuple[str, ...] = ()
    timeout: float = 30.0
    fresh: bool = False
    waits: bool = False
    offline: str | None = None
    starts_offline: bool = False
    ends_daemon: bool = False
    reads_stdin: bool = False
    needs_stdin: bool = False
    forms: str = ""
    need: type[Need] | None = None


class Command(_Declared):
    """One command: what is declared of it, and what follows from that, worked out once."""

    @cached_property
    def arguments(self) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if not parameter.option)

    @cached_property
    def options(self) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if parameter.option)

    @cached_property
    def long_options(self) -> dict[str, Parameter]:
        """The options by what is typed: `--name`."""
        return {parameter.long: parameter for parameter in self.options}

    @cached_property
    def short_options(self) -> dict[str, Parameter]:
        """Those that can be typed as a letter, by that."""
        return {parameter.short: parameter for parameter in self.options if parameter.short}

    @cached_property
    def shared_options(self) -> dict[str, tuple[str, str]]:
        """Options that a command has by its facts, not its signature: name → (as shown, help)."""
        shared: dict[str, tuple[str, str]] = {}
        if self.waits:
            shared["--timeout"] = ("--timeout <ms>", "how long to wait, in place of the default")
        if self.page_text and "--max" not in self.long_options:
            shared["--max"] = ("--max <n>", "print at most n characters, in place of 100000")
        return shared

    @property
    def names(self) -> tuple[str, ...]:
        """The name and the aliases."""
        return (self.name, *self.aliases)

    @property
    def reads_dash(self) -> bool:
        """Whether the word `-` stands for what is piped into the client."""
        return any(parameter.type is not None and parameter.type.piped for parameter in self.parameters)

    @property
    def writes_dash(self) -> bool:
        """Whether the word `-` stands for standard output."""
        return any(parameter.type is not None and parameter.type.is_output for parameter in self.parameters)

    @property
    def every_kind(self) -> tuple[Kind, ...]:
        """What calls may do, the one without special parameters first."""
        return tuple(dict.fromkeys((self.kind, *(kind for _, kind in self.kinds))))

    @property
    def needs_browser(self) -> bool:
        return self.requires in (Requires.PAGE, Requires.BROWSER)

    @property
    def is_local(self) -> bool:
        """Whether it runs in the client."""
        return self.requires is Requires.LOCAL


class Family(NamedTuple):
    """Commands that stand in one module; its docstring `Title: what they are for.` names the family."""

    title: str
    summary: str


class Registry:
    """All commands by name: in the order of the modules that declare them, and in each in the order of declaration.

    A module is imported when something is asked that needs it: one for a command by its name, all for what concerns every command.
    """

    def __init__(self) -> None:
        self._commands: dict[str, Command] = {}
        self._families: dict[str, Family] = {}
        self._aliases: dict[str, str] = {}
        self._modules: Sequence[str] = ()
        self._where: Mapping[str, str] = {}

    def declare_in(self, modules: Sequence[str], where: Mapping[str, str]) -> None:
        """Have the commands declared by `modules`; `where` says of names which of these it is. A name may be missing there."""
        self._modules, self._where = modules, where

    def add(self, command: Command, family: Family) -> None:
        for name in command.names:
            if name in self._commands or name in self._aliases:
                raise ValueError(f"two commands are called {name}")
        self._commands[command.name] = command
        self._families.setdefault(family.title, family)
        self._aliases.update(dict.fromkeys(command.aliases, command.name))

    def get(self, name: str) -> Command | None:
        if (found := self._declared(name)) is None and self._modules:
            if name in self._where:
                import_module(self._where[name])
                found = self._declared(name)
            if found is None:
                self.complete()
                found = self._declared(name)
        return found

    @property
    def commands(self) -> dict[str, Command]:
        """All of them, by their names."""
        self.complete()
        return self._commands

    def names(self) -> list[str]:
        """Every word that names a command, aliases too."""
        return [*self.commands, *self._aliases]

    def by_family(self) -> list[tuple[Family, list[Command]]]:
        every = list(self.commands.values())
        return [
            (family, [command for command in every if command.family == title])
            for title, family in self._families.items()
        ]

    def complete(self) -> None:
        """Import every module that has not been asked for yet. May run in a thread."""
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

    def _declared(self, name: str) -> Command | None:
        return self._commands.get(self._aliases.get(name, name))


REGISTRY = Registry()

Handler = TypeVar("Handler", bound=Callable[..., Any])


def command(
    kind: Kind,
    *,
    examples: Sequence[str],
    name: str = "",
    kinds: Mapping[str, Kind] | None = None,
    aliases: Sequence[str] = (),
    short: Mapping[str, str] | None = None,
    page_text: bool = False,
    is_tree: bool = False,
    secret: Sequence[str] = (),
    timeout: float = 30.0,
    fresh: bool = False,
    waits: bool = False,
    offline: str | None = None,
    starts_offline: bool = False,
    ends_daemon: bool = False,
    reads_stdin: bool = False,
    needs_stdin: bool = False,
    forms: str = "",
    registry: Registry = REGISTRY,
) -> Callable[[Handler], Handler]:
    """Declare the decorated function as a command. See the module's docstring and `Command`."""

    def declare(handler: Handler) -> Handler:
        family = _family(handler)
        summary, details, helps = _documentation(handler)
        need, parameters = _signature(handler, helps, dict(short or {}))
        requires = _requires(need)
        if ends_daemon and offline is None:
            raise ValueError(f"{handler.__name__} ends the daemon: what does it answer when none runs?")
        if is_coroutine(handler) == (requires is Requires.LOCAL):
            raise TypeError(
                f"{handler.__name__}: a local command is a plain function, any other a coroutine function"
            )
        record = Command(
            name=name or handler.__name__.rstrip("_").replace("_", "-"),
            kind=kind,
            requires=requires,
            handler=handler,
            family=family.title,
            summary=summary,
            details=details,
            parameters=parameters,
            examples=tuple(examples),
            kinds=_kinds(handler, parameters, kinds or {}),
            aliases=tuple(aliases),
            page_text=page_text,
            is_tree=is_tree,
            secret=tuple(secret),
            timeout=timeout,
            fresh=fresh,
            waits=waits,
            offline=offline,
            starts_offline=starts_offline,
            ends_daemon=ends_daemon,
            reads_stdin=reads_stdin,
            needs_stdin=needs_stdin,
            forms=forms,
            need=need,
        )
        registry.add(record, family)
        return handler

    return declare


def _family(handler: Callable[..., Any]) -> Family:
    title, colon, summary = module_docstring(handler).partition("\n")[0].partition(": ")
    if not colon:
        raise ValueError(
            f"the module of {handler.__name__} needs a docstring 'Family: what its commands are for.'"
        )
    return Family(title, summary)


_OPTION_HELP = r"([a-z_]+): (\S.*)\Z"


def _documentation(handler: Callable[..., Any]) -> tuple[str, str, dict[str, str]]:
    """Summary, explanation and help per parameter, from the docstring."""
    summary, _, rest = docstring(handler).partition("\n")
    if not summary:
        raise ValueError(f"{handler.__name__} has no docstring")
    names = {item.name for item in items(handler)}
    helps: dict[str, str] = {}
    details: list[str] = []
    for line in rest.strip().splitlines():
        match = re.match(_OPTION_HELP, line)
        if match and match[1] in names:
            helps[match[1]] = match[2]
        else:
            details.append(line)
    return summary, "\n".join(details).strip(), helps


def _signature(
    handler: Callable[..., Any], helps: Mapping[str, str], short: dict[str, str]
) -> tuple[type[Need] | None, tuple[Parameter, ...]]:
    hints = get_type_hints(handler, include_extras=True)
    declared = items(handler)
    need: type[Need] | None = None
    if declared and isinstance(first := hints[declared[0].name], type) and issubclass(first, Need):
        need = first
        declared = declared[1:]
    parameters = tuple(_parameter(item, hints[item.name], helps, short.pop(item.name, "")) for item in declared)
    if short:
        raise ValueError(f"{handler.__name__} has no option {', '.join(short)}")
    return need, parameters


def _kinds(
    handler: Handler, parameters: Sequence[Parameter], kinds: Mapping[str, Kind]
) -> tuple[tuple[str, Kind], ...]:
    if unknown := kinds.keys() - {parameter.name for parameter in parameters}:
        raise ValueError(f"{handler.__name__} has no parameter {', '.join(sorted(unknown))}")
    return tuple(kinds.items())


def _requires(need: type[Need] | None) -> Requires:
    if need is None:
        return Requires.NOTHING
    for base, requires in (
        (PageNeed, Requires.PAGE),
        (BrowserNeed, Requires.BROWSER),
        (DaemonNeed, Requires.DAEMON),
        (LocalNeed, Requires.LOCAL),
    ):
        if issubclass(need, base):
            return requires
    raise TypeError(f"{need} is no known need")


def _parameter(item: Item, annotation: Any, helps: Mapping[str, str], short: str) -> Parameter:
    kind, least_one, choices = _annotation(annotation)
    flag = annotation is bool
    if not (flag or choices or kind):
        raise TypeError(f"parameter {item.name}: {annotation} is not an argument type")
    required = least_one if item.variadic else item.default is NO_DEFAULT
    if item.option and required:
        raise TypeError(f"option {item.name} needs a default")
    return Parameter(
        name=item.name,
        type=kind,
        help=helps.get(item.name, "" if item.option else (kind.summary if kind else "")),
        option=item.option,
        flag=flag,
        variadic=item.variadic,
        repeatable=Repeatable in get_args(annotation),
        required=required,
        default=None if item.default is NO_DEFAULT else item.default,
        choices=choices,
        short=short,
    )


def _annotation(annotation: Any) -> tuple[ArgumentType | None, bool, tuple[str, ...]]:
    """The argument type, whether at least one is wanted, and the choices, of `X`, `X | None` and `Literal`."""
    kind: ArgumentType | None = None
    least_one = False
    choices: tuple[str, ...] = ()
    if get_origin(annotation) is Literal:
        choices = get_args(annotation)
    elif get_origin(annotation) is Annotated:
        for extra in get_args(annotation)[1:]:
            kind = extra if isinstance(extra, ArgumentType) else kind
            least_one = least_one or extra is AtLeastOne
    else:
        for part in get_args(annotation):
            inner_kind, inner_least, inner_choices = _annotation(part)
            kind, least_one, choices = kind or inner_kind, least_one or inner_least, choices or inner_choices
    return kind, least_one, choices
