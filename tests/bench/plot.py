"""Draw figures as an SVG. Pure.

How commands compare with the best peer's, and how snapshots grow with the page.

Two pictures of lines and bars are less code in SVG's own words than a plotting library's settings, and need no
dependency. It brings its background and follows the reader's colour scheme, so it is readable on any page.
"""

import math
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape

from tests.bench.figures import Figures, ratio
from tests.bench.steps import ROWS

WIDTH, LEFT, RIGHT, LINE, GROWTH = 820, 232, 130, 19, 320
STYLE = """
svg { font: 12px system-ui, sans-serif }
.paper { fill: #ffffff } text { fill: #1f2328 } .quiet { fill: #59636e }
.grid { stroke: #d1d9e0 } .one { stroke: #1f2328 }
.faster { fill: #0969da } .slower { fill: #bc4c00 } path { fill: none; stroke-width: 2 }
.s0, .s1 { stroke: #0969da } .s1 { stroke-dasharray: 5 4 } .s2 { stroke: #bc4c00 } .s3 { stroke: #8250df }
.figure { paint-order: stroke; stroke: #ffffff; stroke-width: 3px }
.title { font-size: 14px; font-weight: 600 } .end { text-anchor: end } .middle { text-anchor: middle }
@media (prefers-color-scheme: dark) {
  .paper { fill: #0d1117 } text { fill: #f0f6fc } .quiet { fill: #9198a1 }
  .grid { stroke: #3d444d } .one { stroke: #f0f6fc } .figure { stroke: #0d1117 }
  .faster { fill: #4493f8 } .slower { fill: #db6d28 }
  .s0, .s1 { stroke: #4493f8 } .s2 { stroke: #db6d28 } .s3 { stroke: #ab7df8 }
}
"""


def svg(figures: Figures) -> str:
    """The whole picture; without peers only the second part has anything to show."""
    parts: list[str] = []
    height = 12
    if ratios := _ratios(figures):
        parts += _bars(ratios, height)
        height += 58 + LINE * len(ratios) + 30
    if series := _series(figures):
        parts += _growth(series, height)
        height += 58 + GROWTH + 40
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
    return "\n".join(
        [head, f"<style>{STYLE}</style>", _box(0, 0, WIDTH, height, "paper"), *parts, "</svg>", ""]
    )


def _ratios(figures: Figures) -> dict[str, float]:
    rows = {"cold start and goto": figures.cold, **figures.steps}
    rows |= {f"100 commands, {name}": row for name, row in figures.hundred.items()}
    return {name: value for name, row in rows.items() if (value := ratio(row)) is not None}


def _bars(ratios: Mapping[str, float], top: float) -> Iterator[str]:
    """Yield a bar for each command, from 1 to the left where gbrowse is faster.

    Logarithmic: half the time is as far as twice.
    """
    least = math.floor(math.log2(min(*ratios.values(), 1)))
    most = math.ceil(math.log2(max(*ratios.values(), 1)))
    step = (WIDTH - LEFT - 60) / max(most - least, 1)

    def x(value: float) -> float:
        return LEFT + (math.log2(value) - least) * step

    bottom = top + 54 + LINE * len(ratios)
    yield _text(12, top + 16, "Wall time of a command: gbrowse to the fastest peer", "title")
    yield _text(12, top + 34, "1 is as fast; a bar to the left is faster, to the right slower", "quiet")
    for power in range(least, most + 1):
        yield _line(x(2.0**power), top + 48, x(2.0**power), bottom, "one" if power == 0 else "grid")
        label = f"{2**power}×" if power >= 0 else f"1/{2**-power}"
        yield _text(x(2.0**power), bottom + 16, label, "quiet middle")
    for n, (name, value) in enumerate(ratios.items()):
        y = top + 54 + LINE * n
        start, end = sorted((x(1), x(value)))
        yield _text(LEFT - 10, y + 11, name, "end")
        yield _box(start, y, max(end - start, 1), LINE - 6, "faster" if value <= 1 else "slower")
        beside = (end + 5, "") if value > 1 else (start - 5, "end")
        # Where the bar leaves no room on its side, the figure stands behind its foot.
        if value <= 1 and start - LEFT < 30:
            beside = (x(1) + 5, "")
        yield _text(beside[0], y + 11, f"{value:.2f}", f"quiet figure {beside[1]}")


def _series(figures: Figures) -> dict[str, dict[int, float]]:
    """ms by rows for everyone that has a snapshot of at least two sizes."""
    series: dict[str, dict[int, float]] = {}
    for rows in ROWS:
        for name, runs in figures.steps.get(f"snapshot -i, {rows:,} rows", {}).items():
            if runs.median is not None:
                series.setdefault(name, {})[rows] = runs.median
    return {name: points for name, points in series.items() if len(points) > 1}


def _growth(series: Mapping[str, Mapping[int, float]], top: float) -> Iterator[str]:
    """A line a tool, both axes logarithmic: a straight line at 45° is time in proportion to the rows."""
    values = [value for points in series.values() for value in points.values()]
    least, most = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    head, foot, left, right = top + 54, top + 54 + GROWTH, 70, WIDTH - RIGHT
    low, high = math.log10(ROWS[0]), math.log10(ROWS[-1])

    def x(rows: float) -> float:
        return left + (math.log10(rows) - low) / (high - low) * (right - left)

    def y(ms: float) -> float:
        return foot - (math.log10(ms) - least) / max(most - least, 1) * (foot - head)

    yield _text(12, top + 16, "snapshot -i of a table, by its rows", "title")
    yield _text(12, top + 34, "ms; a straight line: in proportion to the page", "quiet")
    for power in range(least, most + 1):
        yield _line(left, y(10.0**power), right, y(10.0**power), "grid")
        yield _text(left - 8, y(10.0**power) + 4, f"{10.0**power:,.0f}", "quiet end")
    for rows in ROWS:
        yield _line(x(rows), head, x(rows), foot, "grid")
        yield _text(x(rows), foot + 18, f"{rows:,}", "quiet middle")
    last = -math.inf
    for n, (name, points) in sorted(
        enumerate(series.items()), key=lambda each: y(list(each[1][1].values())[-1])
    ):
        path = " L".join(f"{x(rows):.1f} {y(ms):.1f}" for rows, ms in points.items())
        yield f'<path class="s{n}" d="M{path}"/>'
        rows, ms = list(points.items())[-1]
        last = max(last + 15, y(ms) + 4)
        yield _text(x(rows) + 8, last, name, "")


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind.strip()}">{escape(words)}</text>'


def _line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" class="{kind}"/>'


def _box(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" class="{kind}"/>'
