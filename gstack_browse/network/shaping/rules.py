"""Define routing rules for requests, and find the rule that applies."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from gstack_browse.errors import ActionFailed
from gstack_browse.network.exchange.headers import find_value
from gstack_browse.text.pattern import RequestGlob
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_count

ALL = ("ws://*:*/*", "wss://*:*/*")
"""Patterns of all web sockets."""
_TYPED = r"(?i)(?:GET\s+)?(wss?)://([^/?#:]*)(?::([0-9]+|\*))?(/[^?#]*)?\Z"
_ABOUT = r"(?i)(?:[A-Z]{3,10}\s+)?wss?:"


def is_socket_pattern(typed: str) -> bool:
    """Return whether a pattern that a user has typed is for WebSockets: ws:// or wss://."""
    return bool(re.match(_ABOUT, typed))


def to_url_pattern(typed: str) -> str | None:
    """Convert a typed pattern for WebSockets, `ws://localhost:3000/**`, to a URL pattern of Chromium's.

    There `*` stands for anything. Returns None if it cannot be expressed.
    """
    found = re.match(_TYPED, typed)
    if not found or "{" in typed or not found[2]:
        return None
    scheme, host, port, path = found.groups()
    written = _escape_part(host)
    return f"{scheme.lower()}://{written}{f':{port}' if port else ':*' if '*' in host else ''}{_escape_part(path or '/*')}"


def _escape_part(part: str) -> str:
    """Escape the host or path of a typed pattern for a URL pattern; each run of `*` becomes one."""
    return re.sub(r"\*+", "*", re.sub(r"([+?:{}()\\])", r"\\\1", part))


MOST_RULES = 100
MOST_CHARACTERS = 20_000_000
"""Limit of all bodies together: they are stored with the context's state."""
SHOWN_CHARACTERS = 40
"""Limit of a body's characters in a line."""
ERRORS = {
    "failed": "Failed",
    "aborted": "Aborted",
    "blocked": "BlockedByClient",
    "dns": "NameNotResolved",
    "offline": "InternetDisconnected",
    "refused": "ConnectionRefused",
    "reset": "ConnectionReset",
    "timedout": "TimedOut",
}
"""Errors of requests: short name → the protocol's `Network.ErrorReason`."""

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class RouteAnswer:
    """A response in place of the server's. `file`, if set, has the body, and is read for each response."""

    status: int = 200
    body: str = ""
    file: str = ""
    content_type: str = ""
    headers: Pairs = ()

    @property
    def summary(self) -> str:
        """Return the response's status and body (or the name of its file) for a line of the command `routes`."""
        name = one_line(Path(self.file).name, 60)
        body = f"file {name}" if self.file else one_line(self.body, SHOWN_CHARACTERS)
        return " ".join(word for word in (str(self.status), body) if word)


_ADDED_WHEN_MISSING = "accept-language"
"""A full Chromium's network adds this header to a request that has none: to remove the header is to send it without a value."""


@dataclass(frozen=True)
class RequestChange:
    """Changes to a request before it is sent: headers to set, headers to remove."""

    set: Pairs = ()
    removed: Sequence[str] = ()

    def apply(self, headers: dict[str, str]) -> dict[str, str]:
        """Return a request's headers with the changes made. Names are compared ignoring case."""
        gone = {name.lower() for name in (*self.removed, *(name for name, _ in self.set))}
        kept = {name: value for name, value in headers.items() if name.lower() not in gone}
        emptied = {name: "" for name in self.removed if name.lower() == _ADDED_WHEN_MISSING}
        return {**kept, **emptied, **dict(self.set)}

    @property
    def summary(self) -> str:
        """Return the changes in words, names only: values may be secrets."""
        done = [f"with {one_line(name, 60)} set" for name, _ in self.set]
        done += [f"without {one_line(name, 60)}" for name in self.removed]
        return ", ".join(["sent", *done])


@dataclass(frozen=True)
class RouteAction:
    """The action on a request: at most one of answer, error and change, and a delay. `times` 0: unlimited."""

    answer: RouteAnswer | None = None
    error: str = ""
    """One of ERRORS."""
    change: RequestChange | None = None
    delay_ms: int = 0
    times: int = 0

    @property
    def summary(self) -> str:
        """Return what the action does, for a line of the command `routes`: `404 after 200ms`."""
        what = self.change.summary if self.change else "sent"
        if self.answer:
            what = self.answer.summary
        elif self.error:
            what = "aborted" if self.error in ("failed", "aborted") else f"fails: {self.error}"
        after = f" after {self.delay_ms}ms" if self.delay_ms else ""
        return f"{what}{after}" + (f", {format_count(self.times, 'time')} at most" if self.times else "")


