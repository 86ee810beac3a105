"""Traces: what 'trace-stop' has saved, or Playwright elsewhere."""

from typing import Annotated, Literal

from gstack_browse.agent.local.caller import Caller
from gstack_browse.errors import FileFailed, UsageError
from gstack_browse.registry import READ, WRITE, command
from gstack_browse.registry.arguments import InFile, OutFile
from gstack_browse.registry.values.argument_type import ArgumentType
from gstack_browse.registry.values.measures import make_count_parser
from gstack_browse.text.sanitise import fence, sanitise
from gstack_browse.text.units import format_count

ActionNumber = Annotated[
    int,
    ArgumentType("n", "an action's number, as 'trace' shows it", make_count_parser("", 1, 1_000_000)),
]
_PICTURES = (b"\xff\xd8\xff", b"\x89PNG", b"RIFF")
"""How JPEG, PNG and WebP begin."""


@command(
    READ,
    examples=["trace trace.zip", "trace trace.zip requests", "trace trace.zip snapshot 3 --picture page.jpg"],
    kinds={"picture": WRITE},
    timeout=60,
    page_text=True,
)
def trace(
    caller: Caller,
    file: InFile,
    part: Literal["actions", "requests", "console", "snapshot"] = "actions",
    action: ActionNumber | None = None,
    *,
    picture: OutFile | None = None,
) -> str:
    """Print a trace of 'trace-stop', or one that Playwright has made elsewhere, such as in CI.

    Its actions with times and errors, its requests, or its console messages. 'snapshot <n>' prints the page after an action as Markdown. Traces
    of Playwright 1.14 to 1.65 are read. 'playwright show-trace' shows one in a browser.

    part: what to print
    picture: with 'snapshot', save the last picture of its tab before what follows the action
    """
    if part == "snapshot" and action is None:
        raise UsageError("'snapshot' needs the number of an action", f"'trace {file.name}' lists them")
    if part != "snapshot" and (action is not None or picture):
        raise UsageError(
            "Only 'snapshot' takes the number of an action, and --picture", "trace trace.zip snapshot 3"
        )
    from gstack_browse.documents.traces import rendering
    from gstack_browse.documents.traces.rendering import FrameDocuments
    from gstack_browse.documents.traces.trace_reader import TraceReader, open_trace

    with open_trace(file) as archive:
        found = TraceReader(archive).read()
        if action is None:
            render = {
                "actions": rendering.render_actions,
                "requests": rendering.render_requests,
                "console": rendering.render_messages,
            }[part]
            lines = render(found)
        else:
            if action > len(found.actions):
                raise FileFailed(
                    f"The trace has {format_count(len(found.actions), 'action')}",
                    f"'trace {file.name}' lists them",
                )
            meant = found.actions[action - 1]
            lines = rendering.render_document(FrameDocuments(archive, meant), meant)
            if picture:
                shown = rendering.find_picture(found, meant)
                lines.insert(0, _save_picture(archive.read(shown.file) if shown else None, picture))
    text = sanitise("\n".join(lines))
    return fence(text) if caller.fence else text


def _save_picture(content: bytes | None, path: OutFile) -> str:
    """Save a trace's picture, and return a line for the reply. Raises FileFailed if it is no picture."""
    from gstack_browse.workspace.files import write_whole

    if content is None or not content.startswith(_PICTURES):
        raise FileFailed("The trace has no picture yet of that action's tab", "Leave --picture out")
    write_whole(str(path), content)
    return f"Picture saved: {path}"
