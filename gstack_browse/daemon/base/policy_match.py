"""Check that the daemon was started with the caller's policy variables and directory of notes."""

import os
from collections.abc import Mapping

from gstack_browse.errors import Refused
from gstack_browse.protocol import HOME_VARIABLE
from gstack_browse.settings import words_of_rules
from gstack_browse.text.sanitise import one_line


def check_policy_matches(
    caller_variables: Mapping[str, str], daemon_values: Mapping[str, tuple[str, ...]]
) -> None:
    """Raise Refused if a policy variable of the caller differs from the daemon's.

    The daemon's policy holds for a caller without variables, too.
    """
    for name, words in words_of_rules(caller_variables).items():
        if words != daemon_values.get(name):
            raise Refused(
                one_line(
                    f"The daemon was started {_describe_variable(name, daemon_values)}, not with {name}={caller_variables[name]}",
                    400,
                ),
                "A daemon reads rules when it starts: run 'gbrowse stop', then the command again",
            )


_USES_HOME = ("secret", "design-")
"""How commands begin that read or write a person's notes in the daemon."""


def check_home_matches(command: str, caller_variables: Mapping[str, str], cwd: str) -> None:
    """Raise Refused if a command would use another notes directory than the caller's GSTACK_HOME."""
    word = caller_variables.get(HOME_VARIABLE, "")
    if not word or not command.startswith(_USES_HOME):
        return
    own = os.environ.get(HOME_VARIABLE) or "~/.gstack"
    caller_home = os.path.realpath(os.path.join(cwd, os.path.expanduser(word)))
    if caller_home != os.path.realpath(os.path.expanduser(own)):
        raise Refused(
            one_line(f"The daemon keeps a person's notes in {own}, not in {HOME_VARIABLE}={word}", 400),
            "A daemon reads it when it starts: run 'gbrowse stop', then the command again",
        )


def _describe_variable(name: str, daemon_values: Mapping[str, tuple[str, ...]]) -> str:
    """Describe whether the daemon was started with a variable, for a refusal."""
    return f"with {name}={','.join(daemon_values[name])}" if name in daemon_values else f"without {name}"
