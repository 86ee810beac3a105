"""Gbrowse: its own settings, updates and reports."""

from gstack_browse.local import settings
from gstack_browse.local.caller import Caller
from gstack_browse.local.home import Home, home_path
from gstack_browse.registry import META, command


@command(META, examples=["config", "config update_check false", "config local_traces unset"])
def config(caller: Caller, key: settings.Name | None = None, value: settings.Value | None = None) -> str:
    """Print or change what a person has set for all workspaces.

    The settings are in ~/.gstack/config.toml; GSTACK_HOME names another directory.

    key: the setting to show or change; all of them without
    value: what to set; unset goes back to the default
    """
    home = Home(home_path(caller.environment))
    if key and value:
        settings.change(home, key, value)
        return f"{key} = {settings.read(home).shown(key)}"
    now = settings.read(home)
    if key:
        return now.shown(key)
    return "\n".join(f"{name} = {now.shown(name)}  ({meaning})" for name, meaning in settings.MEANINGS.items())
