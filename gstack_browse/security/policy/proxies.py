"""Read the proxy for loading pages from environment variables, and pass it to Chromium as flags.

`BROWSE_PROXY` comes first, then the usual `https_proxy`, `http_proxy` and `all_proxy` in lower or upper case, as curl
and pip read them.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from urllib.parse import unquote, urlsplit

from gstack_browse.errors import UsageError
from gstack_browse.security.policy.hosts import parse_host as allowed_host

OWN = "BROWSE_PROXY"
OWN_EXCEPTIONS = "BROWSE_NO_PROXY"
SECRET = "proxy"  # noqa: S105 - the name of one
"""The name under which `secret-set` stores the password."""
DIRECT = "direct"
_SCHEMES = {"http": 80, "https": 443, "socks4": 1080, "socks5": 1080, "socks5h": 1080}
_WEB = {"http": 80, "https": 443}
_LOCAL_NETWORKS = tuple(map(ip_network, ("127.0.0.0/8", "::1", "169.254.0.0/16", "fe80::/10")))
"""Networks that Chromium always connects to directly."""


@dataclass(frozen=True)
class Proxy:
    """The proxies that Chromium uses. `rules` and `bypass` have the form of its flags.

    `origin`: the proxy that requires a password, such as `http://proxy:3128`.
    """

    rules: str
    bypass: str = ""
    origin: str = ""
    user: str = ""
    password: str = field(default="", repr=False)

    def server_for(self, url: str) -> "ProxyServer | None":
        """Return the proxy through which Chromium requests a URL; None for a direct connection."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port or _WEB.get(parts.scheme, 0)
        except ValueError:
            return None
        if _is_local(host) or any(
            _matches_entry(entry, host, port) for entry in self.bypass.split(";") if entry
        ):
            return None
        by_scheme = dict(rule.split("=", 1) for rule in self.rules.split(";") if "=" in rule)
        server = parse_server(by_scheme.get(parts.scheme, "") if by_scheme else self.rules)
        if server and str(server) == self.origin:
            return replace(server, user=self.user, password=self.password)
        return server

    def with_bypass(self, endpoints: Iterable[str]) -> "Proxy":
        """Return a copy that makes Chromium connect directly to these endpoints (host:port), too."""
        return replace(self, bypass=";".join(filter(None, (self.bypass, *endpoints))))

    def flags(self) -> list[str]:
        """Return the flags for Chromium's command line: `--proxy-server=…`, `--proxy-bypass-list=…`."""
        bypass = [f"--proxy-bypass-list={self.bypass}"] if self.bypass else []
        return [f"--proxy-server={self.rules}", *bypass]


@dataclass(frozen=True)
class ProxyServer:
    """A proxy server. `str` gives its address without user and password."""

    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def is_socks(self) -> bool:
        """Return whether it is a SOCKS proxy."""
        return self.scheme.startswith("socks")

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'socks5' if self.scheme == 'socks5h' else self.scheme}://{host}:{self.port}"


def read_proxy(environment: Mapping[str, str]) -> Proxy | None:
    """Read the proxy for loading pages from environment variables; None without one.

    Raises UsageError for a malformed `BROWSE_PROXY`; its message contains no password.
    """
    own = environment.get(OWN, "").strip()
    bypass = _to_bypass_list(environment.get(OWN_EXCEPTIONS) or _get_variable(environment, "no_proxy"))
    if own:
        if own == DIRECT:
            return Proxy("direct://")
        server = parse_server(own)
        if server is None:
            raise UsageError(
                f"{OWN} is no address of a proxy",
                f"For example: {OWN}=http://ann@proxy.corp:3128, or {OWN}=direct",
            )
        if server.user and server.is_socks:
            raise UsageError(
                f"{OWN}: Chromium gives a SOCKS proxy no user and password", "Use its HTTP port, if it has one"
            )
        return Proxy(str(server), bypass, str(server), server.user, server.password)
    return _read_common_variables(environment, bypass)


def _read_common_variables(environment: Mapping[str, str], bypass: str) -> Proxy | None:
    """Read the proxy from `http_proxy`, `https_proxy`, `all_proxy`; ignore malformed values, as curl does.

    `bypass`: hosts to connect to directly, in the form of Chromium's flag. Returns None without a proxy.
    """
    for_all = parse_server(_get_variable(environment, "all_proxy"))
    found = {scheme: parse_server(_get_variable(environment, f"{scheme}_proxy")) or for_all for scheme in _WEB}
    servers = {scheme: server for scheme, server in found.items() if server}
    if not servers:
        return None
    rules = ";".join(f"{scheme}={server}" for scheme, server in servers.items())
    asking = next((server for server in servers.values() if server.user and not server.is_socks), None)
    if asking:
        return Proxy(rules, bypass, str(asking), asking.user, asking.password)
    return Proxy(rules, bypass)


def _get_variable(environment: Mapping[str, str], name: str) -> str:
    """Return a variable's value by its name in lower case, else in upper case; "" if both are unset."""
    return (environment.get(name) or environment.get(name.upper()) or "").strip()


def parse_server(word: str) -> ProxyServer | None:
    """Parse a proxy's URL or `host:port`; None if it is malformed."""
    try:
        parts = urlsplit(word if "://" in word else f"http://{word}")
        port = parts.port or _SCHEMES.get(parts.scheme, 0)
    except ValueError:
        return None
    host = parts.hostname or ""
    if not port or not re.fullmatch(r"[a-z0-9_.-]+|[0-9a-f:]+", host):
        return None
    return ProxyServer(parts.scheme, host, port, unquote(parts.username or ""), unquote(parts.password or ""))


def _to_bypass_list(no_proxy: str) -> str:
    """Convert the value of `no_proxy`, in which a name includes its subdomains, to Chromium's bypass list."""
    found = []
    for word in re.split(r"[\s,;]+", no_proxy.lower()):
        name = word.removeprefix("*").removeprefix(".")
        if word == "*":
            found.append("*")
        elif _is_network(name):
            found.append(name)
        elif re.fullmatch(r"[a-z0-9_.\[\]:-]+", name):
            found += [name, f"*.{name}"]
    return ";".join(dict.fromkeys(found))


def _is_local(host: str) -> bool:
    """Return whether Chromium never uses a proxy for a host: it is this machine, or link-local."""
    return host == "localhost" or host.endswith(".localhost") or _is_within(host, _LOCAL_NETWORKS)


def _matches_entry(entry: str, host: str, port: int) -> bool:
    """Return whether an entry of Chromium's bypass list applies to a host and port.

    `entry`: `*`, a network, or a host name, maybe with a port.
    """
    if entry == "*":
        return True
    if _is_network(entry):
        return _is_within(host, [ip_network(entry, strict=False)])
    named = allowed_host(entry)
    return named is not None and named.includes(host, port)


def _is_within(host: str, networks: Iterable[IPv4Network | IPv6Network]) -> bool:
    """Return whether a host is an IP address in one of the networks."""
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return any(address in network for network in networks)


def _is_network(word: str) -> bool:
    """Return whether a word is an IP address or a network in CIDR notation."""
    try:
        ip_network(word, strict=False)
    except ValueError:
        return False
    return True
