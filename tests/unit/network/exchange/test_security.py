from typing import Any

from gstack_browse.network.exchange.security import PageFacts, allows_connection, find_problems
from tests.each import each_row

GOOD = [
    ("Strict-Transport-Security", "max-age=31536000; includeSubDomains"),
    ("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
]
URL = "https://shop.example/cart"


def without(name: str, *more: tuple[str, str]) -> list[tuple[str, str]]:
    return [*(header for header in GOOD if header[0] != name), *more]


def cookie(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "secure": True, "httpOnly": True, "sameSite": "Lax"} | more


def form(**more: Any) -> dict[str, Any]:
    return {"name": "sign-in", "action": URL, "method": "post", "hasPassword": True} | more


CSP = "Content-Security-Policy"
CASES: list[tuple[PageFacts, list[str]]] = [
    (PageFacts(URL, GOOD), []),
    (PageFacts(URL, None), []),
    (PageFacts("http://127.0.0.1:3000/", without("Strict-Transport-Security")), []),
    (PageFacts("http://shop.example/", GOOD), ["high http"]),
    (PageFacts(URL, without("Strict-Transport-Security")), ["medium hsts"]),
    (PageFacts(URL, without("Strict-Transport-Security", ("strict-transport-security", "max-age=60"))), ["low hsts"]),
    (PageFacts(URL, without(CSP)), ["medium csp", "medium framing"]),
    (PageFacts(URL, without(CSP), elements={"policies": ["default-src 'self'"]}), ["medium framing"]),
    (PageFacts(URL, without(CSP, (CSP, "frame-ancestors 'self'"))), ["medium csp"]),
    (PageFacts(URL, without(CSP, (CSP, "script-src 'unsafe-inline'"), ("X-Frame-Options", "DENY"))), ["medium csp"]),
    (PageFacts(URL, without(CSP, (CSP, "script-src 'unsafe-inline' 'nonce-a'; frame-ancestors *"))), []),
    (PageFacts(URL, without(CSP, (CSP, "script-src * 'unsafe-eval'; frame-ancestors *"))), ["medium csp", "low csp"]),
    (PageFacts(URL, [*GOOD, (CSP, "script-src *")]), []),
    (PageFacts(URL, without("X-Content-Type-Options")), ["low nosniff"]),
    (PageFacts(URL, [*GOOD, ("Server", "Apache/2.4.1"), ("X-Powered-By", "PHP")]), ["low version"]),
    (PageFacts(URL, [*GOOD, ("Access-Control-Allow-Origin", "*")]), ["low cors"]),
    (PageFacts(URL, [*GOOD, ("Access-Control-Allow-Origin", URL), ("Access-Control-Allow-Credentials", "true")]), ["medium cors"]),
    (PageFacts(URL, GOOD, [cookie("sid"), cookie("theme", httpOnly=False)]), []),
    (PageFacts(URL, GOOD, [cookie("sid", secure=False, httpOnly=False, sameSite=None)]),
     ["medium cookie-secure", "medium cookie-httponly", "low cookie-samesite"]),
    (PageFacts(URL, GOOD, [cookie("auth_token", sameSite="None")]), ["medium cookie-samesite"]),
    (PageFacts(URL, GOOD, requests=[("script", "http://shop.example/a.js"), ("image", "http://shop.example/a.png")]),
     ["high mixed-content", "medium mixed-content"]),
    (PageFacts(URL, GOOD, requests=[("image", "https://cdn.example.org/a.png"), ("image", "https://img.shop.example/b.png")]),
     ["low third-party"]),
    (PageFacts(URL, GOOD, elements={"forms": [form(action="http://shop.example/login")]}), ["high form-http"]),
    (PageFacts(URL, GOOD, elements={"forms": [form(method="get")]}), ["high form-get"]),
    (PageFacts(URL, GOOD, elements={"forms": [form(action="https://login.example.org/")]}), ["medium form-elsewhere"]),
    (PageFacts(URL, GOOD, elements={"forms": [form(action="http://[x")]}), ["high form-http"]),
    (PageFacts(URL, GOOD, elements={"scripts": [{"url": "https://cdn.example.org/a.js", "integrity": ""}, {"url": "https://b.example.org/", "integrity": "sha256-x"}]}),
     ["medium third-party-script"]),
    (PageFacts(URL, GOOD, elements={"frames": ["https://ads.example.org/"]}), ["low frame-sandbox"]),
]  # fmt: skip


@each_row(*CASES)
def test_weaknesses_are_found(page: PageFacts, expected: list[str]) -> None:
    assert [f"{finding.level} {finding.rule}" for finding in find_problems(page)] == expected


SOCKET_URL, PAGE = "https://a.example/x.map", "https://a.example/"
POLICIES = [
    ("", True),
    ("script-src 'none'", True),
    ("default-src 'none'; connect-src 'self'", True),
    ("connect-src 'none'; connect-src *", False),
    ("connect-src https:", True),
    ("connect-src http:", False),
    ("connect-src https://a.example", True),
    ("connect-src https://A.example:443/", True),
    ("connect-src https://a.example/api", False),
    ("connect-src https://*.example", False),
    ("connect-src https://b.example https://[", False),
]


@each_row(*POLICIES)
def test_a_connection_is_allowed(policy: str, expected: bool) -> None:
    assert allows_connection(policy, SOCKET_URL, PAGE) is expected
    assert not allows_connection("connect-src 'self'", SOCKET_URL, "https://a.example:8443/")
