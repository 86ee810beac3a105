"""TLS with a client certificate: what is presented to the server, what is asked of it, and which alerts mean that it says no."""

import os
import secrets
import ssl
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from gstack_browse.browser.launch.outgoing import trusted
from gstack_browse.client_certs import identity
from gstack_browse.client_certs.entries import ClientCert
from gstack_browse.policy.hosts import is_url_of_any
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
    from cryptography.x509 import Certificate

PROTOCOLS = ("h2", "http/1.1")


class PresentedCert:
    """A client certificate, ready to be presented. Its files are read again when they have changed: short-lived ones are renewed in place."""

    def __init__(self, one: ClientCert, settings: Settings) -> None:
        """Raises SetupFailed. Blocks."""
        self.one = one
        self._settings = settings
        self._identity = identity.load_identity(one)
        self._contexts: dict[tuple[str, ...], ssl.SSLContext] = {}
        self.trust = trusted(settings.ca_cert)
        """For servers on the way, who get no certificate."""
        self.context(())

    @property
    def title(self) -> str:
        return str(self.one.certificate)

    def lapse(self) -> str:
        """Why the certificate does not hold now; "" where it does."""
        return self._identity.describe_invalidity(identity.utc_now())

    def context(self, protocols: tuple[str, ...]) -> ssl.SSLContext:
        """For a connection to the server, which is offered those of the protocols that we pass on. Raises SetupFailed. Blocks."""
        if identity.read_stamp(self.one) != self._identity.stamp:
            self._identity = identity.load_identity(self.one)
            self._contexts.clear()
        offered = tuple(name for name in PROTOCOLS if name in protocols)
        if offered not in self._contexts:
            self._contexts[offered] = self._made(offered)
        return self._contexts[offered]

    def _made(self, protocols: tuple[str, ...]) -> ssl.SSLContext:
        context = trusted(self._settings.ca_cert)
        context.hostname_checks_common_name = False  # as in Chromium
        if is_url_of_any(self._settings.insecure, self.one.origin):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        context.post_handshake_auth = True  # servers that ask only where it is needed
        if protocols:
            context.set_alpn_protocols(list(protocols))
        give(context, self._identity.chain, self._identity.key)
        return context


def give(context: ssl.SSLContext, chain: "tuple[Certificate, ...]", key: "PrivateKeyTypes") -> None:
    """Have a context present a certificate. OpenSSL reads that from a file, so the key stands in one for a moment, encrypted."""
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

    password = secrets.token_bytes(32).hex()
    encrypted = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password.encode()))
    with TemporaryDirectory(prefix="gbrowse-cert-") as place:
        path = os.path.join(place, "identity.pem")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(encrypted)
            file.writelines(one.public_bytes(Encoding.PEM) for one in chain)
        context.load_cert_chain(path, password=password)


_REFUSALS = {
    "UNSUPPORTED_CERTIFICATE": 43,
    "CERTIFICATE_REVOKED": 44,
    "CERTIFICATE_EXPIRED": 45,
    "CERTIFICATE_UNKNOWN": 46,
    "BAD_CERTIFICATE": 42,
    "UNKNOWN_CA": 48,
    "ACCESS_DENIED": 49,
    "CERTIFICATE_REQUIRED": 116,
}
EXPIRED = 45


def refusal(error: ssl.SSLError) -> tuple[int, str] | None:
    """The alert by which a server has refused a client's certificate, by number and in words; None for another failure."""
    reason = (error.reason or "").upper()
    if "ALERT" not in reason:
        return None
    found: Callable[[str], bool] = reason.endswith
    name = next((name for name in _REFUSALS if found(name)), "")
    return (_REFUSALS[name], name.lower().replace("_", " ").replace(" ca", " authority")) if name else None
