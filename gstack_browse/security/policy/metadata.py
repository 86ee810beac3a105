"""Recognise cloud metadata services by address or name. Reading one gives the machine's credentials.

Chromium normalises addresses: 0xa9.254.43518 becomes 169.254.169.254. So each has one pattern here, and those in which
IPv6 embeds it. A host name that leads there is recognised by the address that answered.
"""

from fnmatch import fnmatchcase

from gstack_browse.security.policy.hosts import Refusal
from gstack_browse.security.policy.unresolved_hosts import PATTERNS, V4, V6, to_ipv6_groups
from gstack_browse.text.addresses import host_of

ALLOW = "BROWSE_ALLOW_METADATA"
ADDRESSES = frozenset(
    {
        *V4,
        *V6,
        *(f"{prefix}{to_ipv6_groups(address)}" for address in V4 for prefix in ("::ffff:", "::", "64:ff9b::")),
    }
)
"""Addresses that a response may come from, as Chromium reports them, without brackets."""


def url_patterns() -> list[str]:
    """Return URL patterns for interception in Chromium that match requests to cloud metadata services.

    They match little else; the interceptor then checks the host. For a remote browser, which lacks the resolver rules.
    """
    return [f"*{pattern.strip('*')}*" for pattern in PATTERNS]


def refuse_host(url: str) -> Refusal | None:
    """Return the refusal of a URL whose host is a cloud metadata service; None for any other URL."""
    host = host_of(url).rstrip(".")  # "" for a malformed URL, which Chromium cannot open either
    return create_refusal("is") if any(fnmatchcase(host, pattern) for pattern in PATTERNS) else None


def is_metadata_address(address: str) -> bool:
    """Return whether the IP address from which a response came is a cloud metadata service's."""
    return address.strip("[]") in ADDRESSES


def create_refusal(how: str) -> Refusal:
    """Return the refusal of a URL that names or leads to a cloud metadata service.

    `how` begins its message: "is" or "leads to".
    """
    return Refusal(
        f"{how} a cloud metadata service", f"The user may allow it: {ALLOW}=1 when the daemon starts"
    )
