"""Features, hosts and flags by which Chromium asks servers that no page asked for, and how to switch that off.

Found with a counting proxy (tests/e2e/daemon/test_background_requests.py), or known of Google Chrome, which has the API keys that a Chromium
lacks.
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
"""Hosts that the browser asks and no page does; they are not found. What each is asked for stands beside it."""
FLAGS = ("--gaia-url=http://127.0.0.1:9/",)
"""Google accounts: pages may ask that host, too, so it stays. The browser itself asks a port that Chromium never connects to."""


def resolver_rules() -> list[str]:
    """List rules for `--host-resolver-rules`: none of `HOSTS` is found."""
    return [f"MAP {host} ~NOTFOUND" for host in HOSTS]
