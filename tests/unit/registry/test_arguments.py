import os
from pathlib import Path

import pytest

from gstack_browse.errors import FileFailed, Refused, UsageError
from gstack_browse.registry.values import paths, targets
from gstack_browse.registry.values.paths import CallerPaths
from tests.each import each, each_row


@pytest.fixture
def place(tmp_path: Path) -> CallerPaths:
    (tmp_path / "work" / "deep").mkdir(parents=True)
    return CallerPaths(tmp_path / "work" / "deep", tmp_path / "work")


@each_row(
("example.com", "https://example.com"), ("example.com:8080/a", "https://example.com:8080/a"),
        ("localhost", "http://localhost"), ("localhost:3000/x", "http://localhost:3000/x"), ("127.0.0.1:80", "http://127.0.0.1:80"),
        ("[::1]:5000/", "http://[::1]:5000/"), ("app.localhost:3000", "http://app.localhost:3000"), ("0.0.0.0:8000", "http://0.0.0.0:8000"),
        ("LOCALHOST:1", "http://LOCALHOST:1"), (" http://a.b/ ", "http://a.b/"), ("HTTP://a.b/C", "http://a.b/C"), ("about:blank", "about:blank"),
        ("localhost.evil.com", "https://localhost.evil.com"), ("127.0.0.1.evil.com", "https://127.0.0.1.evil.com"),
)  # fmt: skip
def test_urls_as_an_address_bar_takes_them(typed: str, url: str, place: CallerPaths) -> None:
    assert paths.parse_openable_url(typed, place) == url


@each_row(
("./a.html", "deep/a.html"), ("../b c.html#part", "b%20c.html#part"), ("../odd#?.html", "odd%23%3F.html"), (".", "deep"), ("..", ""),
        ("./a%20b.html?q=1#x", "deep/a%2520b.html?q=1#x"), ("file://./a.html", "deep/a.html"), ("file://../b%20c.html", "b%20c.html"),
        ("file:a.html", "deep/a.html"), ("FILE:./deeper/../a.html?x#y", "deep/a.html?x#y"),
)  # fmt: skip
def test_relative_files_count_from_the_callers_directory(typed: str, path: str, place: CallerPaths) -> None:
    (place.workspace / "odd#?.html").touch()
    assert paths.parse_openable_url(typed, place) == f"{place.workspace.as_uri()}/{path}".removesuffix("/")
    assert paths.parse_openable_url(f"{place.cwd}/a.html", place) == f"{place.cwd.as_uri()}/a.html"


def test_a_word_that_is_a_file_and_could_be_a_host_is_not_guessed(place: CallerPaths) -> None:
    (place.cwd / "page.html").touch()
    with pytest.raises(UsageError, match="could be a host") as failed:
        paths.parse_openable_url("page.html", place)
    assert failed.value.hint == "Type ./page.html for the file, https://page.html for the host"
    (place.cwd / "localhost").touch()
    assert paths.parse_openable_url("localhost", place) == "http://localhost"
    with pytest.raises(UsageError, match='"https:///x" has no host'):
        paths.parse_openable_url("https:///x", place)


def test_paths_to_write_stay_inside_and_files_to_read_are_regular(place: CallerPaths, tmp_path: Path) -> None:
    assert paths.parse_output_file("../a.png", place) == place.workspace / "a.png"
    for word in ("/etc/a.png", "/root/../etc/a.png", "~root/../../etc/a.png"):
        with pytest.raises(Refused):
            paths.parse_output_file(word, place)
    for word in ("none/a.png", "../deep"):
        with pytest.raises(FileFailed):
            paths.parse_output_file(word, place)
    (place.cwd / "link.png").symlink_to("/etc/passwd")
    (place.cwd / "dangling.png").symlink_to(place.cwd / "nowhere")
    (place.cwd / "out").symlink_to("/etc")
    for word in ("link.png", "dangling.png", "out/a.png"):
        with pytest.raises(Refused):
            paths.parse_output_file(word, place)
    (place.cwd / "a.txt").write_text("x")
    os.mkfifo(place.cwd / "pipe")
    assert paths.parse_input_file("a.txt", place) == place.cwd / "a.txt"
    for word in ("pipe", "none", ".", "/dev/zero"):
        with pytest.raises(FileFailed):
            paths.parse_input_file(word, place)


def test_files_for_pages_are_of_the_workspace_or_temporary(
    place: CallerPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "_temporary_directory", lambda: str(tmp_path / "tmp"))
    profile = tmp_path / "tmp" / "gbrowse-run-12345678" / "profile"
    profile.mkdir(parents=True)
    temporary = tmp_path / "tmp" / "a.txt"
    for file in (tmp_path / "secret", temporary, place.workspace / ".env", profile / "Cookies"):
        file.write_text("x")
    (place.cwd / "link").symlink_to(tmp_path / "secret")
    (place.cwd / "up").symlink_to(tmp_path)
    assert paths.parse_file_for_page("../.env", place) == place.workspace / ".env"
    assert paths.parse_file_for_page(str(temporary), place) == temporary
    for word in ("../../secret", "link", "up/secret", str(tmp_path / "secret")):
        with pytest.raises(Refused, match="outside") as error:
            paths.parse_file_for_page(word, place)
        assert "--any-file" in error.value.hint
        assert paths.parse_file_for_page(word, place._replace(any_file=True)) == tmp_path / "secret"
    with pytest.raises(Refused, match="running browser"):
        paths.parse_file_for_page(str(profile / "Cookies"), place._replace(any_file=True))


@each(["../../secret", "file://../../secret", "/etc/passwd", "./.env", "../.gstack/browse.json", "../link", "file:../%2e%2e/x",
       "../.gstack/designs/../browse-console.log", "JavaScript:alert(1)", "file://[/x", "data:text/html,x", "about:about"])  # fmt: skip
def test_files_outside_or_of_the_daemon_and_other_schemes_are_refused(typed: str, place: CallerPaths) -> None:
    link = place.workspace / "link"
    link.unlink(missing_ok=True)
    link.symlink_to("/etc/passwd")
    with pytest.raises(Refused):
        paths.parse_openable_url(typed, place)
    assert paths.parse_openable_url("../.gstack/designs/a.html", place).endswith("/.gstack/designs/a.html")


@each_row(
("@e3", "target"), ("#id", "target"), (".a", "target"), ("css=h1", "target"), ("text=Save.png", "target"), ("a > b", "target"),
        ("div.card", "target"), ("[x]", "target"), ("//h1", "target"), ("a.png", "path"), ("./h1.png", "path"), ("../a.webp", "path"),
        ("dir.x/a.JPG", "path"), (".hidden/a.png", "path"), (".hid-den.x/a.png", "path"), (".a .b", "target"), (".a [src='/x.png']", "target"),
        ("h1", ""), ("page", ""), ("png", ""), ("a.gif", ""), ("x/y", ""), ("report.pdf", ""), ("x.svg", ""), ("notes.txt", ""),
)  # fmt: skip
def test_a_word_of_screenshot(word: str, kind: str, place: CallerPaths) -> None:
    for name in ("dir.x", ".hidden", ".hid-den.x"):
        (place.cwd / name).mkdir(exist_ok=True)
    if not kind:
        with pytest.raises(UsageError):
            targets.parse_screenshot_word(word, place)
    else:
        assert isinstance(targets.parse_screenshot_word(word, place), str if kind == "target" else Path)
