"""Give files to a file field, a chooser, a picker, or a place that takes a drop. Also a whole folder."""

import asyncio
import os
import secrets
import stat
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from gstack_browse.browser import dialogs
from gstack_browse.browser.actions.input import presses
from gstack_browse.browser.actions.input.mouse import FRAME_SECONDS, Mouse
from gstack_browse.browser.actions.locate.find import Element, locate
from gstack_browse.browser.actions.pointer.changes import VisualDiff
from gstack_browse.browser.actions.pointer.drag import read_drag_outcome
from gstack_browse.browser.actions.reach import Aim, wait_for_point
from gstack_browse.browser.actions.readiness import (
    LOOK_AGAIN_SECONDS,
    POINTER,
    WAIT_SECONDS,
    ElementReport,
    wait_until_ready,
)
from gstack_browse.browser.cdp.session import ProtocolError, Session, consume_exception
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone
from gstack_browse.browser.tab.effects import FileChooser
from gstack_browse.errors import ActionFailed, FileFailed, NotInteractable, Refused, TargetError, UsageError
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace import files
from gstack_browse.workspace.directory import SCRATCH_PREFIX, STATE_DIRECTORY, printable_path

GIVE_SECONDS = 5.0
"""How long the page may take to make handles of the files that it is given."""
_COPY = 1
"""The drag operation "copy" (the protocol's bit)."""


class FilePickers:
    """Our pickers in place of `showOpenFilePicker` and the like in one document (File System Access API).

    The future `call` is done once the page has called one.
    """

    def __init__(self, session: Session, object_id: str) -> None:
        self._session = session
        self._object_id = object_id
        self.call = asyncio.ensure_future(self._evaluate("pickerCall"))
        self.call.add_done_callback(consume_exception)

    async def give_files(self, page: PageCommand, paths: Sequence[str]) -> None:
        """Give files, or a folder, to the picker that the page has called. `paths`: on the browser's machine.

        Raises ActionFailed if the page does not take them.
        """
        x, y = await self._evaluate("makeDropFrame()")
        data = {"items": [], "files": list(paths), "dragOperationsMask": _COPY}
        try:
            for event in ("dragEnter", "dragOver", "drop"):
                params = {"type": event, "x": x, "y": y, "data": data}
                await page.world.run_with_timeout(
                    page.world.session.send("Input.dispatchDragEvent", params), GIVE_SECONDS
                )
            await page.world.run_with_timeout(self._evaluate("handlesPassed"), GIVE_SECONDS)
        except TimeoutError:
            raise ActionFailed("The page asked for a file, and did not take it") from None

    async def wait_for_call(self) -> dict[str, Any] | None:
        """Ask the page which picker it has called by now. Return {"kind", "multiple"}; None for none.

        "kind": "file", "folder" or "save". "multiple": whether it takes several files.
        """
        with suppress(ProtocolError):
            await self._session.send("Runtime.evaluate", {"expression": "0"})  # answered after any picker call
        return self.called_picker

    @property
    def called_picker(self) -> dict[str, Any] | None:
        """Return the call that the page has reported, {"kind", "multiple"}; None for none. Does not wait."""
        is_known = self.call.done() and not self.call.cancelled() and not self.call.exception()
        return self.call.result() if is_known else None

    def end(self) -> None:
        """Restore Chromium's own pickers. Does not wait: a dialog may be open."""
        self.call.cancel()
        self._session.notify("Runtime.callFunctionOn", self._evaluate_parameters("end()"))
        self._session.notify("Runtime.releaseObject", {"objectId": self._object_id})

    async def _evaluate(self, member: str) -> Any:
        """Evaluate `member` of the page's picker object, such as `end()`. Return its awaited value.

        Raises ProtocolError.
        """
        outcome = await self._session.send("Runtime.callFunctionOn", self._evaluate_parameters(member))
        return outcome["result"].get("value")

    def _evaluate_parameters(self, member: str) -> dict[str, Any]:
        """Return parameters of `Runtime.callFunctionOn` that evaluate `member` of the page's picker object.

        `member`: JavaScript after `this.`, such as `end()`.
        """
        function = f"function() {{ return this.{member} }}"
        return {
            "objectId": self._object_id,
            "functionDeclaration": function,
            "awaitPromise": True,
            "returnByValue": True,
        }


@asynccontextmanager
async def replacing_pickers(page: PageCommand, element: Element) -> AsyncIterator[FilePickers | None]:
    """Replace the file pickers of an element's document by ours within this context.

    They are those of the File System Access API. Yield a handle on ours; None if the document has gone, or has no pickers.
    """
    pickers = None
    with suppress(ProtocolError, FrameGone):
        context = await page.world.frames.context_of(element.frame)
        if where := context.target.page_contexts.get(context.frame_id):
            session = context.target.session
            script = {"expression": f"({_pickers_script()})()", "uniqueContextId": where}
            begun = await session.send("Runtime.evaluate", script)
            if object_id := begun["result"].get("objectId"):
                pickers = FilePickers(session, object_id)
    try:
        yield pickers
    finally:
        if pickers:
            pickers.end()


