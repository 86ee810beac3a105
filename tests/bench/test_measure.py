"""Test a peer that hangs, fails or claims what it did not do. The peers here are shell scripts."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import psutil
import pytest

from tests.bench import contestants
from tests.bench.contestants import Contestant, Tool, entered
from tests.bench.measure import cold_starts, steps

pytestmark = pytest.mark.programs

BASE = "http://127.0.0.1:9"
ENDLESS = "mkfifo never; read line < never"
WORDS = {"start": ["true"], "stop": ["true"], "goto": ["true"], "url": [f"echo {BASE}/form"]}
Enter = Callable[..., list[Contestant]]


def peer(name: str, **scripts: str) -> Tool:
    words = {**WORDS, **{action: [script] for action, script in scripts.items()}}
    return Tool(name, ["sh", "-c"], words)


@pytest.fixture
def enter() -> Iterator[Enter]:
    with ExitStack() as stack:
        yield lambda *tools: [stack.enter_context(entered(tool)) for tool in tools]


def test_everyone_runs_as_often_and_nobody_stops_for_another(
    enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contestants, "DEADLINE_SECONDS", 0.3)
    able = enter(
        peer("right"),
        peer("hanging", url=ENDLESS),
        peer("failing", url="echo no daemon >&2; exit 3"),
        peer("wrong", url="echo about:blank"),
    )
    row = steps(able, BASE, 3, "url")["url"]
    assert {name: (len(runs.ms), runs.fault) for name, runs in row.items()} == {
        "right": (3, ""),
        "hanging": (0, "hung: no end after 0.3 s"),
        "failing": (1, "failed: exit 3: no daemon"),
        "wrong": (1, "wrong: no '/form' in the answer"),
    }


def test_a_click_that_the_page_did_not_notice_does_not_count(enter: Enter) -> None:
    able = enter(peer("clicking", click="true", js="echo true"), peer("lying", click="true", js="echo false"))
    row = steps(able, BASE, 2, "click")["click"]
    assert row["clicking"].median is not None
    assert row["lying"].fault == "no effect: the page did not notice"


def test_a_screenshot_without_a_picture_does_not_count(enter: Enter) -> None:
    able = enter(
        peer("drawing", screenshot=r"printf '\211PNG' > shot.png"), peer("lying", screenshot="echo Saved")
    )
    row = steps(able, BASE, 1, "screenshot, form")["screenshot, form"]
    assert row["drawing"].median is not None
    assert row["lying"].fault == "no effect: there is no picture"


def test_a_program_that_is_not_there_fails() -> None:
    missing = Tool("missing", ["/nowhere/missing"], WORDS)
    assert cold_starts([missing], BASE)["missing"].fault.startswith("failed: exit 127: ")


def test_process_left_by_a_tool_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestants, "LEAVING_SECONDS", 0.1)
    leaving = peer("leaving", start="setsid sh -c 'mkfifo never; read line < never' & echo $!")
    with entered(leaving) as contestant:
        pid = int(contestant.start(BASE).output)
        left = psutil.Process(pid)
    assert left.wait(timeout=10) is None, "ended, and taken note of by whoever its parent is"
    assert not contestant.workspace.exists()
