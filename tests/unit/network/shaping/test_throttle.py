import json

from gstack_browse.network.shaping.throttle import PROFILES, Throttle
from tests.each import each_row


@each_row(
    ("slow-3g", {}, "slow-3g (2000ms latency, 400 kbit/s down, 400 kbit/s up)"),
    ("4g", {"cpu": 4}, "4g (165ms latency, 8100 kbit/s down, 1350 kbit/s up), scripts 4 times slower"),
    ("4g", {"latency_ms": 300}, "300ms latency, 8100 kbit/s down, 1350 kbit/s up"),
    ("", {"latency_ms": 300, "down_kbit": None}, "300ms latency"),
    ("offline", {}, ""),
)
def test_throttle_is_described_with_its_profile_or_figures(
    profile: str, given: dict[str, float | None], words: str
) -> None:
    throttle = Throttle().with_changes(profile, **given)
    assert (str(throttle), throttle.is_on) == (words, bool(words))
    assert Throttle.from_dict(json.loads(json.dumps(throttle.as_dict()))) == throttle


def test_figures_are_those_of_chromiums_tools() -> None:
    slowed = Throttle().with_changes("", cpu=6).with_changes("4g")
    assert (slowed.cpu, slowed.with_changes("slow-3g", cpu=1)) == (6, PROFILES["slow-3g"])
    assert not slowed.with_changes("", cpu=1, latency_ms=0, down_kbit=0, up_kbit=0).is_on
    conditions = {name: profile.to_network_conditions(offline=False) for name, profile in PROFILES.items()}
    down = [conditions[name]["downloadThroughput"] for name in ("slow-3g", "fast-3g", "4g")]
    assert down == [50_000, 180_000, 1_012_500]
    assert conditions["slow-4g"] == conditions["fast-3g"]
    expected = {"offline": True, "latency": 5, "downloadThroughput": -1, "uploadThroughput": -1}
    assert Throttle(latency_ms=5).to_network_conditions(offline=True) == expected
    assert Throttle(latency_ms=500, down_kbit=800).transfer_seconds(100_000) == 1.5
    assert Throttle(cpu=4).transfer_seconds(100_000) == 0
