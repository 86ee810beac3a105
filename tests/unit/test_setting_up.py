"""Test what `bin/setup.py` remembers of having set a checkout up.

The set-up itself is what every clone begins with.
"""

import runpy
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "bin/setup.py"


@pytest.fixture
def setup(tmp_path: Path) -> dict[str, Any]:
    """The script's names, with a checkout in a temporary directory whose set-ups are only counted."""
    names = runpy.run_path(str(SCRIPT))["main"].__globals__
    project = tmp_path / "pyproject.toml"
    project.write_text("[project]\n")
    (tmp_path / ".venv").mkdir()
    names.update(ROOT=tmp_path, PROJECT=project, VENV=tmp_path / ".venv", NATIVE_SOURCES=(), works=lambda: True)
    set_ups: list[object] = []
    names.update(set_ups=set_ups, set_up=set_ups.append, build_native=lambda: None)
    return names


@pytest.mark.parametrize(
    ("calls", "set_ups"),
    [([[], []], [()]), ([["--dev"], []], [("dev",)]), ([[], ["--dev"], []], [(), ("dev",)])],
)
def test_set_up_checkout_is_set_up_again_only_when_it_changed(
    setup: dict[str, Any], calls: list[list[str]], set_ups: list[tuple[str, ...]]
) -> None:
    assert [setup["main"](words) for words in calls] == [0] * len(calls)
    assert setup["set_ups"] == set_ups
    setup["PROJECT"].write_text("[project]\nname = 'x'\n")
    setup["main"]([])
    assert setup["set_ups"] == [*set_ups, ()]


@pytest.mark.parametrize("program", ["uv", "pip"])
def test_tools_of_tests_are_installed_by_uv_or_where_it_cannot_by_pip(
    setup: dict[str, Any], program: str
) -> None:
    begun: list[tuple[str, ...]] = []

    def run(command: Sequence[str]) -> None:
        words = tuple(command)
        if words[0].endswith("/uv") and program == "pip":
            raise subprocess.CalledProcessError(2, words)
        begun.append(words)

    setup["run"] = run
    setup["install_packages"](["pytest>=9"], with_uv=True)
    assert [words[-1] for words in begun] == ["uv", "pytest>=9"]
    assert begun[1][0].endswith({"uv": "/bin/uv", "pip": "/bin/python"}[program])
