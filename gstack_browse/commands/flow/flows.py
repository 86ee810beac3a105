"""Flows: save what a session did as a file, and check such a file. `flow-run` runs it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.flows import file as flow_file
from gstack_browse.flows import saving
from gstack_browse.flows.words import NAME
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import Count, InFile, OutFile
from gstack_browse.registry.values.argument_type import ArgumentType, Repeatable
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.text.sanitise import one_line, quote_text
from gstack_browse.text.units import format_count
from gstack_browse.workspace.files import read_limited, write_whole

MOST_INCLUDED = 20
"""Flows that one flow includes, directly and through others."""
_MOST_PROPOSED = 5


def _parse_value_and_name(word: str, _paths: CallerPaths) -> tuple[str, str]:
    """Parse a value and a variable for it, typed as `value=name`; the value may contain `=`. Return both."""
    import re

    value, _, name = word.rpartition("=")
    if not value or not re.fullmatch(NAME, name):
        raise UsageError(f'"{word[:60]}" is not value=name', "For example --as-var 'ann@example.com=email'")
    return value, name


AsVariable = Annotated[
    Sequence[tuple[str, str]],
    ArgumentType("value=name", "a typed value, and the variable for it", _parse_value_and_name),
    Repeatable,
]


@command(META, examples=["flow-start"])
async def flow_start(daemon: Daemon) -> str:
    """Begin a flow at the next command. 'flow-stop <file>' saves it.

    Nothing has to be begun: 'flow-save <file> --last 5' saves what was done already.
    """
    daemon.flow.start()
    return "A flow begins here: 'flow-stop <file>' saves it"


@command(META, examples=["flow-stop login.flow", "flow-stop login.flow --as-var 'ann@example.com=email'"])
async def flow_stop(daemon: Daemon, file: OutFile, *, all_: bool = False, as_var: AsVariable = ()) -> str:
    """Save the commands since 'flow-start' as a flow, as 'flow-save' does.

    all_: with commands that only looked: text, value, is, …
    as_var: have a variable in the place of a typed value
    """
    if daemon.flow.started is None:
        raise ActionFailed("No flow was begun", "Save what was done already: flow-save <file> --last <n>")
    saved = await _save_flow(daemon, file, None, with_reads=all_, as_var=as_var)
    daemon.flow.started = None
    return saved


@command(
    META, examples=["flow-save login.flow --last 4", "flow-save login.flow --as-var 'ann@example.com=email'"]
)
async def flow_save(
    daemon: Daemon, file: OutFile, *, last: Count | None = None, all_: bool = False, as_var: AsVariable = ()
) -> str:
    """Save the last commands as a flow: a text file that 'flow-run' runs again without a model.

    Kept are commands that succeeded and act, wait or expect; by default all since 'flow-start', else since the daemon started (1,000 at
    most). Refs become selectors. Below each step stands what identifies its elements, so that a run notices a changed page. A new
    address, a dialog or a download that followed a step becomes an 'expect'. What was typed into a field for passwords, codes and
    cards, and what looks like a secret, becomes a variable without a value ('# secret password'); see 'help flow-run'. What a person
    did in the window of a 'handoff' counts once 'resume' has ended that.

    last: only the last n of these commands
    all_: with commands that only looked: text, value, is, …
    as_var: have a variable in the place of a typed value; the value becomes its default
    """
    return await _save_flow(daemon, file, last, with_reads=all_, as_var=as_var)


async def _save_flow(
    daemon: Daemon, file: Path, last: int | None, *, with_reads: bool, as_var: Sequence[tuple[str, str]]
) -> str:
    """Write the last commands as a flow to `file`. Return the command's reply.

    `last`: how many commands; None: since `flow-start`. `with_reads`: also those that only read. `as_var`: pairs of a typed value
    and the variable for it.
    """
    await daemon.complete_flow_now()
    known = daemon.browser.revealed.values if daemon.browser else []
    saved = saving.save(
        daemon.flow, last, with_reads=with_reads, as_variables=dict(as_var), known_secrets=known
    )
    flow = saved.flow
    names = [name for _, name in as_var]
    secret = flow.secret_names
    if twice := next((name for name in names if names.count(name) > 1 or name in secret), ""):
        raise UsageError(f"The variable {twice} stands for something else already", "Choose another name")
    if not flow.steps:
        raise ActionFailed("There is no step to save", "Act first: goto, click, fill, …")
    used = {variable.name for variable in flow.variables}
    if unused := next((value for value, name in as_var if name not in used), ""):
        raise UsageError(f"No step types {quote_text(unused, 60)}", "Give a value as it was typed")
    await asyncio.to_thread(write_whole, str(file), render_checked(flow).encode())
    lines = [f"Saved {format_count(len(flow.steps), 'step')} to {file}{_describe_variables(flow)}"]
    lines += [f"→ {one_line(saved.remark, 300)}"] if saved.remark else []
    lines += [f"→ left out {one_line(each, 200)}" for each in saved.left_out]
    proposed = [] if as_var else saved.proposals[:_MOST_PROPOSED]
    if proposed:
        options = " ".join(f"--as-var {quote_text(f'{value}={name}', 80)}" for value, name in proposed)
        lines.append(f"→ values that could be variables: {options}")
    return "\n".join(lines)


def _describe_variables(flow: flow_file.Flow) -> str:
    """Return the names of a flow's variables and secrets in parentheses, for a reply; "" if it has none."""
    plain = [variable.name for variable in flow.variables if not variable.is_secret]
    secret = [variable.name for variable in flow.variables if variable.is_secret]
    parts = [f"{format_count(len(plain), 'variable')}: {', '.join(plain)}"] if plain else []
    parts += [f"{format_count(len(secret), 'secret')}: {', '.join(secret)}"] if secret else []
    return f" ({'; '.join(parts)})" if parts else ""


