"""Make contact sheets of a film, for an agent to read.

There is a picture for each action, note and change, with number and caption. A sheet is at most 1,568 pixels a side,
which models take without shrinking it. What does not fit goes on a further sheet.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from PIL import Image, ImageChops, ImageDraw

from gstack_browse.documents.film.drawing import (
    BACKGROUND,
    Drawer,
    PlacedPicture,
    count_fitting,
    decode_picture,
    draw_pointer,
    draw_ring,
    find_font_for,
    shorten_text,
)
from gstack_browse.documents.film.timeline import RING_STEPS, Action, Point, PointerEvent, Shot, Timeline

MOST_SIDE = 1568
MOST_COLUMNS = 5
MOST_SHEETS = 10
GAP = 8
SETTLED_SECONDS = 1.0
"""The picture of an action is the one so long after it, or at the beginning of the next one."""
BY_ITSELF_SECONDS = 2.0
"""A change so long after an action is the page's own, and gets a picture where the one before is as old."""
MOST_OWN_CHANGES = 12
_CHANGED_SHARE = 0.04
_SMALL = (64, 36)
_DIFFERENT = 24
"""Difference of a pixel's brightness, of 255."""


class Cell(NamedTuple):
    """A picture of a sheet.

    `number`: of the action; 0 for anything else. `pointer`: where it moved or pressed.
    `is_older`: the next action began before the page had drawn what this one did.
    """

    at: float
    caption: str
    shot: int
    number: int = 0
    pointer: PointerEvent | None = None
    is_failed: bool = False
    is_older: bool = False


class Box(NamedTuple):
    """The place of a cell on its sheet, in pixels. The caption is below the picture."""

    left: int
    top: int
    width: int
    picture_height: int
    height: int


class Layout(NamedTuple):
    """Boxes of a sheet in reading order, its size, and the height of letters in pixels."""

    boxes: list[Box]
    width: int
    height: int
    letters: int


def draw_sheets(take: BinaryIO, timeline: Timeline) -> Iterator[Image.Image]:
    """Yield the contact sheets of a film, MOST_SHEETS at most. `take`: the file of what was filmed."""
    cells = list_cells(take, timeline)
    drawer = Drawer(take, timeline)
    aspect = timeline.height / timeline.width
    on_each = math.ceil(len(cells) / math.ceil(len(cells) / _capacity(MOST_COLUMNS, aspect)))
    for sheet in range(MOST_SHEETS):
        if on_this := cells[sheet * on_each : (sheet + 1) * on_each]:
            yield _draw_sheet(on_this, drawer, lay_out(len(on_this), aspect))


def list_cells(take: BinaryIO, timeline: Timeline) -> list[Cell]:
    """List what a film's contact sheets show, in order of time: moments with caption and picture.

    There is a cell for each action and note, for the first 12 changes that no command has caused, and for the beginning if no other
    is in the first second. `take`: the file of what was filmed, in which changes are looked for. All cells are returned, also those
    for which MOST_SHEETS have no room.
    """
    actions = timeline.actions
    cells = [_action_cell(timeline, number) for number in range(len(actions))]
    cells += [Cell(note.at, f"note: {note.text}", timeline.shot_index_at(note.at)) for note in timeline.notes]
    cells += _list_uncaused_changes(take, timeline)
    if not any(cell.at < SETTLED_SECONDS for cell in cells):
        cells.append(Cell(0.0, "the beginning", 0))
    return sorted(cells, key=lambda cell: (cell.at, cell.number))


def _action_cell(timeline: Timeline, index: int) -> Cell:
    """Return the contact sheet's cell for an action: when it began, its caption, and the picture after it.

    The picture is from SETTLED_SECONDS after the action's end, or from the next action's beginning if that is earlier. No pointer
    if the action led to another page. `index`: of the action, from 0.
    """
    actions = timeline.actions
    action = actions[index]
    following = actions[index + 1].began if index + 1 < len(actions) else timeline.seconds
    shot = timeline.shot_index_at(max(min(action.ended + SETTLED_SECONDS, following), action.ended))
    pointer = _last_pointer(timeline, action)
    drawn = bisect_left(timeline.drawn, action.ended)
    is_older = drawn == len(timeline.drawn) or timeline.drawn[drawn] > following
    return Cell(action.began, action.caption, shot, index + 1, pointer, action.is_failed, is_older)


def _last_pointer(timeline: Timeline, action: Action) -> PointerEvent | None:
    """Return an action's last press, else its last pointer event.

    None without one, or if the action led to another page.
    """
    if action.has_moved:
        return None
    events = [event for event in timeline.pointer if action.began <= event.at <= action.ended]
    return next((event for event in reversed(events) if event.is_press), events[-1] if events else None)


def _list_uncaused_changes(take: BinaryIO, timeline: Timeline) -> list[Cell]:
    """Return a cell for each change of the page that no command has caused.

    Each picture of `take` (the file of what was filmed) is compared in small with the last one that has a cell. Stops after
    MOST_OWN_CHANGES.
    """
    cells: list[Cell] = []
    compared: Image.Image | None = None
    last_at = -BY_ITSELF_SECONDS
    index = 0
    for number, shot in enumerate(timeline.shots):
        while index < len(timeline.actions) and timeline.actions[index].began <= shot.at:
            last_at = max(last_at, timeline.actions[index].ended)
            compared = None
            index += 1
        if shot.at < last_at + BY_ITSELF_SECONDS:
            continue
        small = _read_small(take, shot)
        before = compared or (_read_small(take, timeline.shots[number - 1]) if number else None)
        if before and small and _compute_changed_share(before, small) >= _CHANGED_SHARE:
            is_persons = any(turn.began <= shot.at <= turn.ended + SETTLED_SECONDS for turn in timeline.turns)
            caption = "a person acted" if is_persons else "the page changed by itself"
            cells.append(Cell(shot.at, caption, number))
            last_at, compared = shot.at, small
            if len(cells) == MOST_OWN_CHANGES:
                break
        else:
            compared = before
    return cells


