"""What the engine's functions answer: each type is a `@typedef` of the same name in scripts/, with the same fields.

The head of a snapshot, `WalkHead`, is in `snapshot.walked`, which reads it.
"""

from typing import Any, Literal, NotRequired, TypedDict


class Held(TypedDict):
    """What a field holds."""

    value: str
    secret: bool


class Filled(Held):
    """What a field holds after keys were pressed, and what became of those."""

    gone: bool
    missed: bool
    heir: int
    """The field to which it has given its place meanwhile; 0 for none."""
    next: Any
    """What was asked ahead, see `find.LookAhead`; None where it was not."""


class Begun(TypedDict):
    """How the page has begun to write a text."""

    before: Held | None
    focused: bool
    eachKey: bool
    heir: int
    """The field to which it has given its place as it got the focus; 0 for none."""


class Option(TypedDict):
    """An option of a list."""

    value: str
    label: str
    group: str
    """The label of its optgroup."""
    disabled: bool
    selected: bool


class MeantOptions(TypedDict):
    """Indices of the options that a word means. `isPart`: it is only a part of their labels."""

    places: list[int]
    isPart: bool


class Listing(TypedDict):
    """The options of a list, in order."""

    multiple: bool
    options: list[Option]
    meant: list[MeantOptions]
    """One for each word that was asked for."""


class Choice(Listing):
    """The same, and where the options are that are chosen next; None where that cannot be told yet."""

    indices: list[int] | None


class Chosen(TypedDict):
    """The list after a choice; None where the page has replaced it."""

    after: Listing | None


class PrintedRecord(TypedDict):
    """A row, item or card as it was printed around an element. An argument of `exported.ask`, not an answer."""

    node: int
    """The id of its element; 0 where that has no line."""
    texts: list[tuple[int, str]]
    """Each with the id of the element that says it; 0 for any in the record."""


class CheckState(TypedDict):
    """What is checked where a person checks an element, and whether it is; `id` is 0 where nothing can be."""

    id: int
    text: str
    radio: bool
    state: Literal["true", "false", "mixed"]


class FieldLook(TypedDict):
    """What kind of value a field takes; `id` is that of the field that a person uses for the element."""

    id: int
    text: str
    kind: Literal["select", "list", "file", "radio", "check", "text", ""]
    takesText: bool


class Styles(TypedDict):
    """The computed values of an element, and what creates one of its kind."""

    kind: dict[str, str]
    values: dict[str, str]


class Heard(TypedDict):
    """What an event of the clipboard reached, and what became of it; `text` is what a copy takes along."""

    text: str
    id: int
    look: str
    handled: bool
    changed: bool
    editable: bool


class Noted(TypedDict):
    """One of the elements that a selector matches."""

    id: int
    text: str
    place: NotRequired[str]
    visible: bool
    isPart: NotRequired[bool]
    """Whether the words of the target are only a part of what it says."""


class Candidate(TypedDict):
    """An element that a target may have meant."""

    id: int
    name: str
    words: list[str]
    operable: bool
    text: str


class CoverLook(TypedDict):
    """What lies over an element."""

    text: str
    key: str
    busy: bool
    around: bool


class Focused(TypedDict):
    """What has the focus."""

    text: str
    readonly: bool
    textless: bool
    """Whether it is a link, a button or the like."""
    id: int
    holds: str


class Alert(TypedDict):
    """Something that a page announces."""

    id: int
    text: str


class PointInside(TypedDict):
    """A point of an element, from the corner inside its border."""

    x: float
    y: float


class Spot(TypedDict):
    """One point of an element, in the window. `point` is None for one outside of the element."""

    size: list[float]
    point: list[float] | None
    box: list[float]
    position: PointInside
    inView: bool
    cover: CoverLook | None


class Track(TypedDict):
    """Where a slider is pressed to move its handle there: `across` where it lies level."""

    id: int
    across: bool


class EdgeSpot(TypedDict):
    """A point near an edge of an element, in the window, and as Playwright counts."""

    point: list[float]
    position: PointInside


class OverFrame(TypedDict):
    """A point of a frame's window, in the window around it.

    cover: what lies over the point there
    distorted: the frame is shown turned or in perspective
    """

    point: list[float]
    cover: CoverLook | None
    distorted: bool


class FrameLook(TypedDict):
    """Whether a frame is hidden in the page around it, and what keeps even the keyboard from it there; "" for nothing."""

    hidden: bool
    blocker: str


class Selected(TypedDict):
    """What is selected, or the text that was to be and is not there."""

    text: str
    missing: str
    has: str
    secret: bool


class PageSize(TypedDict):
    """Size of the whole page and of what is seen of it, and how far it is scrolled, in CSS pixels of `scale` device pixels."""

    width: int
    height: int
    left: float
    top: float
    seenWidth: int
    seenHeight: int
    scale: float


class RowsInView(TypedDict):
    """Numbers of rows; `total` is 0 where the page does not say it."""

    first: int
    last: int
    total: int


class Pane(TypedDict):
    """Where something that scrolls is scrolled to."""

    id: int
    look: str
    own: bool
    top: int
    left: int
    height: int
    width: int
    page: int
    across: int
    rows: RowsInView | None


class Around(TypedDict):
    """An element that another one is in, and its size."""

    id: int
    look: str
    width: int
    height: int


class Sight(TypedDict):
    """What a person sees of an element."""

    look: str
    parent: int
    parentLook: str
    index: int
    siblings: int
    before: str
    box: list[int]
    value: str
    children: int
    words: str
    print: str
    moving: bool
    around: list[Around]


class Dragged(TypedDict):
    """What became of a drag of Chromium's own."""

    begun: bool
    accepts: bool
    dropped: bool
    effect: str


class LabelPoint(TypedDict):
    """Where to press the label of a field that cannot be hit itself, or what is `drawn` in its place."""

    id: int
    x: float
    y: float
    drawn: bool


class ChangedField(TypedDict):
    """A field whose value has changed since it was left."""

    id: int
    value: str


class ChangedFields(TypedDict):
    """All of these in a document, and whether more may follow."""

    changed: list[ChangedField]
    waits: bool


class ActionLook(TypedDict):
    """What decides whether an action on an element can work: see `readiness.Probe`."""

    tag: str
    type: str
    text: str
    visible: bool
    disabled: bool
    readonly: bool
    fill: str
    collectsKeys: bool
    opens: bool
    cell: bool
    inView: bool
    cover: CoverLook | None
    point: list[float]
    aside: PointInside | None
    link: str
    label: LabelPoint | None
    byKey: bool
    selectId: int
    listId: int
    opaque: bool
    motion: str
    imageId: int
    controlId: int
    blocker: str
    beside: bool
    held: bool
    slider: bool
    popup: bool
    prepared: Any


class Located(TypedDict):
    """What a node is, and where: the iframes around it, by id and by place."""

    frames: list[int]
    places: list[int]
    place: int
    role: str
    name: str
