"""Test where a running browser is found.

In profiles that say so, in addresses; and what messages call it.
"""

from pathlib import Path

import pytest

from gstack_browse.browser.launch import endpoint, grid
from gstack_browse.browser.launch.endpoint import Endpoint, resolve_endpoint
from gstack_browse.errors import SetupFailed, UsageError
from gstack_browse.registry.values.measures import parse_browser_address
from gstack_browse.registry.values.paths import CallerPaths
from tests.each import each, each_row

HERE = CallerPaths(Path(), Path())


@each(["9222", "auto", "ws://h:1/devtools/browser/x", "https://grid.example/"])
def test_valid_browser_address_is_taken_as_typed(said: str) -> None:
    assert parse_browser_address(said, HERE) == said


@each([
    "playwright+ws://token@h:1/", "0", "70000", "chrome", "ftp://token@h/", "ws://", "ws://token@h:x/", "ws://h:0/", "file:///etc",
])  # fmt: skip
def test_invalid_browser_address_is_refused_without_its_token(said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_browser_address(said, HERE)
    assert "token" not in refused.value.message


@each_row(
    ("9222", "127.0.0.1:9222"),
    ("wss://user:token@browsers.example.com/?token=token", "browsers.example.com"),
    ("ws://127.0.0.1:9222/devtools/browser/token", "127.0.0.1:9222"),
)
def test_a_name_tells_no_secret(address: str, name: str) -> None:
    assert Endpoint(address).name == name
    assert "token" not in repr(Endpoint("auto", headers={"Authorization": "token"}))


PATH = "/devtools/browser/1"


@each(["", "9222", f"x\n{PATH}", f"99999\n{PATH}", "9222\nhttp://evil/", "9222\n/devtools/browser/ 1"])
def test_a_senseless_profile_is_none(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = tmp_path / ".config/chromium"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / endpoint.PORT_FILE).write_text(content)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SetupFailed) as missing:
        resolve_endpoint(Endpoint("auto"))
    assert "--remote-debugging-port" in missing.value.hint


def test_addresses_have_the_host_they_were_reached_by_and_no_password() -> None:
    told = "ws://127.0.0.1:9222/devtools/browser/1"
    assert grid.replace_host(told, "https://b.example:444") == "wss://b.example:444/devtools/browser/1"
    expected = ("https://grid.example/wd", {"Authorization": "Basic YW5uOnBAc3M="})
    assert grid.split_credentials("https://ann:p%40ss@grid.example/wd") == expected
    assert grid.split_credentials("https://grid.example/") == ("https://grid.example/", {})
