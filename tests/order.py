"""In which order files of tests run: long ones first, and those that wait beside those that compute.

End-to-end tests wait for other things (a signal to take effect, silence, a start) than those in a browser do (a page, a deadline). So both
kinds begin together and end together. A file that takes long begins early: one that begins last keeps a core busy when the others
have nothing left to do.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

USUAL = 2
SECONDS = {
    "e2e/daemon/test_daemon.py": 45,
    "e2e/daemon/test_faults.py": 40,
    "commands/test_plain_choices.py": 31,
    "e2e/test_board.py": 29,
    "commands/test_widgets.py": 29,
    "commands/test_cold_start.py": 20,
    "commands/test_what_pages_say.py": 24,
    "e2e/daemon/test_upgrade.py": 25,
    "commands/test_covers.py": 23,
    "commands/test_click.py": 22,
    "commands/test_examples.py": 21,
    "e2e/daemon/test_connect.py": 20,
    "commands/test_widget_choices.py": 20,
    "e2e/daemon/test_native_start.py": 19,
    "commands/test_presses.py": 18,
    "commands/test_navigation.py": 16,
    "e2e/daemon/test_profile.py": 18,
    "faults/test_deadlines.py": 17,
    "commands/test_downloads.py": 17,
    "e2e/test_handoff.py": 17,
    "e2e/daemon/test_persist.py": 17,
    "commands/test_handles.py": 16,
    "commands/test_scroll_and_wait.py": 16,
    "e2e/daemon/test_client_certs.py": 14,
    "e2e/test_pytest_plugin.py": 13,
    "e2e/daemon/test_wire.py": 13,
    "e2e/attach/test_run.py": 12,
    "commands/test_fill.py": 12,
    "commands/test_dialogs.py": 12,
    "commands/test_shared_between_contexts.py": 12,
    "commands/test_flood_guard.py": 12,
    "e2e/attach/test_attach.py": 11,
    "e2e/skills/test_browse.py": 11,
    "commands/test_documents_without_scripts.py": 11,
    "commands/test_expect.py": 11,
    "commands/test_flows.py": 10,
    "commands/test_logs.py": 10,
    "e2e/skills/test_qa.py": 10,
    "commands/test_drag.py": 10,
    "commands/test_watch.py": 10,
    "commands/test_film.py": 10,
    "e2e/client/test_local.py": 9,
    "commands/test_tabs.py": 9,
    "commands/test_contexts.py": 9,
    "e2e/daemon/test_host_rules.py": 9,
    "e2e/daemon/test_networks.py": 9,
    "e2e/daemon/test_contexts.py": 9,
    "e2e/client/test_daemon_watchdog.py": 8,
    "commands/test_moving_targets.py": 12,
    "commands/test_adding_a_command.py": 8,
    "commands/test_fields.py": 8,
    "commands/test_late_state.py": 8,
    "commands/test_screenshot.py": 8,
    "commands/test_in_time.py": 8,
    "commands/test_trace.py": 8,
    "e2e/test_watch_page.py": 8,
    "commands/test_flow_formats.py": 8,
    "e2e/skills/test_reviews.py": 7,
    "commands/test_state.py": 7,
    "e2e/test_checkout.py": 7,
    "commands/test_enormous_pages.py": 7,
    "commands/test_keys_and_lists.py": 7,
    "commands/test_frames.py": 7,
    "e2e/test_docs_python.py": 7,
    "commands/test_everyday_everywhere.py": 7,
    "commands/test_flow_situations.py": 7,
    "commands/test_cookie_import.py": 6,
    "commands/test_questions_to_a_person.py": 6,
    "e2e/test_docs_testing.py": 6,
    "commands/test_reads_after_actions.py": 6,
    "e2e/test_cookie_import_secrecy.py": 6,
    "e2e/daemon/test_scale.py": 6,
    "faults/test_connections.py": 6,
    "e2e/daemon/test_starts.py": 6,
    "e2e/test_bench.py": 6,
    "e2e/daemon/test_remote.py": 12,
    "faults/test_films.py": 6,
    "commands/test_throttle.py": 5,
    "e2e/test_picker.py": 5,
    "e2e/skills/test_design.py": 5,
    "commands/test_storage.py": 5,
    "commands/test_snapshot.py": 5,
    "commands/test_file_rule.py": 5,
    "commands/test_unheard_keys.py": 5,
    "commands/test_meanwhile.py": 5,
    "commands/test_unseen_text.py": 5,
    "browser/cdp/test_keyboard.py": 5,
    "commands/test_editors.py": 5,
    "e2e/test_installed.py": 5,
    "e2e/daemon/test_downloads_over_ends.py": 5,
    "faults/test_planted.py": 5,
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
