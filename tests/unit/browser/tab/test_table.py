from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gstack_browse.browser.tab.tab import CLOSED_ITSELF, Tab
from gstack_browse.browser.tab.table import TabNumbers, TabTable
from gstack_browse.errors import TabGone


def table(count: int = 0) -> TabTable:
    tabs = TabTable(lambda: None)
    for _ in range(count):
        opened(tabs)
    return tabs


def opened(tabs: TabTable) -> Tab:
    page = SimpleNamespace(url=f"http://a/{tabs.next_id}")
    tab = Tab(tabs.next_id, page, None, None)  # type: ignore[arg-type]
    tab.opener = tabs.active or None
    tabs.add(tab)
    tabs.activate(tab.id)
    return tab


def test_numbers_used_elsewhere_are_not_given_out_nor_called_lost() -> None:
    tabs = table()
    tabs.reserve(7)
    assert opened(tabs).id == 7
    tabs = TabTable(lambda: None, TabNumbers(first=3))
    carried = Tab(1, None, SimpleNamespace(url="http://a/"), None)  # type: ignore[arg-type]
    tabs.add(carried)
    tabs.remove(carried)
    with pytest.raises(TabGone, match="There is no tab 1"):
        tabs.find(1)
    with pytest.raises(TabGone, match="Tab 2 is of an earlier daemon, and not open any more"):
        tabs.find(2)


def test_tab_that_is_lost_after_its_number_has_another_is_not_told() -> None:
    tabs = table(2)
    gone = tabs.find(2)
    tabs.remove(gone)
    tabs.add(Tab(gone.id, gone.page, None, None))  # type: ignore[arg-type]
    tabs.note_lost(gone, CLOSED_ITSELF)
    assert tabs.closed_tabs.unreported is None


@given(
    st.lists(st.tuples(st.sampled_from(["open", "remove", "lose", "activate", "reserve"]), st.integers(1, 9)))
)
def test_the_active_tab_is_there_and_numbers_only_grow(steps: list[tuple[str, int]]) -> None:
    tabs, given_out = table(), set[int]()
    for what, number in steps:
        if what == "open":
            tab = opened(tabs)
            assert tab.id not in given_out
            given_out.add(tab.id)
        elif what == "reserve":
            tabs.reserve(number)
        elif what == "activate":
            tabs.activate(number)
        elif tab := tabs.get(number):  # type: ignore[assignment]
            if what == "lose":
                tabs.note_lost(tab, CLOSED_ITSELF)
            tabs.remove(tab)
        assert tabs.active in tabs or (tabs.active == 0 and not len(tabs))
