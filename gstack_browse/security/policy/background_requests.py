"""Requests that Chromium makes by itself, by feature, host and flag, and how to disable them.

Found with a counting proxy (tests/e2e/daemon/test_background_requests.py), or known from Google Chrome, which has the
API keys that Chromium lacks. Imports nothing, since Chromium is started with these before all else.
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


def resolver_rules() -> list[str]:
    """Return the rules for `--host-resolver-rules` that keep `HOSTS` from being resolved."""
    return [f"MAP {host} ~NOTFOUND" for host in HOSTS]
