from gstack_browse.logs.rate import MOST_A_SECOND, MOST_CHARACTERS_A_SECOND, Rate


def test_as_many_as_are_allowed_in_one_second_are_not_too_many() -> None:
    rate = Rate()
    assert not any(rate.is_exceeded(5.0, 10) for _ in range(MOST_A_SECOND))
    assert rate.is_exceeded(5.9, 10)


def test_each_second_begins_anew() -> None:
    rate = Rate()
    for second in range(3):
        assert not any(rate.is_exceeded(second, 10) for _ in range(MOST_A_SECOND))


def test_a_few_enormous_ones_are_too_much() -> None:
    rate = Rate()
    assert not rate.is_exceeded(0.0, MOST_CHARACTERS_A_SECOND)
    assert rate.is_exceeded(0.5, 1)
