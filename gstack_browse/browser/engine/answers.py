"""What the engine's functions answer: each type is a `@typedef` of the same name in scripts/, with the same fields."""

from typing import Literal, NotRequired, TypedDict


class Held(TypedDict):
    """What a field holds."""

    value: str
    secret: bool


class Filled(Held):
    """What a field holds after keys were pressed, and what became of those."""

    gone: bool
    missed: bool


class Begun(TypedDict):
    """How the page has begun to write a text."""

    before: Held | None
    focused: bool
    eachKey: bool


class Option(TypedDict):
    """An option of a list."""

    value: str
    label: str
    disabled: bool
    selected: bool


class Listing(TypedDict):
    """The options of a list, in order."""

    multiple: bool
    options: list[Option]


class CheckState(TypedDict):
    """What is checked where a person checks an element, and whether it is; `id` is 0 where nothing can be."""

    id: int
    text: str
    radio: bool
    state: Literal["true", "false", "mixed"]


class Noted(TypedDict):
    """One of the elements that a selector matches."""

    id: int
    text: str
    place: NotRequired[str]


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


class Focused(TypedDict):
    """What has the focus."""

    text: str
    readonly: bool
    id: int
    holds: str


class Alert(TypedDict):
    """Something that a page announces."""

    id: int
    text: str
