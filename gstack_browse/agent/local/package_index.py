"""Find the newest version at the package index that pip is configured to use.

Reads pip's environment variables and configuration files. Understands both forms of the simple API (PEP 503 as HTML,
PEP 691 as JSON), yanked files (PEP 592) and `requires-python`.
"""

import base64
import json
import os
import re
import ssl
import sys
import threading
import urllib.request
from collections.abc import Iterator, Mapping
from configparser import Error as ConfigError
from configparser import RawConfigParser
from html.parser import HTMLParser
from typing import Any, NamedTuple, NoReturn
from urllib.parse import unquote, urlsplit, urlunsplit

from gstack_browse import __version__
from gstack_browse.agent.local.updates import CHECKED
from gstack_browse.agent.skills.manifest import newest
from gstack_browse.errors import BrowseError
from gstack_browse.workspace.private_files import PrivateDirectory

PROJECT = "gstack-browse"
DEFAULT = "https://pypi.org/simple"
MAX_BYTES = 5_000_000
_MOST_INDEXES = 4
_ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"


class PipConfiguration(NamedTuple):
    """pip's configuration: indexes in order, certificates, proxy and trusted hosts.

    `indexes` is empty with `no-index`; `certificate` is the path of a bundle, or "".
    """

    indexes: tuple[str, ...]
    certificate: str = ""
    proxy: str = ""
    trusted: tuple[str, ...] = ()


def read_pip_configuration(environment: Mapping[str, str], prefix: str = "") -> PipConfiguration:
    """Read which package indexes, proxy and certificates pip is configured to use.

    As with pip, the environment wins over files, a later file over an earlier one, `[install]` over `[global]`.
    `prefix`: the directory of the Python environment; "" for this one's.
    """
    options: dict[str, str] = {}
    for path in _pip_files(environment, prefix or os.path.dirname(os.path.dirname(sys.executable))):
        options |= _read_pip_file(path)
    for name in ("index-url", "extra-index-url", "no-index", "cert", "proxy", "trusted-host"):
        if value := environment.get(f"PIP_{name.replace('-', '_').upper()}", ""):
            options[name] = value
    if options.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        return PipConfiguration(())
    indexes = [options.get("index-url", DEFAULT), *options.get("extra-index-url", "").split()]
    web = [url.rstrip("/") for url in indexes if url.startswith(("https://", "http://"))]
    return PipConfiguration(
        tuple(dict.fromkeys(web))[:_MOST_INDEXES],
        os.path.expanduser(options.get("cert", "")),
        options.get("proxy", ""),
        tuple(options.get("trusted-host", "").split()),
    )


def _pip_files(environment: Mapping[str, str], prefix: str) -> Iterator[str]:
    """Yield where pip looks for configuration, lowest precedence first. `prefix`: Python's environment."""
    named = environment.get("PIP_CONFIG_FILE", "")
    if named == os.devnull:
        return
    if named:
        yield named
    home = environment.get("HOME", "")
    system = environment.get("XDG_CONFIG_DIRS", "") or "/etc/xdg"
    yield from (f"{directory}/pip/pip.conf" for directory in system.split(":") if directory)
    yield "/Library/Application Support/pip/pip.conf"
    yield "/etc/pip.conf"
    if home and not (named and os.path.exists(named)):
        yield f"{home}/.pip/pip.conf"
        yield f"{environment.get('XDG_CONFIG_HOME', '') or home + '/.config'}/pip/pip.conf"
        yield f"{home}/Library/Application Support/pip/pip.conf"
    yield f"{prefix}/pip.conf"


def _read_pip_file(path: str) -> dict[str, str]:
    """Return the options of a pip configuration file; {} if it is missing or malformed."""
    parser = RawConfigParser()
    try:
        with open(path, encoding="utf-8") as file:
            parser.read_string(file.read(MAX_BYTES))
    except (OSError, ConfigError, UnicodeDecodeError):
        return {}
    found: dict[str, str] = {}
    for section in ("global", "install"):
        if parser.has_section(section):
            found |= {name.replace("_", "-"): value.strip() for name, value in parser.items(section)}
    return found


def list_versions(index: str, configured: PipConfiguration) -> list[str]:
    """Ask the package index at a URL (`index`) for all versions of gbrowse that this Python can install.

    Raises OSError and ValueError if the index does not answer as it should.
    """
    url, credentials = _split_credentials(f"{index}/{PROJECT}/")
    request = urllib.request.Request(url, headers={"Accept": _ACCEPT, "User-Agent": "gbrowse"})  # noqa: S310 - see configuration
    if credentials:
        request.add_unredirected_header("Authorization", credentials)
    with _build_opener(url, configured).open(request, timeout=3) as reply:
        body = reply.read(MAX_BYTES + 1)
        kind = reply.headers.get_content_type()
    if len(body) > MAX_BYTES:
        raise ValueError("its page is too large")
    files = _parse_json_page(body) if kind.endswith("json") else _parse_html_page(body)
    return sorted({version for file in files if (version := _installable_version(file))})


