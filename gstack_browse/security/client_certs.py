"""Choose the client certificate for a server (`BROWSE_CLIENT_CERT`), and load it.

Files are PEM or PKCS #12.

Entries such as `https://intranet.corp=/home/ann/ann.p12`, or `…=/home/ann/cert.pem+/home/ann/key.pem`, separated by
commas or blanks.
"""

import os
import re
import stat
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gstack_browse.errors import SetupFailed, UsageError
from gstack_browse.security.policy.hosts import AllowedHost, HostRules, parse_origin

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
    from cryptography.x509 import Certificate

VARIABLE = "BROWSE_CLIENT_CERT"
SECRET = "client-cert"  # noqa: S105 - the name of one
"""The name under which `secret-set` stores a passphrase; `client-cert-<host>` takes precedence."""
_ENTRIES = re.compile(r"[\s,]+(?=https://)")
_FILES = re.compile(r"\+(?=[/~])")
_EXAMPLE = f"For example: {VARIABLE}=https://intranet.corp=/home/ann/ann.p12"
MOST_BYTES = 1_000_000
_NO_PASSPHRASE = "has a passphrase, and none is kept for it"  # noqa: S105 - a message
_WRONG_PASSPHRASE = "has another passphrase than the one that is kept"  # noqa: S105 - a message
_PEM = b"-----BEGIN "
_OTHERS, _GROUP_WRITES = 0o007, 0o020
_GROUP = 0o070


@dataclass(frozen=True)
class ClientCert:
    """A client certificate (TLS) and the origin that asks for it.

    The file `certificate` includes the key if `key` is None.
    """

    origin: str
    certificate: Path
    key: Path | None = None
    passphrase: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Return the host of the server, without the brackets of an IPv6 address."""
        return urlsplit(self.origin).hostname or ""

    @property
    def port(self) -> int:
        """Return the port of the server; 443 if its origin names none."""
        return urlsplit(self.origin).port or 443

    @property
    def endpoint(self) -> str:
        """Return the server's host and port as Chromium writes them: `host:443`, `[::1]:443`."""
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def key_file(self) -> Path:
        """Return the path of the file with the private key: `certificate` if it includes the key."""
        return self.key or self.certificate

    @property
    def secret_names(self) -> tuple[str, ...]:
        """Return the names of stored secrets that may be the key's passphrase, by precedence."""
        return (*([f"{SECRET}-{self.host}"] if ":" not in self.host else ()), SECRET)

    def covers(self, url: str) -> bool:
        """Return whether the certificate is for the server of a URL: https or wss, same host and port."""
        try:
            parts = urlsplit(url)
            server = parts.hostname, parts.port or 443
            return parts.scheme in ("https", "wss") and server == (self.host, self.port)
        except ValueError:
            return False


def parse_client_certs(words: str) -> tuple[ClientCert, ...]:
    """Parse BROWSE_CLIENT_CERT: a client certificate for each of some servers. Raises UsageError."""
    found = tuple(_parse_entry(word) for word in _ENTRIES.split(words.strip(" \t\r\n,")) if word)
    for number, cert in enumerate(found):
        if any(cert.origin == other.origin for other in found[:number]):
            raise UsageError(f"{VARIABLE} names {cert.origin} twice", "One certificate for each server")
    return found


def find_wildcard_conflict(
    rules: HostRules | None, certs: tuple[ClientCert, ...]
) -> tuple[ClientCert, AllowedHost] | None:
    """Return the first certificate whose host a wildcard of the allowed hosts includes, and that wildcard.

    None without such a conflict. Chromium cannot be led to our TLS relay for such a host: hosts of a wildcard are resolved by name.
    """
    wildcards = [host for host in rules.resolvable_hosts if host.name.startswith("*.")] if rules else []
    found = ((cert, host) for cert in certs for host in wildcards if host.includes(cert.host, host.port))
    return next(found, None)


