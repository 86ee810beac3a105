"""All flags that Chromium is started with, as data.

`SWITCHES` and `DISABLED_FEATURES` are Playwright's, so that pages behave as its users know them. A test compares them with the installed
Playwright's, and lists each difference with its reason. This module imports only lists of hosts, since a daemon starts Chromium first.
"""

from gstack_browse.security.policy import unresolved_hosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SWITCHES = (
    "--disable-field-trial-config",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-back-forward-cache",  # a page from there would have no requests to intercept
    "--disable-breakpad",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--no-default-browser-check",
    "--disable-default-apps",
    "--disable-dev-shm-usage",  # containers have 64 MB of it
    "--allow-pre-commit-input",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--force-color-profile=srgb",
    "--metrics-recording-only",
    "--no-first-run",
    "--password-store=basic",  # never the keyring of the person
    "--use-mock-keychain",
    "--no-service-autorun",
    "--disable-search-engine-choice-screen",
    "--unsafely-disable-devtools-self-xss-warnings",
    "--enable-unsafe-swiftshader",  # WebGL without a graphics card
    "--disable-stack-profiler",
    "--disable-infobars",
    "--disable-sync",
)
"""Flags that Playwright passes, too."""
OWN_SWITCHES = (
    "--no-pings",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-gpu-process-crash-limit",  # a page can crash the GPU process six times, and Chromium would end
)
HEADLESS_SWITCHES = (
    "--headless",
    "--hide-scrollbars",
    "--window-size=1280,720",
    "--mute-audio",
    "--disable-blink-features=GetDisplayMedia",  # as on phones: Chromium would ask a person. `--auto-reject-capture` needs a window
)
WINDOW_SWITCHES = ("--ozone-platform-hint=auto",)
"""Flags for a browser with a window. The hint selects X or Wayland, whichever there is."""
NO_EXTENSIONS = "--disable-extensions"
NO_SANDBOX = "--no-sandbox"

DISABLED_FEATURES = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",  # it aborts redirects of preflighted requests while Fetch is enabled
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
)
"""Features that Playwright disables, too."""
INVISIBLE_FEATURES = (
    # They start a renderer for each tab, for a part of the window.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    # They ask a person, and block the page's input meanwhile.
    "WebIdentityDigitalCredentials",
    "WebIdentityDigitalCredentialsCreation",
    # It delays a page's timers after input until the next frame, for a person's eye.
    "DeferRendererTasksAfterInput",
    # A new frame, view and widget for each document of a site: a third of the cost of a small page.
    "RenderDocument",
    # It keeps a spare renderer for one browser context. With several contexts each navigation ended the spare and started another:
    # half of the cost of a small page. No goto is slower without it.
    "SpareRendererForSitePerProcess",
)
"""Features that are disabled without a window."""
ENABLED_FEATURES = ("CDPScreenshotNewSurface", "SkipListAccountsWithoutGaiaCookies")
"""Features that Playwright enables, too."""
IN_PROCESS_NETWORK = "NetworkServiceInProcess2"
"""The network service in the browser process: one process less to start. That process has no sandbox on Linux either."""

BLINK_SETTINGS = (
    "primaryHoverType=2",
    "availableHoverTypes=2",
    "primaryPointerType=4",
    "availablePointerTypes=4",
)
"""Emulates a mouse on every machine, as Playwright does."""
NO_SELECTION_CLIPBOARD = "selectionClipboardBufferAvailable=false"
"""Disables paste by the middle button, which would copy between browser contexts on Linux."""


def list_flags(
    *,
    resolver_rules: "Iterable[str]",
    sandbox: bool,
    window: bool = False,
    has_profile: bool = False,
    extensions: "Sequence[str]" = (),
    others: "Iterable[str]" = (),
) -> list[str]:
    """List Chromium's command-line flags, except the one for the profile's directory.

    Args:
        resolver_rules: for `--host-resolver-rules`; Chromium applies the first that matches
        sandbox: renderers run in Chromium's sandbox
        window: the browser has a window
        has_profile: pages are opened in the profile's own context, where Chromium itself opens the first
        extensions: flags that load extensions
        others: flags for a proxy or relays
    """
    disabled = [*DISABLED_FEATURES, *unresolved_hosts.FEATURES]
    enabled = [*ENABLED_FEATURES]
    flags = [*SWITCHES, *OWN_SWITCHES, *unresolved_hosts.FLAGS]
    if window:
        flags += WINDOW_SWITCHES
    else:
        disabled += INVISIBLE_FEATURES
        enabled.append(IN_PROCESS_NETWORK)
        flags += HEADLESS_SWITCHES
        flags.append(f"--blink-settings={','.join([*BLINK_SETTINGS, NO_SELECTION_CLIPBOARD])}")
    flags += extensions or [NO_EXTENSIONS]
    if not sandbox:
        flags.append(NO_SANDBOX)
    return [
        *flags,
        f"--enable-features={','.join(enabled)}",
        f"--disable-features={','.join(disabled)}",
        f"--host-resolver-rules={','.join(resolver_rules)}",
        *others,
        "--remote-debugging-pipe",
        "about:blank" if has_profile else "--no-startup-window",
    ]
