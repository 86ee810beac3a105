"""List the commands in a document that could not be typed.

Usage: `python -m gstack_browse.agent.docgen.wrong_lines < document`.
"""

import sys
import tempfile
from pathlib import Path

from gstack_browse import commands
from gstack_browse.registry import REGISTRY
from gstack_browse.registry.lines import find_command_lines, find_problem_in_call

assert commands.__all__  # imported for its declarations


def main() -> None:
    """Read a document from standard input; print a line for each command in it that gbrowse would refuse."""
    with tempfile.TemporaryDirectory() as scratch:
        for line in find_command_lines(sys.stdin.read(), REGISTRY):
            if wrong := find_problem_in_call(REGISTRY, line, Path(scratch)):
                sys.stdout.write(f"line {line.line}: {line}: {wrong.partition(chr(10))[0]}\n")


if __name__ == "__main__":
    main()
