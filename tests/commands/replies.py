"""Ask in tables: lines and what each must reply. And find what a snapshot prints."""

from collections.abc import Iterable, Mapping

from tests.commands.conftest import Run, Shell


async def check_replies(run: Run, replies: Mapping[str, str] | Iterable[tuple[str, str]]) -> None:
    """Run lines one after the other, and compare each reply with the one beside it."""
    rows = list(replies.items() if isinstance(replies, Mapping) else replies)
    assert rows
    found = [(line, await run(line)) for line, _ in rows]
    assert found == rows, [got for got, row in zip(found, rows, strict=True) if got != row]


async def ref_of(run: Run, words: str, options: str = "-i") -> str:
    """Return the ref of the first line of a snapshot with these words."""
    lines = (await run(f"snapshot {options}")).splitlines()
    found = [line.split()[0] for line in lines if words in line]
    assert found, f"{words} is in none of {lines}"
    return found[0]


def told_by(shell: Shell) -> str:
    return "\n".join(
        "\n".join([reply.text, reply.message, reply.hint, *reply.notes]) for reply in shell.replies
    )
