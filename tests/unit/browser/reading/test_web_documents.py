"""Test where redirections of a document that is read may lead."""

import pytest

from gstack_browse.browser.cdp.interception import ShapingResult
from gstack_browse.browser.reading.web_documents import FetchedDocument, fetch_document
from gstack_browse.browser.reading.web_requests import RequestSpec, WebFetcher, WebResponse
from gstack_browse.errors import NavigationFailed, Refused
from gstack_browse.settings import Settings
from tests.each import each, each_row

PAGE = FetchedDocument("", 200, "text/html", "", b"here", is_cut=False)


class Redirecting(WebFetcher):
    """Answers from a table: an address, and where it leads."""

    def __init__(self, table: dict[str, str]) -> None:
        async def unshaped(url: str, headers: dict[str, str]) -> ShapingResult:
            return None

        super().__init__(lambda url: {}, lambda url: None, unshaped, Settings())
        self.table = table

    async def _request(self, url: str, spec: RequestSpec) -> WebResponse | str:
        return self.table.get(url) or WebResponse(url, 200, "text/html", b"here", is_cut=False)


@each(["http://127.0.0.1/", "http://10.1.2.3/x", "http://[::1]:8000/", "http://192.168.0.1/", "http://2130706433/", "http://0x7f.1/",
       "http://0/", "http://017700000001/", "http://[::ffff:127.0.0.1]/", "http://[fe80::1%251]/"])  # fmt: skip
async def test_a_public_page_cannot_redirect_to_a_private_network(private: str) -> None:
    public = "http://8.8.8.8/"
    with pytest.raises(Refused, match="private network"):
        await fetch_document(Redirecting({public: private}), public, 5)
    assert (await fetch_document(Redirecting({}), private, 5)).url == private
    assert (await fetch_document(Redirecting({private: "/other"}), private, 5)).url.endswith("/other")
    assert (await fetch_document(Redirecting({public: "http://9.9.9.9/"}), public, 5)).url == "http://9.9.9.9/"


async def test_redirections_without_end_are_given_up() -> None:
    with pytest.raises(NavigationFailed, match="more than 20 times"):
        await fetch_document(Redirecting({"http://8.8.8.8/": "http://8.8.8.8/"}), "http://8.8.8.8/", 5)
    with pytest.raises(NavigationFailed, match="no page"):
        await fetch_document(Redirecting({"http://8.8.8.8/": "ftp://8.8.8.8/"}), "http://8.8.8.8/", 5)


@each_row(
    ("é".encode(), "", "é"),
    ("é".encode("latin-1"), "", "é"),
    ("ж".encode("koi8-r"), "koi8-r", "ж"),
    ("ж".encode("utf-16"), "", "ж"),
    (b"<meta charset=koi8-r>" + "ж".encode("koi8-r"), "", "<meta charset=koi8-r>ж"),
    (b"a", "no-such-thing", "a"),
)
def test_text_is_decoded(body: bytes, charset: str, text: str) -> None:
    assert PAGE._replace(body=body, charset=charset).text() == text
