"""Test requests at the moment in which a daemon ends, or is replaced."""

import asyncio

import pytest

from gstack_browse.daemon.contexts.agent_context import ShutdownReason
from gstack_browse.daemon.request.cancellation import Cancellation
from gstack_browse.daemon.request.dispatch import Dispatch, internal_error
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.socket.server import Server
from gstack_browse.daemon.succession import handover, successor
from gstack_browse.daemon.succession.handover import Handover
from gstack_browse.daemon.succession.successor import Successor
from gstack_browse.daemon.succession.upgrader import Upgrader
from gstack_browse.errors import ActionFailed, Busy
from gstack_browse.protocol import Request
from gstack_browse.settings import Settings
from gstack_browse.workspace.state import WritableStateDir


async def test_request_that_comes_as_the_daemon_ends_is_not_begun(state: WritableStateDir) -> None:
    """Its client sends it again, to the next daemon."""
    service = Service(Settings(), state)
    ends = Handover(service, Server(), -1, -1)
    service.lifecycle.shut_down(ShutdownReason.IDLE)
    reply = await Dispatch(service, ends, Upgrader(service, ends)).answer(Request("status"), lambda note: None)
    assert reply.error == Busy.kind


async def test_interruption_of_a_command_whose_reply_is_ready_cancels_nothing(state: WritableStateDir) -> None:
    service = Service(Settings(), state)
    cancellation = Cancellation(service, service.default_context, "url", is_step=False)
    cancellation.disarm()
    cancellation.interrupt(ShutdownReason.STOPPED)
    for _ in range(3):
        await asyncio.sleep(0)  # a cancellation would be raised here


class HangingSuccessor(Successor):
    """A successor that never serves."""

    def __init__(self) -> None:
        self.is_asked = asyncio.Event()
        self.is_killed = asyncio.Event()

    async def take_over(self, inheritance: object) -> None:
        self.is_asked.set()
        await self.is_killed.wait()
        raise ActionFailed("The new daemon did not start")

    async def kill(self) -> None:
        self.is_killed.set()


async def test_daemon_that_is_told_to_end_while_it_hands_over_takes_its_successor_along(
    state: WritableStateDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = HangingSuccessor()

    async def start(*_: object) -> Successor:
        return started

    monkeypatch.setattr(handover.Successor, "start", start)
    service, server = Service(Settings(), state), Server()
    monkeypatch.setattr(server, "stop_accepting", lambda: None)
    ends = Handover(service, server, -1, -1)
    restarting = asyncio.ensure_future(ends.restart(""))
    await started.is_asked.wait()
    service.lifecycle.shut_down(ShutdownReason.TERMINATED)
    await ends.kill_successor()
    with pytest.raises(ActionFailed):
        await restarting
    assert service.lifecycle.closing, "it does not serve again"


@pytest.mark.programs
async def test_successor_without_a_python_is_told(
    state: WritableStateDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the environment that this daemon was started from is made anew."""
    monkeypatch.setattr(successor.sys, "executable", "/nowhere/python")
    with pytest.raises(ActionFailed, match="The new daemon did not start: No such file"):
        await Handover(Service(Settings(), state), Server(), 0, 0).restart("")


def test_internal_error_of_a_daemon_of_the_version_before_is_no_bug() -> None:
    """Say so: parts that it loads late may be of the new version, and not fit."""
    assert internal_error(TypeError("x"), "daemon.log").hint.startswith("This is a bug in gbrowse")
    assert "'restart'" in internal_error(TypeError("x"), "daemon.log", is_outdated=True).hint
