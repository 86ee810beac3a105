"""The results of the engine's JavaScript functions, as typed dicts.

Each is a `@typedef` of the same name in scripts/, with the same fields. `id` is a node id. The head of a snapshot, `WalkHead`, is in
`snapshot.walked`, which reads it.
"""

from typing import Any, Literal, NotRequired, TypedDict


class FieldContent(TypedDict):
    """The content of a field. `secret`: it may not be printed, as that of a password."""

    value: str
    secret: bool


class Filled(FieldContent):
    """The content of a field after keys were pressed.

    gone: the field is no longer in the document
    missed: a key was blocked, because it would have reached another element
    """

    gone: bool
    missed: bool
    replacement: int
    """Id of the field that the page shows in its place since it got the focus; 0 for none."""
    next: Any
    """The result of the call that was sent ahead (see `find.PipelinedCall`); None if there was none."""


class WriteStart(TypedDict):
    """The state of a field when the engine begins to write a text into it.

    before: its former content
    focused: it has got the focus
    eachKey: all characters are to be typed as keys
    """

    before: FieldContent | None
    focused: bool
    eachKey: bool
    replacement: int
    """Id of the field that the page shows in its place since it got the focus; 0 for none."""


class Option(TypedDict):
    """An option of a list."""

    value: str
    label: str
    group: str
    """The label of its optgroup."""
    disabled: bool
    selected: bool


class OptionMatches(TypedDict):
    """Indices of the options that a word matches. `isPart`: the word is only a part of their labels."""

    indices: list[int]
    isPart: bool


class Listing(TypedDict):
    """The options of a list, in order."""

    multiple: bool
    options: list[Option]
    matches: list[OptionMatches]
    """One for each requested word."""


class Choice(Listing):
    """A listing, with the indices of the options to choose next; None if these are not known yet."""

    indices: list[int] | None


class PressAnswer(TypedDict):
    """The answer of a page once it has handled a press."""

    outcome: str
    """A value of `PressOutcome`."""
    messages: list[str]
    """New texts of the page's live regions."""


class Chosen(TypedDict):
    """The list after a choice; None if the page has replaced it."""

    after: Listing | None


class PrintedRecord(TypedDict):
    """A row, item or card as it was printed around an element.

    An argument of `exported.findAndCall`, not an answer.
    """

    node: int
    """The id of its element; 0 if that has no line."""
    texts: list[tuple[int, str]]
    """Each with the id of the element that contains it; 0 for any in the record."""


class CheckState(TypedDict):
    """The control that `check` on an element acts on, and its state; `id` is 0 for none."""

    id: int
    text: str
    radio: bool
    state: Literal["true", "false", "mixed"]
    rule: str
    """Name of the widget rule by which it is known; "" for none."""


class FieldKind(TypedDict):
    """The kind of value that a field takes; `id` names the field that a person uses for the element."""

    id: int
    text: str
    kind: Literal["select", "list", "file", "radio", "check", "text", ""]
    takesText: bool


class Styles(TypedDict):
    """The computed values of an element, and the data to create another one of its kind."""

    kind: dict[str, str]
    values: dict[str, str]


class ClipboardEventReport(TypedDict):
    """The target and the effect of a clipboard event.

    text: what a copy yields
    handled: the page has prevented the default action
    changed: the content of the target has changed
    editable: the target takes text
    """

    text: str
    id: int
    description: str
    handled: bool
    changed: bool
    editable: bool


class MatchedElement(TypedDict):
    """An element that a selector matches, described for a message."""

    id: int
    text: str
    place: NotRequired[str]
    visible: bool
    usable: bool
    """Visible, and not inert unless all visible ones are."""
    isPart: NotRequired[bool]
    """Whether the target's words are only a part of its text."""


class Candidate(TypedDict):
    """An element that a target may have been meant for."""

    id: int
    name: str
    words: list[str]
    operable: bool
    text: str


class CoverDescription(TypedDict):
    """The element that covers another one.

    key: a text that changes when the cover changes or moves
    busy: the cover is probably temporary
    around: the covered element is in it, and has `pointer-events: none`
    """

    text: str
    key: str
    busy: bool
    around: bool


class Focused(TypedDict):
    """The element with the focus.

    `id`, `content`: of a visible, uncovered text field; else 0 and "".
    """

    text: str
    readonly: bool
    textless: bool
    """Whether it is a link, a button or the like."""
    id: int
    content: str
    elsewhere: bool
    """Whether it is another element: neither in nor around the field that was asked about."""


class Alert(TypedDict):
    """An announcement of a page."""

    id: int
    text: str


