"""Test what `bin/setup.py` remembers of having set a checkout up.

The set-up itself is what every clone begins with.
"""

import runpy
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
