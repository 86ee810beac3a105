"""Read and write files on a remote browser's machine, over its protocol alone.

It uses a blank page in a browser context of its own. To read, a file is set in a detached file field of that page. It is a blob then, and
Chromium returns blobs piece by piece. To write, the page downloads the content.

docs/decisions/0013-remote-and-shared-browsers.md has the reasons.
"""

import asyncio
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError, Session

PIECE = 1 << 20
"""Bytes of one message."""
STEP_SECONDS = 20.0
"""Time limit for one request."""
_FIELD = "Object.assign(document.createElement('input'), { type: 'file' })"
_FIRST_FILE = "function () { return this.files[0] }"
_ADD = "function (piece) { this.push(Uint8Array.from(atob(piece), (letter) => letter.charCodeAt(0))) }"
_SAVE = """function (name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(this, { type: 'application/octet-stream' })); // else the name would get an ending
  link.download = name;
  link.click();
}"""


class RemoteFiles:
    """Reads and writes files on the machine of a remote browser."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._saving: dict[str, asyncio.Future[str]] = {}
        """Frame id of a download that was requested, then its GUID → future of the file's path."""
        self._is_subscribed = False

    async def read(self, path: str) -> AsyncIterator[bytes]:
        """Yield the content of the remote file `path` in pieces. Raises ProtocolError and TimeoutError."""
        async with self._open_page() as (page, _):
            field = await _make_object(page, _FIELD)
            await _send_within_limit(page, "DOM.setFileInputFiles", files=[path], objectId=field)
            file = await _call_function(page, field, _FIRST_FILE)
            handle = (
                f"blob:{(await _send_within_limit(page, 'IO.resolveBlob', objectId=file['objectId']))['uuid']}"
            )
            is_over = False
            while not is_over:
                piece = await _send_within_limit(page, "IO.read", handle=handle, size=PIECE)
                is_over = piece["eof"]
                data: str = piece["data"]
                yield b64decode(data) if piece.get("base64Encoded") else data.encode()

    async def write(self, folder: str, name: str, content: bytes) -> str:
        """Write a file into the remote directory `folder`. Return its path there.

        Chromium may change the name to one that it allows. Raises ProtocolError and TimeoutError.
        """
        self._subscribe_to_downloads()
        async with self._open_page() as (page, context):
            where = {"behavior": "allow", "downloadPath": folder, "eventsEnabled": True}
            await self._connection.ask_browser("Browser.setDownloadBehavior", browserContextId=context, **where)
            parts = await _make_object(page, "[]")
            for at in range(0, len(content), PIECE):
                await _call_function(page, parts, _ADD, b64encode(content[at : at + PIECE]).decode())
            frame = (await _send_within_limit(page, "Page.getFrameTree"))["frameTree"]["frame"]["id"]
            self._saving[frame] = saved = asyncio.get_running_loop().create_future()
            self._connection.events.downloads.silent_frames.add(frame)
            try:
                await _call_function(page, parts, _SAVE, name)
                async with asyncio.timeout(STEP_SECONDS):
                    path: str = await saved
                return path
            finally:
                self._connection.events.downloads.silent_frames.discard(frame)
                self._saving = {key: other for key, other in self._saving.items() if other is not saved}

    @asynccontextmanager
    async def _open_page(self) -> AsyncIterator[tuple[Session, str]]:
        """Open a blank page in a browser context of its own. Yield a session with it, and the context's id.

        The context is closed afterwards.
        """
        ask = self._connection.ask_browser
        async with asyncio.timeout(STEP_SECONDS):
            context = (await ask("Target.createBrowserContext", disposeOnDetach=True))["browserContextId"]
            self._connection.events.mute_context(context)
        try:
            async with asyncio.timeout(STEP_SECONDS):
                made = await ask("Target.createTarget", url="about:blank", browserContextId=context)
                page = await self._connection.open_session(made["targetId"])
            yield page, context
        finally:
            with suppress(ProtocolError, TimeoutError):
                async with asyncio.timeout(STEP_SECONDS):
                    await ask("Target.disposeBrowserContext", browserContextId=context)
            self._connection.forget(context)

    def _subscribe_to_downloads(self) -> None:
        """Listen for the browser's download events, unless that has been done."""
        if not self._is_subscribed:
            self._is_subscribed = True
            self._connection.on_browser_event("Browser.downloadWillBegin", self._on_download_begin)
            self._connection.on_browser_event("Browser.downloadProgress", self._on_download_progress)

    def _on_download_begin(self, event: dict[str, Any]) -> None:
        """Handle `Browser.downloadWillBegin`: know our download by its GUID, not by its frame, from now on."""
        if saved := self._saving.pop(event["frameId"], None):
            self._saving[event["guid"]] = saved

    def _on_download_progress(self, event: dict[str, Any]) -> None:
        """Handle `Browser.downloadProgress`: give a completed file's path to the `write` that waits for it."""
        if event["state"] == "inProgress" or not (saved := self._saving.pop(event["guid"], None)):
            return
        if saved.done():
            return
        if path := event.get("filePath", ""):
            saved.set_result(path)
        else:
            saved.set_exception(ProtocolError("The browser did not say where the file is"))


async def _send_within_limit(page: Session, method: str, **params: Any) -> dict[str, Any]:
    """Send a request and return its result. Raises TimeoutError after STEP_SECONDS."""
    async with asyncio.timeout(STEP_SECONDS):
        return await page.send(method, params)


async def _make_object(page: Session, expression: str) -> str:
    """Evaluate a JavaScript expression in the page. Return the remote id of the object that it makes."""
    answer = await _send_within_limit(page, "Runtime.evaluate", expression=expression)
    made: str = answer["result"]["objectId"]
    return made


async def _call_function(page: Session, object_id: str, function: str, *arguments: str) -> dict[str, Any]:
    """Call a JavaScript function on a remote object. Return the `RemoteObject` it returned.

    `function`: its source text. Raises ProtocolError if it throws.
    """
    answer = await _send_within_limit(
        page,
        "Runtime.callFunctionOn",
        objectId=object_id,
        functionDeclaration=function,
        arguments=[{"value": value} for value in arguments],
        userGesture=True,
    )
    if "exceptionDetails" in answer:
        raise ProtocolError(answer["exceptionDetails"].get("text", "the page of our own failed"))
    result: dict[str, Any] = answer["result"]
    return result
