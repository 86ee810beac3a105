from gstack_browse.cookies.records import cookie_header
from tests.each import each_row


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
