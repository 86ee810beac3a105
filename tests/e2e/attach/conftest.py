"""A workspace with a page, and Node with the packages that the examples of docs/attach.md import."""

import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.e2e.daemon.conftest import home_of
from tests.e2e.daemon.harness import ROOT, DaemonHarness

PACKAGES = ROOT / ".venv/node"
EXAMPLES = dict(
    re.findall(
        r"<!-- example: (\S+) -->\n```\w+\n(.*?)```", (ROOT / "docs/attach.md").read_text("utf-8"), re.DOTALL
    )
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("playwright")
            item.add_marker("own_browser")


@pytest.fixture(scope="module")
def shared_home() -> Iterator[DaemonHarness]:
    with home_of(DaemonHarness, ROOT) as home:
        yield home


PAGE = b"""<!doctype html><title>Home</title><h1>Welcome</h1>
<button onclick="document.title='Signed in'">Sign in</button>
<button id=ask onclick="document.title=confirm('Really?')">Ask</button>
<a id=file download=facts.txt href="data:text/plain,abc">Facts</a>"""


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture(scope="session")
def origin() -> Iterator[str]:
    with ThreadingHTTPServer(("localhost", 0), Site) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"localhost:{server.server_port}"
        server.shutdown()


@pytest.fixture
def page(shared_home: DaemonHarness, origin: str) -> DaemonHarness:
    """A workspace whose browser shows a page with a button, a dialog and a download."""
    shared_home.begin(f"http://{origin}/")
    return shared_home


@pytest.fixture
def home() -> Iterator[DaemonHarness]:
    with home_of(DaemonHarness, ROOT) as made:
        yield made


@pytest.fixture(scope="session")
def node_packages() -> Path:
    """Return the directory with playwright-core and puppeteer-core. npm installs them, once for all runs."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("needs Node and npm")
    series = version("playwright").rpartition(".")[0]  # the last number is of the package for Python
    wanted = [f"playwright-core@{series}", "puppeteer-core"]
    if not (PACKAGES / "node_modules/puppeteer-core").is_dir():
        PACKAGES.mkdir(exist_ok=True)
        done = subprocess.run(
            ["npm", "install", "--no-fund", "--no-audit", "--prefix", str(PACKAGES), *wanted],
            capture_output=True,
            text=True,
            timeout=240,
            cwd=tempfile.gettempdir(),
        )
        if done.returncode:
            pytest.skip(f"npm cannot install {' and '.join(wanted)}: {done.stderr[-200:]}")
    return PACKAGES
