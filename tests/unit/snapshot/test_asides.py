"""Test what is printed in parentheses.

It tells equal lines apart, and gives fields without a name their nearest text.
"""

import pytest

from gstack_browse.snapshot.options import Options
from gstack_browse.snapshot.render import render
from tests.unit.snapshot.trees import rows, tree

BARE = Options(interactive=True)


def asides(text: str, options: Options = BARE) -> list[str]:
    """The printed lines without their refs."""
    return [line.strip().partition(" ")[2] for line in render(tree(text), options).split("\n")]


def test_a_row_is_told_by_its_first_text_with_letters() -> None:
    page = """
table
  row
    cell "1"
    cell "Apple"
    cell
      button "Delete"
  row
    cell "2"
    cell "Cherry"
    cell
      button "Delete"
"""
    assert asides(page) == ['[button] "Delete" (Apple)', '[button] "Delete" (Cherry)']
    assert "(Apple)" not in render(tree(page))


def test_an_item_is_told_by_its_own_text() -> None:
    page = 'list\n  listitem: Apple\n    button "Delete"\n  listitem: Cherry\n    button "Delete"'
    assert asides(page) == ['[button] "Delete" (Apple)', '[button] "Delete" (Cherry)']


def test_equal_controls_of_one_row_are_told_by_their_cells() -> None:
    page = """
table
  row
    columnheader
      link "Name"
      button "Menu"
    columnheader
      link "Age"
      button "Menu"
  row
    cell "Ann"
      button "Menu"
    cell "41"
      button "Menu"
"""
    assert asides(page)[1::2][:2] == ['[button] "Menu" (Name)', '[button] "Menu" (Age)']
    assert asides(page)[4:] == ['[button] "Menu" (Ann)', '[button] "Menu" (41)']


def test_the_crosses_of_tags_are_told_by_the_words_before_them() -> None:
    tags = 'button "Back"\ntext "Red"\nbutton "Remove"\ntext "Blue"\nbutton "Remove"\n'
    told = ['[button] "Remove" (after Red)', '[button] "Remove" (after Blue)']
    assert asides(tags + 'button "Open"')[1:3] == told
    assert asides(tags + 'button "Open"\ntext "Words"')[1:3] == told
    assert asides(tags + 'text "Green"')[1:] == ['[button] "Remove"'] * 2, (
        "they could be of the words behind them"
    )


def test_equal_links_of_a_paragraph_are_told_by_their_clauses() -> None:
    def printed_asides(
        *parts: str, role: str = "link", name: str = "here", around: str = "paragraph"
    ) -> list[str]:
        lines = [f'  text "{part}"' if part else f'  {role} "{name}"' for part in parts]
        return [line.partition(f'"{name}"')[2].strip() for line in asides("\n".join([around, *lines]))]

    for role in ("link", "button", "clickable"):
        assert printed_asides("Click", "", "to close it. Click", "", "to wait.", role=role) == [
            "(Click here to close it)",
            "(Click here to wait)",
        ]
    assert printed_asides("Read it", "", "(PDF) or", "", "(HTML).") == [
        '("Read it here (PDF) or")',
        '("(PDF) or here (HTML)")',
    ]
    assert printed_asides("", "for Ann,", "", "for Bob.") == ["(for Ann)", "(for Bob)"]
    assert printed_asides("Ann:", "", ", Bob:", "") == ["(after Ann)", "(after Bob)"]
    assert printed_asides("Ann", "", "Bob", "", "Cy", around="group") == ["", ""], "they could be rows"
    field = 'paragraph\n  text "Street"\n  textbox "Street"\n'
    assert asides(field + 'paragraph\n  text "Home Street"\n  textbox "Street"') == [
        '[textbox] "Street"',
        '[textbox] "Street" (Home)',
    ]


def test_a_text_before_is_said_without_the_signs_that_it_begins_with() -> None:
    page = 'text "HTML is"\nbutton "here"\ntext ". PDF is"\nbutton "here"'
    assert asides(page) == ['[button] "here" (after HTML is)', '[button] "here" (after PDF is)']


