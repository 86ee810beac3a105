"""Gestures: drag, drop, and work the mouse, the keys and the focus piece by piece."""

from typing import Literal

from gstack_browse.browser.actions import upload as dropping
from gstack_browse.browser.actions.input import keyboard
from gstack_browse.browser.actions.pointer import drag as dragging
from gstack_browse.browser.actions.text import selection
from gstack_browse.browser.command.observer import OWN_LINE_KINDS
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.reading import read
from gstack_browse.errors import UsageError
from gstack_browse.registry import WRITE, command
from gstack_browse.registry.arguments import (
    DistanceArgument,
    Key,
    Milliseconds,
    PageFile,
    PointArgument,
    Target,
    TargetOrDistance,
    Text,
    Times,
    Waypoints,
)
from gstack_browse.registry.values.measures import Point
from gstack_browse.text.filenames import shorten_paths
from gstack_browse.text.units import format_count


@command(
    WRITE,
    examples=[
        "drag @e3 @e9",
        "drag '#slider .handle' 120,0",
        "drag canvas 0,0 --at 10,10 --via 80,10 --via 80,60",
        "drag 'text=Card A' '#done' --to-at 50%,90%",
    ],
    waits=True,
)
async def drag(
    page: PageCommand,
    source: Target,
    to: TargetOrDistance,
    *,
    at: PointArgument | None = None,
    to_at: PointArgument | None = None,
    via: Waypoints = (),
    steps: Times = dragging.STEPS,
    hold: Milliseconds = 0,
    touch: bool = False,
) -> str:
    """Drag an element to another one, or by a distance to the right and down.

    The mouse really moves, step by step; what pages make of it, HTML5 drag and drop too, is told: the new order, place,
    size or value, or that nothing changed, and what the page has sent to its server. The button comes up whatever
    happens.

    at: where in the element to begin; in the middle by default
    to_at: where in the other element to end; a little past the middle of what can be seen of it by default
    via: a point on the way, counted from the top left corner of the element that is dragged; several times in order
    steps: movements from one point to the next, one a frame
    hold: milliseconds to keep still once the button is down, for pages that wait for a long press
    touch: with a finger instead of the mouse
    """
    if isinstance(to, Point) and to_at:
        raise UsageError("--to-at goes with an element to drag to, not with a distance")
    way = dragging.DragPath(at, to_at, via, steps, hold / 1000, is_touch=touch)
    async with page.action() as after:
        remarks = await dragging.drag(page, source, to, way)
        for remark in remarks:
            after.remark(remark)
    return after.report(
        f"Dragged {source} {'by' if isinstance(to, Point) else 'to'} {to}", tells_sent=OWN_LINE_KINDS
    )


@command(
    WRITE,
    examples=["drop @e9 a.png b.pdf", "drop '#editor' --text 'Hello there'"],
    waits=True,
    forms="<target> (<file>… [--any-file] | --text <text> | --url <address>)",
)
async def drop(
    page: PageCommand,
    target: Target,
    *files: PageFile,
    text: Text | None = None,
    url: Text | None = None,
    any_file: bool = False,
) -> str:
    """Drop files, a text or a link on an element, as from the desktop. For a file field there is 'upload'.

    text: a text to drop
    url: an address to drop, as a link
    any_file: also a file outside of the workspace and the temporary directory
    """
    if not (files or text or url):
        raise UsageError("drop needs a file, --text or --url")
    async with page.action() as after:
        for remark in await dropping.drop(page, target, files, text=text or "", url=url or ""):
            after.remark(remark)
    things = [
        f"{name} ({file.stat().st_size}B)" for name, file in zip(shorten_paths(files), files, strict=True)
    ]
    things += [format_count(len(text), "character")] if text else []
    things += ["a link"] if url else []
    return after.report(f"Dropped {', '.join(things)} on {target}", tells_sent=OWN_LINE_KINDS)


@command(
    WRITE,
    examples=["mouse move 120,340", "mouse down", "mouse move 300,340", "mouse up", "mouse wheel 0,400"],
    waits=True,
    forms="(move|click <x,y> | down|up [<x,y>] | wheel <x,y>) [--button left|right|middle]",
)
async def mouse(
    page: PageCommand,
    action: Literal["move", "down", "up", "click", "wheel"],
    point: DistanceArgument | None = None,
    *,
    button: Literal["left", "right", "middle"] = "left",
) -> str:
    """Work the mouse at points of the viewport, in CSS pixels from its top left corner.

    'box' and 'screenshot' show where. A button that is down stays down until 'mouse up', and every reply says
    so. 'hover' moves the mouse to an element, with the button down too. 'wheel' turns the wheel where the
    pointer is, so many pixels to the right and down.

    action: what to do
    point: where in the viewport; for 'wheel' how far
    button: which one
    """
    if point is None and action in ("move", "click", "wheel"):
        raise UsageError(f"mouse {action} needs two numbers", f"For example: gbrowse mouse {action} 120,340")
    async with page.action() as after:
        done = await dragging.perform_mouse_step(page, action, point, button)
    return after.report(done)


@command(WRITE, examples=["keydown Shift"])
async def keydown(page: PageCommand, key: Key) -> str:
    """Press a key and keep it down, until 'keyup'.

    Every reply says so meanwhile; 'goto' releases all keys.
    """
    async with page.action() as after:
        await keyboard.key_down(page, key)
    return after.report(f"{key} is down")


@command(WRITE, examples=["keyup Shift"])
async def keyup(page: PageCommand, key: Key) -> str:
    """Release a key."""
    async with page.action() as after:
        was_down = await keyboard.key_up(page, key)
        if not was_down:
            after.remark("it was not down")
    return after.report(f"{key} is up")


@command(WRITE, examples=["focus @e2"], waits=True)
async def focus(page: PageCommand, target: Target) -> str:
    """Give an element the focus, without a click."""
    async with page.action() as after:
        await selection.focus(page, target)
    return after.report(f"Focused {target}")


@command(WRITE, examples=["blur", "blur @e2"])
async def blur(page: PageCommand, target: Target | None = None) -> str:
    """Take the focus away from what has it, or from an element if that has it.

    Pages check and save a field then.
    """
    if target is not None and not await read.fetch_state(page, "focused", target):
        return f"{target} has not the focus"
    async with page.action() as after:
        what = await selection.blur(page)
    return after.report(f"Blurred {what}" if what else "Nothing had the focus")


@command(
    WRITE,
    name="select-text",
    examples=["select-text @e4", "select-text article --from 'Second' --to 'end.'"],
    waits=True,
    page_text=True,
)
async def select_text(
    page: PageCommand, target: Target, *, from_: Text | None = None, to: Text | None = None
) -> str:
    """Select the text of a field or of any element, or a part of it.

    from_: the part begins with this text, at its first place
    to: the part ends with this text, at its first place after that
    """
    async with page.action() as after:
        selected = await selection.select_text(page, target, from_, to)
    return after.report(f"Selected {selected}")
