"""The user's D-Bus session, spoken to with patience that ends. What is asked there is not known here."""

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


class PatientConnection(DBusConnection):  # type: ignore[misc]  # jeepney has no types
    """A connection on which no call waits longer than ANSWER_SECONDS: a keyring that hangs is an absent one."""

    def send_and_get_reply(self, message: Message, *, timeout: float | None = None) -> Message:
        return super().send_and_get_reply(message, timeout=timeout or ANSWER_SECONDS)

    def ask(self, address: DBusAddress, method: str, signature: str = "", *values: object) -> Any:
        """The first value that a method returns. Raises DBusErrorResponse."""
        reply = self.send_and_get_reply(new_method_call(address, method, signature or None, values))
        if reply.header.message_type is MessageType.error:
            raise DBusErrorResponse(reply)
        return reply.body[0] if reply.body else None


@contextmanager
def session_bus() -> Iterator[PatientConnection | None]:
    """The session bus; None where there is none.

    A daemon may have been started where the address is not in the environment: the bus of a systemd user session
    is always at the same place.
    """
    try:
        connection = PatientConnection(prep_socket(get_bus(_address()), timeout=ANSWER_SECONDS))
    except (OSError, KeyError, ValueError, RuntimeError, AuthenticationError):
        yield None  # no bus, or an address that means nothing
        return
    with connection:
        yield connection


def _address() -> str:
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    return os.environ.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={runtime}/bus"
