"""Run the user's JavaScript in the page's own world, and format its value."""

import asyncio
import itertools
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from gstack_browse.browser.actions.locate.find import Element, locate
from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone, NoDocument, evaluate, send
from gstack_browse.browser.reading.storage import check_script_allowed
from gstack_browse.errors import FileFailed, ScriptFailed, TimedOut, UsageError
from gstack_browse.network import logs
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_seconds
from gstack_browse.workspace import files

_SKIPPED = {
    "'": r"'[^'\\]*(?:\\.[^'\\]*)*(?P<single>'?)",
    '"': r'"[^"\\]*(?:\\.[^"\\]*)*(?P<double>"?)',
    "/*": r"/\*.*?(?P<comment>\*/|\Z)",
}
"""Opening sign → pattern of a string or comment. If nothing closes it, the pattern matches up to the end of the code with an empty group."""
_PIECES = r"(?P<line>//[^\n]*)|(?P<tick>`)|(?P<open>\{)|(?P<close>\})|(?<![\w$@])@(?P<ref>[ec][1-9]\d*)\b"
_REF = re.compile(r"@[ec][1-9]")
_TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*", re.S)


def replace_refs(code: str) -> tuple[str, list[str]]:
    """Replace refs such as `@e3` in code by variables (`$ref_e3`), except in strings and comments.

    Return the new code, and the refs without "@".
    """
    return _Scanner(code).scan() if _REF.search(code) else (code, [])


