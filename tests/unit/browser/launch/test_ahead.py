"""Test when Chromium may be started before the settings are read, and with which flags."""

import json

from gstack_browse import settings
from gstack_browse.browser.cdp.targets import RESUME, SETUP_REQUESTS
from gstack_browse.browser.devtools.emulation_commands import filter_commands, make_context_commands
from gstack_browse.browser.launch import ahead
from gstack_browse.browser.launch.launch import list_flags
from gstack_browse.browser.launch.running import HEADLESS
from gstack_browse.browser.state.emulation import Screen
from tests.each import each

CHROMIUM = {"BROWSE_CHROMIUM": "/bin/true"}


@each(
    [
        {},
        {"BROWSE_SANDBOX": "0"},
        {"BROWSE_ALLOW_METADATA": "1"},
        {"BROWSE_PERSIST": "0", "BROWSE_HEADED": "0", "BROWSE_FENCE": "1", "BROWSE_MAX_TABS": "7"},
        {"https_proxy": "http://proxy.test:3128", "no_proxy": "a.test"},
    ]
)
def test_flags_are_those_of_the_usual_start(environment: dict[str, str]) -> None:
    plan = ahead.plan_start(CHROMIUM | environment)
    assert plan
    assert plan.executable == "/bin/true"
    assert plan.arguments == list_flags(settings.read(CHROMIUM | environment), HEADLESS)


@each(
    [
        *({name: "1"} for name in ahead.UNSUPPORTED_VARIABLES),
        {"http_proxy": "http://ann:pass@proxy.test:3128"},
        {"BROWSE_SANDBOX": "yes"},
        {"BROWSE_ALLOW_METADATA": "always"},
    ]
)
def test_unusual_settings_are_left_to_the_usual_start(environment: dict[str, str]) -> None:
    assert ahead.plan_start(CHROMIUM | environment) is None


def test_first_page_is_asked_what_every_page_is_asked() -> None:
    emulated = [
        (command.method, command.params)
        for command in filter_commands("page", make_context_commands(Screen().options()))
    ]
    first = [(method, json.loads(parameters)) for method, parameters in ahead.PAGE_REQUESTS]
    assert first[: len(SETUP_REQUESTS["page"])] == list(SETUP_REQUESTS["page"])
    assert first[-1] == (RESUME, {})
    assert sorted(first[len(SETUP_REQUESTS["page"]) : -1], key=str) == sorted(emulated, key=str)
