"""Every failure a command can end in, with its exit code and the next thing to type.

    BrowseError                     1  failed
    ├── SetupFailed                 1  no Python package, no Chromium, no display
    ├── NavigationFailed            1  DNS, refused, bad certificate, aborted
    ├── NoHistory                   1  back or forward with nowhere to go
    ├── ScriptFailed                1  the expression threw
    ├── ActionFailed                1  the action had no effect, or not the wanted one
    │   └── PageReplaced            1  another document took the place of the one that was asked
    ├── FileFailed                  1  a file could not be read or written
    ├── ImportFailed                1  no cookie could be imported
    ├── ExpectationFailed           1  what was expected of the page did not come true
    ├── PicturesDiffer              1  two pictures are not the same
    ├── TokensDiffer                1  two files of design tokens are not the same
    ├── ProblemsFound               1  a check of the page has found something
    ├── ServiceFailed               1  an image service refused, could not be reached, or answered with something else
    ├── UsageError                  2  wrong words
    │   ├── UnknownCommand          2
    │   └── NoService               2  an image service is wanted, and none is set
    ├── TimedOut                    3  the command's deadline, or a wait that did not come true
    ├── TargetError                 4  the target cannot be acted on
    │   ├── NoMatch                 4  nothing there
    │   ├── ManyMatches             4  more than one element
    │   ├── DialogOpen              4  the page waits for the answer to a dialog
    │   └── NotInteractable         4  hidden, disabled, read-only, moving
    │       └── Covered             4  another element is on top
    ├── RefError                    5
    │   ├── StaleRef                5  the element is gone
    │   └── UnknownRef              5  never given out on this page
    ├── StateLost                   6  the browser, the daemon or the tab's page died
    │   └── TabGone                 6  the tab's renderer crashed, or the tab was closed
    ├── Refused                     7  URL or path refused by policy
    ├── Unreachable                 8  no daemon, or it does not let us in
    │   └── Busy                    8  too many connections
    └── NoAnswer                    9  sent, but no answer came: it may or may not have run

The tree is shared with the thin client, so this module imports nothing.
"""

EXIT_CODES = {
    0: ("done", "read the lines with an arrow: they say what followed"),
    1: ("failed", "read the message; it says what failed"),
    2: ("wrong words, or an unknown command", "correct the command as the usage line says"),
    3: ("timed out", "look at the page; wait for what is missing, or give --timeout"),
    4: (
        "no such element, several, or one that cannot be acted on",
        "take a new snapshot, or answer the dialog",
    ),
    5: ("a stale or unknown ref", "take a new snapshot; do not guess another ref"),
    6: ("browser state was lost", "open the page again with goto; log in again if that is needed"),
    7: ("refused: URL or path", "do not work around it; ask the user"),
    8: ("no daemon, or a busy one; nothing was done", "run the command again"),
    9: ("no answer came; the command may or may not have run", "look at the page before you repeat it"),
}
"""What each exit code means, and what to do then."""


class BrowseError(Exception):
    """An error to show to the user: `message` says what happened, `hint` what to type next.

    `output`: what the command had already printed.
    """

    code = 1
    kind = "failed"

    def __init__(self, message: str, hint: str = "", *, output: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.output = output


class SetupFailed(BrowseError):
    kind = "setup-failed"


class NavigationFailed(BrowseError):
    kind = "navigation-failed"


class NoHistory(BrowseError):
    kind = "no-history"


class ScriptFailed(BrowseError):
    kind = "script-failed"


class ActionFailed(BrowseError):
    kind = "action-failed"


class PageReplaced(ActionFailed):
    kind = "page-replaced"


class FileFailed(BrowseError):
    kind = "file-failed"


class ImportFailed(BrowseError):
    kind = "import-failed"


class ExpectationFailed(BrowseError):
    kind = "expectation-failed"


class PicturesDiffer(BrowseError):
    kind = "pictures-differ"


class TokensDiffer(BrowseError):
    kind = "tokens-differ"


class ProblemsFound(BrowseError):
    kind = "problems-found"


class ServiceFailed(BrowseError):
    kind = "service-failed"


class UsageError(BrowseError):
    code = 2
    kind = "usage"


class UnknownCommand(UsageError):
    kind = "unknown-command"


class NoService(UsageError):
    kind = "no-service"


class TimedOut(BrowseError):
    code = 3
    kind = "timeout"


class TargetError(BrowseError):
    code = 4
    kind = "target"


class NoMatch(TargetError):
    kind = "no-match"


class ManyMatches(TargetError):
    kind = "many-matches"


class DialogOpen(TargetError):
    kind = "dialog-open"


class NotInteractable(TargetError):
    kind = "not-interactable"


class Covered(NotInteractable):
    """Another element covers the wanted one, or blocks it.

    `key`: differs as soon as the cover changes or moves; None if unknown, or if the cover may go away by itself.
    """

    kind = "covered"

    def __init__(self, message: str, hint: str = "", *, key: str | None = None) -> None:
        super().__init__(message, hint)
        self.key = key


class Hidden(NotInteractable):
    """The element cannot be seen."""


class Disappeared(NotInteractable):
    """The page has taken the element away before anything was done to it."""


class OutOfView(NotInteractable):
    """The element is out of view, and scrolling cannot change that."""


class KeepsMoving(NotInteractable):
    """The element did not stand still in time."""


class RefError(BrowseError):
    code = 5
    kind = "ref"


class StaleRef(RefError):
    kind = "stale-ref"
    names_new = False
    """Whether the message names what is new on the page and like the element that has gone."""
    redrawn = ""
    """The ref of the one element that the page has drawn anew in its place; "" for none."""


class UnknownRef(RefError):
    kind = "unknown-ref"


class StateLost(BrowseError):
    code = 6
    kind = "state-lost"


class TabGone(StateLost):
    kind = "tab-gone"


class Refused(BrowseError):
    code = 7
    kind = "refused"


class Unreachable(BrowseError):
    code = 8
    kind = "unreachable"


class Busy(Unreachable):
    kind = "busy"


class NoAnswer(BrowseError):
    code = 9
    kind = "no-answer"


def from_reply(kind: str, code: int, message: str, hint: str) -> BrowseError:
    """Return the exception for the fields of a JSON reply that reports an error.

    `kind`: the name of its class; for an unknown one it is a BrowseError with that kind. `code`: the exit code.
    """
    pending: list[type[BrowseError]] = [BrowseError]
    while pending:
        cls = pending.pop()
        if cls.kind == kind:
            return cls(message, hint)
        pending.extend(cls.__subclasses__())
    error = BrowseError(message, hint)
    error.code = code
    error.kind = kind
    return error
