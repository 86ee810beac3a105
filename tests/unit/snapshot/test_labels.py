"""Test what is printed in parentheses.

It tells equal lines apart, and gives fields without a name their nearest text.
"""

import re
from pathlib import Path

from gstack_browse.snapshot.disambiguation.candidates import DISAMBIGUATORS
from gstack_browse.snapshot.render import render
from gstack_browse.snapshot.tree import Options, Tree
from tests.each import each_row
from tests.unit.snapshot.trees import rows, tree

BARE = Options(interactive=True)
_LINE = re.compile(r' *@\w+ \[\w+\](?: "((?:\\.|[^"\\])*)")?(?: \((.*?)\))?(?: \[.*)?(?:: .*)?')


def asides(page: str | Tree) -> list[str]:
    """The printed lines without their refs."""
    made = tree(page) if isinstance(page, str) else page
    return [line.strip().partition(" ")[2] for line in render(made, BARE).split("\n")]


def told(page: str | Tree, names: str) -> list[str]:
    """What stands in parentheses behind the lines of these names; nothing behind one that has none."""
    made = tree(page) if isinstance(page, str) else page
    matches = [_LINE.fullmatch(line) for line in render(made, BARE).split("\n")]
    assert all(matches)
    return [match[2] or "" for match in matches if match and match[1] in names.split("|")]


def repeated(part: str, *fillings: str | tuple[str, ...]) -> str:
    return "".join(part.format(*([one] if isinstance(one, str) else one)) for one in fillings)


TAGS = 'button "Back"\ntext "Red"\nbutton "Remove"\ntext "Blue"\nbutton "Remove"\n'
HEAD_MENU, MENU = (
    '    columnheader\n      link "{}"\n      button "Menu"\n',
    '    cell "{}"\n      button "Menu"\n',
)
ROW_GO = '  row\n    cell "{}"\n    cell\n      button "Go"\n'
LINKED_ROW = (
    '  row\n    cell\n      link "Open"\n    rowheader\n      link "{}"\n'
    '    cell "Berlin {}"\n    cell\n      button "Go"\n'
)
SUMS = 'table\n  row\n    cell "Groups"\n    link "Add" [description="Groups"]\n  row\n    cell "Users"\n    link "Add"'


