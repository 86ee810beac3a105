"""Define the tools that are measured.

A tool, its words for each action, and the workspace it works in with all of its processes.
"""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.bench.process import HungError, TimedCommand, timed
from tests.bench.steps import FIELDS, state_file

ROOT = Path(__file__).parents[2]
DEADLINE_SECONDS = 40.0
LEAVING_SECONDS = 3.0
"""How long the processes of a tool may still be there after it was stopped."""
MARK = "GBROWSE_BENCH_WORKSPACE"
"""Names the workspace in the environment of everything that is started for it, however far it detaches itself."""


@dataclass(frozen=True)
class Tool:
    """A tool and its words.

    `words` are templates: {url}, {expression}, {element}, {option}, {round}, {fields}, {steps}.
    """

    name: str
    program: Sequence[str]
    words: Mapping[str, Sequence[str]]
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """What its workspace holds before it starts."""
    version: str = ""


GBROWSE_WORDS = {
    "start": ["goto", "{url}"],
    "goto": ["goto", "{url}"],
    "url": ["url"],
    "js": ["js", "{expression}"],
    "text": ["text"],
    "snapshot": ["snapshot", "-i"],
    "is": ["is", "visible", "#go"],
    "expect": ["expect", "text", "Continue"],
    "attrs": ["attrs", "#go"],
    "click": ["click", "#go"],
    "fill": ["fill", "#name", "Ada {round}"],
    "hover": ["hover", "#{element}"],
    "drag": ["drag", "#card", "#{element}"],
    "select": ["select", "#country", "{option}"],
    "screenshot": ["screenshot", "--viewport", "shot.png"],
    "download": ["download", "#file", "large.bin"],
    "state-load": ["state-load", "state.json"],
    "state-save": ["state-save", "saved.json"],
    "fields": ["fill-form", "{fields}"],
    "together": ["chain", "--no-look"],
    "stop": ["stop"],
}
AGENT_BROWSER_WORDS = {
    "start": ["open", "{url}"],
    "prepare": ["set", "viewport", "1280", "720"],
    "goto": ["open", "{url}"],
    "url": ["get", "url"],
    "js": ["eval", "{expression}"],
    "text": ["get", "text", "body"],
    "snapshot": ["snapshot", "-i"],
    "is": ["is", "visible", "#go"],
    "expect": ["wait", "--text", "Continue"],
    "attrs": ["get", "attr", "#go", "id"],
    "click": ["click", "#go"],
    "fill": ["fill", "#name", "Ada {round}"],
    "hover": ["hover", "#{element}"],
    "drag": ["drag", "#card", "#{element}"],
    "select": ["select", "#country", "{option}"],
    "screenshot": ["screenshot", "shot.png"],
    "download": ["download", "#file", "large.bin"],
    "state-load": ["state", "load", "state.json"],
    "state-save": ["state", "save", "saved.json"],
    "fields": ["batch", "--bail", *(f"fill #{name} Ada{{round}}" for name in FIELDS)],
    "together": ["batch"],
    "stop": ["close"],
}
PLAYWRIGHT_CLI_WORDS = {
    "start": ["open", "{url}"],
    "goto": ["goto", "{url}"],
    "js": ["eval", "() => {expression}"],
    "snapshot": ["snapshot"],
    "click": ["click", "#go"],
    "fill": ["fill", "#name", "Ada {round}"],
    "hover": ["hover", "#{element}"],
    "drag": ["drag", "#card", "#{element}"],
    "select": ["select", "#country", "{option}"],
    "screenshot": ["screenshot", "--filename=shot.png"],
    "state-load": ["state-load", "state.json"],
    "state-save": ["state-save", "saved.json"],
    "fields": [
        "run-code",
        "async page => {{ "
        + " ".join(f"await page.fill('#{name}', 'Ada{{round}}');" for name in FIELDS)
        + " }}",
    ],
    "together": ["run-code", "async page => {{ {steps} }}"],
    "stop": ["close"],
}


def gbrowse() -> list[Tool]:
    """Return ours with the native client, where there is one, with the Python client, and without folding."""
    native, script = ROOT / ".venv/bin/gbrowse", ROOT / "bin/gbrowse-python"
    program = [str(native if native.exists() else script)]
    unfolded = {"snapshot": ["snapshot", "-i", "--all"]}
    # Should the measuring be killed outright, nothing stays for long.
    environment = {"BROWSE_IDLE_TIMEOUT": "600000"}
    return [
        Tool("gbrowse", program, GBROWSE_WORDS, environment),
        Tool("Python client", [str(script)], GBROWSE_WORDS, environment),
        Tool("gbrowse --all", program, unfolded, environment),
    ]


def agent_browser(program: Path, version: str, chromium: str) -> Tool:
    """Its native program; sockets and configuration of its own, so that it meets no other agent-browser."""
    sandbox = {"AGENT_BROWSER_ARGS": "--no-sandbox"} if os.geteuid() == 0 else {}
    environment = {
        "AGENT_BROWSER_SOCKET_DIR": "{workspace}/sockets",
        "AGENT_BROWSER_CONFIG": "{workspace}/agent-browser.json",
        "AGENT_BROWSER_EXECUTABLE_PATH": chromium,
        "AGENT_BROWSER_IDLE_TIMEOUT_MS": "600000",
        "AGENT_BROWSER_NO_VERSION_CHECK": "1",
        **sandbox,
    }
    files = {"agent-browser.json": "{}", "sockets/.keep": ""}
    return Tool("agent-browser", [str(program)], AGENT_BROWSER_WORDS, environment, files, version)


