from gstack_browse.browser.auditing.coverage import (
    SourceFile,
    find_used_parts,
    group_by_address,
    merge_parts,
    render_coverage,
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


def test_scripts_of_one_document_are_added_up() -> None:
    assert merge_parts([(5, 9), (0, 3), (3, 4), (6, 7)]) == [(0, 4), (5, 9)]
    sources = [SourceFile("http://a/", *file) for file in (("js", 100), ("js", 50), ("css", 10))]
    sources[0].add_used([(0, 10)])
    sources[0].add_used([(5, 20)])
    assert render_coverage(group_by_address(sources)) == [
        "130 B  of 150 B  87 %   js   http://a/",
        "10 B   of 10 B   100 %  css  http://a/",
        "Unused: 130 B of 150 B js (87 %), 10 B of 10 B css (100 %)",
    ]
    assert render_coverage([]) == ["No script or style sheet with an address was loaded since 'coverage-start'"]
    hostile = group_by_address([SourceFile("a\x1b[1m", "js", 0)])
    assert render_coverage(hostile)[0] == "0 B  of 0 B  –  js  a␛[1m"
