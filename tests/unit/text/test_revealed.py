import json
from base64 import b64encode
from html import escape
from urllib.parse import quote, quote_plus

import pytest

from gstack_browse.text import redact as module
from gstack_browse.text.redact import CookieValues, RevealedSecrets
from gstack_browse.text.secrets import abbreviate_secret, hide_value
from tests.each import each

VALUE = 'p&ss "w<rd>/ü 1'


@each(
    [
        VALUE,
        json.dumps(VALUE),
        escape(VALUE),
        quote(VALUE, safe=""),
        quote_plus(VALUE),
        b64encode(VALUE.encode()).decode(),
    ]
)
def test_a_secret_is_hidden_in_every_form_that_pages_write(written: str) -> None:
    revealed = RevealedSecrets()
    revealed.add(VALUE)
    assert revealed.hide(f"before {written} after").replace('"', "") == "before [redacted] after"


def test_only_revealed_values_of_some_length_are_hidden_the_longer_first() -> None:
    revealed = RevealedSecrets()
    assert revealed.hide("correct horse") == "correct horse"
    revealed.add("a")
    assert (bool(revealed), revealed.hide("a cat")) == (False, "a cat")
    revealed = RevealedSecrets()
    revealed.add("123456", seconds=60)
    revealed.add("654321", seconds=-1)
    assert revealed.hide("123456 654321") == "[redacted] 654321"
    assert revealed.values == []
    revealed = RevealedSecrets()
    revealed.add("horse")
    revealed.add("horse battery")
    assert revealed.hide("horse battery, horse") == "[redacted], [redacted]"


def test_values_of_the_newest_cookies_are_hidden_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_COOKIES", 200)
    cookies = CookieValues()
    assert cookies.hide("sid=abc") == "sid=abc"
    cookies.add(["s3cret-value", "dG9rZW4tMQ==", "a%20b%2Fc%3Dd", "dark", ""])
    lines = {
        "sid=s3cret-value; theme=dark": "sid=[redacted]; theme=dark",
        'log: "s3cret-value", s3cret-values': 'log: "[redacted]", s3cret-values',
        "t=dG9rZW4tMQ==": "t=[redacted]",
        "GET /?q=a%20b%2Fc%3Dd&x=1": "GET /?q=[redacted]&x=1",
        "u=a%20b%2Fc%3Dd": "u=[redacted]",
        "{sid: s3cret-value} [s3cret-value] (s3cret-value) <b>s3cret-value</b>|`s3cret-value`.": (
            "{sid: [redacted]} [[redacted]] ([redacted]) <b>[redacted]</b>|`[redacted]`."
        ),
        "cookie=sid=s3cret-value": "cookie=sid=[redacted]",
        "GET /y/s3cret-value/z → 404": "GET /y/[redacted]/z → 404",
        "/x?c=sid%3Ds3cret-value%3B%20t%3DdG9rZW4tMQ%3D%3D": "/x?c=sid%3D[redacted]%3B%20t%3D[redacted]",
    }
    assert {line: cookies.hide(line) for line in lines} == lines
    cookies.add(f"value-{number:06}" for number in range(200))
    cookies.add(["value-000001-and-more"])
    assert cookies.hide("value-000001-and-more, value-000001-and") == "[redacted], [redacted]-and"
    assert cookies.hide("s3cret-value value-000001") == "s3cret-value [redacted]"


SECRET = "accessToken refresh_token apiKey api-key X-Auth password client_secret sessionId jwt CSRF"
PLAIN = "theme author lang cart lastVisit keyboard sessions_count"


def test_value_is_hidden_by_a_name_that_secrets_have() -> None:
    assert {name: hide_value(name, "x") for name in SECRET.split()} == dict.fromkeys(
        SECRET.split(), "[redacted]"
    )
    assert {name: hide_value(name, "x") for name in PLAIN.split()} == dict.fromkeys(PLAIN.split(), "x")


@each(["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig", "ghp_abcdefghijklmnopqrst", "sk-proj-abcdefghijklmnop", "AKIAIOSFODNN7EXAMPLE",
     "Bearer abcdefghijk", "-----BEGIN RSA PRIVATE KEY-----"])  # fmt: skip
def test_values_that_look_like_secrets(value: str) -> None:
    assert hide_value("x", value) == "[redacted]"
    assert value not in hide_value("x", json.dumps({"nested": [{"deep": value}]}))


def test_json_is_looked_into_and_otherwise_left_as_it_is() -> None:
    assert hide_value("user", '{ "id": 7,  "name": "Ann" }') == '{ "id": 7,  "name": "Ann" }'
    expected = {"id": 7, "auth": {"token": "[redacted]", "expired": True}}
    assert json.loads(hide_value("user", '{"id": 7, "auth": {"token": "t", "expired": true}}')) == expected
    assert hide_value("x", "[" * 5000 + "]" * 5000)
    assert "s3cr3t" not in hide_value("x", '{"a":' * 50 + '"s3cr3t"' + "}" * 50)
    for value, shown in [("", ""), ("a", "… (1 character)"), ("abcdefgh", "ab… (8 characters)")]:
        assert abbreviate_secret(value) == shown
