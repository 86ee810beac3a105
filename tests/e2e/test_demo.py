"""Test `gbrowse demo`: what a stranger types first."""

from tests.e2e.daemon.harness import DaemonHarness, Site


def test_demo_shows_each_command_and_leaves_no_tab(home: DaemonHarness, site: Site) -> None:
    home.must("goto", site("/form"))
    before = home.must("tabs")
    shown = home.must("demo")
    assert 'Expected: text "Thank you, Ann: Sencha, as a gift"' in shown
    assert "is stale" in shown.splitlines()[-2]
    assert len([line for line in shown.splitlines() if line.startswith("$ gbrowse ")]) == 7
    assert home.must("tabs") == before
    refused = home.run("--tab", "1", "demo")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert home.must("tabs") == before
