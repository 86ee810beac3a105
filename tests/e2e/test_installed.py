"""Test `gbrowse` as pip installs it, also as editable or without a compiler.

And through the link that pipx and `uv tool` make.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gstack_browse import __version__
from tests.processes import run_program

ROOT = Path(__file__).parents[2]
SKILLS = ROOT / "gstack_browse/agent/skills"
INDEX_SECONDS = 240
"""A test that takes five minutes ends the process that runs it."""


@pytest.fixture(scope="module")
def builder() -> Path:
    """Return an environment with what builds the package, made once for all runs.

    Copying it is quicker than for pip to make one for each build.

    It has no pip of its own, which takes seconds to put there: that of the tests installs into it.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needs = [*project["build-system"]["requires"], "editables"]
    made_of = "\n".join([sys.version, *needs])
    venv = ROOT / ".venv/builder"
    mark = venv / "made-of.txt"
    if mark.is_file() and mark.read_text() == made_of:
        return venv
    shutil.rmtree(venv, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    try:
        subprocess.run([*pip_into(venv), *needs], check=True, timeout=INDEX_SECONDS)
    except subprocess.TimeoutExpired:
        pytest.skip(f"the package index has not given {', '.join(needs)} in {INDEX_SECONDS} s")
    mark.write_text(made_of)
    return venv


def pip_into(venv: Path) -> list[str | Path]:
    return [sys.executable, "-m", "pip", "--python", venv / "bin/python", "install", "-q"]


@pytest.fixture(scope="module", params=["wheel", "editable without a compiler"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def installed(kind: str, tmp_path_factory: pytest.TempPathFactory, builder: Path) -> Path:
    """Install the package into a virtual environment with nothing it needs for more than its version.

    Return the path of the command.
    """
    venv = tmp_path_factory.mktemp("installed") / "venv"
    shutil.copytree(builder, venv, symlinks=True)
    how = ["-e", ROOT] if "editable" in kind else [ROOT]
    pip = [*pip_into(venv), "--no-deps", "--no-build-isolation", *how]
    native = "without" not in kind and sys.platform == "linux" and shutil.which("cc") is not None
    subprocess.run(pip, check=True, env=os.environ | ({} if native else {"CC": "false"}))
    assert (venv / "bin/gbrowse-python").exists() == native
    return venv / "bin/gbrowse"


def version(command: str | Path, directory: str | Path = "/") -> tuple[str, str, int]:
    done = run_program([command, "--version"], cwd=directory)
    return done.stdout, done.stderr, done.returncode


def test_installed_command_runs_from_anywhere_and_imports_nothing_from_there(
    installed: Path, tmp_path: Path
) -> None:
    (tmp_path / "gbrowse").symlink_to(installed)
    for name in ("gstack_browse.py", "os.py", "posix.py", "sitecustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('hostile code ran')")
    link = tmp_path / "gbrowse"
    for command, directory in [
        (installed, "/"),
        ("./gbrowse", installed.parent),
        (link, "/"),
        (installed, tmp_path),
    ]:
        assert version(command, directory) == (f"gbrowse {__version__}\n", "", 0)


def test_the_skills_are_installed_with_it_whole(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    env = {**os.environ, "HOME": str(tmp_path / "home")}
    done = run_program([installed, "skills-install", "--host", "claude"], cwd=tmp_path, env=env)
    assert (done.stderr, done.returncode) == ("", 0)
    skills = [skill.parent for skill in SKILLS.glob("*/SKILL.md")]
    committed = {path.relative_to(SKILLS) for skill in skills for path in skill.rglob("*.md")}
    written = tmp_path / ".claude/skills"
    assert {path.relative_to(written) for path in written.rglob("*.md")} == committed


@pytest.mark.parametrize("kind", ["wheel"], indirect=True)  # mypy takes seconds
def test_types_of_the_package_hold_for_scripts(installed: Path, tmp_path: Path) -> None:
    """mypy knows the types of what is installed, and finds a mistake by them."""
    script = tmp_path / "script.py"
    lines = (
        "from gstack_browse.client import connect",
        "with connect() as browse:",
        "    reveal_type(browse('url'))",
    )
    script.write_text("\n".join([*lines, "    browse(1)", ""]))
    words = ["mypy", "--strict", "--python-executable", installed.with_name("python"), script]
    done = run_program([sys.executable, "-m", *words], cwd=tmp_path)
    said = [line.partition(": ")[2] for line in done.stdout.splitlines()]
    assert said[0] == 'note: Revealed type is "str"', done.stdout + done.stderr
    assert said[1].startswith("error: Argument 1 to"), done.stdout
    assert len(said) == 3


def test_an_installation_whose_python_has_gone_says_so(tmp_path: Path) -> None:
    programs = tmp_path / "venv/bin"
    programs.mkdir(parents=True)
    shutil.copy(ROOT / "bin/gbrowse-installed", programs / "gbrowse")
    (programs / "python").symlink_to("python3")  # as venv makes it
    (programs / "python3").symlink_to("/gone/python3.11")
    done = run_program(["/bin/sh", programs / "gbrowse", "url"], env={"HOME": str(tmp_path)})
    assert (done.stdout, done.returncode) == ("", 1)
    assert "Python with which gbrowse was installed has gone: /gone/python3.11\n" in done.stderr
    assert "pipx reinstall gstack-browse" in done.stderr
