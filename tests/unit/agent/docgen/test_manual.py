import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.agent.docgen.packaging import escape_roff, render_manual
from gstack_browse.registry import REGISTRY
from tests.each import each_row

assert commands
PAGE = Path(__file__).parents[4] / "deploy/share/man/man1/gbrowse.1"


@each_row(
    ("--json", "\\-\\-json"),
    (".TH order", "\\&.TH order"),
    ("'so /etc/passwd", "\\&'so /etc/passwd"),
    ("a\\nb", "a\\enb"),
    ("10 → 20 …", "10 \\[u2192] 20 \\[u2026]"),
)
def test_text_is_escaped_for_roff(text: str, escaped: str) -> None:
    assert escape_roff(text) == escaped


def test_page_names_every_command() -> None:
    page = render_manual(REGISTRY)
    assert not [name for name in REGISTRY.commands if f"\\fBgbrowse {escape_roff(name)}" not in page]


@pytest.mark.programs
def test_roff_warns_of_nothing() -> None:
    if not shutil.which("groff"):
        pytest.skip("not installed: groff")
    command = ["groff", "-man", "-Tutf8", "-P-c", "-ww", PAGE]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    assert done.stderr == ""
    assert "gbrowse goto <url>" in re.sub(".\b", "", done.stdout)  # bold is struck twice


@pytest.mark.programs
def test_mandoc_warns_of_the_missing_date_only() -> None:
    """The page is written anew with each command that changes, and so has no date of its own."""
    if not shutil.which("mandoc"):
        pytest.skip("not installed: mandoc")
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", PAGE], capture_output=True, text=True)
    warnings = [line.rpartition("WARNING: ")[2] for line in done.stdout.splitlines()]
    assert warnings == ['missing date, using "": TH']
