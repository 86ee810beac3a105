"""Rules in a caller's environment, beside a daemon that was started without them."""

import sys

from tests.e2e.daemon.harness import DaemonHarness, Site
from tests.faults import fault
from tests.processes import run_program

PAGES = "app.localhost,*.corp.localhost"


def see_refused(home: DaemonHarness, why: str, script: str, told: str, *commands: list[str]) -> None:
    """See commands and a script refused until the daemon is stopped."""
    for words in commands:
        done = home.run(*words)
        assert (done.returncode, why in done.stderr, "gbrowse stop" in done.stderr) == (7, True, True), done
    code = f"from gstack_browse.client import connect; connect()('{script}')"
    env = home.env | {"PYTHONPATH": str(home.package)}
    done = run_program([sys.executable, "-c", code], cwd=home.workspace, env=env)
    assert f"Refused: The daemon {told}" in done.stderr
    assert home.must("status")
    home.must("stop")


@fault(
    "Files and hosts that pages must not reach",
    "a daemon runs that was started without the caller's rules, or with another directory of notes",
    "refused (7) until it was stopped, also in chains and scripts",
)
def test_daemon_with_other_rules_or_notes_is_refused_until_it_is_stopped(
    home: DaemonHarness, site: Site
) -> None:
    home.must("status")
    home.env["GSTACK_HOME"] = str(home.workspace / "notes")
    notes = (["design-service"], ["secrets"], ["secret-delete", "design"])
    see_refused(
        home, f"not in GSTACK_HOME={home.workspace}/notes", "secrets", "keeps a person's notes in ", *notes
    )
    assert "No image service is set" in home.must("design-service")
    home.env["BROWSE_ALLOW"] = PAGES
    why = f"started without BROWSE_ALLOW, not with BROWSE_ALLOW={PAGES}"
    pages = (["goto", site()], ["text"], ["chain", '[["text"]]'])
    see_refused(home, why, "text", "was started without BROWSE_ALLOW", *pages)
    assert "is not allowed by BROWSE_ALLOW" in home.fails(7, "goto", site())
