"""Figures → a text table in 100 columns. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from tests.bench.figures import Figures, Row, Runs, ratio

FIRST, COLUMN, RATIO = 25, 15, 10


def text(figures: Figures) -> str:
    """Every table that there are figures for."""
    sections = (
        _machine(figures),
        _floor(figures),
        _cold(figures),
        _steps(figures),
        _scaling(figures),
        _hundred(figures),
        _requests(figures),
        _memory(figures),
        _faults(figures),
    )
    return "\n\n".join("\n".join(lines) for section in sections if (lines := list(section)))


def _machine(figures: Figures) -> Iterable[str]:
    width = max(map(len, figures.machine), default=0)
    return (f"{name:{width}}  {value}" for name, value in figures.machine.items())


def _floor(figures: Figures) -> Iterable[str]:
    if figures.floor:
        yield "What starting a process costs, ms: " + ", ".join(
            f"{name} {value:.2f}" for name, value in figures.floor.items()
        )


def _cold(figures: Figures) -> Iterable[str]:
    if figures.cold:
        columns = [name for name in figures.tools if name in figures.cold]
        yield _heading("from nothing to page, ms", columns)
        yield _line("cold start and goto", figures.cold, columns)


def _steps(figures: Figures) -> Iterable[str]:
    columns = [name for name in figures.tools if name != "gbrowse --all"]
    yield from _table("one command, ms", figures.steps, columns)
    ratios = [value for row in figures.steps.values() if (value := ratio(row)) is not None]
    if ratios:
        ahead = sum(value <= 1 for value in ratios)
        yield f"ratio: gbrowse to the fastest peer; it is ahead in {ahead} of {len(ratios)}"


def _scaling(figures: Figures) -> Iterable[str]:
    rows = {name: row for name, row in figures.steps.items() if name.endswith(" rows")}
    columns = [name for name in figures.tools if name != "Python client"]
    if not rows:
        return
    yield _heading("snapshot -i, all rows, ms", columns, "--all")
    for name, row in rows.items():
        yield _line(name.removeprefix("snapshot -i, "), row, columns, "gbrowse --all")
    yield ""
    yield _heading("snapshots, characters", columns, None)
    for name, row in figures.steps.items():
        if name.startswith("snapshot"):
            cells = "".join(
                f"{row[column].characters:{COLUMN},}" if _counts(row, column) else f"{'–':>{COLUMN}}"
                for column in columns
            )
            yield f"{name.removeprefix('snapshot -i, '):{FIRST}}{cells}"


def _hundred(figures: Figures) -> Iterable[str]:
    columns = [name for name in figures.tools if name != "gbrowse --all"]
    yield from _table("100 commands, ms", figures.hundred, columns)


def _requests(figures: Figures) -> Iterable[str]:
    if figures.requests:
        parts = ", ".join(f"{value:,.0f} {name}" for name, value in figures.requests.items())
        yield f"Requests a second on one connection to gbrowse (url): {parts}"


def _memory(figures: Figures) -> Iterable[str]:
    if not figures.memory:
        return
    kinds = list(dict.fromkeys(kind for parts in figures.memory.values() for kind in parts))
    yield f"{'memory, MB':{FIRST}}" + "".join(f"{kind:>{COLUMN}}" for kind in [*kinds, "together"])
    for name, parts in figures.memory.items():
        cells = "".join(_number(parts.get(kind)) for kind in kinds)
        yield f"{name:{FIRST}}{cells}{_number(sum(parts.values()))}"


def _faults(figures: Figures) -> Iterable[str]:
    for tool, fault in figures.left_out.items():
        yield f"{tool} cannot open a page, left out: {fault}"
    tables: list[tuple[str, Mapping[str, Runs]]] = [
        ("cold start", figures.cold),
        *figures.steps.items(),
        *figures.hundred.items(),
    ]
    for name, row in tables:
        for tool, runs in row.items():
            if runs.fault:
                yield f"{name}: {tool} {runs.fault}"


def _table(title: str, rows: Mapping[str, Row], columns: Sequence[str]) -> Iterable[str]:
    if rows:
        yield _heading(title, columns)
    for name, row in rows.items():
        yield _line(name, row, columns)


def _heading(title: str, columns: Sequence[str], last: str | None = "ratio") -> str:
    cells = "".join(f"{column:>{COLUMN}}" for column in columns)
    return f"{title:{FIRST}}{cells}" + (f"{last:>{RATIO}}" if last else "")


def _line(name: str, row: Row, columns: Sequence[str], ours: str = "gbrowse") -> str:
    cells = "".join(_cell(row.get(column)) for column in columns)
    value = ratio(row, ours)
    return f"{name:{FIRST}}{cells}" + (f"{value:{RATIO}.2f}" if value is not None else f"{'–':>{RATIO}}")


def _cell(runs: Runs | None) -> str:
    if runs is None:
        return f"{'–':>{COLUMN}}"
    if runs.fault:
        return f"{runs.fault.partition(':')[0]:>{COLUMN}}"
    return f"{'≈ ' if runs.extrapolated else ''}{runs.median:,.1f}".rjust(COLUMN)


def _number(value: float | None) -> str:
    return f"{'–':>{COLUMN}}" if value is None else f"{value:{COLUMN},.1f}"


def _counts(row: Row, column: str) -> bool:
    return column in row and not row[column].fault
