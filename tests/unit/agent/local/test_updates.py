from gstack_browse.agent.local import updates
from tests.each import each, each_row

MINUTE, HOUR, DAY = 60, 3600, 86400


@each_row(
    ("UP_TO_DATE 0.2.0", 59 * MINUTE, "", True),
    ("UP_TO_DATE 0.2.0", 61 * MINUTE, "", False),
    ("UP_TO_DATE 0.1.0", 0, "", False),
    ("UPGRADE_AVAILABLE 0.2.0 0.3.1", 11 * HOUR, "UPGRADE_AVAILABLE 0.2.0 0.3.1", True),
    ("UPGRADE_AVAILABLE 0.2.0 0.3.1", 13 * HOUR, "UPGRADE_AVAILABLE 0.2.0 0.3.1", False),
    ("UPGRADE_AVAILABLE 0.1.0 0.2.0", 0, "", False),
    ("UPGRADE_AVAILABLE 0.2.0 0.1.9", 0, "", False),
    ("CHECK_FAILED no route to host", 59 * MINUTE, "CHECK_FAILED no route to host", True),
    ("CHECK_FAILED no route to host", 61 * MINUTE, "CHECK_FAILED no route to host", False),
    ("UP_TO_DATE 0.2.0", -5, "", False),
    ("UPGRADE_AVAILABLE 0.2.0 0.3.1", -DAY, "UPGRADE_AVAILABLE 0.2.0 0.3.1", False),
    ("", 0, "", False),
    ("UP_TO_DATE", 0, "", False),
    ("UPGRADE_AVAILABLE 0.2.0", 0, "", False),
    ("\x00\ufffd nonsense", 0, "", False),
)
def test_result_of_a_check_is_fresh_for_its_time(text: str, age: float, line: str, is_fresh: bool) -> None:
    known = updates.parse_result(text, age, "0.2.0")
    assert (known.line, known.is_fresh) == (line, is_fresh)


def test_a_snooze_holds_longer_each_time_and_for_its_version() -> None:
    for level, seconds in [(1, DAY), (2, 2 * DAY), (3, 7 * DAY), (9, 7 * DAY)]:
        snooze = updates.Snooze("0.3.1", level, at=1000)
        assert snooze.applies_to("0.3.1", 1000 + seconds - 1)
        assert not snooze.applies_to("0.3.1", 1000 + seconds)
    snooze = updates.Snooze("0.3.1", 3, at=1000)
    assert not snooze.applies_to("0.3.2", 1001)
    assert not snooze.applies_to("0.3.1", 999)
    first = updates.next_snooze(None, "0.3.1", 10.5)
    second = updates.next_snooze(first, "0.3.1", 20)
    assert (str(first), str(second)) == ("0.3.1 1 10", "0.3.1 2 20")
    assert updates.next_snooze(second, "0.4", 30).level == 1
    assert updates.parse_snooze("0.3.1 2 20\n") == updates.Snooze("0.3.1", 2, 20)


@each(["", "0.3.1", "0.3.1 x 1", "0.3.1 0 1", "0.3.1 -1 1", "0.3.1 1 1 1", "0.3.1 1 " + "9" * 50])
def test_a_corrupt_snooze_is_none(text: str) -> None:
    assert updates.parse_snooze(text) is None
