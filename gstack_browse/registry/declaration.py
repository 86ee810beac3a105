"""The declaration of a command: `@command` turns a documented function into a Command.

The function's signature is the command's syntax:

    positional parameter      argument, optional when it has a default
    `*words`                  any number of arguments (at least one with `AtLeastOne` in its annotation)
    keyword-only parameter    `--option`; `bool` is a flag, `Literal` a choice; several times with `Repeatable`
    type of the first one     what the command needs (see `needs`)
    docstring                 summary line; explanation; `name: help` lines for the options
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from gstack_browse.registry.command import REGISTRY, Command, Family, Kind, Need, Parameter, Registry, Requires
from gstack_browse.registry.values.argument_type import ArgumentType, AtLeastOne, Repeatable

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    class _Facts(TypedDict, total=False):
        """Fields of `Command` that a declaration passes on as they are."""

        page_text: bool
        is_tree: bool
        timeout: float
        fresh: bool
        recalls: bool
        keeps_end: bool
        waits: bool
        runs_code: bool
        offline: str | None
        starts_offline: bool
        ends_daemon: bool
        asks_web: bool
        reads_stdin: bool
        needs_stdin: bool
        forms: str


_VARIADIC, _COROUTINE = 0x04, 0x80
"""CO_VARARGS and CO_COROUTINE, flags of a code object (Python's data model)."""

NO_DEFAULT = object()


class SignatureItem(NamedTuple):
    """A parameter of a function. `default` is NO_DEFAULT if it has none."""

    name: str
    default: Any = NO_DEFAULT
    variadic: bool = False
    option: bool = False


def list_parameters(function: Callable[..., Any]) -> list[SignatureItem]:
    """Return a function's parameters in the order of its signature; keyword-only ones are options."""
    code = function.__code__
    names, count, options = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
    defaults: tuple[Any, ...] = getattr(function, "__defaults__", None) or ()
    without = (NO_DEFAULT,) * (count - len(defaults))
    found = [SignatureItem(*pair) for pair in zip(names, (*without, *defaults), strict=False)]
    if code.co_flags & _VARIADIC:
        found.append(SignatureItem(names[count + options], variadic=True))
    given: dict[str, Any] = getattr(function, "__kwdefaults__", None) or {}
    found += [
        SignatureItem(name, given.get(name, NO_DEFAULT), option=True) for name in names[count : count + options]
    ]
    return found


def docstring(owner: object) -> str:
    """Return the docstring of a function or module, without indentation; "" for none."""
    first, *rest = (owner.__doc__ or "").expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return "\n".join([first.lstrip(), *(line[margin:].rstrip() for line in rest)]).strip()


Handler = TypeVar("Handler", bound=Callable[..., Any])


def command(
    kind: Kind,
    *,
    examples: Sequence[str],
    name: str = "",
    kinds: Mapping[str, Kind] | None = None,
    aliases: Sequence[str] = (),
    short: Mapping[str, str] | None = None,
    secret: Sequence[str] = (),
    registry: Registry = REGISTRY,
    **facts: "Unpack[_Facts]",
) -> Callable[[Handler], Handler]:
    """Return a decorator that declares a function as a command and adds it to `registry`.

    `kinds`: parameter → effect of calls that give it. The other options are explained in the module's docstring and at
    the fields of `Command`.
    """

    def declare(handler: Handler) -> Handler:
        family = _read_family(handler)
        summary, details, helps = _parse_docstring(handler)
        need, parameters = _read_signature(handler, helps, dict(short or {}))
        requires = need.requires if need else Requires.NOTHING
        if unknown := set(kinds or ()) - {parameter.name for parameter in parameters}:
            raise ValueError(f"{handler.__name__} has no parameter {', '.join(sorted(unknown))}")
        if facts.get("ends_daemon") and facts.get("offline") is None:
            raise ValueError(f"{handler.__name__} ends the daemon: what does it answer when none runs?")
        if bool(handler.__code__.co_flags & _COROUTINE) == (requires is Requires.LOCAL):
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
            kinds=tuple((kinds or {}).items()),
            aliases=tuple(aliases),
            secret=tuple(secret),
            need=need,
            **facts,
        )
        registry.add(record, family)
        return handler

    return declare


def _read_family(handler: Callable[..., Any]) -> Family:
    """Return a command's family (title and summary), from the first line of its module's docstring.

    Raises ValueError if that has another form.
    """
    title, colon, summary = docstring(sys.modules[handler.__module__]).partition("\n")[0].partition(": ")
    if not colon:
        raise ValueError(
            f"the module of {handler.__name__} needs a docstring 'Family: what its commands are for.'"
        )
    return Family(title, summary)


_OPTION_HELP = r"([a-z_]+): (\S.*)\Z"


def _parse_docstring(handler: Callable[..., Any]) -> tuple[str, str, dict[str, str]]:
    """Split a handler's docstring into summary, explanation, and help by parameter name.

    Raises ValueError without a docstring.
    """
    summary, _, rest = docstring(handler).partition("\n")
    if not summary:
        raise ValueError(f"{handler.__name__} has no docstring")
    names = {item.name for item in list_parameters(handler)}
    helps: dict[str, str] = {}
    details: list[str] = []
    for line in rest.strip().splitlines():
        match = re.match(_OPTION_HELP, line)
        if match and match[1] in names:
            helps[match[1]] = match[2]
        else:
            details.append(line)
    return summary, "\n".join(details).strip(), helps


def _read_signature(
    handler: Callable[..., Any], helps: Mapping[str, str], short: dict[str, str]
) -> tuple[type[Need] | None, tuple[Parameter, ...]]:
    """Return the type of a handler's first parameter if it is a Need (else None), and the other ones.

    `helps`: parameter → help, from the docstring. `short`: option → letter; used entries are removed. Raises ValueError
    for a letter of no option, TypeError for a wrong annotation.
    """
    hints = get_type_hints(handler, include_extras=True)
    declared = list_parameters(handler)
    need: type[Need] | None = None
    if declared and isinstance(first := hints[declared[0].name], type) and issubclass(first, Need):
        need = first
        declared = declared[1:]
    parameters = tuple(
        _make_parameter(item, hints[item.name], helps, short.pop(item.name, "")) for item in declared
    )
    if short:
        raise ValueError(f"{handler.__name__} has no option {', '.join(short)}")
    return need, parameters


def _make_parameter(item: SignatureItem, annotation: Any, helps: Mapping[str, str], short: str) -> Parameter:
    """Return the command's parameter for one of its handler. Raises TypeError for a wrong annotation.

    `helps`: parameter → help. `short`: its letter as an option; "" for none.
    """
    kind, least_one, choices = _parse_annotation(annotation)
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


def _parse_annotation(annotation: Any) -> tuple[ArgumentType | None, bool, tuple[str, ...]]:
    """Parse the annotation of a handler's parameter: `X`, `X | None` or a `Literal`.

    Return its argument type, whether at least one word is required, and the choices.
    """
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
            inner_kind, inner_least, inner_choices = _parse_annotation(part)
            kind, least_one, choices = kind or inner_kind, least_one or inner_least, choices or inner_choices
    return kind, least_one, choices
