"""Test what a person can do on a page, done from a plain `snapshot -i`.

Each line that is needed is there, and each reply is true.

A check has a page, the steps, and what the page says of them in the end. `{…}` in a step stands for the ref of the only line of the
last `snapshot -i` with these words. `Says` is a step whose reply has certain words; `Fails` one that must fail, and how.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from tests.commands.conftest import Shell, Show
from tests.commands.web import Web
from tests.each import each

pytestmark = pytest.mark.same_session


@dataclass(frozen=True)
class Says:
    step: str
    words: str


@dataclass(frozen=True)
class Fails:
    step: str
    kind: str
    words: str


Step = str | Says | Fails


@dataclass(frozen=True)
class Check:
    page: str
    steps: Sequence[Step]
    ends: str
    """What `window.n` is in the end: pages append to it."""


AGAIN = "snapshot -i"
GO = "<button onclick='n += 1'>Go</button>"
COVER = "<div id=cover style='position:fixed;inset:0;background:#fff'>Cookies? <button onclick='cover.remove()'>Accept</button></div>"
ROWS = "<ul id=l>" + "".join(
    f"<li>{fruit} <button onclick='n += \"{fruit} \"'>Delete</button></li>"
    for fruit in ("Apple", "Cherry", "Fig")
)
FILE = "<input type=file {} onchange='for (const file of this.files) n += file.name + \" \"'>"

CHECKS = {
    # what lies over things
    "a cover that stays is named": Check(GO + COVER, [Fails("click {Go}", "covered", "cover")], ""),
    "a cover is closed by its own button": Check(GO + COVER, ["click {Accept}", "click {Go}"], "1"),
    "a cover that goes is waited for": Check(
        GO + COVER + "<script>setTimeout(() => cover.remove(), 300)</script>", ["click {Go}"], "1"
    ),
    "a cover over the middle leaves the rest": Check(
        "<button style='width:300px' onclick='n += 1'>Go</button><div style='position:absolute;left:100px;top:0;width:120px;height:40px;background:red'></div>",
        ["click {Go}"],
        "1",
    ),
    "a header that sticks does not catch the click": Check(
        f"<div style='position:sticky;top:0;height:80px;background:#eee'>Head</div><p style='height:3000px'>{GO}",
        ["scroll bottom", "click {Go}"],
        "1",
    ),
    "a modal dialog is all there is": Check(
        f"{GO}<dialog id=d><button onclick='n += 2; d.close()'>Close</button></dialog><script>d.showModal()</script>",
        [Says(AGAIN, "Close"), "click {Close}", AGAIN, "click {Go}"],
        "21",
    ),
    "a field under a veil is filled": Check(
        "<input type=range max=9 aria-label=Size oninput='n = this.value'><div style='position:absolute;inset:0'></div>",
        ["fill {Size} 7"],
        "7",
    ),
    # things that move, and are made anew
    "what has moved down is still the same": Check(
        GO, ["js \"document.body.insertAdjacentHTML('afterbegin', '<button>Go</button><p>'.repeat(9)), 0\"", "click {Go}"], "1"
    ),
    "a sorted list keeps its refs": Check(
        ROWS, ["js 'l.append(...[...l.children].reverse()), 0'", "click {(Apple)}"], "Apple "
    ),
    "of a list made anew the same record's is clicked": Check(
        ROWS, ["js 'l.innerHTML = l.innerHTML'", Says("click {(Cherry)}", "was drawn anew")], "Cherry "
    ),
    "a list made twice makes refs stale, and names the new ones": Check(
        ROWS, ["js 'l.innerHTML += l.innerHTML'", Fails("click {(Cherry)}", "stale-ref", "[button]")], ""
    ),
    "rows are told apart": Check(ROWS, ["click {(Fig)}", "click {(Cherry)}"], "Fig Cherry "),
    "what moves is clicked when it stands": Check(
        "<style>@keyframes m { from { margin-left: 400px } }</style><button style='animation: m .4s' onclick='n += 1'>Go</button>",
        ["click {Go}"],
        "1",
    ),
    "what never stands still is pressed": Check(
        "<style>@keyframes m { 50% { transform: scale(1.2) translateY(3px) } }</style><button style='animation: m 0.973s infinite' onclick='n += 1'>Go</button>",
        ["click {Go}"],
        "1",
    ),
    "what is disabled for a moment is waited for": Check(
        "<button id=b disabled onclick='n += 1'>Go</button><script>setTimeout(() => { b.disabled = false }, 300)</script>",
        ["click {Go}"],
        "1",
    ),
    # shadow trees and frames
    "a button in nested shadow trees": Check(
        """<x-a></x-a><script>const grow = (host, html, mode = 'open') => { const root = host.attachShadow({mode}); root.innerHTML = html; return root };
        grow(grow(document.querySelector('x-a'), '<x-b></x-b>').firstChild, '<button onclick="n += 1">Go</button>')</script>""",
        ["click {Go}"],
        "1",
    ),
    "a field in a closed shadow tree": Check(
        """<x-c></x-c><script>document.querySelector('x-c').attachShadow({mode: 'closed'}).innerHTML = '<input aria-label=Name oninput="n = this.value">'</script>""",
        ["fill {Name} Ann"],
        "Ann",
    ),
    "a label in a slot": Check(
        """<x-d onclick='n += 1'>Slot</x-d><script>document.querySelector('x-d').attachShadow({mode: 'open'}).innerHTML = '<button><slot></slot></button>'</script>""",
        ['click {[button] "Slot"}'],
        "1",
    ),
    "a frame of the same site": Check("<iframe src='INNER'></iframe>", ["click {Inner}"], "inner "),
    "a frame of another site": Check("<iframe src='OTHER'></iframe>", ["click {Inner}"], "inner "),
    "a frame in a frame, out of view": Check(
        """<p style="height:2000px"></p><iframe srcdoc="<p style='height:900px'></p><iframe src='OTHER'></iframe>"></iframe>""",
        ["click {Inner}"],
        "inner ",
    ),
    # text
    "rich text is replaced": Check(
        "<div contenteditable aria-label=Diary oninput='n = this.innerText'>old <b>text</b></div>", ["fill {Diary} new"], "new"
    ),
    "text is added to a field": Check("<input aria-label=Name value=Ann oninput='n = this.value'>", ["type --into {Name} e"], "Anne"),
    "lines are kept": Check("<textarea aria-label=Notes oninput='n = this.value'></textarea>", ["fill {Notes} 'a\nb'"], "a\nb"),
    "keys are heard": Check("<input aria-label=Search onkeyup='n += event.key'>", ["fill {Search} abc"], "c"),
    "Enter submits": Check(
        "<form onsubmit='n = new FormData(this).get(\"q\"); return false'><input name=q aria-label=Find></form>",
        ["fill {Find} cat", "press Enter"],
        "cat",
    ),
    "what a page cuts is told": Check(
        "<input aria-label=Cut oninput='this.value = n = this.value.slice(0, 2)'>", [Says("fill {Cut} abcd", 'made it "ab')], "ab"
    ),
    "a field that cannot be written is refused": Check(
        "<input aria-label=Locked readonly value=x>", [Fails("--timeout 300 fill {Locked} abc", "", "read-only")], ""
    ),
    "a date": Check("<input type=date aria-label=Day onchange='n = this.value'>", ["fill {Day} 2026-12-24"], "2026-12-24"),
    # boxes, lists, sliders
    "a box that is drawn by its label": Check(
        "<style>.own input { position: absolute; opacity: 0 }</style><label class=own><input type=checkbox onchange='n = this.checked'> <span>Dark</span></label>",
        ["check {Dark}", Says("check {Dark}", "already")],
        "true",
    ),
    "a radio button": Check(
        "<label><input type=radio name=r>One</label><label><input type=radio name=r onchange='n = 2'>Two</label>", ["check {Two}"], "2"
    ),
    "an option by its label": Check(
        "<select aria-label=Land onchange='n = this.value'><option value=de>Germany<option value=fr>France</select>",
        ["select {Land} France"],
        "fr",
    ),
    "several options": Check(
        "<select multiple aria-label=Many onchange='n = [...this.selectedOptions].map(o => o.text).join()'><option>A<option>B<option>C</select>",
        ["select {Many} A C"],
        "A,C",
    ),
    "a list that the page builds": Check(
        """<div id=c role=combobox tabindex=0 aria-label=Colour aria-expanded=false aria-controls=l onclick='l.hidden = false'>None</div>
        <ul id=l role=listbox hidden onclick='n = c.textContent = event.target.textContent; l.hidden = true'><li role=option>Red</li><li role=option>Blue</li></ul>""",
        ["select {Colour} Blue"],
        "Blue",
    ),
    "a slider that the page builds": Check(
        """<div role=slider tabindex=0 aria-label=Size aria-valuemin=0 aria-valuemax=9 aria-valuenow=2 style='width:50px;height:9px'
        onkeydown='n = this.ariaValueNow = +this.ariaValueNow + ({ArrowRight: 1, ArrowLeft: -1}[event.key] || 0)'></div>""",
        ["fill {Size} 5"],
        "5",
    ),
    # files, dialogs, tabs
    "a file for a button that hides its field": Check(
        f"<button onclick='this.nextSibling.click()'>Upload</button>{FILE.format('hidden')}", ["upload {Upload} a.txt"], "a.txt "
    ),
    "several files": Check(FILE.format("multiple aria-label=Files"), ["upload {Files} a.txt b.txt"], "a.txt b.txt "),
    "a question is accepted, and told": Check(
        "<button onclick='n += confirm(\"Sure?\")'>Ask</button>", [Says("click {Ask}", 'confirm "Sure?": accepted')], "true"
    ),
    "a question is refused": Check(
        "<button onclick='n += confirm(\"Sure?\")'>Refuse</button>", ["dialog-dismiss", "click {Refuse}", "dialog-accept"], "false"
    ),
    "a question is left open until it is answered": Check(
        "<button onclick='n += prompt(\"Name?\")'>Hold</button>",
        ["dialog-hold", Says("click {Hold}", "is open"), Fails("text", "", "is open"), "dialog-accept Ann", "dialog-accept"],
        "Ann",
    ),
    "a new tab is told": Check(
        "<a href='INNER' target=_blank onclick='n += 1'>Open</a>", [Says("click {Open}", "tab"), "closetab 2"], "1"
    ),
    "a script's error is told": Check(
        "<button onclick='n += 1; oops()'>Oops</button>", [Says("click {Oops}", "1 error: ReferenceError: oops")], "1"
    ),
    # pointers
    "a menu that hovering opens": Check(
        "<style>.menu ul { display: none } .menu:hover ul { display: block }</style><div class=menu><button>Menu</button><ul><li><button onclick='n += 1'>Item</button></ul></div>",
        ["hover {Menu}", AGAIN, "click {Item}"],
        "1",
    ),
    "both of its clicks, and the other button": Check(
        "<button ondblclick='n += 2' oncontextmenu='n += 3'>Go</button>", ["dblclick {Go}", "click {Go} --button right"], "23"
    ),
    "a card is not the link in its middle": Check(
        "<div style='cursor:pointer;text-align:center;width:200px' onclick='n += \"card\"'>Words<br><a href='#x' onclick='n += \"link\"; event.stopPropagation()'>a wide link in it</a></div>",
        ["click {\"Words}"],
        "card",
    ),
    "an icon that screen readers are not told of": Check(
        "<style>.fa-trash { cursor: pointer }</style><i class='fa fa-trash' aria-hidden=true onclick='n += 1'>x</i>",
        ["click {aria-hidden}"],
        "1",
    ),
    "what has no role and no name": Check(
        "<div class=trash style='cursor:pointer;width:20px;height:20px' onclick='n += 1'></div>", ["click {(.trash)}"], "1"
    ),
    "a thing is dragged": Check(
        """<ul><li draggable=true ondragstart='event.dataTransfer.setData("text/plain", "Ann")' onclick=1>Ann</li></ul>
        <button ondragover='event.preventDefault()' ondrop='n = event.dataTransfer.getData("text/plain")'>Bin</button>""",
        ["drag {Ann} {Bin}"],
        "Ann",
    ),
    "a row far down in a pane that scrolls": Check(
        "<div style='height:90px;overflow:auto'>" + "".join(f"<p><button onclick='n += {row}'>Row {3 * row}</button>" for row in range(60)) + "</div>",
        ["click {Row 171}"],
        "57",
    ),
}  # fmt: skip
INNER = "<button onclick=\"top === window ? 0 : parent.postMessage('inner ', '*'); top.postMessage('inner ', '*')\">Inner</button>"


class Person:
    """Takes the steps of a check, and knows of the page what the last `snapshot -i` said."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._tree = ""

    async def take(self, step: Step) -> None:
        line = step if isinstance(step, str) else step.step
        timeout = re.match(r"--timeout (\d+) ", line)
        line = line.removeprefix(timeout[0]) if timeout else line
        reply = await self._shell.send(
            re.sub(r"\{([^}]+)\}", self._ref, line), timeout=int(timeout[1]) if timeout else None
        )
        said = f"{reply.text}{reply.message}{reply.hint}"
        if isinstance(step, Fails):
            assert reply.code, f"{line} did not fail: {said}"
            assert step.kind in ("", reply.error), said
        else:
            assert reply.code == 0, f"{line}: {said}"
        assert isinstance(step, str) or step.words in said, said
        if line == AGAIN:
            self._tree = reply.text

    def _ref(self, match: re.Match[str]) -> str:
        lines = [line for line in self._tree.splitlines() if match[1] in line]
        assert len(lines) == 1, f"{match[1]} in {self._tree}"
        return lines[0].split()[0]


