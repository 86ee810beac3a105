"""Listens to shared workers in sessions of our own, and has each wait until we do.

A worker that is held back goes on as soon as the first session with it ends or lets it go on. The driver ends its own at once: what the worker
did until we listened was not heard, at times not even the end of the request for its script. So the driver is not told of them.

docs/decisions/0261-whose-requests-are-heard.md has the reasons.
"""

from functools import partial
from typing import Any

from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.cdp.session import Session, consume_exception
from gstack_browse.browser.cdp.tap import Tap
from gstack_browse.text.json_bytes import decode

SHARED_WORKER = "shared_worker"
FROM_THE_BEGINNING = "Network"
"""The part of the protocol that is enabled as soon as there is a target: to enable it once more has Chromium forget all bodies."""
_OF_THAT_KIND = b'"type":"shared_worker"'
"""In an event about such a worker. Within a string of the page's the quotes have backslashes."""


class SharedWorkers:
    """The shared workers of a browser that somebody listens to, or will."""

    def __init__(self, pipe: Pipe, tap: Tap) -> None:
        self._pipe = pipe
        self._tap = tap
        self._heard: set[str] = set()
        """Those that we listen to, by the ids of their targets."""
        self._drivers: dict[str, list[str]] = {}
        """The driver's sessions with those that we do not listen to yet."""

    def are_others_in(self, message: bytes) -> bool:
        """Whether a `Target.attachedToTarget` of the driver's, which the tap has read, is about a target of another kind.

        Where it is not, the session ends here, once we listen to the worker.
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

    def begun(self, event: dict[str, Any]) -> None:
        """A session of ours with such a worker has begun (`Target.attachedToTarget`): listen there, and let the worker go on."""
        worker, session = event["targetInfo"]["targetId"], Session(self._pipe, event["sessionId"])
        self._tap.attach(event)
        self._tap.targets.get(worker).observed = session
        listens = session.send(f"{FROM_THE_BEGINNING}.enable")
        listens.add_done_callback(consume_exception)
        listens.add_done_callback(partial(self._go_on, worker, session))

    def gone(self, worker: str) -> None:
        """That worker is no more."""
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