@command(READ, examples=["flow-check login.flow"])
async def flow_check(daemon: Daemon, file: InFile) -> str:
    """Check a flow without running it: form, variables, words of commands. Exit 2 if it cannot run.

    The message has line and column.
    """
    flow = await load_flow(file)
    check_steps(daemon, flow, file.name)
    noted = sum(1 for step in flow.steps if step.identities)
    facts = f"{format_count(len(flow.steps), 'step')}, {noted} with what identifies their elements"
    return f"{file.name} can run: {facts}{_describe_variables(flow)}"


async def load_flow(path: Path) -> flow_file.Flow:
    """Read a flow file, with the flows that it includes. Raises UsageError, FileFailed and Refused."""
    return await asyncio.to_thread(_read_with_included, path)


def _read_with_included(path: Path) -> flow_file.Flow:
    """Read a flow file, with the steps and variables of the flows that it includes. Blocks.

    Raises UsageError, FileFailed and Refused.
    """
    included: list[Path] = []
    variables: dict[str, flow_file.Variable] = {}

    def read(file: Path, above: tuple[Path, ...]) -> list[flow_file.Step]:
        flow = flow_file.parse(read_text(file), file.name)
        for variable in flow.variables:
            known = variables.setdefault(variable.name, variable)
            if variable.is_secret and not known.is_secret:
                variables[variable.name] = variable
        steps: list[flow_file.Step] = []
        for step in flow.steps:
            if step.command != flow_file.INCLUDE:
                steps.append(step)
                continue
            other = _included_path(file, step)
            included.append(other)
            if other in above or len(included) > MOST_INCLUDED:
                raise UsageError(
                    f"{file.name}, line {step.line}: {other.name} includes itself, or too many others"
                )
            steps += read(other, (*above, other))
        return steps

    real = path.resolve()
    steps = read(real, (real,))
    if len(steps) > flow_file.MOST_STEPS:
        raise UsageError(
            f"The flow has {len(steps)} steps with those that it includes, more than {flow_file.MOST_STEPS}"
        )
    return flow_file.Flow(tuple(steps), tuple(variables.values()))


def _included_path(file: Path, step: flow_file.Step) -> Path:
    """Return the path of the flow that the step `step` of the flow `file` includes.

    Raises UsageError outside of the folder of `file`: flows may come from strangers.
    """
    name = step.words[1].text
    other = (file.parent / name).resolve()
    if file.parent not in other.parents or other.suffix != ".flow":
        raise UsageError(
            f"{file.name}, line {step.line}: an included flow lies beside this one or below, and ends in .flow"
        )
    return other


def render_checked(flow: flow_file.Flow) -> str:
    """Render a flow as text. Raises UsageError if that text could not be read as a flow again."""
    text = flow_file.render(flow)
    flow_file.parse(text)
    return text


def read_text(path: Path) -> str:
    """Return the text of a file that may be a flow or a recording. Raises FileFailed and UsageError."""
    content = read_limited(str(path), 4 * flow_file.MOST_CHARACTERS)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path.name} is not UTF-8 (byte {error.start})") from None


def check_steps(daemon: Daemon, flow: flow_file.Flow, name: str) -> None:
    """Raise UsageError for the first step of a flow that cannot run. `name`: of its file, for the message.

    Steps are checked with their variables' defaults, or `$name` without one.
    """
    values = {variable.name: variable.default or f"${variable.name}" for variable in flow.variables}
    for step in flow.steps:
        if step.command.startswith(("flow-", "report-")):
            raise UsageError(
                f"{name}, line {step.line}: a flow cannot contain {step.command}", "Use include, or two runs"
            )
        try:
            daemon.check(flow_file.fill_words(step, values))
        except UsageError as error:
            raise UsageError(f"{name}, line {step.line}: {error.message}", error.hint) from None
