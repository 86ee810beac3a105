"""`python -m gstack_browse.docgen.wrong_lines < document`: a line for each command in it that could not be typed."""

import sys
import tempfile
from pathlib import Path

from gstack_browse import commands
from gstack_browse.registry import REGISTRY
from gstack_browse.registry.lines import command_lines, problem

assert commands.__all__  # imported for its declarations


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        for line in command_lines(sys.stdin.read(), REGISTRY):
            if wrong := problem(REGISTRY, line, Path(scratch)):
                sys.stdout.write(f"line {line.line}: {line}: {wrong.partition(chr(10))[0]}\n")


if __name__ == "__main__":
    main()
