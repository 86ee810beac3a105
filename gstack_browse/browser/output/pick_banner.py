"""The banner in the person's window: a question, and a field for their words, unreadable for the page."""

from collections.abc import Awaitable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, evaluate

_BANNER = "globalThis.__gbrowseBanner"


class PickBanner:
    """The banner in one document of a tab. Its methods raise FrameGone if that document has gone."""

    def __init__(self, context: ExecutionContext) -> None:
        self._context = context

    async def show(self, question: str) -> None:
        """Show the question, in place of an earlier one."""
        source = _source().rstrip().removesuffix(";")
        argument = orjson.dumps(question).decode()
        await self._evaluate(f"{_BANNER}?.remove(); {_BANNER} = ({source})({argument}); 0")

    async def wait_until_cancelled(self) -> None:
        """Ask the person to point. Returns when they have pressed Escape in the banner."""
        await self._evaluate(f"{_BANNER}.point()")

    async def ask_for_words(self, name: str) -> tuple[str, str]:
        """Ask for words about the element. Return `send`, `again` or `cancel`, and the words."""
        answer = await self._evaluate(f"{_BANNER}.ask({orjson.dumps(name).decode()})")
        return str(answer["act"]), str(answer["words"])

    async def is_there(self) -> bool:
        """Return whether the banner is still in the page."""
        return bool(await self._evaluate(f"{_BANNER}.isThere()"))

    async def remove(self) -> None:
        """Remove the banner. Never raises."""
        with suppress(FrameGone, PageScriptError, ProtocolError):
            await self._evaluate(f"{_BANNER}?.remove(); delete {_BANNER}; 0")

    def _evaluate(self, expression: str) -> Awaitable[Any]:
        return _value(self._context, expression)


async def _value(context: ExecutionContext, expression: str) -> Any:
    answer = await evaluate(context, expression, by_value=True)
    return answer.get("value")


@cache
def _source() -> str:
    return Path(__file__).with_name("pick-banner.js").read_text(encoding="utf-8")
