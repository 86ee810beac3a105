"""What the caller's environment forbids must be forbidden here: the daemon may have been started without, or by somebody with other rules."""

from collections.abc import Mapping

from gstack_browse.errors import Refused
from gstack_browse.settings import words_of_rules
from gstack_browse.text.sanitise import one_line


def require(said: Mapping[str, str], ours: Mapping[str, tuple[str, ...]]) -> None:
    """Raise Refused if a variable that the caller has set was another one, or none, when the daemon was started.

    A caller who says nothing is bound by the daemon's rules all the same.
    """
    for name, words in words_of_rules(said).items():
        if words != ours.get(name):
            raise Refused(
                one_line(f"The daemon was started {_with(name, ours)}, not with {name}={said[name]}", 400),
                "A daemon reads rules when it starts: run 'gbrowse stop', then the command again",
            )


def _with(name: str, ours: Mapping[str, tuple[str, ...]]) -> str:
    return f"with {name}={','.join(ours[name])}" if name in ours else f"without {name}"
