from gstack_browse.text.addresses import host_of
from tests.each import each_row


@each_row(
    ("https://ann:pw@Shop.Example:8080/a?b#c", "shop.example"),
    ("http://[::1]:3000/", "::1"),
    ("about:blank", ""),
    ("http://[x", ""),
    ("http://a\u2100b/", ""),
    ("", ""),
)
def test_host_of_address_is_found(url: str, expected: str) -> None:
    assert host_of(url) == expected
