"""Flow runs: run a saved flow again without a model, and report what happened."""

import asyncio
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson

from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.commands.flow.flow_player import FlowPlayer, Options, find_tab
from gstack_browse.commands.flow.flows import check_steps, load_flow, read_text
from gstack_browse.errors import ActionFailed, Refused, UsageError
from gstack_browse.flows import file as flow_file
from gstack_browse.flows import report as reports
from gstack_browse.flows import saving
from gstack_browse.flows.log import RunRecord
from gstack_browse.flows.words import NAME
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import Count, InFile, Milliseconds, OutFile
from gstack_browse.registry.values.argument_type import ArgumentType, Piped, Repeatable, or_piped
from gstack_browse.registry.values.paths import CallerPaths, parse_input_file, parse_output_file
from gstack_browse.text.units import format_count
from gstack_browse.workspace.files import open_parent, open_to_read, write_whole

MOST_VALUES = 1_000_000
"""Characters of a file of values."""
ENVIRONMENT = "FLOW_"


def _parse_assignment(word: str, _paths: CallerPaths) -> tuple[str, str]:
    """Parse a variable's value, typed as `name=value`. Return name and value. Raises UsageError."""
    name, equals, value = word.partition("=")
    if not equals or not re.fullmatch(NAME, name):
        raise UsageError(f'"{word[:60]}" is not name=value', "For example --var email=bob@example.com")
    return name, value


Assignment = Annotated[
    Sequence[tuple[str, str]],
    ArgumentType("name=value", "a variable of the flow, and its value", _parse_assignment),
    Repeatable,
]
Values = Annotated[
    Any,
    ArgumentType(
        "file|-",
        "a JSON object of names and values, or - for standard input",
        or_piped(parse_input_file),
        hint="file",
        piped=True,
    ),
]


@command(
    META,
    examples=[
        "flow-run login.flow",
        "flow-run login.flow --var email=bob@example.com --report login.html --junit login.xml",
        "flow-run login.flow --vars - < values.json",
        "flow-run login.flow --from 3",
    ],
    timeout=600,
)
async def flow_run(
    daemon: Daemon,
    file: InFile,
    *,
    var: Assignment = (),
    vars_: Values | None = None,
    from_: Count = 1,
    heal: Literal["no", "yes"] = "no",
    wait: Milliseconds | None = None,
    report: OutFile | None = None,
    junit: OutFile | None = None,
    json: bool = False,
) -> str:
    """Run a saved flow. Stops at the first step that fails, with its exit code.

    Before a step acts, the element that its selector finds is compared with the one of then. 'match': the step acts. 'moved': the
    selector finds nothing or another element, and exactly one element of the page is certainly the one of then; 'ambiguous': there are
    several; 'changed': another role, name or form, or no such element. These stop the run with exit 1 and the candidates' refs: act by
    hand and go on with --from. A step without an identity note acts on what its selector finds.

    A variable's value is --var, else in --vars, else FLOW_NAME of your environment, else its default. Secrets are refused in --var, where
    others could read them, and hidden in all output. Values are filled in before the first step; what is missing or wrong
    ends the run before it. All steps together have 600 s.

    var: the value of a variable
    vars_: a JSON file of values, or - for standard input
    from_: begin with this step
    heal: yes: act on an element that has moved, say so, and write the mended flow as NAME.healed.flow once all steps have passed (an earlier one is removed)
    wait: how long a step waits for its element, in place of 5 s (2 s where its selector finds another one)
    report: write an HTML page with a picture after each step; no picture is taken where a secret can be read
    junit: write JUnit XML, a test case for each step
    json: print a line of JSON for each step, and one for the result
    """
    flow = await load_flow(file)
    check_steps(daemon, flow, file.name)
    if not 1 <= from_ <= len(flow.steps):
        raise UsageError(f"The flow has no step {from_}", f"It has {len(flow.steps)}")
    values = await _read_variables(daemon, flow, flow.steps[from_ - 1 :], var, vars_)
    healed_file = (
        parse_output_file(str(file.with_name(f"{file.stem}.healed.flow")), daemon.paths)
        if heal == "yes"
        else None
    )
    _check_outputs({"--report": report, "--junit": junit, "--heal": healed_file}, [file, vars_])
    patience = None if wait is None else wait / 1000
    options = Options(heal == "yes", from_, report is not None or junit is not None, patience, json)
    player = FlowPlayer(daemon, flow, file.stem, values, options)
    tab = find_tab(daemon)
    with daemon.flow.hold_tab(file.stem, tab.id if tab else None):
        is_removed = bool(healed_file) and await asyncio.to_thread(_remove_healed, str(healed_file))
        try:
            await player.run()
        finally:
            player.record.name = file.stem
            if is_removed and not json and (player.record.failed_step or not player.healed):
                daemon.done.append(f"→ removed {healed_file}, which an earlier run wrote")
            await asyncio.to_thread(_write_reports, player.record, player.mask, report, junit)
            if json and player.record.failed_step:
                daemon.done.append(reports.render_json_summary(player.record, ""))
        written = await _write_healed(player, flow, file, healed_file)
    if json:
        return "\n".join([*daemon.done, reports.render_json_summary(player.record, written)])
    lines = [*daemon.done, reports.summary(player.record)]
    return "\n".join([*lines, f"→ {len(player.healed)} healed: {written}"] if written else lines)


def _check_outputs(outputs: Mapping[str, Path | None], inputs: Sequence[object]) -> None:
    """Raise UsageError if a file of `outputs` (option → path) is another of them, or one of the `inputs`."""
    taken = {os.path.realpath(each) for each in inputs if isinstance(each, Path)}
    for option, path in outputs.items():
        real = os.path.realpath(path) if path else ""
        if path and real in taken:
            raise UsageError(f"{path.name} would be written over by {option}", "Name another file")
        taken.add(real)


