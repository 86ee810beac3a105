"""Start Chromium and connect to it.

    settings ─► executable, flags, environment ─► process with a pipe ─► connection ─► `RunningBrowser`

A Chromium that was started early (`ahead`) is used if it has the same executable and flags. No port is opened. Chromium ends when the
daemon ends, even if that is killed, since the pipe is closed then. A limit of this process (ulimit) that keeps Chromium from working is
named here, since Chromium does not: a daemon has the limits of the client that started it.
"""

import asyncio
import errno
import os
import resource
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.browser import Browser, FirstPage
from gstack_browse.browser.launch import chromium, flags
from gstack_browse.browser.launch.process import ChromiumProcess, can_use_sandbox, start_process
from gstack_browse.browser.launch.running import HEADLESS, LaunchParams, OnDeath, RunningBrowser, WindowOptions
from gstack_browse.browser.launch.scratch import DOWNLOADS, Scratch, explain_full_disk
from gstack_browse.errors import BrowseError, SetupFailed
from gstack_browse.security.policy import unresolved_hosts
from gstack_browse.settings import Settings
from gstack_browse.text.units import format_bytes
from gstack_browse.workspace.shortage import DISK_FULL, OUT_OF_MEMORY, explain_shortage

if TYPE_CHECKING:
    from gstack_browse.browser.launch.ahead import EarlyChromium
    from gstack_browse.browser.launch.outbound.tls_relays import Relays
    from gstack_browse.browser.launch.profile import LastingProfile

EXIT_SECONDS = 0.5
"""How long a process that has closed its pipe may take to write the reason and end."""
STARTED_EARLY, STARTED_BY_DAEMON = "before the daemon's imports", "by the daemon"
"""`RunningBrowser.start_description`."""


class _StartFailure(Exception):
    """Chromium has ended during its start, or does not answer. The message is its standard error."""


async def start(
    settings: Settings,
    progress: chromium.Progress,
    on_death: OnDeath,
    window: WindowOptions = HEADLESS,
    workspace: Path | None = None,
    early: "EarlyChromium | None" = None,
) -> RunningBrowser:
    """Start a Chromium and connect to it.

    Args:
        progress: called with lines about installations
        on_death: called with the browser's name when it ends
        workspace: pages may be shown its files; None: no files
        early: a Chromium that was started early; it is ended if it cannot be used

    Raises SetupFailed with the reason and a hint.
    """
    params = LaunchParams(settings, on_death, workspace)
    require_usable_limits()
    if early and (running := await _use_early(early, params, window)):
        return running
    profile = await _lock_profile(settings)
    relays: Relays | None = None
    try:
        executable = await _choose_executable(settings, window, progress)
        relays = await _open_relays(settings)
        loaded = make_extension_flags(find_extensions(settings.extensions)) if settings.extensions else []
        launcher = _Launcher(executable, params, window, list_flags(settings, window, loaded, relays), profile)
        running = await launcher.start_with_libraries(progress)
    except BaseException:
        if relays:
            relays.close()
        if profile:
            profile.release()
        raise
    running.relays = relays
    return running


async def _use_early(
    early: "EarlyChromium", params: LaunchParams, window: WindowOptions
) -> RunningBrowser | None:
    """Connect to the Chromium that was started early. If it cannot be used, end it and return None."""
    try:
        reason = await _reason_unusable(early, params.settings, window)
    except BaseException:
        await asyncio.to_thread(early.discard)
        raise
    if reason:
        asyncio.get_running_loop().call_exception_handler(
            {"message": f"{reason}: going on with the usual start"}
        )
        await asyncio.to_thread(early.discard)
        return None
    launcher = _Launcher(Path(early.start.executable), params, window, early.start.arguments)
    first_page = FirstPage(early.context, early.target)
    try:
        return await launcher.connect(early.hand_over(), STARTED_EARLY, first_page, early.unread)
    except _StartFailure:
        return None  # `start` starts another one


async def _reason_unusable(early: "EarlyChromium", settings: Settings, window: WindowOptions) -> str:
    """Return why the Chromium that was started early cannot be used; "" if it can.

    Reasons are that another executable or other flags are needed, or that it has no page.
    """
    if str(chromium.find_executable(settings)) != early.start.executable:
        return "Another Chromium is to be used than the one that was started early"
    if list_flags(settings, window) != early.start.arguments:
        return "Chromium is to be started with other flags than early"
    has_page = await asyncio.to_thread(early.wait_for_page)
    return "" if has_page else "The Chromium that was started early has no page"


async def _lock_profile(settings: Settings) -> "LastingProfile | None":
    """Lock the profile directory that the settings name, against a second Chromium; None without one."""
    if not settings.profile:
        return None
    from gstack_browse.browser.launch import profile  # here, since few starts need it

    return await asyncio.to_thread(profile.lock_profile, settings.profile)


