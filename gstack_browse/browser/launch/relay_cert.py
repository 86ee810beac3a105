"""Makes the certificate that a relay shows to Chromium.

The key never leaves this process, and ends with the browser.
"""

import ssl
from base64 import b64encode
from datetime import timedelta
from hashlib import sha256
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import NameOID

from gstack_browse.browser.launch.client_certs import present_certificate
from gstack_browse.client_certs.identity import utc_now

DAYS = 397
"""The longest validity that Chromium accepts."""


class RelayCert:
    """A self-signed certificate for one host. Making it blocks."""

    def __init__(self, host: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._certificate = _make_certificate(host, self._key)
        self._contexts: dict[str, ssl.SSLContext] = {}

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the public key, in base64.

        For `--ignore-certificate-errors-spki-list`, so that Chromium accepts this certificate and no other untrusted one.
        """
        public = self._key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return b64encode(sha256(public).digest()).decode()

    def tls_context(self, protocol: str) -> ssl.SSLContext:
        """Return the context for a connection of Chromium's.

        `protocol`: the ALPN protocol agreed on with the server, "" for none.
        """
        if protocol not in self._contexts:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            if protocol:
                context.set_alpn_protocols([protocol])
            present_certificate(context, (self._certificate,), self._key)
            self._contexts[protocol] = context
        return self._contexts[protocol]


def _make_certificate(host: str, key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gbrowse")])
    try:
        names: x509.GeneralName = x509.IPAddress(ip_address(host))
    except ValueError:
        names = x509.DNSName(host)
    begun = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    begun = begun.serial_number(x509.random_serial_number()).not_valid_before(utc_now() - timedelta(days=1))
    whole = begun.not_valid_after(utc_now() + timedelta(days=DAYS - 1))
    return whole.add_extension(x509.SubjectAlternativeName([names]), critical=False).sign(key, hashes.SHA256())
