"""The certificate that a relay shows to Chromium. Its key is made with the browser, stays in this process, and is forgotten with it."""

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

from gstack_browse.browser.launch.client_certs import give
from gstack_browse.client_certs.identity import utc_now

DAYS = 397
"""As long as Chromium lets a certificate hold."""


class RelayCert:
    """A certificate for one host. Blocks."""

    def __init__(self, host: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._certificate = _certificate(host, self._key)
        self._contexts: dict[str, ssl.SSLContext] = {}

    @property
    def fingerprint(self) -> str:
        """By which Chromium takes this certificate, and no other one that it does not trust: SHA-256 of the public key."""
        public = self._key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return b64encode(sha256(public).digest()).decode()

    def context(self, protocol: str) -> ssl.SSLContext:
        """For a connection of Chromium's, in which `protocol` is agreed on."""
        if protocol not in self._contexts:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            if protocol:
                context.set_alpn_protocols([protocol])
            give(context, (self._certificate,), self._key)
            self._contexts[protocol] = context
        return self._contexts[protocol]


def _certificate(host: str, key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gbrowse")])
    try:
        names: x509.GeneralName = x509.IPAddress(ip_address(host))
    except ValueError:
        names = x509.DNSName(host)
    begun = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    begun = begun.serial_number(x509.random_serial_number()).not_valid_before(utc_now() - timedelta(days=1))
    whole = begun.not_valid_after(utc_now() + timedelta(days=DAYS - 1))
    return whole.add_extension(x509.SubjectAlternativeName([names]), critical=False).sign(key, hashes.SHA256())
