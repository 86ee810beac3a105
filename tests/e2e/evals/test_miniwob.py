"""A page of the form of MiniWoB++, solved by commands alone: its own reward is what counts."""

from pathlib import Path

import pytest

from tests.evals import miniwob
from tests.evals.miniwob import pages
from tests.evals.solve import run_scripted
from tests.evals.task import GBROWSE

CORE = """
var core = {EP_TIMER: null, createDisplay() {}};
Math.seedrandom = function (seed) { Math.random = () => seed.length / 100; };
core.startEpisodeReal = function () { core.EP_TIMER = 1; genProblem(); };
core.endEpisode = function () { core.EP_TIMER = null; };
"""
PAGE = """
<!doctype html><title>Test</title><script src="../core/core.js"></script><div id="query"></div><div id="area"></div>
<script>
function genProblem() {
  query.textContent = 'Click button TWO.';
  for (const [name, reward] of [['ONE', -1], ['TWO', 1]]) {
    const button = area.appendChild(document.createElement('button'));
    button.textContent = name;
    button.onclick = () => core.endEpisode(reward, true);
  }
}
onload = () => core.startEpisode();
</script>
"""


def test_a_page_is_solved_and_its_reward_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in {"core/core.js": CORE, "miniwob/click-test-2.html": PAGE}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.setattr(pages, "root", lambda: tmp_path)
    result = run_scripted(miniwob.task("click-test-2"), GBROWSE, seed=1)
    assert (result.error, result.passed) == (None, True)
    assert [call.input.split()[1] for call in result.tool_calls] == ["goto", "text", "snapshot", "click"]
