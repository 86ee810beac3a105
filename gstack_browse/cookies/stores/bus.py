"""Connect to the user's D-Bus session bus, with a time limit for every call."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jeepney import DBusAddress, Message, MessageType, new_method_call
from jeepney.auth import AuthenticationError
from jeepney.bus import get_bus
from jeepney.io.blocking import DBusConnection, prep_socket
from jeepney.wrappers import DBusErrorResponse

ANSWER_SECONDS = 3.0


class TimedConnection(DBusConnection):  # type: ignore[misc]  # jeepney has no types
    """A D-Bus connection on which no call waits longer than ANSWER_SECONDS.

    A keyring that hangs counts as absent.
    """

    def send_and_get_reply(self, message: Message, *, timeout: float | None = None) -> Message:
        """Send a message and wait for its reply, at most ANSWER_SECONDS unless a `timeout` is given."""
        return super().send_and_get_reply(message, timeout=timeout or ANSWER_SECONDS)

    def call_method(self, address: DBusAddress, method: str, signature: str = "", *values: object) -> Any:
        """Call a D-Bus method and return its first result; None if it has none. Raises DBusErrorResponse.

        `signature`: D-Bus types of `values`, the arguments.
        """
        reply = self.send_and_get_reply(new_method_call(address, method, signature or None, values))
        if reply.header.message_type is MessageType.error:
            raise DBusErrorResponse(reply)
        return reply.body[0] if reply.body else None


@contextmanager
def session_bus() -> Iterator[TimedConnection | None]:
    """Connect to the user's D-Bus session bus, and yield the connection; None if it cannot be reached.

    The daemon may have been started without the bus address in its environment: the bus of a systemd user session
    is always at the same path.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    address = os.environ.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={runtime}/bus"
    try:
        connection = TimedConnection(prep_socket(get_bus(address), timeout=ANSWER_SECONDS))
    except (OSError, KeyError, ValueError, RuntimeError, AuthenticationError):
        yield None  # no bus, or a malformed address
        return
    with connection:
        yield connection
