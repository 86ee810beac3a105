"""Test each rule for widgets without roles and states: a widget is used with it, not without.

The page of a rule is in `tests/site/widget-rules/`, called after it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gstack_browse.browser.actions.text import sliders
from gstack_browse.browser.engine import bundle
from tests.commands.conftest import Run, Shell, Show
from tests.commands.hurried import hurried
from tests.each import each

PAGES = Path(__file__).parents[1] / "site/widget-rules"
FILLED = ("fill #box 7", "7")
COMMANDS = {
    "slider-handle": FILLED,
    "slider-thumb": FILLED,
    "slider-track": FILLED,
    "tree-checkbox": ("check #box", "true"),
}
"""For each rule a command on its page, and what the page says then. That for a list is the same for all."""
SELECT = ("select #shown Green", "Green")


@pytest.fixture
def all_rules() -> Iterator[None]:
    """Use all rules again after the test, in tabs that it opened last."""
    yield
    bundle.disable_widget_rules(())


@pytest.mark.same_session
@each(bundle.widget_rule_names())
async def test_widget_is_known_by_its_rule_which_is_named(
    rule: str, run: Run, show: Show, shell: Shell
) -> None:
    await show((PAGES / f"{rule}.html").read_text())
    command, said = COMMANDS.get(rule, SELECT)
    await run(command)
    assert await run("text #said") == said
    assert shell.replies[-2].notes == [f"known by the widget rule {rule}"]
    assert f"{rule} (" in await run("status")


@pytest.mark.usefixtures("all_rules")
async def test_widget_is_left_alone_without_its_rule(
    run: Run, show: Show, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prove that the page needs its rule: nothing else knows the widget."""
    monkeypatch.setattr(sliders, "WAIT_SECONDS", 0.2)
    for rule in bundle.widget_rule_names():
        bundle.disable_widget_rules([rule])
        await run("newtab")  # a tab keeps the engine that it was given
        await show((PAGES / f"{rule}.html").read_text())
        before = await run("text #said")
        with hurried():
            reply = await shell.send(COMMANDS.get(rule, SELECT)[0], "--timeout", "1500")
        assert (rule, reply.code != 0, reply.notes) == (rule, True, [])
        assert await run("text #said") == before
        await run("closetab")


def test_documentation_lists_each_rule_with_what_it_was_seen_in() -> None:
    documented = (Path(__file__).parents[2] / "docs/widgets.md").read_text()
    for name in bundle.widget_rule_names():
        script = bundle.load_scripts()[f"widgets/rules/{name}.js"]
        assert f"name: '{name}'" in script
        seen_in = script.split("seenIn: '")[1].split("'")[0]
        assert f"| `{name}` | {seen_in} |" in documented