TOGETHER = [
    ["a button in nested shadow trees", "a field in a closed shadow tree", "a label in a slot"],
    [
        "rich text is replaced", "text is added to a field", "lines are kept", "keys are heard", "Enter submits", "what a page cuts is told",
        "a field that cannot be written is refused", "a date",
    ],
    [
        "a box that is drawn by its label", "a radio button", "an option by its label", "several options", "a list that the page builds",
        "a slider that the page builds",
    ],
    [
        "a file for a button that hides its field", "several files", "a question is accepted, and told", "a question is refused",
        "a question is left open until it is answered", "a script's error is told", "a new tab is told",
    ],
    [
        "a menu that hovering opens", "both of its clicks, and the other button", "a card is not the link in its middle",
        "an icon that screen readers are not told of", "what has no role and no name", "a thing is dragged",
        "a row far down in a pane that scrolls",
    ],
]  # fmt: skip
"""Checks that stand on one page, where the words of each are the only ones."""
ALONE = [[name] for name in CHECKS if name not in itertools.chain(*TOGETHER)]


@each([*TOGETHER, *ALONE])
async def test_a_person_s_task_is_done_from_a_plain_snapshot(
    names: list[str], shell: Shell, show: Show, web: Web
) -> None:
    for file in ("a.txt", "b.txt"):
        (shell.workspace / file).write_text(file)
    inner = web.show(INNER)
    page = "".join(f"<div>{CHECKS[name].page}</div>" for name in names)
    page = page.replace("INNER", inner).replace("OTHER", inner.replace(web.url, web.other))
    await show(
        "<script>n = ''; onmessage = (event) => { if (event.data === 'inner ') n = event.data }</script>" + page
    )
    person = Person(shell)
    await person.take(AGAIN)
    for name in names:
        if len(names) > 1:
            await shell.send("js", "n = ''")
        for step in CHECKS[name].steps:
            await person.take(step)
        assert (await shell.send("js", "String(n)")).text == CHECKS[name].ends, name
