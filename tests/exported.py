"""Run a test that `flow-export` wrote, with Playwright alone: for pytest, and for Playwright Test."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from gstack_browse import settings
from gstack_browse.browser.launch.chromium import find_executable

_HARNESS = """
import importlib.util, os, sys
from playwright.sync_api import expect, sync_playwright
chromium, *files = sys.argv[1:]
expect.set_options(timeout=int(os.environ.get("EXPECT_MS", "1000")))
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    for file in files:
        spec = importlib.util.spec_from_file_location("exported", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        (test,) = [value for name, value in vars(module).items() if name.startswith("test_")]
        page = browser.new_page()
        page.set_default_timeout(5000)
        test(page)
        print("passed", file)
    browser.close()
"""


def run_exported(file: Path, environment: Mapping[str, str], after: Path | None = None) -> str:
    """Run the test, and in the same browser that of `after`, which must pass, before it.

    Returns what was wrong; "" if it passed.
    """
    files = [after, file] if after else [file]
    done = subprocess.run(
        [sys.executable, "-c", _HARNESS, str(find_executable(settings.read())), *files],
        env=dict(environment),
        cwd=file.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert not after or f"passed {after}" in done.stdout, done.stderr
    return done.stderr[-2000:] if done.returncode else ""


PLAYWRIGHT_TEST = "PLAYWRIGHT_TEST"
"""Names a folder in which `npm install @playwright/test` was run, which the machine of the tests need not have."""
_CONFIG = """module.exports = {{ testDir: {folder}, timeout: 60000, retries: 0, reporter: 'line', workers: 1,
  expect: {{ timeout: {expect} }},
  use: {{ actionTimeout: 5000, launchOptions: {{ executablePath: {chromium}, args: ['--no-sandbox'] }} }} }};
"""


def run_playwright_test(file: Path, environment: Mapping[str, str]) -> str:
    """Run a test for Playwright Test. Return what was wrong; "" if it passed."""
    tool = Path(environment[PLAYWRIGHT_TEST])
    config = file.parent / "playwright.config.js"
    config.write_text(
        _CONFIG.format(
            folder=json.dumps(str(file.parent)),
            expect=int(environment.get("EXPECT_MS", "1000")),
            chromium=json.dumps(str(find_executable(settings.read()))),
        )
    )
    modules = file.parent / "node_modules"
    modules.symlink_to(tool / "node_modules")
    try:
        done = subprocess.run(
            ["node", tool / "node_modules/@playwright/test/cli.js", "test", "-c", config, file.name],
            env=dict(environment),
            cwd=file.parent,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        modules.unlink()
    return (done.stdout + done.stderr)[-3000:] if done.returncode else ""
