import json

from gstack_browse.text.secrets import abbreviate_secret, hide_value
from tests.each import each

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
