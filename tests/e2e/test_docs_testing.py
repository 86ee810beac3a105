"""The files of `docs/testing.md`, run as they stand against a small site; and the fixture for pytest."""

import os
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from gstack_browse import commands
from gstack_browse.registry import REGISTRY, bind, find
from gstack_browse.registry.lines import UNKNOWN, parse_simple_commands
from gstack_browse.registry.values.paths import CallerPaths
from tests.e2e.serving import Answering, serving
from tests.processes import Completed, run_program

assert commands
ROOT = Path(__file__).parents[2]
SHOWN = re.compile(r"\*\*([\w./-]+)\*\*\n\n```\w+\n(.*?)```", re.DOTALL)
FILES: dict[str, str] = dict(SHOWN.findall((ROOT / "docs/testing.md").read_text("utf-8")))
PAGE = b"""<!doctype html><title>List</title><form><label>Item <input name=item></label> <button>Add</button></form><ul id=list></ul>
<script>
document.forms[0].onsubmit = async (event) => {
  event.preventDefault();
  const reply = await fetch("/items", { method: "POST", body: event.target.item.value });
  if (!reply.ok) { console.error("not added"); return; }
  list.append(Object.assign(document.createElement("li"), { textContent: event.target.item.value }));
  event.target.reset();
};
</script>"""


class Shop(Answering):
    answers = 201

    def get(self) -> None:
        if self.path == "/":
            self.answer(PAGE)
        else:
            self.answer(b"", 204)

    def post(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(b"", self.answers)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Shop, "answers", 201)
    with serving(Shop) as port:
        yield f"http://localhost:{port}"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the files of the page."""
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")  # else pytest takes one of a directory above
    return tmp_path


def run(*words: str | Path, cwd: Path, **more: str) -> Completed:
    path = f"{ROOT / 'bin'}:{os.environ['PATH']}"
    return run_program(words, cwd=cwd, env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **more})


def test_the_script_is_a_test(project: Path, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run("sh", "checks/list.sh", site, cwd=project)
    assert (done.returncode, done.stderr[-1500:]) == (0, ""), done.stderr
    assert 'Expected: text "Milk" in #list (' in done.stdout
    monkeypatch.setattr(Shop, "answers", 507)
    script = project / "checks/list.sh"
    script.write_text(script.read_text().replace("text Milk", "text Milk --timeout 300"))
    done = run("sh", "checks/list.sh", site, cwd=project)
    assert done.returncode == 1
    assert 'Expected text "Milk" in #list; after 0.3s it says nothing' in done.stderr
    assert "[error] not added" in done.stderr
    assert f"POST {site}/items → 507" in done.stderr


FLOW = "gbrowse flow-run checks/list.flow --report gbrowse-report/list.html --junit gbrowse-report/list.xml"


def test_flow_reports_its_steps_with_pictures_and_ends_with_their_exit_code(
    project: Path, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert FLOW in FILES[".github/workflows/browser.yml"]
    reports = project / "gbrowse-report"
    reports.mkdir()
    words = [*FLOW.split(), "--var", f"site={site}"]
    try:
        done = run(*words, cwd=project)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1].startswith("5 steps passed in ")
        assert (reports / "list.xml").read_text().count("<testcase ") == 5
        assert (reports / "list.html").read_text().count("data:image/jpeg;base64,") == 5
        monkeypatch.setattr(Shop, "answers", 507)
        assert run(*words, cwd=project).returncode == 1
        assert "<failure " in (reports / "list.xml").read_text()
        assert "console: not added" in (reports / "list.html").read_text()
    finally:
        run("gbrowse", "stop", cwd=project)


def test_the_fixture_is_a_browser_of_its_own(project: Path, site: str) -> None:
    """Start one also beside a daemon that is named for all workspaces.

    Playwright stays out of pytest, and the daemon ends.
    """
    (project / "conftest.py").write_text(FILES["conftest.py"])
    (project / "test_more.py").write_text(
        "import os, sys, pytest\n"
        "from gstack_browse.errors import ExpectationFailed\n"
        "def test_it_fails_in_words(browse):\n"
        "    browse('goto', os.environ['SITE'])\n"
        "    with pytest.raises(ExpectationFailed, match='Expected text \"Nope\"; after 0.1s the page shows'):\n"
        "        browse('expect', 'text', 'Nope', '--timeout', 100)\n"
        "def test_without_a_command(gbrowse):\n"
        "    assert not {'playwright', 'gstack_browse.browser'} & set(sys.modules)\n"
    )
    done = run(
        sys.executable, "-m", "pytest", "-q", "--basetemp", project / "tmp", "-p", "no:cacheprovider",
        "-p", "gstack_browse.client.pytest_plugin", cwd=project, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", SITE=site, BROWSE_STATE_FILE=str(project / "other/browse.json"),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
    assert list(project.rglob("browse-daemon.log")), "there were daemons"
    assert not list(project.rglob("browse.sock")), "and they have ended"
    assert not (project / "other").exists()


def test_pytest_finds_the_fixture_and_loads_nothing_with_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = project["entry-points"]["pytest11"]
    assert declared == {"gbrowse": "gstack_browse.client.pytest_plugin"}
    script = (
        "import sys, pytest; before = set(sys.modules); import gstack_browse.client.pytest_plugin\n"
        "print(*sorted(name for name in set(sys.modules) - before))"
    )
    loaded = run(sys.executable, "-c", script, cwd=ROOT).stdout.split()
    assert loaded == ["gstack_browse", "gstack_browse.client", "gstack_browse.client.pytest_plugin"]


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(("yml", "yaml"))])
def test_the_files_for_machines_can_be_read(name: str) -> None:
    scripts = list(_scripts(yaml.safe_load(FILES[name])))
    assert any("checks/list.sh" in script for script in scripts)
    words = [word for script in scripts for command in parse_simple_commands(script) for word in command.words]
    assert {word for word in words if word.startswith("checks/")} <= set(FILES)


def _scripts(found: object) -> Iterator[str]:
    """Yield what a machine would run, at any depth."""
    if isinstance(found, dict):
        yield from (found[key] for key in ("run", "entry") if key in found)
    for value in found.values() if isinstance(found, dict) else found if isinstance(found, list) else ():
        yield from _scripts(value)


def test_the_commands_of_the_script_can_be_typed(tmp_path: Path) -> None:
    commands = parse_simple_commands(FILES["checks/list.sh"])
    typed = [command.words[1:] for command in commands if command.words[0] == "gbrowse"]
    assert len(typed) > 8
    for name, *words in typed:
        known = [word.replace(UNKNOWN, "http://localhost") for word in words]
        assert bind(find(REGISTRY, name), known, CallerPaths(tmp_path, tmp_path)), shlex.join([name, *words])
