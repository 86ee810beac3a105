"""Test which element a flow takes for the one that it means, and which it refuses."""

from dataclasses import replace

from gstack_browse.flows.identity import Identity
from gstack_browse.flows.matching import Outcome, contradictions, decide, find_moved, verify
from tests.each import each

SAVE = Identity(
    role="button",
    name="Save",
    tag="button",
    id="save",
    within=('form "Profile"', "main"),
    near="Name",
    order=(1, 1),
)
ROW = Identity(
    role="button", name="Remove", tag="button", near="Quiet Kettle", within=("listitem", "list"), order=(2, 3)
)
OTHER = Identity(role="link", name="Home", tag="a", href="/")


VERIFIED = {
    "the same": (SAVE, [SAVE], Outcome.MATCH),
    "another case of letters": (SAVE, [replace(SAVE, name="SAVE")], Outcome.MATCH),
    "another id": (SAVE, [replace(SAVE, id="x", near="Else")], Outcome.MATCH),
    "another name": (SAVE, [replace(SAVE, name="Delete")], Outcome.CHANGED),
    "another role": (SAVE, [replace(SAVE, role="link")], Outcome.CHANGED),
    "another form": (SAVE, [replace(SAVE, within=('form "Newsletter"',))], Outcome.CHANGED),
    "several": (SAVE, [SAVE, SAVE], Outcome.AMBIGUOUS),
    "none": (SAVE, [], Outcome.CHANGED),
    "the same row": (ROW, [ROW], Outcome.MATCH),
    "another row": (ROW, [replace(ROW, near="Jade Drum")], Outcome.CHANGED),
}


@each(VERIFIED.items())
def test_what_a_selector_finds_is_verified(case: tuple[str, tuple[Identity, list[Identity], Outcome]]) -> None:
    _, (meant, found, outcome) = case
    assert verify(meant, found).outcome is outcome


MOVED = {
    "another id and place": (SAVE, [OTHER, replace(SAVE, id="x", near="New")], 1),
    "another name, the id": (SAVE, [OTHER, replace(SAVE, name="Store")], 1),
    "another name and id": (SAVE, [OTHER, replace(SAVE, name="Store", id="x")], None),
    "the id, but the name is elsewhere": (SAVE, [replace(SAVE, name="Store"), replace(SAVE, id="x")], None),
    "two of that name": (SAVE, [replace(SAVE, id="x"), replace(SAVE, id="y")], None),
    "another form": (SAVE, [replace(SAVE, id="x", within=())], None),
    "its row among others": (ROW, [replace(ROW, near="Jade Drum"), ROW, replace(ROW, near="Red Mug")], 1),
    "no such row": (ROW, [replace(ROW, near="Jade Drum")], None),
    "the row twice": (ROW, [ROW, ROW], None),
    "a choice of the same name": (
        Identity(role="radio", name="Express", tag="input", type="radio", field="way", order=(1, 1)),
        [Identity(role="radio", name="Standard", tag="input", type="radio", field="way")],
        None,
    ),
    "an empty page": (SAVE, [], None),
}


@each(MOVED.items())
def test_only_an_element_that_is_proven_counts_as_moved(
    case: tuple[str, tuple[Identity, list[Identity], int | None]],
) -> None:
    _, (meant, found, place) = case
    finding = find_moved(meant, found)
    assert (finding.candidates[0].place if finding.outcome is Outcome.MOVED else None) == place


def test_row_that_the_selector_finds_by_its_words_may_say_other_things() -> None:
    changed = replace(ROW, near="Quiet Kettle sold out")
    assert verify(ROW, [changed]).outcome is Outcome.CHANGED
    assert verify(ROW, [changed], is_anchored=True).outcome is Outcome.MATCH
    assert verify(ROW, [replace(ROW, near="Jade Drum")], is_anchored=True).outcome is Outcome.CHANGED


def test_element_that_the_selector_finds_changed_is_never_healed() -> None:
    """Refuse it though its id proves it: the selector finds it under another name."""
    changed = replace(SAVE, name="Delete all")
    assert decide(SAVE, [changed], [OTHER, changed], [1]).outcome is Outcome.CHANGED
    assert contradictions(SAVE, changed) == ['name "Delete all", not "Save"']
