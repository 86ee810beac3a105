"""Colour refs and roles of a snapshot for a terminal. Pure.

The client knows whether its terminal shows colours.
"""

import re

_REF = re.compile(r"^(\s*(?:[+-] )?)(@[ec][0-9]+)", re.MULTILINE)
_ROLE = re.compile(r"(\[[a-z][^\[\]\n]{0,60}\])")
_CYAN, _DIM, _PLAIN = "\x1b[36m", "\x1b[2m", "\x1b[0m"


def colour_snapshot(text: str) -> str:
    """Colour the refs of a sanitised snapshot, and dim what is in brackets."""
    return _REF.sub(rf"\1{_CYAN}\2{_PLAIN}", _ROLE.sub(rf"{_DIM}\1{_PLAIN}", text))
