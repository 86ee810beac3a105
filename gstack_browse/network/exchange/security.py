"""Judge a page's security by its answer, cookies, elements and content security policy. Pure.

A finding says what is wrong, why that matters, and what to do. In doubt a policy allows nothing.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from gstack_browse.network.exchange.headers import Headers, find_value
from gstack_browse.text.addresses import host_of
from gstack_browse.text.sanitise import one_line, quote_text
from gstack_browse.text.units import format_count

Level = Literal["high", "medium", "low"]
LEVELS: tuple[Level, ...] = ("high", "medium", "low")
LEAST_HSTS_SECONDS = 15_552_000
"""Half a year."""
MOST_NAMED = 5
_SESSION = re.compile(r"(?i)sess|sid\b|auth|token|jwt|login|\bid\b|csrf|remember")
_VERSION = re.compile(r"\d\.\d")


class SecurityFinding(NamedTuple):
    """A problem: how bad, of which kind, what is wrong and why, and what to do."""

    level: Level
    rule: str
    what: str
    remedy: str

    def render(self) -> str:
        """Return the finding as one line: level, rule, problem and remedy."""
        return f"{self.level} {self.rule}: {self.what} → {self.remedy}"


@dataclass(frozen=True)
class PageFacts:
    """The known facts of a page.

    `headers`: of its document, None if they are not kept. `cookies`: those that are sent to it, as Chromium describes them. `requests`: kind
    and URL of what it asked for. `elements`: as reading/scripts/page-facts.js lists them.
    """

    url: str
    headers: Headers | None = None
    cookies: Sequence[Mapping[str, Any]] = ()
    requests: Sequence[tuple[str, str]] = ()
    elements: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_local(self) -> bool:
        """Return whether the page is from this machine, where encryption is not demanded."""
        host = host_of(self.url)
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    @property
    def is_encrypted(self) -> bool:
        """Return whether the page was loaded by HTTPS."""
        return self.url.startswith("https:")


def find_problems(page: PageFacts) -> list[SecurityFinding]:
    """Return all security problems of a page, the worst first."""
    found = [
        *_check_transport(page),
        *(_check_headers(page, page.headers) if page.headers is not None else ()),
        *_check_cookies(page),
        *_check_mixed_content(page),
        *_check_forms(page),
        *_check_third_parties(page),
    ]
    return sorted(found, key=lambda finding: LEVELS.index(finding.level))


def summarise(found: Sequence[SecurityFinding]) -> str:
    """Return the number of problems by level as text: `3 problems: 1 high, 2 low`."""
    counts = Counter(finding.level for finding in found)
    parts = ", ".join(f"{counts[level]} {level}" for level in LEVELS if counts[level])
    return f"{format_count(len(found), 'problem')}: {parts}" if found else "No problems found"


def render_json(found: Sequence[SecurityFinding]) -> str:
    """Render findings as a JSON list."""
    return json.dumps([finding._asdict() for finding in found], ensure_ascii=False, indent=1)


def _check_transport(page: PageFacts) -> Iterator[SecurityFinding]:
    """Yield findings on the page's encryption: plain HTTP, missing or short Strict-Transport-Security."""
    if page.is_encrypted:
        if page.headers is None or page.is_local:
            return
        hsts = find_value(page.headers, "strict-transport-security")
        age = re.search(r"max-age\s*=\s*\"?(\d{1,12})", hsts)
        if not hsts:
            yield SecurityFinding(
                "medium", "hsts", "no Strict-Transport-Security: a first visit by http can be intercepted",
                "send Strict-Transport-Security: max-age=31536000; includeSubDomains",
            )  # fmt: skip
        elif not age or int(age[1]) < LEAST_HSTS_SECONDS:
            yield SecurityFinding(
                "low", "hsts", f"Strict-Transport-Security holds too briefly ({quote_text(hsts, 60)})",
                "give it a max-age of a year",
            )  # fmt: skip
    elif not page.is_local and page.url.startswith("http:"):
        yield SecurityFinding(
            "high", "http", "the page comes by http: everybody on the way can read and change it",
            "serve it by https, and redirect",
        )  # fmt: skip


