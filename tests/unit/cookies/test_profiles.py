"""Which profiles exist, and what their owners call them."""

import json
from pathlib import Path

import pytest

from gstack_browse.cookies.stores.places import BROWSERS, Machine, detect_machine, find_browser
from gstack_browse.cookies.stores.profiles import list_profiles

CONFIG = ".config"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, tmp_path / CONFIG, "linux")


def make(directory: Path, cookies: str = "Cookies", **files: object) -> None:
    (directory / cookies).parent.mkdir(parents=True)
    (directory / cookies).touch()
    for name, content in files.items():
        (directory / name).write_text(json.dumps(content))


def titles(machine: Machine, browser: str = "") -> list[str]:
    return [profile.title for profile in list_profiles(machine, find_browser(browser))]


def test_machine_without_browsers_lists_no_profiles(machine: Machine) -> None:
    assert list_profiles(machine) == []


@pytest.mark.parametrize(
    ("place", "title"),
    [
        (".config/google-chrome/Default", "Chrome, profile Default"),
        (".config/google-chrome-beta/Default", "Chrome Beta, profile Default"),
        (".config/BraveSoftware/Brave-Browser/Profile 2", "Brave, profile Profile 2"),
        (".config/microsoft-edge/Default", "Microsoft Edge, profile Default"),
        (".config/vivaldi/Default", "Vivaldi, profile Default"),
        (".config/opera", "Opera, profile Default"),
        ("snap/chromium/common/chromium/Default", "Chromium, profile Default"),
        (".var/app/com.google.Chrome/config/google-chrome/Default", "Chrome, profile Default"),
    ],
)
def test_profile_folder_on_linux_is_found_with_its_title(machine: Machine, place: str, title: str) -> None:
    make(machine.home / place)
    assert titles(machine) == [title]


@pytest.mark.parametrize(
    ("place", "title"),
    [
        ("Google/Chrome/Default", "Chrome, profile Default"),
        ("Arc/User Data/Default", "Arc, profile Default"),
        ("Comet/Profile 1", "Comet, profile Profile 1"),
        ("Microsoft Edge/Default", "Microsoft Edge, profile Default"),
    ],
)
def test_profile_folder_on_a_mac_is_found_with_its_title(tmp_path: Path, place: str, title: str) -> None:
    make(tmp_path / "Library/Application Support" / place, "Network/Cookies")
    assert titles(Machine(tmp_path, tmp_path / CONFIG, "darwin")) == [title]


def test_every_profile_with_the_name_its_owner_knows(machine: Machine) -> None:
    root = machine.config / "google-chrome"
    make(root / "Default", Preferences={"account_info": [{"email": "ann@example.com"}]})
    make(root / "Profile 10")
    make(root / "Profile 2", Preferences={"account_info": []})
    make(root / "Named by hand")
    make(root / "System Profile")
    names = {
        "Profile 2": {"name": "Work"},
        "Named by hand": {"name": "Named by hand"},
        "../../x": {"name": "x"},
    }
    (root / "Local State").write_text(json.dumps({"profile": {"info_cache": names}}))
    assert [profile.label for profile in list_profiles(machine)] == [
        "Default (ann@example.com)",
        "Profile 2 (Work)",
        "Profile 10",
        "Named by hand",
    ]


def test_a_profile_is_called_by_any_of_its_names(machine: Machine) -> None:
    make(machine.config / "chromium/Default", Preferences={"account_info": [{"email": "ann@example.com"}]})
    (profile,) = list_profiles(machine)
    assert all(profile.is_called(word) for word in ("default", "Ann@example.com", "Default (ann@example.com)"))
    assert not profile.is_called("Profile 1")


@pytest.mark.parametrize(
    "state", [b"", b"[]", b"{", b'{"profile":[]}', b'{"profile":{"info_cache":[1]}}', b"\xff", b'{"profile":1}']
)
def test_a_local_state_that_makes_no_sense(machine: Machine, state: bytes) -> None:
    make(machine.config / "chromium/Default", Preferences={"account_info": [1]})
    (machine.config / "chromium/Local State").write_bytes(state)
    assert titles(machine) == ["Chromium, profile Default"]


def test_control_characters_in_names_are_not_shown(machine: Machine) -> None:
    make(machine.config / "chromium/Default", Preferences={"account_info": [{"email": "\x1b[2J"}]})
    assert titles(machine) == ["Chromium, profile Default"]


FIREFOX = """\
[Profile1]
Name=work
IsRelative=1
Path=abc.work

[Profile0]
Name=elsewhere
IsRelative=0
Path={elsewhere}

[Profile2]
Name=never used
IsRelative=1
Path=gone

[General]
Version=2
"""


@pytest.mark.parametrize(
    "place", [".config/mozilla/firefox", ".mozilla/firefox", "snap/firefox/common/.mozilla/firefox"]
)
def test_profiles_of_firefox(machine: Machine, tmp_path: Path, place: str) -> None:
    root, elsewhere = machine.home / place, tmp_path / "other.disk"
    make(root / "abc.work", "cookies.sqlite")
    make(elsewhere, "cookies.sqlite")
    (root / "profiles.ini").write_text(FIREFOX.format(elsewhere=elsewhere))
    assert titles(machine, "firefox") == [
        "Firefox, profile abc.work (work)",
        "Firefox, profile other.disk (elsewhere)",
    ]


def test_a_profiles_ini_that_makes_no_sense(machine: Machine) -> None:
    root = machine.config / "mozilla/firefox"
    root.mkdir(parents=True)
    (root / "profiles.ini").write_bytes(b"[[[\xff\0=")
    assert titles(machine) == []


def test_browsers_by_the_names_people_use() -> None:
    assert [browser.id for word in ("Google-Chrome", "msedge", "Brave", "Microsoft Edge")
            if (browser := find_browser(word))] == ["chrome", "edge", "brave", "edge"]  # fmt: skip
    assert find_browser("../chrome") is None
    assert len({browser.id for browser in BROWSERS}) == len(BROWSERS)


def test_a_relative_config_home_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert detect_machine("linux", {"XDG_CONFIG_HOME": "here"}).config == Path("/home/ann/.config")
    assert detect_machine("linux", {"XDG_CONFIG_HOME": "/there"}).config == Path("/there")
