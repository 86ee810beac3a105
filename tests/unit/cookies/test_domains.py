"""Test what counts as one site."""

import pytest

from gstack_browse.cookies.domains import is_below_any, is_cookie_of_site, normalise_host


@pytest.mark.parametrize("host", ["github.com", ".github.com", "www.github.com", ".gist.github.com"])
def test_a_site_has_everything_below_it(host: str) -> None:
    assert is_cookie_of_site(host, "github.com")


@pytest.mark.parametrize("host", ["notgithub.com", "github.com.evil.example", "com", ".com", "github.co"])
def test_a_site_has_nothing_else(host: str) -> None:
    assert not is_cookie_of_site(host, "github.com")


def test_a_parents_domain_cookies_are_sent_below_it_and_its_own_are_not() -> None:
    assert is_cookie_of_site(".example.com", "app.example.com")
    assert not is_cookie_of_site("example.com", "app.example.com")
    assert not is_cookie_of_site("other.example.com", "app.example.com")


def test_exact_is_exact() -> None:
    assert is_cookie_of_site(".github.com", "github.com", exact=True)
    assert not is_cookie_of_site("www.github.com", "github.com", exact=True)
    assert not is_cookie_of_site(".example.com", "app.example.com", exact=True)


@pytest.mark.parametrize("site", ["com", "127.0.0.1", "[::1]"])
def test_single_words_and_addresses_have_nothing_below_them(site: str) -> None:
    assert is_cookie_of_site(site, site)
    assert not is_cookie_of_site(f"a.{site}", site)


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        ("GitHub.com", "github.com"),
        (".github.com", "github.com"),
        ("*.github.com", "github.com"),
        ("https://user:pw@github.com:8443/login?x", "github.com"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
    ],
)
def test_a_domain_as_it_may_be_typed(typed: str, host: str) -> None:
    assert normalise_host(typed) == host


@pytest.mark.parametrize("typed", ["", ".", "a b", "a/b", "../x", "a..b", "x" * 300, "http://[", "%", "a,b"])
def test_invalid_domain_is_normalised_to_none(typed: str) -> None:
    assert normalise_host(typed) is None


def test_whom_imported_domains_cover() -> None:
    assert is_below_any({"github.com"}, "gist.github.com")
    assert not is_below_any({"gist.github.com"}, "github.com")
    assert not is_below_any({"github.com"}, "github.com.evil.example")
