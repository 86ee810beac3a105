"""Run a script for `gbrowse run`, as `python -m gstack_browse.client.attached`.

The variable GBROWSE_RUN has the descriptor of a file with the task, as JSON: see `agent.local.playwright_scripts`.
"""

import json
import linecache
import os
import sys
from select import poll
from threading import Thread
from typing import Any, NoReturn

from gstack_browse.client.attached.script import run_script

VARIABLE = "GBROWSE_RUN"


def _exit_with_command(output: int) -> None:
    """Exit when the standard output has no reader, as after `gbrowse run` was killed.

    output: a copy of its descriptor
    """
    poller = poll()
    poller.register(output, 0)  # errors alone: the pipe has no reader
    poller.poll()
    os._exit(1)


def main() -> NoReturn:
    """Run a Playwright script in this process, report its failure, and exit.

    The environment variable GBROWSE_RUN has the descriptor of a JSON file with the task: the script's name, text and arguments,
    what `attach --json` printed, and the descriptor for the report.
    """
    with open(int(os.environ.pop(VARIABLE)), "rb") as file:
        task: dict[str, Any] = json.load(file)
    name, source = task["name"], task["source"]
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)  # for tracebacks
    sys.argv = [name, *task["arguments"]]
    if task["folder"]:
        sys.path.insert(0, task["folder"])
    Thread(target=_exit_with_command, args=[os.dup(1)], daemon=True).start()
    failure = run_script(source, name, task["opened"])
    sys.stdout.flush()
    with open(task["report"], "w", encoding="utf-8", errors="replace") as report:
        json.dump(failure._asdict() if failure else {}, report)
    sys.stderr.flush()
    os._exit(1 if failure else 0)  # a hanging thread of the script must not keep the process


main()
