"""Asks one document: sends a message, evaluates an expression, or calls the engine.

Translates failures. The document to ask is found in `world.py`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import orjson

from gstack_browse.browser.cdp import WORLD
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine.bundle import IS_OWN, engine_on_call, engine_source
from gstack_browse.text.json_bytes import decode

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
    """The frame that was asked has navigated or is gone; all known nodes of it are invalid."""


class InternalsNeeded(Exception):
    """The engine has to be told internals of custom elements first, by `internals.send_internals`."""


class NoDocument(FrameGone):
    """The frame that was asked exists, but has no document that could answer."""


async def send(context: ExecutionContext, method: str, **parameters: Any) -> dict[str, Any]:
    """Send a message of the protocol about a context. Return the reply.

    Raises FrameGone, PageScriptError, TooLong (with a `timeout`), or ProtocolError.
    """
    try:
        reply = await context.target.session.send(method, parameters)
    except ProtocolError as error:
        if _has_phrase(error, _GONE) or (_has_phrase(error, _CLOSED) and context.target.id == context.frame_id):
            context.target.forget(context)
            raise FrameGone(error.message) from None
        if "timeout" in parameters and _has_phrase(error, _STOPPED):
            raise TooLong(error.message) from None
        raise
    if "exceptionDetails" in reply:
        raise PageScriptError(_exception_text(reply["exceptionDetails"]))
    result: dict[str, Any] = reply.get("result", reply) if method == "Runtime.evaluate" else reply
    return result


async def call_in(
    context: ExecutionContext, function: str, *args: JsonValue, milliseconds: int = 0, as_user: bool = False
) -> Any:
    """Call `__gbrowse.<function>(...args)` in one context, await it, and return its value.

    Raises like `World.call`, FrameGone if its document is gone, and InternalsNeeded if `internals.send_internals` has to be called first.

    milliseconds: time limit of the call; a promise is not awaited then
    as_user: the page may do what is allowed after a press of the user's
    """
    invocation = f'__gbrowse.invoke("{function}",{orjson.dumps(args).decode()})'
    options: dict[str, Any] = {"timeout": milliseconds} if milliseconds else {"awaitPromise": True}
    if as_user:
        options["userGesture"] = True
    packed = _MISSING
    if context.loaded:
        packed = await _call_packed(context, invocation, options)
    elif _is_given(context):
        packed = await _call_packed(context, f'{_TAKE} ? {invocation} : "{_MISSING}"', options)
    if packed == _MISSING:
        packed = await _call_packed(context, engine_source() + invocation, options)
    context.loaded = True
    if packed == _INTERNALS_NEEDED:
        raise InternalsNeeded
    context.has_suspects = packed[0].isupper()
    context.has_changed_fields = packed[1] == "!"
    return packed[2:] if packed[0] in "sS" else decode(packed[2:])


_INTERNALS_NEEDED = "i"
"""The engine's answer instead of a result: see InternalsNeeded."""
_MISSING = "m"
"""The answer of a document without the engine."""
_TAKE = f'({IS_OWN} || (Object.hasOwn(globalThis, "__gbrowseEngine") && __gbrowseEngine()), {IS_OWN})'
"""Expression: make the engine from the script kept for the window, and tell whether it has its own.

Frames of the page may have these names.
"""


def _is_given(context: ExecutionContext) -> bool:
    """Return whether Chromium keeps the engine for the document.

    With a page's first call Chromium is asked to keep it, for this document and all later ones: the source of the engine is most
    of the cost of a small document. Frames in other processes are asked too seldom for that.
    """
    target = context.target
    if target.kind != "page":
        return False
    if not target.is_given_engine:
        target.is_given_engine = True
        script = {"source": engine_on_call(), "worldName": WORLD, "runImmediately": True}
        target.session.notify("Page.addScriptToEvaluateOnNewDocument", script)
    return True


async def _call_packed(context: ExecutionContext, expression: str, options: dict[str, Any]) -> str:
    """Return the answer of a call, packed by `dom/invoke.js`. Raises like `send`."""
    result = await send(
        context,
        "Runtime.evaluate",
        expression=expression,
        uniqueContextId=context.id,
        returnByValue=True,
        **options,
    )
    packed: str = result["value"]
    return packed


async def evaluate(
    context: ExecutionContext, expression: str, *, by_value: bool = False, group: str = ""
) -> dict[str, Any]:
    """Evaluate `expression` in `context` and await it. Return its remote object. Raises like `send`."""
    return await send(
        context,
        "Runtime.evaluate",
        expression=expression,
        uniqueContextId=context.id,
        returnByValue=by_value,
        awaitPromise=True,
        objectGroup=group,
    )


def _has_phrase(error: ProtocolError, phrases: Iterable[str]) -> bool:
    return any(phrase in error.message for phrase in phrases)


def _exception_text(details: dict[str, Any]) -> str:
    """Return the first line of an exception without its prefix."""
    described = details.get("exception", {}).get("description") or details.get("text", "unknown")
    first: str = described.partition("\n")[0]
    return first.removeprefix("Uncaught ").removeprefix("Error: ")
