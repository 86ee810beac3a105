from gstack_browse.snapshot.render import render
from gstack_browse.snapshot.tree import Options
from tests.each import each_row
from tests.unit.snapshot.trees import tree

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


BILLING = ['[heading] "Billing" [level=2]', '[textbox] "Street"', '[checkbox] "Same address"']
CARDS = ['[heading] "Cards" [level=3]', '[button] "Add card"']
APPLE = ['[link] "Apple"', "red", '[button] "Delete"']
HEADINGS = [BILLING[0], CARDS[0], '[heading] "Shipping" [level=2]']


@each_row(
    (Options(find="billing"), BILLING + CARDS),
    (Options(find="red"), ["[list]", "[listitem]", *APPLE]),
    (Options(find="@e99"), ['contains "@e99")']),
    (Options(role="heading"), HEADINGS),
    (Options(role="textbox"), ['[textbox] "Street" (Billing)', '[textbox] "Street" (Shipping)']),
    (Options(role="link, list"), ["[list]", '[link] "Apple"']),
    (Options(find="red", role="slider"), ['[slider] here contains "red")']),
)
def test_match_is_printed_with_its_section_or_item(options: Options, lines: list[str]) -> None:
    found = lines_found(options)
    assert found == lines or found[0].endswith(lines[0])


def test_a_field_ref_or_clickable_is_found_with_its_surroundings() -> None:
    found = lines_found(Options(find="same address"))
    assert (found[0], HEADINGS[2] in found) == (BILLING[0], False)
    assert "@e10 [listitem]" in render(tree(PAGE), Options(find="@e12"))
    none = render(tree('button "Go"\nlink "A"\ntext "b"'), Options(role="slider"))
    assert none == "(no [slider] here; there is: button, link)"
    assert '[button] "Delete"' in lines_found(Options(find="red", role="button"))
    assert "[listitem]" in lines_found(Options(find="apple", role="listitem"))
    assert BILLING[0] not in lines_found(Options(find="street", role="checkbox", interactive=True))
    page = (
        'row\n  cell "Bob"\n  cell\n    clickable "Edit" [onclick]\n    button "Mail"\n'
        'clickable "Apart" [onclick]\n  text "here"'
    )
    edit = ['[generic] "Edit" [onclick]', '[button] "Mail"']
    assert lines_found(Options(find="edit", interactive=True), page) == edit
    assert '[cell] "Bob"' in lines_found(Options(find="edit"), page)
    assert lines_found(Options(find="apart"), page) == ['[generic] "Apart" [onclick]', "here"]


def test_search_in_a_long_list_prints_lines_near_the_match() -> None:
    page = 'region "Log"\n' + "\n".join(f"  paragraph: Entry {n}." for n in range(500))
    text = render(tree(page), Options(find="entry 250."))
    assert "Entry 245." in text
    assert "Entry 255." in text
    assert len(text.split("\n")) < 25


def test_a_match_that_stands_in_the_page_itself_is_printed_with_a_few_neighbours() -> None:
    """Print a row, an item or what is below a heading whole."""
    page = "main\n" + "\n".join(f'  paragraph: words {n}\n  link "L{n}"' for n in range(20))
    found = lines_found(Options(find="words 10"), page)
    assert (found[0], len(found)) == ("[main]", 18)
    assert "[paragraph]: words 10" in found
    buttons = "".join(f'    button "B{n}"\n' for n in range(20))
    item = f"list\n  listitem: Apple\n{buttons}  listitem: Pear"
    assert len(lines_found(Options(find="Apple"), item)) == 22
