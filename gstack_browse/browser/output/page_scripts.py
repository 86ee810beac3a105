"""Runs scripts that few commands need in the engine's world of a document. They are no part of the engine, which every document gets.

Each is a file in `scripts/` that exports one function, which takes one argument and answers something that JSON can hold.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine.messages import JsonValue, call_in, evaluate
from gstack_browse.browser.output.libraries import Library
from gstack_browse.text.json_bytes import decode

_FOLDER = Path(__file__).with_name("scripts")
_START = re.compile(r"^(?:async )?function ", re.MULTILINE)


async def run(context: ExecutionContext, name: str, argument: JsonValue = None) -> Any:
    """What the function answers in that document. Raises like `messages.call_in`."""
    if not context.loaded:
        await call_in(context, "tick")
    call = f"({_source(name)})({orjson.dumps(argument).decode()})"
    expression = f"Promise.resolve({call}).then((answer) => JSON.stringify(answer ?? null).toWellFormed())"
    result = await evaluate(context, expression, by_value=True)
    return decode(result["value"])


async def value(context: ExecutionContext, expression: str) -> Any:
    """What an expression that is a string of JSON says, evaluated in the engine's world."""
    return decode((await evaluate(context, expression, by_value=True))["value"])


async def load(context: ExecutionContext, library: Library, is_there: str) -> None:
    """Put a library into the engine's world of a document, unless the expression `is_there` holds."""
    if not (await evaluate(context, is_there, by_value=True))["value"]:
        await evaluate(context, f"{library.source()}0", by_value=True)


@cache
def _source(name: str) -> str:
    """The function of a file, as an expression."""
    text = (_FOLDER / f"{name}.js").read_text(encoding="utf-8")
    return text[_START.search(text).start() : text.rindex("\nexport {")].strip()  # type: ignore[union-attr]
