"""Turn a browser's profile into cookies that can be set: read, choose, decrypt, count skipped ones.

Blocks (files, D-Bus, the Keychain): call it from a thread.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from gstack_browse.cookies import decrypt
from gstack_browse.cookies.decrypt import Undecryptable
from gstack_browse.cookies.records import Cookie, DatabaseContents, Skip, StoredCookie
from gstack_browse.cookies.stores import database
from gstack_browse.cookies.stores.failures import NoKey
from gstack_browse.cookies.stores.keys import FoundKeys, KeyStore
from gstack_browse.cookies.stores.profiles import Profile

LONGEST_SECONDS = 400 * 86_400
"""Chromium limits the life of a cookie to 400 days (RFC 6265bis, 5.5)."""


@dataclass
class GatheredCookies:
    """Cookies ready to be set, counts of skipped ones by reason, and the error if a key was not available."""

    cookies: list[Cookie] = field(default_factory=list)
    skipped: Counter[Skip] = field(default_factory=Counter)
    missing: NoKey | None = None


def read_profile(profile: Profile) -> DatabaseContents:
    """Read the cookies of a profile as stored. Raises Unreadable."""
    return (database.read_firefox if profile.browser.is_firefox else database.read_chromium)(profile.database)


def gather_cookies(
    profile: Profile, contents: DatabaseContents, wanted: Callable[[StoredCookie], bool], keys: KeyStore
) -> GatheredCookies:
    """Choose and decrypt cookies of a profile.

    Args:
        profile: the profile.
        contents: its cookies, from `read_profile`.
        wanted: decides which cookies to return.
        keys: where to get the profile's keys.
    """
    now = time.time()
    chosen = [cookie for cookie in contents.cookies if wanted(cookie)]
    usable = [cookie for cookie in chosen if not _skip_reason(cookie, now)]
    gathered = GatheredCookies(
        skipped=Counter(reason for cookie in chosen if (reason := _skip_reason(cookie, now)))
    )
    found = keys.find(profile.browser, _key_tags(usable))
    gathered.missing = found.missing
    for cookie in usable:
        try:
            gathered.cookies.append(_decrypt_cookie(cookie, contents.version, found, now))
        except Undecryptable as error:
            gathered.skipped[error.skip] += 1
    return gathered


def _key_tags(cookies: Iterable[StoredCookie]) -> set[bytes]:
    """Return the tags (first three bytes) of all encrypted values, which name the keys that are needed."""
    return {cookie.encrypted[:3] for cookie in cookies if cookie.encrypted and not cookie.value}


def _skip_reason(cookie: StoredCookie, now: float) -> Skip | None:
    """Return why a stored cookie is not imported; None if it is."""
    if cookie.expires is not None and cookie.expires <= now:
        return Skip.EXPIRED
    return Skip.PARTITIONED if cookie.partitioned else None


def _decrypt_cookie(cookie: StoredCookie, version: int, found: FoundKeys, now: float) -> Cookie:
    """Decrypt a stored cookie and limit its expiry. Raises Undecryptable."""
    value = cookie.value
    if cookie.encrypted and not value:
        value = decrypt.decrypt_value(cookie.encrypted, cookie.host, version, found.keys)
    expires = None if cookie.expires is None else min(cookie.expires, now + LONGEST_SECONDS)
    return Cookie(
        cookie.host,
        cookie.name,
        cookie.path,
        value,
        expires,
        cookie.secure,
        cookie.http_only,
        cookie.same_site,
    )