def _read_small(take: BinaryIO, shot: Shot) -> Image.Image | None:
    """Return a picture of the take, small and grey, for comparing; None if it cannot be read."""
    picture = decode_picture(take, shot)
    return picture.convert("L").resize(_SMALL, Image.Resampling.BOX) if picture else None


def _compute_changed_share(before: Image.Image, after: Image.Image) -> float:
    """Return the share of pixels (0 to 1) that differ between two pictures."""
    counts = ImageChops.difference(before, after).histogram()
    return sum(counts[_DIFFERENT:]) / sum(counts)


def _sizes(columns: int, aspect: float) -> tuple[int, int, int]:
    """Return the width of a cell, the height of its picture and the height of letters, in pixels.

    `columns`: cells side by side on the sheet. `aspect`: the film's height divided by its width.
    """
    width = (MOST_SIDE - GAP * (columns + 1)) // columns
    letters = {1: 22, 2: 18, 3: 17, 4: 16}.get(columns, 15)
    room = MOST_SIDE - 2 * GAP - _compute_caption_height(letters)
    height = min(round(width * aspect), room)
    return min(width, round(height / aspect)), height, letters


def _compute_caption_height(letters: int) -> int:
    """Return the height, in pixels, of two lines of letters of this size."""
    return round(2 * letters * 1.3) + 6


def _capacity(columns: int, aspect: float) -> int:
    """Return how many cells fit on a sheet. `aspect`: the film's height divided by its width."""
    _, height, letters = _sizes(columns, aspect)
    return columns * ((MOST_SIDE - GAP) // (height + _compute_caption_height(letters) + GAP))


def lay_out(count: int, aspect: float) -> Layout:
    """Place `count` cells on a sheet, with pictures as large as fit.

    `aspect`: the film's height divided by its width.
    """
    columns = next((each for each in range(1, MOST_COLUMNS) if _capacity(each, aspect) >= count), MOST_COLUMNS)
    width, height, letters = _sizes(columns, aspect)
    whole = height + _compute_caption_height(letters)
    boxes = []
    for index in range(count):
        row, column = divmod(index, columns)
        boxes.append(Box(GAP + (width + GAP) * column, GAP + (whole + GAP) * row, width, height, whole))
    right = max(box.left + box.width for box in boxes) + GAP
    return Layout(boxes, right, boxes[-1].top + whole + GAP, letters)


def _draw_sheet(cells: Sequence[Cell], drawer: Drawer, layout: Layout) -> Image.Image:
    """Draw a contact sheet: each cell's picture with its caption below."""
    sheet = Image.new("RGB", (layout.width, layout.height), BACKGROUND)
    draw = ImageDraw.Draw(sheet)
    for cell, box in zip(cells, layout.boxes, strict=True):
        picture = _cell_picture(drawer.page_picture(cell.shot), cell)
        sheet.paste(
            picture.resize((box.width, box.picture_height), Image.Resampling.LANCZOS), (box.left, box.top)
        )
        colour = (255, 140, 120) if cell.is_failed else (255, 255, 255) if cell.number else (170, 200, 255)
        for index, line in enumerate(wrap_caption(describe_cell(cell), layout.letters, box.width)):
            top = box.top + box.picture_height + 4 + round(index * layout.letters * 1.3)
            draw.text((box.left, top), line, fill=colour, font=find_font_for(line, layout.letters))
    return sheet


def _cell_picture(placed: PlacedPicture, cell: Cell) -> Image.Image:
    """Return the picture of a cell with the pointer drawn in, and a ring if it pressed."""
    if cell.pointer is None:
        return placed.image
    picture = placed.image.copy()
    at = placed.to_canvas(Point(cell.pointer.x, cell.pointer.y))
    if cell.pointer.is_press:
        draw_ring(picture, at, RING_STEPS)
    draw_pointer(picture, at)
    return picture


def describe_cell(cell: Cell) -> str:
    """Return a cell's caption: number, time and command."""
    minutes, seconds = divmod(int(cell.at), 60)
    number = f"{cell.number}. " if cell.number else ""
    failed = "  FAILED" if cell.is_failed else ""
    older = "(older picture?) " if cell.is_older else ""
    return f"{number}{minutes}:{seconds:02} {older}{cell.caption}{failed}"


def wrap_caption(text: str, letters: int, width: int) -> list[str]:
    """Return a caption as one or two lines of at most `width` pixels; shorten the second to fit.

    `letters`: the height of letters in pixels.
    """
    font = find_font_for(text, letters)
    if font.getlength(text) <= width:
        return [text]
    end = max(count_fitting(text, font, width), 1)
    space = text.rfind(" ", 0, end + 1)
    end = space if space > end * 0.6 else end
    return [text[:end].rstrip(), shorten_text(text[end:].lstrip(), font, width)]
