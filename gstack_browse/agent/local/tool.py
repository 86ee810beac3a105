"""Gbrowse: its own settings, updates and reports."""

from typing import Annotated, get_args

import gstack_browse
from gstack_browse.agent.local import settings
from gstack_browse.agent.local.caller import Caller
from gstack_browse.agent.local.checks import browser_settings
from gstack_browse.agent.local.checks.browser_settings import SettingSources, change_setting
from gstack_browse.errors import UsageError
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import Rest, Severity, Text, Word
from gstack_browse.registry.suggest import nearest
from gstack_browse.registry.values.argument_type import ArgumentType
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.workspace.private_files import PrivateDirectory, open_home


def _parse_setting_name(word: str, paths: CallerPaths) -> str:
    """Return the name of a setting; raise UsageError, with the nearest name, if it is unknown."""
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
        return _config_of_person(place, key, value)
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


def _config_of_person(place: PrivateDirectory, key: settings.Name, value: str | None) -> str:
    """Return or change one of the settings in ~/.gstack/config.toml."""
    if not value:
        return settings.read_settings(place).format_value(key)
    word = next((known for known in get_args(settings.Value) if known == value), None)
    if word is None:
        raise UsageError(f"{key} is true, false or unset, not {value[:40]!r}")
    settings.change_setting(place, key, word)
    return f"{key} = {settings.read_settings(place).format_value(key)}"


@command(READ, examples=["version", "version --json"])
def version(caller: Caller, *, json: bool = False) -> str:
    """Print the version of gbrowse and of its Python, and where it is installed.

    What may change between versions, and how that is announced, is in docs/compatibility.md.

    json: an object with version, python, executable and package
    """
    import sys

    from gstack_browse import __version__

    facts = {
        "version": __version__,
        "python": sys.version.split()[0],
        "executable": sys.executable,
        "package": gstack_browse.__path__[0],
    }
    if json:
        from json import dumps

        return dumps(facts)
    return "gbrowse {version}, Python {python} ({executable}), in {package}".format_map(facts)


@command(READ, examples=["preamble qa"])
def preamble(caller: Caller, skill: Word | None = None) -> str:
    """Print what a skill should know when it begins: updates, other sessions, a person's settings.

    Mostly it prints nothing. One fact a line. Never fails, and waits for nothing: a newer version is looked up
    beside it and said the next time.

    skill: the skill that begins
    """
    from gstack_browse.agent.local.preamble import preamble_lines

    return "\n".join(preamble_lines(caller.environment, str(caller.paths.workspace)))


@command(META, examples=["upgrade --dry-run", "upgrade"], timeout=600)
def upgrade(caller: Caller, *, dry_run: bool = False) -> str:
    """Bring gbrowse up to date by the way it was installed: pipx, uv, pip, or git in a checkout.

    The skills that are installed in the project and in the home directory are brought up to date with it.

    dry_run: only say what would be run
    """
    from gstack_browse.agent.local import upgrading

    return upgrading.run_upgrade(caller, dry_run=dry_run)


@command(META, examples=["update-snooze"])
def update_snooze(caller: Caller) -> str:
    """Say nothing of the newer version for 24 hours, the second time 48 hours, then 7 days.

    A newer one ends it.
    """
    import time

    from gstack_browse import __version__
    from gstack_browse.agent.local import updates
    from gstack_browse.agent.local.preamble import read_text

    place = open_home(caller.environment)
    known = updates.parse_result(read_text(place, updates.CHECKED), 0, __version__)
    if not known.newer:
        return "No newer version is known: nothing to put off"
    if not settings.read_settings(place).local_traces:
        return "Nothing was written: local_traces is false"
    before = updates.parse_snooze(read_text(place, updates.SNOOZED))
    snooze = updates.next_snooze(before, known.newer, time.time())
    place.write(updates.SNOOZED, f"{snooze}\n".encode())
    return f"Put off: {known.newer}, for {snooze.seconds // 3600} hours"


@command(
    META,
    examples=[
        "field-report 'select chose nothing' --tried 'select @e3 Two' --happened 'exit 0, but One stayed' --expected 'Two' --severity 6"
    ],
)
def field_report(
    caller: Caller,
    title: Text,
    *,
    tried: Text = "",
    happened: Text = "",
    expected: Text = "",
    severity: Severity = 5,
) -> str:
    """Write down that gbrowse itself misbehaved, with its version and the last commands.

    The report is kept below ~/.gstack/contributor-logs/. --tried, --happened and --expected are needed. Nothing
    is sent anywhere. At most 3 a session. Of commands only names, options and refs are noted, not what was
    typed.

    title: what went wrong, in a few words
    tried: what was to be done, and how
    happened: what gbrowse did
    expected: what it should have done
    severity: 1 (a blemish) to 10 (nothing goes on)
    """
    from gstack_browse.agent.local.reports import FieldReport, write_field_report

    if not (tried and happened and expected):
        raise UsageError("A report says what was tried, what happened and what was expected")
    return write_field_report(FieldReport(title, tried, happened, expected, severity), caller)


@command(META, examples=["eureka 'A queue is not needed: the kernel has one'"])
def eureka(caller: Caller, text: Rest) -> str:
    """Keep an insight that turned out better than what everybody does, in ~/.gstack/eureka.jsonl.

    text: the insight, and why
    """
    from gstack_browse.agent.local import reports

    return reports.save_insight(text, caller)
