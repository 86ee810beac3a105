"""How each tool is spoken to where its commands need more than one word."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.bench.process import TimedCommand
from tests.each import each_row
from tests.evals.tools.agent_browser import AgentBrowser
from tests.evals.tools.browser import Browser, CommandFailedError, Line
from tests.evals.tools.gbrowse import Gbrowse
from tests.evals.tools.playwright_cli import PlaywrightCli

BUTTON = Line("@e7", "button", "Choose file")


@dataclass
class FakeShell:
    """Answers commands with what is written down, one after the other; then with nothing."""

    answers: list[tuple[int, str]]
    typed: list[str] = field(default_factory=list)
    workspace: Path = Path("/work")

    def tool(self, *words: str, stdin: str = "") -> TimedCommand:
        self.typed.append(" ".join(words))
        code, said = self.answers.pop(0) if self.answers else (0, "")
        return TimedCommand(0, code, said, "")


def at_work(tool: type[Browser], *answers: tuple[int, str]) -> tuple[Browser, list[str]]:
    shell = FakeShell(list(answers))
    return tool(shell), shell.typed  # type: ignore[arg-type]


def test_agent_browser_uploads_behind_a_button_and_sets_a_slider_by_a_script() -> None:
    page, typed = at_work(AgentBrowser, (1, "CDP error: Node is not a file input element"))
    page.upload(BUTTON, "a.pdf")
    assert typed == ["upload @e7 /work/a.pdf", "upload input[type=file] /work/a.pdf"]
    page, typed = at_work(AgentBrowser, (1, "the daemon is gone"))
    with pytest.raises(CommandFailedError):
        page.upload(BUTTON, "a.pdf")
    assert len(typed) == 1
    page, typed = at_work(AgentBrowser)
    page.fill(Line("@e6", "slider", "Most"), "310")
    page.fill(Line("@e2", "textbox", "Name"), "Ada")
    assert typed == ["focus @e6", "eval --stdin", "fill @e2 Ada"]


def test_gbrowse_visits_in_one_chain_and_reads_runs_line_by_line() -> None:
    printed = (
        '[goto] Navigated to http://x/ (200)\n[expect] Expected: text "Day" (1 ms)\n[snapshot] @e1 [heading] "May"\n'
        '  @e2 [button] "9 May 9"; 10: @e3, 11: @e4, 12: @e5, 13: @e6, 14: @e7\n@c8–@c13 6× [generic] (.cell)'
    )
    page, typed = at_work(Gbrowse, (0, printed))
    page.visit("http://x/", "Day of")
    assert typed == ["chain"]
    assert [(line.ref, line.name) for line in page.all("button")] == [
        ("@e2", "9 May 9"), ("@e3", "10 May 9"), ("@e4", "11 May 9"), ("@e5", "12 May 9"), ("@e6", "13 May 9"), ("@e7", "14 May 9"),
    ]  # fmt: skip
    assert [line.ref for line in page.all("generic")] == [f"@c{number}" for number in range(8, 14)]
    page, typed = at_work(AgentBrowser)
    page.visit("http://x/", "Day")
    page.renew()
    assert [line.split()[0] for line in typed] == ["open", "wait", "snapshot", "snapshot"]


@each_row(
    (False, "dialog-dismiss"),
    (True, "dialog-accept"),
)
def test_playwright_cli_answers_alerts_that_follow(accept: bool, first: str) -> None:
    alert = '### Modal state\n- ["alert" dialog with message "Gone"]'
    page, typed = at_work(PlaywrightCli, (0, "clicked"), (0, alert), (0, alert), (0, "done"))
    page.answering(BUTTON, accept=accept)
    assert typed == ["click @e7", first, "dialog-accept", "dialog-accept"]


SAVED_OR_NO = 'wait --fn ["Saved", "“No”"].some(each => document.body.innerText.includes(each)) --timeout 8000'
LOADING = 'Clicked [button] "Save"\n→ still loading: 2 requests'


@each_row(
    (AgentBrowser, "✓ Done", ["Page 2 of"], ["wait --text Page 2 of --timeout 8000"]),
    (AgentBrowser, "✓ Done", ["Saved", "“No”"], [SAVED_OR_NO]),
    (AgentBrowser, "✓ Done", [], ["wait --load networkidle"]),
    (Gbrowse, 'Clicked [button] "Save"', ["Saved"], []),
    (Gbrowse, LOADING, ["Saved"], ["wait --networkidle"]),
    (PlaywrightCli, "### Ran Playwright code", ["Saved"], []),
)
def test_effects_are_waited_for_where_the_tool_s_action_does_not(
    tool: type[Browser], said: str, words: list[str], waits: list[str]
) -> None:
    page, typed = at_work(tool, (0, said))
    page.click(BUTTON)
    page.follow(*words)
    assert typed[1:] == waits


def test_a_part_is_scrolled_both_ways_and_an_element_sought_in_the_whole_page() -> None:
    for tool, words in (
        (Gbrowse, ["scroll @e7 down 40", "scroll @e7 up 684"]),
        (AgentBrowser, ["scroll down 40 --selector @e7", "scroll up 684 --selector @e7"]),
        (PlaywrightCli, ["hover @e7", "mousewheel 0 40", "hover @e7", "mousewheel 0 -684"]),
    ):
        page, typed = at_work(tool)
        page.scroll(BUTTON, 40)
        page.scroll(BUTTON, -684)
        assert typed == words
    page, typed = at_work(Gbrowse, (0, '@e1 [link] "Home"'), (0, '@e1 [link] "Home"\n@e2 [button] "Save"'))
    page.look()
    assert page.find("button", "Save").ref == "@e2"
    assert typed == ["snapshot -i", "snapshot"]


@each_row(
    ('"Save" is covered by <div.shade>', ["snapshot -i"]),
    ("The click failed", ["text", "console --errors", "network --failed", "snapshot"]),
)
def test_cover_of_a_button_is_sought_as_far_as_the_error_requires(error: str, looks: list[str]) -> None:
    shown = '@e7 [button] "Save"\n@e8 [button] "Skip"'
    page, typed = at_work(Gbrowse, (0, shown), (4, error), *[(0, shown)] * len(looks))
    page.look()
    page.click_through("button", "Save", away="Skip")
    assert typed == ["snapshot -i", "click @e7", *looks, "click @e8", "click @e7"]
