"""How each tool is spoken to where its commands need more than one word."""

from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.process import TimedCommand
from tests.each import each_row
from tests.evals.tools.agent_browser import AgentBrowser
from tests.evals.tools.browser import Browser, Line
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
