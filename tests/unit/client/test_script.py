import inspect

import pytest

from gstack_browse.client import script
from gstack_browse.client.attached.script import compile_script
from tests.each import each_row


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


@each_row(
    ("print(await page.title())", True),
    ("import asyncio as a\nif __name__ == '__main__':\n    a.run(main())", True),
    ("from asyncio import run as go\ngo(main())", True),
    ("import asyncio\ndef main():\n    asyncio.run(work())\nmain()", False),
    ("def main():\n    print(page.title())\nmain()", False),
)
def test_script_that_waits_at_its_top_level_gets_async_objects(source: str, is_async: bool) -> None:
    assert bool(compile_script(source, "a.py").co_flags & inspect.CO_COROUTINE) == is_async
