"""Makes TLS contexts that present a client certificate, and parses the alerts that refuse it."""

import os
import secrets
import ssl
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from gstack_browse.browser.launch.outbound.outbound_connection import make_tls_context
from gstack_browse.security.client_certs import identity
from gstack_browse.security.client_certs.entries import ClientCert
from gstack_browse.security.policy.hosts import is_url_of_any
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
    from cryptography.x509 import Certificate

PROTOCOLS = ("h2", "http/1.1")


class PresentedCert:
    """A client certificate with its TLS contexts.

    Changed files are read again: short-lived certificates are renewed in place.
    """

    def __init__(self, one: ClientCert, settings: Settings) -> None:
        """Read the certificate's files. Blocks. Raises SetupFailed."""
        self.entry = one
        self._settings = settings
        self._identity = identity.load_identity(one)
        self._contexts: dict[tuple[str, ...], ssl.SSLContext] = {}
        self.trust = make_tls_context(settings.ca_cert)
        """For proxies, which get no certificate."""
        self.tls_context(())

    @property
    def title(self) -> str:
        """The path of the certificate's file, for messages."""
        return str(self.entry.certificate)

    def describe_invalidity(self) -> str:
        """Describe why the certificate is not valid now; "" if it is."""
        return self._identity.describe_invalidity(identity.utc_now())

    def tls_context(self, protocols: tuple[str, ...]) -> ssl.SSLContext:
        """Return the context for a connection to the server.

        Args:
            protocols: the client's ALPN protocols; those of PROTOCOLS among them are offered

        Blocks. Raises SetupFailed.
        """
        if identity.read_stamp(self.entry) != self._identity.stamp:
            self._identity = identity.load_identity(self.entry)
            self._contexts.clear()
        offered = tuple(name for name in PROTOCOLS if name in protocols)
        if offered not in self._contexts:
            self._contexts[offered] = self._make_context(offered)
        return self._contexts[offered]

    def _make_context(self, protocols: tuple[str, ...]) -> ssl.SSLContext:
        """Return the TLS context for the server. `protocols`: those that the browser offers by ALPN."""
        context = make_tls_context(self._settings.ca_cert)
        context.hostname_checks_common_name = False  # as in Chromium
        if is_url_of_any(self._settings.insecure, self.entry.origin):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        context.post_handshake_auth = True  # for servers that ask for the certificate only at some paths
        if protocols:
            context.set_alpn_protocols(list(protocols))
        present_certificate(context, self._identity.chain, self._identity.key)
        return context


def present_certificate(
    context: ssl.SSLContext, chain: "tuple[Certificate, ...]", key: "PrivateKeyTypes"
) -> None:
    """Make a TLS context present a certificate.

    OpenSSL reads it from a file only, so the encrypted key is in a temporary file meanwhile.
    """
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

    password = secrets.token_bytes(32).hex()
    encrypted = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password.encode()))
    with TemporaryDirectory(prefix="gbrowse-cert-") as place:
        path = os.path.join(place, "identity.pem")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(encrypted)
            file.writelines(one.public_bytes(Encoding.PEM) for one in chain)
        context.load_cert_chain(path, password=password)