async def _open_relays(settings: Settings) -> "Relays | None":
    """Start the local relays that present client certificates to servers; None if the settings name none."""
    if not settings.client_certs:
        return None
    from gstack_browse.browser.launch.outbound import (
        tls_relays,  # here, since few starts need TLS and certificates
    )

    return await tls_relays.open_relays(settings)


async def _choose_executable(settings: Settings, window: WindowOptions, progress: chromium.Progress) -> Path:
    """Find or install the Chromium to start, a full one for a window or extensions. Raises SetupFailed."""
    if not (window.visible or settings.extensions):
        return chromium.find_executable(settings) or await chromium.install(settings, progress)
    if full := chromium.find_executable(settings, full=True):
        return full
    raise SetupFailed(
        f"There is no Chromium here that can {'show a window' if window.visible else 'load extensions'}",
        "Install one: python -m playwright install chromium, or as root on Debian: apt-get install chromium",
    )


class _Launcher:
    """Starts one browser, and connects to it. `flags`: without the directory of the profile."""

    def __init__(
        self,
        executable: Path,
        params: LaunchParams,
        window: WindowOptions,
        flags: Sequence[str],
        profile: "LastingProfile | None" = None,
    ) -> None:
        self._executable = executable
        self._params = params
        self._window = window
        self._flags = flags
        self._profile = profile

    async def start_with_libraries(self, progress: chromium.Progress) -> RunningBrowser:
        """Start the browser. If system libraries are missing, install them and try again. Raises SetupFailed."""

        try:
            try:
                return await self._start_once()
            except _StartFailure as failure:
                from gstack_browse.browser.launch.chromium import LOADER_MESSAGE

                if LOADER_MESSAGE not in str(failure):
                    raise
            await asyncio.to_thread(chromium.install_missing_libraries, self._executable, progress)
            return await self._start_once()
        except _StartFailure as failure:
            sandbox = uses_sandbox(self._params.settings)
            raise explain_start_failure(str(failure), self._executable, sandbox, self._window) from None

    async def _start_once(self) -> RunningBrowser:
        """Start the browser and connect to it. Raises SetupFailed, _StartFailure."""
        scratch = make_scratch()
        try:
            process = await self._start_process(scratch)
        except BaseException as error:
            await asyncio.to_thread(scratch.remove)
            if isinstance(error, OSError):
                if shortage := explain_shortage(error):
                    raise shortage from None
                raise _StartFailure(error.strerror or str(error)) from None
            raise
        return await self.connect(process, STARTED_BY_DAEMON)

    async def _start_process(self, scratch: Scratch) -> ChromiumProcess:
        """Start Chromium's process, with certificates and display from the settings."""
        settings, window = self._params.settings, self._window
        (scratch.path / DOWNLOADS).mkdir(mode=0o700)
        variables: Mapping[str, str] = display_variables(window.display) if window.visible else {}
        if settings.ca_cert:
            from gstack_browse.browser.launch import certificates  # here, since few starts need it

            trust = await asyncio.to_thread(certificates.make_trust_store, settings.ca_cert, scratch.path)
            variables = {**variables, **trust}
        return start_process(
            str(self._executable),
            self._flags,
            scratch,
            profile=str(self._profile.path) if self._profile else "",
            has_person=window.visible or self._profile is not None,  # a lasting profile may have a window later
            window=window.visible,
            variables=variables,
        )

    async def connect(
        self,
        process: ChromiumProcess,
        description: str,
        first_page: FirstPage | None = None,
        unread: bytes = b"",
    ) -> RunningBrowser:
        """Connect to a Chromium process that was started. End it if that fails.

        Args:
            description: how it was started, for people
            first_page: a page that is open already
            unread: all messages that the browser has sent so far

        Raises _StartFailure.
        """
        connection = Connection(Pipe(process.to_browser, process.from_browser))
        running = RunningBrowser(connection, process.scratch, self._executable, self._params, self._window)
        running.start_description = description
        running.profile = self._profile
        opened = False
        try:
            async with asyncio.timeout(LAUNCH_SECONDS):
                browser = await Browser.open(connection, first_page, unread, running.profile_options)
            running.attach_process(process)
            running.attach_browser(browser)
            opened = True
        except (ProtocolError, TimeoutError) as error:
            await asyncio.to_thread(process.wait, EXIT_SECONDS)
            was_killed = process.exit_code == -signal.SIGKILL  # so what it has written last is not why
            written = "" if was_killed else process.stderr_tail().strip()
            raise _StartFailure(written or _describe_failed_start(process, error)) from None
        finally:
            if not opened:
                connection.close()
                await asyncio.to_thread(_end_process, process)
        return running


