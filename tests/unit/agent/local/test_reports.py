import json
from pathlib import Path

import pytest

from gstack_browse.errors import Refused, UsageError
from gstack_browse.registry import REGISTRY, bind
from gstack_browse.registry.binding import render_shape
from gstack_browse.registry.values.paths import CallerPaths as Typed
from tests.each import each, each_row
from tests.unit.agent.local.conftest import Place

SAID = ("--tried", "click @e3", "--happened", "exit 0\x1b[31m", "--expected", "a page", "--severity", "7")


def written(place: Place, title: str = "Click does nothing") -> Path:
    return Path(place("field-report", title, *SAID).partition("Written: ")[2].partition("\n")[0])


def test_a_report_says_what_happened_and_on_which_version(place: Place) -> None:
    path = written(place)
    assert path.parent == place.home / "contributor-logs"
    assert path.name.endswith("-click-does-nothing.md")
    assert (path.stat().st_mode & 0o777, place.home.stat().st_mode & 0o777) == (0o600, 0o700)
    text = path.read_text()
    assert "severity 7 of 10" in text
    assert "## What happened\n\nexit 0␛[31m\n" in text
    assert "(no daemon is running)" in text


def test_a_report_needs_all_of_it_and_three_are_enough_for_a_session(place: Place) -> None:
    with pytest.raises(UsageError, match="what was tried, what happened"):
        place("field-report", "Click does nothing", "--tried", "click")
    assert len({written(place, "The same") for _ in range(3)}) == 3
    with pytest.raises(Refused, match="3 reports already"):
        written(place)


@pytest.mark.programs
def test_an_insight_is_kept_with_its_project_and_branch(repository: Place) -> None:
    repository("eureka", "no", "queue", "needed")
    (line,) = (repository.home / "eureka.jsonl").read_text().splitlines()
    fields = json.loads(line)
    assert (fields["branch"], fields["text"]) == ("main", "no queue needed")
    assert fields["project"].startswith("work-")


@each([("field-report", "x", *SAID), ("eureka", "x"), ("update-snooze",)])
def test_without_traces_nothing_is_written(words: tuple[str, ...], place: Place) -> None:
    place("config", "local_traces", "false")
    place(*words)
    assert [path.name for path in place.home.iterdir()] == ["config.toml"]


@each_row(
    (["fill", "@e3", "my secret"], "fill @e3 <value…>"),
    (["fill", "#password", "x"], "fill <target> <value…>"),
    (["goto", "https://intern.example/?token=1", "--timeout", "5"], "goto <url>"),
    (["click", "@e3", "--double"], "click @e3 --double"),
    (["scroll", "#secret"], "scroll <target>"),
    (["is", "visible", "text=Secret"], "is visible <target>"),
    (["js", "document.cookie"], "js <expression…>"),
    (["tab", "2"], "tab 2"),
    (["url"], "url"),
)
def test_of_a_command_only_its_shape_is_told(typed: list[str], shown: str) -> None:
    command = REGISTRY.commands[typed[0]]
    assert render_shape(bind(command, typed[1:], Typed(Path.cwd(), Path.cwd()))) == shown
