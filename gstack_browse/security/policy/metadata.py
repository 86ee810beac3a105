"""Recognise cloud metadata services by address or name. Reading one gives the machine's credentials.

Chromium normalises addresses: 0xa9.254.43518 becomes 169.254.169.254. So each has one pattern here, and those in which
IPv6 embeds it. A host name that leads there is recognised by the address that answered.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, ip_address

from gstack_browse.security.policy.hosts import Refusal
from gstack_browse.security.policy.unresolved_hosts import PATTERNS, V4, V6
from gstack_browse.text.addresses import host_of

ALLOW = "BROWSE_ALLOW_METADATA"
ADDRESSES = frozenset({*V4, *V6})
_6TO4 = b"\x20\x02"
"""The first bytes of an IPv6 address whose next four are an IPv4 address."""


def url_patterns() -> list[str]:
    """Return URL patterns for interception in Chromium that match requests to cloud metadata services.

    They match little else; the interceptor then checks the host. For a remote browser, which lacks the resolver rules.
    """
    return [f"*{pattern.strip('*')}*" for pattern in PATTERNS]


def refuse_host(url: str) -> Refusal | None:
    """Return the refusal of a URL whose host is a cloud metadata service; None for any other URL."""
    host = host_of(url).rstrip(".")  # "" for a malformed URL, which Chromium cannot open either
    is_one = is_metadata_address(host) or any(fnmatchcase(host, pattern) for pattern in PATTERNS)
    return create_refusal("is") if is_one else None


def is_metadata_address(address: str) -> bool:
    """Return whether an IP address, in whatever spelling, is a cloud metadata service's or embeds one."""
    return any(each in ADDRESSES for each in _list_addresses(address.strip("[]").partition("%")[0]))


def _list_addresses(address: str) -> Iterator[str]:
    """Yield an IP address in its normal form, and the IPv4 addresses that an IPv6 address may embed."""
    try:
        parsed = ip_address(address)
    except ValueError:  # the name of a host
        return
    yield str(parsed)
    if parsed.version == 6:
        yield str(IPv4Address(parsed.packed[-4:]))  # mapped, NAT64 and their like
    if parsed.packed.startswith(_6TO4):
        yield str(IPv4Address(parsed.packed[2:6]))


def create_refusal(how: str) -> Refusal:
    """Return the refusal of a URL that names or leads to a cloud metadata service.

    `how` begins its message: "is" or "leads to".
    """
    return Refusal(
        f"{how} a cloud metadata service", f"The user may allow it: {ALLOW}=1 when the daemon starts"
    )
