"""Every example of every command runs, on a page where what it names exists."""

import re
import shlex
from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.protocol import FOLLOW
from gstack_browse.registry import REGISTRY, Command, Kind, Requires
from tests.commands.conftest import Run, Shell, Show
from tests.commands.web import Web
from tests.pdf_files import Sheet, lines, pdf

pytestmark = pytest.mark.same_session

assert commands
PLACES = {
    "tests/e2e/daemon": "stop restart",
    "tests/e2e/daemon/test_connect.py": "connect disconnect",
    "tests/e2e/daemon/test_confirm.py": "confirm",
    "tests/e2e/test_handoff.py": "handoff resume",
    "tests/e2e/test_board.py": "board-answer",
    "tests/commands/test_secrets.py": "secret-set secrets secret-delete",
    "tests/commands/test_design_pictures.py": "design-service design-generate design-variants design-iterate",
    "tests/commands/test_design_verdicts.py": "design-check design-verify design-prompt",
    "tests/commands/test_cookie_import.py": "cookie-import-browser",
    "tests/commands/test_pick.py": "pick",
}
"""Where commands are run that need more than a page."""
ELSEWHERE = " ".join(PLACES.values()).split()

PARTS = {"scroll": "?prices", "snapshot": "?prices&frame", "frame": "?frame"}
"""What the page of the examples shows for a command beside the rest."""
BEFORE: dict[str, list[str]] = {
    "coverage": ["coverage-start"],
    "back": ["goto {url}/plain.html"],
    "forward": ["goto {url}/plain.html", "back"],
    "har-stop": ["har-start"],
    "film-note": ["film-start"],
    "film-stop": ["film-start"],
    "trace-stop": ["trace-start"],
    "report-stop": ["report-start", "title"],
    "flow-stop": ["flow-start", "fill '#name' ann@example.com"],
    "flow-save": ["fill '#name' ann@example.com", "expect title /./", "expect title /./", "expect title /./"],
    "tab": ["newtab"],
    "tab docs": ["newtab --name docs", "newtab"],
    "closetab": ["newtab"],
    "closetab docs": ["newtab --name docs"],
    "init-script --remove 2": ["init-script mock-clock.js", "init-script mock-clock.js"],
    "wait": [
        "js \"history.pushState(0, 0, '/dashboard'); window.ready = true; fetch('/save', { method: 'POST' })\""
    ],
    "expect": [
        "fill '#name' ann@example.com",
        "js \"fetch('/api/save', { method: 'POST' }).then(() => history.pushState(0, 0, '/done'))\"",
    ],
    "text --pages 3-5": ["goto ./five.pdf"],
    "screenshot --page 3": ["goto ./five.pdf"],
    "copy": ["select-text '#main'"],
    "paste": ["click '#name'"],
    "design-diff": ["screenshot before.png", "screenshot after.png"],
    "design-extract --image before.png": ["screenshot before.png"],
    "board-compare": ["screenshot a.png", "screenshot b.png", "screenshot c.png"],
    "board-gallery": ["screenshot a.png"],
    "board-gallery .gstack/designs": ["screenshot .gstack/designs/a.png"],
    "diff-image": ["screenshot before.png", "screenshot after.png"],
    "type": ["click '#name'"],
    "press": ["click '#name'"],
    "dialog": ["js alert(1)"],
    "context-close": ["--as ann newtab"],
    "cookie-delete": ["cookie-set theme dark", "cookie-set sid x --domain example.com"],
    "header": ["header Accept-Language de"],
    "har-replay off": ["har-replay shop.har"],
    "unroute": ["route **/api/* --abort", "route **/api/* --abort"],
    "storage": ["storage-set theme dark --session"],
    "storage-delete": ["storage-set theme dark", "storage-set step 2 --session"],
    "state-load": ["state-save login.json"],
    "download": ["js \"document.querySelector('#result').href = '/plain.html'\""],
}
AFTER = {
    "keydown": ["keyup Shift"],
    "har-start": ["har-stop page.har"],
    "film-start": ["film-stop"],
    "film-note": ["film-stop"],
    "trace-start": ["trace-stop trace.zip"],
    "watch": ["watch --off"],
    "report-start": ["report-stop page.html"],
    "header": ["header Authorization --origin https://api.example.com"],
    "coverage": ["coverage"],
    "coverage-start": ["coverage"],
    "device": ["device off"],
    "viewport": ["viewport 1280x720 --scale 1"],
    "throttle": ["throttle off"],
    "har-replay": ["har-replay off"],
    "route": ["unroute"],
    "emulate": ["emulate --reset"],
    "init-script": ["init-script --remove 1", "init-script --remove 3"],
}
"""What undoes a command that the next test could not bear, or for which it would get another session."""
PAGES = {
    "request 41": "<script>for (let i = 0; i < 45; i++) { const x = new XMLHttpRequest();"
    " x.open('POST', '/api', false); x.send('x') }</script>",
    "audit": "<html lang=en><title>Fine</title><main><h1>Fine</h1><button>1</button><button>2</button></main>",
    "links --check": "<a href=/plain.html>Docs</a>",
    "click @e5 --new-tab": "<button>1</button>" * 4 + "<a href=/plain.html>Docs</a>",
    "check @e7": "<button>1</button>" * 6 + "<input type=checkbox>",
    "uncheck @e7": "<button>1</button>" * 6 + "<input type=checkbox checked>",
    "type --into @e5": "<button>1</button>" * 4 + "<input>",
    "drop '#editor'": "<p id=editor ondragover='event.preventDefault()' ondrop='event.preventDefault()'>Write",
    "drop @e9": "<button ondragover='event.preventDefault()' ondrop='event.preventDefault()'>Drop</button>" * 9,
}
"""Examples that begin so and name a ref that means something else on the page of the others, and a page for each."""
FILES = {
    "page.html": "<title>Page</title>", "report.html": "<title>Report</title>", "docs.html": "<title>Docs</title>", "mock-clock.js": "window.isMocked = true", "fields.json": '{"#name": "Ann"}', "letter.html": "<p>Dear Ann", "letter.txt": "Dear Ann", "a.png": "png",
    "me.png": "png", "a.pdf": "pdf", "b.pdf": "pdf", "check.js": "document.title",
    "cookies.json": '[{"name": "theme", "value": "dark", "domain": "example.com", "path": "/"}]',
    "cookies.txt": "# Netscape HTTP Cookie File\n.example.com\tTRUE\t/\tFALSE\t0\ttheme\tdark\n",
    "steps.txt": "url\n", "sid.txt": "5f2c\n", "token.txt": "5f2c\n",
    "old.tokens.json": '{"a": {"$value": 1}}', "new.tokens.json": '{"a": {"$value": 1}}',
    "brief.txt": "A page", "words.txt": "Larger", "login-a.png": "png", "today.png": "png",
    "shop.har": '{"log": {"entries": [{"request": {"method": "GET", "url": "https://shop.example/"}, "response": {"status": 200}}]}}',
    "fixture.json": "[]", "answer.html": "<p>late",
    "five.pdf": pdf(*(Sheet(lines(f"Sheet {number}")) for number in range(5))).decode(),
    "login.flow": "# gbrowse flow 1\n# var email = ann@example.com\nexpect title /./\nexpect url **\nexpect --not text nothing-like-it\n",
    "recording.json": '{"steps": [{"type": "navigate", "url": "https://example.com"}]}',
    "project.side": '{"tests": [{"name": "Sign in", "commands": [{"command": "click", "target": "id=a"}]}]}',
    "values.json": '{"email": "ann@example.com"}',
    "password.txt": "correct horse\n", "key.txt": "JBSWY3DPEHPK3PXP\n",
}  # fmt: skip


