import json
import time

import pytest

from gstack_browse.cookies.exports import MOST_COOKIES, parse_cookie_file, rejection_reason
from gstack_browse.cookies.records import Cookie
from gstack_browse.errors import UsageError
from tests.each import each, each_row


def one(entry: object) -> Cookie:
    (cookie,) = parse_cookie_file(json.dumps([entry]).encode()).cookies
    return cookie


BASE = {"name": "a", "value": "1", "domain": "example.com"}


@each_row(
    ({"domain": ".example.com"}, "host", ".example.com"),
    ({"hostOnly": False}, "host", ".example.com"),
    ({"domain": ".example.com", "hostOnly": True}, "host", "example.com"),
    ({"domain": "", "url": "https://shop.example.com/x"}, "host", "shop.example.com"),
    ({}, "expires", None),
    ({"expires": 4102444800.5}, "expires", 4102444800.5),
    ({"expiry": 4102444800}, "expires", 4102444800),
    ({"expirationDate": 4102444800000}, "expires", 4102444800),
    ({"expires": 4102444800, "session": True}, "expires", None),
    ({"expires": "Wed, 21 Oct 2026 07:28:00 GMT"}, "expires", None),
    ({"sameSite": "Lax"}, "same_site", "Lax"),
    ({"sameSite": "strict"}, "same_site", "Strict"),
    ({"sameSite": "no_restriction"}, "same_site", "None"),
    ({"sameSite": "unspecified"}, "same_site", None),
)
def test_fields_of_an_export_are_read_in_every_spelling(
    fields: dict[str, object], name: str, read: object
) -> None:
    assert getattr(one(BASE | fields), name) == read


def test_netscape_file_and_a_state_are_parsed() -> None:
    parsed = parse_cookie_file(
        b"# comment\r\n#HttpOnly_.a.b\tTRUE\t/\tTRUE\t0\tn\tv\r\nc.d\tFALSE\t/p\tFALSE\t99\tempty\n"
    )
    first, second = parsed.cookies
    assert (first.host, first.http_only, first.secure, first.expires) == (".a.b", True, True, None)
    assert (second.host, second.path, second.value, second.expires) == ("c.d", "/p", "", 99)
    nowhere = json.dumps({"cookies": [{"name": "a", "value": "1"}], "origins": []}).encode()
    assert [cookie.host for cookie in parse_cookie_file(nowhere, host="example.com").cookies] == ["example.com"]


@each([7, {}, {"name": "a"}, BASE | {"domain": "a b"}, BASE | {"value": "x\ny"}, BASE | {"path": "p"}, BASE | {"name": 3},
     BASE | {"name": "", "value": ""}, BASE | {"value": None}, {"name": "a", "value": "b", "url": "http://[x"},
     {"name": "a", "value": "b", "url": "https://a\u2100b/"}])  # fmt: skip
def test_malformed_cookie_is_left_out_and_counted(entry: object) -> None:
    parsed = parse_cookie_file(json.dumps([entry, BASE]).encode())
    assert (len(parsed.cookies), len(parsed.malformed)) == (1, 1)


MANY = json.dumps([BASE] * (MOST_COOKIES + 1)).encode()


@each([b"", b"  ", b"hello", b"[", b'{"cookies": 1', b"\xff\xfe", b"a b c d e f g", b"[" * 100_000, MANY])
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(UsageError):
        parse_cookie_file(content)


@each_row(
    ({}, ""),
    ({"expires": 5}, "expired"),
    ({"name": "__Secure-a"}, "named __Secure- or __Host- but not secure"),
    ({"name": "__Host-a", "secure": True, "domain": ".a.b"}, "named __Host- but with a domain or a path"),
    ({"sameSite": "None"}, "SameSite=None but not secure"),
    ({"value": "x" * 4096}, "longer than 4096 characters"),
)
def test_why_chromium_will_not_keep_it(fields: dict[str, object], reason: str) -> None:
    assert rejection_reason(one(BASE | fields), time.time()) == reason
