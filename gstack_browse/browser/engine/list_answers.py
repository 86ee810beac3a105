"""What the engine's functions answer about lists that pages build themselves: see `answers`."""

from typing import Any, TypedDict


class FoundOption(TypedDict):
    """The option of a list that is wanted."""

    id: int
    labels: list[str]
    disabled: bool
    chosen: bool
    active: bool
    """Whether its mark may say only that the keys are at it."""


class ShownOption(TypedDict):
    """An option that a list of a page's own shows."""

    label: str
    value: str
    disabled: bool


class OpenList(TypedDict):
    """What a widget has open."""

    open: bool
    expanded: bool
    collapsed: bool
    found: FoundOption | None
    rivals: list[str]
    options: list[ShownOption]
    total: int
    multiple: bool
    chosen: list[str]


class Column(TypedDict):
    """One of the lists that stand side by side."""

    found: FoundOption | None
    options: list[ShownOption]
    total: int


class PlainList(TypedDict):
    """A box that a press may open though it says nothing of a list."""

    box: int
    press: int
    arrow: int
    """The button in it that opens the list of a field; 0 for none."""
    at: Any
    """Where in that, as Playwright counts."""
    shows: str
    inLayer: bool
    """Whether it stands in a dialog, or in what else lies over the page."""


class RevealedLine(TypedDict):
    """Something that a press has brought into view."""

    id: int
    label: str
    marked: bool
    ticked: bool


class RevealedLines(TypedDict):
    """What a press has brought into view."""

    found: list[RevealedLine]
    labels: list[str]
    total: int
    typing: bool
    named: bool
    """Whether the box names what is wanted, beside its list."""


class PlainOutcome(TypedDict):
    """What a box shows after a choice, and what became of the line that was pressed."""

    shows: str
    held: str
    holds: bool
    named: bool
    says: bool
    marked: bool
    there: bool
    open: bool


class PlaceToOpen(TypedDict):
    """Where to press for a list to open."""

    id: int
    at: Any


class PlaceOfOption(TypedDict):
    """Where to press for an option."""

    id: int
    """0 for what has to be scrolled first."""
    at: Any
    byKey: bool
    box: str
    clipped: bool


class ListButtons(TypedDict):
    """The buttons around the options of an open list."""

    takes: int
    names: list[str]


class ListState(TypedDict):
    """What there is to see of a list that was opened."""

    open: bool
    look: str
    several: bool
    takes: int
    buttons: list[str]


class PlaceOfLine(TypedDict):
    """Where to press for a line."""

    id: int
    at: Any


class ChoiceOutcome(TypedDict):
    """What a widget shows after a choice."""

    held: str
    shows: str
    own: bool
    exact: bool
    says: bool
    chosen: bool | None
    open: bool
