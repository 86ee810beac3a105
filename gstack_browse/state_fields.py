"""JSON objects in files of the state directory. They lie in the workspace, so nothing in them is believed to be well-formed."""

from collections.abc import Callable
from typing import Any

import orjson

from gstack_browse.errors import Refused


def fields_in(read: Callable[[], bytes | None]) -> dict[str, Any]:
    """The object that an earlier daemon wrote; {} for no file, one that cannot be read or is not ours, and for anything else."""
    try:
        content = read()
        fields = orjson.loads(content) if content else {}
    except (OSError, Refused, orjson.JSONDecodeError):
        return {}
    return fields if isinstance(fields, dict) else {}