def _parse_entry(word: str) -> ClientCert:
    """Parse one entry of BROWSE_CLIENT_CERT: `https://HOST=FILE` or `…=FILE+KEY`. Raises UsageError."""
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


class KeyLocked(SetupFailed):
    """The passphrase of a private key is missing or wrong."""


@dataclass(frozen=True)
class Identity:
    """A loaded certificate chain with its private key. `stamp` changes with the files."""

    chain: "tuple[Certificate, ...]"
    key: "PrivateKeyTypes" = field(repr=False)
    stamp: tuple[int, ...]

    def describe_invalidity(self, now: datetime) -> str:
        """Return why the certificate is not valid at a time, as `expired on 2026-03-01`; "" if it is valid."""
        own = self.chain[0]
        if now > own.not_valid_after_utc:
            return f"expired on {own.not_valid_after_utc:%Y-%m-%d}"
        if now < own.not_valid_before_utc:
            return f"does not hold before {own.not_valid_before_utc:%Y-%m-%d}"
        return ""

    def days_left(self, now: datetime) -> int:
        """Return for how many whole days from `now` the certificate is valid; below 0 if it has expired."""
        return (self.chain[0].not_valid_after_utc - now).days


def utc_now() -> datetime:
    """Return the current time in UTC, for comparison with a certificate's times."""
    return datetime.now(UTC)


def read_stamp(cert: ClientCert) -> tuple[int, ...]:
    """Return times, sizes and inodes of a certificate's files, to notice changes. Raises SetupFailed."""
    found: list[int] = []
    for path in {cert.certificate: 0, cert.key_file: 0}:
        try:
            facts = os.stat(path)
        except OSError as error:
            raise _unreadable_error(path, error) from None
        found += [facts.st_mtime_ns, facts.st_size, facts.st_ino]
    return tuple(found)


def load_identity(cert: ClientCert) -> Identity:
    """Load a certificate and its key from their files. Raises SetupFailed, KeyLocked."""
    marked = read_stamp(cert)
    key = _read_file(cert.key_file, is_private=True)
    certificate = key if cert.key_file == cert.certificate else _read_file(cert.certificate, is_private=False)
    if _PEM in certificate:
        if _PEM not in key:
            raise SetupFailed(
                f"{VARIABLE}: {cert.key_file} is no key in PEM", _advise_inspection("openssl pkey -in <file>")
            )
        return Identity(
            _check_pair(cert, _parse_chain(cert, certificate), private := _parse_key(cert, key)),
            private,
            marked,
        )
    if cert.key:
        raise SetupFailed(
            f"{VARIABLE}: {cert.certificate} is no certificate in PEM",
            _advise_inspection("openssl x509 -in <file>"),
        )
    chain, private = _parse_pkcs12(cert, certificate)
    return Identity(_check_pair(cert, chain, private), private, marked)


