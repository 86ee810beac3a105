"""Gbrowse: its own settings, updates and reports."""

from gstack_browse.local import settings
from gstack_browse.local.caller import Caller
from gstack_browse.local.private import home
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import Word


@command(META, examples=["config", "config update_check false", "config local_traces unset"])
def config(caller: Caller, key: settings.Name | None = None, value: settings.Value | None = None) -> str:
    """Print or change what a person has set for all workspaces.

    The settings are in ~/.gstack/config.toml; GSTACK_HOME names another directory.

    key: the setting to show or change; all of them without
    value: what to set; unset goes back to the default
    """
    place = home(caller.environment)
    if key and value:
        settings.change(place, key, value)
        return f"{key} = {settings.read(place).shown(key)}"
    now = settings.read(place)
    if key:
        return now.shown(key)
    return "\n".join(f"{name} = {now.shown(name)}  ({meaning})" for name, meaning in settings.MEANINGS.items())


@command(READ, examples=["preamble qa"])
def preamble(caller: Caller, skill: Word | None = None) -> str:
    """Print what a skill should know when it begins: updates, other sessions, what a person has set. Mostly nothing.

    One fact a line. Never fails, and waits for nothing: a newer version is looked up beside it and said the next time.

    skill: the skill that begins
    """
    from gstack_browse.local.preamble import lines

    return "\n".join(lines(caller.environment, str(caller.place.workspace)))
