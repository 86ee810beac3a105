"""Connects to a Playwright server (`playwright run-server`), over Playwright's protocol.

Such a server passes messages of Chromium's protocol only in Playwright's sessions, so ours go through one of those: `cdp.tunnel`.
"""

import asyncio
import re
from contextlib import suppress

from gstack_browse.browser.cdp.driver_types import Browser, Playwright
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.heartbeat import Heartbeat
from gstack_browse.browser.cdp.tunnel import TunnelConnection
from gstack_browse.browser.engine import world
from gstack_browse.browser.launch import driver_process, installer
from gstack_browse.browser.launch.endpoint import Endpoint
from gstack_browse.browser.launch.grid import split_credentials
from gstack_browse.browser.launch.launch import start_driver
from gstack_browse.browser.launch.remote_failures import AUTHORITY, LOGIN
from gstack_browse.browser.launch.running import LaunchParams, RunningBrowser
from gstack_browse.browser.launch.start_options import DOWNLOADS, LAUNCH_SECONDS
from gstack_browse.browser.launch.window import HEADLESS
from gstack_browse.errors import SetupFailed
from gstack_browse.registry.browser_address import PLAYWRIGHT
from gstack_browse.text.sanitise import one_line

END_REPORT_SECONDS = 1.0
"""How long the report of a browser's end may come after those of its pages."""
_SERVERS_VERSION = re.compile(r"server version:\s*v?([\w.]+)")
_OUR_VERSION = re.compile(r"client version:\s*v?([\w.]+)")
_CERTIFICATE = re.compile("certificate|altname", re.IGNORECASE)
"""Matches each error of Node about a certificate: `self-signed certificate in certificate chain`, `Hostname/IP does not match certificate's altnames`."""
_STATUS = re.compile(r"\b(401|403|404)\b")


class ServedConnection(TunnelConnection):
    """A connection to a server's browser, which may vanish with the network.

    Playwright reports the end of its pages before that of the browser.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self._gone = asyncio.Event()
        self._heartbeat: Heartbeat | None = None

    async def open(self, browser: Browser) -> None:
        await super().open(browser)
        browser.on("disconnected", lambda _: self._report_end())
        self._heartbeat = Heartbeat(self, lambda: self._tunnel.heard, self._report_end)

    async def wait_for_end_report(self) -> None:
        try:
            async with asyncio.timeout(END_REPORT_SECONDS):
                await self.ask_browser("Browser.getVersion")
        except (ProtocolError, TimeoutError):
            with suppress(TimeoutError):
                async with asyncio.timeout(END_REPORT_SECONDS):
                    await self._gone.wait()

    def close(self) -> None:
        if self._heartbeat:
            self._heartbeat.stop()
        super().close()

    def _report_end(self) -> None:
        self._gone.set()
        self.on_end(True)


async def start(
    params: LaunchParams,
    endpoint: Endpoint,
    ready: driver_process.Driver | None = None,
    progress: installer.Progress = installer.ignore_line,
) -> RunningBrowser:
    """Connect to a browser that the server starts for us.

    Args:
        ready: a driver that runs already; None: start one

    Raises SetupFailed.
    """
    async with start_driver(ready, progress) as (scratch, playwright):
        (scratch.path / DOWNLOADS).mkdir(mode=0o700, exist_ok=True)
        await world.register(playwright)
        browser = await _connect(playwright, endpoint)
        connection = ServedConnection(f"the browser of the Playwright server at {endpoint.name}")
        await connection.open(browser)
        product: str = (await connection.ask_browser("Browser.getVersion"))["product"]
    executable = scratch.path / ("headless_shell" if product.startswith("HeadlessChrome") else "chrome")
    running = RunningBrowser(connection, scratch, executable, params, HEADLESS)
    running.shares_disk = False
    running.start_description = f"by the Playwright server at {endpoint.name}"
    running.attach_remote_browser(playwright, browser, endpoint.name)
    return running


async def _connect(playwright: Playwright, endpoint: Endpoint) -> Browser:
    address, said = split_credentials(endpoint.address.removeprefix(PLAYWRIGHT))
    headers = {**said, **endpoint.headers}
    try:
        return await playwright.chromium.connect(address, headers=headers, timeout=LAUNCH_SECONDS * 1000)
    except ProtocolError as error:
        raise explain_refusal(error.message, endpoint.name) from None


def explain_refusal(message: str, name: str) -> SetupFailed:
    """Turn the server's error message into a SetupFailed.

    Addresses are cut out, since they may hold a token.
    """
    if theirs := _SERVERS_VERSION.search(message):
        ours = found[1] if (found := _OUR_VERSION.search(message)) else "another one"
        return SetupFailed(
            f"The server at {name} is Playwright {theirs[1]}, and gbrowse has {ours}: they do not understand each other",
            f"Run one of {ours} there: npx playwright@{ours} run-server --port <port>",
        )
    if "Executable doesn't exist" in message:
        return SetupFailed(
            f"The server at {name} has no Chromium", "Install it there: npx playwright install chromium"
        )
    if status := _STATUS.search(message.partition("\n")[0]):
        is_login = status[1] in ("401", "403")
        return SetupFailed(
            f"The server at {name} refuses the connection: {status[1]}",
            LOGIN if is_login else "Look at its path (run-server --path)",
        )
    told = re.sub(r"\w+://\S+", "…", message.removeprefix("BrowserType.connect: ").partition("\n")[0])
    if _CERTIFICATE.search(told):
        return SetupFailed(f"The certificate of {name} is not trusted: {one_line(told, 200)}", AUTHORITY)
    return SetupFailed(
        f"No Playwright server answers at {name}: {one_line(told, 200)}",
        "Look whether it runs: npx playwright run-server --port <port> --host <address>",
    )
