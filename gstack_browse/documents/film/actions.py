"""Caption the commands of a filmed session.

They are described as steps of a flow, without the secrets that were typed. A description costs a millisecond, so it
is made beside commands, when the take is written.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gstack_browse.flows.log import ACTIONS, DoneCommand, FlowLog
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.flows.secret_variables import SecretVariables

MOST_CAPTION = 300
"""Characters of a caption."""


class _DoneAction(NamedTuple):
    began: float
    ended: float
    done: DoneCommand
    is_failed: bool


class ActionLog:
    """The commands of a filmed session that acted on its pages, until their captions are written.

    flow: the log of the session's commands. revealed: returns the secrets that its pages were given.
    """

    def __init__(self, flow: FlowLog, revealed: Callable[[], Sequence[str]]) -> None:
        self._flow = flow
        self._revealed = revealed
        self._waiting: list[_DoneAction] = []
        self._described: list[dict[str, Any]] = []
        self._secrets: SecretVariables | None = None

    def add(self, began: float, ended: float, done: DoneCommand, *, is_failed: bool) -> None:
        """Note a command to caption it later, unless it only read. Times: seconds since the film began."""
        if done.command in ACTIONS:
            self._waiting.append(_DoneAction(began, ended, done, is_failed))

    def pop_records(self) -> list[dict[str, Any]]:
        """Return a record's fields (times, caption …) for each command added since the last call."""
        self._describe_new_actions()
        facts, self._described = self._described, []
        return facts

    def hide_secrets(self, text: str) -> str:
        """Return a text with all secrets masked: those typed so far, and what looks like one."""
        self._describe_new_actions()
        return redact(self._known_secrets().scrub(text))

    def _describe_new_actions(self) -> None:
        """Make records of the commands since the last call. This also finds the secrets that they typed."""
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
        """Return a command's caption with secrets masked, and its element's name if it has only a ref."""
        from gstack_browse.flows import identity, saving

        secrets = self._known_secrets()
        line = saving.describe(done, secrets) or done.command
        named = [each.description for each in done.targets if each.target.startswith("@") and each.description]
        if len(named) == 1 and (found := identity.from_engine(named[0])).name not in line:
            line = f"{line} ({found.label})"
        return one_line(redact(secrets.scrub(line)), MOST_CAPTION)

    def _known_secrets(self) -> "SecretVariables":
        """Return the secrets to mask in captions: typed ones, and those that pages were given meanwhile."""
        if self._secrets is None:
            from gstack_browse.flows import saving  # only while something is filmed

            self._secrets = saving.collect_secrets(self._flow, ())
        for value in self._revealed():
            self._secrets.assign_variable(value, "secret")
        return self._secrets
