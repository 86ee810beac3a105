"""Runs the user's JavaScript in the page's own world and prints its value."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from gstack_browse.browser import failures
from gstack_browse.browser.cookies import allow_script
from gstack_browse.browser.find import Element, locate
from gstack_browse.browser.world import send
from gstack_browse.errors import ScriptFailed
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.page import PageSession

_GROUP = "gbrowse-js"
_REF = re.compile(
    r"""(?P<skip>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|//[^\n]*|/\*.*?\*/)|(?<![\w$@])@(?P<ref>[ec]\d+)\b""",
    re.S,
)
_STRINGIFY = """function () {
  const plain = value => value instanceof Map ? Object.fromEntries(value) : value instanceof Set ? [...value]
    : typeof value === 'bigint' ? String(value) : value;
  try { return JSON.stringify(this, (key, value) => plain(value)); } catch (error) { return undefined; }
}"""


async def run(page: "PageSession", code: str, *, any_origin: bool = False) -> str:
    """Value of an expression, or of the last of several statements, as text.

    Objects and arrays as JSON, strings bare, undefined as nothing, elements as `<tag#id.class>`. `@e3` in the
    code stands for that element. Raises ScriptFailed with what was thrown, and Refused where cookies were imported
    for other sites than the page's, unless `any_origin`.
    """
    code, refs = _named_refs(code)
    elements = [await locate(page, f"@{name}") for name in refs]
    if not any_origin:
        await allow_script(page, [element.frame for element in elements])
    try:
        if elements or page.frame != page.tab.page.main_frame:
            session, result = await _in_frame(page, code, refs, elements)
        else:
            session, result = page.world.session, await _in_page(page.world.session, code)
        return await _shown(session, result)
    except PlaywrightError as error:
        if (
            "navigated or closed" in str(error)
            or "context was destroyed" in str(error)
            or "Cannot find context" in str(error)
        ):
            return ""  # the script itself took the page elsewhere
        raise failures.translate(error) from None


def _named_refs(code: str) -> tuple[str, list[str]]:
    """`code` with each `@e3` outside of strings and comments as a variable, and the refs in order."""
    refs: list[str] = []

    def name(match: re.Match[str]) -> str:
        if match["skip"]:
            return match[0]
        if match["ref"] not in refs:
            refs.append(match["ref"])
        return f"$ref_{match['ref']}"

    return _REF.sub(name, code), refs


async def _in_page(session: CDPSession, code: str) -> dict[str, Any]:
    """As a console would: top-level await, several statements, the value of the last one."""
    if re.fullmatch(r"\s*\{.*\}\s*", code, re.S):  # an object, unless it only makes sense as a block
        result = await _evaluate(session, f"({code}\n)")
        if not _is_syntax_error(result):
            return result
    return await _evaluate(session, code)


async def _evaluate(session: CDPSession, code: str) -> dict[str, Any]:
    answer: dict[str, Any] = await session.send(
        "Runtime.evaluate",
        {
            "expression": code,
            "replMode": True,
            "awaitPromise": True,
            "userGesture": True,
            "objectGroup": _GROUP,
            "generatePreview": False,
        },
    )
    return answer


async def _in_frame(
    page: "PageSession", code: str, refs: Sequence[str], elements: Sequence[Element]
) -> tuple[CDPSession, dict[str, Any]]:
    """As a function of the elements, in the world of the frame they are in (by default the chosen frame)."""
    frame = elements[0].frame if elements else page.frame
    context = await page.world.context_of(frame)
    session = context.process.session
    handles = [await _in_main_world(page, element) for element in elements]
    root = await _main_world_object(context, "document")
    names = ",".join(f"$ref_{ref}" for ref in refs)
    for body in (f"return (\n{code}\n)", code):
        answer: dict[str, Any] = await session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": f"async function({names}) {{ {body}\n}}",
                "objectId": root,
                "arguments": [{"objectId": handle} for handle in handles],
                "awaitPromise": True,
                "userGesture": True,
                "objectGroup": _GROUP,
            },
        )
        if not _is_syntax_error(answer):
            break
    return session, answer


async def _in_main_world(page: "PageSession", element: Element) -> str:
    context = await page.world.context_of(element.frame)
    return await _main_world_object(context, f"__gbrowse.nodeFor({element.node})")


async def _main_world_object(context: Any, expression: str) -> str:
    """The page's own handle of a node that an expression names in our world."""
    ours = await send(
        context, "Runtime.evaluate", expression=expression, uniqueContextId=context.id, objectGroup=_GROUP
    )
    described = await send(context, "DOM.describeNode", objectId=ours["objectId"])
    resolved = await send(
        context, "DOM.resolveNode", backendNodeId=described["node"]["backendNodeId"], objectGroup=_GROUP
    )
    return str(resolved["object"]["objectId"])


def _is_syntax_error(answer: dict[str, Any]) -> bool:
    details = answer.get("exceptionDetails", {})
    thrown = details.get("exception", {})
    return thrown.get("className") == "SyntaxError" and "stackTrace" not in details


async def _shown(session: CDPSession, answer: dict[str, Any]) -> str:
    if "exceptionDetails" in answer:
        await _release(session)
        raise ScriptFailed(_thrown(answer["exceptionDetails"]))
    result = answer["result"]
    if "objectId" not in result:
        return _primitive(result)
    try:
        return await _object(session, result)
    finally:
        await _release(session)


async def _release(session: CDPSession) -> None:
    await session.send("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})


def _primitive(result: dict[str, Any]) -> str:
    if result["type"] == "undefined":
        return ""
    if "unserializableValue" in result:
        return str(result["unserializableValue"]).removesuffix("n")
    value = result.get("value")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return "null" if value is None else str(value)


async def _object(session: CDPSession, result: dict[str, Any]) -> str:
    described = str(result.get("description", result["type"]))
    if result.get("subtype") == "node":
        return f"<{described}>"
    if result.get("subtype") == "error" or result["type"] in ("function", "symbol"):
        return described
    answer = await session.send(
        "Runtime.callFunctionOn",
        {"functionDeclaration": _STRINGIFY, "objectId": result["objectId"], "returnByValue": True},
    )
    written = answer["result"].get("value")
    return written if isinstance(written, str) else described


def _thrown(details: dict[str, Any]) -> str:
    """What was thrown in one line: `TypeError: x is not a function`."""
    thrown = details.get("exception", {})
    text = thrown.get("description") or thrown.get("value") or details.get("text", "the script failed")
    first: list[str] = [line for line in str(text).splitlines() if not line.lstrip().startswith("at ")]
    return one_line(" ".join(first).removeprefix("Uncaught "), 500) or "the script failed"
