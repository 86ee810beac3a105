"""Many tabs, and many of them one after the other: nothing is mixed up, nothing accumulates."""

from contextlib import closing

from tests.e2e.daemon.harness import DaemonHarness, Site, until


def test_tabs_that_come_and_go_leave_no_process_and_no_descriptor(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    daemon = lasting.daemon()
    wire = lasting.connect()

    def come_and_go() -> None:
        for _ in range(3):
            number = wire.ask("newtab", site("/two"))["text"].split()[2]
            wire.ask("closetab", number)

    lasting.processes()  # once Chromium runs
    come_and_go()
    descriptors, processes = daemon.num_fds(), len(daemon.children(recursive=True))
    come_and_go()
    until(lambda: daemon.num_fds() <= descriptors)  # a log may be open that is being written
    until(lambda: len(daemon.children(recursive=True)) <= processes)


def test_many_tabs_keep_their_numbers_and_pages_over_a_restart(lasting: DaemonHarness, site: Site) -> None:
    """Have a page not come back until the active one was asked."""
    lasting.run("stop")
    site.release.set()
    paths = {number: f"/hold?{number}" if number == 4 else f"/two?{number}" for number in range(2, 7)}
    lasting.must("goto", site("/"))
    with closing(lasting.connect()) as wire:
        for number, path in paths.items():
            said = wire.ask("newtab", site(path))["text"]
            assert said == f"Opened tab {number} → {site(path)} (200)"
        for number in (3, 6):
            wire.ask("closetab", str(number))
        wire.ask("tab", "5")
        before = wire.ask("tabs")["text"]
    site.release.clear()
    lasting.must("restart")
    with closing(lasting.connect()) as wire:
        assert wire.ask("js", "document.title")["text"] == "Two"
        site.release.set()
        for number, title in {1: "Home", 2: "Two", 4: "", 5: "Two"}.items():
            assert wire.ask("js", "document.title", tab=number)["text"] == title
        assert wire.ask("tabs")["text"] == before
        assert wire.ask("newtab")["text"] == "Opened tab 7"
