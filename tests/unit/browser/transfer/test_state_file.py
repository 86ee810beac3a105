import json

import pytest

from gstack_browse.browser.transfer import state_file
from gstack_browse.errors import UsageError

STORE = {"name": "s", "keyPath": "id", "autoIncrement": False, "records": [{"value": {"id": 1}}], "indexes": []}
ORIGIN = {
    "origin": "https://x.example:8443",
    "localStorage": [{"name": "a", "value": "b"}],
    "indexedDB": [{"name": "db", "version": 2, "stores": [STORE]}],
}


def decoded(fields: object, **refused: str) -> state_file.SavedState:
    saved = state_file.decode(
        json.dumps(fields).encode(),
        refused_page=lambda url: refused.get("page", ""),
        refused_tab=lambda url: refused.get("tab", ""),
    )
    for _ in state_file.check_cookies(saved):
        pass
    return saved


def test_only_origins_of_web_servers_are_taken() -> None:
    valid = ["http://127.0.0.1:8000", "https://[::1]:1", "http://localhost", "https://a.b.c"]
    invalid = [
        "https://x.example/", "https://x.example/path", "https://u@x.example", "https://X.example", "file://", "null", "", "https://",
        "https://x.example:99999", "https://[x", "javascript:1", "https://x.example ", "http://a b", 7, None,
    ]  # fmt: skip
    saved = decoded({"origins": [{"origin": origin, "localStorage": []} for origin in [*valid, *invalid]]})
    assert [found["origin"] for found in saved.origins] == valid
    assert sum(saved.left_out.values()) == len(invalid)


def test_malformed_or_forbidden_part_is_left_out() -> None:
    wrong = [{"name": "db", "version": version, "stores": []} for version in (0, -1, True, "1", 2**60)]
    wrong.append({"name": "db", "version": 1, "stores": [STORE | {"keyPath": 7}]})
    saved = decoded({"origins": [ORIGIN | {"indexedDB": [*ORIGIN["indexedDB"], *wrong]}]})  # type: ignore[misc]
    assert (saved.origins, saved.left_out) == ([ORIGIN], {("database", "malformed"): len(wrong)})
    items = [{"name": "a", "value": "b"}, {"name": "a"}, 7]
    saved = decoded({"origins": [ORIGIN | {"localStorage": items}]})
    assert (saved.origins[0]["localStorage"], saved.left_out) == (items[:1], {("item", "malformed"): 2})
    assert decoded({"origins": [ORIGIN | {"localStorage": 7}]}).origins[0]["localStorage"] == []
    fields = {"origins": [ORIGIN], "gbrowse": {"tabs": [{"url": "https://x.example"}]}}
    saved = decoded(fields, page="is not allowed", tab="that is not allowed")
    assert (saved.origins, saved.tabs) == ([], [])
    expected = ["1 origin that is not allowed, left out", "1 tab that is not allowed, left out"]
    assert state_file.describe_left_out(saved.left_out) == expected


def test_there_are_bounds() -> None:
    tabs = {"cookies": [], "gbrowse": {"tabs": [0] * 1001}}
    for fields in ({"origins": [0] * 501}, {"cookies": [0] * 20_001}, tabs):
        with pytest.raises(UsageError, match="at most"):
            decoded(fields)
