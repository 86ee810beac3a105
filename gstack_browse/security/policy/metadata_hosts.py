"""Names and addresses of cloud metadata services.

Imports nothing, since Chromium is started with these before all else. `metadata` judges requests by them.
"""

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
