"""Try to reach another port, host or scheme than `BROWSE_ALLOW_RESOURCES=localhost:8871` names."""

from tests.e2e.daemon.harness import DaemonHarness, until
from tests.e2e.daemon.network_vectors import REPORTS, SILENT, WAYS, counting
from tests.faults import fault


@fault(
    "Files and hosts that pages must not reach",
    "a page asks another port, host or scheme than BROWSE_ALLOW_RESOURCES=localhost:8871 names, in over 80 ways",
    "nothing connects there",
)
def test_no_way_reaches_another_port_host_or_scheme(home: DaemonHarness) -> None:
    with counting() as allowed, counting() as forbidden:
        here, there = f"localhost:{allowed.server_port}", forbidden.server_port
        home.env["BROWSE_ALLOW_RESOURCES"] = here
        allowed.reports = f"report-uri http://localhost:{there}/way/csp-report http://{here}/way/csp-report"
        bases = [
            f"http://localhost:{there}",
            f"http://evil.localhost:{there}",
            f"http://127.0.0.1:{there}",
            f"https://localhost:{there}",
        ]
        home.must("goto", f"http://{here}/")
        home.run("js", f"ask({[*bases, f'http://{here}']})")
        expected = {*WAYS, *REPORTS} - SILENT
        until(lambda: not expected - allowed.ways)
        assert (forbidden.connections, forbidden.ways) == (0, set())
