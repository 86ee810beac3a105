"""Sessions that reach no browser: what is sent in them is kept."""

import json
from typing import Any

from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.target_events import TargetEvents


class KeptChannel:
    """Keeps what sessions send, and answers nothing."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, dict[str, Any]]] = []
        """Session, method and parameters of each request."""
        self.root = Session(self)
        self._sessions = {"": self.root}

    def send(self, session: Session, method: str, params: dict[str, Any]) -> int:
        self.sent.append((session.id, method, params))
        return len(self.sent)

    def abandon(self, request_id: int) -> None:
        pass

    def add_session(self, session_id: str, parent: Session) -> Session:
        return self._sessions.setdefault(session_id, Session(self, session_id, parent))

    def remove_session(self, session_id: str) -> None:
        self._sessions.pop(session_id, None)


def tell(events: TargetEvents, method: str, session: str = "", **params: Any) -> None:
    """Have the browser tell of an event, in a session or in the one with the browser itself."""
    message = {"method": method, "params": params, **({"sessionId": session} if session else {})}
    if handler := events.handlers.get(method.encode()):
        handler(json.dumps(message, separators=(",", ":")).encode())


def attach(
    events: TargetEvents, target: str, session: str, above: str = "", kind: str = "page", **info: str
) -> None:
    """Have the browser tell of our session with a target, opened in the session above."""
    about = {"targetId": target, "type": kind, **info}
    tell(events, "Target.attachedToTarget", above, sessionId=session, targetInfo=about)


def make_events(channel: KeptChannel | None = None) -> TargetEvents:
    """Return what reads events, with sessions of a channel."""
    channel = channel or KeptChannel()
    return TargetEvents(channel.root, lambda session_id: channel.add_session(session_id, channel.root))
