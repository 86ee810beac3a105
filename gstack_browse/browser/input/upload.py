"""Give files, or a folder, to a file field, or to the file chooser that an element opens."""

import asyncio
import secrets
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from gstack_browse import files
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.input import file_pickers, presses
from gstack_browse.browser.input.file_pickers import FilePickers
from gstack_browse.browser.input.find import Element, locate
from gstack_browse.browser.input.folders import Folder, looked_through
from gstack_browse.browser.input.readiness import LOOK_AGAIN_SECONDS, POINTER, WAIT_SECONDS, Probe, ready
from gstack_browse.browser.tabs import chooser_interception
from gstack_browse.browser.tabs.file_choosers import FileChooser
from gstack_browse.errors import ActionFailed, NotInteractable, TargetError, UsageError
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession

CHOOSER_SECONDS = 3.0
FOLDER_SECONDS = 30.0
"""Time limit for Chromium to look through a folder."""
_EXPECT_INPUT = """function() {
  this.gbrowseInput = new Promise((heard) => this.addEventListener('input', () => heard(), { once: true }));
}"""
_INPUT = "function() { return this.gbrowseInput; }"
"""Waits for the `input` event that `_EXPECT_INPUT` listens for. The page cannot see the property: it is in our isolated world."""
_SET_FILES = """function(files) {
  const given = new DataTransfer();
  const decode = (content) => Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  for (const { name, type, content } of files) given.items.add(new File([decode(content)], name, { type }));
  this.files = given.files;
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
}"""
MOST_SENT = 50_000_000
"""Most bytes that are sent to a browser at once."""


class FilePayload(TypedDict):
    """A file by its content."""

    name: str
    mimeType: str
    buffer: bytes


async def upload(page: "PageSession", target: str, paths: Sequence[Path]) -> Folder | None:
    """Give files to a file field, even a hidden one, or to the chooser that a click opens.

    Returns the contents of a given folder, None for files. Raises NotInteractable for several files if one is
    wanted, or a folder if files are wanted, ActionFailed if no file is asked for.
    """
    field = await _file_field(page, target)
    folder = await asyncio.to_thread(_folder_in, paths)
    if not folder:
        await asyncio.to_thread(still_there, paths)
    elif not page.session.running.shares_disk:
        raise ActionFailed(
            "A folder cannot be given to a browser on another machine",
            "Drop the files, where the page takes that: drop <target> <file>…",
        )
    if field:
        await _give(page, field, paths, folder)
    else:
        await _through_chooser(page, target, paths, folder)
    return folder


def _folder_in(paths: Sequence[Path]) -> Folder | None:
    """Return the contents of the folder among the paths; None if all are files.

    Raises UsageError for a folder beside other paths.
    """
    found = [path for path in paths if path.is_dir()]
    if found and len(paths) > 1:
        raise UsageError("A folder is given alone", "One folder, or any number of files")
    return looked_through(found[0]) if found else None


def still_there(paths: Sequence[Path]) -> None:
    """Raise Refused if one of these real paths leads elsewhere by now, FileFailed if it cannot be read."""
    for path in paths:
        with files.open_to_read(str(path)):
            pass


async def _file_field(page: "PageSession", target: str) -> Element | None:
    """Wait for the target, or the element that a press on it reaches, to be an enabled file field.

    Returns None for any other element.
    """
    give_up = page.wait_until(WAIT_SECONDS)
    while True:
        problem: TargetError
        try:
            element = await locate(page, target)
            probe = Probe(await element.ask("probe", ""))
            if (probe.tag, probe.type) != ("input", "file"):
                over = await element.ask("fileFieldOver")
                return Element(target, element.frame, over, page) if over else None
            if not probe.disabled:
                return element
            problem = NotInteractable(f"{probe.text} is disabled", failures.SEE_ELEMENTS)
        except TargetError as error:
            problem = error
        if page.now() >= give_up:
            raise problem
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


async def _give(page: "PageSession", field: Element, paths: Sequence[Path], folder: Folder | None) -> None:
    if asks := await field.ask("fileField"):
        _fit(field.target, paths, folder, takes_several=asks["multiple"], takes_folder=asks["folder"])
    try:
        if page.session.running.shares_disk:
            async with _awaiting_input_event(page, field.call_on, folder):
                await field.send("DOM.setFileInputFiles", files=[str(path) for path in paths])
        else:
            await field.call_on(_SET_FILES, await asyncio.to_thread(lambda: _encoded(paths)))
    except FrameGone:
        raise failures.frame_gone() from None
    except ProtocolError as error:
        raise failures.translate(error) from None


@asynccontextmanager
async def _awaiting_input_event(
    page: "PageSession", call: Callable[[str], Awaitable[Any]], folder: Folder | None
) -> AsyncIterator[None]:
    """Wait after the block for the `input` event of a field that has got a folder.

    Chromium lists a folder in the background, and sends the event when it is done. `call`: calls a JavaScript function with the field as
    `this`.
    """
    if folder is None:
        yield
        return
    await call(_EXPECT_INPUT)
    yield
    with suppress(TimeoutError, ProtocolError):  # the page may remove a field that it has read
        async with asyncio.timeout(page.budget(FOLDER_SECONDS)):
            await call(_INPUT)


def _fit(
    name: str, paths: Sequence[Path], folder: Folder | None, *, takes_several: bool, takes_folder: bool
) -> None:
    """Raise NotInteractable if a field does not take such files, or the folder."""
    if takes_folder and not folder:
        raise NotInteractable(
            f"{name} takes a folder, not files", "Name the folder that they are in: upload <target> <folder>"
        )
    if folder and not takes_folder:
        raise NotInteractable(f"{name} takes files, not a folder", "Name the files: upload <target> <file>…")
    if len(paths) > 1 and not takes_several:
        raise NotInteractable(f"{name} takes one file, not {len(paths)}")


