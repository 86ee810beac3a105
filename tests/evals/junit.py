"""A run as JUnit XML, as CI services show it. Pure."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from tests.evals.result import Result
from tests.evals.run import Run


def junit(run: Run) -> str:
    """Return the run as XML: a suite for each tested tool.

    A task that was not solved is a failure, a run that broke off an error.
    """
    root = _element("testsuites", name=run.name, **_counts(run.tests))
    for suite in dict.fromkeys(test.suite for test in run.tests):
        tests = [test for test in run.tests if test.suite == suite]
        of_suite = _element("testsuite", name=suite, **_counts(tests))
        of_suite.extend(map(_case, tests))
        root.append(of_suite)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _case(test: Result) -> ET.Element:
    case = _element("testcase", name=test.name, classname=test.suite, time=f"{test.duration_ms / 1000:.3f}")
    if not test.passed:
        problem = _element("error" if _broke_off(test) else "failure", message=test.why[:200])
        problem.text = _printable("\n".join([test.error or "", *test.browse_errors]))
        case.append(problem)
    return case


def _counts(tests: Sequence[Result]) -> dict[str, str]:
    failed = [test for test in tests if not test.passed]
    errors = sum(map(_broke_off, failed))
    return {"tests": str(len(tests)), "failures": str(len(failed) - errors), "errors": str(errors)}


def _broke_off(test: Result) -> bool:
    return test.exit_reason == "error_api" or test.exit_reason.startswith("exit_code_")


def _element(tag: str, **attributes: str) -> ET.Element:
    return ET.Element(tag, {name: _printable(value) for name, value in attributes.items()})


def _printable(words: str) -> str:
    """Without what XML cannot say."""
    return re.sub(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]", "\N{REPLACEMENT CHARACTER}", words)
