"""Write a flow as a script of gbrowse's own, for a shell or for Python; and what each export returns."""

import shlex
from dataclasses import dataclass

from gstack_browse.flows.dialects import Python
from gstack_browse.flows.file import Flow, variables_used
from gstack_browse.flows.words import Variable, Word


@dataclass(frozen=True)
class Exported:
    """A file in another tool's format, and the steps that have no counterpart there, each with the reason."""

    text: str
    losses: list[str]


def export_shell(flow: Flow, name: str) -> Exported:
    """Return the flow as a shell script. `name`: the flow's, for a comment.

    Steps that type a secret are left out: others could read it on a command line.
    """
    losses = []
    lines = ["#!/bin/sh", f"# Made from the flow {name} by gbrowse flow-export.", "set -eu"]
    for variable in flow.variables:
        if not variable.is_secret:
            default = f"-{shlex.quote(variable.default)}" if variable.default is not None else "?"
            lines.append(f"{variable.name}=${{FLOW_{variable.name.upper()}{default}}}")
    for place, step in enumerate(flow.steps, 1):
        where = f"step {place}"
        if flow.secrets & variables_used([step]):
            losses.append(
                f"{where}, {step.command}: it types a secret, which others could read on a command line"
            )
            lines.append(f"# left out {where}: {step.command} with a secret; see 'gbrowse help secret-set'")
        else:
            lines.append(f"gbrowse {' '.join(map(_quote_for_shell, step.words))}")
    return Exported("\n".join(lines) + "\n", losses)


def _quote_for_shell(word: Word) -> str:
    """Return a word quoted for a shell script, with its variables as `"${name}"`."""
    parts = [f'"${{{part.name}}}"' if isinstance(part, Variable) else shlex.quote(part) for part in word.parts]
    return "".join(parts) or "''"


def export_python(flow: Flow, name: str) -> Exported:
    """Return the flow as a script of the Python client. `name`: the flow's, for the docstring."""
    python = Python()
    head = [f'"""Made from the flow {name} by gbrowse flow-export."""', ""]
    head += ["import os", ""] if flow.variables else []
    head += ["from gstack_browse.client import connect", ""]
    head += map(python.write_declaration, flow.variables)
    calls = [f"    browse({', '.join(map(python.write_literal, step.words))})" for step in flow.steps]
    return Exported("\n".join([*head, "", "with connect() as browse:", *calls]) + "\n", [])
