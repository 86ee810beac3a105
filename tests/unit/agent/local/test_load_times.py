import pytest

from gstack_browse.agent.local.checks.perf_times import Median, compare_medians, parse_medians
from gstack_browse.errors import FileFailed
from tests.each import each
from tests.unit.agent.local.conftest import Place


def perf(**times: int) -> str:
    return "".join(f"{phase:<9} {milliseconds}ms\n" for phase, milliseconds in times.items())


def test_a_change_passes_both_limits() -> None:
    text = perf(ttfb=10, load=300) + perf(ttfb=90, load=100) + perf(ttfb=20, load=200) + "load      not yet\n"
    assert parse_medians(text) == {"ttfb": Median(20, 3), "load": Median(200, 3)}
    assert parse_medians(perf(load=100) + perf(load=201)) == {"load": Median(151, 2)}
    for before, now, said in [
        (100, 150, "same"),  # 50 ms
        (100, 151, "SLOWER"),
        (1000, 1200, "same"),  # 20 %
        (1000, 1201, "SLOWER"),
        (1000, 799, "FASTER"),
        (1000, 801, "same"),
        (0, 51, "SLOWER"),
    ]:
        assert compare_medians(Median(now, 5), Median(before, 5), 20, 50) == said
    assert compare_medians(Median(1, 5), None, 20, 50) == "new"


@each(["", "load not yet", "loading 3 ms", "load 3ms later"])
def test_a_file_without_times_is_said(text: str) -> None:
    with pytest.raises(FileFailed, match="no times"):
        parse_medians(text)


def test_load_time_slower_than_the_baseline_exits_with_1(place: Place) -> None:
    (place.workspace / "before.txt").write_text(perf(ttfb=10, load=300))
    (place.workspace / "now.txt").write_text(perf(ttfb=12, load=900))
    assert place("load-times", "now.txt").splitlines()[2].split() == ["load", "1", "900ms"]
    reply = place.reply("load-times", "now.txt", "--baseline", "before.txt")
    assert (reply.code, reply.message) == (1, "Slower than the baseline: load")
    expected = [["ttfb", "1", "10ms", "12ms", "same"], ["load", "1", "300ms", "900ms", "SLOWER"]]
    assert [line.split() for line in reply.text.splitlines()[1:]] == expected
    assert place.reply("load-times", "now.txt", "--baseline", "before.txt", "--percent", "200").code == 0
