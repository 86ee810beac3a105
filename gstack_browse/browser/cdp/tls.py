"""Give asyncio back its TLS, which the daemon's start leaves out (`daemon.process.starter`).

Call `enable_tls` before anything that uses TLS.
"""

import importlib
from asyncio import base_events, selector_events, sslproto


def enable_tls() -> None:
    """Enable TLS in asyncio."""
    import ssl  # OpenSSL costs time and 4 MB

    if getattr(sslproto, "ssl", None) is None:
        importlib.reload(sslproto)
        for module in (base_events, selector_events):
            module.ssl = ssl  # type: ignore[attr-defined]
