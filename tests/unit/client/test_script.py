"""The clients for Python programs, without a daemon."""

import inspect

import pytest

from gstack_browse.client import script

OPTIONS = {
    "workspace": "/w",
    "start": False,
    "timeout": 5,
    "tab": 2,
    "fence": True,
    "as_": "ann",
    "share": "bob",
    "any_download": True,
}


def test_both_clients_are_given_every_option_of_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    assert OPTIONS.keys() == script.Options.__annotations__.keys()
    assert OPTIONS.keys() == inspect.signature(script.Browse).parameters.keys()
    given: list[dict[str, object]] = []
    monkeypatch.setattr(script, "Browse", lambda **options: given.append(options))
    monkeypatch.setattr(script, "AsyncBrowse", lambda browse: browse)
    script.connect(**OPTIONS)  # type: ignore[arg-type]
    script.connect_async(**OPTIONS)  # type: ignore[arg-type]
    assert given == [OPTIONS, OPTIONS]