def _check_headers(page: PageFacts, headers: Headers) -> Iterator[SecurityFinding]:
    """Yield findings on the security headers of the document's response."""
    policies = [value for name, value in headers if name.lower() == "content-security-policy"]
    policies += page.elements.get("policies", [])
    yield from _check_content_policy(policies, headers)
    frames = find_value(headers, "x-frame-options").lower()
    has_ancestors = any("frame-ancestors" in parse_directives(policy) for policy in policies)
    if not has_ancestors and frames not in ("deny", "sameorigin"):
        yield SecurityFinding(
            "medium", "framing", "any site may show the page in a frame, and have people click in it unawares",
            "send Content-Security-Policy: frame-ancestors 'self'",
        )  # fmt: skip
    if find_value(headers, "x-content-type-options").lower() != "nosniff":
        yield SecurityFinding(
            "low", "nosniff", "browsers may take a file for another type than it is sent with",
            "send X-Content-Type-Options: nosniff",
        )  # fmt: skip
    if find_value(headers, "referrer-policy").lower() in ("unsafe-url", "no-referrer-when-downgrade"):
        yield SecurityFinding(
            "low", "referrer", "other sites are told the whole address of the page",
            "send Referrer-Policy: strict-origin-when-cross-origin",
        )  # fmt: skip
    yield from _check_sharing(headers)
    for name in ("server", "x-powered-by", "x-aspnet-version"):
        if _VERSION.search(value := find_value(headers, name)):
            yield SecurityFinding(
                "low", "version", f"{name} names a version ({quote_text(value, 60)}), for which attacks may be known",
                "send none",
            )  # fmt: skip


def _check_content_policy(policies: Sequence[str], headers: Headers) -> Iterator[SecurityFinding]:
    """Yield findings on a page's Content-Security-Policy, or on its absence.

    `policies`: those of headers and `<meta>` elements, all of which apply.
    """
    if not policies:
        is_reported = bool(find_value(headers, "content-security-policy-report-only"))
        what = "the Content-Security-Policy only reports" if is_reported else "no Content-Security-Policy"
        yield SecurityFinding(
            "medium", "csp", f"{what}: a script that is injected runs",
            "send Content-Security-Policy; begin with default-src 'self'",
        )  # fmt: skip
        return
    scripts = [
        directives.get("script-src", directives.get("default-src"))
        for directives in map(parse_directives, policies)
    ]
    if all(sources is None for sources in scripts):
        yield SecurityFinding(
            "medium", "csp", "the Content-Security-Policy says nothing of scripts", "add script-src 'self'"
        )
    for weak, why, remedy in (
        ("'unsafe-inline'", "a script that is injected into the markup runs", "use nonces or hashes"),
        ("'unsafe-eval'", "text can become code", "do without eval, or 'wasm-unsafe-eval'"),
        ("*", "scripts of every site run", "name the sites"),
        ("https:", "scripts of every site run", "name the sites"),
        ("http:", "scripts of every site run, changed on the way", "name the sites, by https"),
        ("data:", "a data: URL that is injected runs", "leave it out"),
    ):
        # of several policies all hold: one without the weakness is enough
        if scripts and all(sources is None or _is_weak(sources, weak) for sources in scripts) and any(scripts):
            level: Level = "low" if weak == "'unsafe-eval'" else "medium"
            yield SecurityFinding(level, "csp", f"script-src has {weak}: {why}", remedy)


def _is_weak(sources: Sequence[str], weak: str) -> bool:
    """Return whether sources include the weak one (`'unsafe-inline'` …) and no other disables it."""
    has_nonce = any(source.startswith(("'nonce-", "'sha256-", "'sha384-", "'sha512-")) for source in sources)
    is_strict = "'strict-dynamic'" in sources and weak != "'unsafe-eval'"
    return weak in sources and not is_strict and not (has_nonce and weak == "'unsafe-inline'")