OF_OUR_DISK = re.compile(r"(goto|newtab) .*\./")
"""Examples that show a file of ours."""


def page_of(example: str) -> str:
    """The markup of a page for this example alone; "" where it runs on the page of the others."""
    return next((page for start, page in PAGES.items() if example.startswith(start)), "")


def cases() -> list[object]:
    """Return each command with the examples that run on one page, and those of our disk by themselves.

    Commands that run in the client are in tests/unit/local. That all examples are well-formed is in tests/test_registry.py.
    """
    grouped: dict[tuple[str, str, bool], list[str]] = {}
    for command in REGISTRY.commands.values():
        if command.requires is not Requires.LOCAL and command.name not in ELSEWHERE:
            for example in command.examples:
                group = command.name, page_of(example), bool(OF_OUR_DISK.match(example))
                grouped.setdefault(group, []).append(example)
    return [
        pytest.param(
            REGISTRY.commands[name], page, lines, id=lines[0], marks=[pytest.mark.same_disk] * is_of_our_disk
        )
        for (name, page, is_of_our_disk), lines in grouped.items()
    ]


@pytest.mark.parametrize(("command", "page", "lines"), cases())
async def test_examples_of_a_command_run(
    run: Run, visit: Show, show: Show, web: Web, shell: Shell, command: Command, page: str, lines: list[str]
) -> None:
    """Run them one after the other, and go back to the page where one has left it. Those that act begin on a new one."""
    furnish(shell.workspace, web)
    if page:
        await show(page)
    elif command.requires is Requires.PAGE and command.kind is not Kind.READ:
        await visit(address_of(command))
    for example in lines:
        if not (page or shell.browser.tab().url.endswith(address_of(command))):
            await visit(address_of(command))
        if "@" in example:
            await run("snapshot")
        for line in lines_before(command, example):
            _, as_, own = line.split(" ", 2) if line.startswith("--as ") else ("", "", line)
            await run(own.replace("{url}", web.url), as_=as_)
        words, piped = split(example)
        timeout = 300 if FOLLOW in words else None
        await run("", *[here(word, web) for word in words], stdin=piped, timeout=timeout)
    for line in AFTER.get(command.name, []):
        await run(line)


def address_of(command: Command) -> str:
    """Return the address of the examples' page, with the parts that the command needs."""
    return f"examples.html{PARTS.get(command.name, '')}"


def furnish(workspace: Path, web: Web) -> None:
    """Put the files and pages there that examples name."""
    for name, content in FILES.items():
        (workspace / name).write_text(content)
    for folder in ("shots", "photos", ".gstack/designs"):
        (workspace / folder).mkdir(exist_ok=True)
    (workspace / "photos/sea.png").write_text("waves")
    web.pages |= {"/save": ("{}", {}), "/api/save": ("{}", {})}


def lines_before(command: Command, example: str) -> list[str]:
    if page_of(example):
        return []
    return [line for key in dict.fromkeys((command.name, example)) for line in BEFORE.get(key, [])]


def split(example: str) -> tuple[list[str], str | None]:
    """The words of a shell line, and what its `<` pipes in; what its `>` writes is not wanted here."""
    words = shlex.split(example)
    if ">" in words:
        words = words[: words.index(">")]
    at = words.index("<") if "<" in words else len(words)
    return words[:at], FILES[words[at + 1]] if words[at:] else None


def here(word: str, web: Web) -> str:
    """The test's own server in place of those the examples name."""
    word = re.sub(r"https://example\.com(/[\w.]*)?", f"{web.url}/plain.html", word)
    word = word.replace("https://staging.example.com", f"{web.other}/form.html")
    return word.replace("localhost:3000/login", f"localhost:{web.port}/form.html")
