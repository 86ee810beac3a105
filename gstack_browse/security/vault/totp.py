"""Generate one-time codes (RFC 6238) from a key in base32 or an otpauth:// URI. Pure.

The URI is Google Authenticator's key URI format, which websites show as QR codes.
"""

import base64
import binascii
import hmac
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from gstack_browse.errors import UsageError

_ALGORITHMS = {"SHA1": "sha1", "SHA256": "sha256", "SHA512": "sha512"}


class TotpGenerator(NamedTuple):
    """A key with the parameters for making codes from it. `period` is in seconds."""

    key: bytes
    digits: int = 6
    period: int = 30
    algorithm: str = "sha1"

    def code(self, at: float) -> str:
        """Return the code that is valid at `at` (seconds since 1970)."""
        counter = int(at) // self.period
        digest = hmac.digest(self.key, counter.to_bytes(8, "big"), self.algorithm)
        offset = digest[-1] & 0xF
        number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
        return str(number % 10**self.digits).zfill(self.digits)

    def seconds_left(self, at: float) -> float:
        """Return for how many seconds the code of time `at` stays valid."""
        return self.period - at % self.period


def parse_totp_key(text: str) -> TotpGenerator:
    """Parse a key as websites show it: base32 or an otpauth:// URI.

    Raises UsageError, whose message contains no part of the key.
    """
    text = text.strip()
    if not text.lower().startswith("otpauth:"):
        return TotpGenerator(_decode_key(text))
    try:
        parts = urlsplit(text)
        fields = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    except ValueError:
        raise _malformed_error("its address is malformed") from None
    if unquote(parts.netloc).lower() != "totp":
        raise _malformed_error("it is not of the kind totp")
    algorithm = _ALGORITHMS.get(fields.get("algorithm", "SHA1").upper())
    if algorithm is None:
        raise _malformed_error("its algorithm is unknown")
    digits, period = _parse_number(fields, "digits", 6), _parse_number(fields, "period", 30)
    if not (6 <= digits <= 10 and 1 <= period <= 3600):
        raise _malformed_error("its digits or its period are out of range")
    return TotpGenerator(_decode_key(fields.get("secret", "")), digits, period, algorithm)


def _parse_number(fields: dict[str, str], name: str, default: int) -> int:
    """Return a numeric field; `default` if it is missing, 0 if it is malformed."""
    word = fields.get(name, str(default))
    return int(word) if word.isascii() and word.isdigit() and len(word) < 5 else 0


def _decode_key(text: str) -> bytes:
    """Decode a base32 key, ignoring spaces and hyphens; raise UsageError if it is malformed or too short."""
    compact = "".join(text.split()).replace("-", "").rstrip("=").upper()
    try:
        key = base64.b32decode(compact + "=" * (-len(compact) % 8))
    except (binascii.Error, ValueError):
        raise _malformed_error("its key is not base32") from None
    if len(key) < 5:
        raise _malformed_error("its key is too short")
    return key


def _malformed_error(why: str) -> UsageError:
    """Return the error for a malformed key."""
    return UsageError(
        f"That is no key for one-time codes: {why}",
        "Pipe in the key in base32 (JBSW Y3DP …) or the otpauth:// address that the website shows",
    )
