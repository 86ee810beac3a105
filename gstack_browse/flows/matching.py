"""Judge whether an element of a page is the one in a flow's step: match, moved, ambiguous or changed.

Acting on a wrong element is worse than stopping, so every doubt is a reason to stop. An element whose name differs
needs an attribute that identifies it (a test id, a link's address, a field's id or name). One of several twins (the
same role and name) needs its surroundings, too. Which selector the step has does not matter.

1. A run calls `verify` until it is a match or time is up. It compares the element that the step's selector finds with
   the step's identity: role, name and form must agree.
2. Without a match, or if it is in doubt, the run calls `decide` with all elements of the page.
3. `decide` calls `verify` again and, if that is no match, `find_moved`: it asks `_is_proven` about each element, and
   returns one only if it is certain.
4. If the run stops, `list_candidates` returns the elements to name in the message.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial

from gstack_browse.flows.identity import (
    ATTRIBUTES,
    Identity,
    compared_name,
    find_likelier_field,
    is_field,
    shares_field,
    split_words,
)
from gstack_browse.flows.log import selects_by_position


class Outcome(Enum):
    """The result of a search for a step's selector and identity on a page."""

    MATCH = "match"
    MOVED = "moved"
    AMBIGUOUS = "ambiguous"
    CHANGED = "changed"


@dataclass(frozen=True)
class Candidate:
    """An element of a page, how like it is to the expected one (0 to 1), and what differs."""

    index: int
    """Its place in the list of elements that were compared."""
    likeness: float
    differences: tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """The outcome, with the candidates: the one that matches or moved first."""

    outcome: Outcome
    candidates: tuple[Candidate, ...] = ()


WEIGHTS = {
    "role": 1.5,
    "name": 3.0,
    "tag": 0.5,
    "testid": 3.0,
    "id": 1.5,
    "field": 2.0,
    "type": 0.5,
    "href": 2.0,
    "hint": 1.0,
    "near": 2.0,
    "around": 4.0,
    "within": 1.0,
    "order": 0.3,
}
LIKELY = 0.55
"""Likeness from which an element is listed as a candidate."""
AHEAD = 0.05
"""How far all others must be behind the one that is proven."""
ANCHORED_AGREES = 0.4
"""Likeness of surroundings that is enough where the selector names words of them."""
NEAR_AGREES = 0.8
"""Likeness of surroundings that tells an element from its twins."""
MOST_LISTED = 5
LONGEST_TEXT = 60
"""Most characters of a text in a note, MOST_NEAR in scripts/selectors/identity.js."""
MOST_SHORTER = 20
"""Characters by which a value may shorten a name that was cut."""
POSSIBLE = 0.35
"""Likeness from which an element is named where none is likely, if only one thing speaks against it."""
MOST_POSSIBLE = 2
_COUNT = re.compile(r"\s*\((?!(?:19|20)[0-9][0-9]\))(?:0|[1-9][0-9.,]*\+?)\)(?!\s*[0-9])")
_RECORDS = ("listitem", "row", "article", "treeitem")
"""Containers whose elements may be called by a record's number: "Copy (2)"."""
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*\+?")
SAME_BUT_FOR_NUMBERS = 0.9
"""Likeness of two names that differ in their numbers alone."""
_DIGITS = re.compile(r"[0-9]+")
_ROW_TEXT = re.compile(r""":(?:has-text|text-is)\(["'](.*?)["']\)""")
_ROW_BY_WHOLE_TEXT = re.compile(
    r"""(?:li|tr|article|\[role="\w+"\])(?::has\()?:text-is\("(?:[^"\\]|\\.)*"\)+"""
)
_BY_WHOLE_NAME = re.compile(r"""(?:role=\w+\[name=(?:"[^"]*"|'[^']*')\]|text=(?:"[^"]*"|'[^']*'))""")
_SHORT_NAMES = {
    "role": "role",
    "name": "name",
    "testid": "test id",
    "id": "id",
    "field": "field name",
    "href": "address",
    "near": "surroundings",
    "within": "place",
}


def is_anchored_by_words(selector: str, *, is_by_variable: bool = False) -> bool:
    """Return whether a selector finds a record (a row, a list item) by words in it, not by its position.

    Examples: `li:text-is("Quiet Kettle") >> role=button`, and `li:text-is("Quiet Kettle")` for the record itself. A single word
    without a digit does not count: "Draft" may be a state that another record has tomorrow.

    is_by_variable: the words are the value of a variable, which a person has chosen for the record
    """
    words = " ".join(list_row_words(selector))
    is_of_row = ">>" in selector or _ROW_BY_WHOLE_TEXT.fullmatch(selector)
    if not words or not is_of_row or selects_by_position(selector):
        return False
    return is_by_variable or " " in words.strip() or bool(_DIGITS.search(words))


def list_row_words(selector: str) -> list[str]:
    """Return the texts in a selector that name a record: `Mug` of `tr:has-text("Mug") >> role=button`."""
    return _ROW_TEXT.findall(selector)