def _check_sharing(headers: Headers) -> Iterator[SecurityFinding]:
    """Yield findings on what other origins may do with the page, by its CORS, COOP and CORP headers."""
    origin = find_value(headers, "access-control-allow-origin")
    if origin == "*":
        yield SecurityFinding(
            "low", "cors", "scripts of every site may read the page as people see it who are not signed in",
            "name the origins that need it",
        )  # fmt: skip
    elif origin and find_value(headers, "access-control-allow-credentials").lower() == "true":
        yield SecurityFinding(
            "medium", "cors", f"scripts of {quote_text(origin, 80)} may read the page as the person who is signed in",
            "check that this origin is meant, and not just repeated",
        )  # fmt: skip
    if not find_value(headers, "cross-origin-opener-policy"):
        yield SecurityFinding(
            "low", "coop", "a page that opens this one keeps a hold of its window",
            "send Cross-Origin-Opener-Policy: same-origin",
        )  # fmt: skip
    if not find_value(headers, "cross-origin-resource-policy"):
        yield SecurityFinding(
            "low", "corp", "other sites may load the answer into their process",
            "send Cross-Origin-Resource-Policy: same-origin",
        )  # fmt: skip


def _check_cookies(page: PageFacts) -> Iterator[SecurityFinding]:
    """Yield a finding for each weakness of the page's cookies, with the names of those that have it."""
    weak: dict[tuple[Level, str, str, str], list[str]] = defaultdict(list)
    for cookie in page.cookies:
        name = str(cookie["name"])
        is_session = bool(_SESSION.search(name))
        if page.is_encrypted and not cookie.get("secure"):
            weak["medium", "cookie-secure", "sent by http as well", "set Secure"].append(name)
        if not cookie.get("httpOnly") and is_session:
            weak["medium", "cookie-httponly", "an injected script can read it", "set HttpOnly"].append(name)
        if not cookie.get("sameSite"):
            what = "no SameSite: browsers differ in when other sites send it"
            weak["low", "cookie-samesite", what, "set SameSite=Lax"].append(name)
        elif cookie["sameSite"] == "None" and is_session:
            what, remedy = "requests of other sites carry it", "set SameSite=Lax, unless that is meant"
            weak["medium", "cookie-samesite", what, remedy].append(name)
    for (level, rule, what, remedy), names in weak.items():
        yield SecurityFinding(level, rule, f"{_list_first(names)}: {what}", remedy)


def _check_mixed_content(page: PageFacts) -> Iterator[SecurityFinding]:
    """Yield findings on content that an encrypted page loads unencrypted."""
    if not page.is_encrypted:
        return
    plain = [(kind, url) for kind, url in page.requests if url.startswith(("http:", "ws:"))]
    plain += [(kind, url) for kind, url in page.elements.get("insecure", [])]
    kinds = ("script", "stylesheet", "document", "iframe", "xhr", "fetch", "websocket")
    active = [url for kind, url in plain if kind in kinds]
    passive = [url for kind, url in plain if url not in active]
    if active:
        why = "what is on the way can change the page; browsers block it"
        yield SecurityFinding("high", "mixed-content", f"{_list_first(active)} by http: {why}", "ask by https")
    if passive:
        what = f"{_list_first(passive)} by http: can be read and replaced on the way"
        yield SecurityFinding("medium", "mixed-content", what, "ask by https")


def _check_forms(page: PageFacts) -> Iterator[SecurityFinding]:
    """Yield findings on forms that send passwords unencrypted, in an address, or to another host."""
    for form in page.elements.get("forms", []):
        name, action = quote_text(form["name"] or "a form", 60), str(form["action"])
        host = host_of(action) if action.startswith("http") else ""
        if action.startswith("http:") and not PageFacts(action).is_local:
            yield SecurityFinding(
                "high", "form-http", f"{name} sends to {one_line(action, 100)} by http", "send by https"
            )
        if form["hasPassword"] and form["method"] == "get":
            what = f"{name} puts a password into an address, which is logged"
            yield SecurityFinding("high", "form-get", what, "use method=post")
        if form["hasPassword"] and host and host != host_of(page.url):
            what = f"{name} sends a password to {one_line(host, 80)}"
            yield SecurityFinding("medium", "form-elsewhere", what, "check that it is meant")
    if page.elements.get("passwords") and page.url.startswith("http:") and not page.is_local:
        yield SecurityFinding(
            "high", "password-http", "a password is asked for on a page by http", "serve it by https"
        )


