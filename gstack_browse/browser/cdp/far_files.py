"""Files on a browser's own machine, read and written over its protocol alone: for a browser whose disk is not ours.

A blank page does it, in a browser context of its own. A file is read through a file field of that page, which is in no document: what the
field holds is a blob, and Chromium gives out blobs piece by piece. A file is written by having the page download it.

docs/decisions/0330-files-of-another-machine.md has the reasons.
"""

import asyncio
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.playwright_names import Error
from gstack_browse.browser.cdp.session import Session

PIECE = 1 << 20
"""Bytes that cross the wire at a time."""
STEP_SECONDS = 20.0
"""How long the browser may take for one piece, or to begin."""
_FIELD = "Object.assign(document.createElement('input'), { type: 'file' })"
_FIRST_FILE = "function () { return this.files[0] }"
_ADD = "function (piece) { this.push(Uint8Array.from(atob(piece), (letter) => letter.charCodeAt(0))) }"
_SAVE = """function (name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(this, { type: 'application/octet-stream' })); // else the name would get an ending
  link.download = name;
  link.click();
}"""


class FarFiles:
    """The files that a browser can reach. `making` is held while a browser context is made."""

    def __init__(self, connection: Connection, making: asyncio.Lock) -> None:
        self._connection = connection
        self._making = making
        self._saving: dict[str, asyncio.Future[str]] = {}
        """Frame in which a file is saved, then the download itself → where the file lies."""
        self._hears = False

    async def read(self, path: str) -> AsyncIterator[bytes]:
        """What is in a file, piece by piece. Raises Playwright's Error and TimeoutError."""
        async with self._page() as (page, _):
            field = await _made(page, _FIELD)
            await _asked(page, "DOM.setFileInputFiles", files=[path], objectId=field)
            file = await _called(page, field, _FIRST_FILE)
            handle = f"blob:{(await _asked(page, 'IO.resolveBlob', objectId=file['objectId']))['uuid']}"
            is_over = False
            while not is_over:
                piece = await _asked(page, "IO.read", handle=handle, size=PIECE)
                is_over = piece["eof"]
                data: str = piece["data"]
                yield b64decode(data) if piece.get("base64Encoded") else data.encode()

    async def write(self, folder: str, name: str, content: bytes) -> str:
        """Make a file of that name, or the nearest that the browser allows, in a directory there. Returns its path.

        Raises Playwright's Error and TimeoutError.
        """
        await self._hear()
        async with self._page() as (page, context):
            where = {"behavior": "allow", "downloadPath": folder, "eventsEnabled": True}
            await self._connection.ask_browser("Browser.setDownloadBehavior", browserContextId=context, **where)
            parts = await _made(page, "[]")
            for at in range(0, len(content), PIECE):
                await _called(page, parts, _ADD, b64encode(content[at : at + PIECE]).decode())
            frame = (await _asked(page, "Page.getFrameTree"))["frameTree"]["frame"]["id"]
            self._saving[frame] = saved = asyncio.get_running_loop().create_future()
            self._connection.tap.silent_frames.add(frame)
            try:
                await _called(page, parts, _SAVE, name)
                async with asyncio.timeout(STEP_SECONDS):
                    path: str = await saved
                return path
            finally:
                self._connection.tap.silent_frames.discard(frame)
                self._saving = {key: other for key, other in self._saving.items() if other is not saved}

    @asynccontextmanager
    async def _page(self) -> AsyncIterator[tuple[Session, str]]:
        """A session with a blank page, and the browser context that is for it alone."""
        ask = self._connection.ask_browser
        async with asyncio.timeout(STEP_SECONDS):
            async with self._making:
                context = (await ask("Target.createBrowserContext", disposeOnDetach=True))["browserContextId"]
            self._connection.tap.silence(context)
        try:
            async with asyncio.timeout(STEP_SECONDS):
                made = await ask("Target.createTarget", url="about:blank", browserContextId=context)
                page = await self._connection.session(made["targetId"])
            yield page, context
        finally:
            with suppress(Error, TimeoutError):
                async with asyncio.timeout(STEP_SECONDS):
                    await ask("Target.disposeBrowserContext", browserContextId=context)
            self._connection.forget(context)

    async def _hear(self) -> None:
        """Hear of what is downloaded, from the first time on."""
        if not self._hears:
            self._hears = True
            await self._connection.on_browser("Browser.downloadWillBegin", self._begins)
            await self._connection.on_browser("Browser.downloadProgress", self._goes_on)

    def _begins(self, event: dict[str, Any]) -> None:
        if saved := self._saving.pop(event["frameId"], None):
            self._saving[event["guid"]] = saved

    def _goes_on(self, event: dict[str, Any]) -> None:
        if event["state"] == "inProgress" or not (saved := self._saving.pop(event["guid"], None)):
            return
        if saved.done():
            return
        if path := event.get("filePath", ""):
            saved.set_result(path)
        else:
            saved.set_exception(Error("The browser did not say where the file is"))


async def _asked(page: Session, method: str, **params: Any) -> dict[str, Any]:
    async with asyncio.timeout(STEP_SECONDS):
        return await page.send(method, params)


async def _made(page: Session, expression: str) -> str:
    """The id of an object that is made in the page."""
    answer = await _asked(page, "Runtime.evaluate", expression=expression)
    made: str = answer["result"]["objectId"]
    return made


async def _called(page: Session, object_id: str, function: str, *given: str) -> dict[str, Any]:
    answer = await _asked(
        page,
        "Runtime.callFunctionOn",
        objectId=object_id,
        functionDeclaration=function,
        arguments=[{"value": value} for value in given],
        userGesture=True,
    )
    if "exceptionDetails" in answer:
        raise Error(answer["exceptionDetails"].get("text", "the page of our own failed"))
    told: dict[str, Any] = answer["result"]
    return told
