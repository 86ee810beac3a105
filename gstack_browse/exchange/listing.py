"""A request as an object for programs. Pure."""

from datetime import datetime
from typing import Any

from gstack_browse.logs.entries import NetworkEntry


def record(entry: NetworkEntry) -> dict[str, Any]:
    """What the log knows of a request. What is not known, or not yet, is null."""
    return {
        "number": entry.number,
        "tab": entry.tab or None,
        "method": entry.method,
        "url": entry.url,
        "type": entry.kind,
        "status": entry.status or None,
        "error": entry.error or None,
        "milliseconds": entry.milliseconds if entry.milliseconds >= 0 else None,
        "bytes": entry.size if entry.size >= 0 else None,
        "at": datetime.fromtimestamp(entry.at).astimezone().isoformat(timespec="milliseconds"),
    }
