"""Pose a case of a task: what it asks, and what its site has to hold then. Find what is wrong. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.evals.sites.database import Row

Facts = Mapping[str, Any]
Tables = Mapping[str, Sequence[Row]]


@dataclass(frozen=True)
class Posed:
    """A task with a seed's names and numbers. A table that is not named here has to stay as it is.

    A row's key is its first column.
    """

    facts: Facts
    """What the prompt names, and what a check needs besides."""
    new: Mapping[str, Row] = field(default_factory=dict)
    """By table: fields of the one row that is new."""
    changed: Mapping[str, Mapping[Any, Row]] = field(default_factory=dict)
    """By table and key: fields that change."""
    gone: Mapping[str, Sequence[object]] = field(default_factory=dict)
    """By table: keys of the rows that go."""
    may_change: Sequence[str] = ()
    """Tables that the work changes, nobody asks how."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files that are in the working directory afterwards."""
    answer: Any = None
    """The fields that are to be extracted; None for a task that asks for none."""
    asked: str = ""
    """A path of the site without which the answer cannot be known."""


def table_problems(posed: Posed, before: Tables, now: Tables) -> Iterator[str]:
    """Complain of tables that do not hold what they should."""
    for table, rows in before.items():
        if table not in posed.may_change:
            yield from _row_problems(posed, table, rows, list(now[table]))


def _row_problems(posed: Posed, table: str, before: Sequence[Row], left: list[Row]) -> Iterator[str]:
    """`left`: the rows that are there now; those that should be are taken out."""
    changed, gone = posed.changed.get(table, {}), posed.gone.get(table, ())
    for row in before:
        if (key := _key(row)) in gone:
            continue
        wanted = {**row, **changed.get(key, {})}
        found = wanted if wanted in left else next((each for each in left if _key(each) == key), None)
        if found is None:
            yield f"{table} {key} was removed"
            continue
        left.remove(found)
        if found != wanted:
            yield f"{table} {key}: {'; '.join(differences(wanted, found)) or 'was changed'}"
    if table in posed.new and len(left) == 1:
        yield from differences(posed.new[table], left[0])
    elif left or table in posed.new:
        yield f"{len(left)} rows of {table} are new, not {1 if table in posed.new else 'none'}"


def _key(row: Row) -> object:
    return next(iter(row.values()))


def file_problems(posed: Posed, workspace: Path) -> Iterator[str]:
    """Complain of files that are not there, or hold something else."""
    for name, content in posed.files.items():
        if not (workspace / name).is_file():
            yield f"{name} is not in the working directory"
        elif (workspace / name).read_bytes() != content:
            yield f"{name} is not the file that was asked for"


def differences(expected: Mapping[str, object], found: object) -> Iterator[str]:
    """Complain field by field."""
    if not isinstance(found, Mapping):
        yield "there is no JSON object with the fields"
        return
    for key, value in expected.items():
        if _plain(value) != _plain(found.get(key)):
            yield f"{key} is {found.get(key)!r}, not {value!r}"


def _plain(value: object) -> object:
    """Return a value in one spelling, whatever its commas, currency, blanks and capitals."""
    text = " ".join(str(value).split()).casefold()
    try:
        return round(float(text.replace(",", "").removeprefix("€").strip()), 2)
    except ValueError:
        return text


def cents(euros: str) -> int:
    return round(float(euros) * 100)
