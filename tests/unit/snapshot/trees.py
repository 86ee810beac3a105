"""Trees written as text, for tests of what is printed of them.

tree('''
heading "Title" [level=1]
list
  listitem: One
''')
"""

import re

from gstack_browse.snapshot.tree import Tree

_LINE = re.compile(r'( *)(\w+)(?: "(.*?)")?(?: \[(.*?)\])?(?:: (.*))?')


def tree(text: str, document: int = 1) -> Tree:
    """Make a tree of the lines, numbered from 1 in their order, in the given document.

    `text "words"` has no number, `clickable` a negative one.
    """
    made = Tree([], [], [], [])
    number = 0
    for line in filter(str.strip, text.split("\n")):
        match = _LINE.fullmatch(line)
        assert match, line
        at = len(made)
        if match[2] != "text":
            number += 1
        made.documents.append(document)
        made.depths.append(len(match[1]) // 2)
        made.roles.append("generic" if match[2] == "clickable" else match[2])
        made.nodes.append({"text": 0, "clickable": -number}.get(match[2], number))
        made.names.append(match[3] or "")
        if match[4]:
            made.states[at] = match[4]
        if match[5]:
            made.values[at] = match[5]
    return made


def rows(count: int) -> Tree:
    """A table of that many rows with a name and a button each."""
    body = "\n".join(f'  row\n    cell "Name {n}"\n    cell\n      button "Buy {n}"' for n in range(count))
    return tree(f"table\n{body}")