@each_row(
    ("a row by its first text with letters",
             "table\n" + repeated('  row\n    cell "{}"\n    cell "{}"\n    cell\n      button "Delete"\n',
             ("1", "Apple"), ("2", "Cherry")), "Delete", ["Apple", "Cherry"]),
    ("an item by its own text",
     "list\n" + repeated('  listitem: {}\n    button "Delete"\n', "Apple", "Cherry"), "Delete",
     ["Apple", "Cherry"]),
    ("controls of one row by their cells",
     "table\n  row\n" + repeated(HEAD_MENU, "Name", "Age") + "  row\n" + repeated(MENU, "Ann", "41"),
     "Menu", ["Name", "Age", "Ann", "41"]),
    ("crosses of tags by the words before", TAGS + 'button "Open"', "Remove", ["after Red", "after Blue"]),
    ("… which could be of the words behind them", TAGS + 'text "Green"', "Remove", ["", ""]),
    ("a text before without the signs that it begins with",
     'text "HTML is"\nbutton "here"\ntext ". PDF is"\nbutton "here"', "here",
     ["after HTML is", "after PDF is"]),
    ("the header of a row before its cells",
     "table\n" + repeated('  row\n    cell "{}"\n    rowheader "{}"\n    cell\n      link "Edit"\n',
     ("Monday", "North"), ("Tuesday", "South")), "Edit", ["North", "South"]),
    ("words before the name of a picture",
     "list\n" + repeated('  listitem\n    img "{}"\n    text "{}"\n    button "Add"\n', ("green", "Apple"),
     ("red", "Cherry")), "Add", ["Apple", "Cherry"]),
    ("the name of a picture before a number",
     "list\n" + repeated('  listitem\n    img "{}"\n    text "{}"\n    button "Add"\n', ("vegan", "12"),
     ("meat", "15")), "Add", ["vegan", "meat"]),
    ("what is not common to all rows",
     "table\n" + repeated('  row\n    cell "open"\n    cell\n      link "{}"\n    cell\n      button "Sell"\n',
     "Ann", "Bob"), "Sell", ["Ann", "Bob"]),
    ("headings", repeated('heading "{}"\nbutton "Save"\n', "Mail", "Post"), "Save", ["Mail", "Post"]),
    ("parts without a name", repeated('{}\n  link "Home"\n', "banner", "contentinfo"), "Home", ["banner", "contentinfo"]),
    ("the text above",
     'group "Dates"\n' + repeated('  text "{}"\n  paragraph\n    text "Date:"\n    link "Today"\n',
     "Last login", "Joined"), "Today", ["Last login", "Joined"]),
    ("the text before", repeated('text "{}"\nbutton "Edit"\nbutton "Delete"\n', "Ann", "Bob"), "Delete", ["after Ann", "after Bob"]),
    ("no text that may belong to what follows, with one above", 'text "All"\n' + repeated('button "Edit"\ntext "{}"\n', "Ann", "Bob"), "Edit", ["", ""]),
    ("a link if it is not in all rows", "table\n" + repeated(LINKED_ROW, ("Ann", "1"), ("Bob", "2")), "Go", ["Ann", "Bob"]),
    ("a higher heading", repeated('heading "{}" [level=2]\nheading "Actions" [level=3]\nbutton "Save"\n',
     "Ann", "Bob"), "Save", ["Ann", "Bob"]),
    ("what a button has opened",
     repeated('button "{}" [expanded]\nheading "Parameters"\nbutton "id"\n', "get /{id}", "put /{id}"),
     "id", ["get /{id}", "put /{id}"]),
    ("the rest of a heading that is a button",
     repeated('heading "{0} Expand"\n  button "Expand"\n', "Ann", "Bob"), "Expand", ["Ann", "Bob"]),
    ("an item without the words of its controls",
     "list\n" + repeated('  listitem: {0} Edit | Delete\n    link "Edit"\n    link "Delete"\n', "Ann",
     "Edith"), "Edit|Delete", ["Ann", "Ann", "Edith", "Edith"]),
    ("a link by its sentence",
     'paragraph: Read the docs.\n  link "docs"\nparagraph: Also the docs.\n  link "docs"', "docs",
     ["Read the docs.", "Also the docs."]),
    ("a sentence without the link before it",
     repeated('paragraph: Bar: for {}\n  link "Bar"\n', "menus", "drinks"), "Bar",
     ["for menus", "for drinks"]),
    ("a heading before the sentence",
     repeated('heading "{}" [level=2]\nparagraph: How it is {}. See docs.\n  link "docs"\n',
     ("Installing", "installed"), ("Running", "run")), "docs", ["Installing", "Running"]),
    ("nothing behind the length that is printed", repeated('text "' + "x" * 50 + '{}"\ngroup\n  button "Go"\n', "a", "b"), "Go", ["", ""]),
    ("nothing in one group", 'group "All"\n  button "Go"\n  button "Go"', "Go", ["", ""]),
    ("options below different lines by nothing", 'listbox "From"\n  option "None"\nlistbox "To"\n  option "None"', "None", ["", ""]),
    ("no text of its description", SUMS, "Add", ["", "Users"]),
    ("its part of an item before the item",
     repeated('listitem\n  group "{}"\n    button "Undo"\n  group "{}"\n    button "Bold"\n',
     ("history", "style"), ("past", "letters")), "Undo|Bold", ["history", "style", "past", "letters"]),
    ("the item where its parts are called the same",
     repeated('listitem: {}\n  group "Actions"\n    button "Delete"\n', "Apple", "Cherry"), "Delete",
     ["Apple", "Cherry"]),
    ("days of a month by nothing of each other",
     "grid\n" + repeated('  row\n    clickable "{}"\n    clickable "{}"\n', ("1", "2"), ("30", "1")),
     "1|2|30", ["", "", "", ""]),
    ("chips that another group has too by nothing", 'listitem\n  clickable "red"\n  clickable "blue"\n' * 2, "red|blue", ["", "", "", ""]),
    ("another clickable of its row", repeated('row\n  clickable "{}"\n  clickable "Edit"\n', "Ann", "Bob"), "Edit", ["Ann", "Bob"]),
    ("what is filled in beside it",
     "list\n" + repeated('  listitem\n    textbox "Key": {}\n    textbox "Value": {}\n    button "Remove"\n',
     ("team", "a"), ("env", "b")), "Key|Value|Remove", ["", "", "team", "", "", "env"]),
    ("the control of its row that no other row has",
     "list\n" + repeated('  listitem\n    button "▸"\n    button "{}"\n    button "Run"\n', "daily",
     "raw"), "▸", ["daily", "raw"]),
    ("no secret that is filled in",
     "list\n" + '  listitem\n    textbox: [redacted]\n    button "Remove"\n    button "Copy"\n' * 2,
     "Remove", ["", ""]),
    ("no button that names the chip's number",
     "list\n" + repeated('  listitem\n    clickable "red"\n    button "Remove {}"\n', "1", "2"), "red",
     ["", ""]),
    ("a heading before another control",
     repeated('heading "{}"\nlistitem\n  button "{}"\n  button "Menu"\n', ("Fruit", "Add"),
     ("Roots", "Take")), "Menu", ["Fruit", "Roots"]),
    ("parts by the parts that they are in",
     repeated('region "{}"\n  iframe\n    button "Close"\n', "Billing", "Shipping"), "Close",
     ["Billing", "Shipping"]),
)  # fmt: skip
def test_equal_lines_are_told_apart_by_what_is_around_them(
    what: str, page: str, names: str, expected: list[str]
) -> None:
    assert told(page, names) == expected


