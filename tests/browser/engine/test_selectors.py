import random

import pytest

from tests.browser.engine import selector_oracle

pytestmark = pytest.mark.playwright
SEED = 20261128


async def _unexplained(
    monkeypatch: pytest.MonkeyPatch, documents: dict[str, str], number: int
) -> tuple[int, list[str]]:
    """Compare `number` selectors. Return how many there were, and the differences that are not intended.

    Starts a browser of its own, which has Playwright's console.
    """
    monkeypatch.setenv("PWDEBUG", "console")
    compared, unexplained = 0, []
    from tests.playwright_browser import playwright_browser

    async with playwright_browser() as browser:
        page = await browser.new_page()
        for name, markup in documents.items():
            await selector_oracle.load(page, markup)
            made = await selector_oracle.make_selectors(
                page, number // len(documents), random.Random(f"{SEED} {name}")
            )
            compared += len(made)
            for difference in await selector_oracle.differences(page, name, made):
                if not await selector_oracle.reason_for(page, difference):
                    unexplained.append(str(difference))
    return compared, unexplained


def _documents(made: int) -> dict[str, str]:
    """Return the documents that are there, and so many made ones."""
    found = {path.name: path.read_text(encoding="utf-8") for path in selector_oracle.DOCUMENTS}
    return found | {
        f"made {count}": selector_oracle.generated(random.Random(f"{SEED} {count}")) for count in range(made)
    }


async def test_selectors_find_what_playwright_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = dict(list(_documents(made=60).items())[::8])
    compared, unexplained = await _unexplained(monkeypatch, documents, 1_600)
    assert (unexplained, compared > 1_300) == ([], True)


PARTS = 4


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
async def test_20_000_selectors_find_what_playwright_finds(monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    documents = dict(list(_documents(made=60).items())[part::PARTS])
    compared, unexplained = await _unexplained(monkeypatch, documents, 24_000 // PARTS)
    assert (unexplained, compared >= 20_000 // PARTS) == ([], True)
