"""Listens to shared workers in sessions of our own, and holds each back until we listen.

A worker that is held back runs as soon as one session with it ends or resumes it. The driver ends its own session at once. Events before
our session, at times even the end of the request for the worker's script, would be lost: 8 of 120 runs with processes paused at
random. So shared workers are kept from the driver.
"""

from functools import partial
from typing import Any

from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.cdp.session import Session, consume_exception
from gstack_browse.browser.cdp.tap import TargetEvents
from gstack_browse.text.json_bytes import decode

SHARED_WORKER = "shared_worker"
FROM_THE_BEGINNING = "Network"
"""The domain that is enabled as soon as a target exists. To enable it again would make Chromium drop all response bodies."""
_OF_THAT_KIND = b'"type":"shared_worker"'
"""Part of an event about a shared worker. Quotes within the page's strings are escaped, so they cannot match."""


class SharedWorkers:
    """The shared workers of a browser, and the driver's sessions with them."""

    def __init__(self, pipe: Pipe, tap: TargetEvents) -> None:
        self._pipe = pipe
        self._tap = tap
        self._heard: set[str] = set()
        """Target ids of the workers that we listen to."""
        self._drivers: dict[str, list[str]] = {}
        """Worker that we do not listen to yet → the driver's sessions with it."""

    def are_others_in(self, message: bytes) -> bool:
        """Return whether a `Target.attachedToTarget` of the driver's is about another kind of target.

        For a shared worker, the driver's session is ended once we listen.
        """
        if _OF_THAT_KIND not in message:
            return True
        event = decode(message)["params"]
        worker, session_id = event["targetInfo"]["targetId"], event["sessionId"]
        if worker in self._heard:
            self._end(session_id)
        else:
            self._drivers.setdefault(worker, []).append(session_id)
        return False

    def on_attached(self, event: dict[str, Any]) -> None:
        """Listen in our new session with a shared worker (`Target.attachedToTarget`), and let the worker run."""
        worker, session = event["targetInfo"]["targetId"], Session(self._pipe, event["sessionId"])
        self._tap.attach(event)
        self._tap.targets.get(worker).observed = session
        listens = session.send(f"{FROM_THE_BEGINNING}.enable")
        listens.add_done_callback(consume_exception)
        listens.add_done_callback(partial(self._go_on, worker, session))

    def on_gone(self, worker: str) -> None:
        """Forget a worker that has ended."""
        self._heard.discard(worker)
        self._drivers.pop(worker, None)

    def _go_on(self, worker: str, session: Session, _: object) -> None:
        session.notify("Runtime.runIfWaitingForDebugger")
        self._heard.add(worker)
        for session_id in self._drivers.pop(worker, []):
            self._end(session_id)

    def _end(self, session_id: str) -> None:
        """End a session of the driver's."""
        Session(self._pipe).notify("Target.detachFromTarget", {"sessionId": session_id})
