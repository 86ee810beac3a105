"""Compute one-time codes as authenticator apps do: RFC 6238 with SHA-1, six digits, thirty seconds."""

import base64
import hmac
import struct
import time
from random import Random

STEP = 30


def secret(random: Random) -> str:
    return base64.b32encode(random.randbytes(20)).decode()


def code(secret: str, at: float) -> str:
    digest = hmac.digest(base64.b32decode(secret), struct.pack(">Q", int(at) // STEP), "sha1")
    start = digest[-1] & 15
    (number,) = struct.unpack(">I", digest[start : start + 4])
    return f"{(number & 0x7FFFFFFF) % 1_000_000:06}"


def is_right(secret: str, said: str) -> bool:
    """Whether a code is the present one, or its neighbour."""
    now = time.time()
    return said in {code(secret, now + shift) for shift in (-STEP, 0, STEP)}
