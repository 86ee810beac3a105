"""The fixture `gbrowse` for pytest: a browser in a workspace of the test's own.

pytest finds this module by its entry point and imports it in every run, so the module imports nothing before a test asks
for the fixture, and never Playwright: that is in the daemon.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from gstack_browse.client.script import Browse


@pytest.fixture
def gbrowse(tmp_path: "Path") -> "Iterator[Browse]":
    """Commands of gbrowse as calls, in a browser that nobody else has; it ends with the test."""
    with browser_in(tmp_path / "gbrowse") as browse:
        yield browse


@contextmanager
def browser_in(workspace: "Path") -> "Iterator[Browse]":
    """A browser whose workspace is that directory, made if need be. The daemon is stopped at the end."""
    from gstack_browse.client.script import connect

    (workspace / ".git").mkdir(
        parents=True, exist_ok=True
    )  # the workspace ends here, also inside of a checkout
    moved = os.environ.pop("BROWSE_STATE_FILE", None)  # names one daemon for all workspaces
    try:
        with connect(workspace=workspace) as browse:
            yield browse
    finally:
        _stop(workspace)
        if moved is not None:
            os.environ["BROWSE_STATE_FILE"] = moved


def _stop(workspace: "Path") -> None:
    from gstack_browse.client.script import connect
    from gstack_browse.errors import Unreachable

    with connect(workspace=workspace, start=False) as browse:
        try:
            browse("stop")
        except Unreachable:
            return  # the test has asked for nothing, or has stopped it
