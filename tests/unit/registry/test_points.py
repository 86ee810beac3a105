from pathlib import Path

import pytest

from gstack_browse.errors import UsageError
from gstack_browse.registry.values.measures import Point, PointIn, distance, is_distance, point_in
from gstack_browse.registry.values.paths import CallerPaths
from tests.each import each

HERE = CallerPaths(Path("/w"), Path("/w"))


def test_a_point_may_be_a_distance_or_a_part_of_an_element() -> None:
    assert distance("-40,12.5", HERE) == Point(-40, 12.5)
    assert str(distance("+7,0", HERE)) == "7,0"
    for word in ("#a", "ul,ol", "@e3", "1,2,3", "50%,1"):
        assert not is_distance(word)
    point = point_in("12,50%", HERE)
    assert (point, str(point)) == (PointIn("12", "50%"), "12,50%")
    assert (point.across_in(200), point.down_in(30)) == (12, 15)


@each(["", "12", "a,b", "1e3,2", "1,2px", "99999999,1", "１,２"])
def test_malformed_point_or_distance_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        point_in(word, HERE)
    with pytest.raises(UsageError):
        distance(word, HERE)
