"""Test what is captured of the storage that open pages tell of their browser context."""

from typing import Any

from gstack_browse.browser.transfer.capture import merge_page_storages
from tests.each import each

A, B = "https://a.example", "https://b.example"
ITEM = {"name": "theme", "value": "dark"}


def page(origin: str, *local: dict[str, str], databases: int | None = 0) -> dict[str, Any]:
    told = {"origin": origin, "items": {}, "local": list(local)}
    return told if databases is None else {**told, "databases": databases}


def test_origins_without_storage_are_left_out_and_too_many_asked_of_playwright() -> None:
    assert merge_page_storages({A, B}, [page(A, ITEM), page(B), page(A, ITEM)]) == [
        {"origin": A, "localStorage": [ITEM], "indexedDB": []}
    ]
    assert merge_page_storages(set(), [page("null")]) == []
    assert merge_page_storages({A, ""}, [page(A)]) is None


@each([[page(A), None], [page(B)], [page(A, databases=1)], [page(A, databases=None)], []])
def test_playwright_is_asked_where_the_pages_do_not_tell_all(kept: list[dict[str, Any] | None]) -> None:
    assert merge_page_storages({A}, kept) is None
