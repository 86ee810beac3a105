"""Test a browser behind a slow line.

Messages there are compressed, and the engine, most of their bytes, goes once to each tab.
"""

from tests.e2e.daemon.harness import DaemonHarness, Site
from tests.foreign import foreign
from tests.slow_line import SlowLine

ENGINE_BYTES = 180_000
"""More than a start and the engine take when compressed, and half of what they take otherwise."""
FEW_BYTES = 10_000


def test_engine_is_sent_compressed_and_once_to_each_tab(home: DaemonHarness, site: Site) -> None:
    with foreign() as browser:
        line = SlowLine(browser.port, seconds=0.05)
        home.env["BROWSE_REMOTE"] = f"http://127.0.0.1:{line.port}"

        def bytes_sent(*words: str) -> int:
            before = line.sent
            home.must("--timeout", "60000", *words)
            return line.sent - before

        assert FEW_BYTES < bytes_sent("goto", site("/")) + bytes_sent("snapshot", "-i") < ENGINE_BYTES
        assert bytes_sent("click", "@e1") < FEW_BYTES
        assert bytes_sent("snapshot", "-i") < FEW_BYTES, "of the next document"
        assert bytes_sent("goto", site("/")) + bytes_sent("snapshot", "-i") < FEW_BYTES
        assert FEW_BYTES < bytes_sent("newtab", site("/two")) + bytes_sent("snapshot", "-i") < ENGINE_BYTES
        home.must("stop")
        line.close()
