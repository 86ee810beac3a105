"""In which order files of tests run: long ones first, and those that wait beside those that compute.

End-to-end tests mostly wait, for a signal to take effect, for a deadline, for silence; those in a browser keep more than one core busy. Run
one kind after the other, the cores are first idle and then contended. Here both kinds begin together and end together, and
a file that takes long begins early: one that begins last keeps a core busy when the others have nothing left to do.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

USUAL = 4
SECONDS = {
    "e2e/daemon/test_faults.py": 85,
    "e2e/daemon/test_daemon.py": 55,
    "e2e/client/test_silence.py": 45,
    "e2e/test_grid.py": 60,
    "e2e/daemon/test_wire.py": 40,
    "e2e/test_board.py": 25,
    "e2e/daemon/test_contexts.py": 20,
    "e2e/daemon/test_ends_in_adoption.py": 20,
    "e2e/daemon/test_connect.py": 15,
    "e2e/daemon/test_native_start.py": 15,
    "e2e/daemon/test_persist.py": 15,
    "e2e/daemon/test_scale.py": 15,
    "e2e/test_bench.py": 15,
    "e2e/client/test_conversation.py": 10,
    "e2e/client/test_native.py": 10,
    "e2e/daemon/test_networks.py": 10,
    "e2e/daemon/test_starts.py": 10,
    "e2e/evals/test_agents.py": 10,
    "e2e/evals/test_solvers.py": 10,
    "e2e/evals/test_worsened.py": 10,
    "e2e/skills/test_browse.py": 10,
    "e2e/skills/test_qa.py": 10,
    "e2e/test_installed.py": 25,
    "commands/test_examples.py": 30,
    "commands/test_click.py": 15,
    "commands/test_fill.py": 15,
    "commands/test_cold_start.py": 12,
    "commands/test_cookie_import.py": 12,
    "commands/test_departures.py": 12,
    "commands/test_downloads.py": 12,
    "commands/test_refs.py": 12,
    "browser/engine/test_identity.py": 12,
    "commands/test_contexts.py": 10,
    "commands/test_covers.py": 10,
    "commands/test_dialogs.py": 10,
    "commands/test_reading.py": 10,
}
"""How long the files take that take longer than `USUAL`, roughly; what is wrong here costs seconds and breaks nothing."""


def mixed(files: Iterable[tuple[str, str]], seconds: dict[str, int] = SECONDS) -> dict[tuple[str, str], float]:
    """For files with their kind: how far the work of the kind has come when the file begins, from 0 to below 1."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for name, kind in files:
        kinds[kind].append(name)
    return {(name, kind): begins for kind, names in kinds.items() for name, begins in _begins(names, seconds)}


def _begins(names: list[str], seconds: dict[str, int]) -> Iterator[tuple[str, float]]:
    costs = {name: seconds.get(name, USUAL) for name in names}
    done = 0
    for name in sorted(names, key=lambda name: -costs[name]):
        yield name, done / sum(costs.values())
        done += costs[name]
