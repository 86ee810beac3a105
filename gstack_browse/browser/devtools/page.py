"""A page, its dialogs, and the tree of its frames over all processes.

Each target of a page (the page, and frames in processes of their own) has a session, whose events report only the frames in its
process. Their order between sessions is not known, so an event of one may come before or after the matching event of another.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from gstack_browse.browser.cdp.session import Session, consume_exception
from gstack_browse.browser.cdp.targets import Target


class Frame:
    """A frame of a page: the main frame, or an iframe at any depth.

    The object stays the same when the frame navigates or moves to another process.
    """

    def __init__(self, frame_id: str, parent: "Frame | None", target: "Target") -> None:
        self.id = frame_id
        self.parent_frame = parent
        self.target = target
        """The target in whose process the frame is."""
        self.name = ""
        self.url = ""
        self.loader = ""
        """Chromium's id of the document; "" before the first navigation."""
        self.media_type = ""
        """The document's media type: `text/html`; "" before the first navigation."""
        self.unopened = ""
        """The address in whose place Chromium shows an error page; "" for any other document."""
        self.child_frames: list[Frame] = []
        self._is_detached = False

    def show(self, info: dict[str, Any]) -> None:
        """Set URL, name and other facts of the document that the frame shows. `info`: CDP's `Page.Frame`."""
        self.name, self.loader = info.get("name", ""), info["loaderId"]
        self.media_type = info.get("mimeType", "")
        self.unopened = info.get("unreachableUrl", "")
        self.url = info["url"] + info.get("urlFragment", "")

    @property
    def is_arriving(self) -> bool:
        """Return whether the frame has a process of its own, which has reported no document yet."""
        return not self.loader and self.target.id == self.id

    def is_detached(self) -> bool:
        """Return whether the frame was removed from the page."""
        return self._is_detached

    def detach(self) -> None:
        """Mark the frame as removed from the page."""
        self._is_detached = True
        if self.parent_frame and self in self.parent_frame.child_frames:
            self.parent_frame.child_frames.remove(self)


Handler = Callable[[Any], object]


class Emitter:
    """Calls the handlers of an event, in the order in which they were added."""

    def __init__(self) -> None:
        self._handlers: dict[str, list[Handler]] = {}

    def on(self, event: str, handler: Handler) -> None:
        """Have `handler` called with the value of every later event of that name."""
        self._handlers.setdefault(event, []).append(handler)

    def off(self, event: str, handler: Handler) -> None:
        """Stop calling a handler for an event, if it was added."""
        if handler in self._handlers.get(event, ()):
            self._handlers[event].remove(handler)

    def emit(self, event: str, value: object) -> bool:
        """Call the handlers of an event with `value`. Return whether there are any."""
        handlers = list(self._handlers.get(event, ()))
        for handler in handlers:
            handler(value)
        return bool(handlers)


BLANK = "about:blank"


class Dialog:
    """An open dialog of a page: alert, confirm, prompt or beforeunload. The page waits for an answer.

    Its methods raise ProtocolError once it has closed.
    """

    def __init__(self, page: "Page", session: Session, event: dict[str, Any]) -> None:
        self.page = page
        self.type: str = event["type"]
        self.message: str = event["message"]
        self.default_value: str = event.get("defaultPrompt", "")
        self._session = session

    async def accept(self, prompt_text: str = "") -> None:
        """Accept the dialog. `prompt_text`: the text for a prompt."""
        await self._session.send("Page.handleJavaScriptDialog", {"accept": True, "promptText": prompt_text})

    async def dismiss(self) -> None:
        """Dismiss the dialog."""
        await self._session.send("Page.handleJavaScriptDialog", {"accept": False})


class PageOwner(Protocol):
    """The browser context of a page."""

    def page(self, target_id: str) -> "Page | None":
        """Return the open page with that target id, or None."""

    def on_dialog(self, dialog: Dialog) -> None:
        """Handle a dialog that the page has opened."""

    async def close_page(self, target_id: str) -> None:
        """Close a page. Raises ProtocolError if it has closed before."""