def test_the_header_of_a_row_comes_before_its_cells() -> None:
    row = '  row\n    cell "{}"\n    rowheader "{}"\n    cell\n      link "Edit"\n'
    page = "table\n" + row.format("Monday", "North") + row.format("Tuesday", "South")
    assert asides(page) == ['[link] "Edit" (North)', '[link] "Edit" (South)']


def test_words_say_more_of_an_item_than_the_name_of_a_picture() -> None:
    item = '  listitem\n    img "{}"\n    text "{}"\n    button "Add"\n'
    assert asides("list\n" + item.format("green", "Apple") + item.format("red", "Cherry")) == [
        '[button] "Add" (Apple)',
        '[button] "Add" (Cherry)',
    ]
    assert asides("list\n" + item.format("vegan", "12") + item.format("meat", "15")) == [
        '[button] "Add" (vegan)',
        '[button] "Add" (meat)',
    ]
    loose = 'text "{}"\nimg "{}"\nbutton "Less"\nbutton "More"\n'
    assert asides(loose.format("Soup", "vegan") + loose.format("Bread", "vegan"))[1::2] == [
        '[button] "More" (after Soup)',
        '[button] "More" (after Bread)',
    ]


def test_text_common_to_all_rows_is_not_used_to_tell_them_apart() -> None:
    row = '  row\n    cell "open"\n    cell\n      link "{}"\n    cell\n      button "Sell"\n'
    assert asides("table\n" + row.format("Ann") + row.format("Bob"))[1::2] == [
        '[button] "Sell" (Ann)',
        '[button] "Sell" (Bob)',
    ]


def test_two_texts_where_one_is_not_enough() -> None:
    row = '  row\n    cell "{}"\n    cell "{}"\n    cell\n      button "Edit"\n'
    page = "table\n" + "".join(row.format(*name) for name in (("Ray", "Ann"), ("Ray", "Bob"), ("Lee", "Cy")))
    assert [line.partition('"Edit"')[2] for line in asides(page)] in (
        [" (Ray, Ann)", " (Ray, Bob)", " (Lee)"],
        [" (Ann)", " (Bob)", " (Cy)"],
    )


def test_a_list_of_actions_in_a_row_is_told_by_the_row() -> None:
    row = '  row\n    cell "{}"\n    cell\n      list\n        listitem\n          link "Edit"\n        listitem\n          link "Delete"\n'
    assert asides("table\n" + row.format("Ann") + row.format("Bob")) == [
        '[link] "Edit" (Ann)',
        '[link] "Delete" (Ann)',
        '[link] "Edit" (Bob)',
        '[link] "Delete" (Bob)',
    ]


def test_items_articles_headings_and_named_parts() -> None:
    assert asides(
        'list\n  listitem\n    text "Ann"\n    button "Go"\n  listitem\n    text "Bob"\n    button "Go"'
    ) == [
        '[button] "Go" (Ann)',
        '[button] "Go" (Bob)',
    ]
    assert asides('heading "Mail"\nbutton "Save"\nheading "Post"\nbutton "Save"') == [
        '[button] "Save" (Mail)',
        '[button] "Save" (Post)',
    ]
    assert asides('group "From"\n  textbox "City"\ngroup "To"\n  textbox "City"') == [
        '[textbox] "City" (From)',
        '[textbox] "City" (To)',
    ]
    assert asides('banner\n  link "Home"\ncontentinfo\n  link "Home"') == [
        '[link] "Home" (banner)',
        '[link] "Home" (contentinfo)',
    ]


def test_the_text_above_or_before() -> None:
    part = '  text "{}"\n  paragraph\n    text "Date:"\n    link "Today"\n'
    page = 'group "Dates"\n' + part.format("Last login") + part.format("Joined")
    assert asides(page) == ['[link] "Today" (Last login)', '[link] "Today" (Joined)']
    one = 'text "{}"\nbutton "Edit"\nbutton "Delete"\n'
    assert asides(one.format("Ann") + one.format("Bob"))[1::2] == [
        '[button] "Delete" (after Ann)',
        '[button] "Delete" (after Bob)',
    ]


