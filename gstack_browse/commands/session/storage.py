"""Storage: what sites keep in the browser."""

import json
from typing import Literal

from gstack_browse.browser.command.page import PageSession
from gstack_browse.browser.reading import storage as browser_storage
from gstack_browse.errors import ActionFailed, UsageError
from gstack_browse.registry import READ, WRITE, command
from gstack_browse.registry.arguments import SecretValue, Word
from gstack_browse.text import secrets
from gstack_browse.text.columns import format_count


@command(
    READ,
    kinds={"action": WRITE},
    examples=["storage", "storage set theme dark", "storage delete theme --session"],
    page_text=True,
    secret=["value"],
    forms="[set <key> <value|-> | delete <key> | clear] [--session]",
)
async def storage(
    page: PageSession,
    action: Literal["set", "delete", "clear"] | None = None,
    key: Word | None = None,
    value: SecretValue | None = None,
    *,
    session: bool = False,
) -> str:
    """Print the page's local and session storage as JSON, or change an item.

    It does as storage-set, -delete and -clear. Values that are secrets by their name or by their looks are
    redacted.

    action: set, delete or clear items of the local storage instead of printing
    key: the item's name
    session: of the session storage instead; alone: print only that
    """
    if action == "clear":
        if key is not None:
            raise UsageError("storage clear takes no key", "One item: storage delete <key>")
        return await storage_clear(page, session=session)
    if action is None:
        return await _render_storage(page, session=session)
    if key is None or (value is None) is (action == "set"):
        raise UsageError(
            "storage set needs a key and a value" if action == "set" else "storage delete needs one key"
        )
    if action == "delete":
        return await storage_delete(page, key, session=session)
    return await storage_set(page, key, value or "", session=session)


async def _render_storage(page: PageSession, *, session: bool) -> str:
    """Return the page's web storage as JSON, with secrets hidden."""
    areas = await browser_storage.list_items(page)
    shown = {name: secrets.hide_secrets(items) for name, items in areas.items()}
    return json.dumps(shown["sessionStorage"] if session else shown, ensure_ascii=False, indent=2)


@command(
    WRITE, examples=["storage-set theme dark", "storage-set token - --session < token.txt"], secret=["value"]
)
async def storage_set(page: PageSession, key: Word, value: SecretValue, *, session: bool = False) -> str:
    """Set an item of the page's local storage. The value is never printed.

    session: of its session storage, which only this tab has
    """
    await browser_storage.set_item(page, key, value, session=session)
    return f"Set {_item_name(key, session=session)}"


@command(WRITE, examples=["storage-delete theme", "storage-delete step --session"])
async def storage_delete(page: PageSession, key: Word, *, session: bool = False) -> str:
    """Delete an item of the page's local storage.

    session: of its session storage
    """
    if not await browser_storage.remove_items(page, key, session=session):
        raise ActionFailed(f"There is no {_item_name(key, session=session)}", "Run 'storage' to see the items")
    return f"Deleted {_item_name(key, session=session)}"


@command(WRITE, examples=["storage-clear", "storage-clear --session"])
async def storage_clear(page: PageSession, *, session: bool = False) -> str:
    """Delete all items of the page's local storage. Cookies stay: 'cookies-clear'.

    session: of its session storage
    """
    found = await browser_storage.remove_items(page, None, session=session)
    return f"Deleted {format_count(found, 'item')} of {_storage_name(session=session)}"


def _item_name(key: str, *, session: bool) -> str:
    """Return an item's name in scripts: `localStorage["theme"]`."""
    return f"{_storage_name(session=session)}[{json.dumps(key, ensure_ascii=False)}]"


def _storage_name(*, session: bool) -> str:
    """Return the name of the storage in scripts."""
    return "sessionStorage" if session else "localStorage"