@cache
def _compile_pattern(openers: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern that matches a ref, brace or backtick in code, or a whole string or comment.

    `openers`: keys of `_SKIPPED`: the signs at which a string or comment is taken to begin.
    """
    return re.compile("|".join([*(_SKIPPED[opener] for opener in sorted(openers)), _PIECES]), re.S)


class _Scanner:
    """Reads code from left to right. `_depths` counts the open braces in each surrounding `${…}`."""

    def __init__(self, code: str) -> None:
        self._code = code
        self._at = 0
        self._out: list[str] = []
        self._refs: list[str] = []
        self._depths: list[int] = []
        self._openers = set(_SKIPPED)
        """Opening signs that are closed somewhere below, as far as we know."""

    def scan(self) -> tuple[str, list[str]]:
        """Return the code with its refs replaced by variables, and the refs without "@".

        An opening sign that is never closed (a quote in a regular expression) is skipped, and not tried again: each try reads all the rest,
        which would make the time quadratic.
        """
        while match := _compile_pattern(frozenset(self._openers)).search(self._code, self._at):
            self._out.append(self._code[self._at : match.start()])
            opener = next((opener for opener in self._openers if match[0].startswith(opener)), "")
            if opener and not match[match.lastgroup or 0]:
                self._openers.discard(opener)
                self._out.append(opener)
                self._at = match.start() + len(opener)
            else:
                self._at = match.end()
                self._copy_piece(match)
        return "".join(self._out) + self._code[self._at :], self._refs

    def _copy_piece(self, match: re.Match[str]) -> None:
        """Copy a match of the pattern to the output, a ref as its variable. Count braces and templates."""
        if ref := match["ref"]:
            if ref not in self._refs:
                self._refs.append(ref)
            self._out.append(f"$ref_{ref}")
            return
        self._out.append(match[0])
        if match["tick"]:
            self._copy_template()
        elif match["open"] and self._depths:
            self._depths[-1] += 1
        elif match["close"] and self._depths:
            self._depths[-1] -= 1
            if self._depths[-1] < 0:
                self._depths.pop()
                self._copy_template()

    def _copy_template(self) -> None:
        """Copy a template literal's text to the output, through its end or the next `${`."""
        text = _TEMPLATE.match(self._code, self._at)
        assert text is not None
        self._out.append(text[0])
        self._at = text.end()
        if self._code.startswith("${", self._at):
            self._out.append("${")
            self._at += 2
            self._depths.append(0)
        elif self._code.startswith("`", self._at):
            self._out.append("`")
            self._at += 1


Read = TypeVar("Read")

_STRINGS_AND_COMMENTS = re.compile(
    r"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|//[^\n]*|/\*.*?\*/""", re.S
)
"""Strings and comments, exact enough to decide about a hint."""
_LONG_CODE = 5_000
"""Code of so many characters is searched in a thread, if at all: unclosed quotes make the search quadratic."""
_STATEMENTS = re.compile(r"[;\n{]|\breturn\b")
_runs = itertools.count(1)
_FALSE = frozenset({"", "false", "0", "-0", "NaN", "null"})
"""Primitives, as formatted, that JavaScript takes for false."""
_DEFINE = """function (name, value) {
  Object.defineProperty(globalThis, name, { value, configurable: true, enumerable: false });
}"""


@dataclass
class _EvalTarget:
    """A place to run code: a CDP session, and a main world's unique id ("": that of the main frame)."""

    session: Session
    context: str = ""
    group: str = field(default_factory=lambda: f"gbrowse-js-{next(_runs)}")
    """Name of the object group of this run in Chromium."""
    holds_objects: bool = False
    """Whether the group holds any object."""

    @property
    def context_parameter(self) -> dict[str, str]:
        """Return the parameter of `Runtime.evaluate` for this execution context; {} for the main frame's."""
        return {"uniqueContextId": self.context} if self.context else {}


async def run_code(page: PageCommand, code: str, *, any_origin: bool = False) -> str:
    """Run the user's code in the page. Return its value as text; "" if the page navigates.

    The value is that of the last statement. Objects and arrays become JSON, undefined "", elements `<tag#id.class>`. `@e3` in the
    code stands for that element. Adds a note for a value that may be a mistake.

    Raises:
        ScriptFailed: The script threw; the message is what it threw.
        Refused: Cookies were imported for other sites than the page's, and not `any_origin` (`check_script_allowed`).
        StaleRef, UnknownRef: A ref in the code means no element now.
    """

    async def read(target: _EvalTarget, answer: dict[str, Any]) -> str:
        if "exceptionDetails" in answer:
            raise ScriptFailed(await _format_error(target.session, answer["exceptionDetails"]))
        shown = await _format_value(target.session, answer["result"])
        page.notes += _explain_value_type(answer["result"]["type"], code)
        return shown

    return await _evaluate_with_refs(page, code, read, any_origin=any_origin) or ""


async def is_true(page: PageCommand, code: str, *, any_origin: bool = False) -> bool:
    """Run the user's code in the page. Return whether its value is truthy; False if the page navigates.

    `any_origin`: omit `check_script_allowed`, which raises Refused if cookies were imported for other sites than the page's. Raises
    ScriptFailed with what was thrown, UsageError for code that cannot be parsed, StaleRef or UnknownRef for refs in the code.
    """

    async def read(target: _EvalTarget, answer: dict[str, Any]) -> bool:
        if _is_syntax_error(answer):
            raise UsageError(await _format_error(target.session, answer["exceptionDetails"]))
        if "exceptionDetails" in answer:
            raise ScriptFailed(await _format_error(target.session, answer["exceptionDetails"]))
        result = answer["result"]
        return "objectId" in result or _format_primitive(result) not in _FALSE

    return await _evaluate_with_refs(page, code, read, any_origin=any_origin) or False


async def _evaluate_with_refs(
    page: PageCommand,
    code: str,
    read: Callable[[_EvalTarget, dict[str, Any]], Awaitable[Read]],
    *,
    any_origin: bool,
) -> Read | None:
    """Evaluate code in which refs (`@e3`) stand for elements; None if it navigated the page.

    `read`: converts the response of `Runtime.evaluate` to the result that is returned. `any_origin`: omit
    `check_script_allowed`, which raises Refused if cookies were imported for other sites than the page's.
    """
    named, refs = replace_refs(code) if len(code) < _LONG_CODE else await asyncio.to_thread(replace_refs, code)
    elements = [await locate(page, f"@{name}") for name in refs]
    if not any_origin:
        await check_script_allowed(page, [element.frame for element in elements])
    try:
        target = await _choose_target(page, elements)
        async with _define_refs(page, target, refs, elements):
            return await read(target, await _evaluate_like_console(page, target, named))
    except (ProtocolError, FrameGone) as error:
        if isinstance(error, FrameGone) or failures.is_navigation_interrupt(error):
            return None
        raise failures.translate(error) from None


async def _evaluate_like_console(page: PageCommand, target: _EvalTarget, code: str) -> dict[str, Any]:
    """Evaluate code like a console: top-level await, and the value of the last statement.

    Braces mean an object, unless the code only makes sense as a block. A `return` at the top works, too. Names that the page,
    or an earlier call with another keyword, has declared are declared anew, for this call only.
    """
    if re.fullmatch(r"\s*\{.*\}\s*", code, re.S):
        answer = await _evaluate(page, target, f"({code}\n)")
        if not _is_syntax_error(answer):
            return await _await_promise(page, target, answer)
    answer = await _evaluate(page, target, code)
    if _is_syntax_error(answer, "Illegal return statement"):
        answer = await _evaluate(page, target, f"(async () => {{{code}\n}})()")
    elif _is_syntax_error(answer, "has already been declared"):  # an error before any of it has run
        answer = await _evaluate(page, target, f"{{{code}\n}}")
    return await _await_promise(page, target, answer)


def _explain_value_type(kind: str, code: str) -> list[str]:
    """Return notes on a value that may be a mistake: undefined, or a function that was not called.

    `kind`: the value's type in the protocol. `code`: what was evaluated.
    """
    if kind == "function":
        return ["the value is a function, which was not called"]
    if kind != "undefined":
        return []
    is_single = len(code) < _LONG_CODE and not _STATEMENTS.search(
        _STRINGS_AND_COMMENTS.sub("", code).strip(" \n;")
    )
    return ["undefined" if is_single else "undefined; use 'return <value>', or end with an expression"]


def _is_syntax_error(answer: dict[str, Any], message: str = "") -> bool:
    """Return whether Chromium could not parse the code, for a reason that contains `message`.

    `answer`: the response of `Runtime.evaluate`. A SyntaxError that running code throws does not count.
    """
    details = answer.get("exceptionDetails", {})
    thrown = details.get("exception", {})
    return (
        thrown.get("className") == "SyntaxError"
        and "stackTrace" not in details
        and message in str(thrown.get("description"))
    )


async def _evaluate(page: PageCommand, target: _EvalTarget, code: str) -> dict[str, Any]:
    """Evaluate code, and return the response of `Runtime.evaluate`.

    The end of the page's event-loop turn is requested right after the code, or after the value of code with `await`.
    """
    waits = "await" in code
    sent = target.session.send(
        "Runtime.evaluate",
        {
            "expression": code,
            "replMode": True,
            "awaitPromise": True,
            "userGesture": True,
            "objectGroup": target.group,
            "generatePreview": False,
            **target.context_parameter,
        },
    )
    if not waits:
        page.request_turn_end()
    answer = await sent
    if waits:
        page.request_turn_end()
    result = answer.get("exceptionDetails", {}).get("exception", answer.get("result", {}))
    target.holds_objects = target.holds_objects or "objectId" in result
    return answer


async def _await_promise(page: PageCommand, target: _EvalTarget, answer: dict[str, Any]) -> dict[str, Any]:
    """Await the promise that code has returned. Return the response with its value.

    `answer`: the response of `Runtime.evaluate`, which is returned unchanged if it has no promise.
    """
    while answer.get("result", {}).get("subtype") == "promise" and "exceptionDetails" not in answer:
        answer = await target.session.send(
            "Runtime.awaitPromise", {"promiseObjectId": answer["result"]["objectId"]}
        )
        page.request_turn_end()
        if "exceptionDetails" in answer:
            await (
                page.world.wait_event_loop_turn()
            )  # Chromium withdraws the report of an unhandled rejection in this turn
    return answer


# the target, and the refs in it


async def _choose_target(page: PageCommand, elements: Sequence[Element]) -> _EvalTarget:
    """Return where to run code: in the first element's frame, or without elements in the selected frame."""
    frame = elements[0].frame if elements else page.frame
    if frame == page.tab.page.main_frame:
        return _EvalTarget(page.world.session)
    context = await page.world.frames.context_of(frame)
    return _EvalTarget(context.target.session, await _page_context_id(context))


async def _page_context_id(context: ExecutionContext) -> str:
    """Return the unique id of the main world, where the page's scripts run, in the frame of `context`.

    `context`: our isolated world in that frame. Raises NoDocument if the frame has no main world.
    """
    target = context.target
    if context.frame_id not in target.page_contexts:
        await target.ping()
    if context.frame_id not in target.page_contexts:
        raise NoDocument
    return target.page_contexts[context.frame_id]


@asynccontextmanager
async def _define_refs(
    page: PageCommand, target: _EvalTarget, refs: Sequence[str], elements: Sequence[Element]
) -> AsyncIterator[None]:
    """Define `$ref_e3` … for the elements as globals of the main world during the block."""
    for ref, element in zip(refs, elements, strict=True):
        handle = await _page_handle(page, element, target.group)
        await target.session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": _DEFINE,
                "objectId": handle,
                "arguments": [{"value": f"$ref_{ref}"}, {"objectId": handle}],
            },
        )
    try:
        yield
    finally:
        if refs or target.holds_objects:
            page.context.background.start(_release_objects(target, refs))


