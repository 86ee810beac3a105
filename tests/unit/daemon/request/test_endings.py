"""Test requests at the moment in which a daemon ends, or is replaced."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from gstack_browse.daemon.contexts.agent_context import ShutdownReason
from gstack_browse.daemon.request.cancellation import Cancellation
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.socket.server import Server
from gstack_browse.daemon.succession import successor
from gstack_browse.daemon.succession.handover import Handover
from gstack_browse.errors import ActionFailed
from gstack_browse.settings import Settings
from gstack_browse.workspace.state import WritableStateDir, open_state_dir


@pytest.fixture
def state(tmp_path: Path) -> Iterator[WritableStateDir]:
    made = open_state_dir(str(tmp_path))
    yield made
    made.close()


async def test_interruption_of_a_command_whose_reply_is_ready_cancels_nothing(state: WritableStateDir) -> None:
    service = Service(Settings(), state)
    cancellation = Cancellation(service, service.default_context, "url", is_step=False)
    cancellation.disarm()
    cancellation.interrupt(ShutdownReason.STOPPED)
    for _ in range(3):
        await asyncio.sleep(0)  # a cancellation would be raised here


@pytest.mark.programs
async def test_successor_without_a_python_is_told(
    state: WritableStateDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the environment that this daemon was started from is made anew."""
    monkeypatch.setattr(successor.sys, "executable", "/nowhere/python")
    with pytest.raises(ActionFailed, match="The new daemon did not start: No such file"):
        await Handover(Service(Settings(), state), Server(), 0, 0).restart("")