def _read_file(path: Path, *, is_private: bool) -> bytes:
    """Return the content of a certificate's or key's file. Raises SetupFailed unless it is a regular file.

    `is_private`: it has a private key, so a file that others may read is refused, too.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise _unreadable_error(path, error) from None
    facts = os.fstat(descriptor)
    problem = None
    if not stat.S_ISREG(facts.st_mode):
        problem = SetupFailed(f"{VARIABLE}: {path} is no file", "Name a file; gbrowse stop")
    elif is_private and (why := _describe_exposure(facts)):
        problem = SetupFailed(
            f"{VARIABLE}: {path}, with a private key, {why}", f"chmod 600 {path}; gbrowse stop"
        )
    if problem:
        os.close(descriptor)
        raise problem
    with open(descriptor, "rb") as file:
        return file.read(MOST_BYTES)


def _describe_exposure(facts: os.stat_result) -> str:
    """Return in words how a key file is exposed to others (`facts`: its status); "" if it is not.

    A key that belongs to root (a mounted secret) may be readable for our group.
    """
    if facts.st_uid not in (os.geteuid(), 0):
        return "belongs to somebody else"
    forbidden = _OTHERS | (_GROUP_WRITES if facts.st_uid == 0 else _GROUP)
    return f"may be read by others (mode {stat.S_IMODE(facts.st_mode):o})" if facts.st_mode & forbidden else ""


def _parse_chain(cert: ClientCert, content: bytes) -> "tuple[Certificate, ...]":
    """Parse the certificates in the content of a PEM file. Raises SetupFailed."""
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return tuple(load_pem_x509_certificates(content))
    except ValueError:
        raise SetupFailed(
            f"{VARIABLE}: {cert.certificate} holds no certificate",
            _advise_inspection("openssl x509 -in <file> -noout -text"),
        ) from None


def _parse_key(cert: ClientCert, content: bytes) -> "PrivateKeyTypes":
    """Parse a private key in PEM, decrypted with the stored passphrase. Raises KeyLocked, SetupFailed."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        return load_pem_private_key(content, None)
    except TypeError:
        pass  # encrypted: the passphrase is needed
    except (ValueError, UnsupportedAlgorithm):
        raise SetupFailed(
            f"{VARIABLE}: {cert.key_file} holds no private key", _advise_inspection("openssl pkey -in <file>")
        ) from None
    if not cert.passphrase:
        raise _locked_error(cert, _NO_PASSPHRASE)
    try:
        return load_pem_private_key(content, cert.passphrase.encode())
    except (ValueError, UnsupportedAlgorithm):
        raise _locked_error(cert, _WRONG_PASSPHRASE) from None


def _parse_pkcs12(cert: ClientCert, content: bytes) -> "tuple[tuple[Certificate, ...], PrivateKeyTypes]":
    """Parse the content of a PKCS #12 file. Return (certificates, the client's own first; private key).

    Raises KeyLocked, SetupFailed.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12

    if content[:1] != b"\x30":  # DER begins so
        raise SetupFailed(
            f"{VARIABLE}: {cert.certificate} is neither PEM nor PKCS #12", _advise_inspection("file <file>")
        )
    for passphrase in [cert.passphrase.encode()] if cert.passphrase else [None, b""]:
        try:
            found = load_pkcs12(content, passphrase)
        except (ValueError, UnsupportedAlgorithm):
            continue
        if not (found.cert and found.key):
            raise SetupFailed(
                f"{VARIABLE}: {cert.certificate} holds no certificate with its key", "Export both; gbrowse stop"
            )
        return (found.cert.certificate, *(more.certificate for more in found.additional_certs)), found.key
    kept = _WRONG_PASSPHRASE if cert.passphrase else _NO_PASSPHRASE
    raise _locked_error(cert, f"{kept}, or is damaged")


def _check_pair(
    cert: ClientCert, chain: "tuple[Certificate, ...]", key: "PrivateKeyTypes"
) -> "tuple[Certificate, ...]":
    """Return `chain` if `key` belongs to its first certificate. Raises SetupFailed otherwise."""
    if chain[0].public_key() != key.public_key():
        raise SetupFailed(
            f"{VARIABLE}: the key in {cert.key_file} is not that of the first certificate in {cert.certificate}",
            "The client's own certificate comes first; gbrowse stop",
        )
    return chain


def _locked_error(cert: ClientCert, why: str) -> KeyLocked:
    """Return the error for a key whose passphrase is missing or wrong. `why` completes its message."""
    return KeyLocked(
        f"{VARIABLE}: {cert.key_file} {why}",
        f"gbrowse secret-set {SECRET} --origin {cert.origin}; gbrowse stop",
    )


def _unreadable_error(path: Path, error: OSError) -> SetupFailed:
    """Return the error for a certificate or key file that cannot be read."""
    return SetupFailed(f"{VARIABLE}: {path} cannot be read: {error.strerror}", "Mend that; gbrowse stop")


def _advise_inspection(how: str) -> str:
    """Return the hint to look at a certificate's file with the shell command `how`."""
    return f"Look at it: {how}; gbrowse stop"
