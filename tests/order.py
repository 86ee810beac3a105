"""In which order files of tests run: long ones first, and those that wait beside those that compute.

End-to-end tests mostly wait, for a signal to take effect, for a deadline, for silence; those in a browser keep more than one core busy. Run
one kind after the other, the cores are first idle and then contended. Here both kinds begin together and end together, and
a file that takes long begins early: one that begins last keeps a core busy when the others have nothing left to do.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

USUAL = 2
SECONDS = {
    "e2e/daemon/test_faults.py": 22,
    "e2e/client/test_silence.py": 15,
    "e2e/daemon/test_daemon.py": 25,
    "e2e/test_handoff.py": 20,
    "e2e/test_board.py": 12,
    "e2e/daemon/test_starts.py": 4,
    "e2e/daemon/test_connect.py": 15,
    "e2e/daemon/test_wire.py": 12,
    "e2e/daemon/test_contexts.py": 6,
    "e2e/test_checkout.py": 12,
    "e2e/daemon/test_persist.py": 9,
    "e2e/daemon/test_background_requests.py": 4,
    "e2e/daemon/test_port_rules.py": 4,
    "e2e/daemon/test_profile.py": 9,
    "e2e/test_installed.py": 12,
    "e2e/daemon/test_client_certs.py": 10,
    "e2e/daemon/test_networks.py": 6,
    "e2e/test_picker.py": 6,
    "e2e/daemon/test_scale.py": 5,
    "e2e/test_bench.py": 7,
    "e2e/evals/test_solvers.py": 4,
    "e2e/skills/test_browse.py": 9,
    "e2e/test_cookie_import_secrecy.py": 6,
    "e2e/daemon/test_host_rules.py": 8,
    "e2e/daemon/test_native_start.py": 5,
    "e2e/evals/test_agents.py": 8,
    "e2e/test_pytest_plugin.py": 15,
    "e2e/test_docs_testing.py": 8,
    "e2e/test_over_websocket.py": 5,
    "e2e/client/test_conversation.py": 7,
    "e2e/daemon/test_far_files.py": 6,
    "e2e/skills/test_qa.py": 7,
    "e2e/test_extension.py": 5,
    "e2e/skills/test_reviews.py": 5,
    "e2e/skills/test_design.py": 5,
    "e2e/client/test_starting.py": 4,
    "e2e/daemon/test_downloads_over_ends.py": 4,
    "faults/test_clocks.py": 3,
    "faults/test_pairs.py": 8,
    "commands/test_examples.py": 40,
    "commands/test_what_pages_say.py": 60,
    "commands/test_cold_start.py": 30,
    "commands/test_tabs.py": 11,
    "commands/test_contexts.py": 16,
    "commands/test_click.py": 8,
    "commands/test_fill.py": 8,
    "commands/test_cookie_import.py": 9,
    "commands/test_documents_without_scripts.py": 15,
    "commands/test_shared_between_contexts.py": 9,
    "commands/test_flood_guard.py": 9,
    "commands/test_late_state.py": 6,
    "commands/test_departures.py": 9,
    "commands/test_covers.py": 8,
    "commands/test_downloads.py": 9,
    "browser/engine/test_identity.py": 6,
    "commands/test_dialogs.py": 7,
    "commands/test_navigation.py": 8,
    "commands/test_logs.py": 8,
    "commands/test_snapshot.py": 7,
    "commands/test_behaviours.py": 5,
    "commands/test_everyday_everywhere.py": 6,
    "commands/test_reading.py": 5,
    "commands/test_refs.py": 5,
    "commands/test_state.py": 8,
    "commands/test_widgets.py": 7,
    "commands/test_drag.py": 6,
    "commands/test_presses.py": 6,
    "commands/test_keys_and_lists.py": 5,
    "commands/test_handles.py": 5,
    "commands/test_plain_choices.py": 5,
    "commands/test_meanwhile.py": 6,
    "commands/test_throttle.py": 6,
    "commands/test_file_rule.py": 5,
    "commands/test_floods.py": 5,
    "commands/test_routes.py": 5,
}
"""How long the files take that take much longer than `USUAL`, roughly; what is wrong here costs seconds and breaks nothing.

Except at the end: a long file that is not named here may begin last, and is then alone for as long as it takes."""


def mixed(files: Iterable[tuple[str, str]], seconds: dict[str, int] = SECONDS) -> dict[tuple[str, str], float]:
    """Return for each file how far the work of its kind has come when the file begins, from 0 to below 1."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for name, kind in files:
        kinds[kind].append(name)
    return {
        (name, kind): begins
        for kind, names in kinds.items()
        for name, begins in _starting_points(names, seconds)
    }


def _starting_points(names: list[str], seconds: dict[str, int]) -> Iterator[tuple[str, float]]:
    costs = {name: seconds.get(name, USUAL) for name in names}
    done = 0
    for name in sorted(names, key=lambda name: -costs[name]):
        yield name, done / sum(costs.values())
        done += costs[name]
