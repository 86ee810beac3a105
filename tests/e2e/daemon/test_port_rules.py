"""Try to reach another port, host or scheme than `BROWSE_ALLOW_RESOURCES=localhost:8871` names."""

import pytest

from tests.e2e.daemon.harness import DaemonHarness, until
from tests.e2e.daemon.network_vectors import REPORTS, SILENT, WAYS, counting
from tests.faults import fault


@fault(
    "Files and hosts that pages must not reach",
    "a page asks another port, host or scheme than BROWSE_ALLOW_RESOURCES=localhost:8871 names, in over 50 ways",
    "nothing connects there",
)
@pytest.mark.parametrize(
    "forbidden_bases",
    [
        ["http://localhost:{port}"],
        # Each way asks about the address that it is given: other ways to differ take as long again each.
        pytest.param(
            ["http://evil.localhost:{port}", "http://127.0.0.1:{port}", "https://localhost:{port}"],
            marks=pytest.mark.slow,
        ),
    ],
    ids=["port", "host and scheme"],
)
def test_no_way_reaches_another_port_host_or_scheme(home: DaemonHarness, forbidden_bases: list[str]) -> None:
    with counting() as allowed, counting() as forbidden:
        here, there = f"localhost:{allowed.server_port}", forbidden.server_port
        home.env["BROWSE_ALLOW_RESOURCES"] = here
        allowed.reports = f"report-uri http://localhost:{there}/way/csp-report http://{here}/way/csp-report"
        bases = [base.format(port=there) for base in forbidden_bases]
        home.must("goto", f"http://{here}/")
        home.run("js", f"ask({[*bases, f'http://{here}']})")
        expected = {*WAYS, *REPORTS} - SILENT
        until(lambda: not expected - allowed.ways)
        assert (forbidden.connections, forbidden.ways) == (0, set())
