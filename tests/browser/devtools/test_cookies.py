"""Test that cookies are set and read in the form of Playwright's storage state."""

import pytest

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.state.cookie_jar import LATEST, read_cookies, set_cookies
from tests.browser.devtools.conftest import Chromium
from tests.each import each

PLACE = {"domain": "shop.example", "path": "/"}
PARTITIONED = {
    **PLACE, "name": "cart", "value": "7", "secure": True, "sameSite": "None", "partitionKey": "https://news.example",
}  # fmt: skip


async def test_cookies_are_read_as_they_were_set(chromium: Chromium) -> None:
    context = (await chromium.browser.new_context()).id
    given = [
        {**PLACE, "name": "plain", "value": "1"},
        {
            **PLACE,
            "name": "wide",
            "value": "",
            "domain": ".shop.example",
            "expires": LATEST - 1,
            "httpOnly": True,
        },
        {"name": "by url", "value": "2", "url": "https://news.example/a/b"},
        PARTITIONED,
    ]
    await set_cookies(chromium.root, context, given)
    found = {cookie["name"]: cookie for cookie in await read_cookies(chromium.root, context)}
    assert found["plain"] == {
        **PLACE, "name": "plain", "value": "1", "expires": -1, "httpOnly": False, "secure": False, "sameSite": "Lax"
    }  # fmt: skip
    assert (found["wide"]["domain"], found["wide"]["httpOnly"]) == (".shop.example", True)
    of_url = found["by url"]
    assert (of_url["domain"], of_url["path"], of_url["secure"]) == ("news.example", "/a/", True)
    partition = {key: found["cart"][key] for key in ("partitionKey", "_crHasCrossSiteAncestor", "sameSite")}
    assert partition == {
        "partitionKey": "https://news.example", "_crHasCrossSiteAncestor": True, "sameSite": "None"
    }  # fmt: skip
    other = (await chromium.browser.new_context()).id
    await set_cookies(chromium.root, other, list(found.values()))
    assert {cookie["name"]: cookie for cookie in await read_cookies(chromium.root, other)} == found
    await set_cookies(chromium.root, other, [{**found["cart"], "value": "", "expires": 1}])
    assert "cart" not in {cookie["name"] for cookie in await read_cookies(chromium.root, other)}
    assert len(await read_cookies(chromium.root, context)) == len(given)


SENT = {
    "https://shop.example/": "host safe wide", "https://shop.example": "host safe wide", "http://shop.example/deep": "deep host wide",
    "https://shop.example/deep/er": "deep host safe wide", "https://shop.example/deeper": "host safe wide", "https://www.shop.example/": "wide",
    "https://myshop.example/": "", "http://localhost:8000/": "local", "http://[::1]:8000/": "six",
}  # fmt: skip


async def test_cookies_of_a_url_are_those_that_are_sent_there(chromium: Chromium) -> None:
    context = (await chromium.browser.new_context()).id
    given = [
        {**PLACE, "name": "host"},
        {**PLACE, "name": "deep", "path": "/deep"},
        {**PLACE, "name": "safe", "secure": True},
        {**PLACE, "name": "wide", "domain": ".shop.example"},
        {"name": "local", "domain": "localhost", "path": "/", "secure": True},
        {"name": "six", "domain": "[::1]", "path": "/", "secure": True},
    ]
    await set_cookies(chromium.root, context, [{"value": "1", **cookie} for cookie in given])
    found = {url: await read_cookies(chromium.root, context, [url]) for url in SENT}
    assert {url: " ".join(sorted(cookie["name"] for cookie in found[url])) for url in found} == SENT


WRONG: tuple[dict[str, object], ...] = (
    {"name": "a", "value": "secret"},
    {"name": "a", "value": "secret", "url": "about:blank"},
    {**PLACE, "name": "a", "value": "secret", "expires": LATEST + 1},
    {**PLACE, "name": "a\nb", "value": "secret"},
)


@each(WRONG)
async def test_cookies_without_place_or_end_are_refused(wrong: dict[str, object], chromium: Chromium) -> None:
    with pytest.raises(ProtocolError) as raised:
        await set_cookies(chromium.root, chromium.browser.contexts[0].id, [wrong])
    assert "secret" not in str(raised.value)
