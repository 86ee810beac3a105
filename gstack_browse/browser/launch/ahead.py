"""Start Chromium and open its first page while the daemon imports its modules.

A thread creates a browser context with a blank page. It uses neither asyncio nor JSON, since a daemon imports this module first of all.
Chromium gets the flags that `launch` would give it. Settings that need more are left to `launch`.
"""

import os
from _thread import allocate_lock, start_new_thread

from gstack_browse.browser.cdp import WORLD
from gstack_browse.browser.launch import executables, flags
from gstack_browse.browser.launch.process import ChromiumProcess, can_use_sandbox, start_process
from gstack_browse.browser.launch.scratch import DOWNLOADS, Scratch
from gstack_browse.security.policy import unresolved_hosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST_REQUEST_ID = 2_000_000_000
"""Ids of the requests here. The later connection uses small ones, and drops responses to these."""
PAGE_SECONDS = 10.0
"""Time limit for Chromium to open the page."""
_READ_BYTES = 1 << 16
UNSUPPORTED_VARIABLES = (
    "BROWSE_ALLOW",
    "BROWSE_ALLOW_RESOURCES",
    "BROWSE_CA_CERT",
    "BROWSE_CLIENT_CERT",
    "BROWSE_EXTENSIONS_DIR",
    "BROWSE_HEADED",
    "BROWSE_INSECURE",
    "BROWSE_PERSIST",
    "BROWSE_PROFILE",
    "BROWSE_PROXY",
    "BROWSE_REMOTE",
)
"""Environment variables that need `launch`: they concern the first requests, windows, kept state, or other browsers."""
_PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_AUTO_ATTACH = '{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}'
_METRICS = (
    '{"mobile":false,"width":1280,"height":720,"screenWidth":1280,"screenHeight":720,"deviceScaleFactor":1,'
    '"screenOrientation":{"angle":0,"type":"landscapePrimary"}}'
)
_MEDIA = (
    '{"media":"","features":[{"name":"prefers-color-scheme","value":"light"},{"name":"prefers-reduced-motion",'
    '"value":"no-preference"},{"name":"forced-colors","value":"none"},{"name":"prefers-contrast","value":"no-preference"}]}'
)
PAGE_REQUESTS = (
    ("Page.enable", "{}"),
    ("Log.enable", "{}"),
    ("Runtime.enable", "{}"),
    ("Page.addScriptToEvaluateOnNewDocument", f'{{"source":"","worldName":"{WORLD}"}}'),
    ("Network.enable", "{}"),
    ("Target.setAutoAttach", _AUTO_ATTACH),
    ("Emulation.setFocusEmulationEnabled", '{"enabled":true}'),
    ("Emulation.setDeviceMetricsOverride", _METRICS),
    ("Emulation.setEmulatedMedia", _MEDIA),
    ("Runtime.runIfWaitingForDebugger", "{}"),
)
"""Requests that set up the first page: those of `targets.SETUP_REQUESTS` and `emulation_commands` for every page, as JSON."""


class EarlyStart:
    """How to start Chromium before the imports: executable, and flags without the profile's directory."""

    def __init__(self, executable: str, arguments: "list[str]") -> None:
        self.executable = executable
        self.arguments = arguments


def plan_start(environment: "Mapping[str, str]" = os.environ) -> EarlyStart | None:
    """Return how to start Chromium before the daemon imports its other modules.

    None if the settings need more than this can do: `launch` starts Chromium later then.
    """
    if any(environment.get(name, "").strip() not in ("", "0") for name in UNSUPPORTED_VARIABLES):
        return None
    sandbox, metadata = (
        environment.get(f"BROWSE_{name}", "").strip() for name in ("SANDBOX", "ALLOW_METADATA")
    )
    if not {sandbox, metadata} <= {"", "0", "1"}:
        return None  # `settings` reports the invalid value
    proxy = _proxy_flags(environment)
    named = environment.get("BROWSE_CHROMIUM", "")
    executable = executables.find_executable(os.path.abspath(os.path.expanduser(named)) if named else "")
    if proxy is None or not executable:
        return None
    rules = unresolved_hosts.background_rules()
    rules += [] if metadata == "1" else unresolved_hosts.metadata_rules()
    uses_sandbox = sandbox == "1" if sandbox else can_use_sandbox()
    return EarlyStart(executable, flags.list_flags(resolver_rules=rules, sandbox=uses_sandbox, others=proxy))


