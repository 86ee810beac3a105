"""The examples of `docs/python.md`, run as they stand against a real daemon and a small site."""

import http.server
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = re.findall(
    r"```python\n(.*?)```\n```\n(.*?)```", (ROOT / "docs/python.md").read_text("utf-8"), re.DOTALL
)
PAGE = b"<!doctype html><title>Home</title><h1>Welcome</h1><button>Sign in</button>"


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("localhost", 0), Site) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,)).start()
        yield f"localhost:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("work")
    (path / ".git").mkdir()
    yield path
    run(path, "from gstack_browse.client import connect\nconnect()('stop')")


def run(workspace: Path, script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=workspace,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 5


@pytest.mark.parametrize(("script", "printed"), EXAMPLES)
def test_an_example_prints_what_it_says(workspace: Path, origin: str, script: str, printed: str) -> None:
    assert run(workspace, script.replace("localhost:8000", origin)).replace(origin, "localhost:8000") == printed
