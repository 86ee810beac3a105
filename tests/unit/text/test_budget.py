import pytest

from gstack_browse.text.budget import InvalidBudget, check_budget, parse_budget, summarise_broken_limits
from tests.each import each, each_row

HOLDS = [
    ("lcp<2500", {"lcp": 2499.0}, True), ("lcp<2500", {"lcp": 2500.0}, False), ("lcp<=2.5s", {"lcp": 2500.0}, True),
    ("bytes<1.5MB", {"bytes": 1_499_999.0}, True), ("bytes<1.5MB", {"bytes": 1_500_000.0}, False), ("script-bytes<10KB", {"script-bytes": 0.0}, True),
    ("cls<0.1", {"cls": 0.1}, False), ("inp<200", {"inp": None}, False), ("errors<=0", {"errors": 0.0}, True),
    (" lcp < 9 , cls<1", {"lcp": 1.0, "cls": 0.5}, True),
]  # fmt: skip


@each_row(*HOLDS)
def test_a_limit_holds(words: str, measured: dict[str, float | None], holds: bool) -> None:
    _, broken = check_budget(parse_budget(words), measured)
    assert (not broken) is holds


@each(["lcp", "lcp>5", "fast<5", "lcp<", "lcp<5MB", "bytes<5s", "cls<1ms", "lcp<-1", "lcp<1e9", "requests<5,x"])
def test_malformed_budget_is_refused(words: str) -> None:
    with pytest.raises(InvalidBudget):
        parse_budget(words)


def test_each_limit_has_a_line() -> None:
    lines, broken = check_budget(
        parse_budget("lcp<2500,cls<0.1,inp<200,bytes<2KB"), {"lcp": 1240.4, "cls": 0.18, "bytes": 1536}
    )
    assert [" ".join(line.split()) for line in lines] == [
        "lcp 1,240 ms ok lcp<2500", "cls 0.18 over cls<0.1", "inp – not measured inp<200", "bytes 1.5 kB ok bytes<2KB",
    ]  # fmt: skip
    assert summarise_broken_limits(broken, 4) == "2 of 4 limits do not hold: cls<0.1, inp<200"
