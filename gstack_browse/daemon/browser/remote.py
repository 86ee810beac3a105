"""Read address and headers of the remote browser (BROWSE_REMOTE): headers from a file or a secret.

Whoever has such an address or header has the browser, so neither is ever printed or logged.
"""

import os
import stat
from urllib.parse import urlsplit

from gstack_browse.browser.launch.endpoint import Endpoint, is_loopback
from gstack_browse.errors import SetupFailed, UsageError
from gstack_browse.registry.values.measures import (
    PLAYWRIGHT,
    PLAYWRIGHT_REMEDY,
    PLAYWRIGHT_SERVER,
    is_browser_address,
)
from gstack_browse.settings import REMOTE, REMOTE_HEADERS, Settings

SECRET = "secret:"  # noqa: S105 - how a name is marked
MOST_BYTES = 16 << 10
_FORM = "Lines such as: Authorization: Bearer …"


def remote_endpoint(settings: Settings) -> Endpoint:
    """Return the address of the remote browser (BROWSE_REMOTE), with the headers for connecting to it.

    Raises:
        UsageError: The variable has no valid address, or would send a secret unencrypted.
        SetupFailed: The headers cannot be read, or it is a Playwright server.
    """
    address = settings.remote
    if settings.profile:
        raise UsageError(
            f"BROWSE_PROFILE is for a browser of gbrowse's own, and {REMOTE} names another one",
            "Unset one of the two",
        )
    if address.startswith(PLAYWRIGHT):
        raise SetupFailed(f"{REMOTE} names {PLAYWRIGHT_SERVER}", PLAYWRIGHT_REMEDY)
    if not is_browser_address(address):
        raise UsageError(
            f"{REMOTE} is no address of a browser", "For example: BROWSE_REMOTE=wss://browsers.example.com/"
        )
    if _is_unencrypted(address) and urlsplit(address).password:
        raise UsageError(f"{REMOTE} has a password, and would send it unprotected", "Use wss:// or https://")
    return Endpoint(address, headers=_read_headers(settings), ca_cert=settings.ca_cert)


def _is_unencrypted(address: str) -> bool:
    """Return whether the address of a browser (WebSocket or HTTP) is without TLS."""
    return address.startswith(("ws:", "http:"))


def _read_headers(settings: Settings) -> dict[str, str]:
    """Return the headers for connecting to the remote browser, from a file or a stored secret.

    Raises SetupFailed, UsageError.
    """
    named = settings.remote_headers
    if not named:
        return {}
    if _is_unencrypted(settings.remote) and not is_loopback(settings.remote):
        raise UsageError(f"{REMOTE_HEADERS} would be sent unprotected", "Use wss:// or https://")
    text = (
        _read_header_secret(named.removeprefix(SECRET), settings)
        if named.startswith(SECRET)
        else _read_header_file(named)
    )
    headers = {}
    for line in filter(str.strip, text.splitlines()):
        name, colon, value = line.partition(":")
        if not (
            colon and name.strip().isascii() and name.strip().replace("-", "").isalnum() and value.isprintable()
        ):
            raise SetupFailed(f"{REMOTE_HEADERS} has a line that is no header", _FORM)
        headers[name.strip()] = value.strip()
    return headers


def _read_header_file(name: str) -> str:
    """Return the text of the file `name`, which BROWSE_REMOTE_HEADERS gives.

    Raises SetupFailed if others may read the file, or it cannot be read.
    """
    path = os.path.expanduser(name)
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), encoding="utf-8") as file:
            mode = os.fstat(file.fileno())
            if not stat.S_ISREG(mode.st_mode) or mode.st_mode & 0o077:
                raise SetupFailed(
                    f"{REMOTE_HEADERS} names a file that others may read", "Run: chmod 600 <the file>"
                )
            return file.read(MOST_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise SetupFailed(f"{REMOTE_HEADERS} names a file that cannot be read: {why}", _FORM) from None


def _read_header_secret(name: str, settings: Settings) -> str:
    """Return the text of the stored secret `name`, which holds headers for the remote browser.

    Raises SetupFailed unless the secret is for the browser's origin.
    """
    from gstack_browse.security.vault import SecretStore  # the keyring: only where it is asked for

    found = SecretStore().get(name)
    parts = urlsplit(settings.remote)
    origin = f"{'https' if parts.scheme in ('wss', 'https') else 'http'}://{parts.netloc.rpartition('@')[2]}"
    if found is None or origin not in found.origins:
        raise SetupFailed(
            f"There is no secret {name!r} for {origin}",
            f"Store the header lines: gbrowse secret-set {name} --origin {origin} < <file>",
        )
    return found.value
