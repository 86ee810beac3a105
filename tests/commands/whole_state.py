"""Collect all that a session knows, as plain data.

A fact that one session knows and a fresh one does not outlasts the test that it comes from.

Found by walking through the attributes of our own objects. Only what may differ is listed here: so what a new feature
keeps is compared without anybody having thought of this file.
"""

import asyncio
import enum
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Set
from functools import cache
from pathlib import PurePath
from typing import Any
from weakref import WeakKeyDictionary

from gstack_browse.browser.context.open_context import OpenContext

State = dict[str, object]
"""What was found, by the way to it: `emulation.media`."""

PACKAGE = "gstack_browse"
ELSEWHERE = {
    "Background": "tasks that end by themselves",
    "BrowserContext": "what Chromium has told of pages",
    "Frame": "what Chromium has told of documents",
    "Logs": "emptied for each test",
    "Page": "what Chromium has told of documents",
    "Pages": "what Chromium has told of documents",
    "RequestHandlers": "functions",
    "RefNumberBound": "numbers of refs, which begin anew",
    "RunningBrowser": "the browser, which all sessions share",
    "Session": "requests under way",
    "SourceMaps": "what maps say of the scripts of documents",
    "Subscriber": "functions",
    "Target": "what Chromium has told of documents",
    "World": "what Chromium has told of documents",
}
"""Classes whose objects are not looked into, and what they have."""
HISTORY = {
    "CurrentContext": {"id"},
    "DialogHistory": {"_last"},
    "DownloadFolder": {"_context", "_state"},
    "HeldInput": {"ending", "home", "intercepting"},
    "RequestGuard": {"_has_files"},
    "Requests": {"documents", "inflight", "_document_requests"},
    "Tab": {"arrivals", "collected", "document", "numbers", "reported_hidden", "watched_document", "_changed"},
    "Traffic": {"_last_event"},
}
"""Attributes that differ for each page that was there, and ask nothing of the next one."""
ATOMS = (type(None), bool, int, float, str, bytes, enum.Enum, PurePath)


def of(browser: OpenContext) -> State:
    """Return what the session knows, and what modules keep of it and of its tabs."""
    walk = _Walk()
    walk.into("session", browser)
    for name, kept in kept_by_modules(len(sys.modules)):
        for owner in (browser, *browser.tabs):
            if owner in kept:
                walk.into(f"{name}[{type(owner).__name__}]", kept[owner])
    return walk.found


@cache
def kept_by_modules(_loaded: int) -> list[tuple[str, WeakKeyDictionary[Any, Any]]]:
    """Return what modules keep by session or by tab, once for so many that are loaded."""
    return [
        (f"{name}.{key}", value)
        for name in sorted(name for name in sys.modules if name.startswith(PACKAGE))
        for key, value in vars(sys.modules[name]).items()
        if isinstance(value, WeakKeyDictionary)
    ]


def _is_elsewhere(value: object) -> bool:
    """Whether its class, or one that this extends, is not looked into."""
    return any(kind.__name__ in ELSEWHERE for kind in type(value).__mro__)


class _Walk:
    def __init__(self) -> None:
        self.found: State = {}
        self._seen: set[int] = set()

    def into(self, way: str, value: object) -> None:
        """Note what `value` is, or what it consists of."""
        if isinstance(value, ATOMS):
            self.found[way] = value
        elif isinstance(value, asyncio.Lock):
            self.found[way] = value.locked()
        elif id(value) not in self._seen and not _is_elsewhere(value):
            self._seen.add(id(value))
            self._parts(way, value)

    def _parts(self, way: str, value: object) -> None:
        if isinstance(value, Mapping | WeakKeyDictionary | Set | list | tuple | deque):
            self.found[way] = f"{len(value)} of them"
        if isinstance(value, Mapping | WeakKeyDictionary):
            for key, item in list(value.items()):
                self.into(f"{way}[{_key(key)}]", item)
        elif isinstance(value, Set):
            for item in value:
                self.into(f"{way}[{_key(item)}]", item)
        elif isinstance(value, list | tuple | deque):
            for index, item in enumerate(value):
                self.into(f"{way}[{index}]", item)
        elif type(value).__module__.startswith(PACKAGE):
            self.found[way] = type(value).__name__
            history = HISTORY.get(type(value).__name__, ())
            for name, item in _attributes(value):
                if name not in history:
                    self.into(f"{way}.{name}", item)


def _key(key: object) -> str:
    return repr(key) if isinstance(key, (*ATOMS, tuple)) else type(key).__name__


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    yield from getattr(value, "__dict__", {}).items()
    for kind in type(value).__mro__:
        for name in getattr(kind, "__slots__", ()):
            if hasattr(value, name) and name not in ("__dict__", "__weakref__"):
                yield name, getattr(value, name)
