"""Matching of hosts: which cookies belong to a site, and which hosts a script may reach. Pure."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\Z")
_ADDRESS = re.compile(r"(?:[0-9]+\.){3}[0-9]+\Z|\[[0-9a-f:.]+\]\Z")


def normalise_host(word: str) -> str | None:
    """Return the host that a typed domain or URL names, in lower case and IDNA; None if it names no host."""
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
    """Return whether subdomains of `host` belong to its site: not for addresses or labels such as `com`."""
    return not _ADDRESS.match(host) and ("." in host or host == "localhost")


def is_below(host: str, site: str) -> bool:
    """Return whether `host` is `site` or a subdomain of it."""
    return host == site or (has_site_below(site) and host.endswith("." + site))


def is_cookie_of_site(cookie_host: str, site: str, *, exact: bool = False) -> bool:
    """Return whether a cookie belongs to `site`.

    That is true for its own, those of its subdomains, and domain cookies of a parent (`.example.com` for
    `app.example.com`), because a browser sends them there too (RFC 6265, 5.1.3). `exact`: only its own.
    """
    host = cookie_host.lstrip(".")
    if exact:
        return host == site
    return is_below(host, site) or (cookie_host.startswith(".") and is_below(site, host))


def is_below_any(domains: Iterable[str], host: str) -> bool:
    """Return whether `host` is one of `domains` or a subdomain of one."""
    return any(is_below(host, domain) for domain in domains)


def is_same_site(url: str, page: str) -> bool:
    """Return whether a URL's host is the page's host or a subdomain of it; `www.` is ignored."""
    try:
        host, site = urlsplit(url).hostname or "", urlsplit(page).hostname or ""
    except ValueError:
        return False
    return is_below(host, site.removeprefix("www.")) if site else not host
