"""Which command a request's line is about, told from its bytes: what reads JSON is imported later."""

from gstack_browse.command_names import CHAINS, DECLARED_IN

MOST_LOOKED_AT = 1000
"""Bytes of a chain in which its first step is looked for."""
_ESCAPES = ((rb"\n", b" "), (rb"\r", b" "), (rb"\t", b" "), (rb"\"", b'"'))


def name_of(line: bytes) -> str:
    """The command's name in a line of `protocol.encode_request`; "" for what was written otherwise."""
    before, found, rest = line.partition(b'{"cmd":"')
    return rest.partition(b'"')[0].decode("ascii", "replace") if found and not before else ""


def first_name_of(line: bytes) -> str:
    """The same of the first command that runs: for a chain that of its first step, in a list or in a line of its own."""
    name = name_of(line)
    if name not in CHAINS:
        return name
    _, found, steps = line.partition(b'"args":["')
    if not found:
        _, _, steps = line.partition(b'"stdin":"')
    steps = steps[:MOST_LOOKED_AT]
    for escape, meant in _ESCAPES:
        steps = steps.replace(escape, meant)
    word = steps.lstrip(b' ["').partition(b" ")[0].partition(b'"')[0].decode("ascii", "replace")
    return word if word in DECLARED_IN else name
