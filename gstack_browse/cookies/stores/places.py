"""The table of known browsers and the locations of their profiles. Reads no file.

No user input becomes part of a path: names are looked up here, and among the profiles that were found.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

LINUX, MAC = "linux", "darwin"


@dataclass(frozen=True)
class Browser:
    """A browser and the directories of its profiles.

    `config`: below `~/.config`; `home`: below the home directory (Snap, Flatpak and others);
    `mac`: below `~/Library/Application Support`.
    `applications`: the names under which the Secret Service may have its secret; `keychain`: the X of `X Safe Storage`
    in the Keychain and in KWallet.
    """

    id: str
    name: str
    config: tuple[str, ...] = ()
    home: tuple[str, ...] = ()
    mac: tuple[str, ...] = ()
    applications: tuple[str, ...] = ()
    keychain: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def is_firefox(self) -> bool:
        return self.id.startswith("firefox")


def _chromium_browser(
    id: str,
    name: str,
    config: str,
    mac: str,
    *applications: str,
    keychain: str,
    home: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
) -> Browser:
    """Describe a Chromium-based browser, which has one directory per system."""
    return Browser(
        id,
        name,
        config=(config,) if config else (),
        home=home,
        mac=(mac,) if mac else (),
        applications=applications,
        keychain=keychain,
        aliases=aliases,
    )


BROWSERS: tuple[Browser, ...] = (
    _chromium_browser("chrome", "Chrome", "google-chrome", "Google/Chrome", "chrome", keychain="Chrome",
                   home=(".var/app/com.google.Chrome/config/google-chrome",), aliases=("google-chrome",)),
    _chromium_browser("chrome-beta", "Chrome Beta", "google-chrome-beta", "Google/Chrome Beta", "chrome",
                   keychain="Chrome"),
    _chromium_browser("chrome-unstable", "Chrome Dev", "google-chrome-unstable", "Google/Chrome Dev", "chrome",
                   keychain="Chrome", aliases=("chrome-dev",)),
    _chromium_browser("chromium", "Chromium", "chromium", "Chromium", "chromium", keychain="Chromium",
                   home=("snap/chromium/common/chromium", ".var/app/org.chromium.Chromium/config/chromium")),
    _chromium_browser("brave", "Brave", "BraveSoftware/Brave-Browser", "BraveSoftware/Brave-Browser", "brave",
                   keychain="Brave", home=("snap/brave/current/.config/BraveSoftware/Brave-Browser",
                                           ".var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser")),
    _chromium_browser("brave-beta", "Brave Beta", "BraveSoftware/Brave-Browser-Beta",
                   "BraveSoftware/Brave-Browser-Beta", "brave", keychain="Brave"),
    _chromium_browser("brave-dev", "Brave Dev", "BraveSoftware/Brave-Browser-Dev", "BraveSoftware/Brave-Browser-Dev",
                   "brave", keychain="Brave"),
    _chromium_browser("brave-nightly", "Brave Nightly", "BraveSoftware/Brave-Browser-Nightly",
                   "BraveSoftware/Brave-Browser-Nightly", "brave", keychain="Brave"),
    _chromium_browser("edge", "Microsoft Edge", "microsoft-edge", "Microsoft Edge", "microsoft-edge", "chromium",
                   keychain="Microsoft Edge", home=(".var/app/com.microsoft.Edge/config/microsoft-edge",),
                   aliases=("microsoft-edge", "msedge")),
    _chromium_browser("edge-beta", "Microsoft Edge Beta", "microsoft-edge-beta", "Microsoft Edge Beta",
                   "microsoft-edge", "chromium", keychain="Microsoft Edge"),
    _chromium_browser("edge-dev", "Microsoft Edge Dev", "microsoft-edge-dev", "Microsoft Edge Dev", "microsoft-edge",
                   "chromium", keychain="Microsoft Edge"),
    _chromium_browser("vivaldi", "Vivaldi", "vivaldi", "Vivaldi", "vivaldi", "chrome", keychain="Vivaldi",
                   home=("snap/vivaldi/current/.config/vivaldi", ".var/app/com.vivaldi.Vivaldi/config/vivaldi")),
    _chromium_browser("opera", "Opera", "opera", "com.operasoftware.Opera", "opera", "chromium", keychain="Opera",
                   home=("snap/opera/current/.config/opera", ".var/app/com.opera.Opera/config/opera")),
    _chromium_browser("arc", "Arc", "", "Arc/User Data", keychain="Arc"),
    _chromium_browser("comet", "Comet", "", "Comet", keychain="Comet"),
    Browser("firefox", "Firefox", config=("mozilla/firefox",),
            home=(".mozilla/firefox", "snap/firefox/common/.mozilla/firefox",
                  ".var/app/org.mozilla.firefox/.mozilla/firefox",
                  ".var/app/org.mozilla.firefox/config/mozilla/firefox"),
            mac=("Firefox",)),
)  # fmt: skip


@dataclass(frozen=True)
class Machine:
    """The user's home directory, `$XDG_CONFIG_HOME`, and the system: `linux` or `darwin`."""

    home: Path
    config: Path
    system: str

    def profile_roots(self, browser: Browser) -> Iterator[Path]:
        """Yield the directories that may hold a browser's profiles, whether they exist or not."""
        if self.system == MAC:
            yield from (self.home / "Library/Application Support" / place for place in browser.mac)
            return
        yield from (self.config / place for place in browser.config)
        yield from (self.home / place for place in browser.home)


def detect_machine(system: str, environment: Mapping[str, str] = os.environ) -> Machine:
    """Return the current user's machine.

    A relative `$XDG_CONFIG_HOME` is ignored, as its specification says.
    """
    home = Path(os.path.expanduser("~"))
    config = environment.get("XDG_CONFIG_HOME", "")
    return Machine(home, Path(config) if config.startswith("/") else home / ".config", system)


def find_browser(word: str) -> Browser | None:
    """Return the browser with that identifier, alias or display name, ignoring case."""
    wanted = word.strip().lower()
    for browser in BROWSERS:
        if wanted in (browser.id, browser.name.lower(), *browser.aliases):
            return browser
    return None
