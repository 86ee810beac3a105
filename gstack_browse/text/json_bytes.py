"""JSON of strings as JavaScript has them: with halves of characters (lone surrogates), which strict encoders and decoders refuse.

A page may keep such strings anywhere, in its storage for example. Both functions are as fast as orjson where there are none.
"""

from typing import Any

import orjson


def encode(value: Any, option: int = 0) -> bytes:
    """A value as JSON, of dataclasses their fields, with orjson's `option`. Halves of characters are escaped.

    Raises TypeError for what is no JSON.
    """
    try:
        return orjson.dumps(value, option=option)
    except TypeError:
        import json  # hardly ever needed, and no part of a start
        from dataclasses import asdict

        indent, separators = (2, None) if option & orjson.OPT_INDENT_2 else (None, (",", ":"))
        return json.dumps(value, indent=indent, separators=separators, default=asdict).encode()


def decode(content: bytes | str) -> Any:
    """What JSON says. Raises ValueError for what is none."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        import json

        try:
            return json.loads(content)
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
