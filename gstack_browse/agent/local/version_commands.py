"""Gbrowse: its own settings, updates and reports.

Here: `version`, `upgrade`, `update-snooze`, and `preamble`, which tells a skill of updates when it begins.
"""

import gstack_browse
from gstack_browse.agent.local import settings
from gstack_browse.agent.local.caller import Caller
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import Word
from gstack_browse.workspace.private_files import open_home


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
