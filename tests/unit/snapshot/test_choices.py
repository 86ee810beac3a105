from gstack_browse.snapshot.diff import render_difference
from gstack_browse.snapshot.render import render
from gstack_browse.snapshot.tree import Options, Tree
from tests.unit.snapshot.trees import tree


def choices(count: int, role: str = "combobox", chosen: int = 5) -> Tree:
    options = "\n".join(f'  option "O{n}"{" [selected]" if n == chosen else ""}' for n in range(count))
    return tree(f'{role} "Country"\n{options}\nbutton "Go"')


def test_options_of_a_closed_list_stand_behind_it() -> None:
    """Print those of an open list, and where one was asked for, on lines of their own."""
    closed = (
        'combobox "Colour": Red\n  option "Red" [selected]\n  group "Cold"\n    option "Blue"\n    option ""\n'
    )
    interactive = Options(interactive=True)
    assert render(tree(closed), interactive) == '@e1 [combobox] "Colour": Red (of 3: Red, Blue, "")'
    assert render(tree(closed), Options(interactive=True, find="Blue")).endswith('@e4 [option] "Blue"')
    assert render(tree(closed), Options()).count("[option]") == 3
    assert render(tree(closed.replace(": Red", " [expanded]: Red", 1)), interactive).count("[option]") == 3
    assert render(tree('combobox "A"\n  listbox\n    option "B"'), interactive).count("[option]") == 1
    assert render(choices(116), interactive).split("\n") == [
        '@e1 [combobox] "Country" (of 116: select takes a label)',
        '@e118 [button] "Go"',
    ]
    red, green = tree(closed), tree(closed.replace("Blue", "Green"))
    assert render_difference(red, green, interactive).split("\n")[1:] == [
        '-@e1 [combobox] "Colour": Red (of 3: Red, Blue, "")',
        '+@e1 [combobox] "Colour": Red (of 3: Red, Green, "")',
    ]


def test_of_a_list_box_the_first_stay_because_they_may_have_to_be_clicked() -> None:
    assert render(choices(8)).count("[option]") == 8
    assert render(choices(20, "listbox")).count("[option]") == 20
    text = render(choices(60, "listbox", chosen=50), Options(interactive=True))
    assert text.split("\n")[1:12] == [
        *(f'  @e{n + 2} [option] "O{n}"' for n in range(10)),
        '  @e52 [option] "O50" [selected]',
    ]
    assert "… 49 more options (select takes a label; snapshot -s @e1 prints them)" in text


def test_groups_without_a_chosen_option_go_too() -> None:
    group = '  group "{}"\n' + "\n".join(f'    option "O{n}"' for n in range(9)) + "\n"
    page = f'combobox "A"\n{group.format("One")}{group.format("Two")}    option "me" [selected]'
    assert render(tree(page)).split("\n") == [
        '@e1 [combobox] "A"',
        '  @e12 [group] "Two"',
        '    @e22 [option] "me" [selected]',
        "  … 18 more options (select takes a label)",
    ]


def test_all_options_are_printed_where_a_part_is_asked_for() -> None:
    page = choices(116)
    assert render(page, Options(max_chars=None)).count("[option]") == 116
    page.scope = range(117)
    assert render(page).count("[option]") == 116
    page.scope = range(3, 4)
    assert render(page) == '@e4 [option] "O2"'
    page.scope = None
    assert render(page, Options(rows=range(20, 23))).count("[option]") == 3
    found = render(page, Options(find="o77"))
    assert '@e79 [option] "O77"' in found
    assert found.count("[option]") == 1


def test_several_lists_and_lists_in_lists() -> None:
    one = "\n".join(f'  option "{n}"' for n in range(10))
    inner = "\n".join(f'    option "{n}"' for n in range(30))
    assert render(tree(f"combobox\n{one}\ncombobox\n{one}")).count("… 10 more options") == 2
    lines = render(tree(f'combobox\n  listbox\n{inner}\n  option "last"')).split("\n")
    assert len(lines) == len(set(lines))
    assert sum("more options" in line for line in lines) == 1


def test_the_options_of_each_row_are_printed_once() -> None:
    def field(chosen: str) -> str:
        return "combobox\n" + "".join(f'  option "{n}"{" [selected]" * (n == chosen)}\n' for n in "abcd")

    text = render(tree(field("a") + field("b") + field("c")), Options())
    more = "  … 3 more options, those of @e1 (select takes a label)"
    second = ["@e6 [combobox]", '  @e8 [option] "b" [selected]', more]
    third = ["@e11 [combobox]", '  @e14 [option] "c" [selected]', more]
    assert text.split("\n")[5:] == second + third
    lines = render(tree(field("a") + field("b")), Options(interactive=True)).split("\n")
    assert lines == ["@e1 [combobox] (of 4: a, b, c, d)", "@e6 [combobox] (of 4, as above)"]
