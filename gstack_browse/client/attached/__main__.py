"""Run a script for `gbrowse run`, as `python -m gstack_browse.client.attached`.

The variable GBROWSE_RUN has the descriptor of a file with the task, as JSON: see `agent.local.playwright_scripts`.
"""

import json
import linecache
import os
import sys
from typing import Any, NoReturn

from gstack_browse.client.attached.script import ScriptError, run_script

VARIABLE = "GBROWSE_RUN"


def main() -> NoReturn:
    """Run the script of the task in GBROWSE_RUN, write its failure to the descriptor `report`, and exit."""
    with open(int(os.environ.pop(VARIABLE)), "rb") as file:
        task: dict[str, Any] = json.load(file)
    name, source = task["name"], task["source"]
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)  # for tracebacks
    sys.argv = [name, *task["arguments"]]
    if task["folder"]:
        sys.path.insert(0, task["folder"])
    failure = run_script(source, name, task["opened"])
    sys.stdout.flush()
    _write_failure(task["report"], failure)
    sys.stderr.flush()
    os._exit(1 if failure else 0)  # a hanging thread of the script must not keep the process


def _write_failure(descriptor: int, failure: ScriptError | None) -> None:
    """Write the failure of the script as JSON to a descriptor; `{}` for none."""
    with open(descriptor, "w", encoding="utf-8", errors="replace") as report:
        json.dump(failure._asdict() if failure else {}, report)


main()
