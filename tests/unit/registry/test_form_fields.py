from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.errors import UsageError
from gstack_browse.registry import REGISTRY, bind, find
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.registry.values.targets import Files, FormField

assert commands


def fields(word: str, workspace: Path) -> list[FormField]:
    return list(bind(find(REGISTRY, "fill-form"), [word], CallerPaths(workspace, workspace)).positional[0])


def test_values_of_every_kind_are_read_in_their_order_and_secret_or_refused(tmp_path: Path) -> None:
    (tmp_path / "cv.pdf").touch()
    found = fields(
        '{"#b": "text", "@e1": 1.50, "#c": true, "#d": [], "#e": ["x", 2], "#f": {"file": "cv.pdf"}}', tmp_path
    )
    assert found[:5] == [("#b", "text"), ("@e1", "1.50"), ("#c", True), ("#d", ()), ("#e", ("x", "2"))]
    files = found[5].value
    assert isinstance(files, Files)
    assert files.paths == [tmp_path / "cv.pdf"]
    word = '{"#user": "ann@example.com", "#pass": "hunter22", "#agree": true}'
    expected = ["ann@example.com", "hunter22"]
    assert bind(find(REGISTRY, "fill-form"), [word], CallerPaths(tmp_path, tmp_path)).secrets == expected
    for malformed in ('{"#a": NaN}', '{"@x": "x"}', '{"#a": {"file": true}}'):
        with pytest.raises(UsageError):
            fields(malformed, tmp_path)
