"""Commands as declared records: argument types, binding of words, usage and help text.

Knows nothing of browsers, sockets or files beyond the path rules of the argument types.
"""

from gstack_browse.registry.binding import BoundCall, bind, find, local_command_error, resolve_call, with_usage
from gstack_browse.registry.command import META, READ, REGISTRY, WRITE, Command, Kind, Registry, Requires
from gstack_browse.registry.declaration import command

__all__ = [
    "META",
    "READ",
    "REGISTRY",
    "WRITE",
    "BoundCall",
    "Command",
    "Kind",
    "Registry",
    "Requires",
    "bind",
    "command",
    "find",
    "local_command_error",
    "resolve_call",
    "with_usage",
]
