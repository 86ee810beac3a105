from gstack_browse.text.addresses import host_of, site_of
from tests.each import each_row


@each_row(
    ("https://ann:pw@Shop.Example:8080/a?b#c", "shop.example", "https://Shop.Example:8080"),
    ("http://a@b:c@[::1]:3000/@", "::1", "http://[::1]:3000"),
    ("http://evil.example?@good.example/", "evil.example", "http://evil.example"),
    ("http://evil.example#@good.example/", "evil.example", "http://evil.example"),
    ("about:blank", "", "about:blank://"),
    ("http://[x", "", "http://[x"),
    ("http://a\u2100b/", "", "http://a\u2100b"),
    ("", "", "://"),
)
def test_host_and_site_of_address_are_found(url: str, host: str, site: str) -> None:
    assert (host_of(url), site_of(url)) == (host, site)
