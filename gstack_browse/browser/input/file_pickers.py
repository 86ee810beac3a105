"""Give files to the pickers of the File System Access API that a press opens.

These are `showOpenFilePicker` and `showDirectoryPicker`. The protocol cannot answer them: Chromium reports and
refuses them. `file-pickers.js` gives the page a replacement. A save picker is only reported.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.session import Session, consume_exception
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.input.find import Element
from gstack_browse.errors import ActionFailed

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

GIVE_SECONDS = 5.0
"""How long the page may take to make handles of the files that it is given."""
_COPY = 1
"""The drag operation "copy" (the protocol's bit)."""


class FilePickers:
    """The replaced pickers of one document. The future `asked` is done once the page has called one."""

    def __init__(self, session: Session, object_id: str) -> None:
        self._session = session
        self._object_id = object_id
        self.asked = asyncio.ensure_future(self._call("asked"))
        self.asked.add_done_callback(consume_exception)

    async def give(self, page: "PageSession", paths: Sequence[str]) -> None:
        """Give files, or a folder, to the called picker, by paths on the browser's machine.

        Raises ActionFailed if the page does not take them.
        """
        x, y = await self._call("takeDrop()")
        data = {"items": [], "files": list(paths), "dragOperationsMask": _COPY}
        try:
            for event in ("dragEnter", "dragOver", "drop"):
                params = {"type": event, "x": x, "y": y, "data": data}
                await page.world.within(
                    page.world.session.send("Input.dispatchDragEvent", params), GIVE_SECONDS
                )
            await page.world.within(self._call("given"), GIVE_SECONDS)
        except TimeoutError:
            raise ActionFailed("The page asked for a file, and did not take it") from None

    async def wait_for_call(self) -> dict[str, Any] | None:
        """Return the picker called so far (its kind, and whether it takes several files); None if none was."""
        with suppress(ProtocolError):
            await self._session.send("Runtime.evaluate", {"expression": "0"})  # answered after any picker call
        return self.called

    @property
    def called(self) -> dict[str, Any] | None:
        """Return the called picker, without asking the page; None if no call is known yet."""
        is_known = self.asked.done() and not self.asked.cancelled() and not self.asked.exception()
        return self.asked.result() if is_known else None

    def end(self) -> None:
        """Restore Chromium's own pickers. Does not wait: a dialog may be open."""
        self.asked.cancel()
        self._session.notify("Runtime.callFunctionOn", self._request("end()"))
        self._session.notify("Runtime.releaseObject", {"objectId": self._object_id})

    async def _call(self, what: str) -> Any:
        told = await self._session.send("Runtime.callFunctionOn", self._request(what))
        return told["result"].get("value")

    def _request(self, what: str) -> dict[str, Any]:
        function = f"function() {{ return this.{what} }}"
        return {
            "objectId": self._object_id,
            "functionDeclaration": function,
            "awaitPromise": True,
            "returnByValue": True,
        }


@asynccontextmanager
async def replace_meanwhile(page: "PageSession", element: Element) -> AsyncIterator[FilePickers | None]:
    """Replace the pickers of an element's document within this context; yields None if it has none."""
    pickers = None
    with suppress(ProtocolError, FrameGone):
        pickers = await _begin(page, element)
    try:
        yield pickers
    finally:
        if pickers:
            pickers.end()


async def _begin(page: "PageSession", element: Element) -> FilePickers | None:
    context = await page.world.frames.context_of(element.frame)
    where = context.target.page_contexts.get(context.frame_id)
    if where is None:
        return None
    session = context.target.session
    begun = await session.send("Runtime.evaluate", {"expression": f"({_script()})()", "uniqueContextId": where})
    object_id = begun["result"].get("objectId")
    return FilePickers(session, object_id) if object_id else None


@cache
def _script() -> str:
    """Return `file-pickers.js` as a JavaScript function expression."""
    return Path(__file__).with_name("file-pickers.js").read_text(encoding="utf-8").rstrip().removesuffix(";")
