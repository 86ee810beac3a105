"""Check that the daemon enforces the caller's policy variables: it may have been started with others."""

from collections.abc import Mapping

from gstack_browse.errors import Refused
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


def _describe_variable(name: str, daemon_values: Mapping[str, tuple[str, ...]]) -> str:
    return f"with {name}={','.join(daemon_values[name])}" if name in daemon_values else f"without {name}"
