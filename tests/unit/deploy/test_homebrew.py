"""Test the Homebrew formula made of a source distribution and of what the index says."""

import hashlib
import io
import re
import runpy
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[3] / "deploy/homebrew/make_formula.py"
PKG_INFO = b"""Metadata-Version: 2.4
Name: gstack-browse
Version: 1.2.3
Summary: A browser for "agents"
License-Expression: MIT AND MPL-2.0

Summary: of the text
"""
WHEELS = "macosx_10_13_x86_64 macosx_11_0_arm64 manylinux1_x86_64 manylinux_2_17_aarch64.manylinux2014_aarch64"
ADDRESSES = "https://files.test/gstack_browse-1.2.3.tar.gz", "https://home.test"


@pytest.fixture
def make() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


@pytest.fixture
def sdist(tmp_path: Path) -> Path:
    path = tmp_path / "gstack_browse-1.2.3.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, content in (("docs/PKG-INFO", b"no"), ("PKG-INFO", PKG_INFO)):
            member = tarfile.TarInfo(f"gstack_browse-1.2.3/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def file(name: str) -> dict[str, Any]:
    return {"filename": name, "url": f"https://index.test/{name}", "hashes": {"sha256": f"sum of {name}"}}


RELEASES = {
    "orjson": [file("orjson-3.1-cp313-cp313-macosx_11_0_arm64.whl"), file("orjson-3.1.tar.gz")],
    "jeepney": [file("jeepney-0.9.tar.gz")],
    "playwright": [file(f"playwright-1.9-py3-none-{name}.whl") for name in WHEELS.split()],
}


def test_formula_names_sources_and_wheels_with_their_checksums(make: dict[str, Any], sdist: Path) -> None:
    formula = make["make_formula"](sdist, *ADDRESSES, RELEASES)
    assert "@" not in formula.replace("python@3.13", "")
    with pytest.raises(SystemExit, match="has no source"):
        make["make_formula"](sdist, *ADDRESSES, {**RELEASES, "orjson": RELEASES["orjson"][:-1]})
    assert re.search(r'^  desc "Browser for \\"agents\\""$', formula, re.M)
    assert f'sha256 "{hashlib.sha256(sdist.read_bytes()).hexdigest()}"' in formula
    assert 'license all_of: ["MIT", "MPL-2.0"]' in formula
    lines = '    url "https://index.test/orjson-3.1.tar.gz"\n    sha256 "sum of orjson-3.1.tar.gz"\n'
    assert f'  resource "orjson" do\n{lines}  end\n' in formula
    assert '  on_linux do\n    resource "jeepney" do\n' in formula
    assert 'wheels = ["playwright"]' in formula
    inside = formula.partition('resource "playwright" do')[2]
    order = re.findall(r"on_\w+|(?<=none-)\w+(?=[.\w]*\.whl\", using: :nounzip)", inside)
    arm, intel = ("on_arm", "macosx_11_0_arm64"), ("on_intel", "macosx_10_13_x86_64")
    assert order[:5] == ["on_macos", *arm, *intel]
    assert [order[5], order[6], order[8], order[9]] == ["on_linux", "on_arm", "on_intel", "manylinux1_x86_64"]


@pytest.mark.programs
@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("ruby"), reason="there is no ruby")
def test_formula_is_ruby(make: dict[str, Any], sdist: Path) -> None:
    formula = make["make_formula"](sdist, *ADDRESSES, RELEASES)
    done = subprocess.run(["ruby", "-wc"], input=formula, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("Syntax OK\n", "")
