import pytest

from gstack_browse.errors import UsageError
from gstack_browse.security.policy.hosts import AllowedHost, HostRules, parse_host
from gstack_browse.settings import read
from tests.each import each, each_row


@each_row(
("github.com", AllowedHost("github.com")), ("GitHub.com", AllowedHost("github.com")), ("*.corp", AllowedHost("*.corp")), ("localhost:3000", AllowedHost("localhost", 3000)),
        ("127.0.0.1", AllowedHost("127.0.0.1")), ("[::1]", AllowedHost("::1")), ("[::1]:8080", AllowedHost("::1", 8080)), ("xn--bcher-kva.example", AllowedHost("xn--bcher-kva.example")),
)  # fmt: skip
def test_a_host_is_a_name_an_address_or_all_below_a_name(word: str, found: AllowedHost) -> None:
    assert parse_host(word) == found
    assert str(found) == word.lower()


@each(["", "*", "https://github.com", "github.com/x", "a*.com", "*.", "::1", "bücher.example", "a,b", "a b", "-a", "a:b"])  # fmt: skip
def test_anything_else_is_none(word: str) -> None:
    assert parse_host(word) is None


def _rules(pages: str = "", resources: str = "") -> HostRules:
    def parsed(words: str) -> tuple[AllowedHost, ...] | None:
        return tuple(found for word in words.split(",") if (found := parse_host(word))) if words else None

    return HostRules(parsed(pages), parsed(resources))


@each_row(
("https://github.com/a", True), ("http://github.com:8080/", True), ("https://github.com./", True), ("https://www.github.com/", False),
        ("https://github.com.evil.com/", False), ("https://evil.com/github.com", False), ("https://github.com@evil.com/", False),
        ("https://a.corp/", True), ("https://a.b.corp/", True), ("https://corp/", False), ("https://xcorp/", False),
        ("http://localhost:3000/", True), ("http://localhost/", False), ("http://localhost:30000/", False), ("https://localhost:3000/", True),
        ("about:blank", True), ("http", False), ("data:text/html,x", True), ("blob:https://evil.com/1", True), ("http://[::1]:9/", False),
)  # fmt: skip
def test_pages_are_of_the_hosts_that_are_allowed(url: str, is_allowed: bool) -> None:
    refused = _rules("github.com,*.corp,localhost:3000").refuse_page(url)
    assert (refused is None) == is_allowed
    assert refused is None or refused.why == "is not allowed by BROWSE_ALLOW=github.com,*.corp,localhost:3000"


def test_hosts_without_a_rule_are_allowed_and_parts_by_either_kind() -> None:
    assert _rules().refuse_page("https://evil.com/") is None
    assert _rules("a.com").refuse_resource("https://evil.com/") is None
    assert _rules(resources="a.com").refuse_page("https://evil.com/") is None
    assert _rules("a.com").resolver_rules() == []
    rules = _rules("a.com", "cdn.com,*.b.com:8443")
    for url in ("https://a.com/", "wss://cdn.com/", "https://x.b.com:8443/"):
        assert rules.refuse_resource(url) is None
    for url in ("https://evil.com/", "wss://evil.com/", "https://x.b.com/"):
        refused = rules.refuse_resource(url)
        assert refused
        assert refused.why == "is not allowed by BROWSE_ALLOW_RESOURCES=cdn.com,*.b.com:8443"
    assert _rules("a.com", "cdn.com:8443,[::1]:90,*.b.com").resolver_rules() == [
        "MAP cdn.com:8443 cdn.com:8443", "MAP [::1]:90 [::1]:90", "MAP a.com a.com", "MAP * ~NOTFOUND", "EXCLUDE *.b.com",
    ]  # fmt: skip


def test_port_of_unnamed_hosts_is_refused_where_resources_are_narrowed() -> None:
    assert read({"BROWSE_ALLOW": "*.corp:8443"}).hosts
    for said in (
        {"BROWSE_ALLOW_RESOURCES": "*.corp:8443"},
        {"BROWSE_ALLOW": "*.corp:8443", "BROWSE_ALLOW_RESOURCES": "a.com"},
    ):
        with pytest.raises(UsageError, match=r"cannot be kept beside \*\.corp:8443"):
            read(said)
