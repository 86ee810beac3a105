"""Find the command of a request in its bytes, before a JSON parser is imported."""

from gstack_browse.command_names import CHAINS, DECLARED_IN

MOST_LOOKED_AT = 1000
"""Bytes of a chain that are searched for its first step."""
_ESCAPES = ((rb"\n", b" "), (rb"\r", b" "), (rb"\t", b" "), (rb"\"", b'"'))


def command_name(line: bytes) -> str:
    """Return the command's name in a line of `protocol.encode_request`; "" for a line of other form."""
    before, found, rest = line.partition(b'{"cmd":"')
    return rest.partition(b'"')[0].decode("ascii", "replace") if found and not before else ""


def first_command_name(line: bytes) -> str:
    """Return the name of the command that runs first: for a chain, that of its first step.

    Steps are in a list, or one a line on standard input.
    """
    name = command_name(line)
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
