"""The examples of commands that do without Playwright, in a browser where Playwright comes only when it is asked for."""

from pathlib import Path

import pytest

from gstack_browse import commands
from gstack_browse.registry import REGISTRY, Command
from tests.commands.conftest import Shell, cold, forget_refs
from tests.commands.test_examples import ON_A_LONG_PAGE, furnish, here, lines_before, page_of, split
from tests.commands.web import Web

pytestmark = [pytest.mark.pipe, pytest.mark.own_browser]

assert commands
EARLY = [command for command in REGISTRY.commands.values() if command.before_playwright]
FAMILIES = sorted({command.handler.__module__.rpartition(".")[2] for command in EARLY})


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.usefixtures("without_playwright")
async def test_the_examples_run(
    family: str, web: Web, shell: Shell, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """An example that asks for Playwright ends the early state: the next one begins in a new browser."""
    examples = [
        (command, example)
        for command in EARLY
        if command.handler.__module__.endswith(f".{family}")
        for example in command.examples
    ]
    while examples:
        async with cold(tmp_path_factory.mktemp("cold")) as service:
            started = Shell(service, Path(service.state.workspace))
            furnish(started.workspace, web)
            await _run(started, web, *examples.pop(0))
            while examples and started.browser.tab().is_early:
                forget_refs(started.browser.tab(), started.browser)
                await _run(started, web, *examples.pop(0))


async def _run(shell: Shell, web: Web, command: Command, example: str) -> None:
    own = page_of(example)
    long = "?prices" if command.name in ON_A_LONG_PAGE else ""
    await _must(shell, "goto", web.show(own) if own else f"{web.url}/examples.html{long}")
    if "@" in example:
        await _must(shell, "snapshot")
    for line in lines_before(command, example):
        await _must(shell, line.replace("{url}", web.url))
    words, piped = split(example)
    await _must(shell, "", *(here(word, web) for word in words), stdin=piped)


async def _must(shell: Shell, line: str, *words: str, stdin: str | None = None) -> None:
    reply = await shell.send(line, *words, stdin=stdin)
    assert reply.code == 0, f"{line} {words}: {reply.message}\n{reply.hint}"