@cache
def _pickers_script() -> str:
    """Return the source of `file-pickers.js` as a JavaScript function expression."""
    return Path(__file__).with_name("file-pickers.js").read_text(encoding="utf-8").rstrip().removesuffix(";")


MOST_FILES = 10_000


@dataclass
class Folder:
    """The number and size of the files below a folder that Chromium takes, and of the links that it skips."""

    files: int = 0
    size: int = 0
    links: int = 0


def scan_folder(path: Path) -> Folder:
    """Return how many files, bytes and symbolic links are in a folder and below it. `path`: a real path.

    Links are not followed, as in Chromium, so all files lie inside of the folder. Raises Refused if the folder contains data of
    gbrowse or of a browser, ActionFailed for too many files. Raises FileFailed if it cannot be read, has no files, or has
    something that is no regular file.
    """
    folder = Folder()
    try:
        _scan_folder(path, folder)
    except OSError as error:
        raise FileFailed(f"Cannot read {printable_path(str(path))}: {error.strerror}") from None
    if not folder.files:
        raise FileFailed(f"Cannot read {printable_path(str(path))}: no file is in it")
    return folder


def _scan_folder(path: Path, folder: Folder) -> None:
    """Add the files, bytes and symbolic links in `path` and below to `folder`. Links are not followed.

    Raises Refused for a folder of gbrowse's own in it, which no page may have.
    """
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_symlink():
                folder.links += 1
            elif not entry.is_dir():
                _count_file(entry, folder)
            elif entry.name == STATE_DIRECTORY or entry.name.startswith(SCRATCH_PREFIX):
                raise Refused(
                    f"{printable_path(str(path))} holds {entry.name}, which is not for pages",
                    "Name a folder inside of it, or a copy of what the page is to have",
                )
            else:
                _scan_folder(Path(entry.path), folder)


def _count_file(entry: "os.DirEntry[str]", folder: Folder) -> None:
    """Add a file and its size to `folder`.

    Raises FileFailed unless it is a regular file, ActionFailed for too many files.
    """
    about = entry.stat()
    if not stat.S_ISREG(about.st_mode):
        raise FileFailed(f"Cannot read {printable_path(entry.path)}: not a regular file")
    folder.files += 1
    folder.size += about.st_size
    if folder.files > MOST_FILES:
        raise ActionFailed(
            f"More than {MOST_FILES:,} files are not given to a page at once", "Name a folder inside of it"
        )


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


async def upload(page: PageCommand, target: str, paths: Sequence[Path]) -> Folder | None:
    """Give files to a file field, even a hidden one, or to the file chooser that a click opens.

    `paths`: files, or one folder. Return the counts of a given folder, None for files. Raises NotInteractable for several files
    if the field takes one, or a folder if it takes files; ActionFailed if no file is asked for.
    """
    field = await _wait_for_file_field(page, target)
    folder = await asyncio.to_thread(_scan_single_folder, paths)
    if not folder:
        await asyncio.to_thread(require_unchanged_paths, paths)
    elif not page.context.running.shares_disk:
        raise ActionFailed(
            "A folder cannot be given to a browser on another machine",
            "Drop the files, where the page takes that: drop <target> <file>…",
        )
    if field and (asks := await field.ask("describeFileField")):
        _require_acceptable(
            field.target, paths, folder, takes_several=asks["multiple"], takes_folder=asks["folder"]
        )
    try:
        if field:
            send = partial(field.send, "DOM.setFileInputFiles")
            await _set_files(page, paths, folder, field.call_on, lambda files: send(files=files))
        else:
            await _upload_by_chooser(page, target, paths, folder)
    except FrameGone:
        raise failures.frame_gone_error() from None
    except ProtocolError as error:
        raise failures.translate(error) from None
    return folder


def _scan_single_folder(paths: Sequence[Path]) -> Folder | None:
    """Count the files in the folder that `paths` names; return None if all are files.

    Raises UsageError for a folder beside other paths.
    """
    found = [path for path in paths if path.is_dir()]
    if found and len(paths) > 1:
        raise UsageError("A folder is given alone", "One folder, or any number of files")
    return scan_folder(found[0]) if found else None


def require_unchanged_paths(paths: Sequence[Path]) -> None:
    """Raise Refused if a link was added to one of these paths, FileFailed if one cannot be read."""
    for path in paths:
        with files.open_to_read(str(path)):
            pass


