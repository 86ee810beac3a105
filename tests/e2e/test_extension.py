"""`BROWSE_EXTENSIONS_DIR` loads an unpacked extension, wherever the tabs go."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

ROOT = Path(__file__).parents[2]
Gbrowse = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    workspace = tmp_path / "work"
    (workspace / ".git").mkdir(parents=True)
    return workspace


@pytest.fixture
def gbrowse(workspace: Path) -> Iterator[Gbrowse]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "BROWSE_EXTENSIONS_DIR": "../extension"}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gstack_browse.client", *words]
        return subprocess.run(
            command, cwd=workspace, env=environment, capture_output=True, text=True, timeout=90, check=False
        )

    yield run
    run("stop")


@pytest.fixture
def web_page() -> Iterator[str]:
    serve = partial(SimpleHTTPRequestHandler, directory=str(ROOT / "tests/site"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), serve)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/plain.html"
    server.shutdown()
    server.server_close()


def make_extension(folder: Path) -> None:
    """Make one that marks every page it sees."""
    script = {"matches": ["<all_urls>"], "js": ["mark.js"]}
    manifest = {"manifest_version": 3, "name": "Mark", "version": "1", "content_scripts": [script]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "mark.js").write_text("document.documentElement.lang = 'marked';")


def test_extension_works_with_another_user_agent_and_after_a_restart_once_it_is_there(
    gbrowse: Gbrowse, web_page: str, tmp_path: Path
) -> None:
    missing = gbrowse("goto", "about:blank")
    assert (missing.returncode, "which is no directory" in missing.stderr) == (1, True)
    (tmp_path / "extension").mkdir()
    empty = gbrowse("goto", "about:blank")
    assert (empty.returncode, "no manifest.json" in empty.stderr) == (1, True)
    make_extension(tmp_path / "extension")
    assert gbrowse("goto", web_page).returncode == 0
    assert gbrowse("attrs", "html").stdout.count('"lang": "marked"') == 1
    assert gbrowse("useragent", "Probe/1.0").returncode == 0
    assert gbrowse("restart").returncode == 0
    assert (
        gbrowse("js", "navigator.userAgent + ' ' + document.documentElement.lang").stdout
        == "Probe/1.0 marked\n"
    )
    assert len(gbrowse("tabs").stdout.splitlines()) == 1
