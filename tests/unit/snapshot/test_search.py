"""`--find` and `--role`."""

import pytest

from gstack_browse.snapshot.options import Options
from gstack_browse.snapshot.render import render
from tests.unit.snapshot.trees import rows, tree

PAGE = """
heading "Billing" [level=2]
textbox "Street"
checkbox "Same address"
heading "Cards" [level=3]
button "Add card"
heading "Shipping" [level=2]
textbox "Street"
button "Delete"
list
  listitem
    link "Apple"
    text "red"
    button "Delete"
"""


def lines_found(options: Options, page: str = PAGE) -> list[str]:
    return [line.strip().partition(" ")[2] for line in render(tree(page), options).split("\n")]


def test_a_heading_is_found_with_its_section() -> None:
    assert lines_found(Options(find="billing")) == [
        '"Billing" [level=2]'.join(("[heading] ", "")),
        '[textbox] "Street"',
        '[checkbox] "Same address"',
        '[heading] "Cards" [level=3]',
        '[button] "Add card"',
    ]


def test_a_field_is_found_with_the_section_it_is_in() -> None:
    assert lines_found(Options(find="same address"))[0] == '[heading] "Billing" [level=2]'
    assert '[heading] "Shipping" [level=2]' not in lines_found(Options(find="same address"))


def test_an_item_is_found_whole() -> None:
    assert lines_found(Options(find="red")) == [
        "[list]",
        "[listitem]",
        '[link] "Apple"',
        "red",
        '[button] "Delete"',
    ]
    assert lines_found(Options(find="red", interactive=True)) == ['[link] "Apple"', "red", '[button] "Delete"']


def test_a_clickable_without_a_role_is_found_with_its_row() -> None:
    page = 'row\n  cell "Bob"\n  cell\n    clickable "Edit" [onclick]\n    button "Mail"\nclickable "Apart" [onclick]\n  text "here"'
    assert lines_found(Options(find="edit", interactive=True), page) == [
        '[generic] "Edit" [onclick]',
        '[button] "Mail"',
    ]
    assert '[cell] "Bob"' in lines_found(Options(find="edit"), page)
    assert lines_found(Options(find="apart"), page) == ['[generic] "Apart" [onclick]', "here"]


def test_a_ref_is_found_with_its_surroundings() -> None:
    assert "@e10 [listitem]" in render(tree(PAGE), Options(find="@e12"))
    assert render(tree(PAGE), Options(find="@e99")) == '(nothing here contains "@e99")'


def test_search_by_role_lists_elements_of_the_role() -> None:
    assert lines_found(Options(role="heading")) == [
        '[heading] "Billing" [level=2]',
        '[heading] "Cards" [level=3]',
        '[heading] "Shipping" [level=2]',
    ]
    assert lines_found(Options(role="textbox")) == [
        '[textbox] "Street" (Billing)',
        '[textbox] "Street" (Shipping)',
    ]
    assert (
        render(tree('button "Go"\nlink "A"\ntext "b"'), Options(role="slider"))
        == "(no [slider] here; there is: button, link)"
    )


def test_a_role_with_a_text() -> None:
    assert '[button] "Delete"' in lines_found(Options(find="red", role="button"))
    assert "[listitem]" in lines_found(Options(find="apple", role="listitem"))
    assert '[heading] "Billing" [level=2]' not in lines_found(
        Options(find="street", role="checkbox", interactive=True)
    )
    assert render(tree(PAGE), Options(find="red", role="slider")) == '(no [slider] here contains "red")'


@pytest.mark.parametrize("options", [Options(find="Name 7"), Options(find="row"), Options(find="Buy")])
def test_finding_is_linear(options: Options) -> None:
    lines = render(rows(3000), options).split("\n")
    assert len(lines) == len(set(lines))


def test_search_in_a_long_list_prints_lines_near_the_match() -> None:
    page = 'region "Log"\n' + "\n".join(f"  paragraph: Entry {n}." for n in range(500))
    text = render(tree(page), Options(find="entry 250."))
    assert "Entry 245." in text
    assert "Entry 255." in text
    assert len(text.split("\n")) < 25