def is_whole_name_selector(selector: str) -> bool:
    """Return whether a selector is only a role and a name, or a whole text.

    Examples: `role=button[name="Save"]`, `text="Ann"`. Such a selector is saved only if no other element had the same name or text.
    """
    return _BY_WHOLE_NAME.fullmatch(selector) is not None


def adopt_record(
    expected: Identity,
    found: Sequence[Identity],
    values: Sequence[str],
    *,
    words: Sequence[str] = (),
    is_anchored: bool,
) -> tuple[Identity, bool]:
    """Adapt the expected identity to another record, which this run's values of variables name.

    The flow was saved on one row (`Quiet Kettle`), and now acts on another (`Red Mug`), whose other texts nobody knew then. So the
    identity takes these from the found element. It does not if the value stands elsewhere in the row: one that mentions Ann in
    another column is not Ann's.

    Args:
        expected: the saved identity, with this run's values
        found: what the selector finds
        values: those of variables in the selector that differ from the saved ones; without any the identity is not adapted
        words: by which the selector finds a record, see `list_row_words`
        is_anchored: see `is_anchored_by_words`

    Returns the identity to compare with, and `is_anchored`: False if the value, or words, began a text of the saved row and the
    found element's row has them elsewhere: "Jade Drum (fits Quiet Kettle)" is not the row of "Quiet Kettle".
    """
    if len(found) != 1:
        return expected, is_anchored
    is_record = expected.role in _RECORDS  # then its name is all its text
    texts = [(each.name,) if is_record else _list_texts_around(each) for each in (expected, found[0])]
    texts_before = [
        (mine.casefold().partition(value)[0], theirs.casefold().partition(value)[0])
        for mine, theirs in zip(*texts, strict=True)
        for value in map(str.casefold, values or words)
        if value in mine.casefold()
    ]
    is_in_place = bool(texts_before) and all(mine == theirs for mine, theirs in texts_before)
    is_anchored = is_anchored and (is_in_place or all(mine for mine, _ in texts_before))
    if not values:
        return expected, is_anchored
    has_value = any(value in expected.name for value in values) and not _is_numeric(expected.name)
    is_in_name = has_value and _has_same_name(expected, found[0])
    if not (is_in_place or is_in_name):
        return expected, is_anchored
    name = found[0].name if is_record else expected.name
    records = [each for each in found[0].within if each.split(" ")[0] in _RECORDS]
    parts = [each for each in expected.within if each.split(" ")[0] not in _RECORDS]
    adopted = replace(
        expected, name=name, near=found[0].near, around=found[0].around, within=(*records, *parts)
    )
    return adopted, is_anchored


def is_box_with_mark(expected: Identity, found: Identity) -> bool:
    """Return whether both are boxes without a role, named by their text, with an equal stable attribute."""
    return not (expected.role or found.role) and bool(matching_stable_attributes(expected, found))


def _list_texts_around(identity: Identity) -> tuple[str, str, str]:
    """Return the texts around an element: beside it, of its row, and of its box."""
    return identity.near, _find_row_name(identity), identity.around


def verify(expected: Identity, found: Sequence[Identity], *, is_anchored: bool = False) -> Finding:
    """Judge whether what a selector finds is the expected element: MATCH, CHANGED or AMBIGUOUS (several).

    is_anchored: see `is_anchored_by_words`; the surroundings may then differ more
    """
    candidates = rank_candidates(expected, found)
    if len(found) == 1:
        least = ANCHORED_AGREES if is_anchored else NEAR_AGREES
        outcome = Outcome.CHANGED if contradictions(expected, found[0], nearness=least) else Outcome.MATCH
        return Finding(outcome, tuple(candidates))
    return Finding(Outcome.AMBIGUOUS if found else Outcome.CHANGED, tuple(candidates[:MOST_LISTED]))


