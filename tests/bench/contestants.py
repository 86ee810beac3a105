"""Who is measured: gbrowse, and the peers that `--peers` installs from npm into a cache. One shape for all."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

Steps = Mapping[str, Sequence[str]]


class Contestant:
    """A browser tool as the shell sees it: one process a command, in a workspace of its own."""

    name = ""

    def __init__(self, program: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self.program = list(program)
        self.workspace = Path(tempfile.mkdtemp(prefix="gbrowse-bench-"))
        self.environment = {**os.environ, **(environment or {})}

    def run(self, words: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
        """One command, its output kept."""
        return subprocess.run(
            [*self.program, *words],
            cwd=self.workspace,
            env=self.environment,
            capture_output=True,
            check=False,
            timeout=120,
        )

    def words(self, step: str, base: str) -> list[str] | None:
        """The command line for a step such as `goto /form`; None where the tool has no such command."""
        raise NotImplementedError

    def stop(self) -> None:
        self.run(self.stop_words())
        shutil.rmtree(self.workspace, ignore_errors=True)

    def stop_words(self) -> list[str]:
        return ["stop"]


class Gbrowse(Contestant):
    name = "gbrowse"

    def __init__(self) -> None:
        super().__init__([str(Path(__file__).parents[2] / "bin/gbrowse")])

    def words(self, step: str, base: str) -> list[str] | None:
        command, _, rest = step.partition(" ")
        if command == "goto":
            return ["goto", base + rest]
        if command == "snapshot":
            return ["snapshot", "-i"]
        return {
            "click": ["click", "#go"],
            "fill": ["fill", "#name", "Ada"],
            "js": ["js", "1+1"],
            "screenshot": ["screenshot", "--viewport", "shot.png"],
        }.get(command, [command])


class AgentBrowser(Contestant):
    name = "agent-browser"

    def words(self, step: str, base: str) -> list[str] | None:
        command, _, rest = step.partition(" ")
        if command == "goto":
            return ["open", base + rest]
        return {
            "url": ["get", "url"],
            "js": ["eval", "1+1"],
            "text": ["get", "text", "body"],
            "snapshot": ["snapshot", "-i"],
            "click": ["click", "#go"],
            "fill": ["fill", "#name", "Ada"],
            "screenshot": ["screenshot", "shot.png"],
        }.get(command)

    def stop_words(self) -> list[str]:
        return ["close"]


class PlaywrightCli(Contestant):
    name = "playwright-cli"

    def words(self, step: str, base: str) -> list[str] | None:
        command, _, rest = step.partition(" ")
        if command == "goto":
            return ["goto", base + rest]
        return {
            "js": ["eval", "() => 1+1"],
            "snapshot": ["snapshot"],
            "click": ["click", "#go"],
            "fill": ["fill", "#name", "Ada"],
            "screenshot": ["screenshot"],
        }.get(command)

    def open(self, base: str) -> None:
        config = self.workspace / "bench.json"
        options = {
            "browser": {"launchOptions": {"executablePath": chromium(), "chromiumSandbox": os.geteuid() != 0}}
        }
        config.write_text(json.dumps(options))
        self.run(["open", base + "/form", f"--config={config}"])

    def stop_words(self) -> list[str]:
        return ["close"]


def chromium() -> str:
    """The system's Chromium, for peers that have to be told."""
    return next((path for name in ("chromium", "google-chrome") if (path := shutil.which(name))), "")


def peers() -> list[Contestant]:
    """The peers, installed into the user's cache when they are not there yet."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gbrowse-bench"
    cache.mkdir(parents=True, exist_ok=True)
    bin_directory = cache / "node_modules/.bin"
    if not (bin_directory / "agent-browser").exists() or not (bin_directory / "playwright-cli").exists():
        subprocess.run(
            [
                "npm",
                "install",
                "--no-fund",
                "--no-audit",
                "--prefix",
                str(cache),
                "agent-browser",
                "@playwright/cli",
            ],
            check=True,
        )
    sandbox = {"AGENT_BROWSER_ARGS": "--no-sandbox"} if os.geteuid() == 0 else {}
    return [
        AgentBrowser(
            [str(bin_directory / "agent-browser")], {"AGENT_BROWSER_EXECUTABLE_PATH": chromium(), **sandbox}
        ),
        PlaywrightCli([str(bin_directory / "playwright-cli")]),
    ]
