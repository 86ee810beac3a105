"""The table of promises in docs/reliability.md, made of the rows."""

from collections.abc import Iterable

from tests.faults import GROUPS, ROOT, Row

DOCUMENT = ROOT / "docs/reliability.md"
BEGIN = "<!-- rows: python -m tests.faults --write-docs -->\n"
END = "<!-- end of rows -->\n"


def write(rows: Iterable[Row]) -> None:
    """Put the table into the document."""
    before, after = _around()
    DOCUMENT.write_text(f"{before}{BEGIN}{table(rows)}\n{END}{after}", encoding="utf-8")


def written() -> list[str]:
    """The lines of the table as the document has it."""
    document = DOCUMENT.read_text(encoding="utf-8")
    return document.partition(BEGIN)[2].partition(END)[0].splitlines()


def table(rows: Iterable[Row]) -> str:
    """The rows in the order of the groups, each group under its heading."""
    ordered = sorted(set(rows), key=lambda row: (GROUPS.index(row.group), row.test, row.done))
    pieces = []
    for group in GROUPS:
        if lines := [line(row) for row in ordered if row.group == group]:
            pieces += [
                f"\n### {group}\n",
                "| what is done | what is promised | shown by |",
                "|---|---|---|",
                *lines,
            ]
    return "\n".join(pieces) + "\n"


def line(row: Row) -> str:
    """Return the row of a promise; a slow one is marked, as `bin/test` does not run it."""
    path, _, name = row.test.partition("::")
    slow = " (slow)" if row.slow else ""
    return f"| {row.done} | {row.promised} | [{name}](../{path}){slow} |"


def _around() -> tuple[str, str]:
    before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    return before, rest.partition(END)[2]
