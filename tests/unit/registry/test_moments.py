import pytest

from gstack_browse.errors import UsageError
from gstack_browse.registry.values.measures import moment

NOW = 1_800_000_000.0


def test_typed_moment_becomes_a_timestamp_or_is_refused() -> None:
    for word, at in [
        ("0", 0),
        ("1900000000", 1_900_000_000),
        ("90s", NOW + 90),
        ("12h", NOW + 43_200),
        ("30d", NOW + 2_592_000),
        ("2027-01-31", 1_801_353_600),
        ("2027-01-31T01:00:00+01:00", 1_801_353_600),
    ]:
        assert moment(word, NOW) == at
    for word in ["", "soon", "-5", "1.5h", "2027-13-01", "99999999999999", "9999999d", "0001-01-01x"]:
        with pytest.raises(UsageError):
            moment(word, NOW)
