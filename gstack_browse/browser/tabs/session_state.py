"""The state that one browser passes to the next: cookies, storage and numbered tabs. Data only.

`capture` takes it from a browser, `restore` gives it to the next one.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from gstack_browse.browser.tabs.departures import Departure
from gstack_browse.browser.tabs.emulation import Emulation, options_of
from gstack_browse.text.columns import format_count

MOST_NAMED = 5
"""Limit for downloads named in a summary."""


@dataclass
class TabState:
    """A tab: its number, name and address, its origin's session storage, and its next refs (@e, @c)."""

    id: int
    url: str
    origin: str = ""
    items: dict[str, str] = field(default_factory=dict)
    following: tuple[int, int] = (1, 1)
    name: str = ""
    target: str = ""
    """The target id in a browser that outlasts us; "" if the page is loaded again in another browser."""
    is_taken: bool = False

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "TabState":
        return cls(**{**fields, "following": tuple(fields.get("following", (1, 1)))})


@dataclass
class SessionState:
    """A browser's state. `storage` is Playwright's storage state: cookies, local storage, IndexedDB."""

    storage: dict[str, Any]
    tabs: list[TabState]
    active: int
    next_id: int
    viewport: tuple[int, int]
    scale: float
    user_agent: str = ""
    dialogs: tuple[Any, ...] = ()
    """The fields of DialogPolicy, as far as they are known."""
    imported: list[str] = field(default_factory=list)
    revealed: list[str] = field(default_factory=list)
    """Secrets that were passed to pages, to be redacted. They go to the next daemon only, and into no file."""
    extras: dict[str, Any] = field(default_factory=dict)
    """Result of `RequestExtras.state`."""
    shaping: dict[str, Any] = field(default_factory=dict)
    """Result of `Shaping.state`."""
    throttle: dict[str, Any] = field(default_factory=dict)
    """Result of `Throttle.as_dict`."""
    init_scripts: list[list[Any]] = field(default_factory=list)
    """Result of `InitScripts.state`."""
    loaded_html: list[list[Any]] = field(default_factory=list)
    """Result of `LoadedHtml.state`."""
    mobile: bool = False
    emulation: dict[str, Any] = field(default_factory=dict)
    """Result of `Emulation.as_dict`."""
    departed: Departure | None = None
    """The unreported active tab that went, or None."""
    first_refs: tuple[int, int] = (1, 1)
    """The first references (@e, @c) of a new tab: above those of a daemon that was killed."""
    requests: int = 0
    """Number of requests in the log so far: later ones get higher numbers."""
    downloads: list[dict[str, Any]] = field(default_factory=list)
    """Result of `Downloads.record`."""
    connected: str = ""
    """The address of a person's own browser that the session uses, whose tabs stay; "" for none."""
    missing: str = ""
    """Description of what the browser did not report."""
    unkept: list[str] = field(default_factory=list)
    """Descriptions of stored values that no state can hold."""
    shared_from: str = ""
    """The browser context whose logins this one began with; "" for none."""
    last_command: str = ""
    """The last command in the session, passed to the next daemon only."""
    used_at: float = 0.0
    """The time of that command's reply (monotonic, the same clock in both daemons)."""
    contexts: "dict[str, SessionState]" = field(default_factory=dict)
    """In the state of the default browser context: the other contexts' states by name."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "SessionState":
        return cls(
            **{
                **fields,
                "tabs": [TabState.from_dict(tab) for tab in fields["tabs"]],
                "viewport": tuple(fields["viewport"]),
                "dialogs": tuple(fields["dialogs"]),
                "first_refs": tuple(fields.get("first_refs", (1, 1))),
                "departed": Departure(**departed) if (departed := fields.get("departed")) else None,
                "contexts": {
                    name: cls.from_dict(state | {"contexts": {}})
                    for name, state in fields.get("contexts", {}).items()
                },
            }
        )

    def context_options(self) -> dict[str, Any]:
        """Return the options of a browser context, except its size."""
        return options_of(self.user_agent, Emulation.from_dict(self.emulation))

    def active_first(self) -> list[TabState]:
        """Return the tabs in the order in which to load them, the active one first."""
        return sorted(self.tabs, key=lambda tab: tab.id != self.active)

    def summary(self) -> str:
        """Describe what was carried over, and what was not: `3 tabs and 12 cookies carried over`."""
        if self.connected:
            return f"{format_count(len(self.tabs), 'tab')} stayed as they were in the browser that is connected"
        every = [self, *self.contexts.values()]
        done = f"{self.counts()}{f' of {len(every)} contexts' if self.contexts else ''} carried over"
        broken = [item["name"] for state in every for item in state.downloads if item["state"] == "running"]
        if broken:
            done += f"; {format_count(len(broken), 'download')} broken off: {', '.join(broken[:MOST_NAMED])}"
        missing = sorted({state.missing for state in every if state.missing})
        return f"{done}; lost, as the browser did not tell: {', '.join(missing)}" if missing else done

    def counts(self) -> str:
        """Count tabs and cookies, those of other contexts included: `3 tabs and 12 cookies`."""
        every = [self, *self.contexts.values()]
        tabs = sum(len(state.tabs) for state in every)
        cookies = sum(len(state.storage.get("cookies", [])) for state in every)
        return f"{format_count(tabs, 'tab')} and {format_count(cookies, 'cookie')}"
