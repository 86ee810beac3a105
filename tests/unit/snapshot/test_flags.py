import itertools
import re

from gstack_browse.snapshot.diff import render_difference
from gstack_browse.snapshot.render import render, shown_elements
from gstack_browse.snapshot.tree import Options, Tree
from tests.each import each
from tests.unit.snapshot.trees import tree

ROWS = "".join(
    f'    row\n      cell "{n}"\n      cell "Name {n}"\n      cell\n        button "Edit"\n        button "Delete"\n'
    for n in range(20)
)
OPTIONS = "".join(f'      option "O{n}"{" [selected]" if n == 7 else ""}\n' for n in range(25))
PAGE = f"""
banner
  link "Home"
main
  heading "Staff" [level=1]
  table "People"
{ROWS}  heading "Add one" [level=2]
  form
    text "Email:"
    textbox
    text "Country"
    combobox "Country": O7
{OPTIONS}    listbox "Teams"
{OPTIONS}    checkbox
    text "I agree"
    generic "Card"
      link "Home"
contentinfo
  link "Home"
"""
SCOPES = ("", "main", "table", "combobox", "option")
FIRST_REF = re.compile(r" *(@[ec]\d+) ")


def page(scope: str, document: int = 1) -> Tree:
    made = tree(PAGE, document)
    card = made.names.index("Card")
    made.nodes[card] *= -1
    if scope:
        line = made.roles.index(scope)
        made.scope = range(line, made.ends[line])
    return made


def combinations() -> list[Options]:
    flags = itertools.product(
        (False, True), (False, True), (None, 1), (None, 600), (None, range(2, 5), range(500, 501)),
        ("", "delete", "o3", "people", "@e12", "nowhere"), ("", "button", "option", "nothing"),
    )  # fmt: skip
    return [Options(*each) for each in flags]


@each(SCOPES)
def test_no_line_twice_and_every_ref_is_one_of_the_tree(scope: str) -> None:
    made = page(scope)
    inside = {made.ref(line) for line in made.shown_scope}
    for options in combinations():
        printed = render(made, options).split("\n")
        refs = [match[1] for line in printed if (match := FIRST_REF.match(line))]
        assert len(refs) == len(set(refs)), options
        assert inside.issuperset(refs), options
        lines = shown_elements(made, options)
        assert len(lines) == len(set(lines)), options
        if options.max_chars == 600:
            assert sum(map(len, printed)) < 1100, options


def test_a_snapshot_compared_with_itself_has_not_changed() -> None:
    before, later = page("", 1), page("main")
    for options in combinations()[::11]:
        assert render_difference(before, later, options) == "(no changes)"
