"""Find the browsers of this machine that the tests use: a full Chromium, and its headless shell.

They are found as gbrowse finds them.

python -m tests.chromiums        both, a line each: `full` or `shell`, and the path
"""

import os
from functools import cache
from pathlib import Path

import pytest

from gstack_browse import settings
from gstack_browse.browser.launch import chromium


@cache
def usual() -> Path:
    """Return the browser of most tests.

    The one that `BROWSE_CHROMIUM` names, else what gbrowse takes where nothing is set.
    """
    named = os.environ.get("BROWSE_CHROMIUM")
    found = Path(named) if named else chromium.find_executable(settings.read())
    assert found, "there is no Chromium: bin/test installs one"
    return found


@cache
def full() -> Path | None:
    return chromium.find_executable(_unnamed(), full=True)


@cache
def shell() -> Path | None:
    found = chromium.find_executable(_unnamed())
    return found if found and chromium.is_headless_shell(found) else None


def needed_full() -> str:
    """Return the path of a full Chromium; skip the test where it is missing."""
    return str(full() or pytest.skip("needs a full Chromium, as Debian's package chromium"))


def named_with_windows() -> str:
    """Return a value of `BROWSE_CHROMIUM` for a test that opens windows.

    Skip the test without a full Chromium. It is "" where the usual browser is a shell: gbrowse finds a full one itself then.
    """
    needed_full()
    return "" if chromium.is_headless_shell(usual()) else str(usual())


def need_shell(why: str) -> None:
    """Skip the test on a full Chromium, where its assertions do not hold.

    It is marked `both_browsers`, so that it runs on a shell.
    """
    if not chromium.is_headless_shell(usual()):
        pytest.skip(f"about the headless shell: {why}")


def _unnamed() -> settings.Settings:
    """The settings, without the Chromium that is named in them."""
    return settings.read({name: value for name, value in os.environ.items() if name != "BROWSE_CHROMIUM"})


if __name__ == "__main__":
    for name, found in (("full", full()), ("shell", shell())):
        if found:
            print(name, found)
