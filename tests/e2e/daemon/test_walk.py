"""The main job from end to end, as a person at a shell does it: `bin/test quick` runs this and no other test in a browser."""

import pytest

from tests.e2e.daemon.harness import DaemonHarness, Site


@pytest.mark.both_browsers  # whatever else runs on one of them alone
def test_walk_through_main_job_in_one_session_keeps_tabs_and_cookies(home: DaemonHarness, site: Site) -> None:
    assert home.must("goto", site("/form")) == f"Navigated to {site('/form')} (200)"
    assert home.must("snapshot", "-i").splitlines() == [
        '@e1 [textbox] "Name"',
        '@e2 [combobox] "Country": Germany (of 2: Germany, France)',
        '@e3 [checkbox] "I agree"',
        '@e4 [button] "Send"',
    ]
    assert home.must("fill", "@e1", "Ann") == "Filled @e1"
    assert home.must("select", "@e2", "France") == 'Selected "France" in @e2'
    assert home.must("check", "@e3") == "Checked @e3"
    assert home.must("click", "@e4").splitlines() == [
        "Clicked @e4",
        f"→ now at {site('/two?name=Ann&country=France&terms=on')}",
    ]
    assert home.must("text") == "Second"
    picture = home.workspace / "page.png"
    assert home.must("screenshot", str(picture)).startswith("Screenshot saved: ")
    assert picture.read_bytes().startswith(b"\x89PNG")
    home.must("newtab", site("/"))
    assert "session=chocolate-chip" in home.must("js", "document.cookie"), "a later tab is logged in, too"
    foreign = home.run("click", "@e4")
    assert (foreign.returncode, foreign.stdout) == (5, ""), "a ref of another tab"
    assert len(home.must("tabs").splitlines()) == 2
    assert home.must("stop") == "Server stopped"
    home.until_gone()
