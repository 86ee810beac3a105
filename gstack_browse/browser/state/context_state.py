"""The state of a context that goes to its next browser, closed tabs, and a handoff. Data only."""

import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from gstack_browse.browser.state.emulation import Appearance, Emulation
from gstack_browse.errors import TabGone
from gstack_browse.text.units import format_count

if TYPE_CHECKING:
    from gstack_browse.browser.cdp.targets import Subscriber
    from gstack_browse.flows.log import DoneCommand

MOST_REMEMBERED = 100


@dataclass(frozen=True)
class ClosedTab:
    """A tab that was closed: its number, its last address, and why (`closed itself`)."""

    tab: int
    url: str
    reason: str


class ClosedTabs:
    """The closed tabs. `unreported` is an active tab that closed, until a reply has said so."""

    def __init__(self) -> None:
        self.unreported: ClosedTab | None = None
        self._reasons: dict[int, str] = {}

    def add(self, closed: ClosedTab, *, was_active: bool) -> None:
        """Remember a closed tab; as `unreported`, too, if it was active.

        An earlier unreported one is kept: it is the tab that the agent believes to be active.
        """
        self._reasons[closed.tab] = closed.reason
        if len(self._reasons) > MOST_REMEMBERED:
            del self._reasons[next(iter(self._reasons))]
        if was_active and self.unreported is None:
            self.unreported = closed

    def mark_reported(self) -> None:
        """Forget the unreported tab: a reply has said which tab is active now."""
        self.unreported = None

    def remove(self, number: int) -> None:
        """Remove the tab of this number from the closed ones: it is open again."""
        self._reasons.pop(number, None)
        if self.unreported and self.unreported.tab == number:
            self.unreported = None

    def make_error(self, number: int) -> TabGone:
        """Return the error that says why there is no tab `number`."""
        reason = self._reasons.get(number)
        message = f"Tab {number} {reason}" if reason else f"There is no tab {number}"
        return TabGone(message, "Run 'tabs' to see what is open")


MOST_NAMED = 5
"""Limit for downloads named in a summary."""
ALL_STORAGE = "cookies and storage"
"""`ContextState.missing` if the browser did not answer."""


@dataclass
class TabState:
    """The state of a tab: number, name, address, its origin's session storage, and its next refs (@e, @c)."""

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
        """Build the state from the fields that `ContextState.as_dict` wrote."""
        return cls(**{**fields, "following": tuple(fields.get("following", (1, 1)))})


