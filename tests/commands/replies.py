"""Find what a snapshot prints, and what replies have told."""

from tests.commands.conftest import Run, Shell


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
