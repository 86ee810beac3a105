"""The files of a client certificate: PEM or PKCS #12, read, checked, and read again when they have changed."""

import os
import stat
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gstack_browse.client_certs.entries import SECRET, VARIABLE, ClientCert
from gstack_browse.errors import SetupFailed

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
    from cryptography.x509 import Certificate

MOST_BYTES = 1_000_000
_PEM = b"-----BEGIN "
_OTHERS, _GROUP_WRITES = 0o007, 0o020
_GROUP = 0o070


class Locked(SetupFailed):
    """The passphrase of a key is not known."""


@dataclass(frozen=True)
class Identity:
    """A certificate with the chain that goes with it, and its key. `stamp` tells the files' content from a later one."""

    chain: "tuple[Certificate, ...]"
    key: "PrivateKeyTypes" = field(repr=False)
    stamp: tuple[int, ...]

    def lapse(self, now: datetime) -> str:
        """Why the certificate does not hold now; "" where it does."""
        own = self.chain[0]
        if now > own.not_valid_after_utc:
            return f"expired on {own.not_valid_after_utc:%Y-%m-%d}"
        if now < own.not_valid_before_utc:
            return f"does not hold before {own.not_valid_before_utc:%Y-%m-%d}"
        return ""

    def days_left(self, now: datetime) -> int:
        """Whole days until it expires."""
        return (self.chain[0].not_valid_after_utc - now).days


def utc_now() -> datetime:
    """The time, to compare with that of certificates."""
    return datetime.now(UTC)


def stamp(one: ClientCert) -> tuple[int, ...]:
    """What changes with the files. Raises SetupFailed."""
    found: list[int] = []
    for path in {one.certificate: 0, one.key_file: 0}:
        try:
            facts = os.stat(path)
        except OSError as error:
            raise _unreadable(path, error) from None
        found += [facts.st_mtime_ns, facts.st_size, facts.st_ino]
    return tuple(found)


def load(one: ClientCert) -> Identity:
    """Read the files. Raises SetupFailed, which names the file and says what to do."""
    marked = stamp(one)
    key = _read(one.key_file, is_private=True)
    certificate = key if one.key_file == one.certificate else _read(one.certificate, is_private=False)
    if _PEM in certificate:
        if _PEM not in key:
            raise SetupFailed(f"{VARIABLE}: {one.key_file} is no key in PEM", _mend("openssl pkey -in <file>"))
        return Identity(_checked(one, _chain(one, certificate), private := _key(one, key)), private, marked)
    if one.key:
        raise SetupFailed(
            f"{VARIABLE}: {one.certificate} is no certificate in PEM", _mend("openssl x509 -in <file>")
        )
    chain, private = _pkcs12(one, certificate)
    return Identity(_checked(one, chain, private), private, marked)


def _read(path: Path, *, is_private: bool) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise _unreadable(path, error) from None
    facts = os.fstat(descriptor)
    problem = None
    if not stat.S_ISREG(facts.st_mode):
        problem = SetupFailed(f"{VARIABLE}: {path} is no file", "Name a file; gbrowse stop")
    elif is_private and (why := _is_exposed(facts)):
        problem = SetupFailed(
            f"{VARIABLE}: {path}, with a private key, {why}", f"chmod 600 {path}; gbrowse stop"
        )
    if problem:
        os.close(descriptor)
        raise problem
    with open(descriptor, "rb") as file:
        return file.read(MOST_BYTES)


def _is_exposed(facts: os.stat_result) -> str:
    """Who else may read the key. That of root's (a mounted secret) may be for our group, too."""
    if facts.st_uid not in (os.geteuid(), 0):
        return "belongs to somebody else"
    forbidden = _OTHERS | (_GROUP_WRITES if facts.st_uid == 0 else _GROUP)
    return f"may be read by others (mode {stat.S_IMODE(facts.st_mode):o})" if facts.st_mode & forbidden else ""


def _chain(one: ClientCert, content: bytes) -> "tuple[Certificate, ...]":
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return tuple(load_pem_x509_certificates(content))
    except ValueError:
        raise SetupFailed(
            f"{VARIABLE}: {one.certificate} holds no certificate", _mend("openssl x509 -in <file> -noout -text")
        ) from None


def _key(one: ClientCert, content: bytes) -> "PrivateKeyTypes":
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        return load_pem_private_key(content, None)
    except TypeError:
        pass  # it is encrypted
    except (ValueError, UnsupportedAlgorithm):
        raise SetupFailed(
            f"{VARIABLE}: {one.key_file} holds no private key", _mend("openssl pkey -in <file>")
        ) from None
    if not one.passphrase:
        raise _locked(one, "has a passphrase, and none is kept for it")
    try:
        return load_pem_private_key(content, one.passphrase.encode())
    except (ValueError, UnsupportedAlgorithm):
        raise _locked(one, "has another passphrase than the one that is kept") from None


def _pkcs12(one: ClientCert, content: bytes) -> "tuple[tuple[Certificate, ...], PrivateKeyTypes]":
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12

    if content[:1] != b"\x30":  # DER begins so
        raise SetupFailed(f"{VARIABLE}: {one.certificate} is neither PEM nor PKCS #12", _mend("file <file>"))
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
    raise _locked(one, f"{kept}, or is damaged")


def _checked(
    one: ClientCert, chain: "tuple[Certificate, ...]", key: "PrivateKeyTypes"
) -> "tuple[Certificate, ...]":
    if chain[0].public_key() != key.public_key():
        raise SetupFailed(
            f"{VARIABLE}: the key in {one.key_file} is not that of the first certificate in {one.certificate}",
            "The client's own certificate comes first; gbrowse stop",
        )
    return chain


def _locked(one: ClientCert, why: str) -> Locked:
    return Locked(
        f"{VARIABLE}: {one.key_file} {why}", f"gbrowse secret-set {SECRET} --origin {one.origin}; gbrowse stop"
    )


def _unreadable(path: Path, error: OSError) -> SetupFailed:
    return SetupFailed(f"{VARIABLE}: {path} cannot be read: {error.strerror}", "Mend that; gbrowse stop")


def _mend(how: str) -> str:
    return f"Look at it: {how}; gbrowse stop"
