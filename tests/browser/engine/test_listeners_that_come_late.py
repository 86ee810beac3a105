"""Test listeners that are added while a snapshot is taken or after it, in a page that stays as it is."""

import asyncio
from typing import Any

import pytest

from gstack_browse.browser.cdp.session import Session
from tests.browser.conftest import Opened, Show
from tests.browser.engine.listing import listed

pytestmark = pytest.mark.same_session

CHANGES = {"build": ["New"], "swap": ["New"], "add": ["Old", "New"]}
QUESTIONS = ["DOMDebugger.getEventListeners", "DOM.resolveNode", "Runtime.callFunctionOn"]


def cells(names: list[str]) -> list[str]:
    return [f'c [cell] "{name} {word}" [listener]' for name in names for word in ("one", "two")]


async def listed_cells(tab: Opened) -> list[str]:
    return [line for line in await listed(tab) if "cell" in line]


@pytest.mark.parametrize(
    ("change", "when", "is_before"),
    [
        (change, when, (row + column) % 2 == 0)
        for row, change in enumerate(CHANGES)
        for column, when in enumerate(QUESTIONS)
    ],
)
async def test_rows_made_anew_while_a_snapshot_asks_who_listens_are_listed(
    change: str, when: str, is_before: bool, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Right before the page is asked and right after, for who listens, for the nodes, with the marks."""
    tab = await show("""
        <div id=around><p>Around <b>K</b></p></div><table id=table></table><button>Go</button><script>
        const listen = (nodes) => nodes.forEach((node) => node.addEventListener('click', () => 0));
        const rows = (name) => `<tr><th>First<th>Second<tr><td>${name} one<td>${name} two`;
        const build = (name) => { table.innerHTML = rows(name); listen(table.querySelectorAll('td')) };
        const add = (name) => {
          const row = table.insertRow(); row.insertCell().textContent = `${name} one`; row.insertCell().textContent = `${name} two`;
          listen(row.querySelectorAll('td'));
        };
        const kept = [];
        const swap = (name) => { kept.push(table.firstChild); build(name) };
        around.onclick = () => 0; build('Old');
        </script>""")
    await tab.world.load()
    send, changes = Session.send, [f"{change}('New')"]

    def changing(session: Session, method: str, params: dict[str, Any] | None = None) -> "asyncio.Future[Any]":
        is_now = method == when and bool(changes)
        expression = changes.pop() if is_now else ""
        if is_now and is_before:
            send(session, "Runtime.evaluate", {"expression": expression})
        answer = send(session, method, params)
        if is_now and not is_before:
            send(session, "Runtime.evaluate", {"expression": expression})
        return answer

    monkeypatch.setattr(Session, "send", changing)
    await tab.tree()
    assert not changes
    assert await listed_cells(tab) == cells(CHANGES[change])


async def test_cells_that_begin_to_listen_are_listed_after_an_action(show: Show, sent: list[str]) -> None:
    """Have the HTML there from the server, and its handlers a second later.

    Only walk a page that stays as it is, and ask it no more than who listens after an action.
    """
    tab = await show("<table><tr><td>One<td>Two<tr><td>Three<td>Four</table><button>Go</button>")
    assert await listed(tab) == ['e [button] "Go"']
    sent.clear()
    assert await listed(tab) == ['e [button] "Go"']
    assert sent == ["Runtime.evaluate"]
    await tab.page.evaluate("document.querySelectorAll('td').forEach((cell) => cell.onclick = () => 0)")
    found = [f'c [cell] "{name}" [listener]' for name in ("One", "Two", "Three", "Four")]
    for _ in range(2):
        tab.refs.expect_change()
        sent.clear()
        assert await listed(tab) == [*found, 'e [button] "Go"']
    assert sent == ["Runtime.evaluate", "DOMDebugger.getEventListeners"]
    assert await listed(tab) == [*found, 'e [button] "Go"']
