"""Stand in for KDE's wallet on the session bus: `open
closed <password>`.
It answers as kwalletd6 does, once for each call."""

import sys

from jeepney import HeaderFields, MessageType, message_bus, new_error, new_method_return
from jeepney.io.blocking import Proxy, open_dbus_connection

STATE, PASSWORD = sys.argv[1:]
ENTRY = ("Chromium Keys", "Chromium Safe Storage")


def answer(method: str, body: tuple[object, ...]) -> tuple[str, tuple[object, ...]] | None:
    """Signature and values of the answer; None for a method that is not there."""
    if method == "networkWallet":
        return "s", ("kdewallet",)
    if method == "isOpen":
        return "b", (STATE == "open",)
    if method == "open":
        return "i", (7 if STATE == "open" else -1,)
    if method == "hasEntry":
        return "b", (body[:3] == (7, *ENTRY),)
    if method == "readPassword":
        return "s", (PASSWORD if body[:3] == (7, *ENTRY) else "",)
    return None


with open_dbus_connection() as bus:
    Proxy(message_bus, bus).RequestName("org.kde.kwalletd6")
    print("ready", flush=True)
    while True:
        message = bus.receive()
        if message.header.message_type is MessageType.method_call:
            found = answer(message.header.fields[HeaderFields.member], message.body)
            unknown = "org.freedesktop.DBus.Error.UnknownMethod"
            bus.send(new_method_return(message, *found) if found else new_error(message, unknown))