class TextElsewhere(TypedDict):
    """A place or spelling in which a page has a wanted text: hidden, or in other letters."""

    kind: Literal["case", "hidden", "cut", ""]
    """Other letters; not rendered; rendered and not to be seen; nowhere."""
    id: int
    """The element that has it; 0 for none."""
    text: str
    """The line that shows it in other letters."""
    heading: str
    """The page's first heading."""


class TableRows(TypedDict):
    """The rows of a table, a grid or a list."""

    id: int
    """The table; 0 where there is none."""
    height: float
    """Of all rows that are drawn, in pixels."""
    rows: list[tuple[str, bool, list[str]]]
    """Each with its number as the page tells it, whether it is a head, and its cells."""


class ShownTable(TypedDict):
    """A table or grid that can be seen, for a message."""

    id: int
    name: str
    """Its caption or accessible name; "" without one."""
    heads: list[str]
    """The heads of its first columns, at most 8."""
    rows: int
    """How many rows are drawn, without heads."""


class PointInside(TypedDict):
    """A point of an element, from the corner inside its border."""

    x: float
    y: float


class ClickPoint(TypedDict):
    """A point of an element, in the window. `point` is None if it is outside of the element."""

    size: list[float]
    point: list[float] | None
    box: list[float]
    position: PointInside
    inView: bool
    cover: CoverDescription | None


class PointerReach(TypedDict):
    """Facts that decide whether the pointer reaches an element.

    `still`: its box is the same in two frames.
    """

    visible: bool
    disabled: bool
    still: bool
    spot: ClickPoint


class Track(TypedDict):
    """The track of a slider, to be pressed to move its handle."""

    id: int
    horizontal: bool


class FramePoint(TypedDict):
    """A point of a frame's window, in the window around it.

    cover: the element that lies over the point there
    distorted: the frame is shown turned or in perspective, or not found
    inView: the point is in that window
    """

    point: list[float]
    cover: CoverDescription | None
    distorted: bool
    inView: bool


class FrameState(TypedDict):
    """The visibility of a frame in the page around it.

    blocker: the element that keeps even the keyboard from the frame; "" for none
    """

    hidden: bool
    blocker: str


class Selected(TypedDict):
    """The selected text; or the text that is `missing`, and the begin of the element's text (`content`)."""

    text: str
    missing: str
    content: str
    secret: bool


class PageSize(TypedDict):
    """Size and scroll position of a page, in CSS pixels of `scale` device pixels.

    width, height: of the whole page
    seenWidth, seenHeight: of the part in view
    """

    width: int
    height: int
    left: float
    top: float
    seenWidth: int
    seenHeight: int
    scale: float


class RowsInView(TypedDict):
    """Numbers of the first and last row in view; `total` is 0 if the page does not state it."""

    first: int
    last: int
    total: int


class Pane(TypedDict):
    """A scroll container and its scroll position, in CSS pixels.

    isTarget: it is the requested element itself
    top, left, maxTop, maxLeft: its scroll position, and how far it can be scrolled
    visibleHeight, visibleWidth: of the part in view
    """

    id: int
    description: str
    isTarget: bool
    top: int
    left: int
    maxTop: int
    maxLeft: int
    visibleHeight: int
    visibleWidth: int
    rows: RowsInView | None


class Place(TypedDict):
    """The place of an element: its parent, its position among `siblings` elements, and the one before it."""

    parent: int
    parentDescription: str
    index: int
    siblings: int
    before: str


class Around(Place):
    """An ancestor of an element, and its size in CSS pixels."""

    id: int
    description: str
    width: int
    height: int


class VisualState(Place):
    """The visible state of an element, to compare before and after a gesture: see actions/changes.js."""

    description: str
    box: list[int]
    value: str
    children: int
    words: str
    fingerprint: str
    moving: bool
    around: list[Around]


class Dragged(TypedDict):
    """The course of a native drag and drop.

    begun: it began and was not prevented
    accepts: the element under the pointer accepts the drop
    effect: its `dropEffect` ("none": refused; "": it has not ended)
    missed: the drag of another element would have begun, and was prevented
    """

    begun: bool
    accepts: bool
    dropped: bool
    effect: str
    missed: bool


class IndirectPoint(TypedDict):
    """A point to press instead of an element that cannot be hit itself.

    It is on the label, or (`drawn`) on what the page draws for the element. `id`: of the element to press; `x`, `y`: from the corner inside its border.
    """

    id: int
    x: float
    y: float
    drawn: bool


class ChangedField(TypedDict):
    """A field whose value the page has changed since it lost the focus."""

    id: int
    value: str


class ChangedFields(TypedDict):
    """All changed fields of a document.

    `waits`: a text field has the focus, or has lost it since the last call.
    """

    changed: list[ChangedField]
    waits: bool