def _build_opener(url: str, configured: PipConfiguration) -> urllib.request.OpenerDirector:
    """Build a URL opener with pip's proxy and certificates; it does not verify pip's trusted hosts."""
    context = ssl.create_default_context(cafile=configured.certificate or None)
    if (urlsplit(url).hostname or "") in {host.partition(":")[0] for host in configured.trusted}:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    proxies = {"http": configured.proxy, "https": configured.proxy} if configured.proxy else None
    return urllib.request.build_opener(
        urllib.request.HTTPSHandler(context=context), urllib.request.ProxyHandler(proxies)
    )


def _split_credentials(url: str) -> tuple[str, str]:
    """Return the URL without user and password, and the `Authorization` header for them ("" without)."""
    parts = urlsplit(url)
    if parts.username is None:
        return url, ""
    host = parts.netloc.rpartition("@")[2]
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return urlunsplit(parts._replace(netloc=host)), "Basic " + base64.b64encode(pair).decode()


class IndexFile(NamedTuple):
    """A file of the project at an index."""

    name: str
    requires_python: str = ""
    is_yanked: bool = False


def _parse_json_page(body: bytes) -> list[IndexFile]:
    """Return the files that a project's page in JSON (PEP 691) lists. Raises ValueError for another page."""
    page: Any = json.loads(body)
    files = page.get("files") if isinstance(page, dict) else None
    if not isinstance(files, list):
        raise ValueError("its answer lists no files")
    found = []
    for item in files:
        if isinstance(item, dict):
            name, requires = str(item.get("filename", "")), str(item.get("requires-python") or "")
            found.append(IndexFile(name, requires, bool(item.get("yanked", False))))
    return found


class _AnchorParser(HTMLParser):
    """Collects the files that a project's HTML page links to."""

    def __init__(self) -> None:
        super().__init__()
        self.files: list[IndexFile] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Add to `files` the file that an `<a>` links to (called by HTMLParser for each start tag)."""
        known = dict(attrs)
        if tag == "a" and (url := known.get("href")):
            name = unquote(urlsplit(url).path.rpartition("/")[2])
            self.files.append(IndexFile(name, known.get("data-requires-python") or "", "data-yanked" in known))


def _parse_html_page(body: bytes) -> list[IndexFile]:
    """Return the files that a project's page in HTML (PEP 503) links to."""
    anchors = _AnchorParser()
    anchors.feed(body.decode("utf-8", "replace"))
    return anchors.files


def _installable_version(file: IndexFile) -> str:
    """Return the version of our wheel or source archive if it suits this Python; "" for any other file."""
    name = re.match(
        r"gstack[-_.]browse-([^-]+)(?:-[^-]+)*\.whl\Z|gstack[-_.]browse-(.+)\.tar\.gz\Z", file.name, re.I
    )
    least = re.search(r">=\s*3\.(\d+)", file.requires_python)
    if not name or file.is_yanked or (least and int(least[1]) > sys.version_info.minor):
        return ""
    return name[1] or name[2]


LIMIT_SECONDS = 3.0


def main(home: str) -> NoReturn:
    """Look for a newer version, write the result into a file in `home` (~/.gstack), and end this process.

    It takes at most LIMIT_SECONDS.
    """
    os.setsid()  # survive a signal to the caller's process group
    found: list[str] = []
    asking = threading.Thread(target=lambda: found.append(check_for_update()), daemon=True)
    asking.start()
    asking.join(LIMIT_SECONDS)
    result = found[0] if found else f"CHECK_FAILED the package index did not answer in {LIMIT_SECONDS:.0f} s"
    try:
        PrivateDirectory(home).write(CHECKED, f"{result}\n".encode())
    except BrowseError as error:
        sys.stderr.write(f"{error.message}\n")
    os._exit(0)


def check_for_update(current: str = __version__) -> str:
    """Ask the package indexes for a version newer than `current`, and return the result as a line.

    `UPGRADE_AVAILABLE current newer`, `UP_TO_DATE current`, or `CHECK_FAILED why`.
    """
    configured = read_pip_configuration(os.environ)
    if not configured.indexes:
        return "CHECK_FAILED pip is configured to ask no index on the web"
    versions: list[str] = []
    failures: list[str] = []
    for index in configured.indexes:
        try:
            versions += list_versions(index, configured)
        except (OSError, ValueError, RecursionError) as error:
            failures.append(_failure_reason(error))
    if newer := newest(versions, current):
        return f"UPGRADE_AVAILABLE {current} {newer}"
    if versions or not failures:
        return f"UP_TO_DATE {current}"
    return f"CHECK_FAILED the package index cannot be asked: {failures[0]}"


def _failure_reason(error: Exception) -> str:
    """Return in words why a request to an index failed, without the address, which may contain a password."""
    code = getattr(error, "code", None)
    if isinstance(code, int):
        return f"it has no {PROJECT}" if code == 404 else f"it answered {code}"
    reason = getattr(error, "reason", None) or error
    return " ".join(str(getattr(reason, "strerror", None) or reason or type(error).__name__).split())[:150]
