"""The examples of `docs/python.md`, run as they stand against a real daemon and a small site."""

import re

import pytest

from tests.e2e.daemon.harness import ROOT, DaemonHarness

EXAMPLES = re.findall(
    r"```python\n(.*?)```\n```\n(.*?)```", (ROOT / "docs/python.md").read_text("utf-8"), re.DOTALL
)


assert len(EXAMPLES) == 5


@pytest.mark.parametrize(("script", "printed"), EXAMPLES)
def test_an_example_prints_what_it_says(lasting: DaemonHarness, origin: str, script: str, printed: str) -> None:
    assert lasting.python(script.replace("localhost:8000", origin)).replace(origin, "localhost:8000") == printed
