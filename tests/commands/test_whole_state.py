"""Test that state which outlasts a test is seen.

By it the next test is told whether it can go on in the same session.
"""

import importlib
import sys
from weakref import WeakKeyDictionary

import pytest

from gstack_browse.browser.tab.tab import Tab
from tests.commands import whole_state
from tests.commands.conftest import Run, Shell, Show, begin_test
from tests.commands.tidying import tidy
from tests.commands.web import Web

OUTLASTING = (
    "har-start", "header X-Test 1", "http-auth ann --origin http://a.example", "route **/x --abort", "throttle slow-4g",
    "dialog-hold", "init-script mock.js", "viewport 400x300", "emulate --media print", "coverage-start", "keydown Shift",
    "mouse down 5,5", "newtab",
)  # fmt: skip
"""Commands after which the next test would find something else than it expects."""
PASSING = (
    "snapshot -i", "click button", "hover button", "screenshot", "js 'console.log(1); fetch(`/plain.html`).then(() => 0)'",
    "reload", "text", "console", "frame iframe", "nonsense",
)  # fmt: skip
"""Those that most tests consist of: a session for each would cost as much as two pages."""


async def seen_after(shell: Shell, line: str) -> list[str]:
    before = whole_state.of(shell.browser)
    await shell.send(line, stdin="secret")
    begin_test(shell.service)
    return whole_state.differing(before, whole_state.of(shell.browser))


async def test_state_left_by_a_command_is_seen(shell: Shell, show: Show) -> None:
    (shell.workspace / "mock.js").write_text("window.isMocked = true")
    await show("<button>Go</button><iframe srcdoc=Inner></iframe>")
    begin_test(shell.service)
    assert {line: seen for line in PASSING if (seen := await seen_after(shell, line))} == {}
    for line in OUTLASTING:
        assert await seen_after(shell, line), line


AWAY = (
    "newtab",
    "newtab {url}/form.html",
    "dialog-hold",
    "click '#file'",
    "click '#shut'",
    "js 'throw new Error(1)'",
)
"""Commands after which the next test finds what it expects, as what they leave is put away."""


@pytest.mark.fresh_session
async def test_state_left_by_tests_is_tidied(shell: Shell, show: Show, web: Web) -> None:
    service = shell.service
    page = "<a id=file href='/download'>File</a><button id=shut onclick='open(`/plain.html`).close()'>Shut</button>"
    before = whole_state.of(shell.browser)
    for line in AWAY:
        await show(page)
        await shell.send(line.format(url=web.url))
        await tidy(shell.browser, service.default_context.downloads, service.browser.tab_numbers)
        begin_test(service)
        assert whole_state.differing(before, whole_state.of(shell.browser)) == [], line


async def test_state_kept_by_a_new_feature_is_seen(shell: Shell) -> None:
    """Keep it in the session, in its parts, in a tab, or in a module by one of these."""
    session = shell.browser
    before = whole_state.of(session)
    tab = session.tabs.find()
    for owner in (session, session.shaping.rules, session.dialogs, session.extras, tab, tab.held, tab.lane):
        owner.something_new = {"kept": [1]}  # type: ignore[attr-defined]
        assert len(whole_state.differing(before, whole_state.of(session))) == 3, owner
        del owner.something_new  # type: ignore[attr-defined]
    kept: WeakKeyDictionary[Tab, int] = WeakKeyDictionary({tab: 1})
    module = importlib.import_module("gstack_browse.browser.auditing.coverage")
    whole_state.kept_by_modules.cache_clear()
    module.__dict__["_something_new"] = kept
    assert whole_state.differing(before, whole_state.of(session))
    del module.__dict__["_something_new"]
    whole_state.kept_by_modules.cache_clear()
    assert whole_state.of(session) == before


async def test_names_excepted_from_comparison_exist(shell: Shell, run: Run) -> None:
    """Keep the lists of what may differ from growing old."""
    modules = [module for key, module in sys.modules.items() if key.startswith(whole_state.PACKAGE)]
    names = {name for module in modules for name in vars(module)}
    assert {*whole_state.ELSEWHERE, *whole_state.HISTORY} <= names
