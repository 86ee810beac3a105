"""Find a frame by element, name or URL, and make it the one that selectors and scripts apply to."""

import asyncio
import json
from collections.abc import Callable

from gstack_browse.browser.actions.locate.find import exists, locate
from gstack_browse.browser.command.page import PageCommand, PollBudget
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.errors import ManyMatches, NoMatch, NotInteractable
from gstack_browse.text.pattern import Glob
from gstack_browse.text.sanitise import one_line, quote_text, quote_unless_short

MOST_LISTED = 10
WAIT_SECONDS = 5.0
LOOK_AGAIN_SECONDS = 0.1


async def wait_for_frame(
    page: PageCommand, *, target: str | None = None, name: str | None = None, url: str | None = None
) -> Frame:
    """Wait for a frame, 5 s or `--timeout`: a page may open a dialog with it a moment after a press.

    Args:
        target: of the `<iframe>` that shows it. Raises NotInteractable for another element.
        name: its name, at any depth. One that a script gave after loading is found in the current frame only.
        url: a pattern for its URL: `*` matches within a path segment, `**` across segments, a plain word anywhere

    Raises NoMatch, ManyMatches.
    """
    budget = PollBudget(page, page.give_up_time(WAIT_SECONDS), 1)
    while True:
        try:
            if url is not None:
                return _frame_by_url(page, url)
            return await (
                _frame_by_name(page, name) if name is not None else _frame_of_element(page, target or "")
            )
        except NoMatch:
            if budget.is_exhausted():
                raise
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


async def _frame_of_element(page: PageCommand, target: str) -> Frame:
    """Return the frame that the `<iframe>` `target` shows. Raises NotInteractable for another element."""
    element, frames = await locate(page, target), page.world.frames
    frame = await frames.content_frame(await frames.context_of(element.frame), element.node)
    if frame is None:
        raise NotInteractable(f"{one_line(target, 100)} is no frame", _list_frames(page))
    return frame


async def _frame_by_name(page: PageCommand, name: str) -> Frame:
    """Return the only frame of that name. Raises NoMatch, ManyMatches."""
    try:
        return _find_single_frame(page, f"the name {quote_text(name, 60)}", lambda frame: frame.name == name)
    except NoMatch as error:
        css_name = json.dumps(name)  # for a name, JSON is also a CSS string
        selector = f"iframe[name={css_name}], frame[name={css_name}]"
        if await exists(page, selector):
            return await _frame_of_element(page, selector)
        raise error from None


def _frame_by_url(page: PageCommand, pattern: str) -> Frame:
    """Return the only frame whose URL matches the pattern. Raises NoMatch, ManyMatches."""
    glob, wanted = Glob(pattern), f"a URL like {one_line(pattern, 100)}"
    return _find_single_frame(page, wanted, lambda frame: glob.matches(frame.url))


def switch_frame(page: PageCommand, frame: Frame) -> None:
    """Make `frame` the one that selectors and scripts of later commands apply to, until the tab navigates."""
    main = page.tab.page.main_frame
    page.tab.frame = None if frame == main else frame


def describe_loading_frames(page: PageCommand) -> list[str]:
    """Return a remark for each frame that is blank so far: its document was requested and has not come."""
    awaited = [shown_url(entry.url) for entry in page.tab.requests.for_frames]
    return [
        f"A frame's document is on its way: {url}. 'wait --networkidle' waits for it"
        for url in awaited[:MOST_LISTED]
    ]


def _find_single_frame(page: PageCommand, wanted: str, matches: Callable[[Frame], bool]) -> Frame:
    """Return the only child frame, at any depth, that `matches` accepts. Raises NoMatch, ManyMatches.

    `wanted`: what the frame must have, for the message, such as `the name "menu"`.
    """
    found = [frame for frame in _list_child_frames(page) if matches(frame)]
    if not found:
        raise NoMatch(f"No frame has {wanted}", _list_frames(page))
    if len(found) > 1:
        raise ManyMatches(f"{len(found)} frames have {wanted}", _list_frames(page))
    return found[0]


def _list_child_frames(page: PageCommand) -> list[Frame]:
    """Return all frames of the page but the main one."""
    main = page.tab.page.main_frame
    return [frame for frame in page.tab.page.frames if frame != main]


def _list_frames(page: PageCommand) -> str:
    """Return a hint with name and URL of each frame of the page but the main one, a line each."""
    frames = _list_child_frames(page)
    if not frames:
        return "This page has no frames"
    lines = [
        f"  {quote_unless_short(frame.name, 40) if frame.name.strip() else '(no name)'} — {shown_url(frame.url)}"
        for frame in frames[:MOST_LISTED]
    ]
    more = [f"  and {len(frames) - MOST_LISTED} more"] if len(frames) > MOST_LISTED else []
    return "\n".join(["Frames of this page:", *lines, *more])