def decide(
    expected: Identity,
    seen: Sequence[Identity],
    everywhere: Sequence[Identity],
    indices: Sequence[int],
    *,
    is_anchored: bool = False,
) -> Finding:
    """Decide whether the expected element is what the selector finds, another one of the page, or gone.

    seen: the elements that the selector finds
    everywhere: all elements of the page that may be the expected one; candidates are indices in it
    indices: of `seen` in `everywhere`, -1 for none
    is_anchored: see `is_anchored_by_words`
    """
    stop = partial(_make_stop, expected, everywhere)
    found = verify(expected, seen, is_anchored=is_anchored)
    is_named_alike = len(seen) == 1 and _has_equal_role_and_name(expected, seen[0])
    if is_named_alike and (likelier := find_likelier_field(expected, seen[0], everywhere)):
        rival = next(index for index, each in enumerate(everywhere) if each is likelier)
        return stop(Outcome.AMBIGUOUS, [*indices, rival])
    if found.outcome is Outcome.MATCH:
        if bearers := _find_attribute_holders(expected, seen[0], everywhere):
            return stop(Outcome.AMBIGUOUS, [*indices, *bearers])
        rivals = [] if is_anchored else _find_indistinguishable(expected, everywhere)
        if rivals and indices[0] in rivals and (rivals.index(indices[0]) + 1, len(rivals)) != expected.order:
            return stop(Outcome.AMBIGUOUS, rivals)
        return found
    moved = find_moved(expected, everywhere)
    is_elsewhere = moved.outcome is Outcome.MOVED and moved.candidates[0].index not in indices
    if (
        is_anchored
        and is_elsewhere
        and not matching_stable_attributes(expected, everywhere[moved.candidates[0].index])
    ):
        # a row that is told by its words, and is not there, is none of those that are
        moved = Finding(Outcome.CHANGED, moved.candidates)
    if moved.outcome is not Outcome.MOVED:
        if len(seen) == 1:
            return stop(found.outcome, indices)
        least = ANCHORED_AGREES if is_anchored else NEAR_AGREES
        least = least if _describe_surroundings(expected) else 0
        fit = [
            index
            for index, each in zip(indices, seen, strict=True)
            if index >= 0 and not contradictions(expected, each, nearness=least)
        ]
        outcome = Outcome.CHANGED if is_anchored else moved.outcome
        return stop(Outcome.AMBIGUOUS if len(fit) > 1 else outcome, fit)
    is_found_alone = len(seen) == 1 and moved.candidates[0].index == indices[0]
    if is_found_alone and not contradictions(expected, seen[0], nearness=0.0, numbers=False):
        return Finding(Outcome.MATCH, moved.candidates)
    return moved


def is_known_by_order_alone(expected: Identity) -> bool:
    """Return whether only its position distinguishes the element from others of its role and name."""
    return expected.order[1] > 1 and not matching_stable_attributes(expected, expected)


def changed_attributes(expected: Identity, found: Identity) -> list[str]:
    """Return the stable identifying attributes of the expected element that `found` lacks or has changed.

    These are names of fields of Identity: "testid", "id", "field", "href".
    """
    return [
        name
        for name in ATTRIBUTES
        if _is_stable_value(getattr(expected, name))
        and _comparable_attribute(expected, name) != _comparable_attribute(found, name)
    ]


def _find_attribute_holders(expected: Identity, found: Identity, everywhere: Sequence[Identity]) -> list[int]:
    """Return indices of elements with another name that have an attribute which `found` has lost.

    Two buttons may have exchanged their names. An attribute that each row has counts only in the same row. Fields:
    see `find_likelier_field`.
    """
    names = [] if is_field(expected) else changed_attributes(expected, found)
    return [
        index
        for index, each in enumerate(everywhere)
        if each.role == expected.role
        and not _has_equal_role_and_name(expected, each)
        and any(
            _comparable_attribute(each, name) == _comparable_attribute(expected, name)
            and (name not in expected.shared or each.within == found.within)
            for name in names
        )
    ]


def _find_indistinguishable(expected: Identity, everywhere: Sequence[Identity]) -> list[int]:
    """Return the indices of all elements with the expected role, name and tag.

    [] if stable attributes or surroundings distinguish the expected one from them.
    """
    if not is_known_by_order_alone(expected):
        return []
    twins = [
        index
        for index, each in enumerate(everywhere)
        if _has_equal_role_and_name(expected, each) and each.tag == expected.tag
    ]
    is_beside_same = [not _has_other_surroundings(expected, everywhere[at], NEAR_AGREES) for at in twins]
    return twins if sum(is_beside_same) > 1 else []


def _make_stop(
    expected: Identity, everywhere: Sequence[Identity], outcome: Outcome, indices: Sequence[int]
) -> Finding:
    """Return the finding with which a run stops. It lists elements for the user to choose from.

    indices: of elements to list in any case; others of `everywhere` that are likely are listed, too
    """
    ranked = rank_candidates(expected, everywhere)
    found = [each for each in ranked if each.index in indices][:MOST_LISTED]
    likely = [each for each in ranked if each.likeness >= LIKELY and each not in found]
    listed = sorted([*likely[: MOST_LISTED - len(found)], *found], key=lambda each: -each.likeness)
    is_alone = outcome is Outcome.AMBIGUOUS and len(listed) < 2
    return Finding(Outcome.CHANGED if is_alone else outcome, tuple(listed))


def find_moved(expected: Identity, found: Sequence[Identity]) -> Finding:
    """Look for the expected element among all elements of a page.

    MOVED if one is proven, and more like it than all others by AHEAD; else AMBIGUOUS or CHANGED.
    """
    ranked = rank_candidates(expected, found)
    proven = [each for each in ranked if _is_proven(expected, found[each.index], found)]
    likely = tuple(each for each in ranked if each.likeness >= LIKELY)[:MOST_LISTED]
    if len(proven) == 1 and all(
        proven[0].likeness - each.likeness >= AHEAD for each in ranked if each is not proven[0]
    ):
        others = [each for each in likely if each is not proven[0]]
        return Finding(Outcome.MOVED, (proven[0], *others[: MOST_LISTED - 1]))
    rivals = [each for each in likely if _is_possible_match(expected, found[each.index])]
    outcome = Outcome.AMBIGUOUS if len(rivals) > 1 else Outcome.CHANGED
    return Finding(outcome, likely)


