"""Test our knowledge of Playwright's inside against the installed one.

Where one of these fails: docs/upgrading.md.
"""

import inspect
import re
import tomllib
from pathlib import Path

import playwright
import pytest
from playwright import async_api
from playwright._impl import _impl_to_api_mapping, out_of_process, transport
from playwright.async_api import async_playwright

from gstack_browse.browser.cdp import driver_types
from gstack_browse.browser.cdp import playwright_internals as internals
from gstack_browse.browser.cdp.errors import ProtocolError, ProtocolTimeout
from gstack_browse.browser.cdp.handlers import cache_signature

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def driver() -> str:
    """The driver's source."""
    return Path(playwright.__path__[0], "driver/package/lib/coreBundle.js").read_text(encoding="utf-8")


def test_the_installed_version_is_in_the_range_that_is_tested_and_asked_for() -> None:
    assert internals.OLDEST <= tuple(map(int, internals.VERSION.split(".")[:2])) <= internals.NEWEST
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    after = (internals.NEWEST[0], internals.NEWEST[1] + 1)
    asked = "playwright>={}.{},<{}.{}".format(*internals.OLDEST, *after)
    assert asked in project["dependencies"]


def test_the_features_that_it_disables(driver: str) -> None:
    listed = re.search(r"disabledFeatures = \[(.*?)\]\.filter", driver, re.DOTALL)
    assert listed
    features = re.findall(r'^\s*"(\w+)",?$', listed[1], re.MULTILINE)
    assert [name for name in features if not name.startswith("ms")] == list(internals.DISABLED_FEATURES)


def test_the_features_that_it_enables(driver: str) -> None:
    listed = re.search(r"enabledFeatures = \(\) => \[(.*?)\]\.filter", driver, re.DOTALL)
    assert listed
    features = re.findall(r'"(\w+)",?$', listed[1], re.MULTILINE)
    assert features == list(internals.ENABLED_FEATURES)


def test_the_flags_that_are_taken_back(driver: str) -> None:
    assert [flag for flag in internals.KEPT_PROTECTIONS if f'"{flag}"' not in driver] == []


def test_blink_settings_are_those_of_playwright(driver: str) -> None:
    assert set(re.findall(r'"--blink-settings=([^"]*)"', driver)) == {internals.BLINK_SETTINGS}


def test_the_name_of_its_world(driver: str) -> None:
    names = re.findall(r"utilityWorldName = `([^$`]+)", driver)
    assert names
    assert all(name.startswith(internals.WORLD_PREFIX) for name in names)


def test_folders_of_chromium_are_those_that_playwright_installs(driver: str) -> None:
    assert f'"{internals.FULL_FOLDER.removesuffix("-")}"' in driver
    assert f'"{internals.SHELL_FOLDER.removesuffix("-").replace("_", "-")}"' in driver
    assert any(f'"{name}"' in driver for name in internals.SHELL_NAMES)


def test_its_transport_is_taken_from_where_ours_is_put() -> None:
    made = inspect.getsource(out_of_process.PlaywrightClient.__init__)
    assert "PipeTransport(loop)" in made
    used = set(re.findall(r"self\._proc\.(\w+)", inspect.getsource(transport.PipeTransport)))
    connected = set(re.findall(r"self\._proc\.(\w+)", inspect.getsource(transport.PipeTransport.connect)))
    assert used - connected <= {"stdin", "stdout", "communicate", "kill", "terminate"}
    assert re.findall(r"self\.(_\w+)[:\w. ]* = ", inspect.getsource(transport.PipeTransport.connect)) == [
        "_stopped_future", "_proc", "_output"
    ]  # fmt: skip


def test_its_errors_are_the_same_where_we_import_them_from() -> None:
    assert (ProtocolError, ProtocolTimeout) == (async_api.Error, async_api.TimeoutError)


def test_every_member_that_we_use_is_one_of_its_types() -> None:
    ours = [kind for kind in vars(driver_types).values() if getattr(kind, "_is_protocol", False)]
    public = [
        kind for kind in ours if kind.__module__ == driver_types.__name__ and hasattr(async_api, kind.__name__)
    ]
    used = [(kind.__name__, member) for kind in public for member in vars(kind) if member[0] != "_"]
    assert len(used) > 50
    assert [(name, member) for name, member in used if not hasattr(getattr(async_api, name), member)] == []


async def test_a_transport_that_is_not_taken_is_put_back() -> None:
    async def adopt() -> None:
        raise RuntimeError

    with internals.AdoptingTransport(adopt), pytest.raises(RuntimeError):
        await async_playwright().start()
    assert out_of_process.PipeTransport is transport.PipeTransport


def test_playwright_reads_the_signature_that_a_handler_carries() -> None:
    """Read it each time a handler is called: what `cache_signature` saves."""
    asked: list[str] = []

    class Noting:
        def __call__(self, *arguments: object) -> None:
            asked.append(f"{len(arguments)} arguments")

        @property
        def __signature__(self) -> inspect.Signature:
            asked.append("signature")
            return inspect.signature(lambda event: None)

    wrapped = _impl_to_api_mapping.ImplToApiMapping().wrap_handler(Noting())
    for _ in range(2):
        wrapped("one", "two")
    assert [step for step in asked if step != "1 arguments"].count("signature") >= 2
    assert asked.count("1 arguments") == 2
    assert "__signature__" in vars(cache_signature(lambda event: None))