class Page(Emitter):
    """A page of a browser context. Emits `framedetached` (Frame), `crash` and `close` (Page)."""

    def __init__(self, context: PageOwner, target: Target) -> None:
        super().__init__()
        self.context = context
        self.target = target
        self.main_frame = Frame(target.id, None, target)
        self.main_frame.url = target.url
        self._frames: dict[str, Frame] = {target.id: self.main_frame}
        self._is_closed = False
        target.session.on("Inspector.targetCrashed", lambda event: self.emit("crash", self))
        self._subscribe(target)

    @property
    def url(self) -> str:
        """Return the URL of the page's document."""
        return self.target.url or BLANK

    @property
    def frames(self) -> list[Frame]:
        """Return all frames: the main frame first, then the others, oldest first."""
        return list(self._frames.values())

    def frame(self, frame_id: str) -> Frame | None:
        """Return the frame with that id; None if the page has none."""
        return self._frames.get(frame_id)

    def is_closed(self) -> bool:
        """Return whether the page has closed."""
        return self._is_closed

    @property
    def opener(self) -> "Page | None":
        """Return the page that opened this one; None if none did, or it has closed."""
        return self.context.page(self.target.opener)

    def bring_to_front(self) -> None:
        """Make the page the visible one of its window, before Chromium handles what is sent to the page later."""
        self.target.session.notify("Page.bringToFront")

    async def close(self) -> None:
        """Close the page without asking it (`beforeunload`). Raises ProtocolError if it has closed before."""
        await self.context.close_page(self.target.id)

    def mark_closed(self) -> None:
        """Mark the page and its frames as closed, and emit "close"."""
        if not self._is_closed:
            self._is_closed = True
            for frame in self.frames:
                frame.detach()
            self.emit("close", self)

    # frames

    def add_frame_target(self, target: Target) -> None:
        """Add the frames of this page that run in another process. `target`: the iframe at their top."""
        frame = self._frames.get(target.id)
        if frame is None:  # the event of its parent's process is still to come
            frame = self._frames[target.id] = Frame(target.id, None, target)
        frame.target = target
        self._remove_children(frame)
        self._subscribe(target)
        self._request_tree(target)
        target.session.on("close", lambda session: self._on_frame_target_closed(target))

    async def read_frames(self) -> None:
        """Add the documents and frames that the page had before we attached to it. Raises ProtocolError."""
        await self._request_tree(self.target)

    def _request_tree(self, target: Target) -> asyncio.Future[dict[str, Any]]:
        """Request the frames of a target, and add them when they come. Return the response to come."""
        tree = target.session.send("Page.getFrameTree")
        tree.add_done_callback(partial(self._add_tree, target))
        return tree

    def _subscribe(self, target: Target) -> None:
        """Subscribe to the frame and dialog events of a target: the page, or a frame in another process."""
        session = target.session
        session.on("Page.frameAttached", partial(self._on_attached, target))
        session.on("Page.frameNavigated", partial(self._on_navigated, target))
        session.on("Page.navigatedWithinDocument", self._on_navigated_within_document)
        session.on("Page.frameDetached", partial(self._on_detached, target))
        session.on("Page.javascriptDialogOpening", partial(self._on_dialog, session))

    def _add_tree(self, target: Target, response: asyncio.Future[dict[str, Any]]) -> None:
        """Add the frames in the response to a target's `Page.getFrameTree`, unless events have added them."""
        if response.cancelled() or response.exception():
            return  # the target has closed
        trees = [(response.result()["frameTree"], self._frames.get(target.id))]
        while trees:
            tree, parent = trees.pop()
            info = tree["frame"]
            frame = self._frames.get(info["id"])
            if frame is None:
                frame = self._add_frame(info["id"], parent, target)
            if not frame.url:
                frame.show(info)
            trees += [(child, frame) for child in reversed(tree.get("childFrames", ()))]

    def _add_frame(self, frame_id: str, parent: Frame | None, target: Target) -> Frame:
        """Add and return a frame below `parent` (None: unknown so far). The frame is in `target`'s process."""
        frame = self._frames[frame_id] = Frame(frame_id, parent, target)
        if parent:
            parent.child_frames.append(frame)
        return frame

    def _on_attached(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Page.frameAttached`: add the frame, or note that it has returned to its parent's process."""
        frame, parent = self._frames.get(event["frameId"]), self._frames.get(event["parentFrameId"])
        if frame is None:
            self._add_frame(event["frameId"], parent, target)
            return
        frame.target = target  # the frame has returned from a process of its own
        if frame.parent_frame is None and parent and frame is not self.main_frame:
            frame.parent_frame = parent
            parent.child_frames.append(frame)

    def _on_navigated(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Page.frameNavigated`: note the frame's new document, and remove the old one's child frames."""
        info = event["frame"]
        frame = self._frames.get(info["id"])
        if frame is None:
            frame = self._add_frame(info["id"], self._frames.get(info.get("parentId", "")), target)
        frame.target = target
        frame.show(info)
        self._remove_children(frame)

    def _on_navigated_within_document(self, event: dict[str, Any]) -> None:
        """Handle `Page.navigatedWithinDocument`: note the frame's new URL (fragment or `history.pushState`)."""
        if frame := self._frames.get(event["frameId"]):
            frame.url = event["url"]

    def _on_detached(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Page.frameDetached`: remove the frame, or only its children if it moved to another process."""
        frame = self._frames.get(event["frameId"])
        if frame is None:
            return
        if event.get("reason") != "swap":
            self._remove_frame(frame)
        elif frame.target is target:  # else the session of the new process has reported the frame already
            self._remove_children(frame)

    def _on_frame_target_closed(self, target: Target) -> None:
        """Remove the frame of a target that has closed, unless the frame has moved to another process.

        The session of the parent frame may report the move later. So a request is sent there: the response comes after the events
        that were on the way.
        """
        frame = self._frames.get(target.id)
        if frame is None or frame.target is not target or self._is_closed:
            return
        parent = frame.parent_frame.target if frame.parent_frame else self.target
        response = parent.session.send("Page.enable")
        response.add_done_callback(partial(self._remove_if_gone, frame, target))

    def _remove_if_gone(self, frame: Frame, target: Target, response: asyncio.Future[dict[str, Any]]) -> None:
        """Remove a closed target's frame once `response` has come, unless it has another target by then."""
        consume_exception(response)  # the page may have closed
        if frame.target is target:
            self._remove_frame(frame)

    def _remove_frame(self, frame: Frame) -> None:
        """Remove a frame and all frames below it. The main frame stays."""
        if frame is self.main_frame:
            return
        self._remove_children(frame)
        self._frames.pop(frame.id, None)
        frame.detach()
        self.emit("framedetached", frame)

    def _remove_children(self, frame: Frame) -> None:
        """Remove all frames below a frame."""
        for child in list(frame.child_frames):
            self._remove_frame(child)

    def _on_dialog(self, session: Session, event: dict[str, Any]) -> None:
        """Handle `Page.javascriptDialogOpening`: pass the dialog to the page's owner."""
        self.context.on_dialog(Dialog(self, session, event))
