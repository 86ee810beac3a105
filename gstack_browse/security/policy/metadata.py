"""Addresses of cloud metadata services in every spelling. Reading one gives the machine's credentials.

Chromium normalises addresses: 0xa9.254.43518 becomes 169.254.169.254. So each has one pattern here, and those in which
IPv6 embeds it. A host name that leads there is recognised by the address that answered.
"""

from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from gstack_browse.security.policy.hosts import Refusal

V4 = (
    "169.254.169.254",  # AWS, Azure, Google, Oracle, DigitalOcean, OpenStack
    "169.254.170.2",  # AWS: credentials of a container (ECS)
    "169.254.170.23",  # AWS: credentials of a pod (EKS)
    "100.100.100.200",  # Alibaba
    "192.0.0.192",  # Oracle, the older one
    "168.63.129.16",  # Azure: configuration and certificates of a machine
)
V6 = ("fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254")  # AWS, the same for a pod, Google
_NAMES = ("metadata.google.internal", "metadata.goog", "instance-data.ec2.internal")


def to_ipv6_groups(address: str) -> str:
    """Return an IPv4 address as the last two groups of an IPv6 address."""
    a, b, c, d = (int(part) for part in address.split("."))
    return f"{a << 8 | b:x}:{c << 8 | d:x}"


PATTERNS = (
    *_NAMES,
    *V4,
    *V6,
    *(
        f"*:{to_ipv6_groups(address)}" for address in V4
    ),  # ::ffff:a9fe:a9fe (mapped), 64:ff9b::a9fe:a9fe (NAT64) and their like
    *(f"2002:{to_ipv6_groups(address)}:*" for address in V4),  # 6to4
)
"""Host patterns as Chromium writes hosts, IPv6 addresses without brackets."""


def resolver_rules() -> list[str]:
    """Return rules for `--host-resolver-rules` that keep names and addresses from being resolved."""
    return [f"MAP {pattern} ~NOTFOUND" for pattern in PATTERNS]


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
    """Return URL patterns for Chromium's interception that match each service, and little else.

    For a remote browser, which lacks the resolver rules; the interceptor then checks the host.
    """
    return [f"*{pattern.strip('*')}*" for pattern in PATTERNS]


def refuse_host(url: str) -> Refusal | None:
    """Refuse a URL that names a metadata service; None for any other URL."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return None  # Chromium cannot open it either
    return create_refusal("is") if any(fnmatchcase(host, pattern) for pattern in PATTERNS) else None


def is_metadata_address(address: str) -> bool:
    """Return whether the address of a server that answered is a metadata service's."""
    return address.strip("[]") in ADDRESSES


def create_refusal(how: str) -> Refusal:
    """Create the refusal of a URL; `how` begins its message ("is", "leads to" …)."""
    return Refusal(
        f"{how} a cloud metadata service", f"The user may allow it: {ALLOW}=1 when the daemon starts"
    )
