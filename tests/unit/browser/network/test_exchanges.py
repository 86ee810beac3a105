from typing import Any

from gstack_browse.browser.network.exchanges import MOST_FRAME_BYTES, MOST_FRAMES, MOST_PAYLOAD, Exchanges
from gstack_browse.browser.reading.logged_requests import build_step_facts, decode_frames
from gstack_browse.network.logs import NetworkEntry
from gstack_browse.text.json_bytes import encode
from tests.each import each


def event_bytes(**params: Any) -> bytes:
    return encode({"method": "Network.x", "params": params})


def entry(number: int, kind: str = "fetch") -> NetworkEntry:
    return NetworkEntry(0.0, 1, "GET", "http://a/", kind, number=number)


def sent(url: str, at: float = 1.0, **more: Any) -> bytes:
    request = {"url": url, "method": "GET", "headers": {"A": "early"}}
    return event_bytes(request=request, timestamp=at, wallTime=0.0, **more)


def keep(kept: Exchanges, *numbers: int, kind: str = "fetch", content: bytes = b"x" * 100) -> None:
    for number in numbers:
        kept.keep_request(str(number), None, entry(number, kind), content)  # type: ignore[arg-type]


def test_the_oldest_go_first_but_for_one_that_goes_on() -> None:
    kept = Exchanges()
    kept.most_bytes = 1_000
    keep(kept, *range(1, 21))
    assert [kept.find(number) is not None for number in (1, 10, 11, 20)] == [False, False, True, True]
    assert kept.dropped == 10
    kept = Exchanges()
    kept.most_bytes = 1_000
    keep(kept, 1, kind="websocket")
    for number in range(2, 40):
        keep(kept, number)
        kept.keep_frame("1", b"y")
    assert kept.find(1)
    kept = Exchanges()
    keep(kept, 1, 2)
    kept.forget({1})
    assert (kept.find(1), kept.find(2) is None) == (None, False)
    kept.note_served_from_memory("of a data: URL, which is not kept")
    assert len(kept._chains) == 1


def test_frames_are_bounded_by_their_number_and_by_their_size() -> None:
    kept = Exchanges()
    keep(kept, 1, kind="websocket")
    for _ in range(MOST_FRAMES + 50):
        kept.keep_frame("1", event_bytes(timestamp=1.0, response={"opcode": 1, "payloadData": "a"}))
    found = kept.find(1)
    assert found
    assert (found[0].frame_count, len(decode_frames(found[0]))) == (MOST_FRAMES + 50, MOST_FRAMES)
    for _ in range(MOST_FRAMES):
        kept.keep_frame("1", event_bytes(timestamp=1.0, response={"opcode": 1, "payloadData": "a" * 1_000_000}))
    last = decode_frames(found[0])
    assert sum(map(len, found[0].frames)) == found[0].frame_bytes <= MOST_FRAME_BYTES
    assert (len(last[-1].data), last[-1].bytes) == (MOST_PAYLOAD, 1_000_000)


@each([True, False])
def test_heads_belong_to_the_steps_that_went_to_a_server(is_early: bool) -> None:
    """Chromium numbers no heads: of three steps the first one came from a cache."""
    kept = Exchanges()

    def heads() -> None:
        for step in ("second", "third"):
            kept.keep_request_head("1", event_bytes(headers={"A": step}))
            kept.keep_response_head("1", event_bytes(headers={"B": step}, statusCode=200))

    if is_early:
        heads()
    moved = {"redirectResponse": {"status": 302, "headers": {"Location": "/"}}}
    cached, sent_on = {**moved, "redirectHasExtraInfo": False}, {**moved, "redirectHasExtraInfo": True}
    for number, more in ((1, {}), (2, cached), (3, sent_on)):
        step = sent(f"http://a/{number}", float(number), **more)
        kept.keep_request("1", None, entry(number), step)  # type: ignore[arg-type]
    if not is_early:
        heads()
    response = {"status": 200, "headers": {}}
    kept.keep_response("1", event_bytes(timestamp=4.0, hasExtraInfo=True, response=response))
    kept.keep_end("1", event_bytes(timestamp=5.0, encodedDataLength=10))
    found = kept.find(1)
    assert found
    steps = [build_step_facts(found[0], index) for index in range(3)]
    assert [dict(step.request_headers)["A"] for step in steps] == ["early", "second", "third"]
    assert [dict(step.response_headers).get("B") for step in steps] == [None, "second", "third"]
    assert [step.redirected_to for step in steps] == ["http://a/2", "http://a/3", ""]
    assert [step.timing and round(step.timing.total) for step in steps] == [1000, 1000, 2000]
