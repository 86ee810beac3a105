"""Usage lines and help text from declarations. Pure."""

from collections.abc import Sequence

from gstack_browse.registry.command import Command, Family, Kind, Parameter, Registry

_KIND = len("read/write")
_HEAD = (
    "gbrowse: a browser that stays open between commands.\n\n"
    "Usage: gbrowse [--as NAME [--share NAME]] [--tab N] [--timeout MS] [--json] [--fence] [--any-download] <command> [arguments]"
)
_TARGETS = (
    "A target is a CSS selector, text=…, role=…, label=…, placeholder=…, testid=…, alt=…, title=…, or a ref (@e3) from\n"
    "'gbrowse snapshot -i'. Of several elements with a text, the visible one that says just that is meant."
)


def usage(command: Command) -> str:
    """Return the usage line of a command: `gbrowse click <target> [--double] …`."""
    words = ["gbrowse", command.name]
    if command.forms:
        words.append(command.forms)
    else:
        words += [_argument_usage(parameter) for parameter in command.arguments]
        words += [f"[{_option_usage(parameter)}]{'…' * parameter.repeatable}" for parameter in command.options]
    words += [f"[{shown}]" for shown, _ in command.shared_options.values()]
    return " ".join(words)


def command_help(command: Command) -> str:
    """Return a command's whole help: usage, summary, details, arguments, options and examples."""
    blocks = [f"Usage: {usage(command)}", command.summary]
    if command.details:
        blocks.append(command.details)
    if rows := argument_rows(command) + option_rows(command):
        width = max(len(left) for left, _ in rows)
        blocks.append("\n".join(f"  {left:<{width}}  {right}".rstrip() for left, right in rows))
    blocks.append(
        "Kind: " + "; ".join(f"{when}{kind.value} ({kind.meaning})" for when, kind in kind_rows(command))
    )
    if command.is_local:
        uses = (
            "it runs commands in the browser" if command.uses_daemon else "no daemon, no browser, any directory"
        )
        blocks.append(f"Runs in the client: {uses}")
    if command.aliases:
        blocks.append("Also called: " + ", ".join(command.aliases))
    blocks.append("Examples:\n" + "\n".join(f"  gbrowse {example}" for example in command.examples))
    return "\n\n".join(blocks)


def contents(registry: Registry) -> str:
    """Return the names of all commands by family, as `help` prints them first."""
    lines = [
        f"{family.title}: {' '.join(item.name for item in items)}" for family, items in registry.by_family()
    ]
    return "\n\n".join(
        [
            _HEAD,
            "\n".join(lines),
            f"{_TARGETS}\n'gbrowse help <command>' shows flags and examples, 'gbrowse help <family>' says what its commands do (help logs),\n"
            "'gbrowse help --all' all of them.",
        ]
    )


def overview(registry: Registry) -> str:
    """Return all commands by family, a line each with kind and summary, as `help --all` prints them."""
    width = max(len(name) for name in registry.commands)
    blocks = [f"{_HEAD}\n\n{_explain_kinds()}"]
    blocks += [_render_family(family, items, width) for family, items in registry.by_family()]
    blocks.append(f"{_TARGETS}\n'gbrowse help <command>' shows its flags and examples.")
    return "\n\n".join(blocks)


def family_help(registry: Registry, title: str) -> str:
    """Return a line for each command of a family, as `help <family>` prints; "" for an unknown `title`.

    The first word of several titles means all of these: "flow" is Flows, Flow runs and Flow formats.
    """
    wanted = _split_title(title)
    families = [(_split_title(family.title), family, items) for family, items in registry.by_family()]
    found = [(family, items) for words, family, items in families if words[: len(wanted)] == wanted]
    if not found:
        return ""
    width = max(len(item.name) for _, items in found for item in items)
    blocks = [_render_family(family, items, width) for family, items in found]
    return "\n\n".join([*blocks, f"{_explain_kinds()}\n'gbrowse help <command>' shows flags and examples."])


def _split_title(title: str) -> list[str]:
    """Return the words of a family's title in a form for comparison, without hyphens, case and plurals."""
    return [word.removesuffix("s") for word in title.casefold().replace("-", " ").replace("_", " ").split()]


def _render_family(family: Family, items: Sequence[Command], width: int) -> str:
    """Return a family's title, and a line for each of its commands. `width`: of the longest command name."""
    lines = [f"{family.title}: {family.summary}"]
    lines += [f"  {item.name:<{width}}  {kinds(item):<{_KIND}}  {item.summary}" for item in items]
    return "\n".join(lines)


def _explain_kinds() -> str:
    """Return a line that names and explains the kinds of command: read, write, meta."""
    return "Kinds of command: " + "; ".join(f"{kind.value}, {kind.meaning}" for kind in Kind)


FIRST_STEPS = (
    "goto example.com", "snapshot -i", "click @e3", "fill @e4 Ann", "press Enter", "text", "screenshot page.png",
    "expect text Welcome", "tabs", "stop",
)  # fmt: skip
"""What to begin with, as it is typed."""


def first_steps(registry: Registry) -> str:
    """Return the help that `gbrowse` prints without arguments: ten commands to begin with."""
    width = max(map(len, FIRST_STEPS))
    found = [(line, registry.get(line.split()[0])) for line in FIRST_STEPS]
    lines = [
        f"  gbrowse {line:<{width}}  {command.summary if command else ''}".rstrip() for line, command in found
    ]
    return "\n\n".join(
        [
            "gbrowse: a browser that stays open between commands. To begin with:",
            "\n".join(lines),
            "'gbrowse help' lists all commands, 'gbrowse help <command>' says all about one.",
        ]
    )


def kinds(command: Command) -> str:
    """Return the kinds that calls of a command may have, as help shows them: `read`, or `read/write`."""
    return "/".join(kind.value for kind in command.every_kind)


def kind_rows(command: Command) -> list[tuple[str, Kind]]:
    """Return rows for a command's reference: which calls are of which kind.

    For example `("", READ)` and `("with --clear ", META)`.
    """
    named = {parameter.name: parameter for parameter in command.parameters}
    typed = {name: each.long if each.option else f"'{each.metavar}'" for name, each in named.items()}
    return [("", command.kind), *((f"with {typed[name]} ", kind) for name, kind in command.kinds)]


def option_rows(command: Command) -> list[tuple[str, str]]:
    """Return a row for each option of a command, shared ones such as `--timeout` included: (option, help)."""
    rows = [(_option_usage(parameter), parameter.help) for parameter in command.options]
    return rows + list(command.shared_options.values())


def argument_rows(command: Command) -> list[tuple[str, str]]:
    """Return a row for each argument of a command: (argument, help)."""
    return [(_argument_usage(parameter), parameter.help) for parameter in command.arguments]


def _argument_usage(parameter: Parameter) -> str:
    """Return an argument as the usage line shows it: `<target>`, `[<path>]`, `<files>…`."""
    shown = f"<{parameter.metavar}>" if parameter.type else parameter.metavar
    if parameter.variadic:
        shown += "…"
    return shown if parameter.required else f"[{shown}]"


def _option_usage(parameter: Parameter) -> str:
    """Return an option as help shows it: `-t, --tab <number>`."""
    names = f"-{parameter.short}, {parameter.long}" if parameter.short else parameter.long
    if parameter.flag:
        return names
    return f"{names} {parameter.metavar}" if parameter.choices else f"{names} <{parameter.metavar}>"
