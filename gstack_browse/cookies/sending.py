"""Choose the cookies that are sent with a request for a page (RFC 6265bis, 5.8.3). Pure."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from gstack_browse.cookies.domains import is_below

_LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
"""Hosts of this machine, which receive `Secure` cookies without TLS, too."""


def cookie_header(cookies: Iterable[Mapping[str, Any]], url: str, *, is_same_site: bool, now: float) -> str:
    """Return the value of the `Cookie` header for a URL; "" for none.

    Args:
        cookies: cookies in Playwright's form.
        url: the requested URL.
        is_same_site: whether the page with the link belongs to the URL's site.
        now: seconds since 1970.
    """
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    is_secure = parts.scheme == "https" or host in _LOCAL_HOSTS
    sent = [
        cookie
        for cookie in cookies
        if _matches_host(cookie, host)
        and _matches_path(cookie["path"], parts.path or "/")
        and (is_secure or not cookie["secure"])
        and (cookie["expires"] < 0 or cookie["expires"] > now)
        and (is_same_site or cookie.get("sameSite") != "Strict")
    ]
    sent.sort(key=lambda cookie: -len(cookie["path"]))
    return "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in sent)


def _matches_host(cookie: Mapping[str, Any], host: str) -> bool:
    domain = cookie["domain"]
    is_of = is_below(host, domain[1:]) if domain.startswith(".") else host == domain
    partition = urlsplit(str(cookie.get("partitionKey", ""))).hostname
    return is_of and (not partition or is_below(host, partition))


def _matches_path(path: str, asked: str) -> bool:
    return asked == path or asked.startswith(path if path.endswith("/") else f"{path}/")