def list_candidates(expected: Identity, found: Sequence[Identity], finding: Finding) -> tuple[Candidate, ...]:
    """Return the elements to list when a run stops; first those with an attribute of the expected one."""
    if finding.outcome is Outcome.MOVED:
        return finding.candidates
    marked = [
        each for each in rank_candidates(expected, found) if _matching_attributes(expected, found[each.index])
    ]
    others = finding.candidates or find_possible(expected, found)
    return tuple(dict.fromkeys([*marked, *others]))[:MOST_LISTED]


def find_possible(expected: Identity, found: Sequence[Identity]) -> tuple[Candidate, ...]:
    """Return the elements most like the expected one, for a list, if none is likely to be it.

    These have its name, or its role and only one contradiction.
    """
    ranked = rank_candidates(expected, found)
    namesakes = [each for each in ranked if _is_namesake(expected, found[each.index])]
    nearest = [
        each
        for each in ranked
        if (each.likeness >= POSSIBLE or _is_in_like_row(expected, found[each.index]))
        and found[each.index].role == expected.role
        and len(contradictions(expected, found[each.index], nearness=ANCHORED_AGREES)) <= 1
    ]
    return tuple(namesakes[:MOST_LISTED] or nearest[:MOST_POSSIBLE])


def _is_in_like_row(expected: Identity, other: Identity) -> bool:
    """Return whether two elements are in rows of similar words, as where all buttons were translated."""
    mine, theirs = _find_row_name(expected), _find_row_name(other)
    return bool(mine) and _text_likeness(mine, theirs) >= ANCHORED_AGREES


def is_acceptable(expected: Identity, found: Identity, outcome: Outcome) -> bool:
    """Return whether a stopped run may propose to take `found` for the expected element from now on.

    It may if nothing contradicts it, or a stable attribute is the same; never if several elements are candidates.
    """
    if outcome is Outcome.AMBIGUOUS:
        return False
    return not contradictions(expected, found) or bool(matching_stable_attributes(expected, found))


def is_another(expected: Identity, found: Identity) -> bool:
    """Return whether `found` is plainly another element: its row, or a number in its name, is another."""
    if matching_stable_attributes(expected, found):
        return False
    has_other_number = _has_same_words(expected.name, found.name) and not _has_same_name(expected, found)
    is_order_known = expected.order[1] > 0  # else nobody knows whether it had twins
    return has_other_number or (is_order_known and _has_other_surroundings(expected, found, NEAR_AGREES))


def _is_namesake(expected: Identity, other: Identity) -> bool:
    """Return whether an element has the expected name and role; for a field, any field's role."""
    is_of_kind = expected.role == other.role or (is_field(expected) and is_field(other))
    return bool(expected.name) and is_of_kind and _has_equal_name(expected, other)


def _is_possible_match(expected: Identity, other: Identity) -> bool:
    """Return whether an element has a stable attribute of the expected one, or its role and name.

    If the expected one had twins (elements of its role and name), the surroundings have to agree in part, too.
    """
    if matching_stable_attributes(expected, other):
        return True
    is_another_row = (
        may_have_had_twins(expected)
        and _describe_surroundings(expected)
        and not _has_same_surroundings(expected, other, ANCHORED_AGREES)
    )
    return _has_equal_role_and_name(expected, other) and not is_another_row


def _is_proven(expected: Identity, other: Identity, found: Sequence[Identity]) -> bool:
    """Return whether `other` is the expected element beyond doubt. `found`: all elements of the page.

    - Same role, name and form: it needs a stable attribute of its own, no twins, or the same surroundings, which no
    twin has, too.
    - Another role or form: it needs a stable attribute that no other element has, and no other may have the expected
    name.
    - Another name: likewise, with an attribute that `_filter_name_independent` keeps.
    """
    if _differs_in_secrecy(expected, other) or _has_become_link(expected, other):
        return False
    if _is_in_other_dialog(expected, other):
        return False
    names = [
        name
        for name in matching_stable_attributes(expected, other)
        if sum(_comparable_attribute(expected, name) == _comparable_attribute(each, name) for each in found)
        == 1
    ]
    twins = [each for each in found if _has_equal_role_and_name(expected, each)]
    if not _has_equal_role_and_name(expected, other) or not _is_same_container(
        _find_form(expected), _find_form(other)
    ):
        is_named_elsewhere = any(
            each is not other and not (_is_numeric(expected.name) and contradictions(expected, each))
            for each in twins
        )
        has_same_name = _has_equal_name(expected, other) or _differs_in_numbers_alone(expected, other)
        proof = names if has_same_name else _filter_name_independent(names, expected)
        is_of_kind = expected.role == other.role or expected.tag == other.tag
        return bool(proof) and not is_named_elsewhere and is_of_kind
    if names:  # not if its attribute and its part of the page say different things, such as two groups with exchanged labels
        return not (
            _is_in_other_container(expected, other)
            and any(map(partial(_has_same_surroundings, expected), twins))
        )
    if find_likelier_field(expected, other, found) or not _has_same_name(expected, other):
        return False
    # another element may have the name tomorrow
    is_reused_name = _is_numeric(expected.name) or _names_a_record_by_number(expected)
    if is_reused_name and contradictions(expected, other):
        return False
    if any(_has_contradicting_attribute(expected, other, name) for name in ("testid", "href", "field")):
        return False
    own = set(matching_stable_attributes(expected, other))  # what `other` has as well tells nothing against it
    if any(own < own.union(matching_stable_attributes(expected, each)) for each in found):
        return False  # another element has the mark of the expected one
    if expected.order[1] == 1 and len(twins) == 1:
        return True
    return _has_same_surroundings(expected, other) and not any(
        each is not other and _has_same_surroundings(expected, each) for each in twins
    )


