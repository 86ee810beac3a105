from gstack_browse.browser.auditing.coverage import (
    find_used_parts,
)
from tests.each import each_row


@each_row(
    ([(0, 100, 1), (20, 40, 0)], [(0, 20), (40, 100)]),
    ([(0, 100, 1), (20, 60, 0), (30, 40, 1)], [(0, 20), (30, 40), (60, 100)]),
    ([(0, 100, 0), (10, 20, 1), (20, 30, 1)], [(10, 30)]),
    ([(0, 100, 1), (0, 100, 0)], []),
    ([(0, 50, 1), (50, 90, 0), (90, 100, 1)], [(0, 50), (90, 100)]),
)
def test_of_nested_ranges_the_innermost_counts(
    ranges: list[tuple[int, int, int]], used: list[tuple[int, int]]
) -> None:
    told = [{"startOffset": begin, "endOffset": end, "count": count} for begin, end, count in ranges]
    assert find_used_parts(told) == used
