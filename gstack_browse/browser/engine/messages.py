"""One question to a document: a message of the protocol, an expression, or a function of the engine; and what its failure means.

Which document is asked is in `world.py` and `frame_targets.py`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import orjson

from gstack_browse.browser.cdp.playwright_names import Error
from gstack_browse.browser.cdp.session import decode
from gstack_browse.browser.cdp.targets import Context
from gstack_browse.browser.engine.bundle import engine_source

JsonValue: TypeAlias = bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"] | None

_GONE = (
    "uniqueContextId not found",
    "Cannot find context",
    "Execution context was destroyed",
    "Inspected target navigated or closed",
    "No frame for given id",
)
_CLOSED = (
    "Target closed",
    "Session closed",
    "has been closed",
    "session detached",
    "Connection closed",
    "Target crashed",
)
_STOPPED = ("Execution was terminated",)


class PageScriptError(Exception):
    """A function of the engine threw. `args[0]` is its message, without the stack."""


class TooLong(Exception):
    """A function of the engine kept the page busy for longer than it may, and was stopped."""


class FrameGone(Exception):
    """The frame that was asked has navigated away, or is gone: what was known of its nodes is void."""


async def send(context: Context, method: str, **parameters: Any) -> dict[str, Any]:
    """One message of the protocol about a context. FrameGone, PageScriptError, TooLong with a `timeout`, or Playwright's Error."""
    try:
        reply = await context.target.session.send(method, parameters)
    except Error as error:
        if _says(error, _GONE) or (_says(error, _CLOSED) and context.target.id == context.frame_id):
            context.target.forget(context)
            raise FrameGone(error.message) from None
        if "timeout" in parameters and _says(error, _STOPPED):
            raise TooLong(error.message) from None
        raise
    if "exceptionDetails" in reply:
        raise PageScriptError(_exception_text(reply["exceptionDetails"]))
    result: dict[str, Any] = reply.get("result", reply) if method == "Runtime.evaluate" else reply
    return result


async def call_in(context: Context, function: str, *args: JsonValue, milliseconds: int = 0) -> Any:
    """`__gbrowse.<function>(...args)` in one context, awaited, by value. Raises like `World.call`.

    FrameGone means that its document is no longer there. With `milliseconds` nothing is awaited.
    """
    invocation = f'__gbrowse.invoke("{function}",{orjson.dumps(args).decode()})'
    expression = invocation if context.loaded else engine_source() + invocation
    limit = {"timeout": milliseconds} if milliseconds else {}
    result = await send(
        context,
        "Runtime.evaluate",
        expression=expression,
        uniqueContextId=context.id,
        returnByValue=True,
        awaitPromise=not milliseconds,
        **limit,
    )
    context.loaded = True
    packed: str = result["value"]
    return packed[1:] if packed[0] == "s" else decode(packed[1:])


async def evaluate(
    context: Context, expression: str, *, by_value: bool = False, group: str = ""
) -> dict[str, Any]:
    """The protocol's remote object for `expression`, evaluated in `context`, awaited. Raises like `send`."""
    return await send(
        context,
        "Runtime.evaluate",
        expression=expression,
        uniqueContextId=context.id,
        returnByValue=by_value,
        awaitPromise=True,
        objectGroup=group,
    )


def _says(error: Error, phrases: Iterable[str]) -> bool:
    return any(phrase in error.message for phrase in phrases)


def _exception_text(details: dict[str, Any]) -> str:
    described = details.get("exception", {}).get("description") or details.get("text", "unknown")
    first: str = described.partition("\n")[0]
    return first.removeprefix("Uncaught ").removeprefix("Error: ")