def test_a_text_that_may_belong_to_what_follows_tells_nothing() -> None:
    assert asides('button "Edit"\ntext "Ann"\nbutton "Edit"\ntext "Bob"') == ['[button] "Edit"'] * 2
    assert asides('text "All"\nbutton "Edit"\ntext "Ann"\nbutton "Edit"\ntext "Bob"') == ['[button] "Edit"'] * 2


def test_a_link_names_its_row_if_it_is_not_in_all_of_them() -> None:
    row = '  row\n    cell\n      link "Open"\n    rowheader\n      link "{}"\n    cell "Berlin {}"\n    cell\n      button "Go"\n'
    assert asides("table\n" + row.format("Ann", 1) + row.format("Bob", 2))[2::3] == [
        '[button] "Go" (Ann)',
        '[button] "Go" (Bob)',
    ]
    users = 'navigation "Path"\n  link "Users"\nnavigation "Menu"\n  list\n    listitem\n      link "Users"'
    assert asides(users) == ['[link] "Users" (Path)', '[link] "Users" (Menu)']


def test_a_higher_heading_and_what_a_button_has_opened() -> None:
    part = 'heading "{}" [level=2]\nheading "Actions" [level=3]\nbutton "Save"\n'
    assert asides(part.format("Ann") + part.format("Bob")) == ['[button] "Save" (Ann)', '[button] "Save" (Bob)']
    part = 'button "{}" [expanded]\nheading "Parameters"\nbutton "id"\n'
    assert asides(part.format("get /{id}") + part.format("put /{id}"))[1::2] == [
        '[button] "id" (get /{id})',
        '[button] "id" (put /{id})',
    ]


def test_of_a_heading_that_is_a_button_the_rest_is_said() -> None:
    part = 'heading "{0} Expand"\n  button "Expand"\n'
    assert asides(part.format("Ann") + part.format("Bob")) == [
        '[button] "Expand" (Ann)',
        '[button] "Expand" (Bob)',
    ]


def test_one_field_of_a_column_is_told_by_its_row() -> None:
    page = 'table\n  row\n    columnheader "Name"\n    columnheader "Value"\n  row\n    cell "status"\n    cell\n      textbox'
    assert asides(page) == ['[textbox] (near "Value") (status)']


def test_the_words_of_controls_are_no_words_of_their_item() -> None:
    item = '  listitem: {0} Edit | Delete\n    link "Edit"\n    link "Delete"\n'
    assert asides("list\n" + item.format("Ann") + item.format("Edith")) == [
        '[link] "Edit" (Ann)',
        '[link] "Delete" (Ann)',
        '[link] "Edit" (Edith)',
        '[link] "Delete" (Edith)',
    ]


def test_a_link_in_a_sentence_is_told_by_the_sentence() -> None:
    assert asides('paragraph: Read the docs.\n  link "docs"\nparagraph: Also the docs.\n  link "docs"') == [
        '[link] "docs" (Read the docs.)',
        '[link] "docs" (Also the docs.)',
    ]
    assert asides('paragraph: Bar: for menus\n  link "Bar"\nparagraph: Bar: for drinks\n  link "Bar"') == [
        '[link] "Bar" (for menus)',
        '[link] "Bar" (for drinks)',
    ]


def test_a_heading_of_another_part_of_the_page_tells_nothing() -> None:
    page = 'article\n  heading "News"\n  link "More"\ncontentinfo\n  link "More"'
    assert asides(page)[1] != '[link] "More" (News)'


def test_equal_lines_without_a_difference_get_no_parentheses() -> None:
    long = "x" * 50
    assert (
        asides(f'text "{long}a"\ngroup\n  button "Go"\ntext "{long}b"\ngroup\n  button "Go"')
        == ['[button] "Go"'] * 2
    )
    assert asides('button "Go"\nbutton "Go"') == ['[button] "Go"', '[button] "Go"']
    assert asides('group "All"\n  button "Go"\n  button "Go"') == ['[button] "Go"', '[button] "Go"']


def test_equal_options_below_different_lines_get_no_parentheses() -> None:
    page = 'combobox "From"\n  option "None"\ncombobox "To"\n  option "None"'
    assert asides(page)[1] == '[option] "None"'


