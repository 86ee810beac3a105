"""Record which parts of a page's scripts and style sheets are used. `text/coverage.py` sums them up."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.engine import failures
from gstack_browse.browser.tabs import passkeys
from gstack_browse.errors import ActionFailed
from gstack_browse.text.coverage import CoveredFile, SourceFile, find_used_parts, group_by_address

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession
    from gstack_browse.browser.tabs.tab import Tab

MOST_SOURCES = 10_000
"""Limit of a page's scripts, and of its style sheets."""


class CoverageRecording:
    """Records the coverage of one tab's document, in a session of its own, until that is detached.

    Enabled in the common session, DOM and CSS would slow the load of a page of 1,000 rows by half.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._scripts: dict[str, SourceFile] = {}
        self._sheets: dict[str, SourceFile] = {}
        session.on("Debugger.scriptParsed", self._on_script)
        session.on("Page.frameNavigated", self._on_navigation)
        session.on("CSS.styleSheetAdded", self._on_style_sheet)
        session.on("CSS.styleSheetRemoved", lambda event: self._sheets.pop(event["styleSheetId"], None))

    async def start(self) -> None:
        """Start to count. Raises ProtocolError."""
        for method in ("Page.enable", "Debugger.enable", "Profiler.enable", "DOM.enable", "CSS.enable"):
            await self.session.send(method)
            if method == "Debugger.enable":
                await self.session.send("Debugger.setSkipAllPauses", {"skip": True})
        await self.session.send("Profiler.startPreciseCoverage", {"callCount": False, "detailed": True})
        await self.session.send("CSS.startRuleUsageTracking")

    async def list_files(self) -> list[CoveredFile]:
        """Return the parts used so far of the present scripts and style sheets. Raises ProtocolError."""
        scripts = await self.session.send("Profiler.takePreciseCoverage")
        for script in scripts["result"]:  # functions that have run since the last call
            if found := self._scripts.get(script["scriptId"]):
                found.add_used(
                    find_used_parts([one for function in script["functions"] for one in function["ranges"]])
                )
        for rule in (await self.session.send("CSS.takeCoverageDelta"))["coverage"]:
            if rule["used"] and (found := self._sheets.get(rule["styleSheetId"])):
                found.add_used([(int(rule["startOffset"]), int(rule["endOffset"]))])
        return group_by_address([*self._scripts.values(), *self._sheets.values()])

    def _on_script(self, event: dict[str, Any]) -> None:
        """Add a script of the page: not an evaluated one (without an address), nor one of another world."""
        is_own = event.get("executionContextAuxData", {}).get("isDefault", True)
        if event["url"] and is_own and len(self._scripts) < MOST_SOURCES:
            self._scripts[event["scriptId"]] = SourceFile(event["url"], "js", int(event["length"]))

    def _on_navigation(self, event: dict[str, Any]) -> None:
        """Forget the files of a replaced document: the new one may be in another process."""
        if "parentId" not in event["frame"]:
            self._scripts.clear()
            self._sheets.clear()

    def _on_style_sheet(self, event: dict[str, Any]) -> None:
        header = event["header"]
        if len(self._sheets) < MOST_SOURCES and header["origin"] == "regular":
            url = header["sourceURL"] or "(made by scripts)"
            self._sheets[header["styleSheetId"]] = SourceFile(url, "css", int(header["length"]))


_recordings: "WeakKeyDictionary[Tab, CoverageRecording]" = WeakKeyDictionary()


def is_recorded(tab: "Tab") -> bool:
    """Return whether the coverage of a tab is recorded."""
    return tab in _recordings


async def start(page: "PageSession") -> None:
    """Start to record the tab's coverage, or start again."""
    await stop(page)
    try:
        recording = CoverageRecording(
            await passkeys.open_session(page.session.running, page.world.frames.target)
        )
        await recording.start()
    except ProtocolError as error:
        raise failures.translate(error) from None
    _recordings[page.tab] = recording
    recording.session.on("close", lambda _: _forget(page.tab, recording))


def _forget(tab: "Tab", recording: CoverageRecording) -> None:
    """Forget a recording whose page is gone."""
    if _recordings.get(tab) is recording:
        del _recordings[tab]


async def list_files(page: "PageSession") -> list[CoveredFile]:
    """Return the parts used so far. Raises ActionFailed if nothing is recorded."""
    recording = _recordings.get(page.tab)
    try:
        if recording:
            return await recording.list_files()
    except ProtocolError:
        _recordings.pop(page.tab, None)  # the page that was recorded is gone
    raise ActionFailed(
        "Coverage is not recorded in this tab", "Run 'coverage-start', then 'reload', then use the page"
    )


async def stop(page: "PageSession") -> None:
    """Stop recording."""
    if recording := _recordings.pop(page.tab, None):
        with suppress(ProtocolError):
            await recording.session.detach()
