from gstack_browse.snapshot.diff import unified_diff_of_lines
from tests.each import each_row

LINES = [f"@e{n} [button]" for n in range(100)]


@each_row(
    (LINES, LINES, []),
    ([], [], []),
    ([], ["a"], ["@@ -0,0 +1 @@", "+a"]),
    (["a"], [], ["@@ -1 +0,0 @@", "-a"]),
    (["a", "a"], ["a", "a", "a"], ["@@ -1,2 +1,3 @@", " a", " a", "+a"]),
    (
        LINES,
        [*LINES[:50], "new", *LINES[50:]],
        ["@@ -49,4 +49,5 @@", f" {LINES[48]}", f" {LINES[49]}", "+new", f" {LINES[50]}", f" {LINES[51]}"],
    ),
)
def test_changed_lines_are_printed_with_their_hunk(
    before: list[str], after: list[str], hunk: list[str]
) -> None:
    told = unified_diff_of_lines(before, after).split("\n")
    assert told == (["--- previous snapshot", "+++ this snapshot", *hunk] if hunk else ["(no changes)"])


def test_changes_far_apart_are_two_hunks() -> None:
    changed = ["first", *LINES[1:99], "last"]
    assert unified_diff_of_lines(LINES, changed).count("@@ -") == 2