@dataclass
class ContextState:
    """The state of a context. `storage` is Playwright's storage state: cookies, local storage, IndexedDB."""

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
    next_script: int = 1
    """Number of the next init script: none is used again."""
    loaded_html: list[list[Any]] = field(default_factory=list)
    """Result of `LoadedHtml.state`."""
    mobile: bool = False
    emulation: dict[str, Any] = field(default_factory=dict)
    """Result of `Emulation.as_dict`."""
    departed: ClosedTab | None = None
    """The active tab whose closing no reply has reported, or None."""
    first_refs: tuple[int, int] = (1, 1)
    """The first references (@e, @c) of a new tab: above those of a daemon that was killed."""
    requests: int = 0
    """Number of requests in the log so far: later ones get higher numbers."""
    downloads: list[dict[str, Any]] = field(default_factory=list)
    """Result of `Downloads.to_records`."""
    connected: str = ""
    """The address of a person's own browser that the context uses, whose tabs stay; "" for none."""
    missing: str = ""
    """Description of what the browser did not report."""
    unkept: list[str] = field(default_factory=list)
    """Descriptions of stored values that no state can hold."""
    shared_from: str = ""
    """The browser context whose logins this one began with; "" for none."""
    last_command: str = ""
    """The last command in the context, passed to the next daemon only."""
    used_at: float = 0.0
    """The time of that command's reply (monotonic, the same clock in both daemons)."""
    contexts: "dict[str, ContextState]" = field(default_factory=dict)
    """In the state of the default browser context: the other contexts' states by name."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values, tabs and further contexts included."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "ContextState":
        """Build the state from the fields that `as_dict` wrote.

        Fields that an older version lacks get their defaults.
        """
        return cls(
            **{
                **fields,
                "tabs": [TabState.from_dict(tab) for tab in fields["tabs"]],
                "viewport": tuple(fields["viewport"]),
                "dialogs": tuple(fields["dialogs"]),
                "first_refs": tuple(fields.get("first_refs", (1, 1))),
                "departed": ClosedTab(**departed) if (departed := fields.get("departed")) else None,
                "contexts": {
                    name: cls.from_dict(state | {"contexts": {}})
                    for name, state in fields.get("contexts", {}).items()
                },
            }
        )

    def context_options(self) -> dict[str, Any]:
        """Return the options of a new browser context as keyword arguments, except its size."""
        return Appearance(self.user_agent, emulation=Emulation.from_dict(self.emulation)).context_options()

    def active_first(self) -> list[TabState]:
        """Return the tabs in the order in which to load them, the active one first."""
        return sorted(self.tabs, key=lambda tab: tab.id != self.active)

    def summary(self) -> str:
        """Describe what went to the next browser, and what did not: `3 tabs and 12 cookies carried over`."""
        if self.connected:
            return f"{format_count(len(self.tabs), 'tab')} stayed open in the browser that is connected"
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


class LastSeen:
    """The last seen state of a context, updated in parts: its browser may end at any moment."""

    def __init__(self, state: ContextState) -> None:
        self.set_state(state)

    def set_state(self, state: ContextState) -> None:
        """Replace all that was seen by a complete state."""
        self._last = state
        self.tabs = {tab.id: tab for tab in state.tabs}
        """Every tab that was seen, closed ones included."""
        self._origins: dict[str, dict[str, Any]] = {
            origin["origin"]: origin for origin in state.storage.get("origins", [])
        }

    def update(
        self, tabs: list[TabState], local: dict[str, list[dict[str, str]]], *, active: int, next_id: int
    ) -> None:
        """Replace the tabs, and the local storage of origins in `local`. Do nothing without tabs.

        `local`: {origin: [{"name": …, "value": …}]}. `active`: number of the active tab. `next_id`: number for the next tab.
        """
        if not tabs:
            return
        self.tabs.update({tab.id: tab for tab in tabs})
        for origin, items in local.items():
            known = self._origins.setdefault(origin, {"origin": origin})
            known["localStorage"] = items
        self._last = replace(self._last, tabs=tabs, active=active, next_id=next_id)

    def set_cookies(self, cookies: list[Any]) -> None:
        """Replace all cookies of the last seen state. `cookies`: in Playwright's form."""
        self._last = replace(self._last, storage={**self._last.storage, "cookies": cookies})

    def state(self) -> ContextState:
        """Return the last seen state."""
        return replace(self._last, storage={**self._last.storage, "origins": list(self._origins.values())})


TOGETHER_SECONDS = 1.5
"""Tabs closed within this time closed with their window, not one by one."""


class StepsRecorder(Protocol):
    """Records what a person does: `transfer.person_recorder`."""

    def follow(self, subscriber: "Subscriber") -> None:
        """Record what the person does in pages whose events `subscriber` gets, from now on."""

    async def finish(self) -> "list[DoneCommand]":
        """Return what the person did, as commands in order. For the end of the handoff; may take two seconds."""


class HandoffState(LastSeen):
    """The last seen state of a browser that a person has in a window (`handoff`).

    `is_over`: its program has ended. `recorder`: records what the person does.
    """

    def __init__(self, reason: str, carried: ContextState, recorder: StepsRecorder | None = None) -> None:
        super().__init__(carried)
        self.recorder = recorder
        self.reason = reason
        self.since = time.monotonic()
        self.is_over = False
        self._closings: list[tuple[float, TabState]] = []

    def note_closed(self, tab: TabState) -> None:
        """Note the state of a tab that the person has closed, alone or together with its window."""
        seen = self.tabs.get(tab.id, tab)
        self._closings.append((time.monotonic(), replace(seen, url=tab.url, following=tab.following)))

    def last_state(self) -> ContextState:
        """Return the last seen state; its tabs are those that closed with the window, if any did."""
        state = self.state()
        return replace(state, tabs=self.last_tabs() or state.tabs)

    def last_tabs(self) -> list[TabState]:
        """Return the tabs that closed with the window, at most TOGETHER_SECONDS before the last one."""
        if not self._closings:
            return []
        end = self._closings[-1][0]
        last = {tab.id: tab for at, tab in self._closings if end - at <= TOGETHER_SECONDS}
        return [last[number] for number in sorted(last)]
