import random

import pytest

from gstack_browse.network.exchange.facts import Timing, compute_timing
from tests.each import each

TOLD = {
    "requestTime": 10.002, "dnsStart": 1.0, "dnsEnd": 3.0, "connectStart": 3.5, "connectEnd": 10.0,
    "sslStart": 5.0, "sslEnd": 10.0, "sendStart": 10.5, "sendEnd": 11.0,
    "receiveHeadersStart": 30.0, "receiveHeadersEnd": 31.0,
}  # fmt: skip


def rounded(phases: Timing) -> tuple[float | None, ...]:
    return tuple(None if part is None else round(part, 3) for part in phases)


def test_timing_has_every_phase_that_a_request_had() -> None:
    phases = compute_timing(10.0, TOLD, 10.050)
    # 2 ms before it began, 1 until DNS, 0.5 until it connected, 0.5 until it sent
    assert rounded(phases) == (4.0, 2.0, 1.5, 5.0, 0.5, 19.0, 18.0)
    assert phases.render() == (
        "50.0 ms: queue 4.0, DNS 2.0, connect 1.5, TLS 5.0, send 0.5, first byte 19.0, download 18.0"
    )
    none = "dnsStart dnsEnd connectStart connectEnd sslStart sslEnd"
    told = TOLD | dict.fromkeys(none.split(), -1)
    assert rounded(compute_timing(10.0, told, 10.050)) == (12.5, None, None, None, 0.5, 19.0, 18.0)
    assert compute_timing(10.0, None, 10.003).render() == "3.0 ms: queue 3.0"


@each(range(200))
def test_phases_add_up_to_the_total_with_random_times(seed: int) -> None:
    chance = random.Random(seed)
    told = {name: chance.uniform(-20, 80) if chance.random() < 0.9 else -1 for name in TOLD}
    told["requestTime"] = 10 + chance.uniform(-0.02, 0.05)
    phases = compute_timing(10.0, told, 10.0 + chance.uniform(0, 0.06))
    assert all(part is None or part >= 0 for part in phases)
    assert phases.total == pytest.approx(compute_timing(10.0, None, 10.0 + phases.total / 1000).total)
    assert phases.total <= 60.001
    ended = 10.0 + chance.uniform(0, 0.06)
    assert compute_timing(10.0, told, ended).total == pytest.approx((ended - 10.0) * 1000)
