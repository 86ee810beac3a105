"""State: keep what the browser has, and have it again."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.errors import ActionFailed, BrowseError
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import OutFile, PageFile
from gstack_browse.registry.values.paths import CallerPaths, parse_openable_url
from gstack_browse.text.units import format_count
from gstack_browse.workspace import files

if TYPE_CHECKING:
    from gstack_browse.browser.state.context_state import ContextState

MOST_BYTES = 100_000_000

MOST_NAMED = 5
"""Limit for lines about values that are not saved."""


@command(META, examples=["state-save", "state-save login.json"], timeout=60)
async def state_save(browser: OpenContext, file: OutFile | None = None, *, imported: bool = False) -> str:
    """Save cookies, local and session storage, IndexedDB and open tabs to a file (0600).

    By default it is .gstack/state.json. With --as ann that is .gstack/state-ann.json. The file is a storage
    state as Playwright reads and writes it, with tabs and session storage beside it. Who has it is logged in as
    you are: keep it out of git. Cookies that came from your own browsers are not saved unless you say so.

    imported: save cookies of imported sites, too
    """
    from gstack_browse.browser.transfer import capture, state_file

    state = await capture.capture_unchanged(browser)
    if state.missing:
        raise ActionFailed(
            f"Nothing was saved: the browser did not tell its {state.missing}", "Try again, or 'restart'"
        )
    omitted = 0 if imported else _remove_imported_cookies(state)
    unsaved = _remove_piped_tabs(browser, state)
    path = file or browser.pictures / (f"state-{browser.name}.json" if browser.name else "state.json")
    content = await asyncio.to_thread(state_file.encode, state)
    await asyncio.to_thread(files.write_whole, str(path), content)
    tabs = sum(tab.url not in ("", state_file.BLANK) for tab in state.tabs)
    summary = f"State saved: {path} ({_render_counts(len(state.storage['cookies']), len(state.storage['origins']), tabs)})"
    lines = [summary]
    if omitted:
        lines.append(
            f"{format_count(omitted, 'cookie')} of imported sites left out: --imported saves them, too"
        )
    lines += [f"{values} left out: a state holds none" for values in state.unkept[:MOST_NAMED]]
    if unsaved:
        lines.append(f"{format_count(unsaved, 'tab')} left out: what they show came from standard input")
    return "\n→ ".join(lines)


def _remove_imported_cookies(state: "ContextState") -> int:
    """Remove all cookies of imported sites from a state, and its list of these sites. Return how many."""
    from gstack_browse.cookies import records

    every = state.storage["cookies"]
    kept = [item for item in every if not records.is_below_any(state.imported, str(item["domain"]).lstrip("."))]
    state.storage["cookies"], state.imported = kept, []
    return len(every) - len(kept)


def _remove_piped_tabs(browser: OpenContext, state: "ContextState") -> int:
    """Remove the tabs that show HTML from standard input, which has no URL. Return how many."""
    kept = [tab for tab in state.tabs if not browser.loaded_html.is_from_stdin(tab.url)]
    removed = len(state.tabs) - len(kept)
    state.tabs = kept
    return removed


@command(META, examples=["state-load login.json"], timeout=120, fresh=True)
async def state_load(browser: OpenContext, file: PageFile, *, any_file: bool = False) -> str:
    """Load a saved state, or one of Playwright's, instead of all present cookies, storage and tabs.

    Without tabs in the file, the open ones stay and load again behind the answer. Tabs are opened by the same rules as with goto.

    any_file: also a file outside of the workspace and the temporary directory
    """
    from gstack_browse.browser.transfer import state_file

    content = await asyncio.to_thread(files.read_limited, str(file), MOST_BYTES)
    policy = _AddressPolicy(browser)
    saved = await asyncio.to_thread(
        state_file.decode, content, refused_page=policy.refused_page, refused_tab=policy.refused_tab
    )
    loaded = await state_file.load_state(browser, saved)
    lines = [
        f"State loaded: {file} ({_render_counts(loaded.cookies, loaded.origins, loaded.tabs)})",
        "in the place of all cookies and storage there were",
        *state_file.describe_left_out(loaded.left_out),
    ]
    return "\n→ ".join(lines)


class _AddressPolicy:
    """Checks the addresses in a state file by the user's rules for hosts and files."""

    def __init__(self, browser: OpenContext) -> None:
        origin = browser.running.params
        self._hosts = origin.settings.hosts
        workspace = origin.workspace or Path("/nowhere")
        self._paths = CallerPaths(workspace, workspace)

    def refused_page(self, url: str) -> str:
        """Return why policy refuses to load cookies and storage of the origin of `url`; "" if it does not."""
        refusal = self._hosts.refuse_page(url) if self._hosts else None
        return refusal.why if refusal else ""

    def refused_tab(self, url: str) -> str:
        """Return why policy refuses to open a tab at `url`; "" if it does not."""
        try:
            parse_openable_url(url, self._paths)
        except BrowseError as error:
            return f"that may not be opened ({error.message})"
        reason = self.refused_page(url)
        return f"that {reason}" if reason else ""


def _render_counts(cookies: int, origins: int, tabs: int) -> str:
    """Format counts for the reply: `3 cookies, 1 origin, 2 tabs`."""
    return f"{format_count(cookies, 'cookie')}, {format_count(origins, 'origin')}, {format_count(tabs, 'tab')}"
