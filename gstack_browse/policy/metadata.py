"""Cloud metadata services: where they are, in every spelling. Whoever reads one has the machine's credentials.

Chromium writes an address in one way, whatever way a page writes it: 0xa9.254.43518 is 169.254.169.254. So each has a pattern here, and
those in which IPv6 carries it. A name that leads there is found by the address that has answered.
"""

from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from gstack_browse.policy.refusal import Refusal

ALLOW = "BROWSE_ALLOW_METADATA"
_V4 = (
    "169.254.169.254",  # AWS, Azure, Google, Oracle, DigitalOcean, OpenStack
    "169.254.170.2",  # AWS: credentials of a container (ECS)
    "169.254.170.23",  # AWS: credentials of a pod (EKS)
    "100.100.100.200",  # Alibaba
    "192.0.0.192",  # Oracle, the older one
    "168.63.129.16",  # Azure: configuration and certificates of a machine
)
_V6 = ("fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254")  # AWS, the same for a pod, Google
_NAMES = ("metadata.google.internal", "metadata.goog", "instance-data.ec2.internal")


def _hex(address: str) -> str:
    a, b, c, d = (int(part) for part in address.split("."))
    return f"{a << 8 | b:x}:{c << 8 | d:x}"


PATTERNS = (
    *_NAMES,
    *_V4,
    *_V6,
    *(
        f"*:{_hex(address)}" for address in _V4
    ),  # ::ffff:a9fe:a9fe (mapped), 64:ff9b::a9fe:a9fe (NAT64) and their like
    *(f"2002:{_hex(address)}:*" for address in _V4),  # 6to4
)
"""Hosts as Chromium writes them, an IPv6 address without its brackets."""
ADDRESSES = frozenset(
    {*_V4, *_V6, *(f"{prefix}{_hex(address)}" for address in _V4 for prefix in ("::ffff:", "::", "64:ff9b::"))}
)
"""What may have answered, as Chromium tells it, without brackets."""


def resolver_rules() -> list[str]:
    """Rules for Chromium's `--host-resolver-rules` by which none of them is found. They hold for addresses as for names."""
    return [f"MAP {pattern} ~NOTFOUND" for pattern in PATTERNS]


def url_patterns() -> list[str]:
    """Patterns of URLs, as Chromium's interception has them, that fit each of them, and little else: who asks looks at the host then.

    For a browser that others have started, which knows none of the rules above.
    """
    return [f"*{pattern.strip('*')}*" for pattern in PATTERNS]


def refused_host(url: str) -> Refusal | None:
    """The refusal of a URL that names a metadata service; None for any other URL."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return None  # Chromium opens no such address
    return refusal("is") if any(fnmatchcase(host, pattern) for pattern in PATTERNS) else None


def is_service(address: str) -> bool:
    """Whether an address (of the server that has answered) is that of a metadata service."""
    return address.strip("[]") in ADDRESSES


def refusal(how: str) -> Refusal:
    """The refusal of a URL; `how` is the beginning of its message."""
    return Refusal(
        f"{how} a cloud metadata service", f"The user may allow it: {ALLOW}=1 when the daemon starts"
    )
