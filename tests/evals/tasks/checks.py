"""Share parts of checks: which rows changed, and whether fields that were extracted are right."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.evals.sites.database import Row
from tests.evals.task import Case, Outcome


def new_rows(case: Case, table: str) -> list[Row]:
    """Rows that are there now and were not, in that form, when the work began."""
    before = case.before[table]
    return [row for row in case.database.content()[table] if row not in before]


def gone_rows(case: Case, table: str) -> list[Row]:
    """Rows that were there and are not any more, in that form."""
    now = case.database.content()[table]
    return [row for row in case.before[table] if row not in now]


def elsewhere(case: Case, *tables: str) -> Iterator[str]:
    """Complain of changes in other tables than these."""
    now = case.database.content()
    for name, rows in case.before.items():
        if name not in tables and now[name] != rows:
            yield f"{name} was changed, which nobody asked for"


def one_new(case: Case, table: str, expected: Mapping[str, object]) -> Iterator[str]:
    """Complain unless just one row is new and has these fields, and no other is gone."""
    new = new_rows(case, table)
    if len(new) != 1:
        yield f"{len(new)} rows of {table} are new, not one"
        return
    yield from differences(expected, new[0])
    if gone_rows(case, table):
        yield f"rows of {table} were changed"


def changed_only(case: Case, table: str, expected: Mapping[int, Mapping[str, object]]) -> Iterator[str]:
    """Complain unless these rows, by id, and no others have changed, and just so."""
    before = {row["id"]: row for row in case.before[table]}
    now = {row["id"]: row for row in case.database.content()[table]}
    for number, row in before.items():
        wanted = {**row, **expected.get(number, {})}
        if now.get(number) != wanted:
            said = "was removed" if number not in now else "; ".join(differences(wanted, now[number]))
            yield f"{table} {number}: {said}"
    if extra := now.keys() - before.keys():
        yield f"{len(extra)} rows of {table} are new"


def differences(expected: Mapping[str, object], found: object) -> Iterator[str]:
    """Field by field."""
    if not isinstance(found, Mapping):
        yield "there is no JSON object with the fields"
        return
    for key, value in expected.items():
        if not same(value, found.get(key)):
            yield f"{key} is {found.get(key)!r}, not {value!r}"


def same(one: object, other: object) -> bool:
    """Equal, however a number is written; lists in their order."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    return _plain(one) == _plain(other)


def _plain(value: object) -> object:
    text = " ".join(str(value).split()).casefold()
    try:
        return round(float(text.replace(",", "").removeprefix("€").strip()), 2)
    except ValueError:
        return text


def extracted(case: Case, outcome: Outcome, *paths: str) -> Iterator[str]:
    """Complain of wrong fields in the answer, and when the site was not asked for what they say."""
    expected: Any = case.facts["answer"]
    found = outcome.data()
    if isinstance(expected, Mapping):
        yield from differences(expected, found)
    elif not same(expected, found):
        yield f"the answer is {found!r}, not {expected!r}"
    for path in paths:
        if not case.count_requests(path):
            yield f"{path} was never asked for: the answer cannot be known"
