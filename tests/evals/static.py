"""Run tier 1: checks of skills and documents that run nothing else.

They are those of `tests/test_skills.py`.
"""

import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

from tests.evals.result import TIMEOUT, Result

ROOT = Path(__file__).parents[2]
CHECKS = "tests/test_skills.py"
MOST_SECONDS = 300


def checks(only: str = "") -> list[Result]:
    """Every check of skills, as a result. `only` is a pattern of pytest (`-k`)."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "checks.xml")
        words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={file}", CHECKS]
        began = time.monotonic()
        code, said = _ran([*words, *(("-k", only) if only else ())])
        if not file.exists():
            spent = round((time.monotonic() - began) * 1000)
            return [Result("all", "skills", 1, False, spent, exit_reason=code, error=said[-2000:])]
        return read(file.read_text(encoding="utf-8"))


def _ran(words: Sequence[str]) -> tuple[str, str]:
    """The exit reason of a program, and what it said."""
    try:
        done = subprocess.run(
            words, cwd=ROOT, capture_output=True, text=True, timeout=MOST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return TIMEOUT, f"no end after {MOST_SECONDS} s"
    return f"exit_code_{done.returncode}", done.stdout + done.stderr


def read(junit: str) -> list[Result]:
    """Results from JUnit XML, as pytest writes it. Skipped checks are left out."""
    cases = ET.fromstring(junit).iter("testcase")
    return [_result(case) for case in cases if case.find("skipped") is None]


def _result(case: ET.Element) -> Result:
    problem = next((case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None), None)
    said = None if problem is None else (problem.text or problem.get("message") or "")[-2000:]
    return Result(
        name=case.get("name") or "?",
        suite="skills",
        tier=1,
        passed=problem is None,
        duration_ms=round(float(case.get("time") or 0) * 1000),
        exit_reason="success" if problem is None else "failed",
        error=said,
    )
