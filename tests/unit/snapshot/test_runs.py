"""Runs of lines that read the same, or count on."""

from gstack_browse.snapshot.diff import render_difference
from gstack_browse.snapshot.render import render
from gstack_browse.snapshot.runs import join_runs
from gstack_browse.snapshot.view import Options
from tests.each import each
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


@each(
    {
        "the same control in each item": (items(7), items(1) + behind(2, 7)),
        "controls of few items": (items(5), items(5)),
        "controls in different states": (
            items(3) + items(7, states=" [checked]")[6:],
            items(1) + behind(2, 3) + behind(4, 7, " [checked]"),
        ),
        "one control of another name": (
            items(4) + items(5, "Chosen")[8:] + items(8)[10:],
            items(1) + behind(2, 4) + items(5, "Chosen")[8:] + items(6)[10:] + behind(7, 8),
        ),
        "two controls in an item": (
            [
                line
                for pair in (
                    (f'@c{n} [row] "a"', f'  @e{n} [button] "x"', f'  @e9{n} [button] "y"') for n in range(7)
                )
                for line in pair
            ],
            [
                line
                for pair in (
                    (f'@c{n} [row] "a"', f'  @e{n} [button] "x"', f'  @e9{n} [button] "y"') for n in range(7)
                )
                for line in pair
            ],
        ),
        "equal lines": (
            [f"@c{n} [generic] (.white)" for n in range(8, 20)],
            ["@c8–@c19 12× [generic] (.white)"],
        ),
        "counting lines": (
            days(1, 7),
            ['  @e47 [button] "1 May 2027"; 2: @e48, 3: @e49, 4: @e50, 5: @e51, 6: @e52, 7: @e53'],
        ),
        "too few": (days(1, 5), days(1, 5)),
        "removed lines of a comparison": (
            [f"-{line}" for line in days(1, 7)],
            ['-  @e47–@e53 7× [button] "1 May 2027" … "7 May 2027"'],
        ),
        "refs that do not follow each other": (
            days(1, 5) + days(6, 9, ref=80),
            days(1, 5) + days(6, 9, ref=80),
        ),
        "another month": (days(1, 5) + days(6, 9, "June 2027"), days(1, 5) + days(6, 9, "June 2027")),
        "other levels": (
            days(1, 4) + [f"  {line}" for line in days(5, 8)],
            days(1, 4) + [f"  {line}" for line in days(5, 8)],
        ),
        "two numbers that count": (
            [f'@e{n} [link] "{n} of {n}"' for n in range(9)],
            [f'@e{n} [link] "{n} of {n}"' for n in range(9)],
        ),
        "fields": ([f"@e{n} [textbox]" for n in range(9)], [f"@e{n} [textbox]" for n in range(9)]),
        "text": (["[text]: a"] * 9, ["[text]: a"] * 9),
    }.items()
)
def test_lines_are_joined(case: tuple[str, tuple[list[str], list[str]]]) -> None:
    what, (lines, joined) = case
    assert join_runs(lines) == joined, what


def test_only_a_snapshot_of_everything_joins_lines() -> None:
    """Print each line where some were asked for, and where nothing is to be left out."""
    page = tree("\n".join(["grid", *(f'  row\n    button "{day}"' for day in range(1, 9))]))
    joined = '@e3 [button] "1"; 2: @e5'
    assert render(page, Options(interactive=True)).count("\n") == 7, "refs of other lines lie between"
    page = tree("\n".join(["grid", *(f'  button "{day}"' for day in range(1, 9))]))
    assert render(page, Options(interactive=True)).startswith('@e2 [button] "1"; 2: @e3')
    for options in (
        Options(),
        Options(interactive=True, max_chars=None),
        Options(interactive=True, role="button"),
        Options(interactive=True, find="1"),
    ):
        assert joined not in render(page, options)
    page.scope = range(len(page))
    assert render(page, Options(interactive=True)).count("\n") == 7


def test_a_comparison_joins_what_came_and_what_is_gone() -> None:
    months = [
        tree("\n".join(f'button "{day} {month}"' for day in range(1, 29)), document)
        for document, month in ((1, "May"), (1, "June"))
    ]
    months[1].nodes = [node + 100 for node in months[1].nodes]
    told = render_difference(*months, Options(interactive=True)).split("\n")
    assert told[1] == '-@e1–@e28 28× [button] "1 May" … "28 May"'
    assert told[2].startswith('+@e101 [button] "1 June"; 2: @e102, 3: @e103')
    assert len(told) == 3
