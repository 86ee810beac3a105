from pathlib import Path

import pytest

from gstack_browse.errors import UsageError
from gstack_browse.settings import Settings, read
from tests.each import each


def test_settings_are_read_from_every_variable() -> None:
    assert read({}) == Settings(idle_seconds=1800.0)
    environment = {
        "BROWSE_IDLE_TIMEOUT": "1500",
        "BROWSE_CHROMIUM": "/opt/c",
        "BROWSE_SANDBOX": "0",
        "BROWSE_FENCE": "1",
        "BROWSE_PERSIST": "1",
        "BROWSE_ALLOW_METADATA": "1",
    }
    settings = read(environment)
    assert (settings.allows_metadata, settings.persists) == (True, True)
    expected = (1.5, Path("/opt/c"), False, True)
    assert (settings.idle_seconds, settings.chromium, settings.sandbox, settings.fence) == expected
    found = read({"BROWSE_ALLOW": "a.com, *.corp localhost:3000,", "BROWSE_ALLOW_RESOURCES": ""}).hosts
    assert found
    assert [str(item) for item in found.pages or ()] == ["a.com", "*.corp", "localhost:3000"]
    assert found.resources is None
    assert read({"BROWSE_WIDGET_RULES": "-select2, -dropdown"}).widget_rules_off == ("select2", "dropdown")
    environment = {
        "BROWSE_PORT": "9400", "CONDUCTOR_PORT": "55040", "BROWSE_CHROME": "/c", "BROWSE_SERVER_SCRIPT": "",
        "BROWSE_FENCE": "1", "BROWSE_STATE_FILE": "/x/y", "PORT": "1",
    }  # fmt: skip
    assert read(environment).ignored == (
        "BROWSE_CHROME, BROWSE_PORT (nothing listens on a port), CONDUCTOR_PORT (nothing listens on a port)"
    )


@each(
    [
        {"BROWSE_IDLE_TIMEOUT": "soon"},
        {"BROWSE_IDLE_TIMEOUT": "-1"},
        {"BROWSE_IDLE_TIMEOUT": "1.5"},
        {"BROWSE_SANDBOX": "yes"},
        {"BROWSE_FENCE": "2"},
        {"BROWSE_ALLOW": "https://github.com"},
        {"BROWSE_ALLOW": ","},
        {"BROWSE_ALLOW_RESOURCES": "a.com;b.com"},
        {"BROWSE_WIDGET_RULES": "select2"},
    ]
)
def test_invalid_variable_is_refused_by_its_name(environment: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=next(iter(environment))):
        read(environment)
