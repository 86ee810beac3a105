"""Rules in a caller's environment, beside a daemon that was started without them."""

import sys

from tests.e2e.daemon.harness import DaemonHarness, Site
from tests.faults import fault
from tests.processes import run_program

PAGES = "app.localhost,*.corp.localhost"


@fault(
    "Files and hosts that pages must not reach",
    "a daemon runs that was started without the caller's rules",
    "refused (7) until it was stopped, also in chains and scripts",
)
def test_a_daemon_without_the_caller_s_rules_is_refused(home: DaemonHarness, site: Site) -> None:
    home.must("goto", site())
    home.env["BROWSE_ALLOW"] = PAGES
    for words in (["goto", site()], ["text"], ["chain", '[["text"]]']):
        done = home.run(*words)
        assert done.returncode == 7, done
        assert f"started without BROWSE_ALLOW, not with BROWSE_ALLOW={PAGES}" in done.stderr
        assert "gbrowse stop" in done.stderr
    script = "from gstack_browse.client import connect; connect()('text')"
    env = home.env | {"PYTHONPATH": str(home.package)}
    done = run_program([sys.executable, "-c", script], cwd=home.workspace, env=env)
    assert "Refused: The daemon was started without BROWSE_ALLOW" in done.stderr
    assert home.must("status")
    home.must("stop")
    assert "is not allowed by BROWSE_ALLOW" in home.fails(7, "goto", site())


def test_another_directory_of_notes_is_refused_until_the_daemon_is_stopped(home: DaemonHarness) -> None:
    home.must("status")
    home.env["GSTACK_HOME"] = str(home.workspace / "notes")
    for words in (["design-service"], ["secrets"], ["secret-delete", "design"]):
        done = home.run(*words)
        assert done.returncode == 7, done
        assert f"not in GSTACK_HOME={home.workspace}/notes" in done.stderr
        assert "gbrowse stop" in done.stderr
    script = "from gstack_browse.client import connect; connect()('secrets')"
    env = home.env | {"PYTHONPATH": str(home.package)}
    done = run_program([sys.executable, "-c", script], cwd=home.workspace, env=env)
    assert "Refused: The daemon keeps a person's notes in " in done.stderr
    home.must("stop")
    assert "No image service is set" in home.must("design-service")
