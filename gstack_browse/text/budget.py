"""A budget of a page's performance: limits by metric, and what is over them. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gstack_browse.text.table_output import align_rows
from gstack_browse.text.units import format_bytes, format_count

MILLISECONDS = frozenset({"lcp", "inp", "fcp", "ttfb", "domready", "load", "long-tasks"})
"""Metrics that are times; long-tasks: how long tasks over 50 ms blocked the page in all."""
COUNTS = frozenset({"requests", "errors"})
BYTES = frozenset({"bytes", "script-bytes", "image-bytes", "style-bytes", "font-bytes"})
METRICS = (*sorted(MILLISECONDS), "cls", *sorted(COUNTS), *sorted(BYTES))
_LIMIT = re.compile(r"([a-z-]+)\s*(<=?)\s*([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([a-zA-Z]{0,2})\Z")
_UNITS = {
    "ms": {"": 1.0, "ms": 1.0, "s": 1_000.0},
    "bytes": {"": 1.0, "B": 1.0, "KB": 1e3, "kB": 1e3, "MB": 1e6},
    "": {"": 1.0},
}


class Limit(NamedTuple):
    """A limit as it was typed; `most` in milliseconds, bytes or a number.

    `is_within`: the limit itself is allowed.
    """

    metric: str
    most: float
    is_within: bool
    typed: str


class InvalidBudget(ValueError):
    """The words are no budget, for the reason that the message says."""


def parse_budget(words: str) -> tuple[Limit, ...]:
    """Parse performance limits: `lcp<2500,cls<0.1,requests<80,bytes<1.5MB`. Raises InvalidBudget."""
    return tuple(_parse_limit(part.strip()) for part in words.split(",") if part.strip())


def _parse_limit(part: str) -> Limit:
    """Parse one limit, such as `LCP<2500ms`. Raises InvalidBudget."""
    found = _LIMIT.match(part)
    if not found or found[1] not in METRICS:
        raise InvalidBudget(f'"{part[:60]}" is no limit of {", ".join(METRICS)}')
    kind = "ms" if found[1] in MILLISECONDS else "bytes" if found[1] in BYTES else ""
    if found[4] not in _UNITS[kind]:
        raise InvalidBudget(f'"{found[4]}" is no unit of {found[1]}')
    return Limit(found[1], float(found[3]) * _UNITS[kind][found[4]], found[2] == "<=", part.replace(" ", ""))


def check_budget(limits: Sequence[Limit], measured: Mapping[str, float | None]) -> tuple[list[str], list[str]]:
    """Compare measured values with a performance budget.

    Return a line for each limit, and the limits (as typed) that do not hold. `measured`: metric → value, None for unknown:
    such a limit does not hold.
    """
    rows, broken = [], []
    for limit in limits:
        value = measured.get(limit.metric)
        holds = value is not None and (value <= limit.most if limit.is_within else value < limit.most)
        if not holds:
            broken.append(limit.typed)
        verdict = "ok" if holds else "not measured" if value is None else "over"
        rows.append(
            (limit.metric, "–" if value is None else _format_value(limit.metric, value), verdict, limit.typed)
        )
    return align_rows(rows), broken


def summarise_broken_limits(broken: Sequence[str], count: int) -> str:
    """Return a line on a budget's limits that do not hold: `2 of 4 limits do not hold: cls<0.1, inp<200`.

    `broken`: those limits, as typed. `count`: the number of all that were checked.
    """
    return f"{len(broken)} of {format_count(count, 'limit')} {'does' if len(broken) == 1 else 'do'} not hold: {', '.join(broken)}"


def _format_value(metric: str, value: float) -> str:
    """Return the value of a performance metric with its unit: `1,200 ms`, `0.05`, `1.5 MB`."""
    if metric in MILLISECONDS:
        return f"{value:,.0f} ms"
    if metric in BYTES:
        return format_bytes(int(value))
    return f"{value:.3f}".rstrip("0").rstrip(".")
