"""Move, press and release the mouse or a finger, also for HTML5 drags.

For an HTML5 drag Chromium reports the dragged data (`Input.setInterceptDrags`); from then on movements are sent as drag events.
A command that fails or is cancelled leaves nothing pressed: `release_at_start` sends the release without waiting, and the next
gesture waits for it.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal

from gstack_browse.browser.actions.input.prepared_input import await_unless_interrupted
from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.tab.tab import PRESSURE
from gstack_browse.errors import ActionFailed

if TYPE_CHECKING:
    from gstack_browse.browser.command.page import PageCommand

Button = Literal["left", "right", "middle"]
FRAME_SECONDS = 0.05
"""How long a page may take to draw a frame between two movements of a drag."""
SUPPRESS_SECONDS = 4.0
"""Seconds that a page may take to suppress a click before the button is released all the same."""
DRAG_DATA_SECONDS = 1.0
"""Seconds that Chromium may take to report the dragged data once the page has begun a drag."""


class Pointer:
    """A pointing device that presses, moves and releases at points of the viewport: a mouse or a finger."""

    def __init__(self, page: "PageCommand") -> None:
        self.page = page
        self.held = page.tab.held
        self.frame: Frame | None = None
        """Frame of the dragged element: its document must hear no click where `release_at_start` releases."""

    async def press(self, x: float, y: float) -> None:
        """Press at a point (CSS pixels of the viewport)."""
        raise NotImplementedError

    async def move(self, x: float, y: float) -> None:
        """Move to a point in one step."""
        raise NotImplementedError

    async def release(self) -> None:
        """Release at the current point."""
        raise NotImplementedError

    def release_at_start(self) -> None:
        """Release where the press was made, to undo a drag as far as possible. Does not wait."""
        raise NotImplementedError

    @asynccontextmanager
    async def releasing_on_error(self) -> AsyncIterator[None]:
        """Call `release_at_start` if the code in this context fails or is cancelled: nothing stays pressed."""
        try:
            yield
        except BaseException:
            tab = self.page.tab
            if tab.open_dialog:
                self.page.context.background.start(self._release_once_answered())
            else:
                self.release_at_start()
            raise

    async def _release_once_answered(self) -> None:
        """Release what is pressed (`release_at_start`) once the open dialog is answered.

        Chromium takes no input before. Does nothing if the tab has closed or shows another page by then.
        """
        tab, held = self.page.tab, self.held
        await tab.wait_until(lambda: tab.open_dialog is None or bool(tab.closed_reason))
        if tab.held is held and not tab.closed_reason:
            self.release_at_start()

    async def move_in_steps(self, x: float, y: float, steps: int) -> None:
        """Move to a point (CSS pixels of the viewport) in `steps` movements, one in each frame.

        A page that adds each movement to what it has drawn would miss some of several in a frame.
        """
        from_x, from_y = self.held.at or (x, y)
        for step in range(1, steps + 1):
            part = step / steps
            await self.move(from_x + (x - from_x) * part, from_y + (y - from_y) * part)
            await self.page.world.wait_next_frame(FRAME_SECONDS)

    async def _send(self, method: str, event: dict[str, Any]) -> None:
        """Send a protocol command with an input event, and wait until the page has handled it.

        Raises ActionFailed if a navigation interrupts that, and DialogOpen if a dialog does.
        """
        page, tab = self.page, self.page.tab
        try:
            done = await await_unless_interrupted(page, page.world.session.send(method, event))
        except ProtocolError as error:
            raise tab.gone_error() or failures.translate(error) from None
        if done is not None:
            return
        if tab.open_dialog:
            raise tab.open_dialog.failure(tab.id, f"{tab.lock.command} did not finish")
        raise page_left_error()


class Mouse(Pointer):
    """The mouse. The tab keeps its state, so that one command can press it and another release it."""

    async def press(self, x: float, y: float, button: Button = "left", *, count: int = 1) -> None:
        """Press a button at a point. `count`: 2 for the second press of a double click."""
        self._intercept_drags()
        if self.held.at != (x, y):
            await self.move(x, y)
        self.held.button, self.held.home = button, (x, y)
        await self._send_mouse_event("mousePressed", button=button, clickCount=count)

    async def move(self, x: float, y: float) -> None:
        """Move to a point in one step. With a button down, or during an HTML5 drag, this drags."""
        held = self.held
        held.at = (x, y)
        if held.drag_data is None:
            await self._send_mouse_event("mouseMoved", button=held.button or "none")
        if held.drag_data is not None:
            await self._send_drag_event("dragOver")

    async def release(self, *, count: int = 1) -> None:
        """Release the held button, or drop the dragged data. `count`: 2 for a double click's second release."""
        button, self.held.button = self.held.button, ""
        if self.held.drag_data is not None:
            await self._send_drag_event("dragOver")
            await self._send_drag_event("drop")
            self.held.drag_data = None
        else:
            await self._send_mouse_event("mouseReleased", button=button, clickCount=count)

    def begin_external_drag(self, data: dict[str, Any]) -> None:
        """Begin to drag data (`Input.DragData`) from outside of the page, such as files from the desktop."""
        self.held.drag_data = {"data": data}

    async def cancel_drag(self) -> None:
        """Cancel the HTML5 drag under way, as Escape does in a window. The button stays down."""
        await self._send("Input.dispatchDragEvent", self._drag_event("dragCancel"))
        self.held.drag_data = None

    async def wheel(self, right: float, down: float) -> None:
        """Turn the wheel at the pointer's position, by CSS pixels to the right and down.

        Return once the page's listeners have run.
        """
        await self._send_mouse_event("mouseWheel", deltaX=right, deltaY=down)
        # Chromium answers before the listeners of a window run, as they cannot prevent the scrolling: they do with the next frame
        await self.page.world.wait_next_frame(FRAME_SECONDS)

    def release_at_start(self) -> None:
        """Undo a press or drag without waiting: release at its start without a click, or cancel an HTML5 drag."""
        held = self.held
        if held.drag_data is not None:
            self._send_in_background("Input.dispatchDragEvent", self._drag_event("dragCancel"))
            held.drag_data = None
        elif held.button:
            held.at = held.home or held.at
            back = self._mouse_event("mouseMoved", button=held.button)
            up = self._mouse_event("mouseReleased", button=held.button, clickCount=1, buttons=0, force=0)
            if self.frame:
                held.ending = asyncio.ensure_future(self._release_without_click(back, up))
                held.ending.add_done_callback(consume_exception)
            else:
                self._send_in_background("Input.dispatchMouseEvent", back)
                self._send_in_background("Input.dispatchMouseEvent", up)
        held.button = ""

    async def _release_without_click(self, back: dict[str, Any], up: dict[str, Any]) -> None:
        """Send two mouse events that undo a press: `back`, a movement to its start, and `up`, the release.

        The page gets no click event for the release, unless it is too busy to be told so within SUPPRESS_SECONDS.
        """
        with suppress(ProtocolError, FrameGone, PageScriptError, TimeoutError):
            async with asyncio.timeout(SUPPRESS_SECONDS):
                # Answered once the page has had the press, too: one that comes behind `ignoreNextClick` would end that.
                await self.page.world.session.send("Input.dispatchMouseEvent", back)
                await self.page.world.call("ignoreNextClick", frame=self.frame)
        if self.held.ending is not asyncio.current_task():
            return  # a drag of Chromium's own has begun meanwhile, and was cancelled
        await self.page.world.session.send("Input.dispatchMouseEvent", up)

    def _send_in_background(self, method: str, event: dict[str, Any]) -> None:
        """Send the input event that ends an interrupted gesture, without waiting; the next gesture waits."""
        self.held.ending = self.page.world.session.send(method, event)
        self.held.ending.add_done_callback(consume_exception)

    async def wait_for_drag_data(self) -> None:
        """Wait until Chromium has reported the dragged data. Raises ActionFailed if it does not."""
        if not await self.page.tab.wait_load_adjusted(
            lambda: self.held.drag_data is not None, DRAG_DATA_SECONDS
        ):
            raise ActionFailed("The page began a drag, and Chromium did not say of what", "Try again")

    async def _send_mouse_event(self, kind: str, **more: Any) -> None:
        """Send a mouse event at the current point. `kind`: such as `mouseMoved`; `more`: further parameters."""
        await self._send("Input.dispatchMouseEvent", self._mouse_event(kind, **more))

    def _mouse_event(self, kind: str, **more: Any) -> dict[str, Any]:
        """Return the parameters of `Input.dispatchMouseEvent` at the current point.

        `kind`: such as `mouseMoved`.
        """
        x, y = self.held.at or (0, 0)
        held = self.held
        force = PRESSURE if held.buttons else 0
        state = {"buttons": held.buttons, "force": force, "modifiers": held.modifiers}
        return {"type": kind, "x": x, "y": y, **state, **more}

    async def _send_drag_event(self, kind: str) -> None:
        """Send the page an HTML5 drag event (`kind`: `dragOver`, `drop`), with `dragEnter` before the first."""
        drag_data = self.held.drag_data or {}
        if not drag_data.get("entered"):
            await self._send("Input.dispatchDragEvent", self._drag_event("dragEnter"))
            drag_data["entered"] = True
        await self._send("Input.dispatchDragEvent", self._drag_event(kind))

    def _drag_event(self, kind: str) -> dict[str, Any]:
        """Return the parameters of `Input.dispatchDragEvent` at the current point.

        `kind`: such as `dragOver`.
        """
        x, y = self.held.at or (0, 0)
        data = (self.held.drag_data or {}).get("data", {})
        return {"type": kind, "x": x, "y": y, "data": data, "modifiers": self.held.modifiers}

    def _intercept_drags(self) -> None:
        """Have Chromium report HTML5 drags that the page begins, instead of performing them, from now on."""
        session = self.page.world.session
        if self.held.intercepting is session:
            return
        held, tab = self.held, self.page.tab

        def began(event: dict[str, Any]) -> None:
            if held.button:
                held.drag_data = {"data": event["data"]}
            else:  # the drag is over: the page must not wait for its end
                cancelled = {"type": "dragCancel", "x": 0, "y": 0, "data": event["data"]}
                self._send_in_background("Input.dispatchDragEvent", cancelled)
            tab.wake_waiters()

        held.intercepting = session
        session.on("Input.dragIntercepted", began)
        # Never switched off: Chromium answers that before the page has handled the last movement. A drag that began in
        # between would be a real one, which nothing ends without a window.
        session.notify("Input.setInterceptDrags", {"enabled": True})