def test_a_context_is_bounded_and_cannot_pass_for_a_state() -> None:
    row = '  row\n    cell "{}"\n    cell\n      button "Go"\n'
    page = tree("table\n" + row.format("x" * 500) + row.format("b"))
    page.names[6] = 'Ann) [disabled] "x'
    first, second = render(page, BARE).split("\n")
    assert len(first) < 70
    assert second == '@e9 [button] "Go" ("Ann) [disabled] \\"x")'


def test_a_context_is_as_long_as_it_takes_to_differ() -> None:
    def printed_asides(*names: str) -> list[str]:
        items = "".join(f'  listitem\n    text "{name}"\n    button "Go"\n' for name in names)
        return [line.partition('"Go" ')[2] for line in asides("list\n" + items)]

    assert printed_asides("A quarter of all that there is", "B quarter of all that there is") == [
        "(A quarter of all that t…)",
        "(B quarter of all that t…)",
    ]
    assert printed_asides("What begins like the other ones A", "What begins like the other ones B") == [
        "(What begins like the other ones A)",
        "(What begins like the other ones B)",
    ]


def test_folded_rows_do_not_make_the_others_longer_than_asked() -> None:
    page = "table\n" + "".join(
        f'  row\n    cell "A name of some length {n}"\n    cell\n      button "Buy"\n' for n in range(1000)
    )
    text = render(tree(page), Options(interactive=True, max_chars=5000))
    assert 4000 < len(text) <= 5100
    assert '"Buy" (A name of some length 0)' in text


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ('text "Email:"\ntextbox', '[textbox] (near "Email:")'),
        ('text "Email:"\ntextbox [required]: a@b.c', '[textbox] (near "Email:") [required]: a@b.c'),
        ('row\n  cell "Email"\n  cell\n    textbox', '[textbox] (near "Email")'),
        ('text "Volume"\ntext "0"\nslider [min=0]: 2', '[slider] (near "Volume") [min=0]: 2'),
        ('paragraph: Your name\ntextbox', '[textbox] (near "Your name")'),
        ('text "before"\ncheckbox\ntext "I agree"', '[checkbox] (near "I agree")'),
        ('heading "todos"\ncheckbox\nclickable "Milk"', '[checkbox] (near "Milk")'),
        ('heading "todos"\nclickable "Milk"\n  checkbox', '[checkbox] (near "Milk")'),
        ('text "All"\ncheckbox\nclickable "Milk"\n  checkbox', '[checkbox] (near "All")'),
        ('clickable "Open all"\ntextbox\nclickable "Close"', '[textbox] (near "Open all")'),
        ('text "Size"\ncombobox\n  option "S"', '[combobox] (near "Size")'),
        ('text "Size"\ncombobox\n  text "S"\n  textbox "Fruit"', '[combobox] (near "Fruit")'),
        ('list\n  listitem: Other item\n  listitem\n    textbox', "[textbox]"),
        ('text "Email"\ntextbox "Email"\ntextbox', "[textbox]"),
        ("textbox", "[textbox]"),
    ],
)  # fmt: skip
def test_the_text_near_a_field_without_a_name(page: str, said: str) -> None:
    assert said in asides(page)


def test_several_fields_after_one_text_and_after_a_list() -> None:
    assert asides('text "Phone:"\ntextbox\ntextbox') == ['[textbox] (near "Phone:")'] * 2
    options = "".join(f'  option "{n}"\n' for n in range(30))
    assert asides(f'text "When"\ncombobox "Day"\n{options}textbox')[-1] == '[textbox] (near "When")'


def test_a_field_in_a_table_is_told_by_its_column_and_its_row() -> None:
    row = '  row\n    cell "{}"\n    cell\n      textbox\n    cell\n      textbox\n'
    head = 'table\n  row\n    columnheader "Name"\n    columnheader "Quantity"\n    columnheader\n      link "Price"\n'
    assert asides(head + row.format("Apple") + row.format("Cherry"))[1:] == [
        '[textbox] (near "Quantity") (Apple)',
        '[textbox] (near "Price") (Apple)',
        '[textbox] (near "Quantity") (Cherry)',
        '[textbox] (near "Price") (Cherry)',
    ]


