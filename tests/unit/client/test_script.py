import inspect

import pytest

from gstack_browse.client import script


def test_both_clients_are_given_every_option_of_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    words = {"workspace": "/w", "timeout": 5, "tab": 2, "as_": "ann", "share": "bob"}
    options = words | {"start": False, "fence": True, "any_download": True}
    assert options.keys() == script.Options.__annotations__.keys()
    assert options.keys() == inspect.signature(script.Browse).parameters.keys()
    given: list[dict[str, object]] = []
    monkeypatch.setattr(script, "Browse", lambda **options: given.append(options))
    monkeypatch.setattr(script, "AsyncBrowse", lambda browse: browse)
    script.connect(**options)  # type: ignore[arg-type]
    script.connect_async(**options)  # type: ignore[arg-type]
    assert given == [options, options]
