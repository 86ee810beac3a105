"""Parse `BROWSE_CLIENT_CERT`: which certificate is presented to which server. Pure; reads no file.

Entries such as `https://intranet.corp=/home/ann/ann.p12`, or `…=/home/ann/cert.pem+/home/ann/key.pem`, separated by
commas or blanks.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from gstack_browse.errors import UsageError
from gstack_browse.security.policy.hosts import AllowedHost, HostRules, parse_origin

VARIABLE = "BROWSE_CLIENT_CERT"
SECRET = "client-cert"  # noqa: S105 - the name of one
"""The name under which `secret-set` stores a passphrase; `client-cert-<host>` takes precedence."""
_ENTRIES = re.compile(r"[\s,]+(?=https://)")
_FILES = re.compile(r"\+(?=[/~])")
_EXAMPLE = f"For example: {VARIABLE}=https://intranet.corp=/home/ann/ann.p12"


@dataclass(frozen=True)
class ClientCert:
    """A client certificate for an origin. The file `certificate` includes the key if `key` is None."""

    origin: str
    certificate: Path
    key: Path | None = None
    passphrase: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """The host, without the brackets of an IPv6 address."""
        return urlsplit(self.origin).hostname or ""

    @property
    def port(self) -> int:
        """The port of the origin; 443 where it names none."""
        return urlsplit(self.origin).port or 443

    @property
    def endpoint(self) -> str:
        """Host and port, as Chromium writes them."""
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def key_file(self) -> Path:
        """The file with the private key; the certificate's own file where none is given."""
        return self.key or self.certificate

    @property
    def secrets(self) -> tuple[str, ...]:
        """The names under which the passphrase may be stored, by precedence."""
        return (*([f"{SECRET}-{self.host}"] if ":" not in self.host else ()), SECRET)

    def covers(self, url: str) -> bool:
        """Return whether a URL, also a web socket's, is of that server."""
        try:
            parts = urlsplit(url)
            return parts.scheme in ("https", "wss") and (parts.hostname, parts.port or 443) == (
                self.host,
                self.port,
            )
        except ValueError:
            return False


def parse_client_certs(words: str) -> tuple[ClientCert, ...]:
    """Parse the setting. Raises UsageError."""
    found = tuple(_parse_entry(word) for word in _ENTRIES.split(words.strip(" \t\r\n,")) if word)
    for number, one in enumerate(found):
        if any(one.origin == other.origin for other in found[:number]):
            raise UsageError(f"{VARIABLE} names {one.origin} twice", "One certificate for each server")
    return found


def find_wildcard_conflict(
    rules: HostRules | None, known: tuple[ClientCert, ...]
) -> tuple[ClientCert, AllowedHost] | None:
    """Return a certificate whose server a wildcard of the allowed hosts includes, and that wildcard.

    Chromium cannot be redirected for such a server: hosts of a wildcard are resolved by name.
    """
    if rules is None or rules.resources is None:
        return None
    every = (*rules.resources, *(rules.pages or ()))
    return next(
        (
            (one, host)
            for one in known
            for host in every
            if host.name.startswith("*.") and host.includes(one.host, host.port)
        ),
        None,
    )


def _parse_entry(word: str) -> ClientCert:
    """Parse one entry; raise UsageError if it is malformed."""
    where, equals, files = word.partition("=")
    parts = [part.strip() for part in _FILES.split(files.strip())]
    if not equals or not where.startswith("https://") or len(parts) > 2:
        raise UsageError(f"{VARIABLE}: {word[:60]!r} names no server and certificate", _EXAMPLE)
    if urlsplit(where).path not in ("", "/") or "?" in where or "#" in where or "*" in where:
        raise UsageError(
            f"{VARIABLE}: {where[:60]!r} is no origin", "Scheme, host and port: https://intranet.corp:8443"
        )
    if not all(part.startswith(("/", "~")) for part in parts):
        raise UsageError(f"{VARIABLE}: the path of a certificate begins with / or ~", _EXAMPLE)
    certificate, key = [*(Path(os.path.expanduser(part)) for part in parts), None][:2]
    assert certificate is not None
    return ClientCert(parse_origin(where), certificate, key)
