"""Test that selectors find what Playwright finds."""

import random

import pytest

from tests.browser.engine import selector_oracle

SEED = 20261128


@pytest.mark.playwright
@pytest.mark.parametrize("number", [1_000, pytest.param(20_000, marks=pytest.mark.slow)])
async def test_selectors_find_what_playwright_finds(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Start a browser with Playwright's console."""
    from tests.playwright_browser import playwright_browser

    monkeypatch.setenv("PWDEBUG", "console")
    async with playwright_browser() as browser:
        page = await browser.new_page()
        await selector_oracle.load(page)
        made = await selector_oracle.make_selectors(page, number, random.Random(SEED))
        assert len(made) > number / 2
        different = [
            str(difference)
            for difference in await selector_oracle.differences(page, made)
            if not await selector_oracle.reason_for(page, difference)
        ]
    assert different == []