def _payloads(paths: Sequence[Path]) -> list[FilePayload]:
    import mimetypes  # only where files go to another machine

    payloads: list[FilePayload] = []
    left = MOST_SENT
    for path in paths:
        with files.open_to_read(str(path)) as file:
            content = file.read(left + 1)
        left -= len(content)
        if left < 0:
            raise ActionFailed(
                f"More than {MOST_SENT // 1_000_000} MB cannot be sent to a browser on another machine",
                "Give it smaller files, or fewer at a time",
            )
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        payloads.append({"name": path.name, "mimeType": kind, "buffer": content})
    return payloads


async def there(page: "PageSession", paths: Sequence[Path]) -> list[str]:
    """Return the files' paths on the browser's machine: their own, or those of copies.

    Raises ActionFailed for more than can be sent.
    """
    running = page.session.running
    if running.shares_disk:
        return [str(path) for path in paths]
    payloads = await asyncio.to_thread(lambda: _payloads(paths))
    copies = []
    for number, sent in enumerate(payloads):
        folder = f"{running.downloads}/dropped/{secrets.token_hex(8)}-{number}"
        try:
            copies.append(await running.remote_files.write(folder, sent["name"], sent["buffer"]))
        except (ProtocolError, TimeoutError) as error:
            why = error.message if isinstance(error, ProtocolError) else "it says nothing"
            raise ActionFailed(
                f"{sent['name']} could not be sent to the browser's machine: {one_line(why, 150)}",
                "Use 'upload', where the page has a file field",
            ) from None
    return copies


async def _through_chooser(
    page: "PageSession", target: str, paths: Sequence[Path], folder: Folder | None
) -> None:
    element, probe = await ready(page, target, POINTER)
    page.tab.effects.file_choosers.pressed = target
    try:
        async with file_pickers.replace_meanwhile(page, element) as pickers:
            chooser = await _chooser(page, element, probe, pickers)
            if chooser and chooser.node:
                await _give_to_chooser(page, chooser, probe.text, paths, folder)
            else:
                await _give_to_picker(page, pickers, probe.text, paths, folder)
    except FrameGone:
        raise failures.frame_gone() from None
    except ProtocolError as error:
        raise failures.translate(error) from None


async def _give_to_chooser(
    page: "PageSession", chooser: FileChooser, name: str, paths: Sequence[Path], folder: Folder | None
) -> None:
    """Give files to the field whose chooser has opened.

    If they do not fit, the page hears that the chooser was cancelled.
    """
    asks = "function() { return [this.multiple, this.webkitdirectory] }"
    takes_several, takes_folder = await chooser.call_on_field(asks)
    try:
        _fit(name, paths, folder, takes_several=takes_several, takes_folder=takes_folder)
    except NotInteractable:
        await chooser.call_on_field("function() { this.dispatchEvent(new Event('cancel', { bubbles: true })) }")
        raise
    if page.session.running.shares_disk:
        files = {"files": [str(path) for path in paths], "backendNodeId": chooser.node}
        async with _awaiting_input_event(page, chooser.call_on_field, folder):
            await chooser.target.session.send("DOM.setFileInputFiles", files)
    else:
        await chooser.call_on_field(_SET_FILES, await asyncio.to_thread(lambda: _encoded(paths)))


async def _give_to_picker(
    page: "PageSession",
    pickers: FilePickers | None,
    name: str,
    paths: Sequence[Path],
    folder: Folder | None,
) -> None:
    """Give files to a picker of the File System Access API."""
    called = await pickers.wait_for_call() if pickers else None
    if not (pickers and called):
        raise ActionFailed(
            f"{name} asks by a picker of the File System Access API that the page has kept, and Chromium refuses that",
            "Drop the files, where the page takes that: drop <target> <file>…",
        )
    if called["kind"] == "save":
        raise ActionFailed(
            f"{name} asks where to save a file, and no command can say that",
            "See whether the page has a download instead",
        )
    _fit(name, paths, folder, takes_several=called["multiple"], takes_folder=called["kind"] == "folder")
    await pickers.give(page, await there(page, paths))


def _encoded(paths: Sequence[Path]) -> list[dict[str, str]]:
    return [
        {"name": file["name"], "type": file["mimeType"], "content": b64encode(file["buffer"]).decode()}
        for file in _payloads(paths)
    ]


async def _chooser(
    page: "PageSession", element: Element, probe: Probe, pickers: FilePickers | None
) -> FileChooser | None:
    """Press the element and return the chooser that opens; None where the page calls one of `pickers`."""
    asked: asyncio.Future[FileChooser] = asyncio.get_running_loop().create_future()

    def answer(chooser: FileChooser) -> None:
        if not asked.done():
            asked.set_result(chooser)

    with chooser_interception.leave_open(page.session.running, page.tab, answer):
        if pickers:
            pickers.asked.add_done_callback(lambda _: page.tab.touch())
        pressed, place = presses.press_target(element, probe)
        await presses.press(page, pressed, probe, place=place)

        def is_asked() -> bool:
            return asked.done() or bool(pickers and pickers.called)

        if await page.tab.in_time(is_asked, page.patience(CHOOSER_SECONDS)):
            return asked.result() if asked.done() else None
    raise ActionFailed(
        f"{probe.text} was clicked and asked for no file",
        "Name the file field itself: upload 'input[type=file]' …",
    )
