import re

from tests.e2e.daemon.harness import DaemonHarness


def test_doctor_finds_the_codec_that_films_are_written_with(home: DaemonHarness) -> None:
    """Run it by a client that loads no installed packages."""
    assert re.search(r"^ok +films: WebM$", home.run("doctor").stdout, re.M)
