"""A run as JUnit XML, as CI services show it. Pure."""

import re
from xml.sax.saxutils import escape, quoteattr

from tests.evals.result import Result
from tests.evals.run import Run


def junit(run: Run) -> str:
    """Return the run as XML: a suite for each tested tool.

    A task that was not solved is a failure, a run that broke off an error.
    """
    suites: dict[str, list[Result]] = {}
    for test in run.tests:
        suites.setdefault(test.suite, []).append(test)
    head = f'<testsuites name={_attribute(run.name)} tests="{len(run.tests)}" {_counts(run.tests)}>'
    parts = [_suite(name, tests) for name, tests in suites.items()]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *parts, "</testsuites>", ""])


def _suite(name: str, tests: list[Result]) -> str:
    head = f'  <testsuite name={_attribute(name)} tests="{len(tests)}" {_counts(tests)}>'
    return "\n".join([head, *map(_case, tests), "  </testsuite>"])


def _case(test: Result) -> str:
    seconds = test.duration_ms / 1000
    head = (
        f"name={_attribute(test.name)} classname={_attribute(test.suite)} time={_attribute(f'{seconds:.3f}')}"
    )
    if test.passed:
        return f"    <testcase {head}/>"
    kind = "error" if _broke_off(test) else "failure"
    reason = escape(_printable("\n".join([test.error or "", *test.browse_errors])))
    return f"    <testcase {head}><{kind} message={_attribute(test.why[:200])}>{reason}</{kind}></testcase>"


def _counts(tests: list[Result] | tuple[Result, ...]) -> str:
    failed = [test for test in tests if not test.passed]
    errors = sum(map(_broke_off, failed))
    return f'failures="{len(failed) - errors}" errors="{errors}"'


def _broke_off(test: Result) -> bool:
    return test.exit_reason == "error_api" or test.exit_reason.startswith("exit_code_")


def _attribute(words: str) -> str:
    return quoteattr(_printable(words), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _printable(words: str) -> str:
    """Without what XML cannot say."""
    return re.sub(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]", "\N{REPLACEMENT CHARACTER}", words)
