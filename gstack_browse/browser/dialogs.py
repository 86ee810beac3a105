"""How alerts, confirmations and prompts are answered. Decides; the session answers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """What to do with one dialog. `words` say it in the log and in replies."""

    accept: bool
    reply: str
    words: str


@dataclass(frozen=True)
class DialogPolicy:
    """Whether dialogs are accepted, and what a prompt is told; None keeps the page's own suggestion."""

    accept: bool = True
    reply: str | None = None

    def answer(self, kind: str, suggestion: str) -> Answer:
        """The answer to a dialog of that kind (`alert`, `confirm`, `prompt`, `beforeunload`).

        Leaving a page is always accepted: the command that leaves it was asked to.
        """
        if not self.accept and kind != "beforeunload":
            return Answer(False, "", "dismissed")
        if kind != "prompt":
            return Answer(True, "", "accepted")
        reply = suggestion if self.reply is None else self.reply
        return Answer(True, reply, f'accepted "{reply}"')
