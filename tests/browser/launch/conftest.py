import pytest

from gstack_browse.browser.launch import known_start


@pytest.fixture(autouse=True)
def no_start_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember no start.

    A start is known by the environment, which these settings are not of: another process would begin with this one's browser.
    """
    monkeypatch.setattr(known_start, "save", lambda executable, full, arguments: None)
