"""A browser of Playwright's own server: used as any other, lost as any other."""

from contextlib import suppress

import psutil

from tests.e2e.daemon.harness import DaemonHarness, Site, until
from tests.served import served


def test_a_server_of_playwrights_is_used_and_its_loss_is_said(home: DaemonHarness, site: Site) -> None:
    with served() as server:
        home.env |= server.env
        home.must("goto", site("/"))
        assert home.must("snapshot", "-i") == '@e1 [link] "two"'
        assert home.must("click", "@e1") == f"Clicked @e1\n→ now at {site('/two')}"
        home.must("newtab", site("/"))
        status = home.status()
        assert "by the Playwright server at 127.0.0.1:" in status
        assert "Wire: off" in status
        home.must("restart")
        assert sorted(line.rpartition("— ")[2] for line in home.must("tabs").splitlines()) == sorted(
            [site("/"), site("/two")]
        ), "with what was open, in a browser that is new"
        with home.start("wait", "--text", "never", "--timeout", "40000") as waiting:
            until(lambda: "Running: wait" in home.status())
            for process in psutil.Process(server.process.pid).children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            _, said = waiting.communicate(timeout=40)
        assert (waiting.returncode, "The browser at 127.0.0.1:" in said) == (6, True), said
        again = home.run("goto", site("/"))
        assert (again.returncode, "browser state was lost" in again.stderr) == (0, True), again
        home.must("stop")
        until(lambda: not psutil.Process(server.process.pid).children(recursive=True))


def test_address_without_a_playwright_server_is_refused_without_its_token(
    home: DaemonHarness, site: Site
) -> None:
    home.env["BROWSE_REMOTE"] = f"playwright+{site('/token').replace('http', 'ws')}"
    refused = home.run("goto", site("/"))
    assert (refused.returncode, "token" in refused.stderr) == (1, False), refused
    assert "No Playwright server answers at 127.0.0.1:" in refused.stderr
    assert home.run("connect", "playwright+ws://127.0.0.1:1/").returncode == 2
