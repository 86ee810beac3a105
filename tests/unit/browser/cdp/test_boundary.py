"""Test what passes between the driver and a browser that others use, in both directions."""

import asyncio
from typing import Any

import orjson

from gstack_browse.browser.cdp.boundary import Boundary


class RecordingPipe:
    """A pipe that writes down what it is given."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str, dict[str, Any]]] = []
        self.is_closed = False

    def tell_driver(self, *messages: bytes) -> None:
        self.told += [orjson.loads(message) for message in messages]

    def send(self, session: Any, method: str, params: dict[str, Any]) -> int:
        self.asked.append((session.id, method, params))
        return len(self.asked)

    def close(self) -> None:
        self.is_closed = True


def request(method: str, number: int = 1, **params: Any) -> bytes:
    return orjson.dumps({"id": number, "method": method, "params": params})


def attached(
    target: str, *, context: str = "own", kind: str = "page", opener: str = "", waits: bool = True
) -> bytes:
    info = {"targetId": target, "type": kind, "browserContextId": context, "url": "", "openerId": opener}
    params = {"sessionId": f"s-{target}", "targetInfo": info, "waitingForDebugger": waits}
    return orjson.dumps({"method": "Target.attachedToTarget", "params": params})


async def test_a_tab_of_others_is_let_run_and_left() -> None:
    ends = RecordingPipe()
    boundary = Boundary(ends, "own")  # type: ignore[arg-type]
    assert not boundary.admits(attached("theirs"))
    assert not boundary.admits(attached("old", waits=False))
    assert not boundary.admits(attached("worker", kind="service_worker"))
    let_go = [asked[:2] for asked in ends.asked]
    assert let_go[:3] == [
        ("s-theirs", "Runtime.runIfWaitingForDebugger"),
        ("", "Target.detachFromTarget"),
        ("", "Target.detachFromTarget"),
    ]
    gone = {"method": "Target.detachedFromTarget", "params": {"sessionId": "s-theirs", "targetId": "theirs"}}
    assert not boundary.admits(orjson.dumps(gone)), "nobody has heard of it"


async def test_a_tab_that_the_driver_makes_is_told_by_the_answer() -> None:
    ends = RecordingPipe()
    boundary = Boundary(ends, "own")  # type: ignore[arg-type]
    assert boundary.from_driver(request("Target.createTarget", 7, url="about:blank", browserContextId="own"))
    assert not boundary.admits(attached("mine")), "held"
    assert not boundary.admits(attached("theirs")), "held, too: it came in the same moment"
    given = boundary.from_browser(b'{"id":7,"result":{"targetId":"mine"}}')
    assert [orjson.loads(message).get("id", "event") for message in given] == ["event", 7]
    assert ("s-theirs", "Runtime.runIfWaitingForDebugger", {}) in ends.asked
    assert boundary.admits(attached("popup", opener="mine")), "a window of ours"
    assert boundary.opened == {"mine", "popup"}
    assert boundary.from_driver(request("Target.closeTarget", 8, targetId="mine"))


async def test_browser_close_and_crash_never_reach_a_shared_browser() -> None:
    ends = RecordingPipe()
    boundary = Boundary(ends, "own")  # type: ignore[arg-type]
    for method in ("Browser.close", "Browser.crash"):
        assert not boundary.from_driver(request(method))
    await asyncio.sleep(0)
    assert ends.is_closed
    assert not boundary.from_driver(request("Target.createBrowserContext", 3))
    assert ends.told[-1] == {"id": 3, "result": {"browserContextId": "own"}}
    assert not boundary.from_driver(request("Target.disposeBrowserContext", 4, browserContextId="own"))
    assert not boundary.from_driver(request("Target.closeTarget", 5, targetId="theirs"))
    assert not boundary.from_driver(
        request(
            "Browser.setDownloadBehavior",
            6,
            behavior="allowAndName",
            browserContextId="own",
            downloadPath="/tmp",
        )
    )
    assert ends.asked[-1][2] == {"behavior": "default", "browserContextId": "own", "eventsEnabled": True}
    assert boundary.from_driver(request("Runtime.evaluate", 9, expression="'Browser.close'"))


async def test_a_taken_tab_is_let_go_where_it_would_be_closed() -> None:
    ends = RecordingPipe()
    boundary = Boundary(ends, "own")  # type: ignore[arg-type]
    boundary.attached.add("theirs")
    assert boundary.admits(attached("theirs"))
    assert not boundary.from_driver(request("Target.closeTarget", 2, targetId="theirs"))
    assert ends.asked[-1][1:] == ("Target.detachFromTarget", {"sessionId": "s-theirs"})
    assert ends.told[-1] == {"id": 2, "result": {"success": True}}
    assert not boundary.is_own_tab("theirs")


async def test_without_a_shared_context_ours_is_what_the_driver_has_made() -> None:
    boundary = Boundary(RecordingPipe())  # type: ignore[arg-type]
    assert not boundary.admits(attached("theirs", context="default"))
    assert boundary.from_driver(request("Target.createBrowserContext", 3))
    boundary.from_browser(b'{"id":3,"result":{"browserContextId":"made"}}')
    assert boundary.admits(attached("mine", context="made"))
    assert boundary.admits(attached("worker", context="made", kind="service_worker"))
    assert not boundary.admits(attached("others", context="another"))
