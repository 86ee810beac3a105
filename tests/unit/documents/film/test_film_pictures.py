from io import BytesIO
from itertools import combinations

import av
from PIL import Image

from gstack_browse.documents.film import sheet as sheets
from gstack_browse.documents.film.drawing import RING, Drawer, find_font_for
from gstack_browse.documents.film.encoding import write_film
from gstack_browse.documents.film.take import read_records
from gstack_browse.documents.film.timeline import PointerEvent, Timeline, list_moments, read_timeline
from tests.each import each
from tests.unit.documents.film.takes import BLUE, GREEN, RED, action, begin, press, record, shot

WHOLE = (
    begin(),
    shot(0, RED),
    action(1, 1.1, "fill label=Password $password"),
    press(2, 640, 360),
    action(2, 2.2, "click 'role=button[name=\"Save\"]'", moved=False),
    shot(2.1, GREEN),
    action(3, 3.3, "goto http://example.org/" + "long/" * 60, failed=True),
    record("note", 4, {"text": "Zweiter Versuch"}),
    shot(5.6, BLUE),
    record("end", 8.5),
)


def take(*records: bytes) -> tuple[BytesIO, Timeline]:
    file = BytesIO(b"".join(records))
    return file, read_timeline(read_records(file))


def film_of(file: BytesIO, timeline: Timeline, suffix: str, *, plain: bool = False) -> BytesIO:
    moments, fps = list_moments(timeline, plain=plain)
    facts = {
        "seconds": max(timeline.seconds, 1 / fps),
        "size": (timeline.width, timeline.height),
        "notes": timeline.notes,
    }
    out = BytesIO()
    draw = Drawer(file, timeline).draw
    write_film(out, moments, draw, suffix=suffix, fps=fps, progress=lambda done: None, **facts)
    out.seek(0)
    return out


def is_near(pixel: object, colour: tuple[int, int, int]) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(one - other) < 40 for one, other in zip(pixel, colour, strict=True))


def test_notes_are_chapters_of_a_webm() -> None:
    first, late = (record("note", at, {"text": text}) for at, text in ((0.2, "Erster Versuch"), (9, "Zu spät")))
    with av.open(film_of(*take(*WHOLE[:-1], first, WHOLE[-1], late, record("end", 9)), ".webm")) as container:
        chapters = [
            (one["metadata"]["title"], *(float(one[end] * one["time_base"]) for end in ("start", "end")))
            for one in container.chapters()
        ]
    assert chapters == [("Erster Versuch", 0.2, 4.0), ("Zweiter Versuch", 4.0, 9.0), ("Zu spät", 9.0, 9.0)]


def test_press_is_drawn_where_it_was_and_captions_below() -> None:
    file, timeline = take(*WHOLE)
    drawer = Drawer(file, timeline)
    moments, _ = list_moments(timeline)
    ringed = next(each for each in moments if each.ring == 6)
    drawn = drawer.draw(ringed)
    assert drawn.size == (640, 360)
    around = [drawn.getpixel((320 + x, 180)) for x in (-30, 29, 30)]
    assert any(is_near(pixel, RING) for pixel in around), around
    assert drawn.getpixel((320, 180)) not in (RED, GREEN), "the pointer's tip"
    assert is_near(drawn.getpixel((9, 9)), GREEN)
    assert not is_near(drawn.getpixel((600, 350)), GREEN), "a caption's strip"
    titled = drawer.draw(next(each for each in moments if each.title))
    assert not is_near(titled.getpixel((320, 36)), GREEN)


@each([b"", b"GIF89a", b"\xff\xd8\xff\xe0" + b"x" * 99])
def test_picture_that_is_none_is_left_blank(content: bytes) -> None:
    file, timeline = take(begin(), record("picture", 0, {"width": 9}, content), record("end", 1))
    moments, _ = list_moments(timeline)
    assert Drawer(file, timeline).draw(moments[0]).size == (640, 360)
    assert list(sheets.draw_sheets(file, timeline))


