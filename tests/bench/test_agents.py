"""Test what is said of many agents at once. The tools here are shell scripts."""

import pytest

from tests.bench.agents import TASK, Row, commands, measure, table
from tests.bench.contestants import Tool


def test_the_task_has_twenty_steps_and_goes_where_it_reads() -> None:
    task = commands(7, "http://a")
    assert (len(TASK), [action for action, _ in task]) == (20, list(TASK))
    assert [values["url"] for action, values in task if action == "goto"] == [
        "http://a/form",
        "http://a/news",
        "http://a/form",
    ]
    assert {values["round"] for _, values in task} == {"7"}


def test_a_row_says_what_all_did_together_and_what_each_took() -> None:
    row = Row("gbrowse", 4, 1, 2.0, p50=12.4, p99=80.0, mb=400.0, cpu_ms=9.31)
    assert row.rate == 40
    assert table([row]).splitlines()[-1] == "| 4 | gbrowse | 40 | 12 | 80 | 2.0 | 9.3 | 100 | 1 |"


@pytest.mark.programs
def test_each_agent_is_itself_and_a_command_that_fails_is_counted() -> None:
    done = {action: ["true"] for action in ("start", "stop", *TASK)}
    words = done | {"js": ["echo Ada 1; echo ${{AGENT}} >> seen"], "hover": ["exit 3"]}
    row = measure(Tool("shell", ["sh", "-c"], words), 2, "http://a")
    assert (row.agents, row.failed) == (2, 3), "a step of each, and one that reads what the other has typed"
    assert 0 < row.p50 <= row.p99
    assert row.cpu_ms > 0
