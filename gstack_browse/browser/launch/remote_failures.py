"""Explains why a remote browser cannot be reached: no answer, a certificate, an HTTP status.

Takes errors of urllib (`endpoint`, `grid`) and of aiohttp (`connect`).
"""

import os
import ssl
from typing import Any

from gstack_browse.errors import SetupFailed
from gstack_browse.text.sanitise import one_line

ALLOW = (
    "Allow it in the browser itself: chrome://inspect/#remote-debugging, 'Allow remote debugging for this browser instance'\n"
    "Or start one for it: chromium --remote-debugging-port=9222 --user-data-dir=<a directory of its own>, then: gbrowse connect 9222"
)
LOOK = "Look whether it runs and where it listens: http://<host>:<port>/json/version says so"
LOGIN = "It wants a login: name a file with a line such as 'Authorization: Bearer …' in BROWSE_REMOTE_HEADERS (docs/remote.md)"
_UNTRUSTED_HINTS = {
    9: "Set the clock of this machine, or wait until the certificate is valid",
    10: "The server needs a new certificate",
    62: "Use a name that the certificate has",
    64: "Use a name or an address that the certificate has",
}
"""By OpenSSL's error number (X509_V_ERR_…). All other errors are about who signed the certificate: AUTHORITY."""
AUTHORITY = "Trust the authority that has signed it: BROWSE_CA_CERT=<a file with its certificate (PEM)>"
_MOST_BODY = 300


def explain_no_connection(name: str, error: BaseException, *, is_near: bool) -> SetupFailed:
    """Turn the error of a connection into a SetupFailed with the reason and a hint.

    Args:
        name: what messages call the browser
        is_near: the browser is on this machine, where a person can allow debugging
    """
    status, reply = _http_status(error)
    if status in (401, 403):
        return SetupFailed(f"{name} refuses the connection: {reply}", LOGIN)
    if status:
        return SetupFailed(f"{name} answers with an error: {reply}", LOOK)
    fault = _tls_fault(error)
    if isinstance(fault, ssl.SSLCertVerificationError):
        hint = _UNTRUSTED_HINTS.get(fault.verify_code, AUTHORITY)
        return SetupFailed(
            f"The certificate of {name} is not trusted: {fault.verify_message.rstrip('.')}", hint
        )
    if fault:
        reason = (getattr(fault, "reason", None) or str(fault)).lower().replace("_", " ")
        return SetupFailed(
            f"TLS with {name} fails: {reason}", "https:// and wss:// are for servers that speak TLS"
        )
    reason = one_line(_system_reason(error), 200) or type(error).__name__
    return SetupFailed(f"No browser answers at {name}: {reason}", ALLOW if is_near else LOOK)


def _system_reason(error: BaseException) -> str:
    """Return what the system says of a connection, without the words of urllib or aiohttp around it."""
    wrapped = [getattr(error, name, None) for name in ("os_error", "reason")]
    system = next((one for one in [*wrapped, error] if isinstance(one, OSError) and one.errno), None)
    if system is None or system.errno is None:
        return str(getattr(error, "reason", None) or error)
    # The numbers of failed look-ups of names are below zero, and no errno.
    return os.strerror(system.errno) if system.errno > 0 else str(system.strerror)


def _http_status(error: Any) -> tuple[int, str]:
    """Return status and reason of an HTTP error, with its body's first line; (0, "") for other errors."""
    status = getattr(error, "status", None)  # of urllib's HTTPError, and of aiohttp's
    if not isinstance(status, int):
        return 0, ""
    reason = getattr(error, "reason", None) or getattr(error, "message", "")
    body = ""
    if hasattr(error, "read"):
        try:
            body = error.read(_MOST_BODY).decode("utf-8", "replace").strip().partition("\n")[0]
        except (OSError, ValueError):
            body = ""
    is_text = body and not body.startswith(("<", "{"))
    return status, one_line(f"{status} {reason}" + (f" ({body})" if is_text else ""), 200)


def _tls_fault(error: Any) -> ssl.SSLError | None:
    """Return the TLS error that an error of urllib or aiohttp wraps."""
    wrapped = [getattr(error, name, None) for name in ("reason", "certificate_error", "os_error")]
    return next((one for one in [*wrapped, error] if isinstance(one, ssl.SSLError)), None)
