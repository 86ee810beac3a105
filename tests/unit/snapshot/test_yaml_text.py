import yaml
from hypothesis import given

from gstack_browse.snapshot.structured import render_yaml
from gstack_browse.snapshot.tree import Tree
from gstack_browse.text.sanitise import one_line, sanitise
from tests.unit.hostile import hostile_text, tried
from tests.unit.snapshot.trees import tree

SHOP = """
heading "Shop" [level=1]
navigation "Main"
  link "Terms: short": /terms
generic
  paragraph: 30
textbox "Name" [required, description="a, b"]: Ada
list
  listitem
    text "yes"
clickable "Go" [cursor:pointer, onclick, focused]
"""

PRINTED = """\
- heading "Shop" [level=1]
- navigation "Main":
  - 'link "Terms: short"':
    - /url: /terms
- paragraph: "30"
- textbox "Name" [required] [description="a, b"]: Ada
- list:
  - listitem:
    - text: "yes"
- generic "Go" [focused]"""


def test_tree_is_printed_as_yaml_without_refs() -> None:
    assert render_yaml(tree(SHOP)) == PRINTED
    assert render_yaml(Tree([], [], [], [])) == ""


def test_long_name_stands_below_its_key_whole() -> None:
    made = tree('cell "x"')
    made.names = ["word " * 500]
    assert yaml.safe_load(render_yaml(made)) == [{"cell": "word " * 500}]


clean = hostile_text.map(lambda text: one_line(text, 3000))
"""As the engine tells names and values: on one line."""


@tried
@given(name=clean, value=clean, text=clean)
def test_whatever_a_page_says_is_read_back_from_the_lines_of_its_elements(
    name: str, value: str, text: str
) -> None:
    made = tree("list\n  textbox\n  text\n  link\n  button")
    made.names[1] = made.names[3] = made.names[4] = name
    made.names[2] = text
    made.values = {1: value, 3: value} if value else {}
    printed = render_yaml(made)
    assert sanitise(printed) == printed
    [whole] = yaml.safe_load(printed)
    field, words, link, button = whole["list"]
    assert words == {"text": text}
    for line, role in ((field, "textbox"), (link, "link"), (button, "button")):
        [(key, told)] = line.items() if isinstance(line, dict) else [(line, None)]
        assert key.split(" ")[0] == role
        said = [told] if isinstance(told, str) else [word for part in told or [] for word in part.values()]
        is_named = f'"{name.replace(chr(92), chr(92) * 2).replace(chr(34), chr(92) + chr(34))}"' in key
        assert is_named or name in ("", *said)
        assert role == "button" or value in ("", *said)
