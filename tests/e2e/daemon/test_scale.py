"""Many tabs, and many of them one after the other: nothing is mixed up, nothing accumulates."""

from tests.e2e.daemon.harness import DaemonHarness, Site, until


def test_tabs_that_come_and_go_leave_no_process_and_no_descriptor(lasting: DaemonHarness, site: Site) -> None:
    lasting.begin(site("/"))
    daemon = lasting.daemon()
    wire = lasting.connect()

    def come_and_go() -> None:
        for _ in range(5):
            number = wire.ask("newtab", site("/two"))["text"].split()[2]
            wire.ask("closetab", number)

    lasting.processes()  # once Playwright is there, too
    come_and_go()
    descriptors, processes = daemon.num_fds(), len(daemon.children(recursive=True))
    come_and_go()
    until(lambda: daemon.num_fds() <= descriptors)  # a log may be open that is being written
    until(lambda: len(daemon.children(recursive=True)) <= processes)


def test_pages_that_do_not_come_back_keep_the_active_one_from_nothing(
    lasting: DaemonHarness, site: Site
) -> None:
    site.release.set()
    lasting.begin(site("/hold"))
    wire = lasting.connect()
    for number in range(6):
        assert wire.ask("newtab", site(f"/hold?{number}"))["ok"]
    assert wire.ask("newtab", site("/two"))["ok"]
    wire.close()
    site.release.clear()
    lasting.must("restart")
    assert lasting.must("js", "document.title", seconds=60) == "Two"


def test_many_tabs_keep_their_numbers_and_pages_over_a_restart(lasting: DaemonHarness, site: Site) -> None:
    lasting.run("stop")
    lasting.must("goto", site("/"))
    wire = lasting.connect()
    for number in range(2, 9):
        assert (
            wire.ask("newtab", site(f"/two?{number}"))["text"]
            == f"Opened tab {number} → {site(f'/two?{number}')} (200)"
        )
    for number in (3, 6, 8):
        wire.ask("closetab", str(number))
    wire.ask("tab", "5")
    before = wire.ask("tabs")["text"]
    wire.close()
    lasting.must("restart")
    wire = lasting.connect()
    assert wire.ask("js", "document.title")["text"] == "Two"
    for number in (1, 2, 4, 5, 7):
        assert wire.ask("js", "document.title", tab=number)["text"] == ("Home" if number == 1 else "Two")
    assert wire.ask("tabs")["text"] == before
    assert wire.ask("newtab")["text"] == "Opened tab 9"