async def _write_healed(player: FlowPlayer, flow: flow_file.Flow, file: Path, healed: Path | None) -> str:
    """Write the flow, with new selectors for moved elements, to the file `healed`. Return that path.

    Returns "" if no element has moved or `healed` is None. A flow that includes others is written as one file.
    """
    if not player.healed or not healed:
        return ""
    text = await asyncio.to_thread(read_text, file)
    if flow_file.parse(text, file.name).steps == flow.steps:
        text = flow_file.rewrite_steps(
            text, {flow.steps[place].line: step for place, step in player.healed.items()}
        )
    else:
        steps = tuple(player.healed.get(place, step) for place, step in enumerate(flow.steps))
        text = flow_file.render(replace(flow, steps=steps))
    await asyncio.to_thread(write_whole, str(healed), text.encode())
    return str(healed)


def _remove_healed(path: str) -> bool:
    """Delete the file that an earlier run wrote with `--heal`, so that it is not mistaken for this run's.

    Return whether there was one.
    """
    with open_parent(path) as (directory, name):
        try:
            os.unlink(name, dir_fd=directory)
        except FileNotFoundError:
            return False
        return True


def _write_reports(
    record: RunRecord, mask: Callable[[str], str], report: Path | None, junit: Path | None
) -> None:
    """Write the report on a run as HTML (`report`) and as JUnit XML (`junit`), if a path is given."""
    if report:
        write_whole(str(report), mask(reports.render_html(record)).encode())
    if junit:
        write_whole(str(junit), mask(reports.render_junit(record)).encode())


async def _read_variables(
    daemon: Daemon,
    flow: flow_file.Flow,
    steps: Sequence[flow_file.Step],
    assignments: Sequence[tuple[str, str]],
    file: Path | Piped | None,
) -> Mapping[str, str]:
    """Return the value of each variable of a flow: from the caller, or else the variable's default.

    The caller gives it by `assignments` (`--var`), `file` (`--vars`) or the environment. It is "" for a variable without a value that
    `steps` do not use. Raises UsageError, and Refused for a secret among `assignments`.
    """
    declared = {variable.name: variable for variable in flow.variables}
    named = dict(assignments)
    if unknown := next((name for name in named if name not in declared), ""):
        known = ", ".join(declared) or "none"
        raise UsageError(f"The flow has no variable {unknown}", f"Its variables: {known}")
    if secret := next((name for name in named if declared[name].is_secret), ""):
        raise Refused(
            f"{secret} is a secret: others can read it on a command line",
            f"Give it by --vars <file>, --vars -, or the environment: {ENVIRONMENT}{secret.upper()}",
        )
    from_file = await asyncio.to_thread(_read_values, file)
    from_environment = daemon.caller_environment(ENVIRONMENT)
    values = {}
    used = flow_file.variables_used(steps)
    for name, variable in declared.items():
        candidates = (
            named.get(name),
            from_file.get(name),
            from_environment.get(ENVIRONMENT + name.upper()),
            variable.default,
        )
        value = next((each for each in candidates if each is not None), None)
        if value is None and name in used:
            raise UsageError(
                f"The variable {name} has no value",
                f"Give it by --vars <file> or {ENVIRONMENT}{name.upper()}"
                if variable.is_secret
                else f"Give it by --var {name}=…",
            )
        values[name] = value or ""
    return values


def _read_values(file: Path | Piped | None) -> Mapping[str, str]:
    """Read the values of a flow's variables from a file or standard input: name → value.

    They are a JSON object of strings. Raises UsageError for anything else.
    """
    if file is None:
        return {}
    if isinstance(file, Piped):
        content: bytes = file.encode()
    else:
        with open_to_read(os.path.realpath(file)) as opened:
            content = opened.read(MOST_VALUES + 1)
    try:
        values = orjson.loads(content) if len(content) <= MOST_VALUES else None
    except orjson.JSONDecodeError:
        values = None
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise UsageError("The values are one JSON object of strings", 'For example {"password": "…"}')
    return values


@command(META, examples=["report-start"])
async def report_start(daemon: Daemon) -> str:
    """Record the commands from now on for a report, until 'report-stop' writes it.

    It has 300 at most, each with a picture. A command takes longer meanwhile, by its picture. No picture is
    taken where a secret can be read on the page.
    """
    if daemon.flow.report:
        return f"A report has been recorded already: {len(daemon.flow.report.steps)} steps so far"
    daemon.flow.report = RunRecord("session", 0, goes_on=True, began=time.time())
    return "A report is recorded: 'report-stop <file>' writes it"


@command(META, examples=["report-stop session.html", "report-stop session.html --junit session.xml"])
async def report_stop(daemon: Daemon, file: OutFile, *, junit: OutFile | None = None) -> str:
    """Write the report that 'report-start' began, as an HTML page that needs nothing else, and end it.

    A command that failed ends nothing: the report has it with its message. Values of secrets are left out.

    junit: also write JUnit XML, a test case for each command
    """
    if daemon.flow.report is None:
        raise ActionFailed("No report is recorded", "Begin one: report-start")
    record = daemon.flow.report
    record.name, record.total = file.stem, len(record.steps)
    known = daemon.browser.revealed.values if daemon.browser else []
    mask = saving.collect_secrets(daemon.flow, known).mask
    await asyncio.to_thread(_write_reports, record, mask, file, junit)
    daemon.flow.report = None
    failed = sum(step.is_failed for step in record.steps)
    return f"Report saved: {file} ({format_count(len(record.steps), 'step')}, {failed} failed)"
