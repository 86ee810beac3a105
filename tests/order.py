"""In which order files of tests run: long ones first, and those that wait beside those that compute.

End-to-end tests wait for other things (a signal to take effect, silence, a start) than those in a browser do (a page, a deadline). So both
kinds begin together and end together. A file that takes long begins early: one that begins last keeps a core busy when the others
have nothing left to do.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

USUAL = 2
FILES_OF_SECONDS = {
    40: """
        e2e/daemon/test_daemon.py e2e/daemon/test_faults.py
    """,
    27: """
        commands/test_covers.py commands/test_cut_off.py commands/test_examples.py commands/test_handles.py
        commands/test_plain_choices.py commands/test_what_pages_say.py commands/test_widgets.py
        e2e/daemon/test_upgrade.py e2e/test_board.py
    """,
    20: """
        commands/test_click.py commands/test_flow_formats.py commands/test_navigation.py commands/test_widget_choices.py
        e2e/daemon/test_connect.py e2e/daemon/test_native_start.py
    """,
    17: """
        commands/test_cold_start.py commands/test_downloads.py commands/test_fill.py commands/test_presses.py
        commands/test_everyday_everywhere.py commands/test_scroll_and_wait.py e2e/daemon/test_client_certs.py
        e2e/daemon/test_persist.py e2e/daemon/test_profile.py e2e/test_handoff.py faults/test_deadlines.py
    """,
    12: """
        commands/test_dialogs.py commands/test_expect.py commands/test_flood_guard.py commands/test_flow_rows.py
        commands/test_moving_targets.py commands/test_shared_between_contexts.py e2e/attach/test_attach.py e2e/attach/test_run.py
        e2e/daemon/test_remote.py e2e/daemon/test_wire.py e2e/skills/test_browse.py e2e/test_pytest_plugin.py
    """,
    9: """
        commands/test_contexts.py commands/test_drag.py commands/test_film.py commands/test_flows.py
        commands/test_logs.py commands/test_tabs.py commands/test_watch.py e2e/client/test_local.py
        e2e/daemon/test_contexts.py e2e/daemon/test_host_rules.py e2e/daemon/test_networks.py e2e/skills/test_qa.py
    """,
    7: """
        commands/test_adding_a_command.py commands/test_enormous_pages.py commands/test_fields.py
        commands/test_flow_situations.py commands/test_frames.py
        commands/test_in_time.py commands/test_keys_and_lists.py commands/test_late_state.py commands/test_screenshot.py
        commands/test_state.py commands/test_trace.py e2e/client/test_daemon_watchdog.py e2e/skills/test_reviews.py
        e2e/test_checkout.py e2e/test_docs_python.py e2e/test_watch_page.py
    """,
    5: """
        browser/cdp/test_keyboard.py commands/test_cookie_import.py commands/test_departures.py commands/test_editors.py
        commands/test_file_rule.py commands/test_questions_to_a_person.py
        commands/test_reads_after_actions.py commands/test_snapshot.py commands/test_storage.py commands/test_throttle.py
        commands/test_unheard_keys.py commands/test_unseen_text.py e2e/daemon/test_downloads_over_ends.py
        e2e/daemon/test_starts.py e2e/skills/test_design.py e2e/test_bench.py e2e/test_cookie_import_secrecy.py
        e2e/test_docs_testing.py e2e/test_installed.py e2e/test_picker.py faults/test_connections.py
        faults/test_films.py faults/test_planted.py
    """,
}
"""How long the files take that take much longer than `USUAL`, roughly; what is wrong here costs seconds and breaks nothing.

Except at the end: a long file that is not named here may begin last, and is then alone for as long as it takes."""
SECONDS = {name: seconds for seconds, names in FILES_OF_SECONDS.items() for name in names.split()}


def mixed(files: Iterable[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Return for each file how far the work of its kind has come when the file begins, from 0 to below 1."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for name, kind in files:
        kinds[kind].append(name)
    return {(name, kind): begins for kind, names in kinds.items() for name, begins in _starting_points(names)}


def _starting_points(names: list[str]) -> Iterator[tuple[str, float]]:
    costs = {name: SECONDS.get(name, USUAL) for name in names}
    done = 0
    for name in sorted(names, key=lambda name: -costs[name]):
        yield name, done / sum(costs.values())
        done += costs[name]
