"""How slow the network and the processor are made: named profiles, and what they come to."""

from dataclasses import asdict, dataclass, replace
from typing import Any

NO_LIMITS = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
"""In the protocol's words."""
OFF, OFFLINE = "off", "offline"
MOST_LATENCY_MS = 60_000
MOST_KBIT = 10_000_000
MOST_CPU = 100


@dataclass(frozen=True)
class Throttle:
    """Latency of each request in milliseconds, rates in kbit/s (0: as fast as they are), how many times slower scripts run.

    `profile`: the name of the latency and the rates; "" where they are of nobody's choice but the user's.
    """

    profile: str = ""
    latency_ms: float = 0
    down_kbit: float = 0
    up_kbit: float = 0
    cpu: int = 1

    @property
    def slows_network(self) -> bool:
        return (self.latency_ms, self.down_kbit, self.up_kbit) != (0, 0, 0)

    @property
    def is_on(self) -> bool:
        return self.slows_network or self.cpu > 1

    def changed(self, profile: str, **given: float | None) -> "Throttle":
        """A copy with a profile, where one is named, and the figures that are given, which go before it."""
        based = replace(PROFILES[profile], cpu=self.cpu) if profile in PROFILES else self
        figures = {name: value for name, value in given.items() if value is not None}
        is_own = any(name != "cpu" for name in figures)
        return replace(based, **figures, **({"profile": ""} if is_own else {}))  # type: ignore[arg-type]

    def conditions(self, *, offline: bool) -> dict[str, Any]:
        """The parameters of the protocol's `Network.emulateNetworkConditions`: bytes a second, -1 for no limit."""
        return {
            "offline": offline,
            "latency": self.latency_ms,
            "downloadThroughput": self.down_kbit * 125 or -1,
            "uploadThroughput": self.up_kbit * 125 or -1,
        }

    def answer_seconds(self, size: int) -> float:
        """How long an answer of so many bytes takes that comes from no server."""
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
        """As JSON can have it."""
        return asdict(self) if self.is_on else {}

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> "Throttle":
        """Of `as_dict`. Raises TypeError or ValueError for anything else."""
        throttle = cls(**found)
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


def _profile(name: str, latency_ms: float, down_kbit: float, up_kbit: float) -> tuple[str, Throttle]:
    return name, Throttle(name, latency_ms, down_kbit, up_kbit)


PROFILES = dict(
    [
        _profile("slow-3g", 2000, 400, 400),
        _profile("fast-3g", 562.5, 1440, 675),
        _profile("slow-4g", 562.5, 1440, 675),
        _profile("4g", 165, 8100, 1350),
        _profile("fast-4g", 165, 8100, 1350),
    ]
)
"""As Chromium's tools have them; they call the same network "Fast 3G" and "Slow 4G"."""
