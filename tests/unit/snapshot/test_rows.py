from gstack_browse.snapshot.render import render, shown_elements
from gstack_browse.snapshot.tree import Options, Tree
from tests.each import each_row
from tests.unit.snapshot.trees import tree

BARE = Options(interactive=True)
HEAD = 'table\n  row\n    columnheader "Name"\n'


def row(*cells: str, role: str = "cell", more: str = "") -> str:
    return "  row\n" + "".join(f'    clickable "{cell}" [cursor:pointer]\n' for cell in cells) + more


def table(text: str, role: str = "cell") -> Tree:
    made = tree(text)
    made.roles = [role if node < 0 else name for node, name in zip(made.nodes, made.roles, strict=True)]
    return made


@each_row(
("a row of data", row("run-17", "409.39", "ok"), ['@e4 [row] 3 cells: "run-17" "409.39" "ok"']),
        ("with a control in another cell", row("run-17", "ok", more='    cell\n      button "Stop"\n'),
         ['@e4 [row] 3 cells: "run-17" "ok"', '  @e8 [button] "Stop"']),
        ("with a control in a clickable cell", row("run-17", "ok", more='      button "Stop"\n'),
         ['@c5 [cell] "run-17" [cursor:pointer]', '@c6 [cell] "ok" [cursor:pointer]', '  @e7 [button] "Stop"']),
        ("days of a week", row("7", "8", "9", "10"),
         [f'@c{n} [cell] "{n + 2}" [cursor:pointer]' for n in (5, 6, 7, 8)]),
        ("cells without words", row("", "", ""),
         [f"@c{n} [cell] [cursor:pointer]" for n in (5, 6, 7)]),
        ("a single cell", row("run-17"), ['@c5 [cell] "run-17" [cursor:pointer]']),
)  # fmt: skip
def test_clickable_cells_of_a_row_are_its_line(what: str, text: str, lines: list[str]) -> None:
    assert render(table(HEAD + text), BARE).split("\n") == lines


def test_a_cell_that_says_more_keeps_its_line() -> None:
    cells = row("run-17", "ok", "late").replace("[cursor:pointer]", "[cursor:pointer, selected]", 1)
    page = table(HEAD + cells)
    lines = ['@e4 [row] 3 cells: "run-17" "ok" "late"', '  @c5 [cell] "run-17" [cursor:pointer] [selected]']
    assert render(page, BARE).split("\n") == lines


def test_three_of_many_rows_are_printed() -> None:
    """Count the rows as `--rows` does, and print cells where they are asked for."""
    page = table(HEAD + "".join(row(f"run-{7 * n}", f"state {n % 3}") for n in range(9)))
    lines = render(page, BARE).split("\n")
    assert lines[2:] == [
        '@e10 [row] 2 cells: "run-14" "state 2"',
        "… 6 more rows like these (5-10): snapshot -i -s @e1 --rows 5-10",
    ]
    asked = render(page, Options(interactive=True, rows=range(5, 11))).split("\n")
    assert asked[:2] == ["(rows 5-10 of 10 of @e1)", '@e13 [row] 2 cells: "run-21" "state 0"']
    assert len(asked) == 7
    boxed = shown_elements(page, Options(interactive=True, rows=range(5, 11)))
    assert [page.roles[line] for line in boxed] == ["row"] * 6
    assert '@c14 [cell] "run-21"' in render(page, Options(interactive=True, find="run-21"))
    assert render(page, Options(interactive=True, max_chars=None)).count("[cell]") == 18
    page.scope = range(3, page.ends[3])
    assert render(page, BARE).count("[cell]") == 2
    mixed = "".join(row(f"run-{7 * n}", "ok", more='    cell\n      link "Log"\n' * (n == 4)) for n in range(9))
    # A row with a control is printed, and no run is long enough.
    assert render(table(HEAD + mixed), BARE).count("[row]") == 9
