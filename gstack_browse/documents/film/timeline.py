"""Compute what a film shows at each moment: which picture, which captions, where the pointer is.

A film has moments at multiples of 1/fps, and only those at which something changes: a still page is one long moment.
Pointer, ring and caption are known beforehand here, so the pointer glides to the place of a press, and captions begin
before their command.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gstack_browse.documents.film.take import Record
from gstack_browse.text.sanitise import one_line

GLIDE_SECONDS = 0.4
"""How long the pointer is on its way to the place of a press."""
RING_LEAD, RING_SECONDS = 0.2, 0.6
"""A ring begins before the press: a click is often followed by another page within a few milliseconds."""
RING_STEPS = 6
CAPTION_LEAD, CAPTION_SECONDS = 0.3, 2.0
"""A caption begins before its command, and stays for so long after its end."""
TITLE_SECONDS = 3.0
MOST_CAPTIONS = 3
"""Commands that are named at once: agents run several a second."""
MOST_MOMENTS, MOST_WEBP_MOMENTS = 9_000, 2_000
"""A film with more has fewer pictures a second. An animated WebP is held in memory while it is made."""
MOST_SIDE, LEAST_SIDE = 1920, 160


class Shot(NamedTuple):
    """A picture of the page. `width`: of the viewport in CSS pixels."""

    at: float
    offset: int
    size: int
    width: float


class PointerEvent(NamedTuple):
    """The pointer's place in the viewport, in CSS pixels, and whether a button was pressed there."""

    at: float
    x: float
    y: float
    is_press: bool


class Action(NamedTuple):
    """A command that acted. `has_moved`: whether another document or address followed."""

    began: float
    ended: float
    caption: str
    is_failed: bool = False
    has_moved: bool = False


class Note(NamedTuple):
    """A title from `at` on."""

    at: float
    text: str


class Turn(NamedTuple):
    """A time in which a person had the tab, in seconds since the beginning."""

    began: float
    ended: float = math.inf


class Point(NamedTuple):
    """A place in the viewport in CSS pixels."""

    x: float
    y: float


class Moment(NamedTuple):
    """A picture of the film from `tick` (a multiple of 1/fps) on. `ring`: 0 for none, else its step."""

    tick: int
    shot: int
    captions: tuple[Action, ...] = ()
    title: str = ""
    pointer: Point | None = None
    ring: int = 0
    ring_at: Point | None = None


@dataclass
class Timeline:
    """The content of a take. Times are seconds since the beginning."""

    fps: int = 10
    width: int = 1280
    height: int = 720
    shots: list[Shot] = field(default_factory=list)
    pointer: list[PointerEvent] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    drawn: list[float] = field(default_factory=list)
    """When pictures came of a page that had drawn what the action before did."""
    seconds: float = 0.0
    """How long the film is."""

    @property
    def presses(self) -> list[PointerEvent]:
        """Return the pointer events that are presses of a button."""
        return [event for event in self.pointer if event.is_press]

    def shot_index_at(self, at: float) -> int:
        """Return the index of the picture that the page showed at a time (seconds); 0 before the first."""
        return max(bisect_right(self.shots, at, key=lambda shot: shot.at) - 1, 0)


def read_timeline(records: Iterable[Record]) -> Timeline:
    """Sort records of a take (what was filmed) into a timeline; limit or leave out malformed values."""
    made = Timeline()
    for record in records:
        at = record.number("at", 0, 100_000)
        match record.kind:
            case "begin":
                made.fps = round(record.number("fps", 1, 60))
                made.width = round(record.number("width", LEAST_SIDE, MOST_SIDE)) // 2 * 2
                made.height = round(record.number("height", LEAST_SIDE, MOST_SIDE)) // 2 * 2
            case "picture" if record.size:
                at = max(at, made.shots[-1].at if made.shots else 0.0)
                made.shots.append(Shot(at, record.offset, record.size, record.number("width", 1)))
            case "pointer":
                x, y = record.number("x", -1e6, 1e6), record.number("y", -1e6, 1e6)
                made.pointer.append(PointerEvent(at, x, y, record.facts.get("press") is True))
            case "action":
                caption = one_line(record.text("caption"), 300)
                failed, moved = (record.facts.get(name) is True for name in ("failed", "moved"))
                made.actions.append(Action(record.number("began", 0, at), at, caption, failed, moved))
            case "person" if record.facts.get("has") is True:
                made.turns.append(Turn(at))
            case "person" if made.turns and made.turns[-1].ended == math.inf:
                made.turns[-1] = Turn(made.turns[-1].began, at)
            case "note":
                made.notes.append(Note(at, one_line(record.text("text"), 200)))
        if record.facts.get("drawn") is True:
            made.drawn.append(at)
        made.seconds = max(made.seconds, at)
    made.pointer.sort(key=lambda event: event.at)
    made.actions.sort()
    made.notes.sort()
    made.drawn.sort()
    return made


