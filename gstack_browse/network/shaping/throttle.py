"""Throttling of network and processor: named profiles and their figures."""

from dataclasses import asdict, dataclass, replace
from typing import Any

NO_LIMITS = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
"""The protocol's parameters for an unlimited network."""
OFF, OFFLINE = "off", "offline"
MOST_LATENCY_MS = 60_000
MOST_KBIT = 10_000_000
MOST_CPU = 100


@dataclass(frozen=True)
class Throttle:
    """Latency of each request (ms), rates (kbit/s, 0: unlimited), and CPU slowdown (a factor).

    `profile`: the name of latency and rates; "" for the user's own figures.
    """

    profile: str = ""
    latency_ms: float = 0
    down_kbit: float = 0
    up_kbit: float = 0
    cpu: int = 1

    @property
    def is_on(self) -> bool:
        """Return whether the network or the processor is slowed down."""
        return (self.latency_ms, self.down_kbit, self.up_kbit) != (0, 0, 0) or self.cpu > 1

    def with_changes(self, profile: str, **given: float | None) -> "Throttle":
        """Return a copy with a profile's figures ("" or unknown: the present ones), and the given figures.

        `given`: field → value, which takes precedence over the profile; None: unchanged.
        """
        based = replace(PROFILES[profile], cpu=self.cpu) if profile in PROFILES else self
        figures = {name: value for name, value in given.items() if value is not None}
        is_own = any(name != "cpu" for name in figures)
        return replace(based, **figures, **({"profile": ""} if is_own else {}))  # type: ignore[arg-type]

    def to_network_conditions(self, *, offline: bool) -> dict[str, Any]:
        """Return the parameters of `Network.emulateNetworkConditions`: bytes per second, -1 for no limit."""
        return {
            "offline": offline,
            "latency": self.latency_ms,
            "downloadThroughput": self.down_kbit * 125 or -1,
            "uploadThroughput": self.up_kbit * 125 or -1,
        }

    def transfer_seconds(self, size: int) -> float:
        """Return how many seconds to delay a response of `size` bytes that comes from no server."""
        return self.latency_ms / 1000 + (size * 8 / (self.down_kbit * 1000) if self.down_kbit else 0)

    def __str__(self) -> str:
        figures = [f"{self.latency_ms:g}ms latency"] if self.latency_ms else []
        figures += [f"{self.down_kbit:g} kbit/s down"] if self.down_kbit else []
        figures += [f"{self.up_kbit:g} kbit/s up"] if self.up_kbit else []
        network = ", ".join(figures)
        named = f"{self.profile} ({network})" if self.profile and network else network
        slower = f"scripts {self.cpu} times slower" if self.cpu > 1 else ""
        return ", ".join(words for words in (named, slower) if words)

    def as_dict(self) -> dict[str, Any]:
        """Return the throttle as a JSON object; {} if nothing is throttled."""
        return asdict(self) if self.is_on else {}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "Throttle":
        """Restore the throttle from what `as_dict` returned. Raises TypeError or ValueError for other fields."""
        throttle = cls(**fields)
        limits = (
            (throttle.latency_ms, 0, MOST_LATENCY_MS),
            (throttle.down_kbit, 0, MOST_KBIT),
            (throttle.up_kbit, 0, MOST_KBIT),
            (throttle.cpu, 1, MOST_CPU),
        )
        if throttle.profile not in ("", *PROFILES) or type(throttle.cpu) is not int:
            raise TypeError
        if not all(type(value) in (int, float) and least <= value <= most for value, least, most in limits):
            raise ValueError
        return throttle


PROFILES = {
    throttle.profile: throttle
    for throttle in (
        Throttle("slow-3g", 2000, 400, 400),
        Throttle("fast-3g", 562.5, 1440, 675),
        Throttle("slow-4g", 562.5, 1440, 675),
        Throttle("4g", 165, 8100, 1350),
        Throttle("fast-4g", 165, 8100, 1350),
    )
}
"""The profiles of Chromium's DevTools, which call the same network "Fast 3G" and "Slow 4G"."""
