"""Gbrowse: its own settings, updates and reports.

Here: `config`, for the settings of a person (`settings`) and those of daemon and browser (`checks.browser_settings`).
"""

from typing import Annotated, get_args

from gstack_browse.agent.local import settings
from gstack_browse.agent.local.caller import Caller
from gstack_browse.agent.local.checks import browser_settings
from gstack_browse.agent.local.checks.browser_settings import SettingSources, change_setting
from gstack_browse.errors import UsageError
from gstack_browse.registry import META, command
from gstack_browse.registry.suggest import nearest
from gstack_browse.registry.values.argument_type import ArgumentType
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.workspace.private_files import PrivateDirectory, open_home


def _parse_setting_name(word: str, paths: CallerPaths) -> str:
    """Return `word` if it names a setting. Raises UsageError otherwise, with the nearest name."""
    names = (*settings.MEANINGS, *browser_settings.MEANINGS)
    if word not in names:
        near = nearest(word, names)
        raise UsageError(
            f'"{word[:60]}" is not one of the settings',
            f"Did you mean {near}?" if near else "See all of them: gbrowse config",
        )
    return word


SettingName = Annotated[
    str, ArgumentType("setting", "the name of a setting; without any all are listed", _parse_setting_name)
]
SettingValue = Annotated[
    str, ArgumentType("value", "its value as in a variable; 'unset' for the default", lambda word, _: word)
]


@command(META, examples=["config", "config max_tabs 20", "config update_check false", "config max_tabs unset"])
def config(caller: Caller, key: SettingName | None = None, value: SettingValue | None = None) -> str:
    """Print every setting with where it comes from, or change what a person has set for all workspaces.

    Settings of the daemon and the browser are called like their variables (BROWSE_MAX_TABS is max_tabs) and hold from the next daemon on.
    The environment comes first, then ~/.config/gbrowse/config.toml, then gbrowse.toml in the workspace, which may hold only what does no harm.
    The first three are in ~/.gstack/config.toml; GSTACK_HOME names another directory.

    """
    place = open_home(caller.environment)
    if key in settings.MEANINGS:
        return _show_or_change_setting(place, key, value)
    sources = SettingSources(caller.environment, str(caller.paths.workspace))
    if key and value is not None:
        path = change_setting(caller.environment, key, value)
        after = SettingSources(caller.environment, str(caller.paths.workspace)).effective(key)
        if after.source not in (path, "default"):
            caller.notes.append(f"{after.source} says {after.word!r}, which comes first")
        return f"{key} = {value}" if value != "unset" else f"{key} is unset"
    if key:
        return sources.effective(key).word
    caller.notes += sources.problems
    now = settings.read_settings(place)
    own = [f"{name} = {now.format_value(name)}  ({meaning})" for name, meaning in settings.MEANINGS.items()]
    return "\n".join([*own, *map(sources.describe, browser_settings.MEANINGS)])


def _show_or_change_setting(place: PrivateDirectory, key: settings.Name, value: str | None) -> str:
    """Return the reply on a person's setting: its value, or `key = value` after setting it to `value`.

    place: the directory ~/.gstack with config.toml

    Raises UsageError unless `value` is None, "true", "false" or "unset".
    """
    if not value:
        return settings.read_settings(place).format_value(key)
    word = next((known for known in get_args(settings.Value) if known == value), None)
    if word is None:
        raise UsageError(f"{key} is true, false or unset, not {value[:40]!r}")
    settings.change_setting(place, key, word)
    return f"{key} = {settings.read_settings(place).format_value(key)}"
