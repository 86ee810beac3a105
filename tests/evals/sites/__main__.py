"""Serves the case of a task to look at: `python -m tests.evals.sites shop-order 7`."""

import sys
import threading

from tests.evals.task import opened
from tests.evals.tasks import named

with opened(named(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1) as case:
    print(f"{case.url}\n\n{case.prompt}", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        sys.exit(0)
