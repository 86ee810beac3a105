"""Encode and decode JSON with lone surrogates in strings, and read files that may be malformed.

JavaScript allows lone surrogates; strict encoders refuse them.

A page may store such strings, in its storage for example. Encoding and decoding are as fast as by orjson on other values.
"""

from collections.abc import Callable
from typing import Any

import orjson

from gstack_browse.errors import Refused


def encode(value: Any, option: int = 0) -> bytes:
    """Encode a value as JSON, dataclasses by their fields. Lone surrogates are escaped.

    `option`: an option of orjson. Raises TypeError for values that JSON cannot express.
    """
    try:
        return orjson.dumps(value, option=option)
    except TypeError:
        import json  # rarely needed: keep it out of the start
        from dataclasses import asdict

        indent, separators = (2, None) if option & orjson.OPT_INDENT_2 else (None, (",", ":"))
        return json.dumps(value, indent=indent, separators=separators, default=asdict).encode()


def decode(content: bytes | str) -> Any:
    """Decode a JSON text. Raises ValueError if it is malformed."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        import json

        try:
            return json.loads(content)
        except RecursionError:
            raise ValueError("it is nested too deeply") from None


def read_object(read: Callable[[], bytes | None]) -> dict[str, Any]:
    """Return the JSON object in the bytes of `read`; {} if it raises an error or they are no object."""
    try:
        content = read()
        fields = orjson.loads(content) if content else {}
    except (OSError, Refused, orjson.JSONDecodeError):
        return {}
    return fields if isinstance(fields, dict) else {}
