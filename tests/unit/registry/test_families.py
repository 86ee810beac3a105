"""Commands whose modules are imported when they are first asked for."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from gstack_browse.registry.command import Registry

MODULE = '''
"""{title}: what they are for."""
from gstack_browse.registry import READ, command
from families_of_a_test import REGISTRY

@command(READ, examples=["{name}"], aliases=["{name}-too"], registry=REGISTRY)
async def {name}() -> str:
    """Say it."""
    return ""
'''
NAMES = ("late", "early", "new")
"""In the order of their modules. The map of names is older than the last one."""


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    monkeypatch.syspath_prepend(tmp_path)
    shared = sys.modules["families_of_a_test"] = type(sys)("families_of_a_test")
    registry: Registry = Registry()
    shared.__dict__["REGISTRY"] = registry
    for name in NAMES:
        (tmp_path / f"family_{name}.py").write_text(MODULE.format(title=name.title(), name=name))
        monkeypatch.delitem(sys.modules, f"family_{name}", raising=False)
    where = {"late": "family_late", "early": "family_early", "early-too": "family_early"}
    registry.set_modules([f"family_{name}" for name in NAMES], where)
    return registry


def imported() -> set[str]:
    return {name for name in NAMES if f"family_{name}" in sys.modules}


def test_a_command_needs_its_own_module_only_and_unknown_words_all(registry: Registry) -> None:
    found = registry.get("early-too")
    assert found
    assert (found.name, imported()) == ("early", {"early"})
    assert registry.get("new")
    assert imported() == set(NAMES)
    assert registry.get("nothing") is None
    registry.get("early")
    assert list(registry.commands) == list(NAMES)
    assert [family.title for family, _ in registry.by_family()] == ["Late", "Early", "New"]


SLOW = (
    MODULE
    + """
import families_of_a_test as shared
shared.DECLARED.set()
shared.GO_ON.wait()
helper = True
"""
)


def test_a_command_that_a_thread_is_importing_is_found_once_its_module_is_whole(
    registry: Registry, tmp_path: Path
) -> None:
    """Find it only then: its handler uses names that the module defines behind it."""
    (tmp_path / "family_early.py").write_text(SLOW.format(title="Early", name="early"))
    shared = sys.modules["families_of_a_test"].__dict__
    shared["DECLARED"], shared["GO_ON"] = declared, go_on = threading.Event(), threading.Event()

    def find() -> bool:
        assert registry.get("early")
        return hasattr(sys.modules["family_early"], "helper")

    with ThreadPoolExecutor(2) as threads:
        importing = threads.submit(registry.import_all)
        declared.wait()
        finding = threads.submit(find)
        wait([finding], timeout=0.1)  # long enough to find half a module
        go_on.set()
        assert finding.result()
        importing.result()
