from gstack_browse.snapshot.diff import render_difference, unified_diff_of_lines
from gstack_browse.snapshot.tree import Options
from tests.each import each, each_row
from tests.unit.snapshot.trees import rows, tree

BARE = Options(interactive=True)


def test_folded_options_do_not_fill_a_diff() -> None:
    def field(chosen: int) -> str:
        options = (f'  option "{n}"{" [selected]" * (n == chosen)}' for n in range(100))
        return 'combobox "C"\n' + "\n".join(options)

    told = render_difference(tree(field(3)), tree(field(5)), Options()).split("\n")
    changes = ['-  @e5 [option] "3" [selected]', '+  @e7 [option] "5" [selected]']
    folded = "… 99 more options (select takes a label)"
    assert [line.strip() for line in told if "option" in line] == [*changes, folded]


def test_parentheses_that_appear_are_no_change_by_themselves() -> None:
    row = '  row\n    cell "{}"\n    cell\n      button "Edit"\n'
    one, two = tree("table\n" + row.format("Ann")), tree("table\n" + row.format("Ann") + row.format("Bob"))
    told = render_difference(one, two, BARE).split("\n")
    assert told[1:] == [' @e5 [button] "Edit" (Ann)', '+@e9 [button] "Edit" (Bob)']


def test_another_page_is_printed_whole() -> None:
    one, two = tree('button "A"\nbutton "B"'), tree('heading "New"\nbutton "A"\nbutton "C"', 2)
    two.url = "http://a.test/" + "x" * 300
    told = render_difference(one, two, BARE).split("\n")
    assert told == [f"new page: {two.url[:200]}", '@e2 [button] "A"', '@e3 [button] "C"']


def test_many_removed_lines_are_counted_unless_all_is_asked_for() -> None:
    names = ("Mail", "Print", "Delete", "Move", "Copy", "Archive", "Mute", "Star")
    roles = ("button", "link") * 4
    before = tree("\n".join(f'{role} "{name}"' for name, role in zip(names, roles, strict=True)))
    after = tree('button "Sign in"')
    after.nodes = [99]
    told = render_difference(before, after, Options(interactive=True)).split("\n")
    gone = ['-@e1 [button] "Mail"', '-@e2 [link] "Print"', "-… 6 more lines"]
    assert told == ["@@ -1,8 +1 @@", *gone, '+@e99 [button] "Sign in"']
    whole = render_difference(before, after, Options(interactive=True, max_chars=None))
    assert whole.count("\n-") == 8


@each([1, 2])
def test_pages_of_nothing_but_equal_lines_can_be_compared(document: int) -> None:
    page = "\n".join(f'text "{n % 2}"\nbutton "Go"' for n in range(6000))
    one, two = tree(f'heading "1"\n{page}\nheading "1"'), tree(f'heading "2"\n{page}\nbutton "New"', document)
    assert '"New"' in render_difference(one, two, Options(max_chars=None))


def test_rows_are_compared_with_the_same_rows() -> None:
    before, after = rows(40), rows(40)
    after.names[8], after.names[100] = "changed", "not asked for"
    told = render_difference(before, after, Options(rows=range(1, 9)))
    assert "changed" in told
    assert "not asked for" not in told


def test_a_frame_that_shows_another_document_is_compared_by_words() -> None:
    one, two = tree('button "Out"\niframe'), tree('button "Out"\niframe')
    one.graft(1, tree('button "In"\nbutton "Gone"', 2))
    two.graft(1, tree('heading "New"\nbutton "In"\nbutton "Gone"', 3))
    told = render_difference(one, two, Options()).split("\n")[2:-1]
    assert [line for line in told if line[0] in "+-"] == ['+  @e1 [heading] "New"']
    assert render_difference(one, two, BARE).startswith("(no changes; a frame shows another document")


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
    assert unified_diff_of_lines(LINES, ["first", *LINES[1:99], "last"]).count("@@ -") == 2, "far apart"
