"""Test docs/adding-a-command.md as a newcomer follows it.

The example goes into one module, and all that the page promises is there.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.daemon.harness import DaemonHarness

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs/adding-a-command.md"
FAMILY = "gstack_browse/commands/reading/reading.py"
PAGE = '<html lang="en"><article lang="de">Hallo</article>'


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with the example at the end of its family's module: nothing else is edited by hand."""
    place = tmp_path_factory.mktemp("newcomer")
    for name in ("gstack_browse", "docs"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    (place / "tests").mkdir()
    for name in ("pyproject.toml", "tests/test_registry.py", "tests/each.py"):
        shutil.copy(ROOT / name, place / name)
    example = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    assert example
    with (place / FAMILY).open("a", encoding="utf-8") as module:
        module.write("\n\n" + example[1])
    return place


def test_the_reference_the_skill_and_the_names_are_all_that_is_written(checkout: Path) -> None:
    command = [sys.executable, "-m", "gstack_browse.agent.docgen", "--write"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
    shown = ["docs/commands.md", "gstack_browse/agent/skills/browse/references/commands.md"]
    names = ["gstack_browse/client/native_start.c", "gstack_browse/command_names.py"]
    share = (
        "bash-completion/completions/gbrowse", "fish/vendor_completions.d/gbrowse.fish", "man/man1/gbrowse.1", "zsh/site-functions/_gbrowse",
    )  # fmt: skip
    for_others = [".claude-plugin/marketplace.json", *(f"deploy/share/{path}" for path in share)]
    assert sorted(re.findall(r"^WRITTEN (.*)$", done.stdout, re.M)) == sorted([*shown, *names, *for_others])
    for path in shown:
        assert "lang [<target>] [--upper]" in (checkout / path).read_text(encoding="utf-8"), path


def test_example_command_works_on_the_command_line(checkout: Path) -> None:
    # a short path: Chromium binds sockets below its temporary directory
    with (
        tempfile.TemporaryDirectory(prefix="gb-", ignore_cleanup_errors=True) as folder,
        closing(DaemonHarness(Path(folder), checkout)) as home,
    ):
        page = home.workspace / "page.html"
        page.write_text(PAGE)
        home.must("goto", page.as_uri())
        assert home.must("lang") == "en"
        assert home.must("lang", "article", "--upper") == "DE"
        told = home.must("help", "lang")
        assert told.startswith("Usage: gbrowse lang [<target>] [--upper]")
        assert "in capital letters" in told
        assert re.search(r"^  lang +read +Print the language", home.must("help", "--all"), re.M)


def test_the_tests_of_all_commands_hold_for_it(checkout: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_registry.py"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert int(re.findall(r"(\d+) passed", done.stdout)[0]) > 10
