"""Read the settings of the daemon from environment variables, once, into a frozen record."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gstack_browse.errors import UsageError
from gstack_browse.protocol import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gstack_browse.security.client_certs import ClientCert
    from gstack_browse.security.policy.hosts import AllowedHost, HostRules
    from gstack_browse.security.policy.proxies import Proxy

IDLE_MILLISECONDS = 30 * 60 * 1000
MEGABYTE = 1_000_000
MAX_TABS = 100
MAX_CONTEXTS = 50
SHOT_SIDE = 1568
"""Pixels: what models look at. They shrink larger pictures by themselves, and refuse those above 8,000."""


CONFIRM = "BROWSE_CONFIRM"
REMOTE, REMOTE_HEADERS = "BROWSE_REMOTE", "BROWSE_REMOTE_HEADERS"
WITHOUT_MEANING = {
    "BROWSE_PORT": "nothing listens on a port",
    "CONDUCTOR_PORT": "nothing listens on a port",
    "BROWSE_SERVER_SCRIPT": "the daemon is part of the package",
}
"""Variables of earlier versions, and why they are none here."""
_KNOWN = frozenset(
    f"BROWSE_{name}"
    for name in (
        "AS",
        "IDLE_TIMEOUT",
        "CHROMIUM",
        "SANDBOX",
        "FENCE",
        "EXTENSIONS_DIR",
        "STATE_FILE",
        "ALLOW",
        "ALLOW_METADATA",
        "ALLOW_RESOURCES",
        "ATTACH",
        "CONFIRM",
        "PERSIST",
        "PROFILE",
        "REMOTE",
        "REMOTE_HEADERS",
        "MAX_TABS",
        "MAX_CONTEXTS",
        "CONTEXT_MB",
        "SHOT_SIDE",
        "WIDGET_RULES",
        "SOURCE_MAPS",
        "DOWNLOADS",
        "DOWNLOADS_MB",
        "PAGE_DOWNLOADS",
        "PAGE_DOWNLOADS_MB",
        "PROXY",
        "NO_PROXY",
        "CA_CERT",
        "CLIENT_CERT",
        "INSECURE",
        "HEADED",
    )
)


@dataclass(frozen=True)
class DownloadLimits:
    """Limits of downloaded files by number and bytes, in all and for one page."""

    number: int = 200
    size: int = 4_000 * MEGABYTE
    page_number: int = 20
    page_size: int = 1_000 * MEGABYTE


@dataclass(frozen=True)
class Settings:
    """The daemon's settings from the environment.

    `idle_seconds`: leave after so long without a command (0: never). `chromium`: the executable to use instead
    of looking for one. `sandbox`: None decides by itself. `fence`: mark text that comes from pages. `extensions`: a
    directory that is an unpacked extension, or holds some. `allows_metadata`: pages may reach the metadata service of a cloud.
    `hosts`: which hosts pages may be from and ask, if that was said. `confirm`: names of commands that a person lets through.
    """

    idle_seconds: float = IDLE_MILLISECONDS / 1000
    chromium: Path | None = None
    sandbox: bool | None = None
    fence: bool = False
    extensions: Path | None = None
    profile: Path | None = None
    """The directory of a profile that lasts; None: one that ends with the browser."""
    allows_metadata: bool = False
    hosts: "HostRules | None" = None
    confirm: tuple[str, ...] = ()
    allows_attach: bool = False
    """Whether programs may attach to the browser in spite of rules and imported cookies."""
    rules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The variables that forbid something, as they were set: the words of each."""
    persists: bool = False
    """Whether the browser's state is kept for the next daemon."""
    max_tabs: int = MAX_TABS
    """Windows that pages open beyond so many tabs are closed, and `newtab` opens no more."""
    max_contexts: int = MAX_CONTEXTS
    """So many browser contexts are open at a time beside the default one."""
    context_bytes: int = 0
    """What the pages of one context may take before the largest are closed; 0: as much as they want."""
    shot_side: int = SHOT_SIDE
    """Pictures have at most so many pixels a side, unless a command says otherwise; 0: any."""
    widget_rules_off: tuple[str, ...] = ()
    """Names of rules for widgets without roles that are left out."""
    source_maps: bool = True
    """Whether positions in scripts are told as those in the original files."""
    downloads: DownloadLimits = DownloadLimits()
    proxy: "Proxy | None" = None
    """What pages are loaded through."""
    ca_cert: Path | None = None
    """A file of certificates (PEM) that are trusted beside Chromium's own."""
    client_certs: "tuple[ClientCert, ...]" = ()
    """What is presented to servers that want to know who asks; without passphrases until the browser is started."""
    insecure: "tuple[AllowedHost, ...]" = ()
    """Hosts whose certificates are not looked at."""
    remote: str = ""
    """Where the browser is that is used instead of one of our own: a URL."""
    remote_headers: str = ""
    """The file with the headers for it, or `secret:` and the name of a secret."""
    headed: bool = False
    """Whether Chromium has a window from its start, on the display of the environment."""
    ignored: str = ""
    """Variables that are set and have no meaning here, in words."""


