from io import BytesIO

from gstack_browse.documents.film import timeline as timelines
from gstack_browse.documents.film.take import pack_record, read_records
from gstack_browse.documents.film.timeline import Point, Timeline, list_moments, read_timeline
from tests.unit.documents.film.takes import GREEN, RED, action, begin, press, record, shot


def read(*records: bytes) -> Timeline:
    return read_timeline(read_records(BytesIO(b"".join(records))))


def test_incomplete_last_record_is_left_out() -> None:
    whole = begin() + shot(1, RED) + record("alive", 2)
    last = shot(3, GREEN)
    for missing in (1, len(last) // 2, len(last) - 1):
        made = read(whole, last[:-missing])
        assert ([each.at for each in made.shots], made.seconds) == ([1], 2), missing


def test_records_that_are_none_end_the_take() -> None:
    no_json, no_object = pack_record({"kind": "x"})[:8] + b"not json....", b"\0\0\0\5\0\0\0\0[1,2]"
    for broken in (b"\xff" * 30, b"\0" * 40, no_json, no_object):
        assert read(begin(), shot(1, RED), broken, shot(2, GREEN)).seconds == 1, broken


def test_facts_of_a_planted_take_stay_within_limits() -> None:
    made = read(
        begin(fps=1e300, width="wide", height=-3),
        record("picture", float("1e300"), {"width": 0}, b"x"),
        record("note", 1, {"text": "a\x1b[2J\nb" * 400}),
        record("action", True, {"began": 9, "caption": ["x"]}),
    )
    assert (made.fps, made.width, made.height, made.shots[0].width) == (60, 160, 160, 1)
    assert made.seconds <= 100_000
    assert made.notes[0].text.isprintable()
    assert len(made.notes[0].text) <= 200
    assert made.actions[0].caption == ""


def test_pointer_is_at_the_place_of_a_press_when_it_happens_and_a_ring_is_around_it() -> None:
    made = read(begin(), shot(0, RED), press(4, 300, 200), press(2, 100, 100), record("end", 6))
    moments, fps = list_moments(made)
    assert fps == 10
    at = {each.tick: each for each in moments}
    assert moments[0].pointer is None
    assert at[20].pointer == Point(100, 100)
    assert at[38].pointer == Point(200, 150), "half of the way"
    assert at[40].pointer == Point(300, 200)
    rings = [each.tick for each in moments if each.ring_at == Point(300, 200)]
    assert (rings[0], rings[-1]) == (38, 43)
    assert [at[tick].ring for tick in rings] == sorted(at[tick].ring for tick in rings)


def test_captions_come_before_their_command_and_three_are_shown_at_once() -> None:
    many = [action(2 + step / 10, 2.05 + step / 10, f"step {step}") for step in range(5)]
    made = read(begin(), shot(0, RED), *many, record("note", 5, {"text": "Then"}), record("end", 9))
    moments, _ = list_moments(made)
    shown = {each.tick: [action.caption for action in each.captions] for each in moments}
    assert shown[17] == ["step 0"]
    assert shown[21] == ["step 2", "step 3", "step 4"]
    assert [each.tick for each in moments if each.title] == [50]
    assert moments[-1].captions == ()
    plain, _ = list_moments(made, plain=True)
    assert len(plain) == 1


def test_long_film_in_motion_has_fewer_pictures_a_second() -> None:
    made = Timeline(fps=10, seconds=1200)
    made.shots = [timelines.Shot(tick / 10, 0, 1, 1280) for tick in range(12_000)]
    moments, fps = list_moments(made)
    assert (fps, len(moments), moments[-1].tick) == (5, 6000, 5999)