@dataclass
class RequestRule:
    """A numbered rule. `hits`: how often it was applied. `trouble`: why its last answer failed."""

    number: int
    pattern: RequestGlob
    action: RouteAction
    hits: int = 0
    trouble: str = ""

    @property
    def name(self) -> str:
        """Return the rule's name in messages: `route 2`."""
        return f"route {self.number}"

    @property
    def is_exhausted(self) -> bool:
        """Return whether the rule was applied as often as `--times` allows."""
        return 0 < self.action.times <= self.hits

    def __str__(self) -> str:
        return f"{one_line(str(self.pattern), 200)} → {self.action.summary}"

    @property
    def is_for_sockets(self) -> bool:
        """Return whether the rule is for WebSockets."""
        return is_socket_pattern(str(self.pattern))

    def describe_use(self) -> str:
        """Describe how often the rule was applied, which Chromium does not report for WebSockets."""
        if self.is_for_sockets:
            return "not counted"
        words = f"hit {format_count(self.hits, 'time')}" if self.hits else "never hit"
        if self.is_exhausted:
            words += ", over"
        return f"{words}; {self.trouble}" if self.trouble else words


class RouteTable:
    """All rules of a context. The newest matching one applies. Numbers are never reused."""

    def __init__(self) -> None:
        self._rules: dict[int, RequestRule] = {}
        self.next_number = 1

    def __iter__(self) -> Iterator[RequestRule]:
        return iter(list(self._rules.values()))

    def __len__(self) -> int:
        return len(self._rules)

    def add(self, pattern: RequestGlob, action: RouteAction) -> RequestRule:
        """Add a rule. Raises ActionFailed beyond the limits of rules or characters."""
        if len(self._rules) >= MOST_RULES:
            raise ActionFailed(
                f"There are {MOST_RULES} routes, as many as may be",
                "'routes' lists them, 'unroute <n>' removes one",
            )
        kept = sum(len(rule.action.answer.body) for rule in self if rule.action.answer)
        if kept + len(action.answer.body if action.answer else "") > MOST_CHARACTERS:
            raise ActionFailed(
                f"The answers would have more than {MOST_CHARACTERS:,} characters together",
                "Take the body from a file: --body @file",
            )
        rule = self._rules[self.next_number] = RequestRule(self.next_number, pattern, action)
        self.next_number += 1
        return rule

    def remove(self, number: int) -> RequestRule | None:
        """Remove the rule with that number and return it; None without one."""
        return self._rules.pop(number, None)

    def patterns(self) -> set[str]:
        """Return URL patterns with which Chromium intercepts at least all requests that a rule matches."""
        return {rule.pattern.chromium_pattern for rule in self if not rule.is_for_sockets}

    def socket_patterns(self) -> list[str]:
        """Return the URL patterns of the web sockets that rules block."""
        found = (to_url_pattern(str(rule.pattern)) for rule in self if rule.is_for_sockets)
        return [pattern for pattern in found if pattern]

    def choose(self, method: str, url: str) -> RequestRule | None:
        """Return the newest rule that matches a request and is not exhausted; None without one."""
        usable = (rule for rule in reversed(self._rules.values()) if not rule.is_exhausted)
        return next((rule for rule in usable if rule.pattern.matches(method, url)), None)

    def find_applied(self, method: str, url: str) -> RequestRule | None:
        """Return the newest matching rule that has been applied at least once; None without one."""
        applied = (rule for rule in reversed(self._rules.values()) if rule.hits)
        return next((rule for rule in applied if rule.pattern.matches(method, url)), None)

    def to_state(self) -> list[dict[str, Any]]:
        """Return all rules as JSON, with which the context's next browser restores them."""
        return [
            {
                "number": rule.number,
                "pattern": str(rule.pattern),
                "action": asdict(rule.action),
                "hits": rule.hits,
            }
            for rule in self
        ]

    def restore(self, state: Sequence[dict[str, Any]], next_number: int) -> None:
        """Replace all rules by those that `to_state` returned, and continue their numbers at `next_number`.

        Raises TypeError, ValueError or KeyError if they are malformed, with nothing changed.
        """
        if type(next_number) is not int:
            raise TypeError
        rules = [_parse_rule(found) for found in state]
        self._rules = {rule.number: rule for rule in rules}
        self.next_number = max([next_number, *(number + 1 for number in self._rules)])


