"""The log of a session's last commands, from which flows are saved, and the records of a run's steps."""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from gstack_browse.errors import ActionFailed


@dataclass(frozen=True)
class Mark:
    """A candidate element in a step's picture.

    `box`: left, top, width and height in CSS pixels from the picture's corner.
    """

    ref: str
    box: tuple[float, float, float, float]


@dataclass
class StepRecord:
    """A step that was run. Texts come from pages; secrets are masked before they get here."""

    number: int
    line: str
    seconds: float = 0.0
    effects: Sequence[str] = ()
    """Lines about what followed, without arrows."""
    remark: str = ""
    """How the element was found, where that was not plain: `healed: …`."""
    error: str = ""
    candidates: Sequence[str] = ()
    marks: Sequence[Mark] = ()
    """The candidates in the picture."""
    unseen: Sequence[str] = ()
    """The refs of candidates that are outside of the picture."""
    view: tuple[float, float] = (0, 0)
    """Width and height of the picture in CSS pixels, in which `marks` are measured."""
    picture: bytes = b""
    no_picture: str = ""
    """Why there is no picture."""
    console: Sequence[str] = ()
    requests: Sequence[str] = ()

    @property
    def is_failed(self) -> bool:
        """Return whether the step of the flow failed."""
        return bool(self.error)


@dataclass
class RunRecord:
    """A run. `total`: the number of steps that there were to run."""

    name: str
    total: int
    steps: list[StepRecord] = field(default_factory=list)
    goes_on: bool = False
    """Whether a step that fails ends nothing: the record is of a session."""
    began: float = 0.0
    """Seconds since the epoch."""

    @property
    def seconds(self) -> float:
        """Return the time of all steps together."""
        return sum(step.seconds for step in self.steps)

    @property
    def failed_step(self) -> StepRecord | None:
        """Return the step that failed; None if none did."""
        return next((step for step in self.steps if step.is_failed), None)


MOST_KEPT = 1000
MOST_CHARACTERS = 100_000
"""Characters of a command's words: a longer one is not kept."""
MOST_REPLY = 2000
ACTIONS = frozenset(
    {
        "goto", "load-html", "back", "forward", "reload", "click", "fill", "select", "hover", "type", "press",
        "scroll", "viewport", "upload", "fill-form", "check", "uncheck", "copy", "paste", "drag", "drop",
        "mouse", "keydown", "keyup", "focus", "blur", "select-text", "js", "eval", "frame", "tab", "newtab",
        "closetab", "dialog-accept", "dialog-dismiss", "dialog-hold", "download", "cookie-set",
        "cookie-delete", "cookies-clear", "storage-set", "storage-delete", "storage-clear", "header", "route",
        "throttle", "unroute", "useragent", "device", "emulate", "init-script", "expect", "wait",
    }
)  # fmt: skip
"""Commands that a flow keeps: what acts, and what waits or expects."""
LOOKS = frozenset(
    {
        "url", "text", "title", "value", "count", "box", "html", "links", "forms", "snapshot", "is", "attrs",
        "css",
    }
)  # fmt: skip
"""Commands that only look: kept with --all."""
FAILED_REQUEST = re.compile(r"failed: ([A-Z]+) (\S+) → (.+)")
"""A line about what followed: method, address, and status or error of a request that failed."""
_BY_PLACE = re.compile(r">>\s*nth=|:nth-|:first-|:last-|^(?:xpath=|\(?/).*\[[0-9]+\]")


def selects_by_position(target: str) -> bool:
    """Return whether a selector picks an element by its position among several, as `>> nth=2` does.

    Another element may have that position in the next run.
    """
    return _BY_PLACE.search(target) is not None


