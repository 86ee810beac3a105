from gstack_browse.cookies.records import cookie_header, is_below_any, is_cookie_of_site, normalise_host
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


def cookie(name: str = "sid", **fields: object) -> dict[str, object]:
    usual = {"domain": "example.com", "path": "/", "secure": False, "expires": -1, "sameSite": "Lax"}
    return {"name": name, "value": "1", **usual, **fields}


@each_row(
    ({}, "http://example.com/a", True),
    ({}, "http://docs.example.com/", False),
    ({"domain": ".example.com"}, "http://docs.example.com/", True),
    ({"path": "/admin"}, "http://example.com/administration", False),
    ({"secure": True}, "http://example.com/", False),
    ({"secure": True, "domain": "localhost"}, "http://localhost:3000/", True),
    ({"expires": 99}, "http://example.com/", False),
    ({"partitionKey": "https://shop.example"}, "http://example.com/", False),
    ({"partitionKey": "https://example.com"}, "http://example.com/", True),
)
def test_a_cookie_goes_where_it_is_of(fields: dict[str, object], url: str, is_sent: bool) -> None:
    assert bool(cookie_header([cookie(**fields)], url, is_same_site=True, now=100)) == is_sent


def test_cookies_are_sent_by_path_and_strict_ones_within_their_site() -> None:
    cookies = [cookie("a", sameSite="Strict"), cookie("b", sameSite="Lax"), cookie("c", sameSite="None")]
    assert cookie_header(cookies, "http://example.com/", is_same_site=False, now=0) == "b=1; c=1"
    cookies = [cookie("a"), cookie("b", path="/x/y"), cookie("c", path="/x/")]
    assert cookie_header(cookies, "http://example.com/x/y/z", is_same_site=True, now=0) == "b=1; c=1; a=1"
