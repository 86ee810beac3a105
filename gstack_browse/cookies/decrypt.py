"""Decrypt cookie values of Chromium and its relatives. Pure: keys come from `stores`.

A value begins with a tag of three characters that names cipher and key. The tag decides; ciphers are not tried
in turn. From Chromium: components/os_crypt/sync/os_crypt_linux.cc and os_crypt_mac.mm,
net/extras/sqlite/sqlite_persistent_cookie_store.cc.
"""

from collections.abc import Mapping, Sequence
from hashlib import pbkdf2_hmac, sha256
from hmac import compare_digest

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

from gstack_browse.cookies.records import Skip

V10, V11, V12 = b"v10", b"v11", b"v12"
HASHED_SINCE = 24
"""The database version from which a plaintext begins with SHA-256(host_key)."""

Keys = Mapping[bytes, Sequence[bytes]]
"""Tag → keys to try, the most likely first."""

_SALT = b"saltysalt"
_IV = b" " * 16
_KEY_BYTES = 16
_BLOCK_BYTES = 16
_HASH_BYTES = 32
_LINUX_ROUNDS = 1
_MAC_ROUNDS = 1003


class Undecryptable(Exception):
    """A value cannot be decrypted; `skip` says why."""

    def __init__(self, skip: Skip) -> None:
        super().__init__(skip)
        self.skip = skip


def derive_linux_key(secret: bytes) -> bytes:
    """Derive the AES key from a keyring's secret (v11), or from the constant `peanuts` (v10)."""
    return pbkdf2_hmac("sha1", secret, _SALT, _LINUX_ROUNDS, _KEY_BYTES)


def derive_mac_key(secret: bytes) -> bytes:
    """Derive the AES key from a Keychain password (v10 on macOS)."""
    return pbkdf2_hmac("sha1", secret, _SALT, _MAC_ROUNDS, _KEY_BYTES)


def derive_fixed_linux_keys() -> list[bytes]:
    """Return the keys of v10 on Linux, which are public: used where the keyring is absent or was locked."""
    return [derive_linux_key(b"peanuts"), derive_linux_key(b"")]


def decrypt_value(encrypted: bytes, host: str, version: int, keys: Keys) -> str:
    """Decrypt a cookie's value.

    Args:
        encrypted: tag and ciphertext.
        host: the cookie's host as stored, with its dot.
        version: the database's schema version.
        keys: keys to try, by tag.

    Raises:
        Undecryptable: no key fits, or the format is unknown.
    """
    tag, content = encrypted[:3], encrypted[3:]
    if tag == V12:
        raise Undecryptable(Skip.PORTAL)
    if tag not in (V10, V11) or not content or len(content) % _BLOCK_BYTES:
        raise Undecryptable(Skip.UNREADABLE)
    if not keys.get(tag):
        raise Undecryptable(Skip.LOCKED)
    for key in keys[tag]:
        if (value := _check_host_hash(_decrypt_aes(key, content), host, version)) is not None:
            return value
    raise Undecryptable(Skip.UNREADABLE)


def _decrypt_aes(key: bytes, content: bytes) -> bytes | None:
    """Decrypt AES-CBC and strip the PKCS #7 padding; None for wrong padding, the sign of a wrong key."""
    decryptor = Cipher(AES(key), CBC(_IV)).decryptor()
    plain = decryptor.update(content) + decryptor.finalize()
    count = plain[-1]
    if not 1 <= count <= _BLOCK_BYTES or plain[-count:] != bytes([count]) * count:
        return None
    return plain[:-count]


def _check_host_hash(plain: bytes | None, host: str, version: int) -> str | None:
    """Return the text after the hash of the host; None if the hash is another host's (a copied row)."""
    if plain is None:
        return None
    if version >= HASHED_SINCE:
        if not compare_digest(plain[:_HASH_BYTES], sha256(host.encode()).digest()):
            return None
        plain = plain[_HASH_BYTES:]
    try:
        return plain.decode()
    except UnicodeDecodeError:
        return None