def test_a_text_that_belongs_to_the_field_before_it() -> None:
    assert asides('form\n  textbox\n  text "Email"\n  textbox\n  text "Phone"\n  button "Go"')[:2] == [
        '[textbox] (near "Email")',
        '[textbox] (near "Phone")',
    ]
    assert asides('main\n  textbox\n  text "5 results"') == ["[textbox]"]


def test_fields_that_are_cells_of_their_row_themselves() -> None:
    page = 'grid\n  row\n    columnheader "A"\n    columnheader "B"\n  row\n    textbox\n    textbox'
    assert [line.partition(" ")[2] for line in asides(page)] == ['(near "A")', '(near "B")']


def test_clickable_cells_without_words_are_told_by_their_column() -> None:
    row = '  row\n    cell "{}"\n    clickable\n    clickable\n'
    page = tree(
        'table\n  row\n    columnheader "Name"\n    columnheader "Paid"\n    columnheader ""\n'
        + row.format("Ann")
        + row.format("Bob")
    )
    for line, role in enumerate(page.roles):
        page.roles[line] = "cell" if role == "generic" else role
    assert [line.partition(" ")[2] for line in render(page, BARE).split("\n")] == [
        '[cell] (near "Paid") (Ann)',
        "[cell] (Ann)",
        '[cell] (near "Paid") (Bob)',
        "[cell] (Bob)",
    ]


def test_hints_tell_controls_without_a_name_apart() -> None:
    item = '  listitem\n    text "{}"\n    button\n    button\n'
    page = tree("list\n" + item.format("Ann") + item.format("Bob"))
    for line, role in enumerate(page.roles):
        if role == "button":
            page.hints[line] = ".edit" if page.roles[line - 1] == "text" else ".trash"
    assert [line.partition(" ")[2] for line in render(page, BARE).split("\n")] == [
        "[button] (.edit) (Ann)",
        "[button] (.trash) (Ann)",
        "[button] (.edit) (Bob)",
        "[button] (.trash) (Bob)",
    ]
    page.hints = {line: f".b{line}" for line in page.hints}
    assert "Ann" not in render(page, BARE)


def test_only_where_the_surroundings_are_not_printed() -> None:
    assert "near" not in render(tree('text "Email:"\ntextbox'))
    assert "(" not in render(rows(3), BARE)


def test_text_in_a_description_is_not_repeated_in_parentheses() -> None:
    page = """
table
  row
    cell "Groups"
    link "Add" [description="Groups"]
  row
    cell "Users"
    link "Add"
"""
    assert asides(page) == ['[link] "Add" [description="Groups"]', '[link] "Add" (Users)']


def test_the_part_of_an_item_that_a_control_is_in_comes_before_the_item() -> None:
    editor = 'listitem\n  group "{}"\n    button "Undo"\n  group "{}"\n    button "Bold"\n'
    page = editor.format("history", "style") + editor.format("past", "letters")
    assert asides(page) == [
        '[button] "Undo" (history)',
        '[button] "Bold" (style)',
        '[button] "Undo" (past)',
        '[button] "Bold" (letters)',
    ]
    same = 'listitem: {}\n  group "Actions"\n    button "Delete"\n'
    assert asides(same.format("Apple") + same.format("Cherry")) == [
        '[button] "Delete" (Apple)',
        '[button] "Delete" (Cherry)',
    ]


def test_the_days_of_a_month_say_nothing_of_each_other() -> None:
    week = "  row\n    {}\n"
    days = ["1", "2"], ["30", "1"]
    page = "grid\n" + "".join(
        week.format("\n    ".join(f'clickable "{day}"' for day in week_)) for week_ in days
    )
    assert asides(page) == [f'[generic] "{day}"' for day in ("1", "2", "30", "1")]


def test_chips_that_another_group_has_too_say_nothing_of_each_other() -> None:
    group = 'listitem\n  clickable "red"\n  clickable "blue"\n'
    assert asides(group * 2) == ['[generic] "red"', '[generic] "blue"'] * 2


