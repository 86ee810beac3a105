from gstack_browse.snapshot.diff import render_difference
from gstack_browse.snapshot.fold import join_runs
from gstack_browse.snapshot.render import render
from gstack_browse.snapshot.tree import Options
from tests.each import each_row
from tests.unit.snapshot.trees import tree


def days(first: int, last: int, words: str = "May 2027", ref: int = 46) -> list[str]:
    return [f'  @e{ref + day} [button] "{day} {words}"' for day in range(first, last + 1)]


def items(count: int, name: str = "Choose", states: str = "") -> list[str]:
    pairs = (
        [f'@c{n} [row] "run-{n}" [tabindex]', f'  @e{n} [checkbox] "{name}"{states}']
        for n in range(1, count + 1)
    )
    return [line for pair in pairs for line in pair]


def behind(first: int, last: int, states: str = "") -> list[str]:
    return [f'@c{n} [row] "run-{n}" [tabindex]; @e{n} [checkbox]{states}' for n in range(first, last + 1)]


def menu(first: int, last: int) -> list[str]:
    return [f'@e{n} [link] "Item {"abc"[n % 3 - 1]}{n}" [off screen]' for n in range(first, last + 1)]


MAY_AND_JUNE = days(1, 5) + days(6, 9, "June 2027")
TWO_BUTTONS = '@c{0} [row] "a"|  @e{0} [button] "x"|  @e9{0} [button] "y"'
APART = {
    "controls of few items": items(5),
    "two controls in an item": [line for n in range(7) for line in TWO_BUTTONS.format(n).split("|")],
    "too few": days(1, 5),
    "refs that do not follow each other": days(1, 5) + days(6, 9, ref=80),
    "another month": MAY_AND_JUNE,
    "other levels": days(1, 4) + [f"  {line}" for line in days(5, 8)],
    "two numbers that count": [f'@e{n} [link] "{n} of {n}"' for n in range(9)],
    "fields": [f"@e{n} [textbox]" for n in range(9)],
    "text": ["[text]: a"] * 9,
    "a number behind the name": [f'@e{n} [button] "Button {n}"' for n in range(9)],
    "a short menu out of view": menu(1, 5),
    "names with the words of a state": [f'@e{n} [link] "{chr(97 + n)} [off screen]"' for n in range(9)],
}


@each_row(
    ("the same control in each item", items(7), items(1) + behind(2, 7)),
    ("one control of another name", items(4) + items(5, "Chosen")[8:] + items(8)[10:],
     items(1) + behind(2, 4) + items(5, "Chosen")[8:] + items(6)[10:] + behind(7, 8)),
    ("equal lines", [f"@c{n} [generic] (.white)" for n in range(8, 20)], ["@c8–@c19 12× [generic] (.white)"]),
    ("counting lines", days(1, 7), ['  @e47 [button] "1 May 2027"; 2: @e48, 3: @e49, 4: @e50, 5: @e51, 6: @e52, 7: @e53']),
    ("removed lines", [f"-{line}" for line in days(1, 7)], ['-  @e47–@e53 7× [button] "1 May 2027" … "7 May 2027"']),
    ("a menu out of view", ['@e1 [link] "File"', *menu(2, 70), '@e71 [link] "Help"'],
     ['@e1 [link] "File"', '@e2 [link] "Item b2" [off screen]; 68 more off screen: snapshot -i --find TEXT', '@e71 [link] "Help"']),
    *((what, lines, lines) for what, lines in APART.items()),
)  # fmt: skip
def test_lines_are_joined(what: str, lines: list[str], joined: list[str]) -> None:
    assert join_runs(lines) == joined


def test_only_a_snapshot_of_everything_joins_lines() -> None:
    """Print each line where some were asked for, and where nothing is to be left out."""
    page = tree("\n".join(["grid", *(f'  row\n    button "{day}"' for day in range(1, 9))]))
    joined = '@e3 [button] "1"; 2: @e5'
    assert render(page, Options(interactive=True)).count("\n") == 7, "refs of other lines lie between"
    page = tree("\n".join(["grid", *(f'  button "{day}"' for day in range(1, 9))]))
    assert render(page, Options(interactive=True)).startswith('@e2 [button] "1"; 2: @e3')
    for options in ({}, {"max_chars": None}, {"role": "button"}, {"find": "1"}):
        assert joined not in render(page, Options(interactive=bool(options), **options))
    page.scope = range(len(page))
    assert render(page, Options(interactive=True)).count("\n") == 7


def test_a_comparison_joins_what_came_and_what_is_gone() -> None:
    months = [tree("\n".join(f'button "{day} {name}"' for day in range(1, 29))) for name in ("May", "June")]
    months[1].nodes = [node + 100 for node in months[1].nodes]
    told = render_difference(*months, Options(interactive=True)).split("\n")
    assert told[1] == '-@e1–@e28 28× [button] "1 May" … "28 May"'
    assert told[2].startswith('+@e101 [button] "1 June"; 2: @e102, 3: @e103')
    assert len(told) == 3
