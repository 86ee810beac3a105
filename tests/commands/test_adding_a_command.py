"""The example of docs/adding-a-command.md, executed as it stands there."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from gstack_browse.registry import REGISTRY, Command
from gstack_browse.registry.usage import command_help
from tests.commands.conftest import Run, Show

DOCUMENT = Path(__file__).parents[2] / "docs/adding-a-command.md"


@pytest.fixture
def lang() -> Iterator[Command]:
    code = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    assert code
    module = ModuleType("example_family")
    sys.modules[module.__name__] = module
    exec(compile(code[1], str(DOCUMENT), "exec"), module.__dict__)
    yield REGISTRY.commands["lang"]
    del REGISTRY.commands["lang"], sys.modules[module.__name__]


async def test_the_example_command_works(lang: Command, run: Run, show: Show) -> None:
    await show('<html lang="en"><article lang="de">Hallo</article>')
    assert await run("lang") == "en"
    assert await run("lang article --upper") == "DE"
    assert "in capital letters" in command_help(lang)
    assert (await run("help lang")).startswith("Usage: gbrowse lang [<target>] [--upper]")