def _describe_failed_start(process: ChromiumProcess, error: Exception) -> str:
    """Describe for a person why a start of Chromium failed, when its standard error is empty."""
    if process.exit_code < 0:
        return f"it was killed by signal {-process.exit_code}"
    if process.has_ended:
        return "it ended without a word"
    return f"no answer within {LAUNCH_SECONDS} s" if isinstance(error, TimeoutError) else str(error)


def _end_process(process: ChromiumProcess) -> None:
    """Kill a process whose pipes the connection has closed, and remove its files. Blocks."""
    process.kill()
    process.scratch.remove()


def make_scratch() -> Scratch:
    """Make the browser's temporary directory. Raises SetupFailed."""
    try:
        return Scratch()
    except OSError as error:
        if error.errno in DISK_FULL and (shortage := explain_shortage(error)):
            raise shortage from None
        raise SetupFailed(
            f"No temporary directory can be made: {error.strerror}: {error.filename}",
            "Make room there, or take another one: export TMPDIR=<directory>; gbrowse stop",
        ) from None


_KERNEL_SETTINGS = Path("/proc/sys")
_SANDBOX_SETTINGS = (
    ("user.max_user_namespaces", "0", "15000"),
    ("kernel.unprivileged_userns_clone", "0", "1"),
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
)
"""Kernel settings for user namespaces, which the sandbox needs: name, the value that forbids them, a value that allows them."""


def explain_start_failure(message: str, executable: Path, sandbox: bool, window: WindowOptions) -> BrowseError:
    """Return the error, with a hint, for a Chromium that did not start.

    Recognises a display that does not answer (only for a visible `window`), a sandbox that does not work (only if `sandbox`: it was
    on), a full disk and resource limits. Otherwise quotes the last fatal line, else the last line.

    `message`: Chromium's standard error, or what is known without one.
    """
    if window.visible and any(
        sign in message for sign in ("Missing X server", "$DISPLAY", "cannot open display")
    ):
        return SetupFailed(
            f"Nothing can be shown on display {window.display}: nobody answers there",
            "Name one that runs: handoff --display :0. To run one: Xvfb :99 &",
        )
    if sandbox and "sandbox" in message.lower():
        return SetupFailed(
            "Chromium cannot use its sandbox on this machine",
            f"{_sandbox_remedy()}; or, for pages you trust, do without the sandbox: BROWSE_SANDBOX=0",
        )
    if limited := explain_full_disk() or explain_by_resource_limits():
        return limited
    if os.strerror(errno.EAGAIN) in message and (shortage := explain_shortage(OSError(errno.EAGAIN, ""))):
        return shortage  # of a thread or a process that could not be made
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    fatal = [line for line in lines if ":FATAL:" in line] or lines
    another = "Set BROWSE_CHROMIUM to another Chrome or Chromium"
    hint = f"{OUT_OF_MEMORY}. If that is not so: {another}" if message.endswith("signal 9") else another
    return SetupFailed(f"{executable} did not start: {fatal[-1][:300]}", hint)


def _sandbox_remedy() -> str:
    """Return a hint what to do about a sandbox that does not work, such as a kernel setting to change."""
    if os.geteuid() == 0:
        return "Run gbrowse as a user of your own, not as root"
    for name, forbidden, allowed in _SANDBOX_SETTINGS:
        path = _KERNEL_SETTINGS.joinpath(*name.split("."))
        if path.exists() and path.read_text().strip() == forbidden:
            return f"Allow user namespaces: sudo sysctl {name}={allowed}"
    return "Allow unprivileged user namespaces"


LAUNCH_SECONDS = 60
"""Time limit for a started Chromium to answer its first request."""


def list_flags(
    settings: Settings, window: WindowOptions, extensions: Sequence[str] = (), relays: "Relays | None" = None
) -> list[str]:
    """List Chromium's command-line flags for these settings, except the one for the profile's directory.

    Args:
        extensions: flags that load extensions
        relays: relays to servers that want a client certificate; None without any
    """
    return flags.list_flags(
        resolver_rules=_resolver_rules(settings, relays),
        sandbox=uses_sandbox(settings),
        window=window.visible,
        has_profile=bool(extensions or settings.profile),
        extensions=extensions,
        others=[*_proxy_flags(settings, relays), *(relays.flags if relays else ())],
    )


def _resolver_rules(settings: Settings, relays: "Relays | None") -> list[str]:
    """List the rules for `--host-resolver-rules`: relayed servers, and hosts that must not resolve."""
    rules = [*(relays.resolver_rules if relays else []), *unresolved_hosts.background_rules()]
    rules += [] if settings.allows_metadata else unresolved_hosts.metadata_rules()
    if settings.hosts:
        rules += settings.hosts.resolver_rules()
    return rules


