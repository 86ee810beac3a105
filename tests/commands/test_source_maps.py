"""Test that errors name the original file and line by a source map, and that a bad map costs nothing."""

import base64

import pytest

from gstack_browse.browser.context import source_maps
from gstack_browse.errors import UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.web import FOLDER, Web
from tests.source_map_files import source_map

pytestmark = pytest.mark.same_session

CODE = "const fail = () => {null.x};const log = () => {console.error(new Error('said'))};const never = () => {1+1+1};\n"
AT = CODE.index("null"), CODE.index("console"), CODE.index("const never")
MAP = source_map(
    ["webpack://shop/./src/a.ts", "../src/b.ts"],
    [(0, 0, 0, 0, 0), (0, AT[0], 0, 11, 4), (0, AT[1], 1, 2, 0), (0, AT[2], 1, 5, 0)],
)
INLINE = "data:application/json;base64," + base64.b64encode(MAP.encode()).decode()
PAGE = "<script src='{}'></script><button onclick='fail()'>Go</button><button onclick='log()'>Log</button>"


def script(web: Web, named: str, content: str = MAP) -> str:
    """A script, and its map beside it unless that is inline."""
    web.pages["/maps/app.js.map"] = content, {}
    return web.script("app.js", f"{CODE}//# sourceMappingURL={named}")


@pytest.fixture(autouse=True)
def wait_for_maps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for maps as long as a busy machine takes, but where a map is late."""
    monkeypatch.setattr(source_maps, "ERROR_SECONDS", 0.3 if "late" in request.node.name else 60.0)


async def test_errors_name_the_original_file_and_line(run: Run, web: Web) -> None:
    """Find the map beside the script, in it, or by a header. It is no request of the page."""
    by_header = script(web, "x").replace("app.js", "named.js")
    web.pages[by_header.removeprefix(web.url)] = CODE, {"SourceMap": "/maps/app.js.map"}
    for address in (script(web, "/maps/app.js.map"), script(web, INLINE), by_header):
        await run(f"goto {web.show(PAGE.format(address))}")
        assert (await run("click text=Go")).endswith("(reading 'x') (src/a.ts:12:5)")
        log = await run("console --errors")
        assert " (src/a.ts:12:5 ← fail (http" in log
        assert f"/{address.rpartition('/')[2]}:1:26))" in log
        assert ".map" not in await run("network")
    logged = await run("click text=Log")
    assert "Error: said at log (" in logged
    assert "src/b.ts:3:1)" in logged.splitlines()[1]


async def test_code_that_a_build_evaluates_is_named(run: Run, show: Show) -> None:
    code = f"{CODE.strip()};Object.assign(window, {{ fail, log }})\\n//# sourceMappingURL={INLINE}\\n//# sourceURL=webpack-internal:///./src/a.ts"
    await show(f'<script>eval("{code}")</script>' + PAGE.partition("</script>")[2])
    assert (await run("click text=Go")).endswith("(reading 'x') (src/a.ts:12:5)")
    assert "Error: said at log (src/b.ts:" in await run("click text=Log")
    assert " (src/a.ts:12:5 ← fail (webpack-internal:///./src/a.ts:1:26))" in await run("console --errors")


@pytest.mark.parametrize("build", ["vite", "webpack-eval", "esbuild"])
async def test_builds_of_the_programs_that_people_use_are_named(
    run: Run, web: Web, shell: Shell, build: str
) -> None:
    """The files say how they were made: tests/site/builds/README.md."""
    await run(f"goto {web.url}/builds/page.html?{build}")
    cart, main = ((FOLDER / f"builds/src/{name}.ts").read_text().split("\n") for name in ("cart", "main"))
    for button, file, line in (
        ("pay", "cart", cart.index("  for (const item of items!) sum += item.price;") + 1),
        ("log", "main", main.index("  console.error(new Error('cart is empty'));") + 1),
        ("later", "main", main.index("  throw new RangeError('too late');") + 1),
    ):
        assert f" (src/{file}.ts:{line}:" in await run(f"click '#{button}'")
    log = await run("errors")
    assert "Error: cart is empty\n" in log
    assert log.count("(src/") == 4, log
    await run("coverage-start")
    await run("reload")
    if build != "webpack-eval":  # what is evaluated is no file of its own
        await run("coverage --out covered.json --keep")
        assert "src/cart.ts" in await run("coverage")
        assert 'src/cart.ts"' in (shell.workspace / "covered.json").read_text()


async def test_a_policy_of_the_page_is_not_violated(run: Run, web: Web) -> None:
    policies = {"connect-src 'none'": "app.js:1:26", "default-src 'self' 'unsafe-inline'": "src/a.ts:12:5"}
    for policy, place in policies.items():
        page = PAGE.format(script(web, "/maps/app.js.map"))
        await run(f"goto {web.show(page, Content_Security_Policy=policy)}")
        told = f"→ 1 error: TypeError: Cannot read properties of null (reading 'x') ({place})"
        assert (await run("click text=Go")).split("\n")[1:] == [told]


async def test_a_map_that_is_missing_broken_or_late_costs_nothing(run: Run, web: Web) -> None:
    gate = web.gate("map")
    for named, content in (
        ("/nothing.map", ""), ("/maps/app.js.map", "{"), ("/maps/app.js.map", '{"mappings": "!", "sources": ["a"]}'),
        ("data:application/json;base64,!", ""), ("http://127.0.0.1:1/x.map", ""), ("file:///etc/passwd", ""), ("/gate/map", ""),
    ):  # fmt: skip
        await run(f"goto {web.show(PAGE.format(script(web, named, content)))}")
        assert (await run("click text=Go")).endswith("(app.js:1:26)"), named
    gate.set()


async def test_errors_are_counted_once_each(run: Run, fails: Fails, web: Web) -> None:
    await run(f"goto {web.show(PAGE.format(script(web, '/maps/app.js.map')))}")
    for _ in range(3):
        await run("click text=Go")
    await run("click text=Log")
    lines = (await run("console --errors --unique")).split("\n")
    assert " ×3, last " in lines[0]
    assert "src/a.ts:12:5" in lines[0]
    assert lines[1].endswith("[error] Error: said")
    assert (await run("errors")).split("\n") == lines
    await fails("console --unique --clear", UsageError)
