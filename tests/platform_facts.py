"""Run the web platform's own tests of roles and names, once with our answers and once with Chromium's.

    python -m tests.platform_facts DIR [--group accname] [--all]

DIR is a checkout of web-platform-tests, of which the folders `resources`, `wai-aria` and the tests' own are enough; nothing of
it is part of this repository. The pages run as they are, with the platform's own harness: what a WebDriver would be asked for the role
and the name of an element is asked of the engine, then of Chromium's accessibility tree. A fact is a subtest.
"""

import argparse
import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Literal

from gstack_browse import settings
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.engine import closed_roots
from gstack_browse.browser.engine.messages import call_in, send
from gstack_browse.browser.engine.refs import Refs
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.launch import launch
from tests.browser.pages import DrivenPage
from tests.e2e.serving import serving

Who = Literal["ours", "Chromium's"]
Fact = tuple[str, str]
"""A page of the checkout, and a subtest of that."""

ASKS = re.compile(r"AriaUtils\.verify(?:Labels|Roles|RoleOr|Generic|RolesAnd)|AriaUtils\.assign|get_computed_")
SECONDS = 300
DRIVER = """
window.asked = [];
const ask = (what) => (element) => new Promise((answer, refuse) => {
  tell({ index: asked.push({ element, answer, refuse }) - 1, what });
});
Object.assign(window.test_driver_internal,
  { in_automation: true, get_computed_role: ask('role'), get_computed_label: ask('label') });
"""
REPORT = """
setup({ explicit_timeout: true });
const told = new ReadableStream({ start: (queue) => { window.tell = (what) => queue.enqueue(what); } });
window.reader = told.getReader();
add_completion_callback(
  (tests) => tell({ results: tests.map((test) => [test.name, test.status, test.message]) }));
"""
"""The page puts its questions, then its results, into a queue, which is read."""
PUT_IN = {"/resources/testdriver-vendor.js": DRIVER, "/resources/testharnessreport.js": REPORT}
SAME_ROLE = {"img": "image"}


