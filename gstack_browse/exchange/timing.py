"""The phases of a request's time. Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

Told = Mapping[str, Any]


class Timing(NamedTuple):
    """Milliseconds of each phase, which add up to `total`; None for a missing phase.

    `queue`: the browser waited or was busy itself (its turn, a free connection, a proxy).
    """

    queue: float
    dns: float | None = None
    connect: float | None = None
    tls: float | None = None
    send: float | None = None
    first_byte: float | None = None
    download: float | None = None

    @property
    def total(self) -> float:
        return sum(part or 0.0 for part in self)

    def render(self) -> str:
        """Render the total and all phases for people."""
        names = ("queue", "DNS", "connect", "TLS", "send", "first byte", "download")
        parts = (f"{name} {part:.1f}" for name, part in zip(names, self, strict=True) if part is not None)
        return f"{self.total:.1f} ms: {', '.join(parts)}"


def compute_timing(began: float, told: Told | None, ended: float) -> Timing:
    """Compute the phases between two times of Chromium's clock (seconds).

    `told` is Chromium's `Network.ResourceTiming`, None for responses from memory. It is measured in several processes, so
    phases may overlap: nothing is counted twice.
    """
    whole = max(ended - began, 0.0) * 1000
    if not told:
        return Timing(whole)
    offset = (told["requestTime"] - began) * 1000
    clock = _MonotonicClock(whole)

    def phase(start: str, end: str) -> float | None:
        if told.get(start, -1) < 0 or told.get(end, -1) < 0:
            return None
        return clock.advance(offset + told[start], offset + told[end])

    dns = phase("dnsStart", "dnsEnd")
    has_tls = told.get("sslStart", -1) >= 0
    connect = phase("connectStart", "sslStart" if has_tls else "connectEnd")
    tls = phase("sslStart", "sslEnd")
    send = phase("sendStart", "sendEnd")
    first = "receiveHeadersStart" if told.get("receiveHeadersStart", -1) > 0 else "receiveHeadersEnd"
    first_byte = phase("sendEnd", first)
    download = clock.advance(offset + told[first], whole) if told.get(first, -1) >= 0 else None
    spent = sum(part or 0.0 for part in (dns, connect, tls, send, first_byte, download))
    return Timing(max(whole - spent, 0.0), dns, connect, tls, send, first_byte, download)


class _MonotonicClock:
    """A position in time that only moves forward, up to the end."""

    def __init__(self, end: float) -> None:
        self._now, self._end = 0.0, end

    def advance(self, start: float, end: float) -> float:
        """Return the milliseconds between two times, without any part counted before."""
        start = min(max(start, self._now), self._end)
        self._now = min(max(end, start), self._end)
        return self._now - start
