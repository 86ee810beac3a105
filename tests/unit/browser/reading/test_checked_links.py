from gstack_browse.browser.reading.link_requests import (
    CheckedLink,
    LinkAnswer,
    check_fragment,
    is_sign_out_link,
)
from gstack_browse.cookies.records import is_same_site
from tests.each import each_row


@each_row(
    ("https://example.com/a", "https://example.com/", True),
    ("https://docs.example.com/a", "https://www.example.com/", True),
    ("https://example.com:8443/a", "http://example.com/", True),
    ("https://example.com/", "https://docs.example.com/", False),
    ("https://notexample.com/", "https://example.com/", False),
    ("https://other.com/", "https://com/", False),
    ("http://[::1/", "https://example.com/", False),
    ("https://example.com/", "file:///b", False),
)
def test_a_site_is_the_host_of_the_page_and_what_is_below(url: str, page: str, is_same: bool) -> None:
    assert is_same_site(url, page) == is_same


@each_row(
    ("https://a.example/logout", True),
    ("https://a.example/users/sign_out?x=1", True),
    ("https://a.example/?action=Log-Off", True),
    ("https://logout.example/", False),
    ("https://a.example/blog/outdoors", False),
    ("https://a.example/docs#logout", False),
    ("https://a.example/user_log_out", True),
    ("https://a.example/weblogout", True),
    ("https://a.example/catalog-outdoor", False),
    ("https://a.example/sign-offers", False),
)
def test_links_that_end_a_login_are_known_by_their_path(url: str, is_one: bool) -> None:
    assert is_sign_out_link(url) == is_one


def test_line_of_a_link_tells_no_password_and_no_control_character() -> None:
    link = CheckedLink(
        "@e1", "", "http://ann:s3cret@a/", 3, LinkAnswer(200, redirected="http://ann:0ther@b/\x1b[31m")
    )
    told = "http://ann:[redacted]@a/ (3 links) → http://ann:[redacted]@b/␛[31m"
    assert link.line == f"200 @e1 (no text) → {told}"
    assert not check_fragment(LinkAnswer(200), "/a#gone").is_broken, "its names are not known"
    assert check_fragment(LinkAnswer(404), "/a#gone") == LinkAnswer(404)