def test_sheet_has_each_action_once_with_number_note_and_own_change() -> None:
    file, timeline = take(*WHOLE)
    cells = sheets.list_cells(file, timeline)
    told = [(sheets.describe_cell(cell)[:24], cell.shot, cell.pointer) for cell in cells]
    assert told == [
        ("0:00 the beginning", 0, None),
        ("1. 0:01 (older picture?)", 0, None),
        ("2. 0:02 (older picture?)", 1, PointerEvent(2, 640, 360, True)),
        ("3. 0:03 (older picture?)", 1, None),
        ("0:04 note: Zweiter Versu", 1, None),
        ("0:05 the page changed by", 2, None),
    ]
    assert sheets.describe_cell(cells[3]).endswith("FAILED")
    (drawn,) = sheets.draw_sheets(file, timeline)
    assert max(drawn.size) <= sheets.MOST_SIDE


def test_sheet_says_which_action_was_not_drawn_when_the_next_one_began() -> None:
    drawn = action(1, 2, "drawn"), record("same", 2.1, {"drawn": True})
    late = action(3, 4, "not drawn"), action(4.1, 5, "drawn late"), shot(5.2, GREEN, drawn=True)
    last = action(6, 7, "the last"), shot(7.1, BLUE), record("end", 8)
    file, timeline = take(begin(), shot(0, RED), *drawn, *late, *last)
    cells = [cell for cell in sheets.list_cells(file, timeline) if cell.number]
    assert [(sheets.describe_cell(cell), cell.shot) for cell in cells] == [
        ("1. 0:01 drawn", 0),
        ("2. 0:03 (older picture?) not drawn", 0),
        ("3. 0:04 drawn late", 1),
        ("4. 0:06 (older picture?) the last", 2),
    ]


def test_page_that_never_rests_gets_a_few_pictures_and_hundred_actions_several_sheets() -> None:
    blinking = [shot(tick / 2, RED if tick % 2 else GREEN) for tick in range(120)]
    file, timeline = take(begin(), *blinking)
    own = [cell for cell in sheets.list_cells(file, timeline) if "itself" in cell.caption]
    assert len(own) == sheets.MOST_OWN_CHANGES
    many = [action(step, step + 0.1, f"click text={step}") for step in range(100)]
    drawn = list(sheets.draw_sheets(*take(begin(), shot(0, RED), *many)))
    assert 3 <= len(drawn) <= 5
    assert all(max(sheet.size) <= sheets.MOST_SIDE for sheet in drawn)


def test_boxes_of_a_sheet_lie_apart_and_their_captions_fit() -> None:
    long = "12. 0:09 click 'role=button[name=\"Continue to the next page of the form\"]' " + "wide " * 30
    for aspect in (9 / 16, 1.0, 16 / 9):
        most = sheets._capacity(sheets.MOST_COLUMNS, aspect)
        for count in (1, 2, 3, 5, 10, most):
            layout = sheets.lay_out(count, aspect)
            assert len(layout.boxes) == count
            assert max(layout.width, layout.height) <= sheets.MOST_SIDE
            assert layout.letters >= 15
            for one, other in combinations(sorted(layout.boxes, key=lambda box: box.left), 2):
                assert one.left + one.width <= other.left or abs(one.top - other.top) >= one.height
            for box in layout.boxes:
                assert box.left + box.width <= layout.width
                assert box.top + box.height <= layout.height
            box = layout.boxes[0]
            lines = sheets.wrap_caption(long, layout.letters, box.width)
            assert len(lines) <= 2
            assert all(find_font_for(line, layout.letters).getlength(line) <= box.width for line in lines)
            assert box.height - box.picture_height >= 2 * layout.letters * 1.3


@each([0.02, 1.0])
def test_film_of_one_picture_is_made(seconds: float) -> None:
    file, timeline = take(begin(), shot(0, RED), record("end", seconds))
    with Image.open(film_of(file, timeline, ".webp")) as image:
        assert is_near(image.convert("RGB").getpixel((9, 9)), RED)
    with av.open(film_of(file, timeline, ".webm")) as container:
        assert container.duration == max(seconds, 0.1) * 1_000_000


def test_changes_while_a_person_has_the_tab_are_the_persons() -> None:
    turns = [record("person", at, {"has": has}) for at, has in ((0, False), (6, True), (8, False), (12, True))]
    shots = [shot(1, RED) + shot(4, GREEN), shot(7, RED), shot(10, GREEN), shot(13, RED)]
    parts = [part for pair in zip(turns, shots, strict=True) for part in pair]
    file, timeline = take(begin(), *parts, record("end", 14))
    captions = [cell.caption for cell in sheets.list_cells(file, timeline)]
    own, persons = "the page changed by itself", "a person acted"
    assert captions == ["the beginning", own, persons, own, persons]
