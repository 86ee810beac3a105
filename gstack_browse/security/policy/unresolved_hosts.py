"""List hosts that Chromium never resolves: those that it asks by itself, and metadata services.

What it requests was found with a counting proxy (tests/e2e/daemon/test_background_requests.py), or is known from Google
Chrome, which has the API keys that Chromium lacks. Imports nothing, since Chromium is started with these before all else.
"""

FEATURES = (
    "AutofillServerCommunication",  # sends the structure of forms
    "DialMediaRouteProvider",  # looks for displays in the local network
    "DnsOverHttpsUpgrade",  # tries whether the DNS server offers HTTPS
    "Translate",
)
"""Features of Chromium to disable."""
HOSTS = (
    "connectivitycheck.gstatic.com",  # after an untrusted certificate: is this a captive portal?
    "redirector.gvt1.com",  # a spelling dictionary, once somebody types
    "update.googleapis.com",  # components that it updates despite --disable-component-update
    "content-autofill.googleapis.com",
    "safebrowsing.googleapis.com",
    "safebrowsingohttpgateway.googleapis.com",
    "sb-ssl.google.com",  # a downloaded program
    "passwordsleakcheck-pa.googleapis.com",
    "affiliation.googleapis.com",
    "optimizationguide-pa.googleapis.com",
)
"""Hosts that only the browser requests, never resolved. The comments say what each is for."""
FLAGS = (
    # Google accounts: pages may request that host, too, so it stays. The browser itself asks a port that Chromium
    # never connects to.
    "--gaia-url=http://127.0.0.1:9/",
    # A page that could not be loaded, again and again, from a second after its error on.
    "--disable-auto-reload",
)
"""Flags that keep requests from being made."""


def background_rules() -> list[str]:
    """Return `--host-resolver-rules` for Chromium that block HOSTS, which only the browser itself asks."""
    return [f"MAP {host} ~NOTFOUND" for host in HOSTS]


V4 = (
    "169.254.169.254",  # AWS, Azure, Google, Oracle, DigitalOcean, OpenStack
    "169.254.170.2",  # AWS: credentials of a container (ECS)
    "169.254.170.23",  # AWS: credentials of a pod (EKS)
    "169.254.0.23",  # Tencent
    "169.254.42.42",  # Scaleway
    "100.100.100.200",  # Alibaba
    "192.0.0.192",  # Oracle, the older one
    "168.63.129.16",  # Azure: configuration and certificates of a machine
)
V6 = (
    "fd00:ec2::254",  # AWS
    "fd00:ec2::23",  # AWS: credentials of a pod
    "fd20:ce::254",  # Google
    "fd00:42::42",  # Scaleway
    "fd00:a9fe:a9fe::1",  # Linode
)
_NAMES = ("metadata.google.internal", "metadata.goog", "instance-data.ec2.internal", "metadata.tencentyun.com")


def to_ipv6_groups(address: str) -> str:
    """Convert an IPv4 address to the last two groups of an IPv6 address that embeds it: `a9fe:a9fe`."""
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


def metadata_rules() -> list[str]:
    """Return rules for Chromium's `--host-resolver-rules` that block cloud metadata services."""
    return [f"MAP {pattern} ~NOTFOUND" for pattern in PATTERNS]
