from gstack_browse.browser.session.listener import Logs
from gstack_browse.network.logs.entries import (
    CAPACITY,
    MAX_URL,
    MOST_CHARACTERS,
    ConsoleEntry,
    DialogEntry,
    NetworkEntry,
    Ring,
    format_clock,
    safe_url,
)
from tests.each import each_row


def test_a_ring_forgets_the_oldest_and_counts_them_all() -> None:
    ring: Ring[int] = Ring(3)
    for number in range(5):
        ring.add(number)
    assert list(ring) == [2, 3, 4]
    assert (len(ring), ring.total) == (3, 5)
    assert CAPACITY == 50_000
    cursor = ring.total
    assert ring.entries_since(cursor) == []
    for number, since in ((5, [5]), (6, [5, 6]), (7, [5, 6, 7]), (8, [6, 7, 8])):
        ring.add(number)
        assert ring.entries_since(cursor) == since
    assert ring.remove(lambda entry: entry == 7) == 1
    assert (list(ring), ring.entries_since(cursor), ring.entries_since(cursor + 3)) == ([6, 8], [6, 8], [8])
    assert ring.remove(lambda entry: True) == 2
    assert ring.entries_since(cursor) == []
    ring.add(9)
    assert ring.entries_since(cursor) == [9]


def test_a_ring_holds_fewer_entries_that_are_long() -> None:
    logs, each, count = Logs(), "x" * (MOST_CHARACTERS // 10), 25
    for _ in range(count):
        logs.console.add(ConsoleEntry(0.0, 1, "log", each))
        logs.network.add(NetworkEntry(0.0, 1, "GET", each, "fetch"))
        logs.network.add(NetworkEntry(0.0, 1, each, "", "fetch"))
        logs.dialog.add(DialogEntry(0.0, 1, "alert", each, "accepted"))
    assert [len(log) for log in (logs.console, logs.network, logs.dialog)] == [10, 9, 10]
    assert (logs.console.total, len(logs.console.entries_since(count - 5))) == (count, 5)


def test_numbers_go_on_room_is_made_and_watchers_are_called() -> None:
    ring: Ring[str] = Ring(characters=len)
    for _ in range(2):
        for letter in "ab":
            ring.add(letter * (MOST_CHARACTERS // 2))
    ring.remove(lambda entry: entry[0] == "a")
    ring.add("c")
    assert [entry[0] for entry in ring] == ["b", "c"]
    ring = Ring(capacity=2)
    ring.continue_count(40)
    cursor = ring.total
    for entry in "abc":
        ring.add(entry)
    assert (ring.total, ring.entries_since(cursor)) == (43, ["b", "c"])
    assert (ring.count_lost(cursor), ring.count_lost(cursor + 1)) == (1, 0)
    ring.continue_count(3)
    assert ring.total == 43, "never back"
    ring = Ring()
    heard: list[int] = []
    with ring.watch(lambda: heard.append(ring.total)):
        ring.add("a")
        ring.notify_watchers()
    ring.add("b")
    assert heard == [1, 1]


def request(**fields: object) -> NetworkEntry:
    return NetworkEntry(0.0, 1, "GET", "http://a/", "fetch", **fields)  # type: ignore[arg-type]


def test_lines_of_requests_messages_and_dialogs() -> None:
    for entry, line in [
        (request(), "GET http://a/ → pending"),
        (request(status=200), "GET http://a/ → 200"),
        (request(status=200, milliseconds=34, size=5120), "GET http://a/ → 200 (34ms, 5120B)"),
        (request(status=204, milliseconds=3), "GET http://a/ → 204 (3ms)"),
        (request(error="ERR_ABORTED", milliseconds=3), "GET http://a/ → failed: ERR_ABORTED"),
    ]:
        assert entry.render() == line
    assert ConsoleEntry(0.0, 1, "error", "no", "http://a/:3").render().endswith("] [error] no (http://a/:3)")
    dialog = DialogEntry(0.0, 1, "prompt", "Name", 'accepted "Ann"').render()
    assert dialog.endswith('] [prompt] "Name" → accepted "Ann"')
    assert len(format_clock(1.5)) == len("00:00:01.500")


@each_row(
("http://a/?token=abc&page=2", "http://a/?token=[redacted]&page=2"), ("http://a/#access_token=abc", "http://a/#access_token=[redacted]"),
        ("http://a/?code=1&state=2", "http://a/?code=[redacted]&state=2"), ("http://a/?X-Amz-Signature=ab", "http://a/?X-Amz-Signature=[redacted]"),
        ("http://a/?barcode=1&keyboard=2&monkey=3", "http://a/?barcode=1&keyboard=2&monkey=3"), ("data:text/plain," + "x" * 200, "data:text/plain," + "x" * 84 + "…"),
        ("http://a/" + "x" * 3000, ("http://a/" + "x" * 3000)[:MAX_URL] + "…"),
)  # fmt: skip
def test_urls_are_kept_without_secrets(url: str, kept: str) -> None:
    assert safe_url(url) == kept
