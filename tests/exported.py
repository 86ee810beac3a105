"""Run a test that `flow-export --to pytest` wrote, with Playwright alone."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from gstack_browse import settings
from gstack_browse.browser.launch.chromium import find_executable

_HARNESS = """
import importlib.util, os, sys
from playwright.sync_api import expect, sync_playwright
file, chromium = sys.argv[1:]
expect.set_options(timeout=int(os.environ.get("EXPECT_MS", "1000")))
spec = importlib.util.spec_from_file_location("exported", file)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
(test,) = [value for name, value in vars(module).items() if name.startswith("test_")]
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    page = browser.new_page()
    page.set_default_timeout(5000)
    test(page)
    browser.close()
"""


def run_exported(file: Path, environment: Mapping[str, str]) -> str:
    """Run the test. Return what was wrong; "" if it passed."""
    done = subprocess.run(
        [sys.executable, "-c", _HARNESS, file, find_executable(settings.read())],
        env=dict(environment),
        cwd=file.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stderr[-2000:] if done.returncode else ""
