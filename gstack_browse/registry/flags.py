"""Advice for an unknown flag: the equivalent of another tool's flag, or the nearest one. Pure."""

import re
from collections.abc import Iterable

from gstack_browse.registry.command import Command
from gstack_browse.registry.suggest import nearest

_MODIFIERS = {
    "shift": "Shift",
    "ctrl": "Control",
    "control": "Control",
    "alt": "Alt",
    "option": "Alt",
    "meta": "Meta",
    "cmd": "Meta",
    "command": "Meta",
    "controlormeta": "ControlOrMeta",
}
_POINTER = "click hover check uncheck drag"
_FORCED = "Nothing is forced: what is covered, hidden or disabled is told, and what lies on top can be closed"
_ONE_OF_MANY = "'<selector> >> nth=1' is the second one, and 'snapshot -i' gives each a ref"
_LOADED = "It waits for 'load'; 'wait --networkidle' or 'wait --domcontentloaded' is a command of its own"
_OURS: dict[tuple[str, str], str] = {
    (_POINTER, "force"): _FORCED,
    (_POINTER, "position offset pos xy"): "Use '--at <x,y>'",
    (_POINTER, "nowaitafter nowait trial strict"): "Leave it out",
    ("click", "dblclick doubleclick twice"): "Use '--double'",
    ("click", "count clickcount clicks times"): "Use '--double' for two, else the command again",
    ("click", "delay hold"): "Use 'hover <target>', 'mouse down', 'wait <ms>' and 'mouse up'",
    ("click", "newwindow background"): "Use '--new-tab'",
    ("click", "key keys modifier"): "Use '--modifiers <keys>'",
    (f"{_POINTER} text html value attrs css fill select upload", "nth index first last"): _ONE_OF_MANY,
    ("goto reload back forward", "waituntil until load waitfor networkidle domcontentloaded"): _LOADED,
    ("goto newtab", "new newtab tab"): "Use 'newtab <url>'",
    ("tab", "new"): "Use 'newtab [<url>]'",
    ("tab", "close"): "Use 'closetab <tab>'",
    ("wait", "state visible attached for selector"): "Use 'wait <target>', or 'wait --hidden <target>'",
    ("wait", "gone detached invisible notvisible"): "Use '--hidden <target>'",
    ("select", "label value byvalue bylabel text option"): "Leave it out: a label and a value are both taken",
    ("scroll", "px pixels amount by distance dy"): "Use the number alone: 'scroll down 300'",
    ("scroll", "down up top bottom left right"): "Use the word alone: 'scroll down', 'scroll <target> right'",
    ("scroll", "to into selector target element"): "Use the target alone: 'scroll <target>'",
    ("press", "count times repeat"): "Use the command again",
    ("screenshot", "full fullpage all"): "Leave it out: the whole page is the default",
    ("screenshot", "output path file filename out o"): "Use the path alone: 'screenshot page.png'",
    ("screenshot", "selector element target ref"): "Use the target alone: 'screenshot <target>'",
    ("screenshot", "format type"): "The path says that: 'screenshot page.jpg'",
}
"""By commands and by flags without case and hyphens."""
_BY_FLAG = {
    (command, flag): ours
    for (commands, flags), ours in _OURS.items()
    for command in commands.split()
    for flag in flags.split()
}


def advice(command: Command, typed: str, shared: Iterable[str]) -> str:
    """Advise what to type for a flag that the command lacks; "" for no advice.

    `shared`: flags of many commands
    """
    plain = typed.lstrip("-").replace("-", "").replace("_", "").casefold()
    if option := _value_of(command, plain):
        return f"Use '{option}'"
    if ours := _BY_FLAG.get((command.name, plain)):
        return ours
    near = _nearest(command, typed, shared)
    return f"Did you mean {near}?" if near else ""


def _value_of(command: Command, plain: str) -> str:
    """The option that has this for a value, with it: `--button right`."""
    for option in command.options:
        if plain in option.choices:
            return f"{option.long} {plain}"
        if option.name == "modifiers" and plain in _MODIFIERS:
            return f"{option.long} {_MODIFIERS[plain]}"
    return ""


def _nearest(command: Command, typed: str, shared: Iterable[str]) -> str:
    """The flag that is most like it, by its letters: all begin with the same dashes."""
    if not typed.startswith("--"):
        return ""
    known = {flag.removeprefix("--"): flag for flag in (*command.long_options, "--help", *shared)}
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", typed.removeprefix("--"))
    return known.get(nearest(name, known), "")
