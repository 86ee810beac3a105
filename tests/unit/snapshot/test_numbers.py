import pytest

from gstack_browse.snapshot import numbers
from gstack_browse.snapshot.numbers import RefNumberBound, RefNumbers


def test_a_node_keeps_its_number_and_no_other_gets_it() -> None:
    made = RefNumbers()
    assert [made.ref(1, node, "button", "") for node in (50, 51, -50, 50)] == ["@e1", "@e2", "@c1", "@e1"]
    assert made.ref(2, 50, "button", "") == "@e3"
    assert [made.find(number) for number in (1, 2, -1, 3)] == [(1, 50), (1, 51), (1, -50), (2, 50)]
    assert (made.known_number(1, 51), made.known_number(1, 52), made.known_number(9, 51)) == (2, 0, 0)
    assert made.find(4) is None
    made = RefNumbers()
    made.ref(1, -50, "generic", "")
    assert [made.printed_id(*node) for node in ((1, 50), (1, 51), (2, 50))] == [-50, 51, 50]
    first = RefNumbers()
    first.ref(1, 50, "button", "Go")
    second = RefNumbers(*first.following)
    assert (second.is_assigned(1), second.is_assigned(-1), second.find(1)) == (True, False, None)
    assert second.ref(1, 50, "button", "Go") == "@e2"


def test_words_a_number_was_last_printed_with_are_remembered() -> None:
    made, went = RefNumbers(), "Went " + "x" * 1000
    made.ref(1, 50, "button", "Go")
    made.ref(1, 50, "link", went)
    words = made.history.printed_as(1)
    assert words
    assert (words.role, words.name) == ("link", went[: numbers.LONGEST_NAME])
    assert (words.is_named("link", went), words.is_named("button", went)) == (True, False)


def test_a_session_has_a_bound_above_the_numbers_of_all_its_tabs() -> None:
    bounds: list[tuple[int, int]] = []
    reserve = RefNumberBound(on_growth=lambda: bounds.append(reserve.bound))
    one, other = RefNumbers(reserve=reserve), RefNumbers(reserve=reserve)
    assert reserve.bound == (1, 1)
    one.refs([1] * 99, range(1, 100), ["link"] * 99, [""] * 99)
    other.ref(2, -50, "button", "")
    assert bounds == [(101, 1), (101, 101)]
    one.refs([1] * 2, [500, 501], ["link"] * 2, [""] * 2)
    assert reserve.bound == (201, 101), "@e101 was printed"

    later = RefNumberBound(reserve.bound)
    numbers = RefNumbers(*later.first, later)
    assert numbers.ref(1, 50, "button", "") == "@e201"
    earlier = [numbers.is_from_before_crash(number) for number in (200, 201, -100, -101)]
    assert earlier == [True, False, True, False]


def test_words_of_long_ago_are_forgotten_and_numbers_are_not() -> None:
    made = RefNumbers()
    count = 2 * numbers._REMEMBERED_WORDS
    for node in range(1, count, 10):
        nodes = list(range(node, node + 10))
        made.refs([1] * 10, nodes, ["button"] * 10, ["Go"] * 10)
    assert made.history.printed_as(2) is None
    assert made.history.printed_as(count)
    assert made.find(2) == (1, 2)
    made.refs([1] * count, range(1, count + 1), ["button"] * count, ["Go"] * count)
    assert made.history.printed_as(2)
    assert sum(len(printed.numbers) for printed in made.history._printed) == count


def test_documents_that_the_tab_has_left_are_forgotten_above_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "_REMEMBERED_NUMBERS", 1000)
    made = RefNumbers()
    for document in range(1, 6):
        for node in range(1, numbers._REMEMBERED_NUMBERS // 2):
            made.ref(document, node, "button", "")
        made.record_shown_documents({1: 0, document: 0})
    assert made.documents == {1, 3, 4, 5}
    assert made.find(1) == (1, 1)
    made.record_shown_documents({6: 0})
    assert made.documents == {1, 5}


def test_nodes_that_are_gone_for_good_are_forgotten() -> None:
    made = RefNumbers()
    for node in range(1, numbers._SWEPT_ABOVE + 1):
        made.ref(1, node, "button", "")
    made.ref(1, -2, "generic", "")
    suspects = made.find_stale_candidates(1)
    assert set(suspects) == set(range(1, numbers._SWEPT_ABOVE + 1))
    assert not made.find_stale_candidates(1)
    made.forget(1, range(2, numbers._SWEPT_ABOVE))
    assert made.find(1) == (1, 1)
    assert made.find(2) is made.find(-1) is None
    assert made.is_assigned(2)
    assert made.ref(1, 2, "button", "") == f"@e{numbers._SWEPT_ABOVE + 1}"


def test_node_first_seen_after_a_number_s_last_print_is_newer() -> None:
    made = RefNumbers()
    made.record_shown_documents({100: 160})
    for node in (150, 151):
        made.ref(100, node, "button", "Go")
    made.record_shown_documents({100: 170})
    made.ref(100, 151, "button", "Go")
    first, second = made.history.printed_as(1), made.history.printed_as(2)
    assert first
    assert second
    newer = [first.is_older_than_node(*node) for node in ((100, 161), (100, -161), (200, 1), (100, 160))]
    assert (newer, second.is_older_than_node(100, 170)) == ([True, True, True, False], False)
    made.record_last_id(100, 180)
    made.ref(100, 151, "button", "Go")
    second = made.history.printed_as(2)
    assert second
    assert not second.is_older_than_node(100, 180)