def _has_equal_role_and_name(expected: Identity, other: Identity) -> bool:
    """Return whether two elements have the same role and folded name; False without a name."""
    return bool(expected.name) and _has_equal_name(expected, other) and expected.role == other.role


def _has_equal_name(expected: Identity, other: Identity) -> bool:
    """Return whether two names are equal, except for case, blanks and a count: "Cart (3)", "cart"."""
    return _fold_name(compared_name(expected)) == _fold_name(compared_name(other))


def _has_same_name(expected: Identity, other: Identity) -> bool:
    """Return whether two names are the same, also if only their counts differ: "Cart (3)", "Cart (4)".

    In a row a number may be that of its record, so the element needs a stable attribute of its own.
    """
    if _fold_case(compared_name(expected)) == _fold_case(compared_name(other)):
        return True
    is_proven = not _find_row(expected) or bool(matching_stable_attributes(expected, other))
    return _has_equal_name(expected, other) and is_proven


def _has_same_surroundings(expected: Identity, other: Identity, least: float = NEAR_AGREES) -> bool:
    """Return whether the texts around two elements are alike: those beside them, of their rows and boxes.

    least: the likeness required, from 0 to 1; from NEAR_AGREES on, no other record or container may be named ("Shipping", "Billing")
    """
    texts = (map(_drop_cut_word, _list_texts_around(each)) for each in (expected, other))
    pairs = [(mine, theirs) for mine, theirs in zip(*texts, strict=True) if mine]
    if least >= NEAR_AGREES:
        is_record = bool(_find_row(expected) or expected.around) or expected.order[1] > 1
        names_other = (_names_other_record(mine, theirs, is_record=is_record) for mine, theirs in pairs)
        if _is_in_other_container(expected, other) or any(names_other):
            return False
    elif expected.near and expected.near in _find_row_name(expected):
        pairs = pairs[1:]  # the row's name, which follows, contains the text beside the element
    return bool(pairs) and all(_text_likeness(mine, theirs) >= least for mine, theirs in pairs)


def _names_other_record(mine: str, theirs: str, *, is_record: bool) -> bool:
    """Return whether a text around an element names another record: "Book 08", not "Book 07".

    is_record: the text is of a row, item or card. Then each other or further word counts, too: "Quiet Kettle Lid" is not "Quiet Kettle".
    """
    has_other_words = is_record and set(_find_words(mine)) != set(_find_words(theirs))
    return has_other_words or _differ_both_ways(_NUMBER.findall(mine), _NUMBER.findall(theirs))


def _is_in_other_container(expected: Identity, other: Identity) -> bool:
    """Return whether both elements are in containers that have names, and these differ."""
    mine, theirs = (_find_named_container(each).partition(" ")[2] for each in (expected, other))
    return bool(mine) and bool(theirs) and mine != theirs


def _find_named_container(identity: Identity) -> str:
    """Return the innermost named container of an element other than a row: `group "Billing"`; "" for none."""
    return next((each for each in identity.within if " " in each and each.split(" ")[0] not in _RECORDS), "")


def _describe_surroundings(identity: Identity) -> str:
    """Return the text around an element for people: its row's name, else the text of its box or beside it.

    Not `near` first: of a button in a cell with two it is only the other one's text.
    """
    return _find_row_name(identity) or identity.around or identity.near


def _find_row_name(identity: Identity) -> str:
    """Return the name of the innermost row or list item around an element; "" without one."""
    return _find_row(identity).partition(" ")[2].strip('"')


def _find_row(identity: Identity) -> str:
    """Return the innermost row or list item around an element that has a name, as `row "Book 08"`.

    Without such the innermost one; "" for none. A row may have its actions in a list, whose items have no names.
    """
    records = [each for each in identity.within if each.split(" ")[0] in _RECORDS]
    return next((each for each in records if " " in each), records[0] if records else "")