async def _page_handle(page: PageCommand, element: Element, group: str) -> str:
    """Return the id of a remote object for an element, in the main world. `group`: its object group."""
    context = await page.world.frames.context_of(element.frame)
    node = await evaluate(context, f"__gbrowse.nodeFor({element.node})", group=group)
    described = await send(context, "DOM.describeNode", objectId=node["objectId"])
    resolved = await send(
        context, "DOM.resolveNode", backendNodeId=described["node"]["backendNodeId"], objectGroup=group
    )
    return str(resolved["object"]["objectId"])


async def _release_objects(target: _EvalTarget, refs: Sequence[str]) -> None:
    """Delete the globals that `_define_refs` made, and release Chromium's objects of the evaluation."""
    with suppress(ProtocolError):  # the page, and all of it, has gone
        if refs:
            names = ";".join(f"delete globalThis.$ref_{ref}" for ref in refs)
            await target.session.send("Runtime.evaluate", {"expression": names, **target.context_parameter})
        await target.session.send("Runtime.releaseObjectGroup", {"objectGroup": target.group})


async def _format_value(session: Session, result: dict[str, Any]) -> str:
    """Format a value as text. `result`: the protocol's `RemoteObject`."""
    return await _format_object(session, result) if "objectId" in result else _format_primitive(result)


