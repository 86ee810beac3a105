"""Test what a content security policy lets a page connect to."""

from gstack_browse.network.exchange.csp import allows_connection
from tests.each import each_row

URL, PAGE = "https://a.example/x.map", "https://a.example/"
POLICIES = [
    ("", True),
    ("script-src 'none'", True),
    ("default-src 'none'", False),
    ("default-src 'none'; connect-src 'self'", True),
    ("connect-src 'none'; connect-src *", False),
    ("connect-src *", True),
    ("connect-src https:", True),
    ("connect-src http:", False),
    ("connect-src https://a.example", True),
    ("connect-src https://A.example:443/", True),
    ("connect-src https://a.example/api", False),
    ("connect-src https://*.example", False),
    ("connect-src https://b.example https://[", False),
]


@each_row(*POLICIES)
def test_a_connection_is_allowed(policy: str, expected: bool) -> None:
    assert allows_connection(policy, URL, PAGE) is expected


def test_self_is_the_page_s_own_origin() -> None:
    assert not allows_connection("connect-src 'self'", URL, "https://a.example:8443/")
    assert not allows_connection("connect-src 'self'", "http://a.example/", PAGE)