async def _wait_for_file_field(page: PageCommand, target: str) -> Element | None:
    """Wait for the target. Return it, once enabled, if it is a file field, or the file field over it.

    Return None for any other element.
    """
    give_up = page.give_up_time(WAIT_SECONDS)
    while True:
        problem: TargetError
        try:
            element = await locate(page, target)
            report = ElementReport(await element.ask("probeElement", ""))
            if (report.tag, report.type) != ("input", "file"):
                over = await element.ask("findFileFieldOver")
                return element.with_node(over) if over else None
            if not report.disabled:
                return element
            problem = NotInteractable(f"{report.name} is disabled", failures.SEE_ELEMENTS)
        except TargetError as error:
            problem = error
        if page.now() >= give_up:
            raise problem
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


async def _set_files(
    page: PageCommand,
    paths: Sequence[Path],
    folder: Folder | None,
    call: Callable[..., Awaitable[Any]],
    set_paths: Callable[[list[str]], Awaitable[Any]],
) -> None:
    """Set the files of a file field: by path, or by content if the browser runs on another machine.

    Chromium lists a folder in the background: then wait for the field's `input` event. `call`: calls a JavaScript function with
    the field as `this`, and further arguments. `set_paths`: sets the field's files by path.
    """
    if not page.context.running.shares_disk:
        await call(_SET_FILES, await asyncio.to_thread(_encode_files, paths))
        return
    if folder:
        await call(_EXPECT_INPUT)
    await set_paths([str(path) for path in paths])
    if folder:
        with suppress(TimeoutError, ProtocolError):  # the page may remove a field that it has read
            async with asyncio.timeout(page.budget(FOLDER_SECONDS)):
                await call(_INPUT)


def _require_acceptable(
    name: str, paths: Sequence[Path], folder: Folder | None, *, takes_several: bool, takes_folder: bool
) -> None:
    """Raise NotInteractable if a file field does not accept the given files or folder.

    `name`: the field's, for messages. `folder`: None if files are given. `takes_several`, `takes_folder`: what the field accepts.
    """
    if takes_folder and not folder:
        raise NotInteractable(
            f"{name} takes a folder, not files", "Name the folder that they are in: upload <target> <folder>"
        )
    if folder and not takes_folder:
        raise NotInteractable(f"{name} takes files, not a folder", "Name the files: upload <target> <file>…")
    if len(paths) > 1 and not takes_several:
        raise NotInteractable(f"{name} takes one file, not {len(paths)}")


def _read_contents(paths: Sequence[Path]) -> list[bytes]:
    """Read files for a browser on another machine. Raises ActionFailed above MOST_SENT bytes in all."""
    contents: list[bytes] = []
    left = MOST_SENT
    for path in paths:
        with files.open_to_read(str(path)) as file:
            contents.append(file.read(left + 1))
        left -= len(contents[-1])
        if left < 0:
            raise ActionFailed(
                f"More than {MOST_SENT // 1_000_000} MB cannot be sent to a browser on another machine",
                "Give it smaller files, or fewer at a time",
            )
    return contents


async def paths_in_browser(page: PageCommand, paths: Sequence[Path]) -> list[str]:
    """Return paths of the files on the browser's machine. If that is another one, send copies there.

    Raises ActionFailed for more than can be sent.
    """
    running = page.context.running
    if running.shares_disk:
        return [str(path) for path in paths]
    contents = await asyncio.to_thread(_read_contents, paths)
    copies = []
    for number, (path, content) in enumerate(zip(paths, contents, strict=True)):
        folder = f"{running.downloads}/dropped/{secrets.token_hex(8)}-{number}"
        try:
            copies.append(await running.remote_files.write(folder, path.name, content))
        except (ProtocolError, TimeoutError) as error:
            why = error.message if isinstance(error, ProtocolError) else "it says nothing"
            raise ActionFailed(
                f"{path.name} could not be sent to the browser's machine: {one_line(why, 150)}",
                "Use 'upload', where the page has a file field",
            ) from None
    return copies


async def _upload_by_chooser(
    page: PageCommand, target: str, paths: Sequence[Path], folder: Folder | None
) -> None:
    """Click the target, and give the files to the file chooser or picker that opens. Raises ActionFailed."""
    element, report = await wait_until_ready(page, target, POINTER)
    page.tab.effects.file_choosers.last_target = target
    async with replacing_pickers(page, element) as pickers:
        chooser = await _open_chooser(page, element, report, pickers)
        if chooser and chooser.node:
            await _give_to_chooser(page, chooser, report.name, paths, folder)
        else:
            await _give_to_picker(page, pickers, report.name, paths, folder)


