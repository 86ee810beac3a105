"""Flow formats: write a flow for another tool, and read another tool's recording."""

import asyncio
from pathlib import Path
from typing import Literal

from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.commands.flow.flows import load_flow, read_text, render_checked
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.flows import (
    devtools_recording,
    playwright_test_writer,
    scripts,
    selenium_ide,
    selenium_ide_writer,
)
from gstack_browse.flows.calls import replace_vault_secrets
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import InFile, OutFile, Text
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count
from gstack_browse.workspace.files import write_whole

Format = Literal["pytest", "playwright-test", "recorder", "side", "shell", "python"]
MOST_LISTED = 50
_WRITERS = {
    "pytest": playwright_test_writer.export_pytest,
    "playwright-test": playwright_test_writer.export_playwright_test,
    "recorder": devtools_recording.export_recorder,
    "side": selenium_ide_writer.export_selenium_ide,
    "shell": scripts.export_shell,
    "python": scripts.export_python,
}
_WITH_VAULT = frozenset({"shell", "python", "recorder"})
"""Formats whose steps of gbrowse take secrets from the vault themselves."""


@command(
    META,
    examples=[
        "flow-export login.flow test_login.py --to pytest",
        "flow-export login.flow login.spec.ts --to playwright-test",
    ],
)
async def flow_export(
    daemon: Daemon, file: InFile, out: OutFile, *, to: Format = "pytest", leave_out: bool = False
) -> str:
    """Write a flow for another tool: pytest-playwright, Playwright Test, a recording, or a script.

    Steps that have no counterpart there are named, and nothing is written (exit 1), unless --leave-out is given.
    The Recorder's format keeps them as custom steps, which the Recorder skips and 'flow-import' reads. Variables become
    environment variables (FLOW_EMAIL), and so do secrets of the vault. What identifies elements has no counterpart.

    to: pytest, playwright-test, recorder (Chrome DevTools Recorder's JSON), side (Selenium IDE), shell or python
    leave_out: write the file without the steps that have no counterpart, which are named in it
    """
    flow, secrets = await load_flow(file), dict[str, str]()
    if to not in _WITH_VAULT:
        flow, secrets = replace_vault_secrets(flow)
    exported: scripts.Exported = _WRITERS[to](flow, file.stem)
    listed = _list_losses(exported.losses)
    if exported.losses and not leave_out and to != "recorder":
        raise ActionFailed(
            f"{format_count(len(exported.losses), 'step')} cannot be written for {to}; nothing was written",
            "Leave them out: the same command with --leave-out",
            output="\n".join(listed),
        )
    await asyncio.to_thread(write_whole, str(out), exported.text.encode())
    count = len(flow.steps) - (len(exported.losses) if to != "recorder" else 0)
    written = f"Wrote {out} for {to} ({format_count(count, 'step')})"
    return "\n".join(
        [
            written,
            *(f"→ variable {name} stands for secret {secret} of the vault" for secret, name in secrets.items()),
            *(f"→ {'kept as a custom step' if to == 'recorder' else 'left out'}: {line}" for line in listed),
        ]
    )


@command(
    META,
    examples=["flow-import recording.json login.flow", "flow-import project.side login.flow --test 'Sign in'"],
)
async def flow_import(daemon: Daemon, file: InFile, out: OutFile, *, test: Text = "") -> str:
    """Read a recording of the Chrome DevTools Recorder (.json) or a Selenium IDE project as a flow.

    The project is a .side file. What has no counterpart is left out and listed, with the reason. Values of
    fields for passwords become secret variables. The flow has no notes of what identifies its elements: run it
    once, then 'flow-save'.

    test: the name of the test in a project that has several
    """
    if file.suffix not in (".json", ".side"):
        raise UsageError(f"{file.name} is neither .json nor .side", "Name the file as its tool does")
    text = await asyncio.to_thread(read_text, Path(file))
    imported = (
        selenium_ide.import_selenium_ide(text, test)
        if file.suffix == ".side"
        else devtools_recording.import_recorder(text)
    )
    listed = _list_losses(imported.losses)
    if not imported.flow.steps:
        raise ActionFailed(f"No step of {file.name} came over; nothing was written", output="\n".join(listed))
    await asyncio.to_thread(write_whole, str(out), render_checked(imported.flow).encode())
    written = f"Wrote {out} ({format_count(len(imported.flow.steps), 'step')})"
    return "\n".join([written, *(f"→ lost: {line}" for line in listed)])


def _list_losses(losses: list[str]) -> list[str]:
    """Return lines for the reply on what of a flow could not be converted: at most MOST_LISTED.

    A last line says how many more there are. `losses`: all.
    """
    more = [f"and {len(losses) - MOST_LISTED} more"] if len(losses) > MOST_LISTED else []
    return [one_line(line, 200) for line in losses[:MOST_LISTED]] + more
