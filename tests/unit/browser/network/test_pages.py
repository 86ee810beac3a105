from gstack_browse.browser.cdp.targets import Target
from gstack_browse.browser.network.traffic import MOST_EARLY, Pages
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.network.logs import ConsoleEntry

PAGE = Target("P", "P", None, None)  # type: ignore[arg-type]
FRAME = Target("F", "P", None, None, "iframe")  # type: ignore[arg-type]
SERVICE = Target("S", "S", None, None, "service_worker")  # type: ignore[arg-type]


def keep(pages: Pages, target: Target, log: list[ConsoleEntry]) -> ConsoleEntry:
    entry = ConsoleEntry(0.0, 0, "log", "x")
    pages.log_entry(pages.find_or_add(target), entry, lambda: log.append(entry))
    return entry


def tab(number: int) -> Tab:
    return Tab(number, None, None, None)  # type: ignore[arg-type]


def test_an_entry_is_of_the_document_that_is_there() -> None:
    pages, log, first, second = Pages(), [], tab(1), tab(2)
    pages.assign_tab("P", first)
    pages.assign_tab("Q", second)
    assert first.document != second.document
    before = keep(pages, PAGE, log)
    assert (before.tab, before.document) == (1, first.document)
    pages.number_document(pages.find_or_add(PAGE), "L")
    of_frame = keep(pages, FRAME, log)
    assert before.document != first.document == of_frame.document
    assert log == [before, of_frame]
    pages.forget("P")
    pages.assign_tab("P2", first)
    assert first.document not in (before.document, of_frame.document), "another page in the same tab"


def test_a_page_without_a_tab_says_nothing_until_it_has_one() -> None:
    """Playwright opens pages of its own, which never have one."""
    pages, log = Pages(), []
    entries = [keep(pages, PAGE, log) for _ in range(MOST_EARLY + 5)]
    assert log == []
    of_nobody = keep(pages, SERVICE, log)
    assert (log, of_nobody.tab) == ([of_nobody], 0)
    pages.assign_tab("P", tab(7))
    assert log == [of_nobody, *entries[:MOST_EARLY]]
    assert entries[0].tab == 7