def _find_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without numbers."""
    return re.findall(r"[^\W\d_]+", text.casefold())


def matching_stable_attributes(expected: Identity, other: Identity) -> list[str]:
    """Return the identifying attributes equal in both that are likely to stay and to be unique.

    These are names of fields of Identity: "testid", "id", "field", "href". A value with a digit is a record's or a
    row's: `/product/13/change/` may lead to another product tomorrow, and so may an address with a query. An
    attribute that others had, too, when the flow was saved proves nothing.
    """
    return [name for name in _matching_attributes(expected, other) if _is_stable_value(getattr(expected, name))]


def _matching_attributes(expected: Identity, other: Identity) -> list[str]:
    """Return names of identifying attributes, stable or not, that are equal and that no other element had."""
    is_same_kind = expected.type == other.type and not shares_field(expected)
    return [
        name
        for name in ATTRIBUTES
        if name not in expected.shared
        and _comparable_attribute(expected, name)
        and _comparable_attribute(expected, name) == _comparable_attribute(other, name)
        and (name != "field" or is_same_kind)
    ]


def _is_stable_value(value: str) -> bool:
    """Return whether an attribute's value is likely to be the same tomorrow: no digits, no query."""
    return bool(value) and not value.endswith("?") and _DIGITS.search(value) is None


def _comparable_attribute(identity: Identity, name: str) -> str:
    """Return an attribute's value to compare: an address without the "?" of its query, `/item?` → `/item`."""
    return str(getattr(identity, name)).removesuffix("?")


def _filter_name_independent(names: Sequence[str], expected: Identity) -> list[str]:
    """Return which attributes `names` identify the expected element even if its accessible name changed.

    A button does what its name says: `id=save` on "Delete all" deletes. What a field takes is told by its id or name,
    what a link does by its address, and a test id is given so that words can change.
    """
    return [name for name in names if name in ("testid", "href") or is_field(expected)]


def _has_contradicting_attribute(expected: Identity, other: Identity, name: str) -> bool:
    """Return whether both elements have the attribute `name`, and the values differ in more than numbers."""
    mine, theirs = (_DIGITS.sub("0", _comparable_attribute(each, name)) for each in (expected, other))
    return bool(mine) and bool(theirs) and mine != theirs


def contradictions(
    expected: Identity, found: Identity, *, nearness: float = NEAR_AGREES, numbers: bool = True
) -> list[str]:
    """Return reasons, for people, why `found` is not the expected element; [] without any.

    nearness: the likeness (0 to 1) required of its surroundings if it may have had twins; 0: they do not count
    numbers: whether numbers in names count
    """
    reasons = []
    if expected.role != found.role:
        reasons.append(f"role {found.role or 'none'}, not {expected.role or 'none'}")
    # The name of a row is its whole text. If words of it are in the selector, they prove the row, and the rest may differ.
    is_record = expected.role in _RECORDS and 0 < nearness < NEAR_AGREES
    has_name = _has_same_name(expected, found) or (
        is_record and _text_likeness(expected.name, found.name) >= nearness
    )
    if not (has_name or (not numbers and _has_same_words(expected.name, found.name))):
        reasons.append(f'name "{found.name}", not "{expected.name}"')
    if not expected.role and expected.tag and expected.tag != found.tag:
        reasons.append(f"<{found.tag}>, not <{expected.tag}>")
    if _differs_in_secrecy(expected, found):
        reasons.append(f"type {found.type or 'text'}, not {expected.type or 'text'}")
    mine, theirs = _find_form(expected), _find_form(found)
    if not _is_same_container(mine, theirs):
        reasons.append(f"in {theirs or 'no form'}, not in {mine or 'no form'}")
    is_identified_by_surroundings = (
        nearness and not is_record and not matching_stable_attributes(expected, found)
    )
    if is_identified_by_surroundings and _has_other_surroundings(expected, found, nearness):
        reasons.append(_describe_other_surroundings(expected, found))
    reasons += [
        f'{_SHORT_NAMES[name]} "{getattr(found, name)}", not "{getattr(expected, name)}"'
        for name in _find_contradicting_attributes(expected, found, numbers=nearness >= NEAR_AGREES)
    ]
    if _is_in_other_dialog(expected, found):
        reasons.append(f'in a dialog that says "{found.dialog}", not "{expected.dialog}"')
    if _has_become_link(expected, found):
        reasons.append(f'a link to "{found.href}"')
    return reasons


def _describe_other_surroundings(expected: Identity, found: Identity) -> str:
    """Return how the surroundings differ, as part of a message."""
    mine, theirs = _describe_surroundings(expected), _describe_surroundings(found)
    if mine == theirs and _is_in_other_container(expected, found):
        return f"in {_find_named_container(found)}, not in {_find_named_container(expected)}"
    if mine == theirs:
        texts = ((expected.near, found.near), (expected.around, found.around))
        mine, theirs = next((pair for pair in texts if pair[0] != pair[1]), texts[0])
    return f'beside "{theirs}", not "{mine}"'


