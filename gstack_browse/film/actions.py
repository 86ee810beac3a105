"""Describe the commands of a filmed session for captions.

They are described as steps of a flow, without the secrets that were typed. A description costs a millisecond, so it is made beside commands, when the take is written.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gstack_browse.flows.log import ACTIONS, DoneCommand, FlowLog
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.flows.secrecy import SecretVariables

MOST_CAPTION = 300
"""Characters of a caption."""


class _DoneAction(NamedTuple):
    began: float
    ended: float
    done: DoneCommand
    is_failed: bool


class ActionLog:
    """The commands that acted since they were last described.

    flow: what the session did so far. revealed: returns the secrets that its pages were given.
    """

    def __init__(self, flow: FlowLog, revealed: Callable[[], Sequence[str]]) -> None:
        self._flow = flow
        self._revealed = revealed
        self._waiting: list[_DoneAction] = []
        self._described: list[dict[str, Any]] = []
        self._secrets: SecretVariables | None = None

    def add(self, began: float, ended: float, done: DoneCommand, *, is_failed: bool) -> None:
        """Add a command that has run, unless it only looked. Times are seconds since the film began."""
        if done.command in ACTIONS:
            self._waiting.append(_DoneAction(began, ended, done, is_failed))

    def take_facts(self) -> list[dict[str, Any]]:
        """Return the facts of each command, as a take has them, and forget them."""
        self._describe_waiting()
        facts, self._described = self._described, []
        return facts

    def hide_secrets(self, text: str) -> str:
        """Return a text without the secrets that were typed so far, and without what looks like one."""
        self._describe_waiting()
        return redact(self._known_secrets().scrub(text))

    def _describe_waiting(self) -> None:
        """Describe the commands that are not described yet, which also finds their secrets."""
        waiting, self._waiting = self._waiting, []
        self._described += [
            {
                "began": round(action.began, 3),
                "at": round(action.ended, 3),
                "caption": self._caption(action.done),
                "failed": action.is_failed,
                "moved": action.done.url_after != action.done.url,
            }
            for action in waiting
        ]

    def _caption(self, done: DoneCommand) -> str:
        """Return a command's caption without secrets, with its element's name if it has only a ref."""
        from gstack_browse.flows import identity, saving

        secrets = self._known_secrets()
        line = saving.describe(done, secrets) or done.command
        named = [each.description for each in done.targets if each.target.startswith("@") and each.description]
        if len(named) == 1 and (found := identity.from_engine(named[0])).name not in line:
            line = f"{line} ({found.label})"
        return one_line(redact(secrets.scrub(line)), MOST_CAPTION)

    def _known_secrets(self) -> "SecretVariables":
        """Return the secrets to hide in captions: those of the flow, and values that became known since."""
        if self._secrets is None:
            from gstack_browse.flows import saving  # only while something is filmed

            self._secrets = saving.known_secrets_of(self._flow, ())
        for value in self._revealed():
            self._secrets.assign_variable(value, "secret")
        return self._secrets
