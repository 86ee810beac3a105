"""`memory` and `coverage`: what a page takes, and what of it is used."""

import json
import re

import pytest

from gstack_browse.errors import ActionFailed
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

LEAK = """<p id=menu>Menu</p><script>
window.kept = [];
function leak(count) {
  for (let index = 0; index < count; index++) {
    const row = document.createElement('li');
    row.className = 'row wide';
    row.append('text', document.createElement('b'));
    kept.push(row);
  }
}
</script>"""


async def test_memory_lists_detached_nodes(run: Run, show: Show) -> None:
    await show(LEAK)
    assert "detached nodes  0" in await run("memory --gc")
    before = json.loads(await run("memory --gc --json"))
    await run("js leak(100)")
    after = json.loads(await run("memory --gc --json"))
    assert after["detached"] == [{"root": "li.row.wide", "trees": 100, "nodes": 300}]
    assert before["nodes"] < 300 <= after["nodes"]
    assert after["heap"] > 100_000
    told = await run("memory")
    assert "\n  li.row.wide × 100: 300 nodes" in told
    await run("js kept.length=0")
    assert "detached nodes  0" in await run("memory --gc")
    assert json.loads(await run("memory --gc --json"))["nodes"] < 300


async def test_coverage_lists_used_parts_of_scripts_and_sheets(
    run: Run, fails: Fails, show: Show, web: Web
) -> None:
    used, never = "function used() { return 1 }", "function never() { return 2 }"
    script = web.script("app.js", f"{used} {never} used();")
    web.pages["/scripts/app.css"] = ".a { color: red } .never { color: blue }", {}
    markup = f"<link rel=stylesheet href=/scripts/app.css><script src='{script}'></script><p class=a>A<button onclick='never()'>Go</button>"
    page = await show(markup)
    assert "coverage-start" in (await fails("coverage", ActionFailed)).hint
    await run("coverage-start")
    await run("reload")
    first = (await run("coverage --keep")).splitlines()
    assert [re.split(r" {2,}", line) for line in first[:2]] == [
        ["29 B", "of 66 B", "44 %", "js", script],
        ["23 B", "of 40 B", "58 %", "css", f"{web.url}/scripts/app.css"],
    ]
    assert first[-1] == "Unused: 29 B of 66 B js (44 %), 23 B of 40 B css (58 %)"
    await run("click button")
    assert f"0 B   of 66 B  0 %   js   {script}" in (await run("coverage --keep")).splitlines()
    await run("goto", page.replace(web.url, web.other))
    told = await run("coverage --out coverage.json")
    assert told.splitlines()[1] == "Unused: 29 B of 66 B js (44 %), 23 B of 40 B css (58 %)"
    await fails("coverage", ActionFailed)


async def test_the_file_has_the_parts_that_were_used(run: Run, show: Show, web: Web, shell: Shell) -> None:
    script = web.script("app.js", "function a() {} function b() {} b();")
    for _ in range(2):
        await run("coverage-start")
    await show(f"<script src='{script}'></script><script>eval('1')</script><style>p {{ color: red }}</style>")
    await run("coverage --out coverage.json")
    told = json.loads((shell.workspace / "coverage.json").read_text())
    (file,) = [file for file in told if file["url"] == script]
    assert (file["type"], file["unused"], file["used"]) == ("js", 15, [{"start": 15, "end": 36}])
