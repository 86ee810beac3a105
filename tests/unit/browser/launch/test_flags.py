"""Compare Chromium's flags with the installed Playwright's: each difference is intended, and has its reason here."""

import importlib.util
import re
from pathlib import Path

import pytest

from gstack_browse.browser.launch import flags

PASSED_OVER = {
    "--disable-edgeupdater": "of Edge, which is not started",
    "--disable-updater-scheduler": "of Edge",
    "--edge-skip-compat-layer-relaunch": "of Edge on Windows",
    "--do-not-de-elevate": "of Windows",
    "--disable-ipc-flooding-protection": "a protection, which a page may not lose",
    "--disable-popup-blocking": "windows that nobody asked for are blocked, as for a person",
}
PASSED_OVER_FEATURES = {
    "TcpPortRandomizationWin": "of Windows",
    "msForceBrowserSignIn": "of Edge",
    "msEdgeUpdateLaunchServicesPreferredVersion": "of Edge",
}
WITH_A_VALUE_OF_OURS = ("--disable-features=", "--enable-features=", "--disable-extensions")
"""Flags that `list_flags` adds itself."""


@pytest.fixture(scope="module")
def bundle() -> str:
    """Playwright's own text."""
    spec = importlib.util.find_spec("playwright")
    assert spec
    assert spec.origin
    return (Path(spec.origin).with_name("driver") / "package/lib/coreBundle.js").read_text(encoding="utf-8")


def strings_between(source: str, begin: str, end: str) -> list[str]:
    begun = source.index(begin)
    return [word for word in re.findall(r'"([^"]*)"', source[begun : source.index(end, begun)]) if word]


@pytest.mark.playwright
def test_switches_and_features_are_playwrights(bundle: str) -> None:
    begin = bundle.index("init_chromiumSwitches = __esm(")
    end = bundle.index("__esm(", begin + 40)
    source = re.sub(r"^\s*//.*$", "", bundle[begin:end], flags=re.MULTILINE)
    theirs = strings_between(source, "chromiumSwitches = (options)", "].filter(")
    wanted = [word for word in theirs if word.startswith("--") and not word.startswith(WITH_A_VALUE_OF_OURS)]
    assert sorted(flags.SWITCHES) == sorted(set(wanted) - PASSED_OVER.keys())
    assert PASSED_OVER.keys() <= set(wanted), "one is gone there: take it off the list"
    disabled = strings_between(source, "disabledFeatures = [", "].filter(")
    assert sorted(flags.DISABLED_FEATURES) == sorted(set(disabled) - PASSED_OVER_FEATURES.keys())
    assert PASSED_OVER_FEATURES.keys() <= set(disabled), "one is gone there: take it off the list"
    enabled = strings_between(source, "enabledFeatures = ()", "].filter(")
    assert sorted(flags.ENABLED_FEATURES) == sorted(enabled)
    theirs = strings_between(bundle, 'chromeArguments.push("--headless");', "chromiumSandbox")
    named = {word for word in theirs if not word.startswith("--blink-settings=")}
    assert named <= set(flags.HEADLESS_SWITCHES)
    assert f"--blink-settings={','.join(flags.BLINK_SETTINGS)}" in theirs


def test_each_flag_is_there_once_and_fits_profile_and_extensions() -> None:
    for window in [True, False]:
        made = flags.list_flags(resolver_rules=["MAP a ~NOTFOUND"], sandbox=False, window=window)
        names = [flag.partition("=")[0] for flag in made]
        assert len(names) == len(set(names))
        assert ("--headless" in made) is not window
    usual = set(flags.list_flags(resolver_rules=[], sandbox=True))
    assert {"--disable-extensions", "--no-startup-window"} <= usual
    assert "--no-sandbox" not in usual
    profile = {"has_profile": True, "extensions": ["--load-extension=/x"]}
    extended = flags.list_flags(resolver_rules=[], sandbox=True, **profile)
    assert extended[-1] == "about:blank"
    assert "--load-extension=/x" in extended
    assert not {"--disable-extensions", "--no-startup-window"} & set(extended)
