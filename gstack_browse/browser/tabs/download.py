"""One file that a page downloads: what is known of it, and how a reply tells of it. Data only."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.text.columns import format_progress

State = Literal["running", "done", "failed"]


@dataclass
class Download:
    """A download. `guid` is Chromium's name for it; `name` is a safe one, made of what the page suggests."""

    number: int
    guid: str
    url: str
    name: str
    tab: int
    document: int = 0
    """Our number of the document that began it."""
    received: int = 0
    total: int = 0
    """Bytes that the server has announced; 0 where it has not."""
    state: State = "running"
    reason: str = ""
    """Why it failed."""
    path: str = ""
    """Where the file lies, once it is whole."""
    is_told: bool = False
    """Whether a reply has said that it is in this state."""
    told: str = ""
    """The last line of a reply on it."""
    is_wanted: bool = False
    """Whether a command has asked for this very file."""
    target: Path | None = None
    """Where a command wants the file to lie."""

    @property
    def size(self) -> int:
        """The file's size in bytes: the announced size, or what has come where that is more."""
        return self.received if self.state == "done" else max(self.received, self.total)

    def progress(self, received: int, total: int) -> None:
        """Note how many bytes have come. Chromium counts from 0 again when it retries: the highest number is kept."""
        self.received = max(self.received, received)
        self.total = max(self.total, total)

    def finish(self, path: str, size: int) -> None:
        """The whole file lies there."""
        self.path, self.received = path, size
        self.state, self.is_told = "done", False

    def fail(self, reason: str) -> None:
        """Note that the download failed."""
        self.state, self.reason, self.is_told = "failed", reason, False

    def file(self, cwd: str) -> str:
        """`r.csv (12034B): .gstack/downloads/r.csv`, the path as it is typed in that directory."""
        return f"{self.name} ({self.received}B): {near(self.path, cwd)}"

    @property
    def amount(self) -> str:
        """How much of it there is: `3 of 400 MB`."""
        return format_progress(self.received, self.total)

    def line(self, cwd: str) -> str:
        """What became of the download, in a line."""
        if self.state == "done":
            return f"downloaded {self.file(cwd)}"
        if self.state == "failed":
            return f"download of {self.name} failed: {self.reason}"
        return f"downloading {self.name} ({self.amount}): 'wait --download'"

    def row(self, cwd: str) -> tuple[str, ...]:
        """Its cells in a list."""
        what = self.reason or near(self.path, cwd) or "'wait --download'"
        amount = f"{self.received}B" if self.state == "done" else self.amount
        return str(self.number), self.name, amount, self.state, what, f"from {shown_url(self.url)}"


def near(path: str, cwd: str) -> str:
    """A path as it is typed in a directory of the same workspace; the full one elsewhere."""
    relative = os.path.relpath(path, cwd) if path and cwd else path
    return path if relative.startswith("../../../../") else relative
