from typing import Any

from gstack_browse.browser.actions.pointer.changes import describe_goal_changes, describe_source_changes
from gstack_browse.browser.engine.answer_types import Around, VisualState
from tests.each import each_row

BEFORE = VisualState(
    description='<li> "A"', parent=1, parentDescription="<ul#list>", index=0, siblings=3, before="", box=[10, 20, 100, 40], value="", children=0,
    words="A", fingerprint="", moving=False, around=[],
)  # fmt: skip
LIST = Around(
    id=1,
    description="<ul#list>",
    width=100,
    height=120,
    parent=4,
    parentDescription="<main>",
    index=0,
    siblings=3,
    before="",
)
BEFORE["around"] = [LIST]


def now(**changes: Any) -> VisualState:
    return VisualState(**{**BEFORE, **changes})


@each_row(
    (now(), []),
    (None, ['<li> "A" is no longer on the page']),
    (now(index=2, before='<li> "C"', box=[10, 100, 100, 40]), ['now 3 of 3 in <ul#list>, after <li> "C" (was 1)']),
    (now(parent=2, parentDescription="<ul#b>", siblings=1), ["now 1 of 1 in <ul#b> (was in <ul#list>)"]),
    (now(box=[40, 15, 100, 40]), ["moved by 30,-5"]),
    (now(box=[10, 20, 130, 40]), ["now 130x40 (was 100x40)"]),
    (now(value="7", words="7"), ['value "7" (was "")']),
    (now(words="40 px"), ['<li> "A" reads "40 px"']),
    (
        now(box=[60, 20, 100, 40], around=[Around({**LIST, "width": 150})]),
        ["<ul#list> is 150x120 (was 100x120)", "moved by 50,0"],
    ),
    (
        now(box=[60, 20, 100, 40], around=[Around({**LIST, "index": 2, "before": "<p>"})]),
        ["<ul#list> is now 3 of 3 in <main>, after <p> (was 1)"],
    ),
)  # fmt: skip
def test_changes_of_the_dragged_element_are_described(after: VisualState | None, lines: list[str]) -> None:
    assert describe_source_changes(BEFORE, after) == lines


@each_row(
    (now(), []),
    (now(children=2), ['<li> "A" has 2 children (had 0)']),
    (now(words="A and B"), ['<li> "A" reads "A and B"']),
    (now(value="a.txt", words="more"), ['<li> "A" holds "a.txt"']),
    (None, []),
)
def test_changes_of_the_drop_target_are_described(after: VisualState | None, lines: list[str]) -> None:
    assert describe_goal_changes(BEFORE, after) == lines
