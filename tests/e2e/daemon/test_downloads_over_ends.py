"""Test downloads where a browser ends.

Files that are kept stay, running downloads are broken off and told.
"""

import re

from tests.commands.web import Web
from tests.e2e.daemon.harness import DaemonHarness
from tests.faults import fault


@fault("Downloads", "`restart` while a file comes", "told what is broken off; the list and what was kept stay")
def test_a_restart_breaks_downloads_off_and_says_so(home: DaemonHarness, web: Web) -> None:
    page = web.show(
        "<a id=a href=/download>Get</a><a id=b href='/large/3?announced=3000001&gate=end'>Large</a>"
    )
    home.must("goto", page)
    home.must("click", "#a")
    assert "→ downloading large.bin (3.0 of 3.0 MB): 'wait --download'" in home.must("click", "#b")
    assert home.must("restart").endswith("; 1 download broken off: large.bin")
    first, second = home.must("downloads").splitlines()
    assert re.match(r"1  report\.csv  8B +done    \.gstack/downloads/report\.csv", first)
    assert re.match(
        r"2  large\.bin   3.0 of 3.0 MB  failed  the browser was ended, with 3.0 of 3.0 MB of it there", second
    )
    assert (home.workspace / ".gstack/downloads/report.csv").read_text() == "a,b\n1,2\n"
    assert "→ downloaded report-2.csv" in home.must("click", "#a")
    assert home.must("downloads").splitlines()[2].startswith("3  report-2.csv")
    assert "broken off" not in home.must("useragent", "Mine")
    home.must("stop")
    assert len(home.must("downloads").splitlines()) == 2  # the files, of which the next daemon knows no more
    assert home.must("downloads", "--clear") == "Cleared 2 files (16 B)"
