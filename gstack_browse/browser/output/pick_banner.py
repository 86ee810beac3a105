"""The question in the person's window, and the field for their words. It stands in the page, which can neither read nor hear it."""

from collections.abc import Awaitable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError, evaluate

_BANNER = "globalThis.__gbrowseBanner"


class PickBanner:
    """The banner in one document of a tab. Its methods raise FrameGone when that document has gone."""

    def __init__(self, context: ExecutionContext) -> None:
        self._context = context

    async def show(self, question: str) -> None:
        """Show the question, in the place of an earlier one."""
        source = _source().rstrip().removesuffix(";")
        asked = orjson.dumps(question).decode()
        await self._tell(f"{_BANNER}?.remove(); {_BANNER} = ({source})({asked}); 0")

    async def given_up(self) -> None:
        """Ask the person to point. Returns when they have pressed Escape in the banner."""
        await self._tell(f"{_BANNER}.point()")

    async def words(self, name: str) -> tuple[str, str]:
        """Ask what there is to say about the element: `send`, `again` or `cancel`, and the person's words."""
        said = await self._tell(f"{_BANNER}.ask({orjson.dumps(name).decode()})")
        return str(said["act"]), str(said["words"])

    async def is_there(self) -> bool:
        """Whether the page has left the banner where it was put."""
        return bool(await self._tell(f"{_BANNER}.isThere()"))

    async def remove(self) -> None:
        """Take it away. Never raises."""
        with suppress(FrameGone, PageScriptError, PlaywrightError):
            await self._tell(f"{_BANNER}?.remove(); delete {_BANNER}; 0")

    def _tell(self, expression: str) -> Awaitable[Any]:
        return _value(self._context, expression)


async def _value(context: ExecutionContext, expression: str) -> Any:
    answer = await evaluate(context, expression, by_value=True)
    return answer.get("value")


@cache
def _source() -> str:
    return Path(__file__).with_name("pick-banner.js").read_text(encoding="utf-8")
