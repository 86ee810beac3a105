from gstack_browse.cookies.records import is_below_any, is_cookie_of_site, normalise_host
from tests.each import each_row


@each_row(
    ("github.com", "github.com .github.com www.github.com .gist.github.com", True),
    ("github.com", "notgithub.com github.com.evil.example com .com github.co", False),
    ("app.example.com", "example.com other.example.com", False),
    *((site, site, True) for site in ("com", "127.0.0.1", "[::1]")),
    *((site, f"a.{site}", False) for site in ("com", "127.0.0.1", "[::1]")),
)
def test_a_site_has_its_own_cookies_those_below_it_and_its_parents_domain_cookies(
    site: str, hosts: str, is_one: bool
) -> None:
    assert {host: is_cookie_of_site(host, site) for host in hosts.split()} == dict.fromkeys(
        hosts.split(), is_one
    )


def test_exact_is_exact_and_imported_domains_cover_what_is_below_them() -> None:
    assert is_cookie_of_site(".github.com", "github.com", exact=True)
    assert not is_cookie_of_site("www.github.com", "github.com", exact=True)
    assert not is_cookie_of_site(".example.com", "app.example.com", exact=True)
    assert is_below_any({"github.com"}, "gist.github.com")
    assert not is_below_any({"gist.github.com"}, "github.com")
    assert not is_below_any({"github.com"}, "github.com.evil.example")


@each_row(
    ("GitHub.com", "github.com"),
    (".github.com", "github.com"),
    ("*.github.com", "github.com"),
    ("https://user:pw@github.com:8443/login?x", "github.com"),
    ("bücher.example", "xn--bcher-kva.example"),
    ("127.0.0.1", "127.0.0.1"),
    *((typed, None) for typed in ("", ".", "a b", "a/b", "../x", "a..b", "x" * 300, "http://[", "%", "a,b")),
)
def test_a_typed_domain_is_normalised_or_none(typed: str, host: str | None) -> None:
    assert normalise_host(typed) == host
