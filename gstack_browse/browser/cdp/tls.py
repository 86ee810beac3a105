"""TLS for asyncio, which the daemon's start leaves out (`daemon.starter`): whoever speaks it gives it back before."""

import importlib
from asyncio import base_events, selector_events, sslproto


def allow() -> None:
    """Have asyncio speak TLS from now on."""
    import ssl  # OpenSSL costs time and 4 MB

    if getattr(sslproto, "ssl", None) is None:
        importlib.reload(sslproto)
        for module in (base_events, selector_events):
            module.ssl = ssl  # type: ignore[attr-defined]