@dataclass(frozen=True)
class ActedOn:
    """An element that a command named or typed into.

    `description`: the engine's description of it; None: there was none in time.
    """

    target: str
    description: Mapping[str, Any] | None
    frames: tuple[str, ...] = ()
    """Selectors that lead to the frame that it is in, from the page on, where that is not the chosen one; "" for one that has none."""
    needs_selector: bool = False
    """Whether the selector in `description` must stand for the target, which the page alone resolves to others, or to none."""

    @property
    def is_secret(self) -> bool:
        """Return whether the element is, or may be, a field for secrets.

        It may be one if there is no description of it.
        """
        return self.description is None or bool(self.description.get("secret"))


@dataclass(frozen=True)
class DoneCommand:
    """A command that has succeeded. `words`: as typed, the command's own name first."""

    words: Sequence[str]
    targets: Sequence[ActedOn] = ()
    focused: ActedOn | None = None
    """The element that had the focus, for a command that types without naming a field."""
    secrets: Sequence[str] = ()
    """The values that the command's declaration calls secret."""
    fields: Sequence[tuple[str, str, tuple[str, ...]]] = ()
    """The fields of `fill-form`: target, the command for this one field, and further words of it."""
    reply: str = ""
    """The first line of what it printed, and the lines about what followed."""
    url: str = ""
    """The page's address before."""
    url_after: str = ""
    tab: int = 0
    problem: str = ""
    """Why it cannot be repeated; "" if it can."""

    @property
    def command(self) -> str:
        """Return the name of the command."""
        return self.words[0]


@dataclass
class FlowLog:
    """The last commands of a session.

    Their secrets are in memory here, and nowhere else: `saving` takes them out.
    """

    done: deque[DoneCommand] = field(default_factory=lambda: deque(maxlen=MOST_KEPT))
    total: int = 0
    report: RunRecord | None = None
    """What is recorded for a report (`report-start`); None: nothing is."""
    run_tabs: tuple[str, dict[str, int]] = field(default_factory=lambda: ("", {}))
    """The name of the flow that ran last, and for its tabs their numbers in the session: `flow-run --from` goes on there."""
    running: dict[int | None, str] = field(default_factory=dict)
    """Number of the tab in which a flow began to run → that flow's name."""
    started: int | None = None
    """How many commands there had been at `flow-start`; None: no flow was started."""

    def add(self, done: DoneCommand) -> None:
        """Add a command that has succeeded, unless its words are very long."""
        if sum(map(len, done.words)) <= MOST_CHARACTERS:
            self.done.append(done)
            self.total += 1

    def start(self) -> None:
        """Begin a flow: `flow-save` will take the commands from the next one on."""
        self.started = self.total

    @contextmanager
    def hold_tab(self, flow: str, tab: int | None) -> Iterator[None]:
        """Keep other runs out of a tab while a flow runs: each would act on what the other did.

        `tab`: None for the one that will be opened. Raises ActionFailed if a flow runs there already.
        """
        for other, running in self.running.items():
            if tab is None or other in (None, tab):
                raise ActionFailed(
                    f"The flow {running} runs in this tab already",
                    "Try again when it has ended, or run this one beside it: gbrowse --as other flow-run …",
                )
        self.running[tab] = flow
        try:
            yield
        finally:
            del self.running[tab]

    def discard_recording(self) -> None:
        """Stop recording a flow or a report, without writing a file."""
        self.started = self.report = None

    @property
    def is_recording(self) -> bool:
        """Return whether a flow or a report was started and is not written yet."""
        return self.started is not None or self.report is not None

    @property
    def commands_since_start(self) -> int:
        """Return how many logged commands have run since the flow was started; of all if none was."""
        since = self.total if self.started is None else self.total - self.started
        return min(since, len(self.done))


def shorten_reply(reply: str) -> str:
    """Return the first line of a reply, and its lines about effects ("→ …")."""
    first, *others = reply[: 20 * MOST_REPLY].split("\n")
    lines = [first, *(line for line in others if line.startswith("→ "))]
    return "\n".join(lines)[:MOST_REPLY]
