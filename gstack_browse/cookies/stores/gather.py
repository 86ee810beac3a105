"""From a browser's profile to cookies that can be set: read, choose, decrypt, and count what is left out.

Blocks (files, D-Bus, the Keychain): call it from a thread.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from gstack_browse.cookies import decrypt
from gstack_browse.cookies.decrypt import Undecryptable
from gstack_browse.cookies.records import Contents, Cookie, Skip, StoredCookie
from gstack_browse.cookies.stores import database
from gstack_browse.cookies.stores.failures import NoKey
from gstack_browse.cookies.stores.keys import Found, Keys
from gstack_browse.cookies.stores.profiles import Profile

LONGEST_SECONDS = 400 * 86_400
"""Chromium keeps no cookie longer than 400 days (RFC 6265bis, 5.5)."""


@dataclass
class Gathered:
    """Cookies ready to be set, how many were left out and why, and what hindered their decryption."""

    cookies: list[Cookie] = field(default_factory=list)
    skipped: Counter[Skip] = field(default_factory=Counter)
    missing: NoKey | None = None


def read(profile: Profile) -> Contents:
    """The cookies of a profile as stored. Raises Unreadable."""
    return (database.read_firefox if profile.browser.is_firefox else database.read_chromium)(profile.database)


def gather(
    profile: Profile, contents: Contents, wanted: Callable[[StoredCookie], bool], keys: Keys
) -> Gathered:
    """The wanted ones of a profile's cookies, decrypted."""
    now = time.time()
    chosen = [cookie for cookie in contents.cookies if wanted(cookie)]
    usable = [cookie for cookie in chosen if not _unusable(cookie, now)]
    gathered = Gathered(skipped=Counter(reason for cookie in chosen if (reason := _unusable(cookie, now))))
    found = keys.find(profile.browser, _tags(usable))
    gathered.missing = found.missing
    for cookie in usable:
        try:
            gathered.cookies.append(_ready(cookie, contents.version, found, now))
        except Undecryptable as error:
            gathered.skipped[error.skip] += 1
    return gathered


def _tags(cookies: Iterable[StoredCookie]) -> set[bytes]:
    return {cookie.encrypted[:3] for cookie in cookies if cookie.encrypted and not cookie.value}


def _unusable(cookie: StoredCookie, now: float) -> Skip | None:
    if cookie.expires is not None and cookie.expires <= now:
        return Skip.EXPIRED
    return Skip.PARTITIONED if cookie.partitioned else None


def _ready(cookie: StoredCookie, version: int, found: Found, now: float) -> Cookie:
    value = cookie.value
    if cookie.encrypted and not value:
        value = decrypt.decrypt(cookie.encrypted, cookie.host, version, found.keys)
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
