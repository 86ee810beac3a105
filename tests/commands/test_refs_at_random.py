"""Every number ever printed means one node: tried with random programs of commands, pages and frames.

A program is a list of steps. Each button of the pages has a mark that no other has, in the document or anywhere else. Whatever was
printed as a ref is asked for again after each step: it is the very node that it was printed for, or that node is in no document any
more: then the reply is exit 5, or says that another one of its name, which was made since and is the only one, was drawn anew.

    GBROWSE_EXAMPLES=500 python -m pytest --slow -o faulthandler_timeout=0 tests/commands/test_refs_at_random.py

tries as many programs as that.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import orjson
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.page import Frame
from gstack_browse.protocol import Reply
from tests.commands import in_page
from tests.commands.conftest import Shell
from tests.commands.test_refs import begin_session_beside, restart
from tests.commands.web import Web

EXAMPLES = int(os.environ.get("GBROWSE_EXAMPLES", "20"))
STALE = 5
PRINTED = re.compile(r'(@[ec][0-9]+) \[[a-z]+\](?: "([^"]*)")?')
REDRAWN = re.compile(r"(@[ec][0-9]+) was drawn anew: (@[ec][0-9]+)")
NAMED = re.compile(r"(?:(?:is|are|,) |^ *|Similar: )(@[ec][0-9]+)", re.M)
"""A ref that an error gives out, in its message or in its hint."""
PAGE = """<!doctype html><title>Page</title><style>iframe{width:400px;height:260px;display:inline-block}</style>
<ul id=list></ul><p id=place></p><div id=host></div><div id=frames></div><script>
const kept = [];
function made(kind) {
  const mark = 'm' + crypto.randomUUID().slice(0, 13);
  const one = document.createElement(kind === 'div' ? 'div' : 'button');
  one.setAttribute('data-mark', mark);
  one.textContent = kind === 'twin' ? 'Twin' : mark;
  one.setAttribute('onclick', '1');
  return one;
}
function add(kind) { const row = document.createElement('li'); row.append(made(kind)); list.append(row); }
const root = host.attachShadow({ mode: 'open' });
const all = () => [...document.querySelectorAll('[data-mark]'), ...root.querySelectorAll('[data-mark]')];
const pick = (found, index) => found[index % found.length];
for (const kind of ['button', 'twin', 'div']) add(kind);
</script>"""
CHANGES = {
    "add a button": "add('button')", "add a twin": "add('twin')", "add something to click": "add('div')",
    "insert before": "list.prepend(made('button'))", "remove": "one?.remove()", "take out": "if (one) { kept.push(one); one.remove() }",
    "put back": "if (kept.length) place.append(kept.pop())", "move": "if (one) place.append(one)",
    "move into the shadow": "if (one) root.append(one)", "adopt into a frame": "if (one) frame?.contentDocument?.body?.append(one)",
    "render again": "const count = list.children.length; list.textContent = ''; for (let i = 0; i < count; i++) add(i % 2 ? 'twin' : 'button')",
    "sort": "list.append(...[...list.children].reverse())", "hide": "if (one) one.hidden = !one.hidden",
    "another address": "history.pushState({}, '', '#' + n)", "remove a frame": "frame?.remove()",
    "move a frame": "if (frame) frames.append(frame)",
}  # fmt: skip
"""Scripts that change a page: `n` is any number, `one` and `frame` are the button and the frame that it chooses."""
CHOOSE = "const one = pick(all(), n), frame = pick(document.querySelectorAll('iframe'), n);"
ASKS = [
    "hover {}", "text {}", "attrs {}", "is visible {}", "html {}", "css {} color", "click {}", "scroll {}", "snapshot -s {}",
]  # fmt: skip
LOOKS = [
    "snapshot -i", "snapshot", "snapshot -iC", "snapshot -D", "snapshot -c", "snapshot --find Twin", "snapshot -i --max 600",
]  # fmt: skip

index = st.integers(0, 20)
OFTEN = [
    st.tuples(st.just("look"), st.sampled_from(LOOKS)),
    st.tuples(st.just("ask"), st.sampled_from(ASKS), index),
    st.tuples(st.just("change"), st.sampled_from(sorted(CHANGES)), index),
]
STEP = st.one_of(
    *OFTEN,
    *OFTEN,
    st.tuples(st.just("frame"), st.sampled_from(["near", "port", "far", "srcdoc", "sandbox"]), index),
    st.tuples(st.just("go in a frame"), st.sampled_from(["near", "port", "far"]), index),
    st.tuples(st.just("switch"), index),
    st.tuples(st.just("go"), st.sampled_from(["near", "port", "far", "reload", "back", "forward"])),
    st.tuples(st.sampled_from(["useragent", "restart", "main"])),
)
PROGRAM = st.lists(STEP, min_size=4, max_size=18)


@dataclass
class World:
    """Refs printed in the one tab of a fresh session: ref → mark of the node."""

    shell: Shell
    web: Web
    port: Web
    """Another origin of the same site."""
    marks: dict[str, str] = field(default_factory=dict)
    refs: dict[tuple[str, str], str] = field(default_factory=dict)
    made_before: dict[str, set[str]] = field(default_factory=dict)
    """For each ref the marks of all that was there when it was printed."""

    async def begin(self) -> None:
        before = self.shell.browser
        await begin_session_beside(self.shell).open()
        await before.context.close()
        for web in (self.web, self.port):
            web.pages["/marks"] = PAGE, {}
        await self.shell.send("goto", f"{self.web.url}/marks")

    def address(self, where: str) -> str:
        return {"near": self.web.url, "port": self.port.url, "far": self.web.other}[where] + "/marks"

    def frames(self) -> list[Frame]:
        return self.shell.browser.tab().page.frames

    async def evaluate(self, frame: Frame, script: str) -> object:
        """Return the value of a script in a frame's page; None where it is on its way elsewhere."""
        try:
            return await in_page.evaluate(frame, script)
        except ProtocolError:
            return None

    async def take(self, step: tuple[object, ...]) -> None:
        kind, what, number = (*step, "", "")[:3]
        frame = self.frames()[int(str(number or 0)) % len(self.frames())]
        if kind == "look":
            await self.record_refs(await self.shell.send(str(what)))
        elif kind == "ask":
            target = f"'[data-mark] >> nth={number}'" if int(str(number)) % 3 else "button"
            await self.record_refs(await self.shell.send(str(what).format(target)))
        elif kind == "change":
            await self.evaluate(frame, f"(n => {{ {CHOOSE} {CHANGES[str(what)]} }})({number})")
        elif kind == "frame" and len(self.frames()) < 6:
            await self.add_frame(str(what), frame)
        elif kind == "go in a frame" and frame.parent_frame:
            await self.evaluate(frame, f"location.href = '{self.address(str(what))}'")
        elif kind == "restart":
            await restart(self.shell)
        elif kind == "go":
            is_site = what in ("near", "port", "far")
            await self.shell.send(f"goto {self.address(str(what))}" if is_site else str(what))
        elif kind in ("switch", "useragent", "main"):
            frame_of = f"frame 'iframe >> nth={int(str(what or 0)) % 3}'"
            await self.shell.send({"switch": frame_of, "useragent": "useragent Probe", "main": "frame main"}[kind])  # fmt: skip

    async def add_frame(self, kind: str, inside: Frame) -> None:
        source = {
            "srcdoc": f"srcdoc = {orjson.dumps(PAGE).decode()}",
            "sandbox": f"sandbox = 'allow-scripts', frame.src = '{self.address('near')}'",
        }.get(kind) or f"src = '{self.address(kind)}'"
        await self.evaluate(
            inside,
            "new Promise(done => { const frame = document.createElement('iframe'); frame.onload = () => done(1);"
            f"frame.{source}; frames.append(frame) }})",
        )

    async def record_refs(self, reply: Reply) -> None:
        """Record the node that each ref in a reply was printed for.

        It must be the node recorded before.
        """
        found = PRINTED.findall(reply.text) if not reply.code else []
        refs = [ref for ref, _ in found if ref + " " in reply.text]
        if "\n--- " not in f"\n{reply.text}":
            assert len(refs) == len(set(refs)), reply.text
        for ref, name in [*found, *((ref, "") for ref in NAMED.findall(f"{reply.message}\n{reply.hint}"))]:
            mark = name if re.fullmatch(r"m[0-9a-f-]{13}", name) else await self.mark_of(ref)
            if mark:
                if ref not in self.marks:
                    self.made_before[ref] = await self.living()
                assert self.marks.setdefault(ref, mark) == mark, (ref, reply.text)
                assert self.refs.setdefault((mark, ref[1]), ref) == ref, (ref, reply.text)

    async def mark_of(self, ref: str) -> str:
        reply = await self.shell.send(f"attrs {ref}")
        match = re.search(r"data-mark\W+(m[0-9a-f-]{13})", reply.text)
        return match[1] if match and not redrawn(reply) else ""

    async def check(self, choice: int) -> None:
        """Read four of the refs that were printed."""
        refs = list(self.marks)
        for offset in range(4 if refs else 0):
            await self.check_read(refs[(choice + offset * 7) % len(refs)])

    async def check_read(self, ref: str) -> None:
        reply = await self.shell.send(f"attrs {ref}")
        if reply.code:
            await self.check_gone(ref, reply)
        elif new := redrawn(reply):
            await self.check_redrawn(ref, new)
        else:
            assert self.marks[ref] in reply.text, (ref, reply.text)

    async def check_redrawn(self, ref: str, new: str) -> None:
        """Check that the ref's element is gone and its successor was made later."""
        mark, living = await self.mark_of(new), await self.living()
        assert self.marks[ref] not in living, ref
        assert mark in living - self.made_before[ref], (ref, new)
        self.marks.setdefault(new, mark)

    async def check_gone(self, ref: str, reply: Reply) -> None:
        assert reply.code == STALE, (ref, reply.message)
        assert self.marks[ref] not in await self.living(), (ref, reply.message)
        await self.record_refs(reply)

    async def living(self) -> set[str]:
        """Return the marks of all that is in a document."""
        marks = "all().map(one => one.getAttribute('data-mark'))"
        found = [await self.evaluate(frame, marks) for frame in self.frames()]
        return {mark for one in found if isinstance(one, list) for mark in one}


def redrawn(reply: Reply) -> str:
    """Return the ref that a reply says was drawn anew; "" for none."""
    match = REDRAWN.search("\n".join([reply.text, *reply.notes]))
    return match[2] if match else ""


@pytest.fixture(scope="module")
def port() -> Iterator[Web]:
    server = Web()
    yield server
    server.close()


@pytest.mark.slow
@settings(
    max_examples=EXAMPLES,
    phases=[Phase.generate, Phase.shrink],
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)
@given(program=PROGRAM, choices=st.lists(index, min_size=18, max_size=18))
async def test_every_number_ever_printed_means_one_node(
    shell: Shell, web: Web, port: Web, program: list[tuple[object, ...]], choices: list[int]
) -> None:
    world = World(shell, web, port)
    await world.begin()
    await world.take(("look", "snapshot -i"))
    for step, choice in zip(program, choices, strict=False):
        await world.take(step)
        await world.check(choice)
