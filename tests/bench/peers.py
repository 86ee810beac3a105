"""The peers, installed from npm into the user's cache: only when asked for, always the newest release."""

import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.bench.contestants import Tool, agent_browser, playwright_cli

PACKAGES = ("agent-browser", "@playwright/cli")


def installed(chromium: str) -> list[Tool]:
    """Install what is missing or old, saying so, and return the peers."""
    if not shutil.which("npm"):
        sys.exit("--peers needs Node and npm")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gbrowse-bench"
    cache.mkdir(parents=True, exist_ok=True)
    wanted = {package: _newest(package) for package in PACKAGES}
    missing = [
        f"{package}@{version}"
        for package, version in wanted.items()
        if version and _version(cache, package) != version
    ]
    if missing:
        print(f"Installing {' and '.join(missing)} into the cache directory gbrowse-bench", file=sys.stderr)
        # The version is named: left to itself npm takes an old release when a newer one asks for a newer Node,
        # which the native program does not need.
        command = ["npm", "install", "--no-fund", "--no-audit", "--loglevel=http", "--prefix", str(cache)]
        environment = {**os.environ, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"}
        subprocess.run([*command, *missing], check=True, stdout=sys.stderr, env=environment)
    native = cache / "node_modules/agent-browser/bin" / _native_name()
    native.chmod(0o755)
    return [
        agent_browser(native, _version(cache, "agent-browser"), chromium),
        playwright_cli(
            cache / "node_modules/.bin/playwright-cli", _version(cache, "@playwright/cli"), chromium
        ),
    ]


def _newest(package: str) -> str:
    """The newest release; "" when the registry cannot be asked, so that what is installed will do."""
    try:
        done = subprocess.run(
            ["npm", "view", package, "version"], capture_output=True, text=True, check=True, timeout=60
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        print(f"npm does not say which {package} is the newest: {error}", file=sys.stderr)
        return ""
    return done.stdout.strip()


def _version(cache: Path, package: str) -> str:
    manifest = cache / "node_modules" / package / "package.json"
    return str(json.loads(manifest.read_text())["version"]) if manifest.exists() else ""


def _native_name() -> str:
    """The program that a global `npm install` puts in the place of the package's Node script."""
    system = platform.system().lower()
    if system == "linux" and "musl" in str(sysconfig.get_config_var("HOST_GNU_TYPE")):
        system = "linux-musl"
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"agent-browser-{system}-{machine}"
