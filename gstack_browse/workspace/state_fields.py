"""Read JSON objects from files of the state directory, which may be malformed."""

from collections.abc import Callable
from typing import Any

import orjson

from gstack_browse.errors import Refused


def read_object(read: Callable[[], bytes | None]) -> dict[str, Any]:
    """Return the JSON object that `read` returns; {} if that fails, or is not an object."""
    try:
        content = read()
        fields = orjson.loads(content) if content else {}
    except (OSError, Refused, orjson.JSONDecodeError):
        return {}
    return fields if isinstance(fields, dict) else {}