def read(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings from environment variables. Raises UsageError for an invalid value."""
    return Settings(
        idle_seconds=_read_whole_number(
            environment, "BROWSE_IDLE_TIMEOUT", IDLE_MILLISECONDS, "a number of milliseconds"
        )
        / 1000,
        chromium=_read_path(environment, "BROWSE_CHROMIUM"),
        sandbox=_read_switch(environment, "BROWSE_SANDBOX"),
        fence=_read_switch(environment, "BROWSE_FENCE") or False,
        extensions=_read_path(environment, "BROWSE_EXTENSIONS_DIR"),
        profile=_read_path(environment, "BROWSE_PROFILE"),
        allows_metadata=_read_switch(environment, "BROWSE_ALLOW_METADATA") or False,
        hosts=_read_host_rules(environment),
        allows_attach=_read_switch(environment, "BROWSE_ATTACH") or False,
        confirm=_split_words(environment.get(CONFIRM, "")),
        rules=read_policy_variables(environment),
        persists=_read_switch(environment, "BROWSE_PERSIST") or False,
        max_tabs=max(_read_whole_number(environment, "BROWSE_MAX_TABS", MAX_TABS), 1),
        max_contexts=max(_read_whole_number(environment, "BROWSE_MAX_CONTEXTS", MAX_CONTEXTS), 1),
        context_bytes=_read_whole_number(environment, "BROWSE_CONTEXT_MB", 0) * MEGABYTE,
        shot_side=_read_whole_number(environment, "BROWSE_SHOT_SIDE", SHOT_SIDE, "a whole number of pixels"),
        widget_rules_off=_read_disabled_widget_rules(environment),
        source_maps=_read_switch(environment, "BROWSE_SOURCE_MAPS") is not False,
        downloads=_read_download_limits(environment),
        proxy=_read_proxy(environment),
        ca_cert=_read_path(environment, "BROWSE_CA_CERT"),
        client_certs=_read_client_certs(environment),
        insecure=(_read_hosts(environment, "BROWSE_INSECURE") or ())
        if environment.get("BROWSE_INSECURE")
        else (),
        remote=environment.get(REMOTE, "").strip(),
        remote_headers=environment.get(REMOTE_HEADERS, "").strip(),
        headed=_read_switch(environment, "BROWSE_HEADED") or False,
        ignored=_describe_ignored_variables(environment),
    )


PROXY_VARIABLES = (
    "BROWSE_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
)
"""Those that may name a proxy."""


def _read_proxy(environment: Mapping[str, str]) -> "Proxy | None":
    """Return the proxy for the browser that environment variables name; None if none is set."""
    if not any(environment.get(name) for name in PROXY_VARIABLES):
        return None
    from gstack_browse.security.policy.proxies import read_proxy  # what few ask for is no part of a start

    return read_proxy(environment)


def _read_client_certs(environment: Mapping[str, str]) -> "tuple[ClientCert, ...]":
    """Parse the client certificates (for TLS) that BROWSE_CLIENT_CERT names. Raises UsageError."""
    words = environment.get("BROWSE_CLIENT_CERT", "")
    if not words.strip():
        return ()
    from gstack_browse.security.client_certs import (
        parse_client_certs,  # what few ask for is no part of a start
    )

    return parse_client_certs(words)


def _read_path(environment: Mapping[str, str], name: str) -> Path | None:
    """Return the path in the environment variable `name`, made absolute; None if it is not set."""
    word = environment.get(name, "")
    return Path(word).expanduser().absolute() if word else None


def read_policy_variables(environment: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the environment's variables that restrict pages and commands (`RULES`): name → words."""
    return {name: _split_words(environment[name]) for name in RULES if environment.get(name)}


def _split_words(value: str) -> tuple[str, ...]:
    """Split a value at commas and blanks."""
    return tuple(value.replace(",", " ").split())


def _read_disabled_widget_rules(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the rules for libraries' widgets that BROWSE_WIDGET_RULES switches off."""
    words = _split_words(environment.get("BROWSE_WIDGET_RULES", ""))
    if wrong := next((word for word in words if not word.startswith("-")), ""):
        raise UsageError(
            f"BROWSE_WIDGET_RULES names rules to leave out, each behind a hyphen, not {wrong[:40]!r}",
            "For example: BROWSE_WIDGET_RULES=-select2,-dropdown",
        )
    return tuple(word[1:] for word in words)


def _read_host_rules(environment: Mapping[str, str]) -> "HostRules | None":
    """Return rules for hosts that pages may reach (BROWSE_ALLOW, BROWSE_ALLOW_RESOURCES); None if unset."""
    if not (environment.get("BROWSE_ALLOW") or environment.get("BROWSE_ALLOW_RESOURCES")):
        return None
    from gstack_browse.security.policy.hosts import HostRules  # what few ask for is no part of a start

    pages, resources = (_read_hosts(environment, name) for name in ("BROWSE_ALLOW", "BROWSE_ALLOW_RESOURCES"))
    rules = HostRules(pages, resources)
    if wide := rules.wildcard_with_port:
        raise UsageError(
            f"BROWSE_ALLOW_RESOURCES cannot be kept beside {wide}: web sockets to those hosts cannot be told apart by port",
            f"Name the hosts one by one with their ports, or leave the port out: {wide.name}",
        )
    return rules


def _read_hosts(environment: Mapping[str, str], name: str) -> "tuple[AllowedHost, ...] | None":
    """Parse the hosts in the variable `name`; None if unset. Raises UsageError for a malformed one."""
    from gstack_browse.security.policy.hosts import parse_host

    words = _split_words(environment.get(name, ""))
    if not environment.get(name):
        return None
    found = [parse_host(word) for word in words]
    if wrong := next(
        (word for word, item in zip(words, found, strict=True) if item is None), "" if words else ","
    ):
        raise UsageError(
            f"{name} names hosts, not {wrong[:60]!r}", f"For example: {name}='github.com,*.corp,localhost:3000'"
        )
    return tuple(item for item in found if item)


def _read_download_limits(environment: Mapping[str, str]) -> DownloadLimits:
    """Return the limits of downloads that environment variables set, or the defaults."""
    usual = DownloadLimits()
    return DownloadLimits(
        number=_read_whole_number(environment, "BROWSE_DOWNLOADS", usual.number),
        size=_read_whole_number(environment, "BROWSE_DOWNLOADS_MB", usual.size // MEGABYTE) * MEGABYTE,
        page_number=_read_whole_number(environment, "BROWSE_PAGE_DOWNLOADS", usual.page_number),
        page_size=_read_whole_number(environment, "BROWSE_PAGE_DOWNLOADS_MB", usual.page_size // MEGABYTE)
        * MEGABYTE,
    )


def _describe_ignored_variables(environment: Mapping[str, str]) -> str:
    """Return, as text, up to five variables that look like settings of gbrowse and are not, with reasons.

    "" for none.
    """
    names = [
        name
        for name, word in environment.items()
        if word and (name in WITHOUT_MEANING or (name.startswith("BROWSE_") and name not in _KNOWN))
    ]
    return ", ".join(
        f"{name[:60]} ({reason})" if (reason := WITHOUT_MEANING.get(name)) else name[:60]
        for name in sorted(names)[:5]
    )


def _read_whole_number(
    environment: Mapping[str, str], name: str, default: int, what: str = "a whole number"
) -> int:
    """Return the whole number in the environment variable `name`; `default` if it is not set.

    Raises UsageError if it is none. `what`: what it must be, for the message.
    """
    word = environment.get(name, "").strip()
    if not word:
        return default
    if not (word.isascii() and word.isdigit() and len(word) <= 12):
        raise UsageError(f"{name} must be {what}, not {word[:40]!r}")
    return int(word)


def _read_switch(environment: Mapping[str, str], name: str) -> bool | None:
    """Return the variable `name`, 1 or 0, as a boolean; None if unset. Raises UsageError for other values."""
    word = environment.get(name, "").strip().lower()
    if not word:
        return None
    if word not in ("0", "1"):
        raise UsageError(f"{name} must be 0 or 1, not {word[:40]!r}")
    return word == "1"
