import json

import pytest

from gstack_browse.text.secrets import abbreviate_secret, hide_value


@pytest.mark.parametrize(
    "name",
    [
        "accessToken",
        "refresh_token",
        "apiKey",
        "api-key",
        "X-Auth",
        "password",
        "client_secret",
        "sessionId",
        "jwt",
        "CSRF",
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert hide_value(name, "anything") == "[redacted]"


@pytest.mark.parametrize("name", ["theme", "author", "lang", "cart", "lastVisit", "keyboard", "sessions_count"])
def test_names_of_other_things(name: str) -> None:
    assert hide_value(name, "anything") == "anything"


@pytest.mark.parametrize(
    "value",
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig", "ghp_abcdefghijklmnopqrst", "sk-proj-abcdefghijklmnop", "AKIAIOSFODNN7EXAMPLE",
     "Bearer abcdefghijk", "-----BEGIN RSA PRIVATE KEY-----"],
)  # fmt: skip
def test_values_that_look_like_secrets(value: str) -> None:
    assert hide_value("x", value) == "[redacted]"
    assert value not in hide_value("x", json.dumps({"nested": [{"deep": value}]}))


def test_json_is_looked_into_and_otherwise_left_as_it_is() -> None:
    assert hide_value("user", '{ "id": 7,  "name": "Ann" }') == '{ "id": 7,  "name": "Ann" }'
    assert json.loads(hide_value("user", '{"id": 7, "auth": {"token": "t", "expired": true}}')) == {
        "id": 7,
        "auth": {"token": "[redacted]", "expired": True},
    }


def test_deeply_nested_json_ends() -> None:
    assert hide_value("x", "[" * 5000 + "]" * 5000)
    assert "s3cr3t" not in hide_value("x", '{"a":' * 50 + '"s3cr3t"' + "}" * 50)


@pytest.mark.parametrize(
    ("value", "shown"), [("", ""), ("a", "… (1 character)"), ("abcdefgh", "ab… (8 characters)")]
)
def test_shortened_is_never_whole(value: str, shown: str) -> None:
    assert abbreviate_secret(value) == shown
