"""Hold a record of each step of a run of a flow, or of a recording for a report.

The writers are in `report`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mark:
    """An element in a picture.

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
        """Return whether the step failed."""
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
        """The time of all steps together."""
        return sum(step.seconds for step in self.steps)

    @property
    def failed(self) -> StepRecord | None:
        """The step that failed; None: none did."""
        return next((step for step in self.steps if step.is_failed), None)
