import json
from pathlib import Path

import pytest

from gstack_browse.cookies.stores.profiles import BROWSERS, Machine, detect_machine, find_browser, list_profiles
from tests.each import each

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


@pytest.mark.parametrize(
    ("system", "place", "title"),
    [
        ("linux", ".config/google-chrome/Default/Cookies", "Chrome, profile Default"),
        ("linux", ".config/BraveSoftware/Brave-Browser/Profile 2/Cookies", "Brave, profile Profile 2"),
        ("linux", ".config/opera/Cookies", "Opera, profile Default"),
        ("linux", "snap/chromium/common/chromium/Default/Cookies", "Chromium, profile Default"),
        ("linux", ".var/app/com.google.Chrome/config/google-chrome/Default/Cookies", "Chrome, profile Default"),
        ("darwin", "Google/Chrome/Default/Network/Cookies", "Chrome, profile Default"),
        ("darwin", "Arc/User Data/Default/Network/Cookies", "Arc, profile Default"),
    ],
)
def test_profile_folder_is_found_with_its_title(tmp_path: Path, system: str, place: str, title: str) -> None:
    machine = Machine(tmp_path, tmp_path / CONFIG, system)
    assert list_profiles(machine) == []
    make(tmp_path / ("Library/Application Support" if system == "darwin" else ""), place)
    assert titles(machine) == [title]


def test_every_profile_with_the_name_its_owner_knows(machine: Machine) -> None:
    root = machine.config / "google-chrome"
    make(root / "Default", Preferences={"account_info": [{"email": "ann@example.com"}]})
    make(root / "Profile 10")
    make(root / "Profile 11", Preferences={"account_info": [], "profile": {"name": "Home"}})
    make(root / "Profile 2", Preferences={"account_info": []})
    make(root / "Named by hand")
    make(root / "System Profile")
    known = {"Profile 2": "Work", "Named by hand": "Named by hand", "../../x": "x"}
    names = {folder: {"name": name} for folder, name in known.items()}
    (root / "Local State").write_text(json.dumps({"profile": {"info_cache": names}}))
    expected = "Default (ann@example.com)|Profile 2 (Work)|Profile 10|Profile 11 (Home)|Named by hand"
    profiles = list_profiles(machine)
    assert [profile.label for profile in profiles] == expected.split("|")
    assert all(
        profiles[0].is_called(word) for word in ("default", "Ann@example.com", "Default (ann@example.com)")
    )
    assert not profiles[0].is_called("Profile 1")


@each([b"", b"[]", b"{", b'{"profile":[]}', b'{"profile":{"info_cache":[1]}}', b"\xff", b'{"profile":1}'])
def test_profile_that_makes_no_sense_is_not_shown(state: bytes, machine: Machine) -> None:
    root = machine.config / "mozilla/firefox"
    root.mkdir(parents=True, exist_ok=True)
    (root / "profiles.ini").write_bytes(b"[[[\xff\0=")
    for place, accounts in (("Default", [1]), ("Profile 1", [{"email": "\x1b[2J"}])):
        if not (machine.config / "chromium" / place).exists():
            make(machine.config / "chromium" / place, Preferences={"account_info": accounts})
    (machine.config / "chromium/Local State").write_bytes(state)
    assert titles(machine) == ["Chromium, profile Default", "Chromium, profile Profile 1"]


@pytest.mark.parametrize("place", [".mozilla/firefox", "snap/firefox/common/.mozilla/firefox"])
def test_profiles_of_firefox(machine: Machine, tmp_path: Path, place: str) -> None:
    root, elsewhere = machine.home / place, tmp_path / "other.disk"
    make(root / "abc.work", "cookies.sqlite")
    make(elsewhere, "cookies.sqlite")
    listed = {"work": (1, "abc.work"), "elsewhere": (0, elsewhere), "never used": (1, "gone")}
    sections = [
        f"[Profile{number}]\nName={name}\nIsRelative={is_relative}\nPath={path}\n"
        for number, (name, (is_relative, path)) in enumerate(listed.items())
    ]
    (root / "profiles.ini").write_text("\n".join([*sections, "[General]\nVersion=2\n"]))
    expected = ["Firefox, profile abc.work (work)", "Firefox, profile other.disk (elsewhere)"]
    assert titles(machine, "firefox") == expected


def test_browsers_are_found_by_usual_names_and_in_absolute_homes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [browser.id for word in ("Google-Chrome", "msedge", "Brave", "Microsoft Edge")
            if (browser := find_browser(word))] == ["chrome", "edge", "brave", "edge"]  # fmt: skip
    assert find_browser("../chrome") is None
    assert len({browser.id for browser in BROWSERS}) == len(BROWSERS)
    monkeypatch.setenv("HOME", "/home/ann")
    assert detect_machine("linux", {"XDG_CONFIG_HOME": "here"}).config == Path("/home/ann/.config")
    assert detect_machine("linux", {"XDG_CONFIG_HOME": "/there"}).config == Path("/there")
