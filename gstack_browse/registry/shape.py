"""A command as it was typed, without what was typed into it: fit for a report. Pure."""

import re
from typing import Any

from gstack_browse.registry.binding import Bound
from gstack_browse.registry.command import Parameter

_REF = r"@[ec][0-9]+\Z"


def shape(bound: Bound) -> str:
    """Render a command without the texts typed into it: `fill @e3 <value…>`.

    Names, options, choices, numbers and refs stay; everything else is replaced by its metavar.
    """
    words = [bound.command.name]
    arguments = bound.command.arguments
    for index, value in enumerate(bound.positional):
        parameter = arguments[min(index, len(arguments) - 1)]
        if value is not None and (parameter.variadic or value != parameter.default):
            words.append(_shown(parameter, value))
    for parameter in bound.command.options:
        if parameter.name in bound.options:
            words.append(
                parameter.long
                if parameter.flag
                else f"{parameter.long} {_shown(parameter, bound.options[parameter.name])}"
            )
    return " ".join(words)


def _shown(parameter: Parameter, value: Any) -> str:
    is_told = (
        parameter.choices
        or isinstance(value, int | float)
        or (isinstance(value, str) and re.match(_REF, value))
    )
    return str(value) if is_told else f"<{parameter.metavar}>"
