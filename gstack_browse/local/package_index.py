"""The newest version at the package index that pip is configured with: its environment variables, its files, nothing else.

Understands both answers of the simple API (PEP 503 as HTML, PEP 691 as JSON), yanked files (PEP 592) and `requires-python`.
"""

import base64
import json
import os
import re
import ssl
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from configparser import Error as ConfigError
from configparser import RawConfigParser
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

PROJECT = "gstack-browse"
DEFAULT = "https://pypi.org/simple"
MAX_BYTES = 5_000_000
_MOST_INDEXES = 4
_ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"


class Configuration(NamedTuple):
    """Where pip looks: `indexes` in order, none where it must not look anywhere. `certificate` is a bundle, or ""."""

    indexes: tuple[str, ...]
    certificate: str = ""
    proxy: str = ""
    trusted: tuple[str, ...] = ()


def configuration(environment: Mapping[str, str], prefix: str = "") -> Configuration:
    """As pip reads it: the environment above the files, a later file above an earlier one, `[install]` above `[global]`."""
    options: dict[str, str] = {}
    for path in _files(environment, prefix or _prefix()):
        options |= _options(path)
    for name in ("index-url", "extra-index-url", "no-index", "cert", "proxy", "trusted-host"):
        if value := environment.get(f"PIP_{name.replace('-', '_').upper()}", ""):
            options[name] = value
    if options.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        return Configuration(())
    indexes = [options.get("index-url", DEFAULT), *options.get("extra-index-url", "").split()]
    web = [url.rstrip("/") for url in indexes if url.startswith(("https://", "http://"))]
    return Configuration(
        tuple(dict.fromkeys(web))[:_MOST_INDEXES],
        os.path.expanduser(options.get("cert", "")),
        options.get("proxy", ""),
        tuple(options.get("trusted-host", "").split()),
    )


def _files(environment: Mapping[str, str], prefix: str) -> Iterator[str]:
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


def _prefix() -> str:
    """The virtual environment, or the installation. Without `site`, sys.prefix does not tell."""
    return os.path.dirname(os.path.dirname(sys.executable))


def _options(path: str) -> dict[str, str]:
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


def versions(index: str, configured: Configuration) -> list[str]:
    """Every version of the project there that this Python can install. Raises OSError, ValueError."""
    url, credentials = _without_credentials(f"{index}/{PROJECT}/")
    request = urllib.request.Request(url, headers={"Accept": _ACCEPT, "User-Agent": "gbrowse"})  # noqa: S310 - see configuration
    if credentials:
        request.add_unredirected_header("Authorization", credentials)
    with _opener(url, configured).open(request, timeout=3) as reply:
        body = reply.read(MAX_BYTES + 1)
        kind = reply.headers.get_content_type()
    if len(body) > MAX_BYTES:
        raise ValueError("its page is too large")
    files = _json_files(body) if kind.endswith("json") else _html_files(body)
    return sorted({version for file in files if (version := _installable(file))})


def _opener(url: str, configured: Configuration) -> urllib.request.OpenerDirector:
    context = ssl.create_default_context(cafile=configured.certificate or None)
    if (urlsplit(url).hostname or "") in {host.partition(":")[0] for host in configured.trusted}:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    proxies = {"http": configured.proxy, "https": configured.proxy} if configured.proxy else None
    return urllib.request.build_opener(
        urllib.request.HTTPSHandler(context=context), urllib.request.ProxyHandler(proxies)
    )


def _without_credentials(url: str) -> tuple[str, str]:
    """The URL without its user and password, and the header that carries them."""
    parts = urlsplit(url)
    if parts.username is None:
        return url, ""
    host = parts.netloc.rpartition("@")[2]
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return urlunsplit(parts._replace(netloc=host)), "Basic " + base64.b64encode(pair).decode()


class File(NamedTuple):
    """One file of the project at an index."""

    name: str
    requires_python: str = ""
    is_yanked: bool = False


def _json_files(body: bytes) -> list[File]:
    page: Any = json.loads(body)
    files = page.get("files") if isinstance(page, dict) else None
    if not isinstance(files, list):
        raise ValueError("its answer lists no files")
    return [
        File(
            str(item.get("filename", "")),
            str(item.get("requires-python") or ""),
            bool(item.get("yanked", False)),
        )
        for item in files
        if isinstance(item, dict)
    ]


class _Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.files: list[File] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag == "a" and (url := known.get("href")):
            name = unquote(urlsplit(url).path.rpartition("/")[2])
            self.files.append(File(name, known.get("data-requires-python") or "", "data-yanked" in known))


def _html_files(body: bytes) -> list[File]:
    anchors = _Anchors()
    anchors.feed(body.decode("utf-8", "replace"))
    return anchors.files


def _installable(file: File) -> str:
    """The version of our wheel or source archive if it fits this Python; "" for any other file."""
    name = re.match(
        r"gstack[-_.]browse-([^-]+)(?:-[^-]+)*\.whl\Z|gstack[-_.]browse-(.+)\.tar\.gz\Z", file.name, re.I
    )
    least = re.search(r">=\s*3\.(\d+)", file.requires_python)
    if not name or file.is_yanked or (least and int(least[1]) > sys.version_info.minor):
        return ""
    return name[1] or name[2]
