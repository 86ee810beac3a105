"""Test `perf`: what web-vitals measures, what Chromium records, and budgets."""

import asyncio
import json
import re
import stat

import pytest

from gstack_browse.browser.reading.page_scripts import WEB_VITALS
from gstack_browse.errors import ProblemsFound, UsageError
from tests import chromiums
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import STRICT, Web

pytestmark = pytest.mark.same_session

BUSY = "const end = performance.now() + 120; while (performance.now() < end);"
PAGE = """<!doctype html><title>Shop</title><h1 id=top style="font-size: 90px; margin: 0">A very large heading</h1><p id=below>Below</p>
<button id=buy style="position: fixed; bottom: 0; right: 0">Buy</button><script>
buy.onclick = () => {{ {busy}; buy.textContent = 'Sold'; }};
addEventListener('load', () => requestAnimationFrame(() => setTimeout(() => {{
  const late = document.createElement('div');
  late.style.height = '150px';
  document.body.prepend(late);
  window.isLate = true;
}}, 50)));
</script>{more}"""
ALONE = """new Promise((done) => {
  const found = {};
  for (const name of ['LCP', 'CLS', 'FCP', 'TTFB'])
    webVitals[`on${name}`](({ value }) => { found[name] = value; if (Object.keys(found).length === 4 && found.CLS) done(JSON.stringify(found)); },
      { reportAllChanges: true });
})"""


async def test_vitals_are_those_of_the_library(run: Run, show: Show, web: Web) -> None:
    script = f"<script src='{web.script('vitals.js', WEB_VITALS.source())}'></script>"
    await show(PAGE.format(busy=BUSY, more=script))
    await run("wait --js window.isLate")
    alone = json.loads(await run("js", ALONE))
    told = json.loads(await run("perf --vitals --json"))
    assert {name: told[name]["value"] for name in alone} == alone
    assert told["INP"] is None
    shown = {line.split()[0]: line for line in (await run("perf --vitals")).splitlines()}
    assert shown["INP"].endswith("no interaction timed yet; those shorter than 104 ms count from now on")
    ref = shown["LCP"].split("@")[1].split()[0]
    assert await run(f"js @{ref}.id") == "top"
    moved = [item["element"].split()[0] for item in told["CLS"]["moved"]]
    assert {await run(f"js {one}.id") for one in moved} == {"top", "below"}


async def test_an_interaction_counts_when_it_has_happened(run: Run, show: Show) -> None:
    chromiums.need_shell("a full one without a window times few interactions, whoever makes them")
    page = PAGE.format(busy=BUSY, more=f"<script>{BUSY}</script>")
    await show(page, Content_Security_Policy="connect-src 'none'")
    await run("click '#buy'")
    lines = (await run("perf --vitals")).splitlines()
    interaction = next(line for line in lines if line.startswith("INP"))
    assert "pointer on @e" in interaction
    assert '"Sold": ' in interaction
    assert int(interaction.split()[1].replace(",", "")) >= 120
    assert any(re.match(r"([2-9]|\d\d+) long tasks, ", line) for line in lines)


async def largest_paint(run: Run) -> str:
    """Return the line of the largest paint, once Chromium has painted."""
    async with asyncio.timeout(60):
        while "nothing large has been painted yet" in (line := (await run("perf --vitals")).splitlines()[0]):
            pass
    return line


async def test_a_page_can_neither_prevent_nor_change_it(run: Run, show: Show) -> None:
    lie = "<script>window.PerformanceObserver = class { observe() { throw 1 } }; Performance.prototype.getEntriesByType = () => []</script>"
    await show(f"<h1>Shown</h1><i id=__gbrowseVitals></i>{lie}")
    assert '"Shown": ' in await largest_paint(run)
    assert await run("js typeof webVitals") == "undefined"
    await show("<h1>Strict</h1>", Content_Security_Policy=STRICT)
    assert '"Strict": ' in await largest_paint(run)


async def test_a_trace_is_saved_and_summarised(
    run: Run, fails: Fails, show: Show, web: Web, shell: Shell
) -> None:
    code = web.script("busy.js", f"function work() {{ {BUSY} }} work();")
    await show(f"<h1>Busy</h1><script src='{code}'></script>")
    told = (await run("perf --trace trace.json")).splitlines()
    path = shell.workspace / "trace.json"
    assert told[0].startswith(f"Trace saved: {path} (")
    # Not always the longest task: a collection of garbage may take longer.
    assert re.search(r"EvaluateScript busy\.js:1 \d{3,} ms", "\n".join(told[1:]))
    events = json.loads(path.read_text())["traceEvents"]
    assert any(event["name"] == "EvaluateScript" for event in events)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    await run("perf --trace short.json --record 50")
    assert json.loads((shell.workspace / "short.json").read_text())["traceEvents"]
    for wrong in ("--vitals --trace x.json", "--json", "--record 5"):
        await fails(f"perf {wrong}", UsageError)


async def test_a_budget_that_does_not_hold_is_exit_1(run: Run, fails: Fails, show: Show, web: Web) -> None:
    address = web.script("app.js", "console.error('once');" + " " * 5000)
    await show(f"<h1>Shop</h1><script src='{address}'></script>")
    await run("wait --load")
    budget = "lcp<60s,cls<0.1,requests<=2,bytes<20KB,script-bytes<6KB,errors<2,load<60s"
    assert len((await run("perf", "--budget", budget)).split("\n")) == 7
    budget = "requests<2,errors<1,inp<200,script-bytes<5KB,lcp<60s"
    reply = await fails("perf", ProblemsFound, "--budget", budget)
    assert reply.message == "4 of 5 limits do not hold: requests<2, errors<1, inp<200, script-bytes<5KB"
    over = [line.split()[-2:] for line in reply.text.split("\n")]
    assert over[:2] == [["over", "requests<2"], ["over", "errors<1"]]
