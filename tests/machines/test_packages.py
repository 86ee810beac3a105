"""Test what `bin/wheels` makes, installed on new Debians by pip, pipx and uv, as root and as a user."""

import os
import platform
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from gstack_browse import __version__
from tests.machines.debian import ROOT, USER, Machine

pytestmark = pytest.mark.slow

MANUAL = ".local/share/man/man1/gbrowse.1"
RELEASES = {"bookworm": "", "trixie": MANUAL}
"""Release → where its pipx puts the manual page; that of Debian 12 is too old for it."""
PROGRAMS = ("python3-venv", "pipx", "chromium-headless-shell")
OPENS = "goto about:blank"
WAYS = {
    "pip": f"python3 -m venv v && v/bin/pip install -q gstack-browse && v/bin/gbrowse {OPENS}",
    "pipx": f"pipx install gstack-browse && .local/bin/gbrowse {OPENS}",
    "uvx": f"v/bin/pip install -q uv && v/bin/uvx --find-links /dist --from gstack-browse gbrowse {OPENS}",
    "pipx run": f"pipx run --spec gstack-browse gbrowse {OPENS}",
    "source distribution": f"python3 -m venv s && s/bin/pip install -q /dist/*.tar.gz && s/bin/gbrowse {OPENS}",
}
"""Each in the user's home directory. pip, also that of pipx, gets the folder by a variable."""


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of what a release publishes."""
    place = tmp_path_factory.mktemp("dist")
    done = subprocess.run([ROOT / "bin/wheels", place], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return place


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def machine(release: str, dist: Path, make_machine: Callable[..., Machine]) -> Machine:
    made = make_machine(release, PROGRAMS)
    shutil.copytree(dist, made.changes / "dist")
    (made.changes / "dist").chmod(0o755)
    return made


def test_each_way_of_installing_ends_in_a_page(machine: Machine, release: str) -> None:
    settings = "export PIP_FIND_LINKS=/dist PATH=$PATH:$HOME/.local/bin; "
    for user in ("root", USER):
        for way, command in WAYS.items():
            said = machine.must(settings + command, user=user)
            assert said.endswith("Navigated to about:blank\n"), way
        assert machine.run(f"ls {MANUAL}", user=user).stdout.strip() == RELEASES[release]
        assert machine.must(f"{settings} v/bin/gbrowse --version", user=user) == f"gbrowse {__version__}\n"
    assert "ok       sandbox: on" in machine.must(f"{settings} v/bin/gbrowse doctor", user=USER)


def test_published_files_are_these(dist: Path) -> None:
    linux = [f"manylinux_2_17_{cpu}.musllinux_1_2_{cpu}.whl" for cpu in ("aarch64", "x86_64")]
    stem = f"gstack_browse-{__version__}"
    assert sorted(path.name for path in dist.iterdir()) == [
        f"{stem}-py3-none-any.whl", *(f"{stem}-py3-none-{name}" for name in linux), f"{stem}.tar.gz",
    ]  # fmt: skip


@pytest.mark.parametrize("processor", ["x86_64", "aarch64"])
def test_native_client_of_a_wheel_runs(processor: str, dist: Path, tmp_path: Path) -> None:
    """Say that no Python client lies beside it, also on a processor that qemu plays."""
    runner = [] if processor == platform.machine() else [f"qemu-{processor}-static"]
    if runner and not shutil.which(runner[0]):
        pytest.skip(f"not installed: {runner[0]} (qemu-user-static)")
    [wheel] = dist.glob(f"*_{processor}.whl")
    with zipfile.ZipFile(wheel) as content:
        content.extractall(tmp_path)
    [program] = tmp_path.glob("*.data/scripts/gbrowse")
    program.chmod(0o755)
    done = subprocess.run([*runner, program, "--version"], capture_output=True, text=True)
    assert "The Python client beside gbrowse cannot be run" in done.stderr


def test_steps_of_the_action_run_a_script_and_report_the_version(dist: Path, tmp_path: Path) -> None:
    """Run those that are shell scripts, in the environment that GitHub's documentation describes."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    for name in ("output", "path"):
        (tmp_path / name).touch()
    environment = os.environ | {
        "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_PATH": str(tmp_path / "path"),
        "WANTED": __version__, "PIP_FIND_LINKS": f"{dist} {os.environ.get('PIP_FIND_LINKS', '')}", "ACTION": str(ROOT),
        "SCRIPT": "gbrowse goto about:blank\nfalse\ntouch too-far",
    }  # fmt: skip
    codes = []
    for step in action["runs"]["steps"]:
        if script := step.get("run"):
            environment["PATH"] = f"{(tmp_path / 'path').read_text().strip()}:{os.environ['PATH']}"
            words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
            codes.append(subprocess.run(words, cwd=tmp_path, env=environment).returncode)
    assert codes == [0, 0, 1]
    assert f"version={__version__}\n" in (tmp_path / "output").read_text()
    assert not (tmp_path / "too-far").exists()
