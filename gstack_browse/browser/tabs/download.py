"""Describes a file that a page downloads, and makes the line that a reply has about it. Data only."""

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
    """Our number of the document that began the download."""
    received: int = 0
    total: int = 0
    """Bytes that the server has announced, or 0."""
    state: State = "running"
    reason: str = ""
    """Why the download failed."""
    path: str = ""
    """The path of the complete file."""
    is_told: bool = False
    """Whether a reply has reported this state."""
    told: str = ""
    """The last line about the download in a reply."""
    is_wanted: bool = False
    """Whether a command has asked for this file."""
    target: Path | None = None
    """The path that a command gave for the file."""

    @property
    def size(self) -> int:
        """Return the file's size in bytes: announced or received, whichever is more."""
        return self.received if self.state == "done" else max(self.received, self.total)

    def progress(self, received: int, total: int) -> None:
        """Note how many bytes have arrived. Keeps the maximum: Chromium counts from 0 again on a retry."""
        self.received = max(self.received, received)
        self.total = max(self.total, total)

    def finish(self, path: str, size: int) -> None:
        """Note that the whole file is at `path`."""
        self.path, self.received = path, size
        self.state, self.is_told = "done", False

    def fail(self, reason: str) -> None:
        """Note that the download failed."""
        self.state, self.reason, self.is_told = "failed", reason, False

    def file(self, cwd: str) -> str:
        """Describe the finished file, its path relative to `cwd`: `r.csv (12034B): .gstack/downloads/r.csv`."""
        return f"{self.name} ({self.received}B): {near(self.path, cwd)}"

    @property
    def amount(self) -> str:
        """Describe how much has arrived: `3 of 400 MB`."""
        return format_progress(self.received, self.total)

    def line(self, cwd: str) -> str:
        """Describe the state of the download in one line."""
        if self.state == "done":
            return f"downloaded {self.file(cwd)}"
        if self.state == "failed":
            return f"download of {self.name} failed: {self.reason}"
        return f"downloading {self.name} ({self.amount}): 'wait --download'"

    def row(self, cwd: str) -> tuple[str, ...]:
        """Return the cells of the download's row in a table."""
        what = self.reason or near(self.path, cwd) or "'wait --download'"
        amount = f"{self.received}B" if self.state == "done" else self.amount
        return str(self.number), self.name, amount, self.state, what, f"from {shown_url(self.url)}"


def near(path: str, cwd: str) -> str:
    """Return a path relative to `cwd` if both are in the same workspace, else the full path."""
    relative = os.path.relpath(path, cwd) if path and cwd else path
    return path if relative.startswith("../../../../") else relative
