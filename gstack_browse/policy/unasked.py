"""Keep Chromium from asking servers of its own accord: features, hosts and flags.

Each was seen at a counting proxy, or is asked by a Google Chrome alone, whose keys a Chromium lacks. Measured by tests/e2e/daemon/test_unasked.py.
"""

FEATURES = (
    "AutofillServerCommunication",  # sends what form a page has
    "DialMediaRouteProvider",  # looks for screens in the local network
    "DnsOverHttpsUpgrade",  # tries whether the name server has another way in
    "Translate",
)
"""Features of Chromium to disable."""
HOSTS = (
    "connectivitycheck.gstatic.com",  # behind a certificate that is not trusted: is this a hotel's network?
    "redirector.gvt1.com",  # a dictionary, where somebody types
    "update.googleapis.com",  # components that are wanted despite --disable-component-update
    "content-autofill.googleapis.com",
    "safebrowsing.googleapis.com",
    "safebrowsingohttpgateway.googleapis.com",
    "sb-ssl.google.com",  # a downloaded program
    "passwordsleakcheck-pa.googleapis.com",
    "affiliation.googleapis.com",
    "optimizationguide-pa.googleapis.com",
)
"""Hosts that browsers ask, and no page does."""
FLAGS = ("--gaia-url=http://127.0.0.1:9/",)
"""Google's accounts, whose host pages may ask as well, are looked for at a port that Chromium never connects to."""


def resolver_rules() -> list[str]:
    """List rules for `--host-resolver-rules`: none of `HOSTS` is found."""
    return [f"MAP {host} ~NOTFOUND" for host in HOSTS]