def _proxy_flags(environment: "Mapping[str, str]") -> "list[str] | None":
    """List the flags for a proxy; None for one with a login, which request interception has to send."""
    urls = [environment[name] for name in _PROXY_VARIABLES if environment.get(name)]
    if not urls:
        return []
    if any("@" in url for url in urls):
        return None
    from gstack_browse.security.policy.proxies import read_proxy  # takes 10 ms

    proxy = read_proxy(environment)
    return proxy.with_bypass(unresolved_hosts.HOSTS).flags() if proxy else []


class EarlyChromium:
    """A Chromium that was started early, and its first page.

    Once `wait_for_page` has returned true, `context` and `target` are the page's ids, and `unread` has all of Chromium's messages.
    """

    def __init__(self, start: EarlyStart) -> None:
        """Start Chromium. Raises OSError."""
        self.start = start
        scratch = Scratch()
        try:
            os.mkdir(f"{scratch.name}/{DOWNLOADS}", 0o700)
            self.process = start_process(start.executable, start.arguments, scratch)
        except OSError:
            scratch.remove()
            raise
        self.context = self.target = ""
        self.unread = b""
        self._last_id = FIRST_REQUEST_ID
        self._has_page = False
        self._is_owned = True
        self._ready = allocate_lock()
        self._ready.acquire()
        start_new_thread(self._open_page, ())

    def wait_for_page(self) -> bool:
        """Wait until the first page is open and set up. Return whether it is. Blocks for PAGE_SECONDS at most.

        Return False once Chromium was handed over: a start that failed may be tried again.
        """
        if not self._ready.acquire(timeout=PAGE_SECONDS):
            return False
        self._ready.release()
        return self._has_page and self._is_owned

    def hand_over(self) -> ChromiumProcess:
        """Return the process, whose pipes and files are the caller's from now on: `discard` does nothing then."""
        self._is_owned = False
        return self.process

    def discard(self) -> None:
        """Kill Chromium and remove its files, unless it was handed over."""
        if not self._is_owned:
            return
        self._is_owned = False
        self.process.kill()
        if self._ready.acquire(timeout=PAGE_SECONDS):  # close no pipe that the thread still reads
            self._ready.release()
        self.process.close_pipes()
        self.process.scratch.remove()

    def _open_page(self) -> None:
        """Open the first context and page in a thread, while the main thread imports the daemon's modules.

        Messages are made and searched as text: importing a JSON module would delay this.
        """
        try:
            self._send("Target.setAutoAttach", _AUTO_ATTACH)
            self._send("Target.createBrowserContext", '{"disposeOnDetach":true}')
            self.context = self._read_until(b'"result":{"browserContextId":"')
            in_context = f'"browserContextId":"{self.context}"'
            folder = f'"downloadPath":"{self.process.scratch.name}/{DOWNLOADS}"'
            self._send(
                "Browser.setDownloadBehavior",
                f'{{"behavior":"allowAndName",{in_context},{folder},"eventsEnabled":true}}',
            )
            self._send("Target.createTarget", f'{{"url":"about:blank",{in_context}}}')
            self.target = self._read_until(b'"targetInfo":{"targetId":"', in_context.encode())
            # `Target.attachedToTarget` has the session id before the target id.
            begin = self.unread.rindex(b'"sessionId":"', 0, self.unread.index(self.target.encode()))
            session = self.unread[begin + 13 : begin + 45].decode()
            for method, parameters in PAGE_REQUESTS:
                self._send(method, parameters, session)
            self._read_until(f'{{"id":{self._last_id},"result":{{'.encode(), length=0)
            self._has_page = True
        except (OSError, ValueError):
            pass  # Chromium has ended, or its messages have another layout: `wait_for_page` returns false
        finally:
            self._ready.release()

    def _send(self, method: str, parameters: str, session: str = "") -> None:
        """Write a request to Chromium's pipe. `parameters`: as JSON; `session`: id of a page's session."""
        self._last_id += 1
        end = f',"sessionId":"{session}"' if session else ""
        os.write(
            self.process.to_browser,
            f'{{"id":{self._last_id},"method":"{method}","params":{parameters}{end}}}\0'.encode(),
        )

    def _read_until(self, prefix: bytes, also: bytes = b"", length: int = 32) -> str:
        """Read until a message contains `prefix` and `also`. Return the `length` characters after `prefix`.

        Raises ValueError if Chromium closes the pipe first.
        """
        while True:
            for message in self.unread.split(b"\0")[:-1]:
                if (at := message.find(prefix)) >= 0 and also in message:
                    start = at + len(prefix)
                    return message[start : start + length].decode()
            data = os.read(self.process.from_browser, _READ_BYTES)
            if not data:
                raise ValueError
            self.unread += data