def _check_third_parties(page: PageFacts) -> Iterator[SecurityFinding]:
    """Yield findings on scripts, requests and frames of other sites in the page."""
    own = _get_site(host_of(page.url))

    def list_foreign(urls: Iterable[str]) -> list[str]:
        return sorted({host for url in urls if (host := host_of(url)) and _get_site(host) != own})

    scripts = page.elements.get("scripts", [])
    foreign = list_foreign(script["url"] for script in scripts if not script["integrity"])
    if foreign:
        yield SecurityFinding(
            "medium", "third-party-script", f"scripts of {_list_first(foreign)} without integrity: whoever changes them changes the page",
            "add integrity=, or serve them yourself",
        )  # fmt: skip
    if others := [host for host in list_foreign(url for _, url in page.requests) if host not in foreign]:
        what = f"{_list_first(others)} are asked as well, and learn who reads the page"
        yield SecurityFinding("low", "third-party", what, "ask only whom you need")
    if frames := list_foreign(page.elements.get("frames", [])):
        what = f"frames of {_list_first(frames)} without a sandbox may lead the whole page elsewhere"
        yield SecurityFinding("low", "frame-sandbox", what, "add sandbox=")


def _get_site(host: str) -> str:
    """Return the site of a host, approximately: its last two labels; an IP address as it is."""
    return host if re.fullmatch(r"[\d.]+|.*:.*", host) else ".".join(host.split(".")[-2:])


def _list_first(names: Sequence[str]) -> str:
    """Join the first MOST_NAMED different names by commas, and say how many more there are."""
    different = list(dict.fromkeys(names))
    more = f" and {len(different) - MOST_NAMED} more" if len(different) > MOST_NAMED else ""
    return ", ".join(one_line(name, 80) for name in different[:MOST_NAMED]) + more


_PORTS = {"http": 80, "https": 443}


def parse_directives(policy: str) -> dict[str, list[str]]:
    """Parse a Content-Security-Policy: directive → sources, in lower case.

    Of equal directives the first counts.
    """
    found: dict[str, list[str]] = {}
    for directive in policy.split(";"):
        if words := directive.lower().split():
            found.setdefault(words[0], words[1:])
    return found


def allows_connection(policy: str, url: str, page: str) -> bool:
    """Return whether a Content-Security-Policy of `page` (a URL) certainly allows connecting to `url`."""
    directives = parse_directives(policy)
    sources = directives.get("connect-src", directives.get("default-src"))
    if sources is None:
        return True
    try:
        wanted, own = _parse_origin(url), _parse_origin(page)
    except ValueError:
        return False
    return any(
        source == "*"
        or (source == "'self'" and wanted == own)
        or source == f"{wanted[0]}:"
        or (source.startswith(("http://", "https://")) and _is_origin(source, wanted))
        for source in sources
    )


def _is_origin(source: str, wanted: tuple[str, str, int]) -> bool:
    """Return whether a source of a policy names just the `wanted` origin, without a wildcard or a path."""
    try:
        return "*" not in source and urlsplit(source).path in ("", "/") and _parse_origin(source) == wanted
    except ValueError:
        return False


def _parse_origin(url: str) -> tuple[str, str, int]:
    """Return (scheme, host, port) of a URL; without a port, the scheme's default. Raises ValueError."""
    parts = urlsplit(url)
    return parts.scheme.lower(), (parts.hostname or "").lower(), parts.port or _PORTS.get(parts.scheme, 0)