def test_clickable_is_told_apart_by_another_clickable_of_its_row() -> None:
    page = 'row\n  clickable "Ann"\n  clickable "Edit"\nrow\n  clickable "Bob"\n  clickable "Edit"'
    assert asides(page)[1::2] == ['[generic] "Edit" (Ann)', '[generic] "Edit" (Bob)']


def test_a_field_is_near_the_name_of_its_own_cell_before_what_the_cell_before_says() -> None:
    page = 'row\n  gridcell "1/3 date"\n    textbox\n  gridcell "true ok"\n    checkbox'
    assert asides(page) == ['[textbox] (near "1/3 date")', '[checkbox] (near "true ok")']


def test_a_list_that_holds_but_a_field_is_no_border() -> None:
    tags = 'text "Tags"\nlist\n  listitem\n    textbox'
    assert asides(tags) == ['[textbox] (near "Tags")']
    assert asides('text "Tags"\nlist\n  listitem: red\n  listitem\n    textbox') == ["[textbox]"]


def test_of_things_that_are_pressed_as_one_the_innermost_is_listed() -> None:
    twins = 'treeitem "Root"\n  clickable "Root" [cursor:pointer]\n    clickable "Root" [listener]'
    assert asides(twins) == ['[treeitem] "Root"', '[generic] "Root" [listener]']
    others = (
        'clickable "A" [tabindex]\n  clickable "A" [listener]',
        'clickable "A b" [listener]\n  clickable "A" [listener]\n  text "b"',
        'clickable "A" [listener]\n  clickable "A" [listener]\n  button "x"',
        "clickable [listener]\n  clickable [listener]",
    )
    assert [len(asides(other)) - other.count("button") for other in others] == [2, 2, 2, 2]


def test_links_in_paragraphs_are_told_by_the_heading_above_and_not_by_their_sentences() -> None:
    part = 'heading "{}" [level=2]\nparagraph: {} See docs.\n  link "docs"\n'
    page = part.format("Installing", "How it is installed.") + part.format("Running", "How it is run.")
    assert asides(page) == ['[link] "docs" (Installing)', '[link] "docs" (Running)']


def test_a_control_is_told_by_the_others_of_its_row_where_nothing_else_differs() -> None:
    """Tell apart by the name that no other has, or by what is filled in.

    A field is not told by what is filled in beside it.
    """
    row = '  listitem\n    textbox "Key": {}\n    textbox "Value": {}\n    button "Remove"\n'
    assert asides("list\n" + row.format("team", "a") + row.format("env", "b")) == [
        '[textbox] "Key": team',
        '[textbox] "Value": a',
        '[button] "Remove" (team)',
        '[textbox] "Key": env',
        '[textbox] "Value": b',
        '[button] "Remove" (env)',
    ]
    row = '  listitem\n    button "▸"\n    button "{}"\n    button "Run"\n'
    assert asides("list\n" + row.format("daily") + row.format("raw"))[::3] == [
        '[button] "▸" (daily)',
        '[button] "▸" (raw)',
    ]
    row = '  listitem\n    textbox: {}\n    button "Remove"\n    button "Copy"\n'
    assert (
        asides("list\n" + row.format("[redacted]") + row.format("[redacted]"))[1::3]
        == ['[button] "Remove"'] * 2
    )
    chips = '  listitem\n    clickable "red"\n    button "Remove {}"\n'
    assert asides("list\n" + chips.format("1") + chips.format("2"))[::2] == ['[generic] "red"'] * 2
    titled = 'heading "{}"\nlistitem\n  button "{}"\n  button "Menu"\n'
    assert asides(titled.format("Fruit", "Add") + titled.format("Roots", "Take"))[1::2] == [
        '[button] "Menu" (Fruit)',
        '[button] "Menu" (Roots)',
    ]


def test_equal_parts_are_told_by_the_parts_that_they_are_in() -> None:
    part = 'region "{}"\n  iframe\n    button "Close"\n'
    assert asides(part.format("Billing") + part.format("Shipping")) == [
        '[button] "Close" (Billing)',
        '[button] "Close" (Shipping)',
    ]
