"""The fixture `gbrowse` for pytest: a browser in a workspace of the test's own.

Of a failed test, it saves what the page showed.

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
_EVIDENCE_COMMANDS = {
    "picture.png": ("screenshot", "-", "--max-side", "0"),
    "snapshot.txt": ("snapshot",),
    "console.txt": ("console",),
}
"""File → the command whose output it holds."""
_EVIDENCE_MILLISECONDS = 10_000
"""Timeout of each command: the page may hang."""
_MOST_NAME_BYTES = 200
"""Longest name of a directory; file systems take 255."""


class _OpenBrowser:
    """A browser that `browser_in` has opened in this process."""

    def __init__(self, workspace: "Path", browse: "Browse") -> None:
        self.workspace = workspace
        self.browse = browse
        self.calls_before = 0
        """How many commands had run when the current test began."""


_open_browsers: list[_OpenBrowser] = []


@pytest.fixture
def gbrowse(tmp_path: "Path") -> "Iterator[Browse]":
    """Yield a callable that runs gbrowse commands in a browser of the test's own, ended after the test."""
    with browser_in(tmp_path / "gbrowse") as browse:
        yield browse


@contextmanager
def browser_in(workspace: "Path") -> "Iterator[Browse]":
    """Give a `with` block a client for the directory `workspace`, created if missing.

    At the end of the block, stop the workspace's daemon.
    """
    from gstack_browse.client.script import connect

    # A .git makes the directory a workspace of its own, even inside of a checkout.
    (workspace / ".git").mkdir(parents=True, exist_ok=True)
    moved = os.environ.pop("BROWSE_STATE_FILE", None)  # names one daemon for all workspaces
    guard = _stop_when_this_process_dies(workspace)
    try:
        with connect(workspace=workspace) as browse:
            opened = _OpenBrowser(workspace, browse)
            _open_browsers.append(opened)
            try:
                yield browse
            finally:
                _open_browsers.remove(opened)
    finally:
        _stop_daemon(workspace)
        guard.kill()
        guard.communicate()
        if moved is not None:
            os.environ["BROWSE_STATE_FILE"] = moved


def _stop_daemon(workspace: "Path") -> None:
    """Stop the workspace's daemon, if one runs."""
    from gstack_browse.client.script import connect
    from gstack_browse.errors import Unreachable

    with connect(workspace=workspace, start=False) as browse:
        try:
            browse("stop")
        except Unreachable:
            return  # the test has asked for nothing, or has stopped it


def _stop_when_this_process_dies(workspace: "Path") -> "subprocess.Popen[bytes]":
    """Start a process that stops the workspace's daemon once this process has ended, however it ends.

    If a worker of xdist is killed, or pytest-timeout ends the process, no fixture is torn down. The end of this process closes the
    pipe that `cat` reads from.
    """
    import subprocess
    from pathlib import Path

    client = "import sys; sys.path.append(sys.argv.pop(1)); from gstack_browse.client.main import main; main()"
    stop = [sys.executable, "-E", "-P", "-c", client, str(Path(__file__).parents[2]), "stop"]
    return subprocess.Popen(
        ["/bin/sh", "-c", 'cat >/dev/null; exec "$@"', "gbrowse-guard", *stop],  # takes 1 MB while it waits
        cwd=workspace,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for pytest
    )


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the option `--headed` if a conftest.py loads this plugin.

    All other plugins have added their options by then.
    """
    if any(name.endswith("conftest.py") for name, _ in pluginmanager.list_name_plugin()):
        _add_headed(parser)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Iterator[None]:
    """Add the option `--headed` if an entry point or `-p` loads this plugin, after other plugins did."""
    yield
    _add_headed(parser)


def _add_headed(parser: pytest.Parser) -> None:
    """Add the option `--headed`, unless another plugin has: pytest refuses a second one."""
    if not hasattr(parser.parse_known_args([]), "headed"):
        group = parser.getgroup("gbrowse")
        group.addoption("--headed", action="store_true", help="gbrowse: show the window of the browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> "Iterator[None]":
    """Set `BROWSE_HEADED=1` while the tests run, if `--headed` was given."""
    with pytest.MonkeyPatch.context() as environment:
        if session.config.getoption("headed", default=False):
            environment.setenv("BROWSE_HEADED", "1")
        return (yield)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Delete files that this test's failure saved earlier; note the commands run in each browser so far."""
    if (kept := _evidence_directory(item)).is_dir():
        import shutil

        shutil.rmtree(kept, ignore_errors=True)
    for browser in _open_browsers:
        browser.calls_before = browser.browse.calls


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> "Generator[None, pytest.TestReport, pytest.TestReport]":
    """If the test failed, save what its still open browsers show, and add it to the report."""
    report = yield
    used = [browser for browser in _open_browsers if browser.browse.calls > browser.calls_before]
    if report.failed and used:
        report.sections.append(("gbrowse", _write_evidence(_evidence_directory(item), used, item.config)))
    return report


def _evidence_directory(item: pytest.Item) -> "Path":
    """Return the directory below FAILURES in which to save files on a failed test.

    It has a level for each part of the test's id.
    """
    place = item.config.rootpath / FAILURES
    for part in item.nodeid.replace("::", "/").split("/"):
        place /= _directory_name(part)
    return place


def _directory_name(part: str) -> str:
    """Return a directory name for a part of a test's id: unique to it, never `..`, and without `/`."""
    import zlib
    from urllib.parse import quote

    name = quote(part, safe=" []()=,+@")
    if len(name) > _MOST_NAME_BYTES:
        name = f"{name[:_MOST_NAME_BYTES]}-{zlib.crc32(part.encode()):08x}"
    return name.replace(".", "%2E") if not name.strip(".") else name


def _write_evidence(place: "Path", browsers: Sequence[_OpenBrowser], config: pytest.Config) -> str:
    """Save what each browser shows as files in the directory `place`.

    Return the text for the report of pytest: the files, or the problem.
    """
    files: list[str] = []
    try:
        place.mkdir(parents=True, exist_ok=True)
        (config.rootpath / FAILURES / ".gitignore").write_text("*\n")
        for number, browser in enumerate(browsers, 1):
            prefix = f"{number}-" if len(browsers) > 1 else ""
            for name, content in _collect_evidence(browser.workspace):
                (place / f"{prefix}{name}").write_bytes(content)
                files.append(f"{prefix}{name}")
    except OSError as error:
        return f"What the page showed could not be kept: {error}"
    return f"{os.path.relpath(place, config.invocation_params.dir)}: {', '.join(files)}"


def _collect_evidence(workspace: "Path") -> "Iterator[tuple[str, bytes]]":
    """Yield name and content of files on the active tab of each browser context: text, picture and logs."""
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
            for name, command in _EVIDENCE_COMMANDS.items():
                try:
                    text = browse(*command, as_=context)
                except BrowseError as error:
                    yield f"{prefix}{name.partition('.')[0]}-failure.txt", str(error).encode()
                    continue
                yield f"{prefix}{name}", base64.b64decode(text) if name.endswith(".png") else text.encode()
