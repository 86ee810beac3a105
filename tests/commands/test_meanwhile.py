"""What happens while commands run, and is none of their business: a window begins, a document takes the place of another."""

from collections.abc import Iterator

import pytest

from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.registry import REGISTRY, Command, Requires
from tests.commands.conftest import Run, Shell, Show
from tests.commands.test_examples import BEFORE, ELSEWHERE, FILES, here, split
from tests.commands.web import Web

pytestmark = pytest.mark.same_session

AFTER = {"throttle": "throttle off", "har-replay": "har-replay off"}
"""What undoes a command that the next one could not bear."""


def first_examples(wanted: Requires) -> Iterator[tuple[Command, str]]:
    """Of each command that needs that, and nothing which no page has."""
    for command in REGISTRY.commands.values():
        if command.requires is wanted and command.name not in ELSEWHERE:
            yield command, command.examples[0]


async def begun(shell: Shell) -> Tab:
    """A window that is listed already, and that nobody has attached to."""
    browser = shell.browser
    tab = browser.tab_factory.adopt(await browser.pages.new())
    assert not tab.is_prepared
    return tab


@pytest.mark.fresh_session
async def test_a_window_that_begins_is_in_no_commands_way(
    run: Run, visit: Show, shell: Shell, web: Web
) -> None:
    """Commands that need the browser do not wait for any page; some do something in each."""
    for name, content in FILES.items():
        (shell.workspace / name).write_text(content)
    await visit("examples.html")
    failed = {}
    for command, example in first_examples(Requires.BROWSER):
        for line in dict.fromkeys((*BEFORE.get(command.name, []), *BEFORE.get(example, []))):
            await run(line.replace("{url}", web.url))
        if all(tab.is_prepared for tab in shell.browser.tabs):
            window = await begun(shell)
        words, piped = split(example.replace("tab 2", f"tab {window.id}"))
        reply = await shell.send("", *[here(word, web) for word in words], stdin=piped)
        if reply.code:
            failed[example] = reply.message
        if command.name in AFTER:
            await run(AFTER[command.name])
    assert failed == {}
