"""What goes from one browser to the next: cookies, storage, tabs and their numbers. Data only.

`capture` takes it from a browser, `restore` gives it to the next one.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from gstack_browse.browser.tabs.departures import Departure
from gstack_browse.browser.tabs.emulation import Emulation, options_of
from gstack_browse.text.columns import format_count

MOST_NAMED = 5
"""Downloads that a summary names."""


@dataclass
class TabState:
    """A tab: its number and name, address, the session storage of its origin, and the references that follow in it (@e, @c)."""

    id: int
    url: str
    origin: str = ""
    items: dict[str, str] = field(default_factory=dict)
    following: tuple[int, int] = (1, 1)
    name: str = ""
    target: str = ""
    """What a browser that goes on without us calls the tab; "" where the page is loaded again in another."""
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
    """Secrets that pages were given, to be hidden further on. They go to a successor only, and into no file."""
    extras: dict[str, Any] = field(default_factory=dict)
    """What `RequestExtras.state` says."""
    shaping: dict[str, Any] = field(default_factory=dict)
    """What `Shaping.state` says."""
    throttle: dict[str, Any] = field(default_factory=dict)
    """What `Throttle.as_dict` says."""
    init_scripts: list[list[Any]] = field(default_factory=list)
    """What `InitScripts.state` says."""
    loaded_html: list[list[Any]] = field(default_factory=list)
    """What `LoadedHtml.state` says."""
    mobile: bool = False
    emulation: dict[str, Any] = field(default_factory=dict)
    """What `Emulation.as_dict` says."""
    departed: Departure | None = None
    """How the tab went that had been active, where that has not been said yet."""
    first_refs: tuple[int, int] = (1, 1)
    """The first references (@e, @c) of a new tab: above those of a daemon that was killed."""
    requests: int = 0
    """How many requests the log has numbered: those to come get higher numbers."""
    downloads: list[dict[str, Any]] = field(default_factory=list)
    """What `Downloads.record` says."""
    connected: str = ""
    """The address of a person's own browser that the session is in; "" for none. Its tabs are where they are."""
    missing: str = ""
    """What of all this the browser did not tell, in words."""
    shared_from: str = ""
    """The browser context whose logins this one began with; "" for none."""
    last_command: str = ""
    """The last command of whoever works in it; only a successor is told."""
    used_at: float = 0.0
    """When that was answered, on the clock that both daemons share (monotonic)."""
    contexts: "dict[str, SessionState]" = field(default_factory=dict)
    """With the default browser context: the states of the others, by name."""

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
        """What a browser context is made with, but its size."""
        return options_of(self.user_agent, Emulation.from_dict(self.emulation))

    def active_first(self) -> list[TabState]:
        """The tabs in the order in which they should load."""
        return sorted(self.tabs, key=lambda tab: tab.id != self.active)

    def summary(self) -> str:
        """`3 tabs and 12 cookies carried over`, and what was not."""
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
        """`3 tabs and 12 cookies`, with those of the other contexts."""
        every = [self, *self.contexts.values()]
        tabs = sum(len(state.tabs) for state in every)
        cookies = sum(len(state.storage.get("cookies", [])) for state in every)
        return f"{format_count(tabs, 'tab')} and {format_count(cookies, 'cookie')}"
