"""Colour for a terminal: the refs and roles of a tree. Pure; whether a terminal takes colour is the client's to know."""

import re

_REF = re.compile(r"^(\s*(?:[+-] )?)(@[ec][0-9]+)", re.MULTILINE)
_ROLE = re.compile(r"(\[[a-z][^\[\]\n]{0,60}\])")
_CYAN, _DIM, _PLAIN = "\x1b[36m", "\x1b[2m", "\x1b[0m"


def tree(text: str) -> str:
    """A snapshot with its refs in a colour of their own, and what stands in brackets paler. For text that is clean already."""
    return _REF.sub(rf"\1{_CYAN}\2{_PLAIN}", _ROLE.sub(rf"{_DIM}\1{_PLAIN}", text))