def _proxy_flags(settings: Settings, relays: "Relays | None") -> list[str]:
    """List the flags for the proxy of the settings; [] without one.

    Two kinds of hosts bypass it: those of relays, since relays use it themselves, and those that must not resolve, since the
    proxy would resolve them.
    """
    if not settings.proxy:
        return []
    return settings.proxy.with_bypass([*(relays.endpoints if relays else ()), *unresolved_hosts.HOSTS]).flags()


def uses_sandbox(settings: Settings) -> bool:
    """Return whether Chromium is started with its sandbox."""
    return settings.sandbox if settings.sandbox is not None else can_use_sandbox()


def display_variables(display: str) -> dict[str, str]:
    """Return the environment variables with which Chromium shows its window on a display."""
    name = "DISPLAY" if ":" in display else "WAYLAND_DISPLAY"
    return {name: display} if display else {}


_MANIFEST = "manifest.json"


def find_extensions(directory: Path) -> list[Path]:
    """Return `directory` if it is an extension, else the extensions in it. Raises SetupFailed without any."""
    if not directory.is_dir():
        raise SetupFailed(f"BROWSE_EXTENSIONS_DIR names {directory}, which is no directory")
    if (directory / _MANIFEST).is_file():
        found = [directory]
    else:
        found = sorted(path.parent for path in directory.glob(f"*/{_MANIFEST}"))
    if not found:
        raise SetupFailed(
            f"BROWSE_EXTENSIONS_DIR names {directory}, where there is no {_MANIFEST}",
            "Name the directory of an unpacked extension",
        )
    if any("," in str(path) for path in found):
        raise SetupFailed("Chromium cannot load an extension from a path with a comma in it")
    return [path.resolve() for path in found]


def make_extension_flags(extensions: list[Path]) -> list[str]:
    """Make Chromium's flags that load these unpacked extensions and no others."""
    paths = ",".join(str(path) for path in extensions)
    return [f"--disable-extensions-except={paths}", f"--load-extension={paths}"]


REQUIRED_DESCRIPTORS = 256
"""Open files that Chromium needs. With 100 it starts, and then fails with errors that do not name the limit."""
REQUIRED = (
    (resource.RLIMIT_AS, 2 * 2**30, "address space", "ulimit -v unlimited"),
    (resource.RLIMIT_DATA, 2**28, "memory", "ulimit -d unlimited"),
)
"""With less, Chromium crashes, or the daemon itself cannot read requests."""
SUFFICIENT = (
    (resource.RLIMIT_AS, 2**40, "of address space", "ulimit -v unlimited"),
    (resource.RLIMIT_DATA, 8 * 2**30, "of memory", "ulimit -d unlimited"),
    (resource.RLIMIT_FSIZE, 2**30, "for a file", "ulimit -f unlimited"),
    (resource.RLIMIT_STACK, 2**20, "of stack", "ulimit -s 8192"),
)
"""Certainly enough. A smaller limit may be why a start failed: Chromium reserves far more addresses than it uses."""


def require_usable_limits() -> None:
    """Raise SetupFailed if a resource limit (ulimit) is certainly too low for Chromium to start."""
    descriptors = _hard_limit(resource.RLIMIT_NOFILE)
    if descriptors < REQUIRED_DESCRIPTORS:
        raise SetupFailed(
            f"Chromium needs more open files than are allowed here: {descriptors:.0f}",
            _raise_limit_hint("ulimit -n 4096"),
        )
    for kind, least, words, command in REQUIRED:
        allowed = resource.getrlimit(kind)[0]
        if allowed != resource.RLIM_INFINITY and allowed < least:
            raise SetupFailed(
                f"Chromium needs more {words} than is allowed here: {format_bytes(allowed)}",
                _raise_limit_hint(command),
            )


def explain_by_resource_limits() -> SetupFailed | None:
    """Return an error that blames a low resource limit (ulimit) for a failed start; None if none is low."""
    for kind, enough, words, command in SUFFICIENT:
        allowed = resource.getrlimit(kind)[0]
        if allowed != resource.RLIM_INFINITY and allowed < enough:
            return SetupFailed(
                f"Chromium did not start with only {format_bytes(allowed)} {words}", _raise_limit_hint(command)
            )
    return None


def _hard_limit(kind: int) -> float:
    """Return the hard limit of a resource (`resource.RLIMIT_…`); infinity for none."""
    allowed = resource.getrlimit(kind)[1]
    return float("inf") if allowed == resource.RLIM_INFINITY else allowed


def _raise_limit_hint(command: str) -> str:
    """Return the hint to raise a resource limit by the shell's `command`."""
    return f"Allow more, then have a new daemon: {command}; gbrowse stop"
