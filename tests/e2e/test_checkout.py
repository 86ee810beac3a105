"""Test `bin/gbrowse` in a fresh checkout: it sets itself up once, however many ask."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gstack_browse import __version__
from tests.faults import fault
from tests.processes import run_program

ROOT = Path(__file__).parents[2]
ONLY_THE_VERSION = (f"gbrowse {__version__}\n", "")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy whose project needs no packages, so that setting it up is quick and needs no network."""
    path = tmp_path_factory.mktemp("fresh") / "a checkout"
    for name in ("bin", "gstack_browse"):
        shutil.copytree(ROOT / name, path / name, ignore=shutil.ignore_patterns("__pycache__"))
    project = '[project]\nname = "x"\ndependencies = []\noptional-dependencies = {dev = []}\n'
    (path / "pyproject.toml").write_text(project)
    return path


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of Pythons there are on PATH this one, and what a version manager leaves of a newer one."""
    folder = tmp_path / "programs"
    folder.mkdir()
    gone = folder / "python3.14"
    gone.write_text("#!/bin/sh\necho python3.14: not installed >&2\nexit 127\n")
    gone.chmod(0o755)
    (folder / f"python3.{sys.version_info.minor}").symlink_to(Path(sys.executable).resolve())
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


@pytest.fixture
def checkout(fresh: Path) -> Path:
    """The copy, set up: by the first test of this file, which takes seconds, or now."""
    version(fresh)
    assert version(fresh) == ONLY_THE_VERSION
    return fresh


def start(checkout: Path) -> subprocess.Popen[str]:
    command = [checkout / "bin/gbrowse", "--version"]
    return subprocess.Popen(command, cwd=checkout, stdout=-1, stderr=-1, text=True, start_new_session=True)


def version(checkout: Path) -> tuple[str, str]:
    with start(checkout) as running:
        return running.communicate()


def change(file: Path, checkout: Path) -> None:
    """Make the file newer than what was set up."""
    os.utime(file, ns=(0, (checkout / ".venv/ready").stat().st_mtime_ns + 10**10))


def replace_python(checkout: Path) -> None:
    """Have the Python that .venv leads to gone, as after an upgrade of the system."""
    python = checkout / ".venv/bin/python"
    python.unlink(missing_ok=True)
    python.symlink_to("/usr/bin/python3.0")


@fault("Environments", "the Python of a checkout has gone", "the checkout is set up again, which says why")
def test_many_at_once_set_it_up_once_also_after_interruption_and_when_its_python_is_gone(
    fresh: Path,
) -> None:
    """Interrupt the first set-up, and remove the Python of its .venv. A set-up takes 5 s of the processor."""
    shutil.rmtree(fresh / ".venv", ignore_errors=True)
    with start(fresh) as interrupted:
        assert interrupted.stderr is not None
        assert interrupted.stderr.readline().startswith("Setting up .venv for this checkout: once")
        os.killpg(interrupted.pid, signal.SIGKILL)
    (fresh / ".venv/bin").mkdir(parents=True, exist_ok=True)
    replace_python(fresh)
    running = [start(fresh) for _ in range(8)]
    said = [process.communicate() for process in running]
    assert {process.returncode for process in running} == {0}
    assert {out for out, _ in said} == {f"gbrowse {__version__}\n"}
    (first,) = [errors.splitlines()[0] for _, errors in said if "Setting up .venv" in errors]
    assert first.startswith("Setting up .venv for this checkout again, since its Python has gone: once")
    assert version(fresh) == ONLY_THE_VERSION, "once set up, it says nothing"


def test_checkout_is_set_up_again_when_the_project_file_changed(checkout: Path) -> None:
    project = checkout / "pyproject.toml"
    change(project, checkout)
    assert version(checkout) == ONLY_THE_VERSION, "touched, but the same"
    assert (checkout / ".venv/ready").stat().st_mtime_ns > project.stat().st_mtime_ns
    project.write_text(project.read_text() + "# more\n")
    change(project, checkout)
    out, errors = version(checkout)
    assert (out, errors.splitlines()[0][:16]) == (f"gbrowse {__version__}\n", "Setting up .venv")


def test_venv_that_is_a_link_to_that_of_another_checkout_is_refused(checkout: Path, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns(".venv")
    other = shutil.copytree(checkout, tmp_path / "other", symlinks=True, ignore=ignored)
    (other / ".venv").symlink_to(checkout / ".venv")
    change(other / "pyproject.toml", checkout)
    before = (checkout / ".venv/ready").stat()
    with start(other) as running:
        _, errors = running.communicate()
    assert running.returncode == 1
    assert errors.startswith(
        "Error: this checkout could not be set up: its .venv is a link to another place"
    ), errors
    assert (checkout / ".venv/ready").stat() == before


def test_checkout_may_be_called_through_a_link_and_from_anywhere(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "gb").symlink_to(checkout / "bin/gbrowse")
    places = {tmp_path / "gb": "/", "./bin/gbrowse": checkout, "./gbrowse": checkout / "bin"}
    for command, directory in places.items():
        done = run_program([command, "--version"], cwd=directory)
        assert (done.stdout, done.stderr) == ONLY_THE_VERSION


def test_its_python_imports_the_package_from_anywhere(checkout: Path, tmp_path: Path) -> None:
    """Import it also from a moved checkout, and beside a package with the name of one of ours."""
    moved = shutil.copytree(checkout, tmp_path / "moved here", symlinks=True)
    (tmp_path / "tests").mkdir()
    script = "from gstack_browse.client import connect; import gstack_browse; print(gstack_browse.__file__)"
    for directory in (tmp_path, Path("/")):
        done = run_program([moved / ".venv/bin/python", "-c", script], cwd=directory)
        assert (done.stdout.strip(), done.stderr) == (str(moved / "gstack_browse/__init__.py"), "")


def test_the_native_client_is_compiled_and_follows_its_source_and_may_be_missing(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    native, source = checkout / ".venv/bin/gbrowse", checkout / "gstack_browse/client/native_reply.c"
    change(source, checkout)
    version(checkout)
    first = native.stat().st_mtime_ns
    change(source, checkout)
    assert version(checkout) == ONLY_THE_VERSION
    assert native.stat().st_mtime_ns > first
    monkeypatch.setenv("CC", "false")
    change(source, checkout)
    version(checkout)
    assert version(checkout) == ONLY_THE_VERSION
    assert not native.exists()


@pytest.mark.slow  # sets it up again
def test_native_client_has_its_checkout_set_up_again_when_its_python_is_gone(checkout: Path) -> None:
    if not (checkout / ".venv/bin/gbrowse").exists():
        pytest.skip("there is no C compiler, so no native client")
    replace_python(checkout)
    done = run_program([checkout / ".venv/bin/gbrowse", "--version"])
    assert (done.stdout, done.returncode) == (f"gbrowse {__version__}\n", 0), done.stderr
    assert done.stderr.startswith("Setting up .venv for this checkout again, since its Python has gone: once")


def test_an_image_gets_only_what_runs() -> None:
    """Read `.dockerignore` by Docker's rules.

    A pattern holds for all below it, and the last one that matches decides.
    """
    patterns = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]

    def is_copied(path: str) -> bool:
        parts = path.split("/")
        above = ["/".join(parts[: length + 1]) for length in range(len(parts))]
        names = {"*", *above, *(f"**/{one.rpartition('/')[2]}" for one in above)}
        return [pattern[0] == "!" for pattern in patterns if pattern.removeprefix("!") in names][-1]

    run = ["bin/gbrowse", "gstack_browse/client/native.c", "pyproject.toml", "README.md", "LICENSE"]
    private = [".venv/bin/python", ".gstack/state.json", ".git/config", ".env", "notes/.gstack/state.json"]
    left = ["gstack_browse/.gstack/state.json", "bin/__pycache__/setup.pyc"]
    assert [path for path in (*run, *private, *left) if is_copied(path)] == run
