"""The fixture `gbrowse` for pytest: a browser in a workspace of the test's own.

Of a failed test, it keeps what the page showed.

pytest finds this module by its entry point and imports it in every run, so the module imports nothing before a test asks
for the fixture, and never Playwright: that is in the daemon.
"""

import os
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from gstack_browse.client.script import Browse

FAILURES = "gbrowse-failures"
"""The directory below pytest's root that holds a directory for each failed test."""
_EVIDENCE = {
    "picture.png": ("screenshot", "-", "--max-side", "0"),
    "snapshot.txt": ("snapshot",),
    "console.txt": ("console",),
}
_EVIDENCE_MILLISECONDS = 10_000
_MOST_NAME = 200
"""Bytes of a directory's name; file systems take 255."""


class _OpenBrowser:
    """A browser that `browser_in` has opened in this process."""

    def __init__(self, workspace: "Path", browse: "Browse") -> None:
        self.workspace = workspace
        self.browse = browse
        self.calls_before = 0
        """How many commands had run when the current test began."""


_open: list[_OpenBrowser] = []


@pytest.fixture
def gbrowse(tmp_path: "Path") -> "Iterator[Browse]":
    """Commands of gbrowse as calls, in a browser that nobody else has; it ends with the test."""
    with browser_in(tmp_path / "gbrowse") as browse:
        yield browse


@contextmanager
def browser_in(workspace: "Path") -> "Iterator[Browse]":
    """A browser whose workspace is that directory, made if need be. The daemon is stopped at the end."""
    from gstack_browse.client.script import connect

    # The workspace ends here, also inside of a checkout.
    (workspace / ".git").mkdir(parents=True, exist_ok=True)
    moved = os.environ.pop("BROWSE_STATE_FILE", None)  # names one daemon for all workspaces
    guard = _stop_when_this_process_dies(workspace)
    try:
        with connect(workspace=workspace) as browse:
            opened = _OpenBrowser(workspace, browse)
            _open.append(opened)
            try:
                yield browse
            finally:
                _open.remove(opened)
    finally:
        _stop(workspace)
        guard.kill()
        guard.communicate()
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


def _stop_when_this_process_dies(workspace: "Path") -> "subprocess.Popen[bytes]":
    """Start a process that waits for the end of this one, and stops the daemon then.

    A worker of xdist may be killed, and pytest-timeout ends the process: no fixture is torn down then.
    """
    import subprocess
    from pathlib import Path

    client = "import sys; sys.path.append(sys.argv.pop(1)); from gstack_browse.client.main import main; main()"
    stop = [sys.executable, "-E", "-P", "-c", client, str(Path(__file__).parents[1]), "stop"]
    return subprocess.Popen(
        ["/bin/sh", "-c", 'cat >/dev/null; exec "$@"', "gbrowse-guard", *stop],  # 1 MB until then
        cwd=workspace,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for pytest
    )


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the option where a conftest.py names this plugin: all other plugins have theirs by then."""
    if any(name.endswith("conftest.py") for name, _ in pluginmanager.list_name_plugin()):
        _add_headed(parser)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Iterator[None]:
    """Add the option once all other plugins have added theirs."""
    yield
    _add_headed(parser)


def _add_headed(parser: pytest.Parser) -> None:
    """Add `--headed`, unless another plugin has it, which pytest would refuse: it holds for both."""
    if not hasattr(parser.parse_known_args([]), "headed"):
        group = parser.getgroup("gbrowse")
        group.addoption("--headed", action="store_true", help="gbrowse: show the window of the browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> "Iterator[None]":
    """Have every daemon of the run show its window, if that was asked for."""
    with pytest.MonkeyPatch.context() as environment:
        if session.config.getoption("headed", default=False):
            environment.setenv("BROWSE_HEADED", "1")
        return (yield)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Forget what was kept of the test in an earlier run, and note which browsers it has not used yet."""
    if (kept := _directory(item)).is_dir():
        import shutil

        shutil.rmtree(kept, ignore_errors=True)
    for one in _open:
        one.calls_before = one.browse.calls


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> "Generator[None, pytest.TestReport, pytest.TestReport]":
    """Keep what the browsers show that a failed test has used, while they are open."""
    report = yield
    used = [one for one in _open if one.browse.calls > one.calls_before]
    if report.failed and used:
        report.sections.append(("gbrowse", _keep(_directory(item), used, item.config)))
    return report


def _directory(item: pytest.Item) -> "Path":
    """Return where the evidence of a test is: below FAILURES, with a directory for each part of its id."""
    place = item.config.rootpath / FAILURES
    for part in item.nodeid.replace("::", "/").split("/"):
        place /= _directory_name(part)
    return place


def _directory_name(part: str) -> str:
    """Return a name that no other part has, and that leads to no other directory, whatever is in it."""
    import zlib
    from urllib.parse import quote

    name = quote(part, safe=" []()=,+@")
    if len(name) > _MOST_NAME:
        name = f"{name[:_MOST_NAME]}-{zlib.crc32(part.encode()):08x}"
    return name.replace(".", "%2E") if not name.strip(".") else name


def _keep(place: "Path", browsers: Sequence[_OpenBrowser], config: pytest.Config) -> str:
    """Write what the browsers show into a directory. Returns what the report says of that."""
    files: list[str] = []
    try:
        place.mkdir(parents=True, exist_ok=True)
        (config.rootpath / FAILURES / ".gitignore").write_text("*\n")
        for number, one in enumerate(browsers, 1):
            prefix = f"{number}-" if len(browsers) > 1 else ""
            for name, content in _evidence(one.workspace):
                (place / f"{prefix}{name}").write_bytes(content)
                files.append(f"{prefix}{name}")
    except OSError as error:
        return f"What the page showed could not be kept: {error}"
    return f"{os.path.relpath(place, config.invocation_params.dir)}: {', '.join(files)}"


def _evidence(workspace: "Path") -> "Iterator[tuple[str, bytes]]":
    """Yield files' names and contents: of the active tab of each browser context that has tabs."""
    import base64
    import json

    from gstack_browse.client.script import connect
    from gstack_browse.errors import BrowseError

    with connect(workspace=workspace, start=False, timeout=_EVIDENCE_MILLISECONDS) as browse:
        try:
            contexts = [one["name"] for one in json.loads(browse("contexts", "--json")) if one["tabs"]]
        except BrowseError as error:
            yield "failure.txt", str(error).encode()
            return
        for context in contexts:
            prefix = f"{context}-" if len(contexts) > 1 else ""
            for name, command in _EVIDENCE.items():
                try:
                    text = browse(*command, as_=context)
                except BrowseError as error:
                    yield f"{prefix}{name.partition('.')[0]}-failure.txt", str(error).encode()
                    continue
                yield f"{prefix}{name}", base64.b64decode(text) if name.endswith(".png") else text.encode()
