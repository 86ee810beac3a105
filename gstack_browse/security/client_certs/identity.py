"""Load a client certificate and its key from files (PEM or PKCS #12), and detect when they change."""

import os
import stat
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gstack_browse.errors import SetupFailed
from gstack_browse.security.client_certs.entries import SECRET, VARIABLE, ClientCert

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
    from cryptography.x509 import Certificate

MOST_BYTES = 1_000_000
_PEM = b"-----BEGIN "
_OTHERS, _GROUP_WRITES = 0o007, 0o020
_GROUP = 0o070


class KeyLocked(SetupFailed):
    """The passphrase of a key is unknown."""


@dataclass(frozen=True)
class Identity:
    """A certificate with its chain and key. `stamp` changes with the files."""

    chain: "tuple[Certificate, ...]"
    key: "PrivateKeyTypes" = field(repr=False)
    stamp: tuple[int, ...]

    def describe_invalidity(self, now: datetime) -> str:
        """Return why the certificate is not valid now; "" if it is."""
        own = self.chain[0]
        if now > own.not_valid_after_utc:
            return f"expired on {own.not_valid_after_utc:%Y-%m-%d}"
        if now < own.not_valid_before_utc:
            return f"does not hold before {own.not_valid_before_utc:%Y-%m-%d}"
        return ""

    def days_left(self, now: datetime) -> int:
        """Return the whole days until it expires."""
        return (self.chain[0].not_valid_after_utc - now).days


def utc_now() -> datetime:
    """Return the current time, for comparison with a certificate's times."""
    return datetime.now(UTC)


def read_stamp(one: ClientCert) -> tuple[int, ...]:
    """Return times, sizes and inodes of the files, which change with them. Raises SetupFailed."""
    found: list[int] = []
    for path in {one.certificate: 0, one.key_file: 0}:
        try:
            facts = os.stat(path)
        except OSError as error:
            raise _unreadable_error(path, error) from None
        found += [facts.st_mtime_ns, facts.st_size, facts.st_ino]
    return tuple(found)


def load_identity(one: ClientCert) -> Identity:
    """Load the files. Raises SetupFailed, which names the file and says what to do."""
    marked = read_stamp(one)
    key = _read_file(one.key_file, is_private=True)
    certificate = key if one.key_file == one.certificate else _read_file(one.certificate, is_private=False)
    if _PEM in certificate:
        if _PEM not in key:
            raise SetupFailed(
                f"{VARIABLE}: {one.key_file} is no key in PEM", _advise_inspection("openssl pkey -in <file>")
            )
        return Identity(
            _check_pair(one, _parse_chain(one, certificate), private := _parse_key(one, key)), private, marked
        )
    if one.key:
        raise SetupFailed(
            f"{VARIABLE}: {one.certificate} is no certificate in PEM",
            _advise_inspection("openssl x509 -in <file>"),
        )
    chain, private = _parse_pkcs12(one, certificate)
    return Identity(_check_pair(one, chain, private), private, marked)


def _read_file(path: Path, *, is_private: bool) -> bytes:
    """Read a regular file; refuse one with a private key that others may read."""
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
    """Return who else may read the key; "" if only we can.

    A key that belongs to root (a mounted secret) may be readable for our group.
    """
    if facts.st_uid not in (os.geteuid(), 0):
        return "belongs to somebody else"
    forbidden = _OTHERS | (_GROUP_WRITES if facts.st_uid == 0 else _GROUP)
    return f"may be read by others (mode {stat.S_IMODE(facts.st_mode):o})" if facts.st_mode & forbidden else ""


def _parse_chain(one: ClientCert, content: bytes) -> "tuple[Certificate, ...]":
    """Parse the certificates of a PEM file."""
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return tuple(load_pem_x509_certificates(content))
    except ValueError:
        raise SetupFailed(
            f"{VARIABLE}: {one.certificate} holds no certificate",
            _advise_inspection("openssl x509 -in <file> -noout -text"),
        ) from None


def _parse_key(one: ClientCert, content: bytes) -> "PrivateKeyTypes":
    """Parse a private key in PEM, decrypting it with the passphrase. Raises KeyLocked."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        return load_pem_private_key(content, None)
    except TypeError:
        pass  # encrypted: the passphrase is needed
    except (ValueError, UnsupportedAlgorithm):
        raise SetupFailed(
            f"{VARIABLE}: {one.key_file} holds no private key", _advise_inspection("openssl pkey -in <file>")
        ) from None
    if not one.passphrase:
        raise _locked_error(one, "has a passphrase, and none is kept for it")
    try:
        return load_pem_private_key(content, one.passphrase.encode())
    except (ValueError, UnsupportedAlgorithm):
        raise _locked_error(one, "has another passphrase than the one that is kept") from None


def _parse_pkcs12(one: ClientCert, content: bytes) -> "tuple[tuple[Certificate, ...], PrivateKeyTypes]":
    """Parse certificates and key of a PKCS #12 file. Raises KeyLocked."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12

    if content[:1] != b"\x30":  # DER begins so
        raise SetupFailed(
            f"{VARIABLE}: {one.certificate} is neither PEM nor PKCS #12", _advise_inspection("file <file>")
        )
    for passphrase in [one.passphrase.encode()] if one.passphrase else [None, b""]:
        try:
            found = load_pkcs12(content, passphrase)
        except (ValueError, UnsupportedAlgorithm):
            continue
        if not (found.cert and found.key):
            raise SetupFailed(
                f"{VARIABLE}: {one.certificate} holds no certificate with its key", "Export both; gbrowse stop"
            )
        return (found.cert.certificate, *(more.certificate for more in found.additional_certs)), found.key
    kept = (
        "has another passphrase than the one that is kept"
        if one.passphrase
        else "has a passphrase, and none is kept for it"
    )
    raise _locked_error(one, f"{kept}, or is damaged")


def _check_pair(
    one: ClientCert, chain: "tuple[Certificate, ...]", key: "PrivateKeyTypes"
) -> "tuple[Certificate, ...]":
    """Return the chain if the key belongs to its first certificate; raise SetupFailed otherwise."""
    if chain[0].public_key() != key.public_key():
        raise SetupFailed(
            f"{VARIABLE}: the key in {one.key_file} is not that of the first certificate in {one.certificate}",
            "The client's own certificate comes first; gbrowse stop",
        )
    return chain


def _locked_error(one: ClientCert, why: str) -> KeyLocked:
    """Return the error for a key whose password is missing or wrong."""
    return KeyLocked(
        f"{VARIABLE}: {one.key_file} {why}", f"gbrowse secret-set {SECRET} --origin {one.origin}; gbrowse stop"
    )


def _unreadable_error(path: Path, error: OSError) -> SetupFailed:
    """Return the error for a file that cannot be read."""
    return SetupFailed(f"{VARIABLE}: {path} cannot be read: {error.strerror}", "Mend that; gbrowse stop")


def _advise_inspection(how: str) -> str:
    """Return a hint: how to look at a certificate, and what to do then."""
    return f"Look at it: {how}; gbrowse stop"
