"""Test that the tools' output is read as an agent reads it.

What stands in what, and which button belongs to which row.
"""

import pytest

from tests.evals.tools.agent_browser import AgentBrowser
from tests.evals.tools.gbrowse import Gbrowse
from tests.evals.tools.lines import Line, innermost, matching
from tests.evals.tools.playwright_cli import PlaywrightCli

GBROWSE = """\
@e1 [list]
  @e2 [listitem] "Cherry"
    @e3 [button] "Delete" [disabled]
    @e4 [spinbutton] "Price" [min=0] [max=9]: 2.00
  @e5 [listitem]
    [text]: Plum
    @e6 [button] "Delete"
@e7 [button] "Say \\"no\\"" (Plum)
"""
AGENT_BROWSER = """\
- list
  - listitem [level=1, ref=e2]
    - StaticText "Cherry"
    - button "Delete" [disabled, ref=e3]
    - spinbutton "Price" [ref=e4]: 2.00
  - listitem [level=1, ref=e5]
    - StaticText "Plum"
    - button "Delete" [ref=e6]
- button "Say \\"no\\"" [ref=e7]
"""
PLAYWRIGHT = """\
### Snapshot
```yaml
- list [ref=e1]:
  - listitem [ref=e2]:
    - text: Cherry
    - button "Delete" [disabled] [ref=e3]
    - spinbutton "Price" [ref=e4]: "2.00"
  - listitem [ref=e5]:
    - text: Plum
    - button "Delete" [ref=e6] [cursor=pointer]
- button "Say \\"no\\"" [ref=e7]
```
"""
each_tool = pytest.mark.parametrize(
    ("lines", "at"),
    [
        (Gbrowse.parsed(GBROWSE), "@"),
        (AgentBrowser.parsed(AGENT_BROWSER), "@"),
        (PlaywrightCli.parsed(PLAYWRIGHT), ""),
    ],
    ids=["gbrowse", "agent-browser", "playwright-cli"],
)
Lines = list[Line]


@each_tool
def test_rows_states_and_values_of_each_tool_s_output_are_read(lines: Lines, at: str) -> None:
    assert [line.ref for line in matching(lines, "button", "Delete", "Plum")] == [f"{at}e6"]
    assert [line.ref for line in matching(lines, "button", "Delete", "Cherry")] == [f"{at}e3"]
    first, second = matching(lines, "button", "Delete")
    assert (first.has("disabled"), second.has("disabled")) == (True, False)
    assert matching(lines, "spinbutton")[0].value.strip('"') == "2.00"
    assert [line.ref for line in matching(lines, "button", 'Say "no"')] == [f"{at}e7"]
    item = innermost(lines, "listitem", "Plum")
    assert item is not None
    assert item.ref == f"{at}e5"
