"""Run the measurements and print the tables.

Installs nothing, unless `--peers` asks for it. `bin/bench agents` is about many at once, `heal` about flows.
"""

import argparse
import os
import sys
from pathlib import Path

from tests.bench import agents, heal
from tests.bench.contestants import gbrowse
from tests.bench.document import write
from tests.bench.figures import Figures, from_json
from tests.bench.machine import describe, path_of_chromium
from tests.bench.measure import MOST_ROUNDS, everything
from tests.bench.pages import served
from tests.bench.peers import installed
from tests.bench.process import leave_in_order
from tests.bench.report import text


def main() -> None:
    """Print everything that was asked for."""
    parser = argparse.ArgumentParser(prog="bin/bench", description=__doc__)
    parser.add_argument(
        "--peers", action="store_true", help="install agent-browser and @playwright/cli, and measure them too"
    )
    parser.add_argument("--only", default="", help="only what has this in its name")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep all raw figures")
    parser.add_argument(
        "--rounds",
        type=int,
        default=MOST_ROUNDS,
        help=f"times each command is run at most (default {MOST_ROUNDS})",
    )
    parser.add_argument("--write-docs", action="store_true", help="put the run into docs/performance.md")
    parser.add_argument(
        "--from", type=Path, metavar="FILE", dest="source", help="measure nothing, show what --json kept"
    )
    options = parser.parse_args()
    if options.write_docs and not options.source and (options.only or not options.peers):
        parser.error("--write-docs wants a whole run with --peers")
    figures = from_json(options.source.read_text(encoding="utf-8")) if options.source else _measured(options)
    if options.json:
        options.json.write_text(figures.to_json(), encoding="utf-8")
    if options.write_docs:
        write(figures)
    print(text(figures))


def _measured(options: argparse.Namespace) -> Figures:
    leave_in_order()
    # Ours, in this process, must not meet the daemon of whoever runs this.
    os.environ.pop("BROWSE_STATE_FILE", None)
    chromium = path_of_chromium()
    tools = [*gbrowse(), *(installed(chromium) if options.peers else [])]
    machine = describe(chromium, tools)
    with served() as base:
        figures = everything(tools, base, rounds=options.rounds, only=options.only)
    figures.machine = machine
    return figures


PARTS = {"agents": agents.main, "heal": heal.main}

if __name__ == "__main__":  # processes of `agents` import this module
    words = sys.argv[1:]
    if words and words[0] in PARTS:
        PARTS[words[0]](words[1:])
    else:
        main()
