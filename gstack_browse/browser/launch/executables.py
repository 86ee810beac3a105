"""Find the Chromium to start.

Order: the one named by `BROWSE_CHROMIUM`; Playwright's build; the system's headless shell, Chrome or Chromium. `chromium` installs one if
there is none. A daemon starts Chromium first, so this module imports neither Playwright, whose folders it knows, nor JSON.
"""

import os
import sys

SYSTEM_SHELL = "/usr/lib/chromium/chromium-headless-shell"
"""Debian's. Not the script in /usr/bin: it stays the parent of Chromium, so a signal to it would not reach Chromium."""
_SYSTEM_NAMES = ("google-chrome-stable", "google-chrome", "chromium", "chromium-browser", "chrome")
_SYSTEM_DIRECTORIES = ("/usr/bin", "/usr/local/bin", "/opt/google/chrome", "/snap/bin", "/opt/homebrew/bin")
_MACOS_BUNDLES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_PACKAGE = "playwright/driver/package"
_BROWSERS_FILE = "browsers.json"
"""File of Playwright's package that lists its builds with their revisions."""
_MOST_BYTES = 64 << 10
_SHELL, _FULL = "chromium-headless-shell", "chromium"
"""Names of Playwright's builds in that file. Their folders have _ instead of -, and end with the revision."""
_BUILD_PROGRAMS = {
    _SHELL: ("chrome-headless-shell", "headless_shell"),
    _FULL: (
        "chrome",
        "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
        "Chromium.app/Contents/MacOS/Chromium",
    ),
}
"""Executables of a build, below a folder that is named after the platform."""


def find_executable(named: str = "", *, full: bool = False) -> str:
    """Find the Chromium to start; "" if this machine has none.

    Args:
        named: path from the settings; "" to search. It is returned unchecked.
        full: ignore headless shells, which have no windows and no extensions
    """
    if named:
        return named
    build = find_playwright_build(full=full)
    return build or ("" if full else _path_if_executable(SYSTEM_SHELL)) or _find_system_browser()


def find_playwright_build(*, full: bool = False) -> str:
    """Return the path of Playwright's headless shell, or of its full Chromium; "" if it is not installed."""
    folders = (f"{place}/{_PACKAGE}" for place in sys.path if place)
    package = next((folder for folder in folders if os.path.exists(f"{folder}/{_BROWSERS_FILE}")), "")
    if not package:
        return ""
    try:
        with open(f"{package}/{_BROWSERS_FILE}", encoding="utf-8") as file:
            listed = file.read(_MOST_BYTES)
    except (OSError, UnicodeDecodeError):
        return ""
    root = _builds_folder(package)
    shell = "" if full else _find_build(root, _SHELL, _read_revision(listed, _SHELL))
    return shell or _find_build(root, _FULL, _read_revision(listed, _FULL))


def _builds_folder(package: str) -> str:
    """Return the folder with the browsers that Playwright installs. `package`: its driver's folder.

    Source: Playwright's documentation of `PLAYWRIGHT_BROWSERS_PATH`.
    """
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    if named == "0":
        return f"{package}/.local-browsers"
    if named:
        return os.path.abspath(named)
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        return f"{home}/Library/Caches/ms-playwright"
    return f"{os.environ.get('XDG_CACHE_HOME') or f'{home}/.cache'}/ms-playwright"


def _read_revision(browsers_json: str, build: str) -> str:
    """Return a Chromium build's revision by Playwright's list of browsers; "" if it has no such build.

    `browsers_json`: the text of Playwright's `browsers.json`.
    """
    entry = browsers_json.partition(f'"name": "{build}"')[2].partition("}")[0]
    revision = entry.partition('"revision": "')[2].partition('"')[0]
    return revision if revision.isdigit() else ""


def _find_build(root: str, build: str, revision: str) -> str:
    """Return the path of a build's executable below Playwright's folder `root`; "" if it is not installed."""
    folder = f"{root}/{build.replace('-', '_')}-{revision}"
    try:
        platforms = sorted(os.listdir(folder)) if revision else []
    except OSError:
        return ""
    paths = (f"{folder}/{platform}/{name}" for platform in platforms for name in _BUILD_PROGRAMS[build])
    return next((path for path in paths if _path_if_executable(path)), "")


def _find_system_browser() -> str:
    """Return the path of the system's Chrome or Chromium, from fixed folders, or "".

    PATH is not searched: a workspace in it must not choose what we run.
    """
    paths = [f"{directory}/{name}" for name in _SYSTEM_NAMES for directory in _SYSTEM_DIRECTORIES]
    return next((path for path in (*paths, *_MACOS_BUNDLES) if _path_if_executable(path)), "")


def _path_if_executable(path: str) -> str:
    """Return `path` if it is an executable file, else ""."""
    return path if os.access(path, os.X_OK) and os.path.isfile(path) else ""
