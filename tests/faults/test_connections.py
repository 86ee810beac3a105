"""Connections that were forgotten, and more commands than there are places."""

import contextlib
import resource
import select
import time
from collections.abc import Iterator

import pytest

from gstack_browse.client import connect
from gstack_browse.daemon.socket.connection_limiter import AT_ONCE, MOST_OPEN
from gstack_browse.protocol import PLACE_SECONDS
from tests.e2e.daemon.harness import DaemonHarness, Site, Wire, until
from tests.faults import Seen, fault


@pytest.fixture(scope="module", autouse=True)
def descriptors() -> Iterator[None]:
    """Enough of them for more connections than a daemon takes."""
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < 3 * MOST_OPEN:
        pytest.skip(f"no more than {most} open files are allowed here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (3 * MOST_OPEN, most))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (before, most))


@pytest.fixture
def served(lasting: DaemonHarness, site: Site) -> DaemonHarness:
    lasting.must("goto", site("/"))
    return lasting


@contextlib.contextmanager
def open_connections(home: DaemonHarness, count: int) -> Iterator[list[Wire]]:
    wires = [home.connect() for _ in range(count)]
    try:
        yield wires
    finally:
        for wire in wires:
            wire.close()


def has_ended(wire: Wire) -> bool:
    poll = select.poll()
    poll.register(wire.socket, select.POLLIN)
    return bool(poll.poll(0))


@fault(
    "Connections",
    "more than 1,024 connections are opened and forgotten",
    "the longest idle are let go; commands are answered at once, by both clients and by scripts that were let go",
)
def test_forgotten_connections_keep_nobody_out(served: DaemonHarness, site: Site, seen: Seen) -> None:
    with (
        connect(workspace=served.workspace, start=False) as browse,
        open_connections(served, 1) as [oldest],
        open_connections(served, 100) as begun,
    ):
        assert browse("url") == site("/")
        for wire in begun:
            wire.send(b'{"cmd":')
        with open_connections(served, MOST_OPEN + 200) as forgotten:
            began = time.monotonic()
            assert served.must("url") == site("/")
            assert "Status: running" in served.must("status")
            seen(f"url and status answered after {time.monotonic() - began:.2f} s")
            until(lambda: has_ended(oldest))
            assert oldest.rest() == b""
            assert not has_ended(forgotten[-1])
            assert browse("url") == site("/"), "a script whose connection was let go connects again"


@fault(
    "Connections",
    "more than 1,024 scripts connect at once while the daemon has no time",
    "each is let in and answered: none is refused by its own timeout",
)
def test_many_connections_wait_for_a_busy_daemon(served: DaemonHarness, site: Site) -> None:
    """Connect with timeouts: Linux refuses such a socket where it would keep one without waiting."""
    daemon = served.daemon()
    daemon.suspend()
    with open_connections(served, MOST_OPEN + 200) as waiting:
        late = waiting[-AT_ONCE // 2 :]  # no more than have a place
        for wire in late:
            wire.send({"cmd": "url", "reply": "json"})
        daemon.resume()
        assert {wire.line()["text"] for wire in late} == {site("/")}


@fault(
    "Connections",
    "256 commands are under way and more are sent",
    "those get a place as soon as one is free, or 8 after 3 s; status, restart and stop are answered at once",
)
def test_more_commands_than_places(served: DaemonHarness, site: Site) -> None:
    wait = {"cmd": "wait", "args": ["60000"], "reply": "json", "timeout": 90_000}
    with open_connections(served, AT_ONCE) as others, open_connections(served, 2) as [lucky, late]:
        for wire in others:
            wire.send(wait)
        until(lambda: f"wait on tab 1 ({AT_ONCE - 1} more wait" in served.status())
        began = time.monotonic()
        lucky.send({"cmd": "tabs", "reply": "json"}, wait)
        # Without a client: on a busy machine one takes longer to begin than a place is waited for.
        assert "Status: running" in served.status()
        late.send({"cmd": "tabs", "status": True, "stderr": True})
        others.pop().close()
        assert lucky.line()["ok"], "a place became free"
        assert "Status: running" in served.must("status")
        said = late.rest()
        assert said.startswith(b"\x16"), "signs of life meanwhile"
        assert said.lstrip(b"\x16") == (
            b"\x01Error: 256 commands are running or waiting for their turn already\n"
            b"See which: gbrowse status. Then try again, or end what hangs: gbrowse closetab <number>\n\x02\x008\n"
        )
        assert PLACE_SECONDS - 0.5 < time.monotonic() - began < 60
        began = time.monotonic()
        assert served.must("restart").startswith("Server restarted")
        assert time.monotonic() - began < 60
    assert served.must("url") == site("/")
