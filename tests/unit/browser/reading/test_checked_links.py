from gstack_browse.browser.reading.link_requests import (
    CheckedLink,
    LinkAnswer,
    check_fragment,
    fragment_name,
    is_sign_out_link,
    render_links,
    render_summary,
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
    ("file:///a", "file:///b", True),
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
    ("https://a.example/doLogoutServlet", True),
    ("https://a.example/weblogout", True),
    ("https://a.example/catalog-outdoor", False),
    ("https://a.example/catalog-out-of-print", False),
    ("https://a.example/design-off-the-shelf", False),
    ("https://a.example/sign-offers", False),
)
def test_links_that_end_a_login_are_known_by_their_path(url: str, is_one: bool) -> None:
    assert is_sign_out_link(url) == is_one


@each_row(
    ("/a#b%20c", "b c"),
    ("/a", ""),
    ("/a#Top", ""),
    ("/a#/route", ""),
    ("/a#!x", ""),
    ("/a#b:~:text=c", "b"),
)
def test_fragment_of_a_link_is_read_as_an_element_s_name(url: str, name: str) -> None:
    assert fragment_name(url) == name


def test_fragments_are_looked_for_and_passwords_not_told() -> None:
    here = LinkAnswer(200, names=frozenset({"there"}))
    assert not check_fragment(here, "/a#there").is_broken
    assert check_fragment(here, "/a#gone").problem == "nothing there is called #gone"
    assert not check_fragment(LinkAnswer(200), "/a#gone").is_broken
    assert check_fragment(LinkAnswer(404), "/a#gone") == LinkAnswer(404)
    link = CheckedLink(
        "@e1", "In", "http://ann:s3cret@a/", 1, LinkAnswer(200, redirected="http://ann:0ther@b/")
    )
    assert link.line == '200 @e1 "In" → http://ann:[redacted]@a/ → http://ann:[redacted]@b/'


def test_the_broken_ones_come_first() -> None:
    links = [
        CheckedLink("@e1", "Fine", "http://a/", 1, LinkAnswer(200)),
        CheckedLink("@e2", "", "http://b/", 3, LinkAnswer(200, redirected="http://c/\x1b[31m")),
        CheckedLink("@e3", "No", "http://d/", 1, LinkAnswer(problem="is not allowed", is_refused=True)),
        CheckedLink("@e4", "Gone", "http://e/", 1, LinkAnswer(404)),
    ]
    assert render_links(links) == [
        '404 @e4 "Gone" → http://e/',
        'refused @e3 "No" → http://d/: is not allowed',
        "200 @e2 (no text) → http://b/ (3 links) → http://c/␛[31m",
        '200 @e1 "Fine" → http://a/',
    ]
    assert render_summary(links) == "1 of 4 links is broken"
    assert render_summary(links[:3]) == "3 links checked, none is broken, 1 redirected"