def test_equal_links_of_a_paragraph_are_told_by_their_clauses() -> None:
    def clauses(*parts: str, role: str = "link", around: str = "paragraph") -> list[str]:
        lines = [f'  text "{part}"' if part else f'  {role} "here"' for part in parts]
        return told("\n".join([around, *lines]), "here")

    for role in ("link", "button", "clickable"):
        told_apart = ["Click here to close it", "Click here to wait"]
        assert clauses("Click", "", "to close it. Click", "", "to wait.", role=role) == told_apart
    pdf = ['"Read it here (PDF) or"', '"(PDF) or here (HTML)"']
    assert clauses("Read it", "", "(PDF) or", "", "(HTML).") == pdf
    assert clauses("", "for Ann,", "", "for Bob.") == ["for Ann", "for Bob"]
    assert clauses("Ann:", "", ", Bob:", "") == ["after Ann", "after Bob"]
    assert clauses("Ann", "", "Bob", "", "Cy", around="group") == ["", ""], "they could be rows"
    field = 'paragraph\n  text "{}Street"\n  textbox "Street"\n'
    assert told(repeated(field, "", "Home "), "Street") == ["", "Home"]


def test_two_texts_tell_where_one_is_not_enough_and_a_heading_of_another_part_nothing() -> None:
    row = '  row\n    cell "{}"\n    cell "{}"\n    cell\n      button "Edit"\n'
    page = "table\n" + repeated(row, ("Ray", "Ann"), ("Ray", "Bob"), ("Lee", "Cy"))
    assert told(page, "Edit") in (["Ray, Ann", "Ray, Bob", "Lee"], ["Ann", "Bob", "Cy"])
    page = 'article\n  heading "News"\n  link "More"\ncontentinfo\n  link "More"'
    assert told(page, "More")[1] != "News"


def test_a_context_is_bounded_as_long_as_it_takes_to_differ_and_cannot_pass_for_a_state() -> None:
    page = tree("table\n" + repeated(ROW_GO, "x" * 500, "b"))
    page.names[6] = 'Ann) [disabled] "x'
    first, second = render(page, BARE).split("\n")
    assert len(first) < 70
    assert second == '@e9 [button] "Go" ("Ann) [disabled] \\"x")'
    item = 'listitem\n  text "{}"\n  button "Go"\n'
    page = repeated(item, "A quarter of all that there is", "B quarter of all that there is")
    assert told(page, "Go") == ["A quarter of all that t…", "B quarter of all that t…"]
    names = "What begins like the other ones A", "What begins like the other ones B"
    assert told(repeated(item, *names), "Go") == [*names]


