"""Recordings: what pages load, as a HAR file."""

import asyncio

from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.network.har_recording import Purpose
from gstack_browse.browser.reading import logged_requests
from gstack_browse.errors import ActionFailed, Refused
from gstack_browse.network.logs import format_clock
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import OutFile
from gstack_browse.text.units import format_count
from gstack_browse.workspace.files import write_whole


@command(META, examples=["har-start"], fresh=True)
async def har_start(browser: OpenContext) -> str:
    """Record the requests of all tabs from now on, until 'har-stop' saves them.

    Chromium keeps the bodies of their answers meanwhile, beyond their documents: 20 MB a tab, each up to 5 MB, the oldest go
    first. Of everything else 64 MB are kept, which is about 10,000 requests, and 5,000 frames of each web socket. 'restart', 'stop'
    and the end of an idle daemon end a recording; a new version of gbrowse waits for 'har-stop'.
    """
    recording = browser.recording
    async with recording.changing:  # a 'har-stop' may be saving what was recorded until now
        if began := recording.start_time(Purpose.HAR):
            return f"Recording since {format_clock(began)} (it was already): {format_count(recording.count(Purpose.HAR), 'request')} so far"
        await recording.begin(browser.tabs, Purpose.HAR)
    return "Recording requests: 'har-stop <file>' saves them"


@command(META, examples=["har-stop page.har", "har-stop page.har --bodies"], timeout=120)
async def har_stop(browser: OpenContext, file: OutFile, *, bodies: bool = False, secrets: bool = False) -> str:
    """Save what was recorded as an HTTP Archive (HAR 1.2), and stop recording.

    The tools of Chromium and Firefox open the file; 'har-replay' answers from it. Cookies, credentials and what forms have sent as
    passwords are left out. Addresses are whole, and so are bodies: the file is readable by its owner only.

    bodies: with the bodies of answers, as far as Chromium still has them
    secrets: with cookies, credentials and passwords
    """
    async with browser.recording.changing:
        if not browser.recording.start_time(Purpose.HAR):
            raise ActionFailed("Nothing is recorded", "Run 'har-start', then load the page")
        if secrets and browser.imported:
            raise Refused(
                "--secrets saves nothing while cookies of the user's own browsers are in use",
                "Run 'har-stop' without it",
            )
        made = await logged_requests.build_archive(browser, Purpose.HAR, bodies=bodies, secrets=secrets)
        await asyncio.to_thread(write_whole, str(file), made.content)
        await browser.recording.end(browser.tabs, Purpose.HAR)
    return f"HAR saved: {file} ({made.describe()}, {len(made.content)}B)"
