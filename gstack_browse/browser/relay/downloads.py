"""Report downloads to an attached client, and put the files in the client's directory.

Chromium has one download directory for each browser context, which is ours. So the client's `Browser.setDownloadBehavior` is answered
here. A finished file is linked or copied to the client's directory before the client gets the event.
"""

import asyncio
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import PurePath
from typing import Any

BEGIN, PROGRESS = "Browser.downloadWillBegin", "Browser.downloadProgress"
_BY_ID, _BY_NAME = "allowAndName", "allow"
"""Behaviours of the protocol: files are named by their ids, or as servers suggest."""


class ClientDownloads:
    """The downloads of one client's browser context.

    `source`: Chromium's download directory, with files named by their ids. `send_event`: sends an event to the client.
    """

    def __init__(self, source: str, send_event: Callable[[str, dict[str, Any]], None]) -> None:
        self._source = source
        self._send_event = send_event
        self._behavior = ""
        self._directory = ""
        self._wants_events = False
        self._names: dict[str, str] = {}
        """Running download, by its id → the name that the client's copy gets."""
        self._copying: set[asyncio.Task[None]] = set()

    def configure(self, params: dict[str, Any]) -> None:
        """Apply the parameters of the client's `Browser.setDownloadBehavior`."""
        directory = params.get("downloadPath")
        self._behavior = str(params.get("behavior", ""))
        self._directory = directory if isinstance(directory, str) and os.path.isabs(directory) else ""
        self._wants_events = bool(params.get("eventsEnabled"))

    def begin(self, event: dict[str, Any]) -> None:
        """Report a download that begins."""
        suggested = PurePath(str(event.get("suggestedFilename", ""))).name
        by_name = self._behavior == _BY_NAME and suggested not in ("", "..")
        self._names[event["guid"]] = suggested if by_name else event["guid"]
        if self._wants_events:
            self._send_event(BEGIN, event)

    def progress(self, event: dict[str, Any]) -> None:
        """Report a download's progress. Put a finished file in the client's directory before that."""
        if event["state"] == "inProgress":
            self._report(event)
            return
        name = self._names.pop(event["guid"], "")
        wants_file = self._behavior in (_BY_ID, _BY_NAME) and self._directory and self._source
        if event["state"] != "completed" or not (name and wants_file):
            self._report(event)
            return
        target = os.path.join(self._directory, name)
        final = {**event, "filePath": target} if "filePath" in event else event
        source = os.path.join(self._source, event["guid"])
        try:
            os.link(source, target, follow_symlinks=False)
        except OSError:
            self._copy(source, target, final)
        else:
            self._report(final)

    def _copy(self, source: str, target: str, event: dict[str, Any]) -> None:
        """Copy a file to another disk, then report it. Opens it at once, since the daemon moves it next."""
        try:
            opened = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            self._report(event)
            return

        def copy() -> None:
            with suppress(OSError), open(opened, "rb") as reader, open(target, "xb") as writer:
                shutil.copyfileobj(reader, writer)

        async def copy_and_report() -> None:
            await asyncio.to_thread(copy)
            self._report(event)

        task = asyncio.ensure_future(copy_and_report())
        self._copying.add(task)
        task.add_done_callback(self._copying.discard)

    def _report(self, event: dict[str, Any]) -> None:
        if self._wants_events:
            self._send_event(PROGRESS, event)
