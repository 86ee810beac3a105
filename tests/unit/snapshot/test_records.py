"""Which record stands where one was printed: judged by two trees of the same elements."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from gstack_browse.snapshot.disambiguation.records import Lists, RecordChange, find_record_change, tokens_of
from gstack_browse.snapshot.tree import Tree
from tests.each import each, each_row
from tests.unit.snapshot.trees import tree


def queue(*names: str, button: str = "Delete", kind: str = "listitem") -> Tree:
    """A list of records, the first line of each with the id of its place; ids of its lines follow."""
    items = "\n".join(f'  {kind}\n    text "{name}"\n    button "{button}"' for name in names)
    return tree(f"list\n{items}")


def judged(before: Tree, now: Tree, button: int = 1) -> RecordChange | None:
    """Find what stands now where a button was printed, by its index among the buttons."""
    line = [line for line, role in enumerate(before.roles) if role == "button"][button]
    return find_record_change(Lists(before), line, Lists(now), now.lines_of[before.nodes[line]])


@each_row(
    ("a record before it", ["Zebra", "Apple", "Banana", "Cherry"], RecordChange("Banana", "Apple", 9)),
    ("the one before it was deleted", ["Banana", "Cherry"], RecordChange("Banana", "Cherry", 3)),
    ("it was deleted", ["Apple", "Cherry"], RecordChange("Banana", "Cherry", -1)),
    ("turned", ["Banana", "Apple", "Cherry"], RecordChange("Banana", "Apple", 3)),
    ("all others", ["Kiwi", "Lime", "Melon"], RecordChange("Banana", "Lime", -1)),
)
def test_row_of_another_record_is_recognised(what: str, names: list[str], other: RecordChange | None) -> None:
    """A record that alone has other words may be the same one, edited."""
    assert judged(queue("Apple", "Banana", "Cherry"), queue(*names)) == other


INVOICES = ["Invoice May paid", "Invoice May open", "Invoice June paid", "Invoice June open"]
ORDERS = [f"Order {n}" for n in range(1000, 1007)]


@each_row(
    ("the one before it was deleted", ["Ann Lee", "Ann Day", "Bob Lee", "Bob Day"], ["Ann Lee", "Bob Lee", "Bob Day"], True),
    ("next page", ["Ann Day", "Ann Lee", "Bob Lee"], ["Cy Fox", "Cy Ray", "Di Fox"], True),
    ("three words", ["Old Red S", "New Red S", "Old Blue S", "New Blue M", "New Blue S", "Old Red M", "New Red M"],
     ["Old Red S", "Old Blue S", "New Blue M", "New Blue S", "Old Red M", "New Red M"], True),
    ("a part of another", ["Green Tea", "Tea", "Black Coffee", "Coffee"], ["Green Tea", "Black Coffee", "Coffee"], True),
    ("all its words in another", ["Coffee", "Tea", "Milk"], ["Coffee", "Green Tea", "Tea", "Milk"], True),
    ("all its words in one scrolled to", ["Coffee", "Tea", "Milk"], ["Kiwi", "Green Tea", "Lime"], True),
    ("a part of its words in one scrolled to", ["Coffee", "Green Tea", "Milk"], ["Kiwi", "Tea", "Lime"], True),
    ("a word twice", ["Tea 2", "Milk 2", "Tea 2 2", "Milk 1", "Tea 1"], ["Tea 2", "Tea 2 2", "Milk 1"], True),
    ("told by a number", ["1001 Lamp", "1002 Desk", "1003 Lamp", "1004 Desk"], ["1003 Lamp", "1004 Desk", "1005 Lamp", "1006 Desk"], True),
    ("nothing but a state", ["done", "pending"], ["done", "done"], False),
    ("a state of the other one", ["Ann done", "Bob pending"], ["Ann done", "Bob done"], False),
    ("a badge that moves", ["Coffee new", "Tea", "Milk"], ["Coffee", "Tea new", "Milk"], False),
    ("a counter", ["Coffee", "Tea (1)", "Milk"], ["Coffee", "Tea (2)", "Milk (1)"], False),
    ("scrolled by three of a pool", ORDERS, ["Order 1007", "Order 1008", "Order 1009", *ORDERS[3:]], True),
    ("a state of another", INVOICES, ["Invoice May paid", "Invoice May paid", "Invoice June paid", "Invoice June open"], False),
    ("two titles", ORDERS, ["Gift", "Present", *ORDERS[2:]], False),
    ("two of five states", [f"{name} paid" for name in ORDERS[:5]], ["Order 1000 paid", "Order 1001 open", "Order 1002 open",
     "Order 1003 paid", "Order 1004 paid"], False),
)  # fmt: skip
def test_record_without_a_word_of_its_own_is_known_by_several(
    what: str, names: list[str], now: list[str], is_other: bool
) -> None:
    assert (judged(queue(*names), queue(*now)) is not None) == is_other


def test_words_are_compared_and_buttons_only_where_there_are_none() -> None:
    assert tokens_of("Ann O'Neil, 3 ☕ (ﬁne)") == {"ann", "o", "neil", "3", "☕", "fine"}
    assert judged(queue("Ann", "Bob"), queue("ANN", "BOB")) is None
    assert judged(queue("Ann", "Bob", button="Play"), queue("Ann", "Bob", button="Pause")) is None
    before = tree('button "Remove Ann"\nbutton "Remove Bob"\nbutton "Close"')
    after = tree('button "Remove Bob"\nbutton "Remove Eve"\nbutton "Close"')
    assert judged(before, after, 1) == RecordChange("", "", 0)
    toggled = tree('button "Play"\nbutton "Mute"')
    assert judged(toggled, tree('button "Pause"\nbutton "Unmute"'), 1) is None
    song = 'listitem: Red S\n  button "{}"\nlistitem: Red M\n  button "{}"\nlistitem: Blue S\nlistitem: Blue M'
    assert judged(tree(song.format("Pause", "Play")), tree(song.format("Play", "Pause")), 0) is None


MONTH = ["13 14 15 16 17 18 19", "20 21 22 23 24 25 26", "27 28 29 30 31"]
NEXT_MONTH = ["10 11 12 13 14 15 16", "17 18 19 20 21 22 23", "24 25 26 27 28 29 30"]


def calendar(weeks: list[str], name: str = "{}") -> Tree:
    """A grid of days, each of which is a button."""
    day = '    gridcell\n      button "{}"\n'
    lines = "".join(f"  row\n{''.join(day.format(name.format(one)) for one in week.split())}" for week in weeks)
    return tree(f"grid\n{lines}")


@each(["{}", "November {} 2026"])
def test_a_day_that_is_elsewhere_now_is_refused(name: str) -> None:
    """Its week has most of its days still."""
    other = judged(calendar(MONTH, name), calendar(NEXT_MONTH, name), 2)
    assert other
    assert calendar(NEXT_MONTH, name).names[other.moved_to] == name.format(15)
    assert judged(calendar(MONTH, name), calendar(MONTH, name.replace("Nov", "Dec")), 2) is None


def test_pages_are_refused_and_counters_are_no_records() -> None:
    pages = 'list\n  listitem\n    button "{}"\n  listitem\n    button "{}"\n  listitem\n    button "{}"'
    assert judged(tree(pages.format(1, 2, 3)), tree(pages.format(2, 3, 4)), 1) == RecordChange("", "", 2)
    assert judged(tree(pages.format(1, 2, 3)), tree(pages.format(1, 2, 4)), 1) is None
    buttons = 'group\n  button "{}"\n  button "{}"'
    assert judged(tree(buttons.format(12, 5)), tree(buttons.format(13, 6)), 0) is None
    step = 'list\n  listitem: One\n  listitem\n    dialog "{}"\n      text "{}"\n      button "Next"'
    assert judged(tree(step.format("Name", "Ann")), tree(step.format("Address", "Berlin")), 0) is None
    numbered = judged(queue("User 1", "User 2"), queue("User 11", "User 12"), 0)
    assert numbered is not None, "a number that is part of another is not that"


NAMES = st.lists(st.sampled_from([f"User {n}" for n in range(30)]), min_size=2, max_size=12, unique=True)


@given(NAMES, st.randoms(use_true_random=False))
def test_elements_that_move_with_their_records_are_never_refused(names: Sequence[str], chance: object) -> None:
    before = queue(*names)
    places = list(range(len(names)))
    chance.shuffle(places)  # type: ignore[attr-defined]
    now = queue(*(names[place] for place in places))
    now.nodes = [
        before.nodes[0],
        *(node for place in places for node in before.nodes[3 * place + 1 : 3 * place + 4]),
    ]
    for button in range(len(names)):
        assert judged(before, now, button) is None


@given(NAMES, st.randoms(use_true_random=False))
def test_elements_that_get_other_records_are_always_refused(names: Sequence[str], chance: object) -> None:
    shuffled = list(names)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    before, now = queue(*names), queue(*shuffled)
    for button, (was, stands) in enumerate(zip(names, shuffled, strict=True)):
        assert (judged(before, now, button) is not None) == (was != stands)


@given(NAMES, st.integers(0, 11), st.text(max_size=20))
def test_a_record_that_alone_changes_is_never_refused(names: Sequence[str], place: int, text: str) -> None:
    place %= len(names)
    words = " ".join(text.replace('"', "").split())
    now = [f"{words} and more" if at == place else name for at, name in enumerate(names)]
    for button in range(len(names)):
        assert judged(queue(*names), queue(*now), button) is None
