import asyncio
import gc
from types import SimpleNamespace
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.tasks import Background
from gstack_browse.browser.transfer.context_transfer import Transfer


async def test_transfer_that_fails_after_its_command_was_cut_off_is_no_fault_of_ours() -> None:
    closing = asyncio.Event()

    async def move() -> None:
        await closing.wait()
        raise ProtocolError("Target closed")

    told: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    session: Any = SimpleNamespace(background=Background())
    command = asyncio.ensure_future(Transfer(session).run_to_end(move()))
    await asyncio.sleep(0)
    command.cancel()
    await asyncio.wait({command})
    closing.set()
    while session.background._tasks:  # noqa: ASYNC110 - nobody is told
        await asyncio.sleep(0)
    del command
    gc.collect()
    assert not told