def playwright_cli(program: Path, version: str, chromium: str) -> Tool:
    """Return its script, run by Node as npm installs it.

    A directory `.playwright` makes a workspace of its own for it.
    """
    options = {"executablePath": chromium, "chromiumSandbox": os.geteuid() != 0}
    files = {".playwright/cli.config.json": json.dumps({"browser": {"launchOptions": options}})}
    environment = {
        "PWTEST_DAEMON_SESSION_DIR": "{workspace}/daemon",
        "PLAYWRIGHT_CLI_SESSION": "bench",
        "NO_UPDATE_NOTIFIER": "1",
    }
    return Tool("playwright-cli", [str(program)], PLAYWRIGHT_CLI_WORDS, environment, files, version)


class Contestant:
    """A tool in a workspace, with a page open.

    Guests are run in the same workspace, against the same daemon.
    """

    def __init__(self, tool: Tool, workspace: Path) -> None:
        self.tool = tool
        self.name = tool.name
        self.workspace = workspace
        own = {key: value.format(workspace=workspace) for key, value in tool.environment.items()}
        # A tool's own variables would lead it to its user's sessions.
        foreign = ("BROWSE_", "AGENT_BROWSER_", "PLAYWRIGHT_CLI_")
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(foreign) or key in ("BROWSE_CHROMIUM", "BROWSE_SANDBOX")
        }
        self.environment = {
            **kept,
            # Short: Chromium makes a socket below it, whose path may have 107 bytes.
            "TMPDIR": str(workspace / "t"),
            MARK: str(workspace),
            **own,
        }

    def can(self, action: str) -> bool:
        return action in self.tool.words

    def run(
        self, action: str, *, stdin: str = "", deadline: float | None = None, **values: object
    ) -> TimedCommand:
        """Do one action. Raises HungError."""
        return self._run(self.command_line(action, values), stdin, deadline)

    def command_line(self, action: str, values: Mapping[str, object]) -> list[str]:
        """Return the program and its words for an action."""
        return [*self.tool.program, *(word.format_map(values) for word in self.tool.words[action])]

    def ask(self, *words: str, deadline: float | None = None) -> TimedCommand:
        """Run a command of the tool, by its words. Raises HungError."""
        return self._run([*self.tool.program, *words], "", deadline)

    def _run(self, command: Sequence[str], stdin: str, deadline: float | None) -> TimedCommand:
        limit = deadline or DEADLINE_SECONDS
        return timed(command, cwd=self.workspace, environment=self.environment, stdin=stdin, deadline=limit)

    def must(self, *words: str) -> TimedCommand:
        """Run a command that has to succeed; end this program where it does not."""
        done = self.ask(*words, deadline=300)
        if done.code:
            sys.exit(f"{self.name} {' '.join(words)}: exit {done.code}: {done.complaint}")
        return done

    def start(self, url: str) -> TimedCommand:
        """From nothing to a page. Raises HungError."""
        return self.run("start", url=url, deadline=60)

    def prepare(self) -> None:
        """Make its window as large as everyone's."""
        if self.can("prepare"):
            self.run("prepare")

    def family(self) -> list[psutil.Process]:
        """All processes of the workspace: daemon, browser, and what else the tool runs."""
        heads = [process for process in psutil.process_iter() if self._is_ours(process)]
        return list({child: None for head in heads for child in _tree(head)})

    def _is_ours(self, process: psutil.Process) -> bool:
        try:
            return process.environ().get(MARK) == str(self.workspace)
        except psutil.Error:
            return False

    def stop(self) -> None:
        """Stop it by its own command; end by force what is left after that, and say so."""
        try:
            self.run("stop", deadline=20)
        except HungError:
            print(f"{self.name} did not stop", file=sys.stderr)
        _, left = psutil.wait_procs(self.family(), timeout=LEAVING_SECONDS)
        if left:
            print(f"{self.name} left {len(left)} processes behind, ended now", file=sys.stderr)
        for process in left:
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(left, timeout=5)


def _tree(head: psutil.Process) -> list[psutil.Process]:
    try:
        return [head, *head.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


@contextmanager
def entered(tool: Tool) -> Iterator[Contestant]:
    """A tool in a new workspace; afterwards neither its processes nor the workspace are there."""
    with ExitStack() as stack:
        workspace = Path(tempfile.mkdtemp(prefix="bench-")).resolve()
        stack.callback(shutil.rmtree, workspace, ignore_errors=True)
        for name, content in {
            ".git/.keep": "",
            "t/.keep": "",
            "state.json": state_file(),
            **tool.files,
        }.items():
            path = workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        contestant = Contestant(tool, workspace)
        stack.callback(contestant.stop)
        yield contestant
