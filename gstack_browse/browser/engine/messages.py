"""Send protocol messages about one document, evaluate expressions in it, and call the engine there.

Protocol errors become the exceptions below. `world.py` finds the document of a frame.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import orjson

from gstack_browse.browser.cdp import WORLD
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine.bundle import IS_OWN, engine_factory_source, engine_source
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
    """The frame of a message has navigated or was removed; all node ids of its document are invalid."""


class InternalsNeeded(Exception):
    """The engine needs ElementInternals before it can answer: see `internals.send_internals`."""


class NoDocument(FrameGone):
    """The frame of a message exists, but has no document yet."""


async def send(context: ExecutionContext, method: str, **parameters: Any) -> dict[str, Any]:
    """Send a message of Chromium's protocol about an execution context's document. Return the reply.

    For `Runtime.evaluate` only its `result`. Raises FrameGone, PageScriptError, TooLong (if the parameters have a `timeout`), or
    ProtocolError.
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
    """Call a function of the engine (`__gbrowse.<function>`) in a document, await it, return its value.

    Loads the engine if the document has none yet. Raises FrameGone if the document is gone, InternalsNeeded if
    `internals.send_internals` has to be called first, PageScriptError if the function throws, TooLong if it exceeds
    `milliseconds`, ProtocolError if the page is closed or crashed.

    milliseconds: time limit of the call; a promise is not awaited then
    as_user: with user activation (`userGesture` of `Runtime.evaluate`)
    """
    invocation = f'__gbrowse.invoke("{function}",{orjson.dumps(args).decode()})'
    options: dict[str, Any] = {"timeout": milliseconds} if milliseconds else {"awaitPromise": True}
    if as_user:
        options["userGesture"] = True
    packed = _MISSING
    if context.loaded:
        packed = await _call_packed(context, invocation, options)
    elif _install_in_new_documents(context):
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
"""Expression: create the engine by the script that Chromium has run in the window; true if the window has its own then.

Frames of the page may have these names.
"""


def _install_in_new_documents(context: ExecutionContext) -> bool:
    """Have Chromium define `__gbrowseEngine()` in this and later documents of a page, if it does not yet.

    Return whether it does: not for frames in other processes, which get too few calls. Then only the first call has to send the
    engine's source, which is most of the cost of a small document.
    """
    target = context.target
    if target.kind != "page":
        return False
    if not target.is_given_engine:
        target.is_given_engine = True
        script = {"source": engine_factory_source(), "worldName": WORLD, "runImmediately": True}
        target.session.notify("Page.addScriptToEvaluateOnNewDocument", script)
    return True


async def _call_packed(context: ExecutionContext, expression: str, options: dict[str, Any]) -> str:
    """Evaluate a call of the engine. Return its answer, a text encoded by `packAnswer` in `dom/invoke.js`.

    options: further parameters of `Runtime.evaluate`

    Raises FrameGone if the document is gone, PageScriptError if the call throws, TooLong after a `timeout`, or ProtocolError.
    """
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
    """Evaluate JavaScript in a document and await its value. Return that as a `Runtime.RemoteObject`.

    by_value: with the value itself as JSON (`value`) instead of an object id
    group: object group of that id, by which it can be released

    Raises FrameGone if the document is gone, PageScriptError if the script throws, or ProtocolError.
    """
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
    """Return whether the error's message contains one of the phrases."""
    return any(phrase in error.message for phrase in phrases)


def _exception_text(details: dict[str, Any]) -> str:
    """Return the first line of the message in a `Runtime.ExceptionDetails`, without "Uncaught Error: "."""
    described = details.get("exception", {}).get("description") or details.get("text", "unknown")
    first: str = described.partition("\n")[0]
    return first.removeprefix("Uncaught ").removeprefix("Error: ")
