"""Write a flow as a script of gbrowse's own, for a shell or for Python; and what each export returns."""

import shlex
from dataclasses import dataclass

from gstack_browse.flows.dialects import Python
from gstack_browse.flows.file import Flow, variables_used
from gstack_browse.flows.words import Variable, Word
from gstack_browse.text.sanitise import one_line


@dataclass(frozen=True)
class Exported:
    """A file in another tool's format, and the steps that have no counterpart there, each with the reason."""

    text: str
    losses: list[str]


def export_shell(flow: Flow, name: str) -> Exported:
    """Return the flow as a shell script. `name`: the flow's, for a comment.

    Leaves out steps that type a secret: others could read it on a command line. Variables are called FLOW_…, as in the
    environment: a flow's variable may be called PATH.
    """
    losses = []
    lines = ["#!/bin/sh", f"# Made from the flow {one_line(name)} by gbrowse flow-export.", "set -eu"]
    for variable in flow.variables:
        if not variable.is_secret:
            default = f"-{shlex.quote(variable.default)}" if variable.default is not None else "?"
            shell_name = _name_variable(variable.name)
            lines.append(f"{shell_name}=${{{shell_name}{default}}}")
    for place, step in enumerate(flow.steps, 1):
        where, command = f"step {place}", one_line(step.command, 60)
        if flow.secret_names & variables_used([step]):
            losses.append(f"{where}, {command}: it types a secret, which others could read on a command line")
            lines.append(f"# left out {where}: {command} with a secret; see 'gbrowse help secret-set'")
        else:
            lines.append(f"gbrowse {' '.join(map(_quote_for_shell, step.words))}")
    return Exported("\n".join(lines) + "\n", losses)


def _name_variable(name: str) -> str:
    """Return the name that a flow's variable has in a shell script and in the environment: `FLOW_EMAIL`."""
    return f"FLOW_{name.upper()}"


def _quote_for_shell(word: Word) -> str:
    """Return a word quoted for a shell script, with its variables as `"${FLOW_NAME}"`."""
    parts = [
        f'"${{{_name_variable(part.name)}}}"' if isinstance(part, Variable) else shlex.quote(part)
        for part in word.parts
    ]
    return "".join(parts) or "''"


def export_python(flow: Flow, name: str) -> Exported:
    """Return the flow as a script of the Python client. `name`: the flow's, for the docstring."""
    python = Python()
    head = [python.write_docstring(f"Made from the flow {name} by gbrowse flow-export."), ""]
    head += ["import os", ""] if flow.variables else []
    head += ["from gstack_browse.client import connect", ""]
    head += map(python.write_declaration, flow.variables)
    calls = [f"    browse({', '.join(map(python.write_literal, step.words))})" for step in flow.steps]
    return Exported("\n".join([*head, "", "with connect() as browse:", *calls]) + "\n", [])