def list_moments(
    timeline: Timeline, *, plain: bool = False, most: int = MOST_MOMENTS
) -> tuple[list[Moment], int]:
    """Return the frames of a film that differ from the one before (moments), and its frame rate.

    That is lowered until there are at most `most` of them. There is at least one, at tick 0. plain: only the page's pictures
    """
    fps = timeline.fps
    while True:
        moments = _list_moments(timeline, fps, plain=plain)
        if len(moments) <= most or fps == 1:
            return moments[:most], fps
        fps = max(fps // 2, 1)


def _list_moments(timeline: Timeline, fps: int, *, plain: bool) -> list[Moment]:
    """Return the film's frames (moments) that differ from the one before. `plain`: only page pictures."""
    moments: list[Moment] = []
    presses = timeline.presses
    for tick in range(max(math.ceil(timeline.seconds * fps - 0.01), 1)):
        at = tick / fps
        moment = Moment(tick, timeline.shot_index_at(at))
        if not plain:
            ring, ring_at = _find_ring(presses, at)
            moment = moment._replace(
                captions=_find_captions(timeline.actions, at),
                title=_find_title(timeline.notes, at),
                pointer=_find_pointer(timeline.pointer, at),
                ring=ring,
                ring_at=ring_at,
            )
        if not moments or moment[1:] != moments[-1][1:]:
            moments.append(moment)
    return moments


def _find_captions(actions: Sequence[Action], at: float) -> tuple[Action, ...]:
    """Return the actions whose captions are shown at the time `at` (seconds)."""
    latest = bisect_right(actions, at + CAPTION_LEAD, key=lambda action: action.began)
    return tuple(
        action
        for action in actions[max(latest - MOST_CAPTIONS, 0) : latest]
        if at <= action.ended + CAPTION_SECONDS
    )


def _find_title(notes: Sequence[Note], at: float) -> str:
    """Return the title that is shown at the time `at` (seconds); "" for none."""
    latest = bisect_right(notes, at, key=lambda note: note.at) - 1
    return notes[latest].text if latest >= 0 and at < notes[latest].at + TITLE_SECONDS else ""


def _find_ring(presses: Sequence[PointerEvent], at: float) -> tuple[int, Point | None]:
    """Return size (1 to RING_STEPS) and centre of the ring for a press at `at` (seconds); else (0, None)."""
    latest = bisect_right(presses, at + RING_LEAD, key=lambda press: press.at) - 1
    if latest < 0 or (since := at + RING_LEAD - presses[latest].at) >= RING_SECONDS:
        return 0, None
    step = 1 + int(since / RING_SECONDS * RING_STEPS)
    return min(step, RING_STEPS), Point(presses[latest].x, presses[latest].y)


def _find_pointer(events: Sequence[PointerEvent], at: float) -> Point | None:
    """Return where to draw the pointer at `at` (seconds): its last place, or on its way; None before any."""
    latest = bisect_right(events, at, key=lambda event: event.at) - 1
    here = events[latest] if latest >= 0 else None
    following = events[latest + 1] if latest + 1 < len(events) else None
    if following and at > following.at - GLIDE_SECONDS:
        begin = max(following.at - GLIDE_SECONDS, here.at if here else 0.0)
        share = (at - begin) / max(following.at - begin, 0.001)
        start = here or following
        return Point(
            round(start.x + (following.x - start.x) * share), round(start.y + (following.y - start.y) * share)
        )
    return Point(here.x, here.y) if here else None
