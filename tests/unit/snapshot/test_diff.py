"""Differences between two snapshots."""

from gstack_browse.snapshot.diff import unified_diff_of_lines

LINES = [f"@e{n} [button]" for n in range(100)]


def test_equal_snapshots_have_no_changes() -> None:
    assert unified_diff_of_lines(LINES, list(LINES)) == "(no changes)"
    assert unified_diff_of_lines([], []) == "(no changes)"


def test_an_inserted_line_is_one_added_line_with_its_hunk() -> None:
    assert unified_diff_of_lines(LINES, [*LINES[:50], "new", *LINES[50:]]).split("\n") == [
        "--- previous snapshot",
        "+++ this snapshot",
        "@@ -49,4 +49,5 @@",
        " @e48 [button]",
        " @e49 [button]",
        "+new",
        " @e50 [button]",
        " @e51 [button]",
    ]


def test_changes_far_apart_are_two_hunks() -> None:
    changed = ["first", *LINES[1:99], "last"]
    assert unified_diff_of_lines(LINES, changed).count("@@ -") == 2


def test_from_nothing_and_to_nothing() -> None:
    assert unified_diff_of_lines([], ["a"]).split("\n")[2:] == ["@@ -0,0 +1 @@", "+a"]
    assert unified_diff_of_lines(["a"], []).split("\n")[2:] == ["@@ -1 +0,0 @@", "-a"]


def test_repeated_lines_at_both_ends() -> None:
    assert unified_diff_of_lines(["a", "a"], ["a", "a", "a"]).split("\n")[2:] == [
        "@@ -1,2 +1,3 @@",
        " a",
        " a",
        "+a",
    ]