class _Checkout(SimpleHTTPRequestHandler):
    """Serve the checkout.

    With a driver and a report of our own in the place of those that are a browser's to give.
    """

    def do_GET(self) -> None:
        script = PUT_IN.get(self.path)
        if script is None:
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript")
        self.end_headers()
        self.wfile.write(script.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Answers:
    """Answers to the driver in the page: by the engine, or by Chromium's tree."""

    def __init__(self, page: DrivenPage) -> None:
        self.who: Who = "ours"
        self.page, self._world = page, page.world
        self._refs = Refs(page.inner, page.world)

    async def answer_until_results(self) -> list[tuple[str, int, str | None]]:
        """Answer what the page asks. Return its subtests: name, status, message."""
        while True:
            told = await self.page.evaluate("reader.read().then((read) => read.value)")
            if "results" in told:
                return [(name, status, message) for name, status, message in told["results"]]
            index = told["index"]
            try:
                answer = await self._answer(index, told["what"])
            except (AssertionError, ProtocolError) as error:  # a fact that does not hold, as with any driver
                await self.page.call("(index, why) => asked[index].refuse(Error(why))", index, str(error))
            else:
                await self.page.call("(index, answer) => asked[index].answer(answer)", index, answer)

    async def _answer(self, index: int, what: Literal["role", "label"]) -> str:
        session = self._world.session
        wanted = {"expression": f"asked[{index}].element"}
        asked = (await session.send("Runtime.evaluate", wanted))["result"]["objectId"]
        node = (await session.send("DOM.describeNode", {"objectId": asked}))["node"]["backendNodeId"]
        role, name = await (self._by_engine(node) if self.who == "ours" else self._by_chromium(node))
        return role if what == "role" else name

    async def _by_engine(self, node: int) -> tuple[str, str]:
        await (
            self._refs.take_snapshot()
        )  # closed shadow roots and internals are met by a walk; pages make more between two questions
        context = await self._world.frames.main_context()
        mine = await closed_roots.resolve_node(context, node)
        found = await send(
            context,
            "Runtime.callFunctionOn",
            objectId=mine,
            functionDeclaration="function() { return __gbrowse.idOf(this); }",
            returnByValue=True,
        )
        told = await call_in(context, "readRolesAndNames", [found["result"]["value"]])
        assert told["said"][0], "the engine knows no role and name of it"
        role, name = told["said"][0]
        return SAME_ROLE.get(role, role), name

    async def _by_chromium(self, node: int) -> tuple[str, str]:
        wanted = {"backendNodeId": node, "fetchRelatives": False}
        found = (await self._world.session.send("Accessibility.getPartialAXTree", wanted))["nodes"][0]
        return str(found["role"]["value"]), str(found.get("name", {}).get("value", ""))


@asynccontextmanager
async def answering() -> AsyncIterator[Answers]:
    """A page of a browser of ours, whose driver is answered."""
    running = await launch.start(settings.read(), lambda line: None, on_death=lambda name: None)
    context = await running.browser.new_context(viewport={"width": 1280, "height": 720})
    page = await context.new_page()
    yield Answers(DrivenPage(page, World(page, running.connection)))
    await running.close()


async def facts(answers: Answers, address: str, name: str, who: Who) -> dict[Fact, str]:
    """Return what is wrong in each fact of a page, "" where it holds."""
    answers.who = who
    page = answers.page
    await page.goto(f"{address}/{name}")
    async with asyncio.timeout(SECONDS):
        results = await answers.answer_until_results()
    return {(name, subtest): "" if status == 0 else _short(message) for subtest, status, message in results}


def _short(message: str | None) -> str:
    """Return an assertion's message without the markup of its element."""
    found = re.search(r"expected (.*) but got (.*)$", message or "", re.DOTALL)
    return f"{found[2]}, not {found[1]}" if found else (message or "failed").partition("\n")[0]


def pages(folder: Path, group: str) -> list[str]:
    """The pages that ask for computed roles and names."""
    found = sorted(folder.glob(f"{group or '*'}/**/*.html"))
    names = [path.relative_to(folder).as_posix() for path in found if ASKS.search(path.read_text("utf-8"))]
    return [name for name in names if not name.startswith("resources/")]


async def compared(folder: Path, group: str) -> dict[Fact, tuple[str, str]]:
    """Return what is wrong by our answers, and by Chromium's, in each fact."""
    both: dict[Fact, tuple[str, str]] = {}
    with serving(partial(_Checkout, directory=str(folder))) as port:
        address = f"http://127.0.0.1:{port}"
        async with answering() as answers:
            for name in pages(folder, group):
                ours = await facts(answers, address, name, "ours")
                theirs = await facts(answers, address, name, "Chromium's")
                both.update((fact, (ours[fact], theirs.get(fact, "not told"))) for fact in ours)
    return both


def report(both: dict[Fact, tuple[str, str]], *, everything: bool) -> None:
    """Print what is wrong, and how much of each folder holds."""
    for (name, subtest), (ours, theirs) in both.items():
        if ours and (everything or not theirs):
            print(f"{name}: {subtest}\n  ours: {ours}\n  Chromium's: {theirs or 'as expected'}")
    total, held, held_there = Counter[str](), Counter[str](), Counter[str]()
    for (name, _), (ours, theirs) in both.items():
        for group in (name.partition("/")[0], "all"):
            total[group] += 1
            held[group] += not ours
            held_there[group] += not theirs
    print(f"{'':16}{'facts':>7}{'ours':>7}{'Chromium':>10}")
    for group in sorted(total, key=lambda one: (one == "all", one)):
        print(f"{group:16}{total[group]:7}{held[group]:7}{held_there[group]:10}")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.platform_facts", description=__doc__)
    parser.add_argument("folder", type=Path, help="a checkout of web-platform-tests")
    parser.add_argument("--group", default="", help="only this folder of it")
    parser.add_argument("--all", action="store_true", help="also tell what fails in Chromium too")
    options = parser.parse_args()
    report(asyncio.run(compared(options.folder.resolve(), options.group)), everything=options.all)


if __name__ == "__main__":
    main()
