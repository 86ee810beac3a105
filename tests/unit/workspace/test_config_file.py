import os
from pathlib import Path

import pytest

from gstack_browse import settings
from gstack_browse.agent.local.checks import browser_settings
from gstack_browse.agent.local.checks.browser_settings import SettingSources, change_setting
from gstack_browse.errors import BrowseError, FileFailed, Refused
from gstack_browse.workspace import config_file
from tests.each import each


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home/.config/gbrowse").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    return {"HOME": str(tmp_path / "home")}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path / "work"


def own(environment: dict[str, str], text: str) -> Path:
    path = Path(config_file.person_file_path(environment))
    path.write_text(text)
    return path


def test_the_environment_comes_first_then_the_person_then_the_workspace(
    environment: dict[str, str], workspace: Path
) -> None:
    before = dict(environment)
    config_file.add_settings(environment, str(workspace))
    config_file.add_settings({}, str(workspace))
    assert environment == before, "without files nothing is added"
    own(environment, "max_tabs = 5\nshot_side = 800\n")
    of_workspace = "max_tabs = 6\nshot_side = 900\nfence = true\nallow = ['a.test', 'b.test']"
    (workspace / "gbrowse.toml").write_text(of_workspace)
    environment["BROWSE_MAX_TABS"] = "4"
    config_file.add_settings(environment, str(workspace))
    found = settings.read(environment)
    assert (found.max_tabs, found.shot_side, found.fence) == (4, 800, True)
    assert environment["BROWSE_ALLOW"] == "a.test,b.test"


def test_every_setting_can_be_in_a_file_and_its_default_is_told() -> None:
    named = {name.removeprefix("BROWSE_").lower() for name in settings._KNOWN}
    assert named - config_file.VARIABLE_ONLY == set(browser_settings.MEANINGS)
    assert named >= config_file.HARMLESS
    told = {config_file.variable_of(name): default for name, (default, _) in browser_settings.MEANINGS.items()}
    assert settings.read(told) == settings.read({})


@each(sorted(set(browser_settings.MEANINGS) - config_file.HARMLESS))
def test_a_workspace_may_not_set_what_does_harm(
    name: str, environment: dict[str, str], workspace: Path
) -> None:
    (workspace / "gbrowse.toml").write_text(f"{name} = '1'")
    config_file.add_settings(environment, str(workspace))
    assert list(environment) == ["HOME"]
    problem = f"{workspace}/gbrowse.toml: {name} may not be set here"
    assert SettingSources(environment, str(workspace)).problems == [problem]


@each(["max_tabs = ", "[", "max_tabs = 1.5", "allow = [1]", "x = {a = 1}", "a = " + "[" * 5000, "#" * 200_000])
def test_a_file_that_is_broken(text: str, environment: dict[str, str], workspace: Path) -> None:
    (workspace / "gbrowse.toml").write_text(text)
    config_file.add_settings(environment, str(workspace))  # somebody else's: left out
    mine = own(environment, text)
    with pytest.raises(FileFailed, match=r"config\.toml"):
        config_file.add_settings(environment, str(workspace))
    mine.unlink()


def test_files_that_are_not_plainly_ours(environment: dict[str, str], workspace: Path) -> None:
    own(environment, "max_tabs = 1").chmod(0o666)
    with pytest.raises(Refused, match="can be written by others"):
        config_file.add_settings(environment, str(workspace))
    Path(config_file.person_file_path(environment)).unlink()
    (workspace / "real").write_text("max_tabs = 2")
    (workspace / "gbrowse.toml").symlink_to("real")
    with pytest.raises(BrowseError):
        config_file.read_workspace_file(str(workspace))
    (workspace / "gbrowse.toml").unlink()
    os.mkfifo(workspace / "gbrowse.toml")
    with pytest.raises(Refused, match="is no file"):
        config_file.read_workspace_file(str(workspace))


def test_a_change_keeps_the_rest_of_the_file_and_a_link_to_it(
    environment: dict[str, str], tmp_path: Path
) -> None:
    path = own(environment, "# mine\nshot_side = 1\n").rename(tmp_path / "dotfile")
    Path(config_file.person_file_path(environment)).symlink_to(path)
    change_setting(environment, "max_tabs", "20")
    change_setting(environment, "allow", "a.test,*.b")
    assert path.read_text() == '# mine\nshot_side = 1\nmax_tabs = 20\nallow = "a.test,*.b"\n'
    for name, word in (("max_tabs", "many"), ("allow", "http://x/y"), ("chromium", "a\nb")):
        with pytest.raises(BrowseError):
            change_setting(environment, name, word)
    change_setting(environment, "max_tabs", "unset")
    assert "max_tabs = 20" not in path.read_text()
    assert "allow" in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
