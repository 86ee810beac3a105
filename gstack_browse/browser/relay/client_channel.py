"""Send attached clients' requests to Chromium, each client's in sessions of its own.

Responses and events go back undecoded.
"""

from collections.abc import Callable, Collection
from enum import Enum
from typing import Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import Session

Receive = Callable[[bytes], object]
"""Called with one undecoded message of Chromium."""


class ClientChannel:
    """Carries messages of attached clients' sessions over the daemon's connection to Chromium."""

    def __init__(self, connection: Connection) -> None:
        self._pipe = connection.pipe
        self._root = connection.root
        self._targets = connection.targets
        self._sessions: dict[str, Session] = {}

    async def open_session(self, receive: Receive, on_end: Callable[[], object]) -> str:
        """Open a session with the browser for a client. Return its id. Raises ProtocolError.

        `receive` is called with its undecoded events, `on_end` when the session or the connection to Chromium ends.
        """
        session = await self._root.attach("Target.attachToBrowserTarget")
        self._sessions[session.id] = session
        self.route_events(session.id, receive)
        session.on("close", lambda _: on_end())
        return session.id

    def close_session(self, session_id: str) -> None:
        """Close a client's session with the browser, and all sessions that were opened in it. Never raises."""
        if session := self._sessions.pop(session_id, None):
            session.leave()
        self.forget_session(session_id)

    def route_events(self, session_id: str, receive: Receive) -> None:
        """Call `receive` with the undecoded events of a session that a client has just opened."""
        self._pipe.client_events[session_id.encode()] = receive

    def forget_session(self, session_id: str) -> None:
        """Stop passing on the events of a client's session that has ended."""
        self._pipe.client_events.pop(session_id.encode(), None)

    def send(self, session_id: str, method: str, params: dict[str, Any], on_response: Receive) -> int:
        """Send a request in a client's session. Return its id. `on_response` gets the undecoded response.

        It is not called if the session ends before. Raises TypeError or ValueError for parameters that are not JSON.
        """
        message = {"method": method, "params": params, "sessionId": session_id}
        return self._pipe.send_for_client(message, on_response)

    def notify(self, session_id: str, method: str, params: dict[str, Any]) -> None:
        """Send a request in a client's session, and ignore its response."""
        self._pipe.send_for_client({"method": method, "params": params, "sessionId": session_id})

    def has_only(self, contexts: Collection[str]) -> bool:
        """Return whether all targets of the browser are in those browser contexts. `contexts`: their ids."""
        return all(target.browser_context in contexts for target in self._targets)

    def abandon(self, request_id: int) -> None:
        """Drop the response to a request when it comes."""
        self._pipe.abandon(request_id)

    def notify_browser(self, method: str, **params: Any) -> None:
        """Send a request to the browser in the daemon's own session, and ignore its response."""
        self._root.notify(method, params)


class DialogState(Enum):
    """Whether and how the client has answered. The value is for people."""

    OPEN = "left to the attached program"
    ACCEPTED = "accepted by the attached program"
    DISMISSED = "dismissed by the attached program"
