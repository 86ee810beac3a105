"""The table of promises in docs/reliability.md, made of the rows."""

from collections.abc import Iterable

from tests.faults import GROUPS, ROOT, Row
from tests.regions import fill_region, read_region

DOCUMENT = ROOT / "docs/reliability.md"
BEGIN = "<!-- rows: python -m tests.faults --write-docs -->\n"
END = "<!-- end of rows -->\n"


def write(rows: Iterable[Row]) -> None:
    """Put the table into the document."""
    DOCUMENT.write_text(fill_region(DOCUMENT, BEGIN, END, f"{table(rows)}\n"), encoding="utf-8")


def written() -> list[str]:
    """The lines of the table as the document has it."""
    return read_region(DOCUMENT, BEGIN, END).splitlines()


def table(rows: Iterable[Row]) -> str:
    """The rows in the order of the groups, each group under its heading."""
    ordered = sorted(set(rows), key=lambda row: (GROUPS.index(row.group), row.test, row.done))
    pieces = []
    for group in GROUPS:
        if lines := [line(row) for row in ordered if row.group == group]:
            head = "| what is done | what is promised | shown by |"
            pieces += [f"\n### {group}\n", head, "|---|---|---|", *lines]
    return "\n".join(pieces) + "\n"


def line(row: Row) -> str:
    """Return the row of a promise; a slow one is marked, as `bin/test` does not run it."""
    path, _, name = row.test.partition("::")
    slow = " (slow)" if row.slow else ""
    return f"| {row.done} | {row.promised} | [{name}](../{path}){slow} |"
