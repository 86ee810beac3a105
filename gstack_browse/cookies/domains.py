"""Which cookies belong to a site, and which hosts a script may reach. Pure."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\Z")
_ADDRESS = re.compile(r"(?:[0-9]+\.){3}[0-9]+\Z|\[[0-9a-f:.]+\]\Z")


def normalised(word: str) -> str | None:
    """The host that a typed domain or URL names, in the form databases use (lower case, IDNA); None if none."""
    text = word.strip().lower()
    if "://" in text:
        try:
            text = urlsplit(text).hostname or ""
        except ValueError:
            return None
    host = text.removeprefix("*").strip(".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode()
        except UnicodeError:
            return None
    if len(host) > 253 or not (_NAME.match(host) or _ADDRESS.match(host)):
        return None
    return host


def has_site_below(host: str) -> bool:
    """Whether names below `host` belong to the same site: not for addresses, nor for `com` and other single words."""
    return not _ADDRESS.match(host) and ("." in host or host == "localhost")


def is_below(host: str, site: str) -> bool:
    """Whether `host` is `site` or a name below it."""
    return host == site or (has_site_below(site) and host.endswith("." + site))


def belongs(cookie_host: str, site: str, *, exact: bool = False) -> bool:
    """Whether a cookie is one of `site`'s.

    Its own, those of the names below it, and domain cookies of a parent (`.example.com` for `app.example.com`),
    because a browser sends them there too (RFC 6265, 5.1.3). `exact`: only its own.
    """
    host = cookie_host.lstrip(".")
    if exact:
        return host == site
    return is_below(host, site) or (cookie_host.startswith(".") and is_below(site, host))


def covers(domains: Iterable[str], host: str) -> bool:
    """Whether `host` is one of the imported domains, or below one."""
    return any(is_below(host, domain) for domain in domains)


def is_same_site(url: str, page: str) -> bool:
    """Whether an address is of a page's host, or of one below that, `www.` aside."""
    try:
        host, site = urlsplit(url).hostname or "", urlsplit(page).hostname or ""
    except ValueError:
        return False
    return is_below(host, site.removeprefix("www.")) if site else not host