def _has_other_surroundings(expected: Identity, found: Identity, nearness: float) -> bool:
    """Return whether the texts around `found` show it to be another element of the same role and name.

    nearness: the likeness of the texts that is required, from 0 to 1

    An empty name or a number tells little: "3" beside "Likes" is not "3" beside "Shares". Numbers around it say nothing: days
    of a month. Nor does "Order 3" tell which order that is: the row's other words do.
    """
    if _names_a_record_by_number(expected) and _has_replaced_words(expected, found):
        return True
    if may_have_had_twins(expected) and not _describe_surroundings(expected):
        return bool(_describe_surroundings(found)) or _is_in_other_container(expected, found)
    if may_have_had_twins(expected):
        return not _has_same_surroundings(expected, found, nearness)
    has_words = any(character.isalpha() for character in expected.near)
    is_beside_words = (not expected.name or _is_numeric(expected.name)) and has_words
    return is_beside_words and _text_likeness(expected.near, found.near) < ANCHORED_AGREES


def _names_a_record_by_number(identity: Identity) -> bool:
    """Return whether an element in a row has a number in its name: "Order 3" may be another later."""
    return bool(_find_row(identity)) and bool(_DIGITS.search(identity.name))


def _has_replaced_words(expected: Identity, found: Identity) -> bool:
    """Return whether words in the row around an element were replaced by others; numbers do not count."""
    mine, theirs = (
        {word for text in (each.near, _find_row_name(each)) for word in _find_words(_drop_cut_word(text))}
        for each in (expected, found)
    )
    return _differ_both_ways(mine, theirs)


def _differ_both_ways(one: Iterable[str], two: Iterable[str]) -> bool:
    """Return whether each list has words (or numbers) that the other lacks, so that some were replaced."""
    mine, theirs = set(one), set(two)
    return bool(mine - theirs) and bool(theirs - mine)


def _drop_cut_word(text: str) -> str:
    """Return a text without its last word if that may be cut: notes have LONGEST_TEXT characters at most."""
    return (len(text) >= LONGEST_TEXT and text.rpartition(" ")[0]) or text


def _is_numeric(name: str) -> bool:
    """Return whether a name has digits and no letters."""
    return bool(_DIGITS.search(name)) and not any(character.isalpha() for character in name)


def _has_become_link(expected: Identity, found: Identity) -> bool:
    """Return whether the element is a link (`href`) now, and had another tag and no `href` before."""
    return bool(found.href) and not expected.href and expected.tag != found.tag


def _find_contradicting_attributes(expected: Identity, found: Identity, *, numbers: bool) -> list[str]:
    """Return attributes of `found` that prove it to be another element, even if the names are the same.

    With a name such as "3" each identifying attribute counts, with any other only the attribute `name`, which the
    server gets. Without a name it is test id, that attribute and address.

    numbers: whether numbers in these three count; not if the row was found by its words, since it may have another number
        today (`form-3-state`)
    """
    if _is_numeric(expected.name):
        return [name for name in ATTRIBUTES if _has_contradicting_attribute(expected, found, name)]
    if expected.name:
        return ["field"] if _has_other_field_name(expected, found) else []
    names = ("testid", "field", "href")
    values = [[_comparable_attribute(each, name) for name in names] for each in (expected, found)]
    if not numbers:
        values = [[_DIGITS.sub("0", value) for value in each] for each in values]
    return [name for name, mine, theirs in zip(names, *values, strict=True) if mine != theirs]


def _has_other_field_name(expected: Identity, found: Identity) -> bool:
    """Return whether the HTML attributes `name` of two fields have no word in common.

    `bk-isbn` is not `subtitle`, whatever its label is; `bk-subtitle` may be.
    """
    if "field" in expected.shared or not (_is_stable_value(expected.field) and found.field):
        return False
    mine, theirs = (set(split_words(each.field)) for each in (expected, found))
    return bool(mine) and not any(one in other or other in one for one in mine for other in theirs)


def is_same_but_for_numbers(expected: Identity, found: Sequence[Identity]) -> bool:
    """Return whether `found` is only one element, the expected one with other numbers in its name.

    It must have a stable attribute of the expected one.
    """
    return (
        len(found) == 1
        and bool(matching_stable_attributes(expected, found[0]))
        and not contradictions(expected, found[0], nearness=0.0, numbers=False)
    )


def _differs_in_numbers_alone(expected: Identity, other: Identity) -> bool:
    """Return whether two elements differ only by numbers in their names and nearby texts.

    "13 total" is "12 total", but "13" is not "12".
    """
    has_words = any(character.isalpha() for character in expected.name)
    if any(_comparable_attribute(expected, name) != _comparable_attribute(other, name) for name in ATTRIBUTES):
        return False  # another address or id: another record
    near = (_NUMBER.sub("0", each.near) for each in (expected, other))
    return has_words and _has_same_words(expected.name, other.name) and _text_likeness(*near) >= NEAR_AGREES