def _parse_rule(found: dict[str, Any]) -> RequestRule:
    """Restore a rule from the JSON that `RouteTable.to_state` returned.

    Raises TypeError, KeyError for anything malformed: the file may be forged.
    """
    number, hits, pattern = found["number"], found["hits"], found["pattern"]
    if not (type(number) is int and type(hits) is int and isinstance(pattern, str) and number > 0):
        raise TypeError
    return RequestRule(number, RequestGlob(pattern), _parse_action(found["action"]), hits)


def _parse_action(found: dict[str, Any]) -> RouteAction:
    """Restore a rule's action from saved JSON. Raises TypeError or KeyError for malformed fields."""
    answer, change = found["answer"], found["change"]
    action = RouteAction(
        RouteAnswer(**{**answer, "headers": _to_pairs(answer["headers"])}) if answer else None,
        found["error"],
        RequestChange(_to_pairs(change["set"]), [str(name) for name in change["removed"]]) if change else None,
        found["delay_ms"],
        found["times"],
    )
    words = [action.error]
    numbers: list[Any] = [action.delay_ms, action.times]
    if action.answer:
        words += [getattr(action.answer, name) for name in ("body", "file", "content_type")]
        numbers.append(action.answer.status)
    is_known = action.error == "" or action.error in ERRORS
    if not (is_known and all(isinstance(word, str) for word in words)):
        raise TypeError
    if not all(type(number) is int and 0 <= number < 2**31 for number in numbers):
        raise TypeError
    return action


def _to_pairs(found: Any) -> Pairs:
    """Convert saved headers to (name, value) pairs of strings."""
    return [(str(name), str(value)) for name, value in found]


def choose_content_type(answer: RouteAnswer) -> str:
    """Return the content type for a rule's response; "" if its headers have one, or it has no body."""
    if any(name.lower() == "content-type" for name, _ in answer.headers):
        return ""
    if answer.content_type:
        return answer.content_type
    if answer.file:
        return _add_charset(guess_type(answer.file, strict=False)[0] or "application/octet-stream")
    return _add_charset(_guess_type(answer.body)) if answer.body else ""


def _guess_type(body: str) -> str:
    """Guess the media type of a body: JSON, HTML or plain text."""
    text = body.lstrip("\ufeff \t\r\n")
    if text.startswith(("{", "[")):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return "text/plain"
        return "application/json"
    return "text/html" if text.startswith("<") else "text/plain"


def _add_charset(kind: str) -> str:
    """Return a media type of text with `charset=utf-8` appended; others unchanged."""
    is_text = kind.startswith("text/") or kind in ("application/json", "text/javascript")
    return f"{kind}; charset=utf-8" if is_text else kind


def add_cors_headers(request: Mapping[str, str], url: str, headers: Iterable[tuple[str, str]]) -> Pairs:
    """Add CORS headers that let the requesting origin read a response, unless it has its own.

    `request`: the headers of the request for `url`.
    """
    own = list(headers)
    origin = find_value(request.items(), "origin")
    has_own = any(name.lower().startswith("access-control-") for name, _ in own)
    if not origin or url.startswith(f"{origin}/") or has_own:
        return own
    return [*own, *_build_cors_headers(origin)]


def is_preflight(method: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request is a CORS preflight, by headers that pages cannot set themselves."""
    return method == "OPTIONS" and bool(preflight_method(headers))


def preflight_method(headers: Mapping[str, str]) -> str:
    """Return the method that a CORS preflight asks for; "" if `headers` are of another request."""
    return find_value(headers.items(), "access-control-request-method")


def preflight_headers(request: Mapping[str, str]) -> Pairs:
    """Return response headers that allow what a CORS preflight (`request`: its headers) asks for."""
    allowed = {
        "Access-Control-Allow-Methods": preflight_method(request),
        "Access-Control-Allow-Headers": find_value(request.items(), "access-control-request-headers"),
    }
    return [
        *_build_cors_headers(find_value(request.items(), "origin")),
        *((name, value) for name, value in allowed.items() if value),
    ]


def _build_cors_headers(origin: str) -> Pairs:
    """Return CORS headers that let scripts of `origin` read a response; for "", scripts of every origin."""
    return [
        ("Access-Control-Allow-Origin", origin or "*"),
        ("Access-Control-Allow-Credentials", "true"),
        ("Vary", "Origin"),
    ]
