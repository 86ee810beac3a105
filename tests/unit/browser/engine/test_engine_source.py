"""The files of the engine are put together inside one function: a name at the top of one is a name in all of them."""

import re
from collections import Counter
from pathlib import Path

from gstack_browse.browser.engine import world

_DECLARED = re.compile(r"^(?:async )?(?:const|let|var|function\*?|class) +(\w+)", re.MULTILINE)
_IN_A_BLOCK = re.compile(r"^\{$", re.MULTILINE)
"""A file in a block of its own has its names for itself."""


def test_no_name_is_declared_twice() -> None:
    folder = Path(world.__file__).with_name("scripts")
    files = [(folder / name).read_text(encoding="utf-8") for name in world.SCRIPTS]
    names = [name for text in files if not _IN_A_BLOCK.search(text) for name in _DECLARED.findall(text)]
    assert [name for name, count in Counter(names).items() if count > 1] == []
