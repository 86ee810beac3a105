"""Clients of the daemon: the command `gbrowse`, and `connect` for Python scripts (`docs/python.md`).

The command's start-up is the user's waiting time, so this file imports nothing until it is asked for.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gstack_browse.client.script import AsyncBrowse as AsyncBrowse
    from gstack_browse.client.script import Browse as Browse
    from gstack_browse.client.script import connect as connect
    from gstack_browse.client.script import connect_async as connect_async

__all__ = ["AsyncBrowse", "Browse", "connect", "connect_async"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(name)
    from gstack_browse.client import script

    return getattr(script, name)
