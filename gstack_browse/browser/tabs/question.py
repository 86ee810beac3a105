"""A dialog that is left open, and what replies say of it."""

from gstack_browse.browser.devtools.page import Dialog
from gstack_browse.errors import DialogOpen
from gstack_browse.logs.entries import DialogEntry
from gstack_browse.text.sanitise import quote_text


class Question:
    """An open dialog. `tab`: the number of its tab; `is_persons`: a person sees the dialog in a window."""

    def __init__(self, tab: int, dialog: Dialog, entry: DialogEntry, *, is_persons: bool) -> None:
        self.tab = tab
        self.dialog = dialog
        self.entry = entry
        self.is_persons = is_persons

    @property
    def name(self) -> str:
        """Return kind and text of the dialog: `confirm "Delete?"`."""
        return f"{self.entry.kind} {quote_text(self.entry.message, 120)}"

    def line(self, tab: int) -> str:
        """Return the line about the question for a reply of a command in tab `tab`."""
        suggestion = self.dialog.default_value if self.entry.kind == "prompt" else ""
        suggests = f" (suggests {quote_text(suggestion, 60)})" if suggestion else ""
        where = "" if tab == self.tab else f" in tab {self.tab}"
        return f"{self.name}{suggests} is open{where}: {self._ways(tab)}"

    def failure(self, tab: int, happened: str = "") -> DialogOpen:
        """Return the error for a command that the question blocks.

        Args:
            tab: the tab of the command
            happened: the command's text so far, if it had begun to act
        """
        message = f"{self.name} is open in tab {self.tab}"
        if happened:
            return DialogOpen(
                f"{happened}: {message}", f"Answer it: {self._ways(tab)}; then look what was done"
            )
        still = "" if tab == self.tab else f", and tab {tab} does not answer meanwhile"
        return DialogOpen(message + still, f"Answer it: {self._ways(tab)}")

    def _ways(self, tab: int) -> str:
        accept = "dialog-accept [TEXT]" if self.entry.kind == "prompt" else "dialog-accept"
        there = "" if tab == self.tab else f" (gbrowse --tab {self.tab} …)"
        persons = ", unless the person does" if self.is_persons else ""
        return f"{accept} or dialog-dismiss{there}{persons}"
