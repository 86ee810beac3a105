"""The engine's answers about lists that pages build themselves: see `answers`."""

from typing import Any, TypedDict


class FoundOption(TypedDict):
    """The requested option of a list."""

    id: int
    labels: list[str]
    disabled: bool
    chosen: bool
    active: bool
    """Whether its mark may only mean that it has the keyboard focus."""


class ShownOption(TypedDict):
    """An option shown by a list that a page has built itself."""

    label: str
    value: str
    disabled: bool


class OpenList(TypedDict):
    """The open list of a widget."""

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
    """A list that stands beside others."""

    found: FoundOption | None
    options: list[ShownOption]
    total: int


class PlainList(TypedDict):
    """A box without list markup that a press may open."""

    box: int
    press: int
    arrow: int
    """The button in it that opens the list of a field; 0 for none."""
    at: Any
    """A point in `press`, from the corner inside its border."""
    shows: str
    inLayer: bool
    """Whether it stands in a dialog, or in another layer over the page."""


class RevealedLine(TypedDict):
    """A line that became visible after a press."""

    id: int
    label: str
    marked: bool
    ticked: bool


class RevealedLines(TypedDict):
    """The lines that became visible after a press."""

    found: list[RevealedLine]
    labels: list[str]
    total: int
    typing: bool
    named: bool
    """Whether the box names the requested option, outside of its list."""


class PlainOutcome(TypedDict):
    """The content of a box after a choice, and the state of the pressed line."""

    shows: str
    held: str
    holds: bool
    named: bool
    says: bool
    marked: bool
    there: bool
    open: bool


class PlaceToOpen(TypedDict):
    """An element, and the point in it, to press to open a list."""

    id: int
    at: Any


class PlaceOfOption(TypedDict):
    """An element, and the point in it, to press for an option."""

    id: int
    """0 if it has to be scrolled into view first."""
    at: Any
    byKey: bool
    box: str
    clipped: bool


class ListButtons(TypedDict):
    """The buttons around the options of an open list."""

    takes: int
    names: list[str]


class ListState(TypedDict):
    """The visible state of a list that was opened."""

    open: bool
    look: str
    several: bool
    takes: int
    buttons: list[str]


class PlaceOfLine(TypedDict):
    """An element, and the point in it, to press for a line."""

    id: int
    at: Any


class ChoiceOutcome(TypedDict):
    """The content of a widget after a choice."""

    held: str
    shows: str
    own: bool
    exact: bool
    says: bool
    chosen: bool | None
    open: bool
