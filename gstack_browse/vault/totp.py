"""One-time codes (RFC 6238), from a key in base32 or an otpauth:// URI. Pure.

The URI is that of Google Authenticator's key URI format, which the QR codes of websites hold.
"""

import base64
import binascii
import hmac
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from gstack_browse.errors import UsageError

_ALGORITHMS = {"SHA1": "sha1", "SHA256": "sha256", "SHA512": "sha512"}


class Totp(NamedTuple):
    """A key and how its codes are made."""

    key: bytes
    digits: int = 6
    period: int = 30
    algorithm: str = "sha1"

    def code(self, at: float) -> str:
        """The code that is valid at `at` (seconds since 1970)."""
        counter = int(at) // self.period
        digest = hmac.digest(self.key, counter.to_bytes(8, "big"), self.algorithm)
        offset = digest[-1] & 0xF
        number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
        return str(number % 10**self.digits).zfill(self.digits)

    def seconds_left(self, at: float) -> float:
        """For how many seconds the code of that moment stays valid."""
        return self.period - at % self.period


def parse(text: str) -> Totp:
    """Read a key in the form that websites show. Raises UsageError, whose message holds no part of the key."""
    text = text.strip()
    if not text.lower().startswith("otpauth:"):
        return Totp(_key(text))
    try:
        parts = urlsplit(text)
        fields = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    except ValueError:
        raise _malformed("its address is malformed") from None
    if unquote(parts.netloc).lower() != "totp":
        raise _malformed("it is not of the kind totp")
    algorithm = _ALGORITHMS.get(fields.get("algorithm", "SHA1").upper())
    if algorithm is None:
        raise _malformed("its algorithm is unknown")
    digits, period = _number(fields, "digits", 6), _number(fields, "period", 30)
    if not (6 <= digits <= 10 and 1 <= period <= 3600):
        raise _malformed("its digits or its period are out of range")
    return Totp(_key(fields.get("secret", "")), digits, period, algorithm)


def _number(fields: dict[str, str], name: str, default: int) -> int:
    word = fields.get(name, str(default))
    return int(word) if word.isascii() and word.isdigit() and len(word) < 5 else 0


def _key(text: str) -> bytes:
    compact = "".join(text.split()).replace("-", "").rstrip("=").upper()
    try:
        key = base64.b32decode(compact + "=" * (-len(compact) % 8))
    except (binascii.Error, ValueError):
        raise _malformed("its key is not base32") from None
    if len(key) < 5:
        raise _malformed("its key is too short")
    return key


def _malformed(why: str) -> UsageError:
    return UsageError(
        f"That is no key for one-time codes: {why}",
        "Pipe in the key in base32 (JBSW Y3DP …) or the otpauth:// address that the website shows",
    )