def _has_same_words(one: str, other: str) -> bool:
    """Return whether two names differ in numbers alone, or not at all."""
    return _NUMBER.sub("0", _fold_name(one)) == _NUMBER.sub("0", _fold_name(other))


def _differs_in_secrecy(expected: Identity, found: Identity) -> bool:
    """Return whether only one of two fields is a password field: else a password might end up readable."""
    return (expected.type == "password") != (found.type == "password")


def _is_in_other_dialog(expected: Identity, found: Identity) -> bool:
    """Return whether both are in dialogs without names that say other things: each has an "OK"."""
    is_known = bool(expected.dialog and found.dialog)
    return is_known and _text_likeness(expected.dialog, found.dialog) < ANCHORED_AGREES


def may_have_had_twins(expected: Identity) -> bool:
    """Return whether other elements had the same role and name when the flow was saved.

    True if that is unknown.
    """
    return expected.order[1] != 1


def _find_form(identity: Identity) -> str:
    """Return the innermost form or dialog around an element, as `form "Sign in"`; "" for none."""
    kinds = ("form", "dialog", "alertdialog")
    return next((each for each in identity.within if each.split(" ")[0] in kinds), "")


def _is_same_container(mine: str, theirs: str) -> bool:
    """Return whether two forms or dialogs, as `dialog "Edit"`, have the same role and name.

    A note cuts a long name, maybe in the middle of a value. Another value is longer or shorter, so that the cut is elsewhere.
    """
    parts = (each.removesuffix('"').partition(' "') for each in (mine, theirs))
    (role, _, shorter), (other_role, _, longer) = sorted(parts, key=lambda part: len(part[2]))
    if mine == theirs or len(longer) < LONGEST_TEXT or len(shorter) < LONGEST_TEXT - MOST_SHORTER:
        return mine == theirs
    begins = [name.rpartition(" ")[0] for name in (shorter, longer)]
    return role == other_role and (begins[0].startswith(begins[1]) or begins[1].startswith(begins[0]))


def rank_candidates(expected: Identity, found: Sequence[Identity]) -> list[Candidate]:
    """Return all `found` elements as candidates, those most like the expected one first."""
    candidates = [
        Candidate(index, likeness(expected, other), tuple(_list_differences(expected, other)))
        for index, other in enumerate(found)
    ]
    return sorted(candidates, key=lambda each: -each.likeness)


def _list_differences(expected: Identity, other: Identity) -> list[str]:
    """Return what differs between two elements, in words for people: "test id", "address"."""
    return [
        words
        for name, words in _SHORT_NAMES.items()
        if getattr(expected, name) and getattr(expected, name) != getattr(other, name)
    ]


def likeness(expected: Identity, other: Identity) -> float:
    """Return how alike two elements are, from 0 to 1: a weighted mean over the fields that `expected` has."""
    total = reached = 0.0
    for name, weight in WEIGHTS.items():
        if (alike := _compare_field(name, expected, other)) is not None:
            total += weight
            reached += weight * alike
    return reached / total if total else 0.0


def _compare_field(name: str, expected: Identity, other: Identity) -> float | None:
    """Return how alike two elements are in the field `name`, 0 to 1; None if the expected one lacks it."""
    mine, theirs = getattr(expected, name), getattr(other, name)
    if name == "order":
        return None if mine[1] < 2 else float(mine == theirs)
    if not mine:
        return None
    if name == "within":
        return _list_likeness(mine, theirs)
    if name == "name":
        mine, theirs = compared_name(expected), compared_name(other)
        if _has_same_words(mine, theirs):
            return 1.0 if _fold_name(mine) == _fold_name(theirs) else SAME_BUT_FOR_NUMBERS
    if name in ("name", "near", "around", "hint"):
        return _text_likeness(mine, theirs)
    return float(mine == theirs)


def _fold_name(text: str) -> str:
    """Return an element's name for comparison: in lower case, without a count, "Cart (3)" → "cart"."""
    folded = _fold_case(text)
    return _COUNT.sub("", folded).strip() or folded


def _fold_case(text: str) -> str:
    """Return a text in lower case, with single blanks."""
    return " ".join(text.casefold().split())


def _text_likeness(one: str, other: str) -> float:
    """Return the share of words that two texts have in common, from 0 to 1."""
    if _fold_name(one) == _fold_name(other):
        return 1.0
    mine, theirs = set(re.findall(r"\w+", one.casefold())), set(re.findall(r"\w+", other.casefold()))
    both = len(mine & theirs)
    return 2 * both / (len(mine) + len(theirs)) if both else 0.0


def _list_likeness(mine: Sequence[str], theirs: Sequence[str]) -> float:
    """Return the share (0 to 1) of the containers `mine` that are in `theirs`; the innermost weighs most."""
    total = reached = 0.0
    for index, each in enumerate(mine):
        weight = 1 / (index + 1)
        total += weight
        reached += weight * (each in theirs)
    return reached / total
