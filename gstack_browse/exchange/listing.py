"""Render a logged request as an object for programs. Pure."""

from datetime import datetime
from typing import Any

from gstack_browse.logs.entries import NetworkEntry


def to_record(entry: NetworkEntry) -> dict[str, Any]:
    """Return the log's knowledge of a request; null for what is unknown."""
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
