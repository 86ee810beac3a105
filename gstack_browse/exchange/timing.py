"""What the time of a request went into. Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

Told = Mapping[str, Any]


class Timing(NamedTuple):
    """Milliseconds of each phase; they add up to `total`. None: there was no such phase.

    `queue` is all the time in which the browser waited or was busy itself: for its turn, a free connection, a proxy.
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

    def line(self) -> str:
        """All of it, as people read it."""
        names = ("queue", "DNS", "connect", "TLS", "send", "first byte", "download")
        parts = (f"{name} {part:.1f}" for name, part in zip(names, self, strict=True) if part is not None)
        return f"{self.total:.1f} ms: {', '.join(parts)}"


def timing(began: float, told: Told | None, ended: float) -> Timing:
    """The phases between two times of Chromium's clock (seconds). `told` is its `Network.ResourceTiming`; there is none for what came from memory.

    Chromium measures in several processes, so a phase may seem to begin before the one before it has ended: none is
    counted twice.
    """
    whole = max(ended - began, 0.0) * 1000
    if not told:
        return Timing(whole)
    offset = (told["requestTime"] - began) * 1000
    clock = _Clock(whole)

    def phase(start: str, end: str) -> float | None:
        if told.get(start, -1) < 0 or told.get(end, -1) < 0:
            return None
        return clock.spent(offset + told[start], offset + told[end])

    dns = phase("dnsStart", "dnsEnd")
    has_tls = told.get("sslStart", -1) >= 0
    connect = phase("connectStart", "sslStart" if has_tls else "connectEnd")
    tls = phase("sslStart", "sslEnd")
    send = phase("sendStart", "sendEnd")
    first = "receiveHeadersStart" if told.get("receiveHeadersStart", -1) > 0 else "receiveHeadersEnd"
    first_byte = phase("sendEnd", first)
    download = clock.spent(offset + told[first], whole) if told.get(first, -1) >= 0 else None
    spent = sum(part or 0.0 for part in (dns, connect, tls, send, first_byte, download))
    return Timing(max(whole - spent, 0.0), dns, connect, tls, send, first_byte, download)


class _Clock:
    """A position in time that only moves forward, and never past the end."""

    def __init__(self, end: float) -> None:
        self._now, self._end = 0.0, end

    def spent(self, start: float, end: float) -> float:
        """The milliseconds from one time to another, without any part that was counted before."""
        start = min(max(start, self._now), self._end)
        self._now = min(max(end, start), self._end)
        return self._now - start
