"""`bin/gbrowse` in a fresh checkout: it sets itself up once, whoever asks first and however often."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy whose project needs no packages, so that setting it up is quick and needs no network."""
    path = tmp_path / "a checkout"
    for name in ("bin", "gstack_browse"):
        shutil.copytree(ROOT / name, path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (path / "pyproject.toml").write_text(
        '[project]\nname = "x"\ndependencies = []\noptional-dependencies = {dev = []}\n'
    )
    return path


def start(checkout: Path) -> subprocess.Popen[str]:
    command = [checkout / "bin/gbrowse", "--version"]
    return subprocess.Popen(command, cwd=checkout, stdout=-1, stderr=-1, text=True, start_new_session=True)


def version(checkout: Path) -> tuple[str, str]:
    with start(checkout) as running:
        return running.communicate()


def test_twenty_at_once_set_it_up_once(checkout: Path) -> None:
    running = [start(checkout) for _ in range(20)]
    said = [process.communicate() for process in running]
    assert {process.returncode for process in running} == {0}
    assert {out for out, _ in said} == {"gbrowse 0.1.0\n"}
    assert sum("Setting up .venv" in errors for _, errors in said) == 1
    assert version(checkout) == ("gbrowse 0.1.0\n", ""), "once set up, it says nothing"


def test_an_interrupted_set_up_is_begun_again(checkout: Path) -> None:
    with start(checkout) as running:
        assert running.stderr is not None
        assert running.stderr.readline().startswith("Setting up .venv")
        os.killpg(running.pid, signal.SIGKILL)
    out, errors = version(checkout)
    assert (out, errors.splitlines()[0][:16]) == ("gbrowse 0.1.0\n", "Setting up .venv")


def test_it_is_set_up_again_when_the_project_file_has_changed(checkout: Path) -> None:
    version(checkout)
    project = checkout / "pyproject.toml"
    os.utime(project, ns=(0, project.stat().st_mtime_ns + 10**10))
    assert version(checkout) == ("gbrowse 0.1.0\n", ""), "touched, but the same"
    assert (checkout / ".venv/ready").stat().st_mtime_ns > project.stat().st_mtime_ns
    project.write_text(project.read_text() + "# more\n")
    os.utime(project, ns=(0, project.stat().st_mtime_ns + 2 * 10**10))
    out, errors = version(checkout)
    assert (out, errors.splitlines()[0][:16]) == ("gbrowse 0.1.0\n", "Setting up .venv")


def test_it_may_be_called_through_a_link_and_from_anywhere(checkout: Path, tmp_path: Path) -> None:
    version(checkout)
    (tmp_path / "gb").symlink_to(checkout / "bin/gbrowse")
    for command, directory in (
        (tmp_path / "gb", "/"),
        ("./bin/gbrowse", checkout),
        ("./gbrowse", checkout / "bin"),
    ):
        done = subprocess.run([command, "--version"], cwd=directory, capture_output=True, text=True, check=True)
        assert (done.stdout, done.stderr) == ("gbrowse 0.1.0\n", "")


def test_the_native_client_is_compiled_and_follows_its_source(checkout: Path) -> None:
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    version(checkout)
    native = checkout / ".venv/bin/gbrowse"
    first = native.stat().st_mtime_ns
    os.utime(checkout / "gstack_browse/client/native.c", ns=(0, first + 10**10))
    assert version(checkout) == ("gbrowse 0.1.0\n", "")
    assert native.stat().st_mtime_ns > first


def test_without_a_compiler_it_does_the_same(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "false")
    version(checkout)
    assert version(checkout) == ("gbrowse 0.1.0\n", "")
    assert not (checkout / ".venv/bin/gbrowse").exists()
