"""Steps of a flow: replace the words that name elements, and collect facts of a step for a report."""

import base64
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.context.listener import Logs
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.commands.daemon_interface import Daemon
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.flows.file import Step
from gstack_browse.flows.identity import Identity
from gstack_browse.flows.log import Mark, StepRecord
from gstack_browse.flows.secret_variables import replace_values
from gstack_browse.protocol import Reply
from gstack_browse.registry import REGISTRY, bind, resolve_call
from gstack_browse.snapshot.annotate import Box
from gstack_browse.text.sanitise import one_line

_PROBE = "#target-of-a-step"
MOST_PICTURE = 60_000
MOST_ENTRIES = 20
LOOK_SECONDS = 2.0
"""Time limit for a page to say whether it shows a secret; longer on a busy machine."""
_PICTURES = (("60", "800"), ("40", "640"), ("25", "480"))
"""Quality and largest side: tried in turn until a picture is small enough."""


def list_targets(words: Sequence[str], daemon: Daemon) -> list[str]:
    """Return the selectors and refs among the arguments of a call, in the order in which it declares them.

    `words`: the command's name and its arguments.
    """
    command, rest = resolve_call(REGISTRY, words)
    values = bind(command, rest, daemon.paths).named_values()
    named = [
        parameter for parameter in command.parameters if parameter.type and parameter.type.hint == "target"
    ]
    found = [values.get(parameter.name) for parameter in named]
    return [
        str(value)
        for value, parameter in zip(found, named, strict=True)
        if isinstance(value, str) and parameter.name in values
    ]


def replace_target(words: Sequence[str], target: str, new: str, daemon: Daemon) -> list[str]:
    """Return a call (`words`: name and arguments) with `new` in the place of its selector or ref `target`.

    Raises ActionFailed where no single word is the target: an equal word may be a value, as in `type q --into q`.
    """
    place, prefix = _find_word(words, target, daemon)
    return [*words[:place], prefix + new, *words[place + 1 :]]


def _find_word(words: Sequence[str], target: str, daemon: Daemon) -> tuple[int, str]:
    """Find the selector or ref `target` in a call (`words`: name and arguments).

    Return the word's index, and what precedes the target in it, as `--into=`. Raises ActionFailed if no single word is it.
    """
    wanted = [_PROBE if each == target else each for each in list_targets(words, daemon)]
    for place, word in enumerate(words):
        prefix = word.removesuffix(target)
        if not place or not word.endswith(target) or (prefix and not prefix.startswith("--")):
            continue
        try:
            found = list_targets([*words[:place], prefix + _PROBE, *words[place + 1 :]], daemon)
        except UsageError:
            continue
        if found == wanted:
            return place, prefix
    raise ActionFailed(f"No single word of the step is the target {target}", "Write the target only once")


def move_target(
    step: Step, values: Mapping[str, str], target: str, selector: str, daemon: Daemon
) -> Step | None:
    """Return the step with `selector` in place of its `target`; None if that would lose a variable.

    `values`: variable → value. `target`: the step's target with the values filled in. A value that `selector` contains
    becomes its variable again.
    """
    filled = [word.fill(values) for word in step.words]
    place, prefix = _find_word(filled, target, daemon)
    word = step.words[place]
    new = replace_values(prefix + selector, {values[name]: name for name in word.variables})
    if set(new.variables) != set(word.variables):
        return None
    return replace(step, words=(*step.words[:place], new, *step.words[place + 1 :]))


def replace_identity(step: Step, index: int, identity: Identity) -> Step:
    """Return a copy of the step with another saved identity (role, name, …) for the element at `index`."""
    identities = list(step.identities)
    identities[index] = identity
    return replace(step, identities=tuple(identities))


async def take_picture(
    run: Callable[[Sequence[str]], Awaitable[Reply]], tab: Tab | None, secrets: Sequence[str]
) -> tuple[bytes, str]:
    """Take a picture of a tab for a report. Return (JPEG, ""), or (b"", the reason for its absence).

    A reason is that one of `secrets` can be read on the page. `run`: runs a command in the caller's context.
    """
    if tab is None or tab.gone_error() or tab.open_dialog:
        return b"", "no page shows"
    try:
        for frame in tab.page.frames:
            if await _call_engine(tab, frame, "showsSecret", list(secrets)):
                return b"", "a secret can be read on the page"
    except (FrameGone, ProtocolError, PageScriptError, TimeoutError):
        return b"", "the page does not say whether a secret can be read on it"
    for quality, side in _PICTURES:
        reply = await run(["screenshot", "-", "--viewport", "--quality", quality, "--max-side", side])
        if reply.code:
            return b"", one_line(reply.message, 200)
        picture = base64.b64decode(reply.text)
        if len(picture) <= MOST_PICTURE:
            return picture, ""
    return b"", f"it is larger than {MOST_PICTURE} bytes"


async def mark_candidates(step: StepRecord, tab: Tab, refs: Sequence[str]) -> None:
    """Add the boxes of elements (`refs`) to a step's record, for the report to draw into its picture.

    They are those that the step may have meant. Add nothing if the page does not answer.
    """
    try:
        size = await _call_engine(tab, tab.page.main_frame, "measurePage")
        boxes = await tab.world.run_with_timeout(tab.refs.boxes_of(refs), LOOK_SECONDS)
    except (FrameGone, ProtocolError, PageScriptError, TimeoutError):
        return
    step.view = width, height = size["seenWidth"], size["seenHeight"]

    def is_in_view(box: Box) -> bool:
        left, top, wide, high = box
        return left < width and top < height and left + wide > 0 and top + high > 0

    step.marks = [Mark(ref, box) for ref, box in boxes.items() if is_in_view(box)]
    step.unseen = [ref for ref in refs if ref not in {mark.ref for mark in step.marks}]


async def _call_engine(tab: Tab, frame: Frame, function: str, *arguments: Any) -> Any:
    """Call a function of our injected script, by name, in a frame. Return its result.

    Raises TimeoutError after LOOK_SECONDS.
    """
    return await tab.world.run_with_timeout(tab.world.call(function, *arguments, frame=frame), LOOK_SECONDS)


def record_logs(step: StepRecord, logs: Logs, before: tuple[int, int], mask: Callable[[str], str]) -> None:
    """Add the console errors and failed requests of a step to its record.

    `before`: totals of the console and network logs when the step began. `mask`: hides secrets in a text.
    """
    console = [entry for entry in logs.console.entries_since(before[0]) if entry.level == "error"]
    failed = [entry for entry in logs.network.entries_since(before[1]) if entry.is_failed]
    step.console = [mask(one_line(entry.text, 300)) for entry in console[:MOST_ENTRIES]]
    step.requests = [mask(one_line(entry.render(), 300)) for entry in failed[:MOST_ENTRIES]]