class ElementProbe(TypedDict):
    """Everything that decides whether an action on an element can work: see `readiness.ElementReport`."""

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
    cover: CoverDescription | None
    point: list[float]
    aside: PointInside | None
    link: str
    label: IndirectPoint | None
    byKey: bool
    selectId: int
    listId: int
    motion: str
    controlId: int
    blocker: str
    beside: bool
    held: bool
    slider: bool
    popup: bool
    prepared: Any


class Located(TypedDict):
    """Role and name of a node, and the ids of the iframes of its process around it, the outermost first."""

    frames: list[int]
    role: str
    name: str


class FoundOption(TypedDict):
    """The requested option of a list. `labels`: all that it may be requested by, the best first."""

    id: int
    labels: list[str]
    disabled: bool
    chosen: bool
    active: bool
    """Whether its mark may only mean that it has the keyboard focus."""


class ShownOption(TypedDict):
    """An option of a custom list, for messages."""

    label: str
    value: str
    disabled: bool


class OpenList(TypedDict):
    """The open list of a widget.

    expanded, collapsed: the widget has `aria-expanded` "true", "false"
    found: the requested option
    rivals: the labels of all options that match, if several
    options: the first of `total` options
    chosen: the labels of chosen options, if none was requested
    """

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
    """A column (one list) of a cascader.

    `found`: the requested option, if just one matches; `options`: the first of `total`.
    """

    found: FoundOption | None
    options: list[ShownOption]
    total: int


class Dropdown(TypedDict):
    """An element without ARIA list roles that opens a list when it is pressed."""

    id: int
    press: int
    """The element to press."""
    arrow: int
    """The button in it that opens the list of a field; 0 for none."""
    at: Any
    """A point in `press`, from the corner inside its border."""
    shows: str
    """Its displayed text."""
    inLayer: bool
    """Whether it is in a dialog, or in another layer over the page."""
    rule: str
    """Name of the widget rule by which it is known; "" for none."""


class RevealedOption(TypedDict):
    """An option that became visible after a press on a dropdown. `marked`: as chosen."""

    id: int
    label: str
    marked: bool
    ticked: bool


class RevealedOptions(TypedDict):
    """The options that became visible after a press on a dropdown.

    found: those with the requested label
    labels: of the first options
    filterable: the focused field takes text to filter the options
    displayed: the dropdown displays the requested label outside of its list
    """

    found: list[RevealedOption]
    labels: list[str]
    total: int
    filterable: bool
    displayed: bool


class DropdownOutcome(TypedDict):
    """The content of a dropdown after a choice, and the state of the pressed option.

    text, values: its texts outside of the list, and the values of its fields
    exactMatch, valueMatch: one of these is the label of the option, or contains it between separators
    partialMatch: `text` contains the label
    marked: the option is marked as chosen
    exists: the option's element is still in the document
    open: the list is open
    """

    text: str
    values: str
    valueMatch: bool
    exactMatch: bool
    partialMatch: bool
    marked: bool
    exists: bool
    open: bool


class OpeningPressPoint(TypedDict):
    """An element, and the point in it from the corner inside its border, to press to open a list."""

    id: int
    at: Any


class OptionPressPoint(TypedDict):
    """An element to press for an option.

    byKey: no press reaches it, but keys do
    box: the option's box as text; "" if it is gone
    clipped: only scripts can scroll to it
    """

    id: int
    """0 if it has to be scrolled into view first."""
    at: Any
    """The point in it, from the corner inside its border; None for the middle."""
    byKey: bool
    box: str
    clipped: bool


class ListButtons(TypedDict):
    """The buttons around the options of an open list.

    `confirmButton`: id of the one that confirms the choice; 0 for none.
    """

    confirmButton: int
    names: list[str]


class ListState(TypedDict):
    """The visible state of the list that a dropdown has opened.

    signature: a text that changes as the list moves or fades
    multiple: several options can be chosen
    confirmButton: id of the button that confirms the choice; 0 for none or several
    """

    open: bool
    signature: str
    multiple: bool
    confirmButton: int
    buttons: list[str]


class RevealedOptionPoint(TypedDict):
    """An element, and the point in it (None: any), to press for an option that a dropdown has revealed."""

    id: int
    at: Any


class ChoiceOutcome(TypedDict):
    """The content of a widget after a choice.

    value, text: of its text field, and of its container
    ownMatch, exactMatch: a text of the widget, or of its container, is one of the wanted labels
    partialMatch: `text` contains a wanted label
    chosen: whether the option is marked as chosen; None if it is not visible any more
    """

    value: str
    text: str
    ownMatch: bool
    exactMatch: bool
    partialMatch: bool
    chosen: bool | None
    open: bool