async def _give_to_chooser(
    page: PageCommand, chooser: FileChooser, name: str, paths: Sequence[Path], folder: Folder | None
) -> None:
    """Give files to the field whose file chooser has opened.

    If the field cannot take them, dispatch `cancel` to it, and raise NotInteractable. `name`: the clicked element's.
    """
    asks = "function() { return [this.multiple, this.webkitdirectory] }"
    takes_several, takes_folder = await chooser.call_on_field(asks)
    try:
        _require_acceptable(name, paths, folder, takes_several=takes_several, takes_folder=takes_folder)
    except NotInteractable:
        await chooser.call_on_field("function() { this.dispatchEvent(new Event('cancel', { bubbles: true })) }")
        raise
    where, send = {"backendNodeId": chooser.node}, chooser.target.session.send
    await _set_files(
        page,
        paths,
        folder,
        chooser.call_on_field,
        lambda files: send("DOM.setFileInputFiles", {"files": files, **where}),
    )


async def _give_to_picker(
    page: PageCommand, pickers: FilePickers | None, name: str, paths: Sequence[Path], folder: Folder | None
) -> None:
    """Give files to the picker of the File System Access API that the page has called.

    `name`: the clicked element's. Raises ActionFailed if there is none, or it asks where to save a file.
    """
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
    _require_acceptable(
        name, paths, folder, takes_several=called["multiple"], takes_folder=called["kind"] == "folder"
    )
    await pickers.give_files(page, await paths_in_browser(page, paths))


def _encode_files(paths: Sequence[Path]) -> list[dict[str, str]]:
    """Return {name, type, content (Base64)} of each file, as the script `_SET_FILES` takes them."""
    import mimetypes  # only where files go to another machine

    return [
        {
            "name": path.name,
            "type": mimetypes.guess_type(path.name)[0] or "application/octet-stream",
            "content": b64encode(content).decode(),
        }
        for path, content in zip(paths, _read_contents(paths), strict=True)
    ]


async def _open_chooser(
    page: PageCommand, element: Element, report: ElementReport, pickers: FilePickers | None
) -> FileChooser | None:
    """Press the element and return the file chooser that opens; None if the page calls one of `pickers`.

    `report`: the page's report on the element. Raises ActionFailed if neither happens in time.
    """
    opened: asyncio.Future[FileChooser] = asyncio.get_running_loop().create_future()

    def on_chooser_opened(chooser: FileChooser) -> None:
        if not opened.done():
            opened.set_result(chooser)

    with dialogs.leave_chooser_open(page.context.running, page.tab, on_chooser_opened):
        if pickers:
            pickers.call.add_done_callback(lambda _: page.tab.wake_waiters())
        pressed, place = presses.find_press_target(element, report)
        await presses.press(page, pressed, report, point=place)

        def is_file_requested() -> bool:
            return opened.done() or bool(pickers and pickers.called_picker)

        if await page.tab.wait_load_adjusted(is_file_requested, page.wait_seconds(CHOOSER_SECONDS)):
            return opened.result() if opened.done() else None
    raise ActionFailed(
        f"{report.name} was clicked and asked for no file",
        "Name the file field itself: upload 'input[type=file]' …; for a place that takes dropped files: drop",
    )


HOVER = frozenset({"uncovered"})
_COPY_LINK_MOVE = 1 | 2 | 16
"""Operations that the drag's source allows (the protocol's bits): the desktop allows all."""


async def drop(
    page: PageCommand, target: str, paths: Sequence[Path], *, text: str = "", url: str = ""
) -> list[str]:
    """Drop files, text or a URL on an element. Return remarks on what that changed.

    Raises ActionFailed if the element does not accept the drop.
    """
    await asyncio.to_thread(require_unchanged_paths, paths)
    files = await paths_in_browser(page, paths)
    goal = await wait_for_point(page, target, None, HOVER)
    diff = VisualDiff(page, goal.element, is_dragged=False)
    await diff.record_before()
    mouse = Mouse(page)
    await goal.element.ask("watchDrags")
    async with mouse.releasing_on_error():
        kinds = {"text/plain": text or url, "text/uri-list": url}
        items = [{"mimeType": kind, "data": data} for kind, data in kinds.items() if data]
        mouse.begin_external_drag({"items": items, "files": files, "dragOperationsMask": _COPY_LINK_MOVE})
        await mouse.move(goal.x, goal.y)
        await mouse.move(goal.x, goal.y)
        if (outcome := await read_drag_outcome(goal.element)) and not outcome["accepts"]:
            raise _not_accepted_error(goal)  # Chromium would open a file that no element accepts in a new tab
        await mouse.release()
    await page.world.wait_next_frame(FRAME_SECONDS)
    if (outcome := await read_drag_outcome(goal.element)) and not outcome["dropped"]:
        raise _not_accepted_error(goal)
    return await diff.describe_changes()


def _not_accepted_error(goal: Aim) -> ActionFailed:
    """Return the error for an element that does not accept the drop."""
    return ActionFailed(
        f"{goal.name} does not take what was dropped",
        "Name the element that does; for a file field or a button that asks for files use 'upload'",
    )