def _format_primitive(result: dict[str, Any]) -> str:
    """Format a primitive value as text; "" for undefined. `result`: the protocol's `RemoteObject`."""
    if result["type"] == "undefined":
        return ""
    if "unserializableValue" in result:
        return str(result["unserializableValue"]).removesuffix("n")
    return logs.format_primitive(result.get("value"))


@cache
def _read_formatter() -> str:
    """Return the JavaScript source of `formatObject`, which formats objects in the page."""
    source = Path(__file__).with_name("format-object.js").read_text(encoding="utf-8")
    return source[source.index("function formatObject") :]


async def _format_object(session: Session, result: dict[str, Any]) -> str:
    """Format an object as JSON, an error with its message, a function as its source, by asking the page.

    `result`: the protocol's `RemoteObject`.
    """
    described = str(result.get("description", result["type"]))
    if result["type"] in ("function", "symbol"):
        return described
    answer = await session.send(
        "Runtime.callFunctionOn",
        {"functionDeclaration": _read_formatter(), "objectId": result["objectId"], "returnByValue": True},
    )
    written = answer["result"].get("value")
    text = written if isinstance(written, str) else described
    return logs.collapse_wrapped_error(text) if result.get("subtype") == "error" else text


async def _format_error(session: Session, details: dict[str, Any]) -> str:
    """Format what was thrown in one line: `TypeError: x is not a function`.

    `details`: the protocol's `ExceptionDetails`.
    """
    thrown = details.get("exception", {})
    if not thrown:
        return one_line(details.get("text", ""), 500) or "the script failed"
    if thrown.get("type") == "undefined":
        return "undefined"
    if thrown.get("subtype") != "error":
        return one_line(await _format_value(session, thrown), 500) or '""'
    return one_line(logs.error_message(str(thrown["description"])), 500)


WAIT_SECONDS = 30.0
POLL_SECONDS = 0.1
LEAST_EVALUATION_SECONDS = 0.5
"""Least time for one evaluation."""
ANSWER_SECONDS = 0.3
"""Time to answer for a page whose code has no value in time."""


async def wait_for_script(page: PageCommand, code: str, *, any_origin: bool) -> str:
    """Run the user's code every 0.1 s until its value is truthy, also if it throws. Return the reply.

    `any_origin`: as for `is_true`. Raises what `is_true` raises, except ScriptFailed. Raises TimedOut after `--timeout` or 30 s;
    TimeoutError if the page does not answer at all by then.
    """
    give_up = page.give_up_time(WAIT_SECONDS)
    while True:
        problem = ""
        try:
            async with asyncio.timeout_at(max(give_up, page.now() + LEAST_EVALUATION_SECONDS)):
                if await is_true(page, code, any_origin=any_origin):
                    return "The expression is true"
        except TimeoutError:
            problem = "Its value did not come: it is a promise, or the page is busy"
            if not await page.world.answers_ping(ANSWER_SECONDS):
                page.waited = page.wait_seconds(WAIT_SECONDS)
                raise  # the caller finds out what keeps the page busy
        except ScriptFailed as error:
            problem = f"It threw {error.message}"
        if page.now() >= give_up:
            raise TimedOut(
                f"The expression was not true after {format_seconds(page.wait_seconds(WAIT_SECONDS))}",
                problem or "Run 'js <expression>' to see its value",
            )
        await asyncio.sleep(POLL_SECONDS)


MOST_BYTES = 5_000_000


def read_script(file: Path) -> str:
    """Read a script file as UTF-8 text of MOST_BYTES at most. Raises FileFailed."""
    try:
        return files.read_limited(str(file), MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileFailed(f"{file} is not UTF-8 text") from None