class Finger(Pointer):
    """A finger on a touch screen. It is down within one command only."""

    async def press(self, x: float, y: float) -> None:
        """Put the finger down at a point (CSS pixels of the viewport)."""
        self.held.at = (x, y)
        await self._touch("touchStart", [{"x": x, "y": y}])

    async def move(self, x: float, y: float) -> None:
        """Move the finger to a point in one step."""
        self.held.at = (x, y)
        await self._touch("touchMove", [{"x": x, "y": y}])

    async def release(self) -> None:
        """Lift the finger where it is."""
        await self._touch("touchEnd", [])

    def release_at_start(self) -> None:
        """Cancel the touch, which undoes the drag as far as the page permits. Does not wait."""
        self.page.world.session.notify("Input.dispatchTouchEvent", {"type": "touchCancel", "touchPoints": []})

    async def _touch(self, kind: str, points: Sequence[dict[str, float]]) -> None:
        """Dispatch a touch event (`touchStart`, `touchMove`, `touchEnd`). `points`: {x, y} of each finger."""
        event = {"type": kind, "touchPoints": list(points), "modifiers": self.held.modifiers}
        await self._send("Input.dispatchTouchEvent", event)


def page_left_error() -> ActionFailed:
    """Return the error for a gesture or typing that a navigation has interrupted."""
    return ActionFailed(
        "The page went elsewhere in the middle of it", "Run 'url' and 'snapshot -i' to see what is there"
    )