OPTIONS = "".join(f'  option "{n}"\n' for n in range(30))


@each_row(
        ('text "Email:"\ntextbox [required]: a@b.c', ['[textbox] (near "Email:") [required]: a@b.c']),
        ('row\n  cell "Email"\n  cell\n    textbox', ['[textbox] (near "Email")']),
        ('text "Volume"\ntext "0"\nslider [min=0]: 2', ['[slider] (near "Volume") [min=0]: 2']),
        ('text "before"\ncheckbox\ntext "I agree"', ['[checkbox] (near "I agree")']),
        ('heading "todos"\ncheckbox\nclickable "Milk"', ['[checkbox] (near "Milk")']),
        ('heading "todos"\nclickable "Milk"\n  checkbox', ['[checkbox] (near "Milk")']),
        ('text "All"\ncheckbox\nclickable "Milk"\n  checkbox', ['[checkbox] (near "All")']),
        ('text "Size"\ncombobox\n  option "S"', ['[combobox] (near "Size") (of 1: S)']),
        ('text "Size"\ncombobox\n  text "S"\n  textbox "Fruit"', ['[combobox] (near "Fruit")']),
        ('text "Tags"\nlist\n  listitem\n    textbox', ['[textbox] (near "Tags")']),
        ('text "Email"\ntextbox "Email"\ntextbox', ["[textbox]"]),
        ('main\n  textbox\n  text "5 results"', ["[textbox]"]),
        ('text "Phone:"\ntextbox\ntextbox', ['[textbox] (near "Phone:")'] * 2),
        (f'text "When"\ncombobox "Day"\n{OPTIONS}textbox', ['[textbox] (near "When")']),
        ('form\n  textbox\n  text "Email"\n  textbox\n  text "Phone"\n  button "Go"',
         ['[textbox] (near "Email")', '[textbox] (near "Phone")']),
        ('row\n  gridcell "1/3 date"\n    textbox\n  gridcell "true ok"\n    checkbox',
         ['[textbox] (near "1/3 date")', '[checkbox] (near "true ok")']),
)  # fmt: skip
def test_a_field_without_a_name_is_printed_with_the_text_near_it(page: str, expected: list[str]) -> None:
    assert [line for line in asides(page) if line in expected] == expected


def test_a_field_in_a_table_is_told_by_its_column_and_its_row() -> None:
    row = '  row\n    cell "{}"\n    cell\n      textbox\n    cell\n      textbox\n'
    head = 'table\n  row\n    columnheader "Name"\n    columnheader "Quantity"\n    columnheader\n      link "Price"\n'
    assert asides(head + repeated(row, "Apple", "Cherry"))[1:] == [
        f'[textbox] (near "{column}") ({name})'
        for name in ("Apple", "Cherry")
        for column in ("Quantity", "Price")
    ]


def test_hints_tell_controls_without_a_name_apart() -> None:
    page = tree("list\n" + repeated('  listitem\n    text "{}"\n    button\n    button\n', "Ann", "Bob"))
    for line, role in enumerate(page.roles):
        if role == "button":
            page.hints[line] = ".edit" if page.roles[line - 1] == "text" else ".trash"
    expected = [f"[button] ({hint}) ({name})" for name in ("Ann", "Bob") for hint in (".edit", ".trash")]
    assert asides(page) == expected
    page.hints = {line: f".b{line}" for line in page.hints}
    assert "Ann" not in render(page, BARE)


def test_only_where_the_surroundings_are_not_printed() -> None:
    assert "near" not in render(tree('text "Email:"\ntextbox'))
    assert "(" not in render(tree("table\n" + repeated(ROW_GO, "Ann", "Bob")))
    assert "(" not in render(rows(3), BARE)


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


def test_documentation_lists_the_disambiguators_in_their_order() -> None:
    decision = "docs/decisions/0021-text-lines-and-disambiguation.md"
    documented = (Path(__file__).parents[3] / decision).read_text()
    table = documented.partition("| source, in this order | example |\n|---|---|\n")[2].partition("\n\n")[0]
    assert [line.split(" | ")[0].removeprefix("| ") for line in table.split("\n")] == [
        disambiguator.name for disambiguator in DISAMBIGUATORS
    ]
